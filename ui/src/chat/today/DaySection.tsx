import type { TodayRow } from '../../ipc';
import { Icon, iconOf, LinkButton, skillIcon } from '../../shared';
import { moneyText } from '../../shared/amount';
import { revealed } from '../../shared/invisible';
import { useActions, useApp } from '../../state/hooks';
import { DayRow } from './DayRow';
import { agesOf, shownDay, type ShownSection } from './day';
import type { Ticks } from './useTicks';

/** One skill's section of the day. */
export function DaySection({ section, now, ticks }: { section: ShownSection; now: Date; ticks: Ticks }) {
  const { view, rows, fold, open, key } = section;
  const { openNote, showInCalendar } = useActions();
  const hasCalendar = useApp((app) => view.panel && app.skillPanels.some(({ skill }) => skill === view.skill));
  const opening = ({ path, until, at }: TodayRow) => {
    if (path !== null) return () => openNote(path);
    // An event of a server has no note.
    return until !== '' && hasCalendar ? () => showInCalendar(view.skill, { day: shownDay(at, now) }) : null;
  };
  return (
    <section aria-label={view.title}>
      <Head section={section} now={now} />
      {view.problem !== null && <p className="py-1.5 text-small text-danger">{revealed(view.problem)}</p>}
      <ul>
        {rows.map((shown) => (
          <DayRow key={shown.key} shown={shown} now={now} onOpen={opening(shown.row)} onTick={() => ticks.tick(key, shown.row, shown.place)} onUndo={ticks.undo} />
        ))}
      </ul>
      {fold !== '' && (
        <button
          type="button"
          data-list-item=""
          aria-expanded={open}
          onClick={() => ticks.send({ type: 'folded', section: key })}
          className="flex h-7.5 w-full items-center gap-2 border-t border-line text-left text-small text-fg-2 outline-offset-[-2px] hover:bg-hover short:h-7"
        >
          <Icon name={open ? 'chevron-up' : 'chevron-right'} size={12} /> {open ? 'Show less' : fold}
        </button>
      )}
    </section>
  );
}

function Head({ section: { view, left, overdue }, now }: { section: ShownSection; now: Date }) {
  const panel = useApp((app) => app.skillPanels.find(({ skill }) => skill === view.skill));
  const { setPanel } = useActions();
  const ages = agesOf(view, now);
  const state = view.rows.some(({ until }) => until !== '') ? ' left' : view.rows.some(({ tick }) => tick !== null) ? ' open' : '';
  return (
    <h3 className="flex h-7.5 items-center gap-2 border-b border-line text-small short:h-7">
      <Icon name={iconOf(view.icon) ?? skillIcon(view.skill)} size={14} />
      <span className="font-semibold">{view.title}</span>
      {view.total.length > 0 ? (
        <Total section={view} />
      ) : (
        left > 0 && (
          <span className="tabular font-normal text-fg-3">
            {left}
            {state}
          </span>
        )
      )}
      {overdue > 0 && <span className="tabular font-normal text-danger">{overdue} overdue</span>}
      {ages !== '' && <span className="cut font-normal text-warn">{revealed(ages)}</span>}
      {view.panel && panel && (
        <LinkButton className="ml-auto font-normal" onClick={() => setPanel({ open: true, tab: `skill:${view.skill}` })}>
          Open {panel.name}
        </LinkButton>
      )}
    </h3>
  );
}

/** The sum of the rows, and the number of notes in it. */
function Total({ section: { total, rows } }: { section: ShownSection['view'] }) {
  const notes = new Set(rows.flatMap(({ path }) => (path === null ? [] : [path]))).size;
  return (
    <span className="tabular inline-flex items-center rounded-badge bg-accent-soft px-1.5 font-normal text-accent">
      <span className="font-medium">{total.map(({ value, unit }) => moneyText({ amount: value, currency: unit })).join(' + ')}</span>
      <span className="ml-1.5 border-l border-accent-line pl-1.5">
        {notes} {notes === 1 ? 'note' : 'notes'}
      </span>
    </span>
  );
}
