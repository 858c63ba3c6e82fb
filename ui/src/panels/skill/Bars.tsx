import { useState } from 'react';

import { Banner, clockTime, ErrorBox, Icon, IconButton, LinkButton, noteName } from '../../shared';
import type { RowProblem } from './answer';
import { usePanel } from './context';
import { Asking } from './Region';
import type { PanelCall, PanelCalls } from './useCalls';

/** How many problems stand below each other before the rest is asked for. */
const FIRST = 2;

/** What could not be shown, and why: never silently missing. */
export function ProblemBars({ problems }: { problems: readonly RowProblem[] }) {
  const { openNote } = usePanel();
  const [all, setAll] = useState(false);
  if (problems.length === 0) return null;
  const shown = all ? problems : problems.slice(0, FIRST);
  return (
    <section aria-label="Problems" className="flex max-h-48 shrink-0 flex-col gap-1.5 overflow-y-auto">
      {shown.map(({ path, line, problem, remedy }, at) => (
        <Banner
          key={at}
          tone="warn"
          icon="warn"
          actions={
            path !== null && (
              <LinkButton data-testid="open-problem" onClick={() => openNote(path)}>
                Open note
              </LinkButton>
            )
          }
        >
          {path !== null && !problem.includes(noteName(path).name) && <span className="font-semibold">{noteName(path).name}: </span>}
          {problem}
          {line !== null && !/\bline \d/.test(problem) && ` (line ${line})`}
          {/[.!?]$/.test(problem) ? '' : '.'} <span className="text-fg-2">{remedy}</span>
        </Banner>
      ))}
      {problems.length > FIRST && (
        <LinkButton className="self-start text-small" onClick={() => setAll(!all)}>
          {all ? 'Show fewer' : `${problems.length - FIRST} more`}
        </LinkButton>
      )}
    </section>
  );
}

/** The user's own calls: what they wait for, how they ended, and Undo while it is at hand. */
export function CallBars({ calls }: { calls: PanelCalls }) {
  return calls.calls.map((call) => <CallBar key={call.id} call={call} calls={calls} />);
}

function CallBar({ call, calls }: { call: PanelCall; calls: PanelCalls }) {
  const { result, label } = call;
  if (result === null) {
    return (
      <div className="shrink-0">
        <Asking run={call.id} />
        <p role="status" className="flex animate-appear-late items-center gap-2 px-2.5 text-small text-fg-2">
          <Icon name="spinner" size={14} /> {label}
        </p>
      </div>
    );
  }
  if (!result.ok) {
    const error = result.error ?? { code: 'tool_failed' as const, message: `${call.tool} failed and did not say why.`, hint: 'Try again.' };
    return (
      <div className="relative shrink-0" data-testid="call-failed">
        <ErrorBox error={{ ...error, message: `${label}: ${error.message}` }} />
        <IconButton icon="x" iconSize={12} label="Hide" className="absolute top-1.5 right-1.5" onClick={() => calls.dismiss(call)} />
      </div>
    );
  }
  return (
    <div
      role="status"
      data-testid="undo-bar"
      className="flex min-h-8 shrink-0 items-center gap-2.5 rounded-card bg-surface-sunken px-2.5 py-1 text-small"
    >
      <Icon name={call.undone ? 'undo' : 'check'} size={14} className={call.undone ? 'text-fg-2' : 'text-ok'} />
      <span className="selectable min-w-0 flex-1">
        {label}
        {call.undone && `, undone at ${clockTime(new Date().toISOString())}`}
        {call.undoProblem && (
          <span className="text-danger">
            {' '}
            {call.undoProblem.message} {call.undoProblem.hint}
          </span>
        )}
      </span>
      {result.change_set !== null && !call.undone && (
        <LinkButton data-testid="undo-call" onClick={() => calls.undo(call)}>
          Undo
        </LinkButton>
      )}
      <IconButton icon="x" iconSize={12} label="Hide" className="-my-1 -mr-1.5" onClick={() => calls.dismiss(call)} />
    </div>
  );
}
