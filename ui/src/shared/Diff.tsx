import { Fragment, type ReactNode, useState } from 'react';

import type { DiffLineView, HunkView, NoteDiffView, PropertyChangeView } from '../ipc/protocol.generated';
import { revealed } from './invisible';
import { Revealed } from './Revealed';

/** Rows shown at once; a longer diff is expanded on request. */
const FOLD_OVER = 40;
const FOLDED_TO = 12;

/**
 * The changes in one note: a property as one line, the body as changed lines with their line numbers.
 * `caption` is shown above; without one the diff has no head.
 */
export function Diff({ diff, caption }: { diff: NoteDiffView; caption?: ReactNode }) {
  const [open, setOpen] = useState(false);
  const rows = toRows(diff);
  const folded = !open && rows.length > FOLD_OVER;
  const shown = folded ? rows.slice(0, FOLDED_TO) : rows;
  const hidden = rows.slice(shown.length);
  const signs = rows.some((row) => row.kind !== 'property' || row.change.before === null || row.change.after === null);

  return (
    <div
      data-testid="diff"
      data-path={diff.path}
      role="group"
      aria-label={`Changes in ${revealed(diff.path)}`}
      className="overflow-hidden rounded-control border border-line bg-surface"
    >
      {caption !== undefined && (
        <div className="flex min-h-7 items-center gap-2 border-b border-line bg-surface-side px-2.5 text-small">{caption}</div>
      )}
      <div className="selectable py-0.5 font-mono text-small">
        {shown.map((row, index) => (
          <Fragment key={index}>{draw(row, signs)}</Fragment>
        ))}
        {rows.length === 0 && <p className="px-2.5 py-1 font-sans text-fg-3">{emptyText(diff)}</p>}
      </div>
      {folded && (
        <button
          type="button"
          onClick={() => setOpen(true)}
          className="block w-full border-t border-line bg-surface-sunken px-2.5 py-1 text-left text-small text-accent hover:underline"
        >
          {foldText(hidden)}
        </button>
      )}
    </div>
  );
}

type Row = { kind: 'property'; change: PropertyChangeView } | { kind: 'line'; line: DiffLineView } | { kind: 'skipped'; lines: number };

function toRows(diff: NoteDiffView): Row[] {
  const rows: Row[] = diff.properties.map((change) => ({ kind: 'property', change }));
  diff.hunks.forEach((hunk: HunkView) => {
    if (hunk.skipped > 0) rows.push({ kind: 'skipped', lines: hunk.skipped });
    rows.push(...hunk.lines.map((line): Row => ({ kind: 'line', line })));
  });
  if (diff.hunks.length > 0 && diff.tail_skipped > 0) rows.push({ kind: 'skipped', lines: diff.tail_skipped });
  return rows;
}

function draw(row: Row, signs: boolean): ReactNode {
  switch (row.kind) {
    case 'property':
      return <PropertyRow change={row.change} signs={signs} />;
    case 'line':
      return <LineRow line={row.line} />;
    case 'skipped':
      return (
        <RowFrame number="⋯" sign="" className="bg-surface-sunken text-fg-3">
          {row.lines === 1 ? '1 line unchanged' : `${row.lines} lines unchanged`}
        </RowFrame>
      );
  }
}

/** `signs`: whether other rows have a column for + and −. */
function PropertyRow({ change, signs }: { change: PropertyChangeView; signs: boolean }) {
  const { key, line, before, after } = change;
  if (before === null || after === null) {
    const added = before === null;
    return (
      <RowFrame number={line} sign={added ? '+' : '−'} className={added ? ADDED : REMOVED}>
        <Revealed text={`${key}: ${(added ? after : before) ?? ''}`} />
      </RowFrame>
    );
  }
  return (
    <RowFrame number={line} sign={signs ? '' : null} className="text-fg-2">
      <Revealed text={key} />:{' '}
      <del className="inline-block max-w-full rounded-badge bg-danger-soft px-1 text-danger">{before === '' ? 'empty' : <Revealed text={before} />}</del>
      <span className="px-1.5 font-sans text-fg-3" aria-label="becomes">
        →
      </span>
      <ins className="inline-block max-w-full rounded-badge bg-ok-soft px-1 text-ok no-underline">{after === '' ? 'empty' : <Revealed text={after} />}</ins>
    </RowFrame>
  );
}

function LineRow({ line }: { line: DiffLineView }) {
  const added = line.kind === 'added';
  const removed = line.kind === 'removed';
  const mark = added ? 'bg-ok-strong' : 'bg-danger-strong';
  // An entirely new line is marked only by its colour.
  const partly = line.words.some((word) => !word.changed);
  return (
    <RowFrame
      number={(removed ? line.old : line.new) ?? line.old ?? ''}
      sign={added ? '+' : removed ? '−' : ''}
      className={added ? ADDED : removed ? REMOVED : 'text-fg-2'}
    >
      {line.words.map((word, index) =>
        word.changed && partly && (added || removed) ? (
          <span key={index} className={`rounded-[2px] ${mark}`}>
            <Revealed text={word.text} />
          </span>
        ) : (
          <Revealed key={index} text={word.text} />
        ),
      )}
    </RowFrame>
  );
}

const ADDED = 'bg-ok-soft text-fg';
const REMOVED = 'bg-danger-soft text-fg';

function RowFrame({ number, sign, className, children }: { number: number | string; sign: string | null; className: string; children: ReactNode }) {
  return (
    <div className={`grid py-px leading-[1.1875rem] ${sign === null ? 'grid-cols-[2rem_minmax(0,1fr)]' : 'grid-cols-[2rem_1.375rem_minmax(0,1fr)]'} ${className}`}>
      <span className="pr-1.5 text-right text-fg-3 select-none">{number}</span>
      {sign !== null && (
        <span className={`text-center select-none ${sign === '+' ? 'text-ok' : sign === '−' ? 'text-danger' : ''}`}>{sign}</span>
      )}
      <span className="pr-2 break-words whitespace-pre-wrap">{children}</span>
    </div>
  );
}

function foldText(rows: Row[]): string {
  const of = (kind: DiffLineView['kind']) => rows.filter((row) => row.kind === 'line' && row.line.kind === kind).length;
  const counts = [of('added') && `+${of('added')}`, of('removed') && `−${of('removed')}`].filter(Boolean).join(' ');
  return `Show ${rows.length} more lines${counts ? ` (${counts})` : ''}`;
}

function emptyText(diff: NoteDiffView): string {
  switch (diff.kind) {
    case 'created':
      return 'An empty note.';
    case 'deleted':
      return 'The note was empty.';
    case 'renamed':
      return 'Only the name changed.';
    case 'modified':
      return 'No visible change.';
  }
}
