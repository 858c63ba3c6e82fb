import { act, screen, within } from '@testing-library/react';
import userEvent from '@testing-library/user-event';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';

import { EVENTS, listed, NOTES, open, setNow, TEAM, unsetNow } from './fixture';

beforeEach(setNow);
afterEach(unsetNow);

describe('a new event', () => {
  const write = async (fields: Record<string, string>) => {
    const rest = await open();
    rest.press('n');
    for (const [label, text] of Object.entries(fields)) {
      const field = screen.getByLabelText(label);
      await userEvent.clear(field);
      if (text !== '') await userEvent.type(field, text);
    }
    await userEvent.keyboard('{Enter}');
    return rest;
  };

  test('begins at the next hour, and its day may be given in words', async () => {
    const { asked } = await write({ Day: 'next friday', Place: 'Tessel', Title: 'Lunch with Ravi' });
    expect(asked('create_event')).toEqual([{ title: 'Lunch with Ravi', start: '2026-12-04T15:00', end: '2026-12-04T16:00', location: 'Tessel' }]);
  });

  test('without times it is all-day', async () => {
    const { asked } = await write({ From: '', To: '', Title: 'Fair' });
    expect(asked('create_event')).toEqual([{ title: 'Fair', start: '2026-11-23', end: '2026-11-23' }]);
  });

  test.each([
    [{ Title: '' }, 'Enter a title.'],
    [{ Day: 'someday', Title: 'A' }, '“someday” is not a date. Write it as 2026-11-30.'],
    [{ From: 'noon', Title: 'A' }, '“noon” is not a time. Write it as 09:30.'],
    [{ From: '', Title: 'A' }, 'Enter when it starts, or leave both times empty for the whole day.'],
  ])('with %j reports %s and loses nothing', async (fields: Record<string, string>, problem) => {
    const { asked } = await write(fields);
    expect(screen.getByRole('alert')).toHaveTextContent(problem);
    expect(screen.getByLabelText('Title')).toHaveValue(fields['Title']);
    expect(asked('create_event')).toEqual([]);
  });

  test('takes its day and time from its title', async () => {
    const { asked } = await write({ Title: 'Lunch with Ravi tomorrow 12:30' });
    expect(asked('create_event')).toEqual([{ title: 'Lunch with Ravi', start: '2026-11-24T12:30', end: '2026-11-24T13:30' }]);
  });

  test('shows what its title says, which the user can undo or change', async () => {
    const { press } = await open();
    press('n');
    await userEvent.type(screen.getByLabelText('Title'), 'Lunch tomorrow 12:30');
    expect(screen.getByTestId('understood')).toHaveTextContent('“tomorrow 12:30” is its day and time.');
    expect([screen.getByLabelText('Day'), screen.getByLabelText('From'), screen.getByLabelText('To')].map((field) => (field as HTMLInputElement).value)).toEqual(['2026-11-24', '12:30', '13:30']);
    await userEvent.clear(screen.getByLabelText('Day'));
    await userEvent.type(screen.getByLabelText('Day'), 'friday');
    expect(screen.getByText('Fri 27 Nov')).toBeVisible();
    await userEvent.click(screen.getByRole('button', { name: 'Keep in title' }));
    expect(screen.queryByTestId('understood')).toBeNull();
    expect([screen.getByLabelText('Title'), screen.getByLabelText('Day'), screen.getByLabelText('From')].map((field) => (field as HTMLInputElement).value)).toEqual(['Lunch tomorrow 12:30', 'friday', '15:00']);
  });

  test('names the events that it overlaps before it is saved', async () => {
    const declined = { ...EVENTS[3]!, title: 'Pitch', event: 'Team/p', answer: 'DECLINED' };
    const { press } = await open({ 'calendar.list_events': () => listed([...EVENTS, declined]) });
    press('n');
    await userEvent.type(screen.getByLabelText('Title'), 'Walk today 11:00-12:00');
    expect(await screen.findByText(/^Overlaps/)).toHaveTextContent(/^Overlaps Brightwater line 2 10:00, Interview 10:30$/);
    await userEvent.clear(screen.getByLabelText('Title'));
    await userEvent.type(screen.getByLabelText('Title'), 'Walk today 11:30-12:00');
    expect(screen.queryByText(/^Overlaps/)).toBeNull();
  });

  test('is drawn at the time that its form says', async () => {
    const { press } = await open();
    press('n');
    const drawn = () => screen.queryByTestId('planned-event')?.style.top;
    expect(drawn()).toBe('calc(var(--hour) * 15)');
    await userEvent.clear(screen.getByLabelText('From'));
    await userEvent.type(screen.getByLabelText('From'), '09:00');
    expect(drawn()).toBe('calc(var(--hour) * 9)');
    await userEvent.clear(screen.getByLabelText('Day'));
    await userEvent.type(screen.getByLabelText('Day'), 'tomorrow');
    expect(drawn()).toBeUndefined();
  });

  test('goes to the chosen calendar of a server, which invites people', async () => {
    const { asked, press } = await open({}, [NOTES, TEAM, { ...TEAM, calendar: 'Work', kind: 'caldav', read_only: false }]);
    press('n');
    expect(within(screen.getByRole('combobox', { name: 'Calendar' })).getAllByRole('option').map(({ textContent }) => textContent)).toEqual(['Notes', 'Work']);
    expect(screen.queryByLabelText('Invite')).toBeNull();
    await userEvent.selectOptions(screen.getByRole('combobox', { name: 'Calendar' }), 'Work');
    await userEvent.type(screen.getByLabelText('Invite'), 'ann@example.org, Ben <ben@example.org>');
    await userEvent.type(screen.getByLabelText('Title'), 'Kick-off');
    await userEvent.click(screen.getByRole('button', { name: 'Add and invite…' }));
    expect(asked('create_event')).toEqual([{ title: 'Kick-off', start: '2026-11-23T15:00', end: '2026-11-23T16:00', calendar: 'Work', attendees: ['ann@example.org', 'Ben <ben@example.org>'] }]);
  });

  test('of a note invites nobody, whatever was typed before', async () => {
    const { asked, press } = await open({}, [NOTES, { ...TEAM, calendar: 'Work', kind: 'caldav', read_only: false }]);
    press('n');
    await userEvent.selectOptions(screen.getByRole('combobox', { name: 'Calendar' }), 'Work');
    await userEvent.type(screen.getByLabelText('Invite'), 'ann@example.org');
    await userEvent.selectOptions(screen.getByRole('combobox', { name: 'Calendar' }), 'vault');
    await userEvent.type(screen.getByLabelText('Title'), 'Kick-off');
    await userEvent.click(screen.getByRole('button', { name: 'Add event' }));
    expect(asked('create_event')).toEqual([{ title: 'Kick-off', start: '2026-11-23T15:00', end: '2026-11-23T16:00' }]);
  });
});

describe('a new event that is filled in', () => {
  const fill = async (add: Parameters<Awaited<ReturnType<typeof open>>['store']['actions']['showInCalendar']>[1]['add']) => {
    const rest = await open();
    act(() => rest.store.actions.showInCalendar('calendar', { day: '2026-11-25', ...(add === undefined ? {} : { add }) }));
    await act(async () => {});
    const submit = () => userEvent.click(screen.getByRole('button', { name: 'Add event' }));
    return { ...rest, submit };
  };

  test('is shown on its day, and its title is taken literally', async () => {
    const { asked, submit, store } = await fill({ day: '2026-11-25', from: '12:00', to: '13:30', title: 'Lunch tomorrow 9:00', place: 'Tessel' });
    expect(screen.getByTestId('calendar-date')).toHaveTextContent('Wed 25 Nov');
    expect(store.get().app.panel.calendar).toBeNull();
    await submit();
    expect(asked('create_event')).toEqual([{ title: 'Lunch tomorrow 9:00', start: '2026-11-25T12:00', end: '2026-11-25T13:30', location: 'Tessel' }]);
  });

  test('of several days keeps its length when its day is changed', async () => {
    const { asked, submit } = await fill({ day: '2026-11-25', from: '', to: '', days: 2, title: 'Fair' });
    expect(screen.getByTestId('new-event')).toHaveTextContent('Wed 25 Nov to Fri 27 Nov');
    await userEvent.clear(screen.getByLabelText('Day'));
    await userEvent.type(screen.getByLabelText('Day'), '2026-12-01');
    await submit();
    expect(asked('create_event')).toEqual([{ title: 'Fair', start: '2026-12-01', end: '2026-12-03' }]);
  });

  test('recurs in its own zone, unless the user removes its rule', async () => {
    const weekly = { day: '2026-11-25', from: '09:00', to: '09:30', title: 'Call', rule: 'FREQ=WEEKLY;INTERVAL=2;BYDAY=WE', exceptions: true, zone: 'America/New_York' };
    const { asked, submit, store } = await fill(weekly);
    expect(screen.queryByTestId('planned-event')).toBeNull();
    expect(screen.getByTestId('new-event')).toHaveTextContent(/In the time zone America\/New_York.*Every 2 weeks.*Some dates differ from this rule/);
    await submit();
    expect(asked('create_event')).toEqual([{ title: 'Call', start: '2026-11-25T09:00', end: '2026-11-25T09:30', rrule: 'FREQ=WEEKLY;INTERVAL=2;BYDAY=WE', timezone: 'America/New_York' }]);
    act(() => store.actions.showInCalendar('calendar', { day: '2026-11-25', add: weekly }));
    await userEvent.click(await screen.findByRole('button', { name: 'Do not repeat it' }));
    await submit();
    expect(asked('create_event')[1]).not.toHaveProperty('rrule');
  });
});

test('an event that another part of the window asks for is opened', async () => {
  const { store } = await open();
  act(() => store.actions.showInCalendar('calendar', { day: '2026-11-23', event: 'vault Events/Brightwater.md' }));
  expect(await screen.findByTestId('event-sheet')).toHaveTextContent('Room 2');
});
