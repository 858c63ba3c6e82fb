import type { KeyboardEvent } from 'react';

import type { ListPart } from '../../ipc';
import { ActionButton } from './ActionButton';
import { fieldOf, pathOf, rowHas, rowsAt, textOf, type Placed } from './answer';
import { detailOf } from './BoardView';
import { ChangedMark, RowTitle } from './Cell';
import { usePanel } from './context';
import { Nothing, Region, type Shown } from './Region';
import { dateText } from './words';

/** Entries under the headings of their groups; what can be done with one stands below it while it is pointed at. */
export function ListView({ part }: { part: ListPart }) {
  const panel = usePanel();
  return (
    <section aria-label={part.heading} className="min-w-0">
      <Region read={panel.read(panel.asked(part))} lines={6}>
        {(shown) => <Groups part={part} shown={shown} />}
      </Region>
    </section>
  );
}

function Groups({ part, shown: { value } }: { part: ListPart; shown: Shown }) {
  const { filter } = usePanel();
  const all = rowsAt(value, part.rows);
  const rows = all.filter(({ row }) => rowHas(row, filter));
  const groups = groupsOf(part, rows);
  return (
    <div onKeyDown={moveInList}>
      <h2 className="flex items-baseline gap-2 px-4 pt-3.5 pb-1 text-ui font-semibold">
        {part.heading} <span className="text-small font-normal text-fg-3">{all.length}</span>
      </h2>
      {rows.length === 0 && <Nothing empty={part.empty} fallback="Nothing here." />}
      {groups.map(({ label, late, rows: entries }, place) => (
        <div key={place}>
          {label !== '' && <h3 className={`px-4 pt-3 pb-1.5 text-meta font-semibold ${late ? 'text-danger' : 'text-fg-2'}`}>{label}</h3>}
          <ul>
            {entries.map((entry) => (
              <Entry key={entry.key} part={part} placed={entry} late={late} />
            ))}
          </ul>
        </div>
      ))}
    </div>
  );
}

function Entry({ part, placed: { row }, late }: { part: ListPart; placed: Placed; late: boolean }) {
  const { today } = usePanel();
  const path = pathOf(row);
  const date = part.date === null ? '' : textOf(fieldOf(row, part.date));
  const detail = detailOf(part.detail, row);
  return (
    <li
      tabIndex={0}
      data-entry
      data-row={path ?? undefined}
      className="group/entry border-t border-line px-4 py-2 outline-offset-[-2px] hover:bg-hover focus-within:bg-hover focus:bg-hover"
    >
      <div className="flex items-baseline gap-2">
        <RowTitle title={textOf(fieldOf(row, part.title))} path={path} className="min-w-0 flex-1 text-ui font-medium" />
        <span className={`tabular shrink-0 text-small ${late ? 'text-danger' : 'text-fg-2'}`}>{date === '' ? '' : dateText(date, today)}</span>
      </div>
      <div className="flex items-baseline gap-2">
        <span className="cut min-w-0 flex-1 text-small text-fg-2">{detail}</span>
        <ChangedMark path={path} />
      </div>
      {part.actions.length > 0 && (
        <div className="hidden flex-wrap gap-1.5 pt-1.5 group-focus-within/entry:flex group-hover/entry:flex group-focus/entry:flex">
          {part.actions.map((action) => (
            <ActionButton key={action.label} action={action} row={row} size="s" />
          ))}
        </div>
      )}
    </li>
  );
}

/** The declared groups that have entries, then the entries of none. */
function groupsOf(part: ListPart, rows: readonly Placed[]): { label: string; late: boolean; rows: readonly Placed[] }[] {
  const { group } = part;
  if (group === null) return [{ label: '', late: false, rows }];
  const of = ({ row }: Placed) => textOf(fieldOf(row, group));
  const declared = part.groups.map(({ value, label, late }) => ({ label, late, rows: rows.filter((row) => of(row) === value) }));
  const others = rows.filter((row) => part.groups.every(({ value }) => of(row) !== value));
  return [...declared, { label: part.groups.length > 0 ? 'Other' : '', late: false, rows: others }].filter((one) => one.rows.length > 0);
}

/** J, K and the arrows move between entries; Enter on one opens its note. */
function moveInList(event: KeyboardEvent<HTMLElement>): void {
  const entry = event.target as HTMLElement;
  if (!entry.matches('[data-entry]') || event.ctrlKey || event.metaKey || event.altKey) return;
  if (event.key === 'Enter') {
    entry.querySelector<HTMLElement>('button')?.click();
    return;
  }
  const by = event.key === 'j' || event.key === 'ArrowDown' ? 1 : event.key === 'k' || event.key === 'ArrowUp' ? -1 : 0;
  if (by === 0) return;
  event.preventDefault();
  const entries = [...event.currentTarget.querySelectorAll<HTMLElement>('[data-entry]')];
  entries[entries.indexOf(entry) + by]?.focus();
}
