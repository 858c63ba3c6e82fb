// A skill's statistics: calls, errors, time and tokens, the last days, and the last error.

import type { SkillDetail, SkillRow } from '../ipc';
import { count, durationText, Icon, whenText } from '../shared';
import { Revealed } from '../shared/Revealed';
import { DayBars } from './DayBars';
import { Part } from './Part';
import { lastDays } from './skill-rows';

export function SkillHealth({ row, detail, now }: { row: SkillRow; detail: SkillDetail | null; now: number }) {
  const { activations, calls, errors, mean_ms, tokens, last_used, days } = row.usage;
  const figures: [string, string][] = [
    [count(calls), calls === 1 ? 'call' : 'calls'],
    [count(errors), errors === 1 ? 'error' : 'errors'],
    ...(mean_ms === null ? [] : ([[durationText(mean_ms), 'mean']] as [string, string][])),
    [count(activations), activations === 1 ? 'activation' : 'activations'],
    ...(tokens === 0 ? [] : ([[count(tokens), 'tokens given to the model']] as [string, string][])),
  ];
  const last = detail?.last_error;
  const shown = lastDays(days, now);
  return (
    <Part title="Health" note={last_used && `last used ${whenText(last_used)}`}>
      {calls + activations === 0 ? (
        <p className="text-fg-3">Never used</p>
      ) : (
        <>
          <p className="flex flex-wrap gap-x-5">
            {figures.map(([figure, name]) => (
              <span key={name}>
                <span className="tabular font-semibold">{figure}</span> <span className="text-fg-2">{name}</span>
              </span>
            ))}
          </p>
          {shown.some((day) => day.calls > 0) && (
            <>
              <p className="mt-3 mb-1 text-fg-2">Calls of the last 14 days</p>
              <DayBars days={shown} figures />
            </>
          )}
        </>
      )}
      {last && (
        <p data-testid="skill-last-error" className="mt-2.5 flex gap-2">
          <Icon name="warn" size={14} className="mt-0.5 text-warn" />
          <span className="min-w-0 break-words">
            <span className="text-fg-3">{whenText(last.at)}</span> <span className="font-mono">{last.tool}</span>:{' '}
            <Revealed text={last.message} />
          </span>
        </p>
      )}
    </Part>
  );
}
