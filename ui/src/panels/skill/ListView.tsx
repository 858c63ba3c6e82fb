import { useRef, useState, type KeyboardEvent } from 'react';

import type { JsonValue, ListPart, PanelRest } from '../../ipc';
import { Button, count, Icon, Menu } from '../../shared';
import { listKeys } from '../../shared/list-keys';
import { ActionButton } from './ActionButton';
import { at, detailOf, fieldOf, offered, pathOf, rowHas, rowsAt, textOf, type Placed } from './answer';
import { ChangedMark, RowTitle } from './Cell';
import { usePanel } from './context';
import { Nothing, NotShown, Region, type Shown } from './Region';
import { MORE, useMore } from './useMore';
import { byText, dateText } from './words';

/** Entries by group; an entry's actions are shown below it on hover. */
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
  const [order, setOrder] = useState(0);
  const all = rowsAt(value, part.rows);
  const rows = all.filter(({ row }) => rowHas(row, filter));
  const sort = part.sorts[order];
  const groups = groupsOf(part, rows, sort?.by ?? null);
  return (
    <div data-list onKeyDown={listKeys}>
      <h2 className="flex items-baseline gap-2 px-4 pt-3.5 pb-1 text-ui font-semibold">
        {part.heading} <span className="text-small font-normal text-fg-3">{all.length}</span>
        {sort && part.sorts.length > 1 && (
          <Menu
            align="end"
            groups={[{ items: part.sorts.map(({ label }, place) => ({ label, checked: place === order, onSelect: () => setOrder(place) })) }]}
          >
            <button
              type="button"
              aria-label={`Order: ${sort.label}`}
              className="relative ml-auto flex items-center gap-1.5 rounded-control text-small font-normal whitespace-nowrap text-fg-2 after:absolute after:-inset-1 hover:text-fg"
            >
              {sort.label}
              <Icon name="chevron-down" size={12} />
            </button>
          </Menu>
        )}
      </h2>
      {rows.length === 0 && <Nothing empty={part.empty} fallback="Nothing here." />}
      {groups.map((group) => (
        // Expansion in one order does not apply to another.
        <Group key={`${order} ${group.label}`} part={part} group={group} />
      ))}
      <NotShown value={value} />
      {part.rest && <Rest rest={part.rest} value={value} />}
    </div>
  );
}

function Group({ part, group: { label, late, rows } }: { part: ListPart; group: Grouped }) {
  const box = useRef<HTMLDivElement>(null);
  const { most, show } = useMore(box, '[data-entry]');
  const left = rows.length - most;
  return (
    <div ref={box}>
      {label !== '' && (
        <h3 className={`px-4 pt-3 pb-1.5 text-meta font-semibold ${late ? 'text-danger' : 'text-fg-2'}`}>
          {label}
          {left > 0 && <span className="font-normal text-fg-3"> {count(rows.length)}</span>}
        </h3>
      )}
      <ul>
        {rows.slice(0, most).map((entry) => (
          <Entry key={entry.key} part={part} placed={entry} late={late || isLate(part, entry)} />
        ))}
      </ul>
      {left > 0 && (
        <Button variant="quiet" size="s" className="m-1.5" data-list-item="" onClick={show}>
          Show {Math.min(MORE, left)} more{label === '' ? '' : ` of ${label}`}
        </Button>
      )}
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
      data-list-item
      data-row={path ?? undefined}
      data-note-path={path ?? undefined}
      onKeyDown={openEntry}
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
          {offered(part.actions, row).map((action) => (
            <ActionButton key={action.label} action={action} row={row} size="s" />
          ))}
        </div>
      )}
    </li>
  );
}

/** "31 people without a date": the omitted rows, and where they are. */
function Rest({ rest, value }: { rest: PanelRest; value: JsonValue | null }) {
  const { openTab } = usePanel();
  const count = Number(textOf(at(value, rest.at)));
  if (!(count > 0)) return null;
  const text = `${count.toLocaleString('en')} ${count === 1 ? rest.one : rest.many}`;
  const look = 'flex w-full items-center gap-2 border-t border-line px-4 py-2 text-left text-ui text-fg-2';
  const { tab } = rest;
  if (tab === null) return <p className={look}>{text}</p>;
  return (
    <button type="button" aria-label={`${text}: show ${tab}`} className={`${look} outline-offset-[-2px] hover:bg-hover`} onClick={() => openTab(tab)}>
      <span className="flex-1">{text}</span>
      <Icon name="chevron-right" size={14} />
    </button>
  );
}

function isLate({ group, groups }: ListPart, { row }: Placed): boolean {
  return group !== null && groups.some(({ value, late }) => late && textOf(fieldOf(row, group)) === value);
}

interface Grouped {
  readonly label: string;
  readonly late: boolean;
  readonly rows: readonly Placed[];
}

/** The non-empty declared groups, then entries without one; a single unnamed group unless sorted by date. */
function groupsOf(part: ListPart, all: readonly Placed[], by: string | null): Grouped[] {
  const { group } = part;
  const field = by?.replace(/^-/, '') ?? null;
  const text = (placed: Placed) => textOf(fieldOf(placed.row, field ?? ''));
  const rows = field === null ? all : all.toSorted((a, b) => byText(text(a), text(b)) * (by?.startsWith('-') ? -1 : 1));
  if (group === null || (field !== null && field !== part.date)) return [{ label: '', late: false, rows }];
  const of = ({ row }: Placed) => textOf(fieldOf(row, group));
  const declared = part.groups.map(({ value, label, late }) => ({ label, late, rows: rows.filter((row) => of(row) === value) }));
  const others = rows.filter((row) => part.groups.every(({ value }) => of(row) !== value));
  return [...declared, { label: part.groups.length > 0 ? 'Other' : '', late: false, rows: others }].filter((one) => one.rows.length > 0);
}

/** Enter on an entry opens its note. */
function openEntry(event: KeyboardEvent<HTMLElement>): void {
  const entry = event.target as HTMLElement;
  if (event.key === 'Enter' && entry.matches('[data-entry]')) entry.querySelector<HTMLElement>('button')?.click();
}
