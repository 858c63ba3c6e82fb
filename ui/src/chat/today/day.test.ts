import { expect, test } from 'vitest';

import type { GlanceView, TodayRow, TodayView } from '../../ipc';
import { agesOf, type DayEvent, dueText, emptyDay, eventTimes, headingOf, isTicked, reduceDay, sectionKey, sectionsOf, shownDay, summaryOf } from './day';

const now = new Date('2026-11-23T14:10');

function row(text: string, more: Partial<TodayRow> = {}): TodayRow {
  return { text, detail: '', path: 'House.md', at: '', until: '', overdue: false, value: '', format: 'text', unit: '', mark: '', tick: null, ...more };
}

function view(title: string, rows: TodayRow[], more: Partial<TodayView> = {}): TodayView {
  return { title, skill: 'vault', icon: null, side: 'left', order: 1, rows, overdue: 0, total: [], fetched: [], panel: false, problem: null, ...more };
}

function glances(...views: TodayView[]): GlanceView[] {
  return views.map((today) => ({ skill: today.skill, name: today.skill, icon: null, late: false, ask: null, says: [], badge: [], today }));
}

const task = (text: string, at = '2026-11-23', overdue = false) => row(text, { at, overdue, tick: { tool: 'vault.complete_task', args: { path: 'House.md', text } } });

const after = (...events: DayEvent[]) => events.reduce(reduceDay, emptyDay);

const texts = (views: GlanceView[], state = emptyDay) =>
  sectionsOf(views, state, now).map(({ rows, fold }) => [...rows.map(({ row: { text }, tick }) => (isTicked(tick) ? `x ${text}` : text)), ...(fold === '' ? [] : [`> ${fold}`])]);

test('sections are ordered left before right; an empty one is absent', () => {
  const all = glances(view('Bills', [row('Rent')], { side: 'right' }), view('Tasks', [row('Call')], { order: 2 }), view('Events', [row('Dentist')]), view('Watchlist', []));
  expect(sectionsOf(all, emptyDay, now).map(({ view: { title } }) => title)).toEqual(['Events', 'Tasks', 'Bills']);
  expect(sectionsOf(glances(view('Tasks', [], { problem: 'A rule denies it.' })), emptyDay, now)).toHaveLength(1);
  expect(sectionsOf([{ ...glances(view('Tasks', []))[0]!, today: null }], emptyDay, now)).toEqual([]);
});

test('a section is collapsed after five rows, and past events are collapsed', () => {
  const tasks = view('Tasks', ['a', 'b', 'c', 'd', 'e', 'f', 'g'].map((text) => task(text)));
  expect(texts(glances(tasks))).toEqual([['a', 'b', 'c', 'd', 'e', '> 2 more']]);
  const open = after({ type: 'folded', section: sectionKey(tasks) });
  expect(texts(glances(tasks), open)[0]).toEqual(['a', 'b', 'c', 'd', 'e', 'f', 'g', '> 2 more']);
  expect(reduceDay(open, { type: 'folded', section: sectionKey(tasks) })).toEqual(emptyDay);
  const events = view('Events', [
    row('Standup', { at: '2026-11-23T09:00', until: '2026-11-23T09:15' }),
    row('Quarter close', { at: '2026-11-23', until: '2026-11-25' }),
    row('Terms', { at: '2026-11-23T14:00', until: '2026-11-23T15:00' }),
  ]);
  expect(texts(glances(events))).toEqual([['Quarter close', 'Terms', '> 1 earlier today']]);
});

const tasks = view('Tasks', [task('Quote', '2026-11-17', true), task('Lease'), task('Train')]);
const ticked: DayEvent = { type: 'ticked', section: sectionKey(tasks), row: tasks.rows[1]!, place: 1, run: 'r' };
const ended: DayEvent = { type: 'tick_ended', run: 'r', result: { ok: true, error: null, change_set: 'set' } };

test('a completed row keeps its position after a reload', () => {
  expect(texts(glances(tasks), after(ticked))).toEqual([['Quote', 'x Lease', 'Train']]);
  const read = glances({ ...tasks, rows: [tasks.rows[0]!, tasks.rows[2]!] });
  const done = after(ticked, ended, { type: 'read' });
  expect(texts(read, done)).toEqual([['Quote', 'x Lease', 'Train']]);
  expect(sectionsOf(read, done, now)[0]).toMatchObject({ left: 2, overdue: 1 });
  // Even if it was the last of its section.
  expect(texts(glances({ ...tasks, rows: [] }), done)).toEqual([['x Lease']]);
});

test('an undone completion is a normal row again, once', () => {
  const read = glances({ ...tasks, rows: [tasks.rows[0]!, tasks.rows[2]!] });
  const undone = after(ticked, ended, { type: 'undo_begun', run: 'r' }, { type: 'undo_ended', run: 'r', problem: null });
  expect(texts(read, undone)).toEqual([['Quote', 'Lease', 'Train']]);
  expect(texts(glances(tasks), undone)).toEqual([['Quote', 'Lease', 'Train']]);
  expect(reduceDay(undone, { type: 'read' })).toEqual(emptyDay);
  expect(texts(read, reduceDay(undone, { type: 'read' }))).toEqual([['Quote', 'Train']]);
});

test('a failed completion or undo says why and changes nothing', () => {
  const problem = { code: 'conflict', message: 'The note was edited.', hint: '' } as const;
  const failed = after(ticked, { type: 'tick_ended', run: 'r', result: { ok: false, error: problem, change_set: null } });
  expect(texts(glances(tasks), failed)).toEqual([['Quote', 'Lease', 'Train']]);
  expect(failed.ticks[0]).toMatchObject({ state: 'failed', problem });
  expect(texts(glances({ ...tasks, rows: [] }), failed)).toEqual([]);
  expect(reduceDay(failed, { ...ticked, run: 's' }).ticks).toHaveLength(1);
  const kept = after(ticked, ended, { type: 'undo_begun', run: 'r' }, { type: 'undo_ended', run: 'r', problem });
  expect(kept.ticks[0]).toMatchObject({ state: 'done', changeSet: 'set', problem });
});

test('the summary counts the rest of the day', () => {
  const events = view('Events', [row('Terms', { at: '2026-11-23T14:00', until: '2026-11-23T15:00' })]);
  const follow = view('Follow-ups', [row('Ilse', { overdue: true })], { side: 'right' });
  expect(summaryOf(sectionsOf(glances(events, tasks, follow), emptyDay, now))).toBe('1 event left, 3 tasks open, 2 overdue');
  expect(summaryOf([])).toBe('');
});

test.each([
  ['2026-11-17', true, '17 Nov'],
  ['2025-11-17', true, '17 Nov 2025'],
  ['2026-11-23', false, 'today'],
  ['2026-11-24', false, 'tomorrow'],
  ['2026-12-01', false, 'Tue 1 Dec'],
  ['soon', false, 'soon'],
  ['', false, ''],
])('a row of %s reads %s %s', (at, overdue, expected) => {
  expect(dueText(row('x', { at, overdue }), now)).toBe(expected);
});

test.each([
  ['2026-11-23T15:30', '2026-11-23T16:15', '15:30 45 min'],
  ['2026-11-23T14:00', '2026-11-23T15:00', 'now until 15:00'],
  ['2026-11-23T15:00', '2026-11-23T17:30', '15:00 2 h 30 min'],
  ['2026-11-22T20:00', '2026-11-24T08:00', 'now until 24 Nov'],
  ['2026-11-23', '2026-11-23', 'all day '],
  ['2026-11-23', '2026-11-25', 'all day until 25 Nov'],
])('an event from %s to %s reads "%s"', (at, until, expected) => {
  const times = eventTimes(row('x', { at, until }), now);
  expect(`${times?.begins} ${times?.lasts}`).toBe(expected);
});

test('a calendar fetched long ago shows its age', () => {
  const fetched = (at: string) => agesOf(view('Events', [], { fetched: [{ name: 'Team', at }] }), now);
  expect(fetched(new Date(now.getTime() - 3 * 3_600_000).toISOString())).toBe('Team: 3 h old');
  expect(fetched(new Date(now.getTime() - 72 * 3_600_000).toISOString())).toBe('Team: 3 days old');
  expect(fetched(now.toISOString())).toBe('');
  expect(fetched('never')).toBe('');
  expect(headingOf(now)).toBe('Monday 23 November');
});

test('an event that began on an earlier day is shown today', () => {
  expect(shownDay('2026-11-21', now)).toBe('2026-11-23');
  expect(shownDay('2026-11-23T15:30', now)).toBe('2026-11-23');
  expect(shownDay('2026-11-25', now)).toBe('2026-11-25');
});
