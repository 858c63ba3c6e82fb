import type { KeyboardEvent, ReactNode } from 'react';

import { Icon, LinkButton, noteName } from '../../shared';
import { moneyText, numberText } from '../../shared/amount';
import { revealed } from '../../shared/invisible';
import { NoteLink } from '../../shared/NoteLink';
import { Revealed } from '../../shared/Revealed';
import { useSession } from '../../state/hooks';
import { latinKey } from '../../state/latin-key';
import { waitingCalls } from '../../state/session';
import { ApprovalCard } from '../ApprovalCard';
import { dueText, eventTimes, isTicked, type ShownRow, type Tick } from './day';

interface DayRowProps {
  readonly shown: ShownRow;
  readonly now: Date;
  /** Opens its note, or its day in the calendar; `null` if it has neither. */
  readonly onOpen: (() => void) | null;
  readonly onTick: () => void;
  readonly onUndo: (tick: Tick) => void;
}

/**
 * One row: a click and Enter open its note or its day in the calendar, O opens the note in Obsidian, Space completes
 * it or undoes that.
 */
export function DayRow({ shown: { row, tick }, now, onOpen, onTick, onUndo }: DayRowProps) {
  const ticked = isTicked(tick);
  const times = eventTimes(row, now);
  const change = () => (tick !== null && ticked ? onUndo(tick) : onTick());
  const onKeyDown = (event: KeyboardEvent<HTMLElement>) => {
    if (event.target !== event.currentTarget) return;
    if (event.key === ' ' && row.tick !== null) change();
    else if ((event.key === 'Enter' || (isO(event) && row.path === null)) && onOpen !== null) onOpen();
    else return;
    event.preventDefault();
  };
  return (
    <li
      tabIndex={0}
      data-list-item
      data-testid="today-row"
      data-note-path={row.path ?? undefined}
      onKeyDown={onKeyDown}
      className="border-b border-line outline-offset-[-2px] last:border-b-0 hover:bg-hover"
    >
      <div className="flex h-7.5 items-center gap-2 short:h-7">
        {times && <Times begins={times.begins} now={times.now} />}
        {row.tick !== null && (
          <Box label={`Done: ${revealed(row.text)}`} ticked={ticked} busy={tick?.state === 'running' || tick?.state === 'undoing'} onChange={change} />
        )}
        {row.mark !== '' && <Mark name={row.mark} />}
        <Opened onOpen={row.tick === null ? onOpen : null}>
          <span className={`cut max-w-full flex-none text-ui ${times?.now ? 'font-medium' : ''} ${ticked ? 'text-fg-3 line-through' : ''}`}>
            <Revealed text={plain(row.text)} />
          </span>
          <Detail row={row} isTask={row.tick !== null} />
        </Opened>
        {row.value !== '' && <span className="tabular shrink-0 text-ui">{figure(row.value, row.unit)}</span>}
        {times && <span className="tabular shrink-0 text-small text-fg-2">{times.lasts}</span>}
        {!times && <End shown={{ row, tick }} now={now} onUndo={onUndo} />}
      </div>
      {tick !== null && <Waiting tick={tick} />}
      {tick?.problem && (
        <p role="alert" className="flex items-center gap-1.5 pb-1.5 text-small text-danger">
          <Icon name="warn" size={12} /> {tick.problem.message} {tick.problem.hint}
        </p>
      )}
    </li>
  );
}

function isO(event: KeyboardEvent<HTMLElement>): boolean {
  return latinKey(event) === 'o' && !event.ctrlKey && !event.metaKey && !event.altKey;
}

/** Its content; a button for the mouse, as the row itself has the keys. A task holds a link of its own. */
function Opened({ onOpen, children }: { onOpen: (() => void) | null; children: ReactNode }) {
  const looks = 'flex min-w-0 flex-1 items-baseline gap-1.5';
  if (onOpen === null) return <span className={looks}>{children}</span>;
  return (
    <button type="button" tabIndex={-1} onClick={onOpen} className={`${looks} text-left`}>
      {children}
    </button>
  );
}

/** The day, or Undo after completion. */
function End({ shown: { row, tick }, now, onUndo }: { shown: Pick<ShownRow, 'row' | 'tick'>; now: Date; onUndo: (tick: Tick) => void }) {
  if (tick?.state === 'done' && tick.changeSet !== null) {
    return (
      <LinkButton className="shrink-0 text-small" tabIndex={-1} onClick={() => onUndo(tick)}>
        Undo
      </LinkButton>
    );
  }
  const due = dueText(row, now);
  return due === '' ? null : <span className={`tabular shrink-0 text-right text-small ${row.value === '' ? '' : 'ml-1.5 min-w-18'} ${row.overdue && !isTicked(tick) ? 'text-danger' : 'text-fg-2'}`}>{due}</span>;
}

function Times({ begins, now }: { begins: string; now: boolean }) {
  return <span className={`tabular w-11 shrink-0 text-small ${now ? 'font-semibold text-danger' : 'text-fg-2'}`}>{begins}</span>;
}

/** Opens the row's note in place; for a task, its detail names the note. */
function Detail({ row: { path, detail }, isTask }: { row: ShownRow['row']; isTask: boolean }) {
  const words = isTask && path !== null && detail === '' ? noteName(path).name : detail;
  if (words === '') return null;
  // Shrinks before the text does.
  const looks = 'cut min-w-0 flex-1 text-left text-small text-fg-2';
  if (!isTask || path === null) return <span className={looks}><Revealed text={words} /></span>;
  return (
    <NoteLink note={path} className={`${looks} font-normal! text-fg-2!`}>
      <Revealed text={words} />
    </NoteLink>
  );
}

function Box({ label, ticked, busy, onChange }: { label: string; ticked: boolean; busy: boolean; onChange: () => void }) {
  return (
    <span className="relative flex size-3.75 shrink-0 text-on-accent">
      <input
        type="checkbox"
        tabIndex={-1}
        checked={ticked}
        disabled={busy}
        aria-label={label}
        onChange={onChange}
        className="size-full appearance-none rounded-badge border border-line-control bg-surface-raised checked:border-accent-fill checked:bg-accent-fill"
      />
      {ticked && <Icon name="check" size={12} className="pointer-events-none absolute top-[1.5px] left-[1.5px]" />}
    </span>
  );
}

/** A rule may ask before the completion. */
function Waiting({ tick: { run } }: { tick: Tick }) {
  const stream = useSession(run);
  return waitingCalls(stream).map((call) => <ApprovalCard key={call.id} call={call} session={run} />);
}

/** Colours on which a letter is readable in both themes. */
const colours = ['bg-c1 text-surface', 'bg-c4 text-surface', 'bg-c3 text-fg'];

/** A calendar's initial. */
function Mark({ name }: { name: string }) {
  const letter = [...name][0] ?? '';
  const colour = colours[[...name].reduce((sum, c) => sum + (c.codePointAt(0) ?? 0), 0) % colours.length];
  return (
    <span role="img" aria-label={revealed(name)} data-tip={revealed(name)} className={`flex size-3.75 shrink-0 items-center justify-center rounded-badge text-[0.625rem] font-semibold ${colour}`}>
      {letter.toUpperCase()}
    </span>
  );
}

function figure(value: string, unit: string): string {
  return unit === '' ? numberText(value) : moneyText({ amount: value, currency: unit });
}

/** Without link markup: "[[Jane Doe|Jane]]" becomes "Jane". */
function plain(text: string): string {
  return text.replaceAll(/\[\[(?:[^\]|]*\|)?([^\]]*)\]\]/g, '$1');
}
