import { act, screen } from '@testing-library/react';
import userEvent from '@testing-library/user-event';
import { afterEach, describe, expect, test, vi } from 'vitest';

import type { JsonValue } from '../../ipc';
import { answer, panelOf } from '../../testing/panels';
import { mailRead } from '../../testing/sample/mail-panel';
import { open, rows } from './fixture';
import { readIn } from './messages';
import { existingIn, newEventOf } from './useAddToCalendar';

afterEach(() => vi.unstubAllGlobals());

const calendar = panelOf('calendar', 'Calendar', [{ parts: [{ kind: 'calendar', tool: 'list_events', args: {} }] }]);

const LUNCH = { uid: '7@home.example', title: 'Lunch with Ravi', start: '2026-12-01T12:00', end: '2026-12-01T13:30', location: 'Tessel', method: 'request' };

const withEvent = (event: JsonValue) => answer({ ...mailRead, attachments: [{ name: 'invitation.ics', type: 'text/calendar', bytes: 400, kind: 'calendar', event }] });

/** The panel with an opened message that has this event; `events` are those of the calendar around its day. */
async function show({ event = LUNCH as JsonValue, events = [] as JsonValue[], beside = [calendar], list = () => answer({ zone: 'Europe/Lisbon', events }) } = {}) {
  const shown = await open({ answers: { 'mail.show': () => withEvent(event), 'calendar.list_events': list }, beside });
  await userEvent.click(rows()[0]!);
  await act(async () => {});
  return shown;
}

const button = () => screen.getByRole('button', { name: 'Add Lunch with Ravi to calendar' });

describe('an attached event', () => {
  test('opens the form of a new event, filled in', async () => {
    const { asked, store } = await show();
    await userEvent.click(button());
    expect(asked('calendar.list_events')[0]).toEqual({ from: '2026-11-30', days: 3 });
    expect(store.get().app.panel.tab).toBe('skill:calendar');
    await screen.findByTestId('new-event');
    expect(['Title', 'Day', 'From', 'To', 'Place'].map((label) => (screen.getByLabelText(label) as HTMLInputElement).value)).toEqual(['Lunch with Ravi', '2026-12-01', '12:00', '13:30', 'Tessel']);
    expect(asked('calendar.create_event')).toEqual([]);
  });

  test('that a calendar has is opened there', async () => {
    const filed = { title: 'Renamed', start: '2026-12-01T12:00', end: '2026-12-01T13:30', event: 'Team/7@home.example', calendar: 'Team' };
    await show({ events: [filed] });
    await userEvent.click(button());
    expect(await screen.findByTestId('event-sheet')).toHaveAccessibleName('Renamed');
    expect(screen.queryByTestId('new-event')).toBeNull();
  });

  test('still opens the form if the calendar cannot be read', async () => {
    await show({ list: () => ({ ...answer(null), ok: false, error: { code: 'tool_failed', message: 'No.', hint: '' } }) });
    await userEvent.click(button());
    expect(await screen.findByLabelText('Title')).toHaveValue('Lunch with Ravi');
  });

  test('of a file with several is the first of them', async () => {
    await show({ event: { ...LUNCH, more_events: 2 } });
    expect(button()).toHaveTextContent('Add the first event to calendar');
    expect(screen.getByRole('list', { name: 'Attachments' })).toHaveTextContent('3 events');
  });

  test('has no button without a calendar', async () => {
    await show({ beside: [] });
    expect(screen.getByText('invitation.ics')).toBeVisible();
    expect(screen.queryByRole('button', { name: /to calendar$/ })).toBeNull();
  });

  test.each([
    ['a cancelled event', { ...LUNCH, cancelled: true }],
    ['a cancellation', { ...LUNCH, method: 'cancel' }],
    ['an answer', { ...LUNCH, method: 'reply' }],
    ['a broken time', { ...LUNCH, start: 'tomorrow' }],
    ['another value', 'event'],
  ])('is not offered for %s', async (_, event: JsonValue) => {
    await show({ event });
    expect(screen.queryByRole('button', { name: /to calendar$/ })).toBeNull();
  });
});

const eventOf = (event: JsonValue) => readIn(withEvent(event).value)!.attachments[0]!.event!;
const listed = { key: 'k', id: 'Events/Lunch.md', title: 'Lunch with Ravi', start: '2026-12-01T12:00', end: '2026-12-01T13:00', wholeDay: false, calendar: 'vault', location: null, recurs: false, answer: null, there: null };

test('an event that was added before is the same by its title and start', () => {
  expect(existingIn([listed], eventOf(LUNCH))).toBe(listed);
  expect(existingIn([{ ...listed, title: 'Lunch' }], eventOf(LUNCH))).toBeUndefined();
  expect(existingIn([{ ...listed, start: '2026-12-01T12:30' }], eventOf(LUNCH))).toBeUndefined();
  expect(existingIn([listed], eventOf({ ...LUNCH, timezone: 'America/New_York' }))).toBeUndefined();
});

test('whole days and recurring events are filled in as such', () => {
  expect(newEventOf(eventOf({ ...LUNCH, start: '2026-12-01', end: '2026-12-03' }))).toMatchObject({ day: '2026-12-01', from: '', to: '', days: 2 });
  expect(newEventOf(eventOf({ ...LUNCH, timezone: 'America/New_York', rrule: 'FREQ=WEEKLY', exceptions: true }))).toMatchObject({ zone: 'America/New_York', rule: 'FREQ=WEEKLY', exceptions: true });
});
