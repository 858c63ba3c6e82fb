// The right column: the state of the call, its result, sources and changes.

import { useMemo, useRef, useState, type ReactNode } from 'react';

import { ApprovalCard } from '../chat/ApprovalCard';
import type { JsonValue, LogLine, SourceView, ToolResult, ToolRow } from '../ipc';
import {
  clockTime,
  counted,
  durationText,
  ErrorBox,
  Icon,
  JsonView,
  LinkButton,
  noteName,
  runningText,
  Segments,
  Table,
  whenText,
} from '../shared';
import { Confirmation, proposalOf } from '../shared/confirm';
import { FigureList } from '../shared/figures';
import { revealed } from '../shared/invisible';
import { Linked } from '../shared/Linked';
import { NoteLink } from '../shared/NoteLink';
import { NotePopover, type OpenedLink } from '../shared/NotePopover';
import { Revealed } from '../shared/Revealed';
import { SetConflictCard } from '../shared/SetConflictCard';
import { ToolLog } from '../shared/ToolLog';
import { useClock } from '../shared/useClock';
import { useApp, useSession } from '../state/hooks';
import type { CallItem } from '../state/session';
import { belowHeadline, headlineOf, plainText, sectionsOf, type Section } from './result-shape';

import type { Run } from './useRuns';

interface RunResultProps {
  readonly run: Run;
  /** The tool that ran; undefined if it was removed. */
  readonly tool: ToolRow | undefined;
  readonly onUndo: () => void;
  readonly onAgain: () => void;
  /** Runs the tool with these arguments. */
  readonly onRun: (args: JsonValue) => void;
}

export function RunResult({ run, tool, onUndo, onAgain, onRun }: RunResultProps) {
  if (run.result === null) return <Running run={run} />;
  const proposal = run.result.ok && tool !== undefined ? proposalOf(run.result.value, tool.input_schema, run.args) : null;
  if (proposal !== null) {
    return (
      <>
        <Headline icon={<Icon name="queued" />} title="Waits for your confirmation">
          {durationText(run.result.ms)}, {clockTime(run.at)}
        </Headline>
        <div className="px-4 pb-4">
          <Confirmation proposal={proposal} action="Run" busy={false} onRun={onRun} />
        </div>
      </>
    );
  }
  return run.result.ok ? (
    <Done run={run} result={run.result} onUndo={onUndo} />
  ) : (
    <Failed run={run} result={run.result} onAgain={onAgain} />
  );
}

/** A waiting or running call: the same card as in a chat, and its progress. */
function Running({ run }: { run: Run }) {
  const session = useSession(run.id);
  const calls = session.turns.flatMap(({ items }) => items).filter((item): item is CallItem => item.kind === 'call');
  const [call] = calls;
  // A script's calls have their own questions.
  const asking = calls.find(({ state }) => state === 'waiting');
  const waiting = asking !== undefined;
  const now = useClock(!waiting);
  const since = now - Date.parse(call?.runningSince ?? run.at);
  const progress = call?.progress ?? null;
  return (
    <>
      <Headline
        icon={<Icon name={waiting ? 'queued' : 'spinner'} />}
        title={waiting ? 'Waits for your answer' : 'Running'}
      >
        {!waiting && since >= 1000 && runningText(since)}
        {progress?.message && 
          <span className="cut">
            <Revealed text={progress.message} />
          </span>
        }
      </Headline>
      {progress?.fraction != null && (
        <div
          role="progressbar"
          aria-label={revealed(run.tool)}
          aria-valuenow={Math.round(progress.fraction * 100)}
          className="mx-4 h-1 overflow-hidden rounded-full bg-selected"
        >
          <div className="h-full origin-left bg-accent-fill" style={{ transform: `scaleX(${progress.fraction})` }} />
        </div>
      )}
      {asking && (
        <div className="px-4 pb-4" data-testid="run-approval">
          <ApprovalCard call={asking} within={calls.filter(({ within }) => within === asking.call)} session={run.id} />
        </div>
      )}
      {progress?.partial != null && <Sections sections={sectionsOf(progress.partial)} />}
    </>
  );
}

function Done({ run, result, onUndo }: { run: Run; result: ToolResult; onUndo: () => void }) {
  const value = result.value ?? null;
  const sections = useMemo(() => belowHeadline(sectionsOf(value)), [value]);
  const [asJson, setAsJson] = useState(false);
  const figures = useRef<HTMLDivElement>(null);
  const [opened, setOpened] = useState<OpenedLink | null>(null);
  const openNote = (note: string) => figures.current && setOpened({ note, at: figures.current });
  const tables = sections.some(({ kind }) => kind === 'table');
  const title =
    value === null && result.changes.length > 0
      ? counted(result.changes.length, 'note') + ' changed'
      : headlineOf(value);
  return (
    <>
      <Headline
        icon={<Icon name="check" className="text-ok" />}
        title={title}
        actions={
          <Segments
            label="Show as"
            value={asJson ? 'json' : 'table'}
            options={[
              { value: 'table', label: tables ? 'Table' : 'Values' },
              { value: 'json', label: 'JSON' },
            ]}
            onChange={(view) => setAsJson(view === 'json')}
          />
        }
      >
        {durationText(result.ms)}, {clockTime(run.at)}
      </Headline>
      <Changes run={run} result={result} onUndo={onUndo} />
      {result.figures.length > 0 && (
        <div ref={figures} className="px-4 pb-3">
          <FigureList tool={run.tool} figures={result.figures} sources={result.sources} onNote={openNote} />
          {opened && <NotePopover link={opened} onClose={() => setOpened(null)} />}
        </div>
      )}
      {asJson ? <JsonView value={value} /> : <Sections sections={sections} />}
      <Log lines={result.log ?? []} />
      <Sources sources={result.sources} />
    </>
  );
}

function Failed({ run, result, onAgain }: { run: Run; result: ToolResult; onAgain: () => void }) {
  const stopped = result.error?.code === 'cancelled';
  const denied = result.error?.code === 'denied_by_user';
  return (
    <>
      <Headline
        icon={<Icon name={denied || stopped ? 'ban' : 'failed'} className={denied || stopped ? 'text-fg-2' : 'text-danger'} />}
        title={stopped ? 'Stopped' : denied ? 'Not run' : 'Failed'}
      >
        {clockTime(run.at)}
      </Headline>
      <div className="px-4">
        <ErrorBox
          error={result.error ?? { code: 'tool_failed', message: `${run.tool} failed without a reason.`, hint: '' }}
          actions={<LinkButton onClick={onAgain}>Try again</LinkButton>}
        />
      </div>
      {result.so_far != null && (
        <section aria-label="Found before it was stopped" className="pt-3">
          <h3 className="px-4 pb-2 text-small font-semibold">Found before it was stopped</h3>
          <Sections sections={sectionsOf(result.so_far)} />
        </section>
      )}
      <Log lines={result.log ?? []} />
      <Changes run={run} result={result} />
    </>
  );
}

function Headline({
  icon,
  title,
  children,
  actions,
}: {
  icon: ReactNode;
  title: string;
  children: ReactNode;
  actions?: ReactNode;
}) {
  return (
    <header className="flex min-h-13 items-center gap-2.5 px-4 py-2">
      {icon}
      <div role="status">
        <h2 className={`text-body font-semibold ${title.length > 30 ? '' : 'whitespace-nowrap'}`}>
          <Revealed text={title} />
        </h2>
      </div>
      <span className="tabular flex min-w-0 flex-1 gap-2 text-small text-fg-3">{children}</span>
      {actions}
    </header>
  );
}

function Sections({ sections }: { sections: Section[] }) {
  return (
    <div className="flex flex-col gap-3 pb-3">
      {sections.map((section, at) => (
        <section key={at} aria-label={revealed(section.title) || undefined}>
          {section.title !== '' && sections.length > 1 && (
            <h3 className="px-4 pb-1 text-small font-semibold text-fg-2">
              <Revealed text={section.title} />
            </h3>
          )}
          <SectionBody section={section} />
        </section>
      ))}
    </div>
  );
}

function SectionBody({ section }: { section: Section }) {
  switch (section.kind) {
    case 'table':
      return (
        // The first column is sticky, to identify rows while scrolling; the padding is for the scroll bar.
        <div className="nova-sideways overflow-x-auto border-t border-line pb-2.5 [&_tbody_tr:last-child]:border-b [&_td:first-child]:pl-4 [&_td:last-child]:pr-4 [&_th]:bg-transparent [&_th:first-child]:pl-4 [&_th:last-child]:pr-4">
          <Table
            label={revealed(section.title) || 'Result'}
            rows={section.rows}
            columns={section.columns.map(({ key, label, figures, note }) => ({
              key,
              head: <Revealed text={label} />,
              figure: figures,
              cell: (row: Record<string, JsonValue>) => <Cell value={row[key]} note={note === undefined ? undefined : row[note]} />,
              sort: (row: Record<string, JsonValue>) => (figures ? Number(row[key] ?? -Infinity) : plainText(row[key])),
            }))}
          />
        </div>
      );
    case 'pairs':
      return (
        <dl className="grid grid-cols-[minmax(96px,max-content)_1fr] gap-x-6 gap-y-1.5 px-4 text-small">
          {section.pairs.map(([label, value]) => (
            <div key={label} className="contents">
              <dt className="text-fg-3">
                <Revealed text={label} />
              </dt>
              <dd className="selectable tabular min-w-0 break-words whitespace-pre-wrap">
                <Value value={value} />
              </dd>
            </div>
          ))}
        </dl>
      );
    case 'text':
      return section.text === '' ? (
        <p className="px-4 text-small text-fg-3">Nothing</p>
      ) : (
        <p className="selectable px-4 text-small whitespace-pre-wrap">
          <Linked text={section.text} />
        </p>
      );
    case 'json':
      return <JsonView value={section.value} />;
  }
}

/** Short values do not wrap, however narrow the table; it scrolls instead. */
function Cell({ value, note }: { value: JsonValue | undefined; note?: JsonValue | undefined }) {
  const short = plainText(value).length <= 48;
  return (
    <span
      className={short ? 'whitespace-nowrap' : 'line-clamp-3 block min-w-60 break-words'}
      data-tip={short ? undefined : revealed(plainText(value))}
    >
      {typeof note === 'string' ? <NoteLink note={note} className="text-left font-normal"><Revealed text={plainText(value)} /></NoteLink> : <Value value={value} />}
    </span>
  );
}

function Value({ value }: { value: JsonValue | undefined }) {
  return <Linked text={Array.isArray(value) ? value.map(plainText) : plainText(value)} />;
}

function Changes({ run, result, onUndo }: { run: Run; result: ToolResult; onUndo?: () => void }) {
  const all = useApp((app) => app.conflicts);
  if (result.changes.length === 0) return null;
  const conflicts = all.filter(({ set }) => set === result.change_set);
  const words = { created: 'created', modified: 'changed', deleted: 'moved to the trash', renamed: 'moved' };
  return (
    <section aria-label="Changes" className="mx-4 mb-4 rounded-card border border-line">
      <header className="flex h-9 items-center gap-2 border-b border-line px-3">
        <Icon name="pencil" size={14} className="text-fg-2" />
        <h3 className="flex-1 text-small font-semibold">{counted(result.changes.length, 'note')} changed</h3>
        {run.undoneAt ? (
          <span role="status" className="flex items-center gap-1.5 text-small text-fg-3">
            <Icon name="undo" size={12} /> undone at {clockTime(run.undoneAt)}
          </span>
        ) : (
          result.change_set !== null &&
          onUndo && (
            <LinkButton className="text-small" onClick={onUndo} data-testid="undo-call">
              Undo
            </LinkButton>
          )
        )}
      </header>
      <ul className="py-1">
        {result.changes.map((change) => (
          <li key={change.path} className="flex items-baseline gap-2 px-3 py-1 text-small">
            <NoteLink note={change.path} className="text-left font-normal"><Revealed text={noteName(change.path).name} /></NoteLink>
            <span className="cut text-fg-3">
              {words[change.kind]}
              <Revealed text={`${change.from ? ` from ${change.from}` : ''}, ${noteName(change.path).folder || 'top folder'}`} />
            </span>
          </li>
        ))}
      </ul>
      {run.undoProblem && (
        <div className="p-2">
          <ErrorBox error={run.undoProblem} />
        </div>
      )}
      {conflicts.length > 0 && (
        <div className="flex flex-col gap-2 p-2">
          {conflicts.map((conflict) => (
            <SetConflictCard key={conflict.conflict.path} conflict={conflict} session={null} />
          ))}
        </div>
      )}
    </section>
  );
}

function Log({ lines }: { lines: readonly LogLine[] }) {
  if (lines.length === 0) return null;
  return (
    <section aria-label="Log of the tool" className="mx-4 pb-4">
      <h3 className="pb-1 text-small text-fg-3">Log</h3>
      <ToolLog lines={lines} />
    </section>
  );
}

const firstSources = 8;

function Sources({ sources }: { sources: readonly SourceView[] }) {
  const [all, setAll] = useState(false);
  if (sources.length === 0) return null;
  const shown = all ? sources : sources.slice(0, firstSources);
  return (
    <section aria-label="Sources" className="mx-4 mb-4 border-t border-line pt-2">
      <h3 className="pb-1 text-small text-fg-3">From {counted(sources.length, 'source')}</h3>
      <ul className="flex flex-wrap gap-x-3 gap-y-1 text-small">
        {shown.map((source) => (
          <li key={source.kind === 'note' ? source.path : source.url} className="flex min-w-0 items-center gap-1.5">
            <Icon name={source.kind === 'note' ? 'note' : 'globe'} size={12} className="text-fg-3" />
            {source.kind === 'note' ? (
              <NoteLink note={source.path} className="text-left font-normal"><Revealed text={noteName(source.path).name} /></NoteLink>
            ) : (
              <span className="selectable cut text-fg-2">
                <Revealed text={source.url} />, {whenText(source.at)}
              </span>
            )}
          </li>
        ))}
        {!all && sources.length > firstSources && (
          <li>
            <LinkButton onClick={() => setAll(true)}>{sources.length - firstSources} more</LinkButton>
          </li>
        )}
      </ul>
    </section>
  );
}
