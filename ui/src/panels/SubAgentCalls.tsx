import { durationText, Icon, type IconName, runningText } from '../shared';
import { Revealed } from '../shared/Revealed';
import { useClock } from '../shared/useClock';
import type { CallItem, SessionState } from '../state/session';
import { aboutCall, callsOf } from './subagent';

/** A sub-agent's calls, in order. */
export function SubAgentCalls({ session }: { session: SessionState }) {
  const calls = callsOf(session);
  if (calls.length === 0) return null;
  return (
    <section aria-label="Its calls" className="flex flex-col gap-1 border-t border-line pt-3.5">
      <h3 className="text-meta font-medium text-fg-2">Its calls</h3>
      <ul aria-label="Its calls" className="divide-y divide-line">
        {calls.map((call) => (
          <li key={call.id} data-testid="subagent-call" data-state={call.state} className="flex flex-col gap-0.5 py-1.5">
            <span className="flex items-center gap-2">
              <Icon name={iconOf(call)} size={14} className={`shrink-0 ${call.state === 'failed' ? 'text-danger' : call.state === 'done' ? 'text-ok' : 'text-fg-2'}`} />
              <span className="cut min-w-0 flex-1 font-mono">
                <Revealed text={call.tool} />
              </span>
              <span className="tabular shrink-0 text-fg-3">
                <Time call={call} />
              </span>
            </span>
            <span className="selectable pl-5.5 break-words text-fg-2">
              <Revealed text={aboutCall(call)} />
            </span>
          </li>
        ))}
      </ul>
    </section>
  );
}

function Time({ call }: { call: CallItem }) {
  const running = call.state === 'running';
  const ms = useClock(running) - Date.parse(call.runningSince);
  if (running) return ms >= 1000 ? runningText(ms) : '';
  return call.result ? durationText(call.result.ms) : '';
}

function iconOf({ state }: CallItem): IconName {
  switch (state) {
    case 'running':
      return 'spinner';
    case 'waiting':
    case 'unknown':
      return 'question';
    case 'done':
      return 'check';
    case 'failed':
      return 'failed';
    case 'refused':
      return 'shield';
    default:
      return 'ban';
  }
}
