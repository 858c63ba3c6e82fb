import { act, fireEvent, screen, within } from '@testing-library/react';
import userEvent from '@testing-library/user-event';
import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest';

import { violations } from '../../testing/axe';
import { answer } from '../../testing/panels';
import { box, EVENTS, failure, listed, NOTES, open, setNow, TEAM, unsetNow } from './fixture';

beforeEach(setNow);
afterEach(unsetNow);

describe('a day', () => {
  test('shows its events, all-day events, and the current time', async () => {
    const { asked } = await open();
    expect(asked('list_events')).toEqual([{ from: '2026-11-23', days: 7 }]);
    expect(screen.getByTestId('calendar-date')).toHaveTextContent('Mon 23 Nov');
    expect(box(/^Brightwater line 2 ?, 10:00–11:30 ?, Room 2 ?, Notes$/)).toBeVisible();
    expect(box(/^Team stand-up ?, .*Team, recurring, read only$/)).toBeVisible();
    expect(screen.getByTestId('whole-days')).toHaveTextContent('Quarter close, day 1 of 3');
    expect(screen.getByTestId('now-line')).toHaveTextContent('14:36');
    expect(screen.queryByRole('button', { name: /Dentist/ })).toBeNull();
    // The surrounding page is missing here.
    expect((await violations()).filter((one) => !/^(landmark-one-main|page-has-heading-one)/.test(one)).join('\n')).toBe('');
  });

  test('overlapping events are side by side', async () => {
    await open();
    const style = (name: RegExp) => box(name).parentElement!.style;
    expect([style(/^Brightwater/).left, style(/^Interview/).left]).toEqual(['0%', '50%']);
    expect(style(/^Quillon/).left).toBe('0%');
  });

  test('arrows, buttons, T and a date navigate', async () => {
    const { press } = await open();
    const date = () => screen.getByTestId('calendar-date').textContent;
    press('ArrowRight');
    press('ArrowRight');
    expect(date()).toBe('Wed 25 Nov');
    expect(box(/^Dentist/)).toBeVisible();
    press('t');
    expect(date()).toBe('Mon 23 Nov');
    await userEvent.click(screen.getByRole('button', { name: 'Previous day' }));
    expect(date()).toBe('Sun 22 Nov');
    press('g');
    await userEvent.click(within(await screen.findByRole('dialog', { name: 'Jump to a date' })).getByRole('button', { name: '2026-11-25' }));
    expect(date()).toBe('Wed 25 Nov');
  });

  test('a day that another part of the window asks for is shown once', async () => {
    const { press, store } = await open();
    press('w');
    act(() => store.actions.showInCalendar('calendar', { day: '2026-11-25' }));
    expect(screen.getByTestId('calendar-date')).toHaveTextContent('Wed 25 Nov');
    expect(store.get().app.panel.calendar).toBeNull();
    press('t');
    expect(screen.getByTestId('calendar-date')).toHaveTextContent('Mon 23 Nov');
  });

  test('keys are ignored in text fields, and with Ctrl', async () => {
    const { press } = await open();
    press('n');
    const title = screen.getByLabelText('Title');
    press('w', title);
    press('w', undefined, { ctrlKey: true });
    expect(screen.getByTestId('calendar-date')).toHaveTextContent('Mon 23 Nov');
  });

  test('arrows move between events, Enter opens the sheet, Esc closes it', async () => {
    const { press } = await open();
    press('ArrowDown');
    press('ArrowDown', document.activeElement as HTMLElement);
    press('ArrowDown', document.activeElement as HTMLElement);
    expect(document.activeElement).toHaveAccessibleName(/^Brightwater/);
    await userEvent.keyboard('{Enter}');
    const sheet = screen.getByTestId('event-sheet');
    expect(sheet).toHaveTextContent('today, 10:00–11:30');
    expect(sheet).toHaveTextContent('Room 2');
    expect(within(sheet).getByRole('list', { name: 'People' })).toHaveTextContent('Jane Doe');
    press('Escape', document.activeElement as HTMLElement);
    expect(screen.queryByTestId('event-sheet')).toBeNull();
  });

  test('the sheet shows the remaining time, and links to the note', async () => {
    const { store } = await open();
    await userEvent.click(box(/^Quillon/));
    expect(screen.getByTestId('event-sheet')).toHaveTextContent('now, 24 min left');
    await userEvent.click(screen.getByRole('button', { name: 'Actions for Quillon renewal terms' }));
    await userEvent.click(await screen.findByRole('menuitem', { name: 'Open note' }));
    expect(store.get().app.panel.note).toBe('Events/Quillon.md');
  });

  test('an empty day offers a new event', async () => {
    const { press } = await open();
    press('ArrowLeft');
    await act(async () => {});
    const empty = screen.getByTestId('calendar-empty');
    expect(empty).toHaveTextContent('Nothing on Sun 22 Nov. New event');
    await userEvent.click(within(empty).getByRole('button', { name: 'New event' }));
    expect(screen.getByTestId('new-event')).toBeVisible();
  });
});

describe('an event that the assistant proposes', () => {
  const propose = async () => {
    const rest = await open();
    await act(() => rest.store.actions.openSession('harborline'));
    const args = { title: 'Kick-off, preparation', start: '2026-11-23T16:30', end: '2026-11-23T17:00' };
    const of = { session: 'harborline' };
    act(() => {
      rest.backend.emit({ type: 'tool_call_started', call: 'p', tool: 'calendar.create_event', args, effect: 'write', principal: { kind: 'user', name: 'you' } }, of);
      rest.backend.emit({ type: 'approval_requested', call: 'p', args, decisions: ['once', 'deny'], question: 'Add 1 event?', editable: false, diff: null, host: null, revision: 1, mid_run: false }, of);
    });
    return rest;
  };

  test('is drawn until its card is answered, and opens the card', async () => {
    const { asked, backend, press, store } = await propose();
    const proposed = box(/^Kick-off, preparation ?, 16:30 ?, Notes, waits for your answer$/);
    expect(proposed).toHaveClass('border-dashed');
    await userEvent.click(proposed);
    expect(screen.queryByTestId('event-sheet')).toBeNull();
    expect(asked('get_event')).toEqual([]);
    expect(store.get().app.panel.wide).toBe(false);
    press(' ', proposed);
    expect(screen.getByText('Kick-off, preparation waits for your answer.')).toBeInTheDocument();
    act(() => backend.emit({ type: 'approval_decided', call: 'p', decision: 'deny', by: 'user', reason: null }, { session: 'harborline' }));
    expect(screen.queryByRole('button', { name: /^Kick-off, preparation/ })).toBeNull();
  });
});

describe('calendars', () => {
  test('an outdated one shows its age, and a click hides its events', async () => {
    await open();
    const team = screen.getByRole('button', { name: 'Team, 4 h old' });
    await userEvent.click(team);
    expect(team).toHaveAttribute('aria-pressed', 'false');
    expect(screen.queryByRole('button', { name: /^Team stand-up/ })).toBeNull();
    await userEvent.click(team);
    expect(box(/^Team stand-up/)).toBeVisible();
  });

  test('one that cannot be read says why, and is refetched by a click', async () => {
    const problems = [{ calendar: 'Team', problem: 'Team was never fetched', remedy: 'Fetch it.' }];
    const fetched = answer({ calendars: [{ calendar: 'Team', problem: 'The server of Team answers with status 500.', fetched: null }] });
    const { asked } = await open({ 'calendar.refresh_calendars': () => fetched }, [NOTES, { ...TEAM, fetched: null, problems }]);
    expect(screen.getByText(/Team was never fetched\./)).toHaveTextContent('Fetch it.');
    await userEvent.click(screen.getByRole('button', { name: 'Try again' }));
    expect(asked('refresh_calendars')).toHaveLength(1);
    expect(screen.getByText(/The server of Team answers with status 500\./)).toBeVisible();
    expect(box(/^Brightwater/)).toBeVisible();
  });

  test('offline, fetched events stay, with their time', async () => {
    vi.spyOn(navigator, 'onLine', 'get').mockReturnValue(false);
    await open();
    expect(screen.getByText(/^Offline\. Shown as of .*\(Team\)\.$/)).toBeVisible();
    expect(box(/^Team stand-up/)).toBeVisible();
  });

  test('without one there is a way to add one', async () => {
    const { store } = await open({}, []);
    await userEvent.click(screen.getByRole('button', { name: 'Add one' }));
    expect(store.get().app.view).toEqual({ kind: 'settings', page: 'skills', skill: 'calendar' });
  });

  test('the hour lines are shown while loading', async () => {
    await open({ 'calendar.list_events': () => new Promise(() => {}) });
    expect(screen.getByRole('status', { name: 'Reading the calendar' })).toBeInTheDocument();
    expect(screen.getByText('12:00')).toBeInTheDocument();
    expect(screen.queryByTestId('calendar-empty')).toBeNull();
  });

  test('a failed load says why, and is retried by a click', async () => {
    let tries = 0;
    await open({ 'calendar.list_events': () => ((tries += 1) === 1 ? failure('The folder is gone.') : listed()) });
    expect(screen.getByRole('alert')).toHaveTextContent('The folder is gone.');
    await userEvent.click(screen.getByRole('button', { name: 'Try again' }));
    expect(box(/^Brightwater/)).toBeVisible();
  });

  test('an unreadable event is never silently missing', async () => {
    const problems = [{ event: 'Events/Broken.md', calendar: 'vault', line: 3, problem: 'date is not a date', remedy: 'Write it as 2026-11-24.' }];
    await open({ 'calendar.list_events': () => listed(EVENTS, { problems }) });
    expect(screen.getByRole('region', { name: 'Problems' })).toHaveTextContent('Broken: date is not a date (line 3). Write it as 2026-11-24.');
  });

  test('invisible characters in titles are shown', async () => {
    const hidden = [{ ...EVENTS[2]!, title: 'Pay\u202eolleH' }];
    await open({ 'calendar.list_events': () => listed(hidden) });
    expect(screen.getByText('U+202E')).toBeVisible();
  });
});

describe('weeks and months', () => {
  test('a week shows seven days, and each opens', async () => {
    const { press } = await open();
    press('w');
    expect(screen.getByTestId('calendar-date')).toHaveTextContent('23–29 Nov');
    expect(screen.getAllByRole('list', { name: /^\w{3} \d+ Nov$/ })).toHaveLength(7);
    await userEvent.click(screen.getByRole('button', { name: 'Open Wed 25 Nov' }));
    expect(screen.getByTestId('calendar-date')).toHaveTextContent('Wed 25 Nov');
    expect(box(/^Dentist/)).toBeVisible();
  });

  test('a month shows three titles per day and counts the rest', async () => {
    const { press, asked } = await open();
    press('m');
    await act(async () => {});
    expect(asked('list_events').map((args) => (args as { from: string }).from)).toEqual(['2026-11-23', '2026-10-26', '2026-11-02', '2026-11-09', '2026-11-16', '2026-11-30']);
    const day = screen.getByRole('button', { name: /^Open Mon 23 Nov/ });
    expect(day).toHaveAccessibleName('Open Mon 23 Nov, Quarter close, Team stand-up, Brightwater line 2, Interview, Quillon renewal terms');
    expect(day).toHaveTextContent('2 more');
    await userEvent.click(day);
    expect(screen.getByRole('radio', { name: 'Day' })).toBeChecked();
  });
});

describe('moving', () => {
  /** 1 px per minute. */
  const measured = () => {
    vi.spyOn(HTMLElement.prototype, 'getBoundingClientRect').mockReturnValue({ top: 0, height: 1440, left: 0, right: 300, width: 300, bottom: 1440, x: 0, y: 0, toJSON: () => ({}) });
    vi.stubGlobal('PointerEvent', MouseEvent);
  };
  const drag = async (element: HTMLElement, from: number, to: number) => {
    fireEvent.pointerDown(element, { button: 0, buttons: 1, clientX: 10, clientY: from });
    fireEvent.pointerMove(element, { buttons: 1, clientX: 10, clientY: to });
    await act(async () => void fireEvent.pointerUp(element));
    fireEvent.click(element);
  };
  afterEach(() => vi.restoreAllMocks());

  test('an event is dragged to another time, and undone', async () => {
    measured();
    const { asked, backend } = await open();
    await drag(box(/^Interview/), 640, 703);
    expect(asked('update_event')).toEqual([{ event: 'Events/Interview.md', start: '2026-11-23T11:30' }]);
    const bar = screen.getByTestId('undo-bar');
    expect(bar).toHaveTextContent('Moved Interview to 11:30');
    // The end of a drag is not a click.
    expect(screen.queryByTestId('event-sheet')).toBeNull();
    act(() => box(/^Interview/).focus());
    await userEvent.keyboard('{Enter}');
    expect(screen.getByTestId('event-sheet')).toBeVisible();
    await userEvent.click(within(bar).getByRole('button', { name: 'Undo' }));
    expect(backend.asked('undo_changes')).toEqual([{ change_set: 'set-1' }]);
  });

  test('dragging its lower edge changes its end', async () => {
    measured();
    const { asked } = await open();
    const edge = box(/^Interview/).querySelector<HTMLElement>('[data-stretch]')!;
    await drag(edge, 690, 720);
    expect(asked('update_event')).toEqual([{ event: 'Events/Interview.md', end: '2026-11-23T12:00' }]);
  });

  test('a recurring one moves as a whole, by its time of day', async () => {
    measured();
    const { asked } = await open();
    await drag(box(/^Quillon/), 850, 910);
    expect(asked('update_event')).toEqual([{ event: 'Events/Quillon.md', start: '15:00' }]);
    expect(screen.getByTestId('undo-bar')).toHaveTextContent('Moved every Quillon renewal terms to 15:00');
  });

  test('an event of a read-only calendar stays', async () => {
    measured();
    const { asked, press } = await open();
    await drag(box(/^Team stand-up/), 520, 600);
    press(' ', box(/^Team stand-up/));
    expect(screen.getByText('Team is read only.')).toBeInTheDocument();
    expect(asked('update_event')).toEqual([]);
  });

  test('a time in another zone is written in that zone', async () => {
    measured();
    const board = [{ ...EVENTS[3]!, there: '2026-11-23 05:30 America/New_York' }];
    const { asked } = await open({
      'calendar.list_events': () => listed(board),
      'calendar.get_event': () => answer({ fields: { timezone: 'America/New_York' } }),
    });
    await drag(box(/^Interview/), 640, 700);
    expect(asked('update_event')).toEqual([{ event: 'Events/Interview.md', start: '2026-11-23T06:30' }]);
  });

  test('a refused move is reverted, with the reason', async () => {
    measured();
    await open({ 'calendar.update_event': () => failure('The note changed meanwhile.') });
    await drag(box(/^Interview/), 640, 700);
    expect(screen.getByTestId('call-failed')).toHaveTextContent('Move Interview to 11:30: The note changed meanwhile.');
    expect(box(/^Interview ?, 10:30–11:30/)).toBeVisible();
  });

  test('Space picks up, arrows move, Space drops; Esc cancels', async () => {
    const { asked, press } = await open();
    const interview = box(/^Interview/);
    press(' ', interview);
    press('ArrowDown', interview);
    press('ArrowDown', interview);
    expect(screen.getByText('11:00 to 12:00')).toBeInTheDocument();
    press('Escape', interview);
    expect(screen.getByText('Interview is back at 10:30.')).toBeInTheDocument();
    expect(asked('update_event')).toEqual([]);
    press(' ', interview);
    press('ArrowUp', interview);
    await act(async () => void press(' ', interview));
    expect(asked('update_event')).toEqual([{ event: 'Events/Interview.md', start: '2026-11-23T10:15' }]);
  });

  test('Shift and arrows resize', async () => {
    const { asked, press } = await open();
    const interview = box(/^Interview/);
    press(' ', interview);
    press('ArrowDown', interview, { shiftKey: true });
    press('ArrowDown', interview, { shiftKey: true });
    await act(async () => void press(' ', interview));
    expect(asked('update_event')).toEqual([{ event: 'Events/Interview.md', end: '2026-11-23T12:00' }]);
  });

  test('an all-day event is dragged to another day of the week', async () => {
    vi.stubGlobal('PointerEvent', MouseEvent);
    const { asked, press } = await open();
    press('w');
    const days = [...screen.getByTestId('whole-days').querySelectorAll<HTMLElement>('[data-day]')];
    days.forEach((day, at) => vi.spyOn(day, 'getBoundingClientRect').mockReturnValue({ left: 100 * at, right: 100 * at + 100, top: 0, height: 20, width: 100, bottom: 20, x: 0, y: 0, toJSON: () => ({}) }));
    const close = within(days[0]!).getByRole('button', { name: /^Quarter close/ });
    fireEvent.pointerDown(close, { button: 0, buttons: 1, clientX: 50, clientY: 5 });
    fireEvent.pointerMove(close, { buttons: 1, clientX: 250, clientY: 9 });
    await act(async () => void fireEvent.pointerUp(close));
    expect(asked('update_event')).toEqual([{ event: 'Events/Close.md', start: '2026-11-25' }]);
    expect(screen.getByTestId('undo-bar')).toHaveTextContent('Moved Quarter close to Wed 25 Nov');
    expect(screen.queryByTestId('event-sheet')).toBeNull();
  });

  test('an all-day event moves and resizes by keys, day by day', async () => {
    const { asked, press } = await open();
    const close = box(/^Quarter close/);
    press(' ', close);
    press('ArrowRight', close);
    expect(screen.getByText('tomorrow to Thu 26 Nov', { selector: '[role=status]' })).toBeInTheDocument();
    press('Escape', close);
    expect(asked('update_event')).toEqual([]);
    press(' ', close);
    press('ArrowLeft', close, { shiftKey: true });
    await act(async () => void press(' ', close));
    expect(asked('update_event')).toEqual([{ event: 'Events/Close.md', end: '2026-11-24' }]);
    expect(screen.getByTestId('undo-bar')).toHaveTextContent('Set the last day of Quarter close to Tue 24 Nov');
  });

  test('a recurring all-day event stays, and says how to change it', async () => {
    const { asked, press } = await open({ 'calendar.list_events': () => listed([{ ...EVENTS[0]!, recurs: true }]) });
    press(' ', box(/^Quarter close/));
    expect(screen.getByText('Quarter close recurs. Edit it to change its days.')).toBeInTheDocument();
    expect(asked('update_event')).toEqual([]);
  });

  test('dragging over free hours begins a new event', async () => {
    measured();
    const { asked } = await open();
    await drag(screen.getByRole('list', { name: 'Mon 23 Nov' }), 990, 1035);
    const form = screen.getByTestId('new-event');
    expect(within(form).getByLabelText('From')).toHaveValue('16:30');
    await userEvent.type(within(form).getByLabelText('Title'), 'Harborline kick-off');
    await userEvent.click(within(form).getByRole('button', { name: 'Add event' }));
    expect(asked('create_event')).toEqual([{ title: 'Harborline kick-off', start: '2026-11-23T16:30', end: '2026-11-23T17:15' }]);
    expect(screen.queryByTestId('new-event')).toBeNull();
    expect(screen.getByTestId('undo-bar')).toHaveTextContent('Added Harborline kick-off');
  });
});
