// State of the day's page: the visible rows of each section, and the user's completions. Pure.
import type { GlanceView, TodayRow, TodayView, ToolResult, UserError } from '../../ipc';
import { clockTime, dateText, dayText } from '../../shared/format';

/** Rows of a section before it is collapsed. */
export const MOST = 5;

/** A row completed here. It keeps its position, even after a reload. */
export interface Tick {
  readonly section: string;
  readonly row: TodayRow;
  /** Its index in the section. */
  readonly place: number;
  /** The run id of its call. */
  readonly run: string;
  readonly state: 'running' | 'done' | 'failed' | 'undoing' | 'undone';
  readonly changeSet: string | null;
  readonly problem: UserError | null;
}

export interface DayState {
  readonly ticks: readonly Tick[];
  /** Keys of expanded sections. */
  readonly open: readonly string[];
}

export const emptyDay: DayState = { ticks: [], open: [] };

export type DayEvent =
  | { readonly type: 'ticked'; readonly section: string; readonly row: TodayRow; readonly place: number; readonly run: string }
  | { readonly type: 'tick_ended'; readonly run: string; readonly result: Pick<ToolResult, 'ok' | 'error' | 'change_set'> }
  | { readonly type: 'undo_begun'; readonly run: string }
  | { readonly type: 'undo_ended'; readonly run: string; readonly problem: UserError | null }
  | { readonly type: 'read' }
  | { readonly type: 'folded'; readonly section: string };

export function reduceDay(state: DayState, event: DayEvent): DayState {
  const change = (run: string, part: Partial<Tick>) => ({ ...state, ticks: state.ticks.map((tick) => (tick.run === run ? { ...tick, ...part } : tick)) });
  switch (event.type) {
    case 'ticked': {
      const { section, row, place, run } = event;
      const others = state.ticks.filter((tick) => !isOf(tick, section, row));
      return { ...state, ticks: [...others, { section, row, place, run, state: 'running', changeSet: null, problem: null }] };
    }
    case 'tick_ended': {
      const { ok, error, change_set } = event.result;
      return change(event.run, ok ? { state: 'done', changeSet: change_set } : { state: 'failed', problem: error });
    }
    case 'undo_begun':
      return change(event.run, { state: 'undoing', problem: null });
    case 'undo_ended':
      return change(event.run, event.problem === null ? { state: 'undone' } : { state: 'done', problem: event.problem });
    case 'read': {
      const ticks = state.ticks.filter((tick) => tick.state !== 'undone');
      return ticks.length === state.ticks.length ? state : { ...state, ticks };
    }
    case 'folded': {
      const open = state.open.includes(event.section) ? state.open.filter((section) => section !== event.section) : [...state.open, event.section];
      return { ...state, open };
    }
  }
}

/** Identifies a section. */
export function sectionKey({ skill, title }: TodayView): string {
  return `${skill} ${title}`;
}

function rowKey({ path, text, at, tick }: TodayRow): string {
  return JSON.stringify([path, text, at, tick?.args['line']]);
}

function isOf(tick: Tick, section: string, row: TodayRow): boolean {
  return tick.section === section && rowKey(tick.row) === rowKey(row);
}

export interface ShownRow {
  readonly key: string;
  readonly row: TodayRow;
  readonly place: number;
  readonly tick: Tick | null;
}

export interface ShownSection {
  readonly key: string;
  readonly view: TodayView;
  readonly rows: readonly ShownRow[];
  /** Number of remaining rows, including collapsed ones, excluding past and completed ones. */
  readonly left: number;
  readonly overdue: number;
  /** "5 earlier today, 2 more"; empty if all rows are shown. */
  readonly fold: string;
  readonly open: boolean;
}

/** The non-empty sections in their order. */
export function sectionsOf(glances: readonly GlanceView[], state: DayState, now: Date): ShownSection[] {
  const views = glances.flatMap(({ today }) => (today === null ? [] : [today]));
  const ordered = views.toSorted((a, b) => Number(a.side === 'right') - Number(b.side === 'right') || a.order - b.order);
  return ordered.map((view) => shown(view, state, now)).filter(({ rows, fold, view: { problem } }) => rows.length > 0 || fold !== '' || problem !== null);
}

function shown(view: TodayView, state: DayState, now: Date): ShownSection {
  const key = sectionKey(view);
  const all = withTicks(view, key, state);
  const isOver = ({ row }: ShownRow) => row.until.includes('T') && new Date(row.until) <= now;
  const current = all.filter((row) => !isOver(row));
  const open = state.open.includes(key);
  const earlier = all.length - current.length;
  const more = Math.max(0, current.length - MOST);
  const fold = [earlier > 0 ? `${earlier} earlier today` : '', more > 0 ? `${more} more` : ''].filter((text) => text !== '').join(', ');
  const left = current.filter(({ tick }) => !isTicked(tick));
  return {
    key,
    view,
    rows: open ? all : current.slice(0, MOST),
    left: left.length,
    overdue: left.filter(({ row }) => row.overdue).length,
    fold,
    open,
  };
}

/** The loaded rows, with rows completed here at their positions. */
function withTicks(view: TodayView, key: string, { ticks }: DayState): ShownRow[] {
  const own = ticks.filter(({ section }) => section === key);
  const rows = view.rows.map((row) => ({ row, tick: own.find((tick) => isOf(tick, key, row)) ?? null }));
  const gone = own.filter(({ row, state }) => state !== 'failed' && !view.rows.some((read) => rowKey(read) === rowKey(row)));
  for (const tick of gone.toSorted((a, b) => a.place - b.place)) rows.splice(Math.min(tick.place, rows.length), 0, { row: tick.row, tick });
  return rows.map(({ row, tick }, place) => ({ key: rowKey(row), row, place, tick }));
}

export function isTicked(tick: Tick | null): boolean {
  return tick !== null && (tick.state === 'running' || tick.state === 'done' || tick.state === 'undoing');
}

/** "3 events left, 4 tasks open, 2 overdue" */
export function summaryOf(sections: readonly ShownSection[]): string {
  const parts = sections.flatMap(({ view, left }) => {
    if (left === 0) return [];
    const noun = view.title.toLowerCase().replace(/s$/, left === 1 ? '' : 's');
    if (view.rows.some(({ until }) => until !== '')) return [`${left} ${noun} left`];
    return view.rows.some(({ tick }) => tick !== null) ? [`${left} ${noun} open`] : [];
  });
  const overdue = sections.reduce((sum, section) => sum + section.overdue, 0);
  return [...parts, ...(overdue > 0 ? [`${overdue} overdue`] : [])].join(', ');
}

/** The due day at the end of a row: "17 Nov" if overdue, "today", "Thu 26 Nov". */
export function dueText({ at, overdue }: TodayRow, now: Date): string {
  if (at === '') return '';
  const day = dayOf(at);
  if (Number.isNaN(day.getTime())) return at;
  if (overdue) return dateText(day, now);
  const days = Math.round((day.getTime() - new Date(now.getFullYear(), now.getMonth(), now.getDate()).getTime()) / 86_400_000);
  return days === 0 ? 'today' : days === 1 ? 'tomorrow' : dayText(day, now);
}

export interface EventTimes {
  /** "15:30", "now", "all day" */
  readonly begins: string;
  readonly now: boolean;
  /** "45 min", "until 15:00" */
  readonly lasts: string;
}

/** The times of an event; `null` for a row that is not one. */
export function eventTimes({ at, until }: TodayRow, now: Date): EventTimes | null {
  if (until === '') return null;
  const today = dayString(now);
  if (!at.includes('T')) {
    return { begins: 'all day', now: false, lasts: until > today ? `until ${dateText(dayOf(until), now)}` : '' };
  }
  const [from, to] = [new Date(at), new Date(until)];
  if (from <= now && now < to) {
    const end = until.startsWith(today) ? clockTime(until) : dateText(to, now);
    return { begins: 'now', now: true, lasts: `until ${end}` };
  }
  const begins = at.startsWith(today) || dayString(from) === dayString(to) ? clockTime(at) : dateText(from, now);
  return { begins, now: false, lasts: lengthText(Math.round((to.getTime() - from.getTime()) / 60_000)) };
}

/** "45 min", "1 h 30 min" */
function lengthText(minutes: number): string {
  if (minutes <= 0) return '';
  const [hours, rest] = [Math.floor(minutes / 60), minutes % 60];
  return [hours > 0 ? `${hours} h` : '', rest > 0 ? `${rest} min` : ''].filter((text) => text !== '').join(' ');
}

/** "Team: 3 h old", for calendars fetched more than an hour ago. */
export function agesOf({ fetched }: TodayView, now: Date): string {
  const ages = fetched.flatMap(({ name, at }) => {
    const hours = Math.floor((now.getTime() - new Date(at).getTime()) / 3_600_000);
    if (!(hours >= 1)) return [];
    return [`${name}: ${hours < 48 ? `${hours} h` : `${Math.floor(hours / 24)} days`} old`];
  });
  return ages.join(', ');
}

const weekdays = ['Sunday', 'Monday', 'Tuesday', 'Wednesday', 'Thursday', 'Friday', 'Saturday'];
const months = ['January', 'February', 'March', 'April', 'May', 'June', 'July', 'August', 'September', 'October', 'November', 'December'];

/** "Monday 23 November" */
export function headingOf(now: Date): string {
  return `${weekdays[now.getDay()]} ${now.getDate()} ${months[now.getMonth()]}`;
}

/** The day on which to show an event: today if it began before. */
export function shownDay(at: string, now: Date): string {
  const [day, today] = [at.slice(0, 10), dayString(now)];
  return day < today ? today : day;
}

/** The local midnight of `2026-11-23` or `2026-11-23T15:30`. */
function dayOf(at: string): Date {
  return new Date(`${at.slice(0, 10)}T00:00`);
}

function dayString(date: Date): string {
  const two = (number: number) => String(number).padStart(2, '0');
  return `${date.getFullYear()}-${two(date.getMonth() + 1)}-${two(date.getDate())}`;
}
