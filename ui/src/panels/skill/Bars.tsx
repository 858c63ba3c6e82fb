import { useState } from 'react';

import type { JsonValue } from '../../ipc';
import { Banner, clockTime, ErrorBox, Icon, IconButton, LinkButton, noteName } from '../../shared';
import { PartialResult, ProgressBar } from '../../shared/PartialResult';
import { isProposal } from '../../shared/confirm';
import { useEditNote } from '../../state/editNote';
import { useActions } from '../../state/hooks';
import { isRow, noteOf, pathOf, problemsIn, summaryOf, type RowProblem } from './answer';
import { Asking, useCall } from './Region';
import type { PanelCall, PanelCalls } from './useCalls';
import { pastText } from './words';

/** Problems shown before the rest is expanded. */
const FIRST = 2;

/** What could not be shown, and why: nothing is silently missing. */
export function ProblemBars({ problems, label = 'Problems' }: { problems: readonly RowProblem[]; label?: string }) {
  const { openNote } = useActions();
  const editNote = useEditNote();
  const [all, setAll] = useState(false);
  if (problems.length === 0) return null;
  const shown = all ? problems : problems.slice(0, FIRST);
  return (
    <section aria-label={label} className="flex max-h-48 shrink-0 flex-col gap-1.5 overflow-y-auto">
      {shown.map(({ path, line, problem, remedy }, at) => (
        <Banner
          key={at}
          tone="warn"
          icon="warn"
          actions={
            path !== null && (
              <>
                <LinkButton aria-label={`Edit ${noteName(path).name}`} onClick={() => void editNote(path)}>
                  Edit
                </LinkButton>
                <LinkButton data-testid="open-problem" onClick={() => openNote(path)}>
                  Open note
                </LinkButton>
              </>
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

interface CallBarsProps {
  readonly calls: PanelCalls;
  /** The call that a form over the panel reports. */
  readonly elsewhere: string | null;
  /** Opens the form of a call with its arguments and its proposal; none if calls have no form. */
  readonly onEdit?: (call: PanelCall) => void;
}

/** The user's own calls: what they wait for, their results, and Undo while available. */
export function CallBars({ calls, elsewhere, onEdit }: CallBarsProps) {
  return calls.calls.filter(({ id }) => id !== elsewhere).map((call) => <CallBar key={call.id} call={call} calls={calls} onEdit={onEdit && (() => onEdit(call))} />);
}

function CallBar({ call, calls, onEdit }: { call: PanelCall; calls: PanelCalls; onEdit: (() => void) | undefined }) {
  const editNote = useEditNote();
  const { result, label } = call;
  if (result === null) return <Running call={call} onStop={() => calls.stop(call)} />;
  if (result.error?.code === 'cancelled') return <Stopped call={call} soFar={result.so_far ?? null} onHide={() => calls.dismiss(call)} />;
  if (!result.ok) {
    const error = result.error ?? { code: 'tool_failed' as const, message: `${call.tool} failed without a reason.`, hint: 'Try again.' };
    return (
      <div className="relative shrink-0" data-testid="call-failed">
        <ErrorBox
          error={{ ...error, message: `${label}: ${error.message}` }}
          actions={
            onEdit && (
              <LinkButton aria-label={`Edit ${label}`} onClick={onEdit}>
                Edit
              </LinkButton>
            )
          }
        />
        {result.so_far != null && <PartialResult partial={result.so_far} ended />}
        <IconButton icon="x" iconSize={12} label="Hide" className="absolute top-1.5 right-1.5" onClick={() => calls.dismiss(call)} />
      </div>
    );
  }
  if (isProposal(result.value)) {
    return (
      <div role="status" data-testid="call-proposes" className={barClass}>
        <Icon name="queued" size={14} className="text-fg-2" />
        <span className="min-w-0 flex-1">{label}: nothing written yet</span>
        {onEdit && <LinkButton onClick={onEdit}>Review</LinkButton>}
        <IconButton icon="x" iconSize={12} label="Hide" className="-my-1 -mr-1.5" onClick={() => calls.dismiss(call)} />
      </div>
    );
  }
  const problems = problemsIn([result.value]);
  const [summary, note] = [summaryOf(result.value), noteOf(result.value)];
  const path = isRow(result.value) ? pathOf(result.value) : null;
  return (
    <>
      {problems.length > 0 && <ProblemBars problems={problems} label={`Problems with ${label}`} />}
      <div
        role="status"
        data-testid="undo-bar"
        className={barClass}
      >
        <Icon name={call.undone ? 'undo' : 'check'} size={14} className={call.undone ? 'text-fg-2' : 'text-ok'} />
        <span className="selectable min-w-0 flex-1">
          {pastText(label)}
          {summary !== '' && `: ${summary}`}
          {call.undone && `, undone at ${clockTime(new Date().toISOString())}`}
          {call.undoProblem && (
            <span className="text-danger">
              {' '}
              {call.undoProblem.message} {call.undoProblem.hint}
            </span>
          )}
        </span>
        {note !== '' && !call.undone && <span className="selectable min-w-0 flex-1 text-warn">{note}</span>}
        {note !== '' && path !== null && !call.undone && (
          <LinkButton aria-label={`Edit ${label}`} onClick={() => void editNote(path)}>
            Edit
          </LinkButton>
        )}
        {result.change_set !== null && !call.undone && (
          <LinkButton data-testid="undo-call" onClick={() => calls.undo(call)}>
            Undo
          </LinkButton>
        )}
        <IconButton icon="x" iconSize={12} label="Hide" className="-my-1 -mr-1.5" onClick={() => calls.dismiss(call)} />
      </div>
    </>
  );
}

const barClass = 'flex min-h-8 shrink-0 items-center gap-2.5 rounded-card bg-surface-sunken px-2.5 py-1 text-small';

/** A call's progress and partial results, with Stop. */
export function Running({ call, onStop }: { call: PanelCall; onStop: () => void }) {
  const { progress = null } = useCall(call.id) ?? {};
  return (
    <div className="shrink-0 animate-appear-late" data-testid="call-running">
      <Asking run={call.id} />
      <div className="rounded-card bg-surface-sunken">
        <div className="flex min-h-8 items-center gap-2 px-2.5 text-small text-fg-2">
          <Icon name="spinner" size={14} />
          <p className="min-w-0 flex-1">
            {/* Without the message: announcing each step would be too much. */}
            <span role="status">{call.stopping ? `Stopping ${call.label}` : call.label}</span>
            {progress?.message != null && `, ${progress.message}`}
          </p>
          <LinkButton aria-label={`Stop ${call.label}`} disabled={call.stopping} onClick={onStop}>
            Stop
          </LinkButton>
        </div>
        {progress?.fraction != null && <ProgressBar fraction={progress.fraction} label={call.label} />}
        {progress?.partial != null && <PartialResult partial={progress.partial} />}
      </div>
    </div>
  );
}

function Stopped({ call, soFar, onHide }: { call: PanelCall; soFar: JsonValue; onHide: () => void }) {
  return (
    <div data-testid="call-stopped" className="shrink-0 rounded-card bg-surface-sunken">
      <div role="status" className="flex min-h-8 items-center gap-2.5 px-2.5 text-small">
        <Icon name="ban" size={14} className="text-fg-2" />
        <span className="min-w-0 flex-1">{call.label}, stopped by you{soFar === null && ', nothing found'}</span>
        <IconButton icon="x" iconSize={12} label="Hide" className="-my-1 -mr-1.5" onClick={onHide} />
      </div>
      {soFar !== null && <PartialResult partial={soFar} ended />}
    </div>
  );
}
