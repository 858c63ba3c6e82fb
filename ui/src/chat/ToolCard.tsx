import { memo, type ReactNode, useEffect, useId, useRef, useState } from 'react';

import { userError, type JsonValue, type UndoChanges, type UndoResult, type UserError } from '../ipc';
import { Button, clockTime, counted, durationText, EffectBadge, Icon, type IconName, LinkButton, runningText, ValueView } from '../shared';
import { FigureList } from '../shared/figures';
import { revealed } from '../shared/invisible';
import { NoteList } from '../shared/NoteList';
import { PartialResult, ProgressBar } from '../shared/PartialResult';
import { Revealed } from '../shared/Revealed';
import { ToolLog } from '../shared/ToolLog';
import { useAttempt } from '../shared/useAttempt';
import { useClock } from '../shared/useClock';
import { type CallItem, decidedQuestions } from '../state/session';
import { useActions } from '../state/hooks';
import { commandEnd, commandOf, commandSummary } from './command';
import { CommandDetails } from './CommandCard';
import { PossibleEffects } from './PossibleEffects';
import { mediaIn, ToolMedia } from './ToolMedia';
import { useUndone } from './undone';
import { readSummary } from './web/pages';
import { showsPages, WebPages } from './web/WebPages';
import { ScriptCalls, ScriptSource } from './Script';
import { askedSummary, deciderLabel, doneSummary, isObject, isScript } from './wording';

interface ToolCardProps {
  readonly call: CallItem;
  /** Number of writes that it waits for. */
  readonly after: number;
  readonly turnFailed: boolean;
  /** The calls made by its script. */
  readonly within: readonly CallItem[];
  /** It has its own frame: the lines above it show how it was allowed. */
  readonly alone: boolean;
}

/** One call: a line of 34 px, expanded on request; a failure expands by itself. */
export const ToolCard = memo(function ToolCard({ call, after, turnFailed, within, alone }: ToolCardProps) {
  const undone = useUndone(call);
  const face = faceOf(call, after, turnFailed, undone?.at ?? null);
  const spoken = revealed(`${call.tool}, ${face.spoken}`);
  const [open, setOpen] = useState(face.opens);
  const opened = useRef(face.opens);
  useEffect(() => {
    // Expands once if the call fails while shown; what the reader collapsed stays collapsed.
    if (face.opens && !opened.current) setOpen(true);
    opened.current ||= face.opens;
  }, [face.opens]);
  const body = useId();
  const running = call.state === 'running';

  return (
    <div
      data-testid="tool-card"
      data-tool={call.tool}
      data-call={call.call}
      data-state={face.state}
      data-item
      tabIndex={-1}
      role="group"
      aria-label={spoken}
    >
      <div className="relative flex min-h-8.5 items-center gap-2 px-2.5">
        <button
          type="button"
          aria-expanded={open}
          aria-controls={open ? body : undefined}
          aria-label={`${spoken}. ${open ? 'Close' : 'Open'}`}
          onClick={() => setOpen(!open)}
          data-tip={revealed(face.line)}
          className="absolute inset-0 rounded-[inherit] hover:bg-hover"
        />
        <Icon name={face.icon} size={14} className={`pointer-events-none shrink-0 ${face.tone}`} />
        <span className="pointer-events-none shrink-0 font-mono text-small text-fg">
          <Revealed text={call.tool} />
        </span>
        <span className={`cut pointer-events-none min-w-0 flex-1 text-small ${face.strong ? face.tone : 'text-fg-3'}`}>
          <Revealed text={open ? face.openLine ?? face.line : face.line} />
        </span>
        <span className="relative flex shrink-0 items-center gap-2">
          {undone === null && <UndoCall call={call} />}
          <ReviewToolLink call={call} />
          <ShowRule call={call} />
          <TryAgain call={call} />
          <span className="pointer-events-none">
            <EffectBadge effect={call.effect} />
          </span>
        </span>
        <span className="tabular pointer-events-none min-w-11 shrink-0 text-right text-small text-fg-3">
          {running ? <Running since={call.runningSince} /> : call.result && timed.has(face.state) ? durationText(call.result.ms) : ''}
        </span>
        {running && (
          <span className="relative flex shrink-0 items-center gap-2">
            <StopCall call={call} />
          </span>
        )}
        <Icon
          name={open ? 'chevron-down' : 'chevron-right'}
          size={14}
          className="pointer-events-none shrink-0 text-fg-2"
        />
      </div>
      {running && call.progress?.fraction != null && <ProgressBar fraction={call.progress.fraction} label={`${call.tool}: ${face.line}`} />}
      {running && call.progress?.partial != null && !open && <PartialResult partial={call.progress.partial} />}
      {call.result?.soFar != null && !open && <PartialResult partial={call.result.soFar} ended />}
      {open && (
        <div id={body}>
          <Details call={call} within={within} alone={alone} />
        </div>
      )}
    </div>
  );
});

function Running({ since }: { since: string }) {
  const ms = useClock(true) - Date.parse(since);
  return ms >= 1000 ? runningText(ms) : '';
}

interface Face {
  readonly state: string;
  readonly icon: IconName;
  readonly tone: string;
  /** Shown after the name. */
  readonly line: string;
  /** Replaces `line` when the card is open and shows the rest. */
  readonly openLine?: string;
  /** Whether the line has the icon's colour. */
  readonly strong?: boolean;
  readonly spoken: string;
  readonly opens: boolean;
}

function faceOf(call: CallItem, after: number, turnFailed: boolean, undoneAt: string | null): Face {
  const face = (state: string, icon: IconName, tone: string, line: string, more: Partial<Face> = {}): Face => ({
    state,
    icon,
    tone,
    line,
    spoken: `${state.replaceAll('_', ' ')}${line ? `, ${line}` : ''}`,
    opens: false,
    ...more,
  });
  const isCommand = call.sandbox !== null;
  const asked = isCommand ? commandOf(call.args).command : askedSummary(call);
  const { by = 'user', reason = null } = call.approval?.decided ?? {};
  switch (call.state) {
    case 'running': {
      if (after > 0) return face('queued', 'queued', 'text-fg-2', `waits for ${counted(after, 'write')}`);
      if (call.detached) {
        const line = ['in the background', call.progress?.message ?? asked].filter(Boolean).join(', ');
        return face('in_the_background', 'spinner', 'text-fg-2', line, { spoken: line, opens: isCommand });
      }
      if (call.progress?.message) return face('partial', 'spinner', 'text-fg-2', call.progress.message);
      return face('running', 'spinner', 'text-fg-2', asked, isCommand ? { opens: true, openLine: '' } : {});
    }
    case 'waiting':
      return face('waiting', 'question', 'text-accent', asked);
    case 'done':
      if (undoneAt !== null) return face('undone', 'undo', 'text-fg-3', undoneAt ? `undone at ${clockTime(undoneAt)}` : 'undone');
      if (isCommand) {
        const { code, reason } = commandEnd(call);
        const isGood = code === 0 && reason === null;
        return face('done', isGood ? 'check' : 'failed', isGood ? 'text-ok' : 'text-warn', `${asked}: ${commandSummary(call)}`, { openLine: commandSummary(call) });
      }
      return face('done', 'check', 'text-ok', readSummary(call) ?? doneSummary(call), { opens: showsPages(call) });
    case 'failed':
      return face('failed', 'failed', 'text-danger', 'failed', { opens: true, strong: true });
    case 'cancelled':
      return face('cancelled', 'ban', 'text-fg-3', turnFailed ? 'stopped, the turn failed' : 'stopped by you');
    case 'unknown':
      return face('unknown', 'question', 'text-warn', 'outcome unknown', { opens: true, strong: true });
    case 'denied':
      return face('denied', 'x', 'text-fg-3', `denied ${deciderLabel(by)}${reason ? `: “${reason}”` : ''}`);
    case 'refused':
      return face('denied', 'shield', 'text-fg-3', 'refused by a rule');
    case 'unanswered':
      return face('expired', 'ban', 'text-fg-3', call.approval?.midRun ? 'Ended without an answer' : 'Not run: the turn ended');
  }
}

/** States in which the duration is meaningful. */
const timed = new Set(['done', 'failed', 'cancelled']);

/** Stops only this call: the composer's Stop is for the whole turn. */
function StopCall({ call }: { call: CallItem }) {
  const { stopCall } = useActions();
  const [problem, setProblem] = useState<UserError | null>(null);
  const [stopping, setStopping] = useState(false);
  const stop = async () => {
    setStopping(true);
    setProblem(null);
    try {
      await stopCall(call.call);
    } catch (thrown) {
      setProblem(userError(thrown));
      setStopping(false);
    }
  };
  return (
    <>
      {problem && (
        <span className="text-small text-danger" role="alert">
          <Revealed text={problem.message} />
        </span>
      )}
      <Button size="s" icon="stop" data-testid="stop-call" disabled={stopping} aria-label={`Stop ${revealed(call.tool)}`} onClick={() => void stop()}>
        {stopping ? 'Stopping…' : 'Stop'}
      </Button>
    </>
  );
}

function UndoCall({ call }: { call: CallItem }) {
  const { undo, showPanel } = useActions();
  const { busy, problem, attempt } = useAttempt();
  const [left, setLeft] = useState<UndoResult['conflicts']>([]);
  const set = call.result?.changeSet;
  if (call.state !== 'done' || !set || call.result?.changes.length === 0) return null;
  const onlyUnread = left.every(({ unreadable }) => unreadable);

  const run = (what: UndoChanges) => attempt(async () => setLeft((await undo(what)).conflicts));
  return (
    <>
      {problem && (
        <span className="text-small text-danger" role="alert">
          <Revealed text={problem.message} />
        </span>
      )}
      {left.length > 0 && (
        <span className="text-small text-warn" role="alert">
          {counted(left.length, 'note')} {onlyUnread ? 'could not be read' : 'edited since'}.{' '}
          <LinkButton onClick={() => showPanel('changes')}>{onlyUnread ? 'Show why' : 'Show both versions'}</LinkButton>
        </span>
      )}
      <LinkButton data-testid="undo-call" className="text-small" disabled={busy} onClick={() => run({ change_set: set, call: call.call })}>
        Undo
      </LinkButton>
    </>
  );
}

/** A tool written by the assistant is pending in the settings until the user reviewed it. */
function ReviewToolLink({ call }: { call: CallItem }) {
  const { show } = useActions();
  const file = isObject(call.result?.value) ? call.result.value['file'] : undefined;
  if (call.tool !== 'core.create_tool' || call.state !== 'done' || typeof file !== 'string') return null;
  return (
    <LinkButton
      data-testid="look-at-tool"
      className="text-small"
      onClick={() => show({ kind: 'settings', page: 'skills', waiting: file.replace(/\.[^.]*$/, '') })}
    >
      Review
    </LinkButton>
  );
}

/** Links to the rule that refused it. */
function ShowRule({ call }: { call: CallItem }) {
  const { show } = useActions();
  if (call.state !== 'refused') return null;
  return (
    <LinkButton data-testid="show-rule" className="text-small" onClick={() => show({ kind: 'settings', page: 'permissions' })}>
      Show rule
    </LinkButton>
  );
}

/** Opens the tool's form with the same arguments: running it is the user's own call. */
function TryAgain({ call }: { call: CallItem }) {
  const { show } = useActions();
  // Tools of the chat itself have no skill and no form.
  if (call.state !== 'failed' || !call.tool.includes('.')) return null;
  return (
    <LinkButton data-testid="try-call-again" className="text-small" onClick={() => show({ kind: 'run-tool', tool: call.tool, args: call.args })}>
      Try again
    </LinkButton>
  );
}

function Details({ call, within, alone }: Pick<ToolCardProps, 'call' | 'within' | 'alone'>) {
  const actions = useActions();
  const { result } = call;
  const pages = showsPages(call);
  const allowed = (alone ? [] : decidedQuestions(call)).filter(({ decided, elicitation }) => !elicitation && decided?.decision !== 'deny');
  const hasArguments = !isObject(call.args) || Object.keys(call.args).length > 0;
  return (
    <div className="flex flex-col gap-2 pr-2.5 pb-2.5 pl-8.5 text-small">
      {call.state === 'unknown' && (
        <p className="selectable text-fg-2">
          Stopped while it ran. <PossibleEffects call={call} />
        </p>
      )}
      {result?.error && call.state !== 'denied' && (
        <p className="selectable text-fg-2">
          <Revealed text={`${result.error.message} ${result.error.hint}`} />
        </p>
      )}
      {pages && <WebPages call={call} />}
      {isScript(call) && (
        <Part label="Script">
          <ScriptCalls call={call} calls={within} />
          <ScriptSource call={call} />
        </Part>
      )}
      {call.sandbox && <CommandDetails call={call} sandbox={call.sandbox} />}
      {hasArguments && !pages && !isScript(call) && !call.sandbox && (
        <Part label="Arguments">
          <Framed>
            <ValueView value={call.args} label="Arguments" dense />
          </Framed>
        </Part>
      )}
      {call.state === 'running' && call.progress?.partial != null && !call.sandbox && (
        <Part label="So far">
          <Framed>
            <ValueView value={call.progress.partial} label="So far" dense />
          </Framed>
        </Part>
      )}
      {result?.soFar != null && !call.sandbox && (
        <Part label="Found before it was stopped">
          <Framed>
            <ValueView value={result.soFar} label="Found before it was stopped" dense />
          </Framed>
        </Part>
      )}
      {call.state === 'done' && !pages && !call.sandbox && (
        <Part label="Result">
          {result && <FigureList tool={call.tool} figures={result.figures} sources={result.sources} onNote={actions.openNote} />}
          <Result value={result?.value ?? null} />
        </Part>
      )}
      {result !== null && result.log.length > 0 && (
        <Part label="Log">
          <ToolLog lines={result.log} />
        </Part>
      )}
      {result !== null && result.changes.length > 0 && (
        <Part label="Notes touched">
          <NoteList notes={result.changes.map((change) => change.path)} onNote={actions.openNote} />
        </Part>
      )}
      {result !== null && result.merged.length > 0 && (
        <Part label="Merged from Obsidian">
          <p className="selectable text-fg-2">
            <Revealed text={result.merged.join(', ')} />
          </p>
        </Part>
      )}
      {result !== null && result.sources.length > 0 && !pages && (
        <Part label="Read from">
          <NoteList notes={result.sources.flatMap((source) => (source.kind === 'note' ? [source.path] : []))} onNote={actions.openNote} />
          {result.sources.map((source) =>
            source.kind === 'web' ? (
              <p key={source.url} className="selectable break-all text-fg-2">
                <Revealed text={source.url} />, {clockTime(source.at)}
              </p>
            ) : null,
          )}
        </Part>
      )}
      {allowed.map(
        ({ decided, host, midRun }, index) =>
          decided && (
            <p key={index} className="text-fg-3">
              <Revealed text={midRun && host !== null ? `${host} allowed` : 'Allowed'} /> {decided.decision === 'session' ? 'for this chat' : decided.decision}{' '}
              <Revealed text={deciderLabel(decided.by)} />, {clockTime(decided.at)}
            </p>
          ),
      )}
    </div>
  );
}

function Result({ value }: { value: JsonValue }) {
  if (value === null) return <p className="text-fg-3">no value</p>;
  if (Array.isArray(value) && value.length === 0) return <p className="text-fg-3">nothing found</p>;
  const media = mediaIn(value);
  return (
    <>
      {media.length > 0 && <ToolMedia parts={media} />}
      <Framed>
        <ValueView value={value} label="Result" dense />
      </Framed>
    </>
  );
}

function Part({ label, children }: { label: string; children: ReactNode }) {
  return (
    <section aria-label={label} className="flex min-w-0 flex-col gap-1">
      <h4 className="text-meta font-medium text-fg-3">{label}</h4>
      {children}
    </section>
  );
}

function Framed({ children }: { children: ReactNode }) {
  return <div className="max-h-80 overflow-auto rounded-control border border-line">{children}</div>;
}
