import { act, screen, waitFor, within } from '@testing-library/react';
import userEvent from '@testing-library/user-event';
import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest';

import type { JsonValue } from '../../ipc';
import { answer } from '../../testing/panels';
import { box, failure, listed, NOTES, open, setNow, unsetNow, written } from './fixture';

beforeEach(setNow);
afterEach(unsetNow);

describe('an event of a server', () => {
  const WORK = { calendar: 'Work', kind: 'caldav', read_only: false, events: 1, fetched: '2026-11-23T14:30:00Z', problems: [] };
  const KICKOFF = { title: 'Kick-off', start: '2026-11-23T16:00', end: '2026-11-23T17:00', event: 'Work/k', calendar: 'Work' };
  const people = [
    { name: 'Boss', address: 'boss@example.org', answer: 'ACCEPTED' },
    { name: null, address: 'noor@example.org', answer: 'NEEDS-ACTION' },
  ];
  const openOne = async (event: Record<string, JsonValue>, detail: Record<string, JsonValue>) => {
    const rest = await open({ 'calendar.list_events': () => listed([event]), 'calendar.get_event': () => answer(detail) }, [NOTES, WORK]);
    await userEvent.click(box(/^Kick-off/));
    return { ...rest, sheet: within(screen.getByTestId('event-sheet')) };
  };

  test('can be answered if it is an invitation', async () => {
    const invitation = { organizer: 'boss@example.org', answer: 'NEEDS-ACTION' };
    const { asked, sheet } = await openOne({ ...KICKOFF, answer: 'NEEDS-ACTION' }, { attendees: people, invitation });
    expect(box(/^Kick-off ?, .*Work, not answered$/)).toHaveClass('border-dashed');
    const answers = within(sheet.getByRole('group', { name: 'Answer boss@example.org' }));
    await userEvent.click(answers.getByRole('button', { name: 'Maybe' }));
    expect(asked('respond')).toEqual([{ event: 'Work/k', organizer: 'boss@example.org', answer: 'tentative' }]);
  });

  test('is struck through if it was declined, and can still be accepted', async () => {
    const invitation = { organizer: 'boss@example.org', answer: 'DECLINED' };
    const { asked, sheet } = await openOne({ ...KICKOFF, answer: 'DECLINED' }, { attendees: people, invitation });
    expect(within(box(/^Kick-off ?, .*Work, declined$/)).getByText('Kick-off')).toBeVisible();
    expect(box(/^Kick-off/).querySelector('.line-through')).toHaveTextContent('Kick-off');
    expect(sheet.getByRole('button', { name: 'Decline' })).toHaveAttribute('aria-pressed', 'true');
    await userEvent.click(sheet.getByRole('button', { name: 'Accept' }));
    expect(asked('respond')).toEqual([{ event: 'Work/k', organizer: 'boss@example.org', answer: 'accept' }]);
  });

  test('can be answered if only one instance of its series is an invitation', async () => {
    const organizer = { name: null, address: 'boss@example.org', answer: null };
    const { sheet } = await openOne({ ...KICKOFF, recurs: true, answer: 'TENTATIVE' }, { organizer });
    const answers = within(sheet.getByRole('group', { name: 'Answer boss@example.org' }));
    expect(answers.getByRole('button', { name: 'Maybe' })).toHaveAttribute('aria-pressed', 'true');
    expect(answers.getByText('for all its days')).toBeVisible();
  });

  test('without an invitation cannot be answered, although it has an organizer', async () => {
    const { sheet } = await openOne(KICKOFF, { organizer: { name: null, address: 'boss@example.org', answer: null } });
    expect(sheet.queryByRole('group', { name: /^Answer/ })).toBeNull();
  });

  test('shows the given answer', async () => {
    const { sheet } = await openOne({ ...KICKOFF, answer: 'ACCEPTED' }, { attendees: people, invitation: { organizer: 'boss@example.org', answer: 'ACCEPTED' } });
    expect(box(/^Kick-off/)).not.toHaveClass('border-dashed');
    expect(sheet.getByRole('button', { name: 'Accept' })).toHaveAttribute('aria-pressed', 'true');
    expect(sheet.getByRole('button', { name: 'Decline' })).toHaveAttribute('aria-pressed', 'false');
  });

  test('loses one instance, which is named by its start', async () => {
    const { asked, sheet } = await openOne({ ...KICKOFF, recurs: true }, {});
    await userEvent.click(sheet.getByRole('button', { name: 'Actions for Kick-off' }));
    await userEvent.click(screen.getByRole('menuitem', { name: 'Skip this day' }));
    await act(async () => {});
    expect(asked('delete_event')).toEqual([{ event: 'Work/k', date: '2026-11-23T16:00' }]);
  });

  test('is changed and deleted, naming everyone who is notified', async () => {
    const { asked, sheet, press } = await openOne(KICKOFF, { attendees: people });
    expect(sheet.queryByRole('group')).toBeNull();
    const kickoff = box(/^Kick-off/);
    press(' ', kickoff);
    press('ArrowDown', kickoff);
    await act(async () => void press(' ', kickoff));
    const notify = ['boss@example.org', 'noor@example.org'];
    expect(asked('update_event')).toEqual([{ event: 'Work/k', start: '2026-11-23T16:15', notify }]);
    await userEvent.click(sheet.getByRole('button', { name: 'Actions for Kick-off' }));
    await userEvent.click(screen.getByRole('menuitem', { name: 'Delete event' }));
    await act(async () => {});
    expect(asked('delete_event')).toEqual([{ event: 'Work/k', notify }]);
  });

  describe('of a series', () => {
    const SERIES = { ...KICKOFF, recurs: true };
    /** Moves it by these keys and drops it. */
    const drop = async (events: Record<string, JsonValue>[], keys: [string, object?][]) => {
      const rest = await open({ 'calendar.list_events': () => listed(events), 'calendar.get_event': () => answer({}) }, [NOTES, WORK]);
      const kickoff = screen.getAllByRole('button', { name: /^Kick-off/ }).at(-1)!;
      rest.press(' ', kickoff);
      for (const [key, more] of keys) rest.press(key, kickoff, more);
      await act(async () => void rest.press(' ', kickoff));
      return { ...rest, question: within(screen.getByTestId('series-question')) };
    };

    test('asks whether one or all are moved, by keys alone', async () => {
      const { asked, question } = await drop([SERIES], [['ArrowDown']]);
      expect(question.getByRole('heading')).toHaveTextContent('Move Kick-off to 16:15?');
      expect(asked('update_event')).toEqual([]);
      expect(question.getByRole('button', { name: 'This one' })).toHaveFocus();
      await userEvent.keyboard('{Enter}');
      expect(asked('update_event')).toEqual([{ event: 'Work/k', date: '2026-11-23T16:00', start: '2026-11-23T16:15' }]);
      await waitFor(() => expect(box(/^Kick-off/)).toHaveFocus());
    });

    test('moves all of them by as much as this one', async () => {
      const { asked, question } = await drop([SERIES], [['ArrowDown', { shiftKey: true }]]);
      expect(question.getByRole('heading')).toHaveTextContent('Set the end of Kick-off to 17:15?');
      await userEvent.click(question.getByRole('button', { name: 'All of them' }));
      expect(asked('update_event')).toEqual([{ event: 'Work/k', date: '2026-11-23T16:00', all: true, end: '2026-11-23T17:15' }]);
    });

    test('Esc reverts it and writes nothing', async () => {
      const { asked, press } = await drop([SERIES], [['ArrowDown']]);
      press('Escape', document.activeElement as HTMLElement);
      expect(screen.queryByTestId('series-question')).toBeNull();
      expect(box(/^Kick-off ?, 16:00–17:00/)).toBeVisible();
      expect(asked('update_event')).toEqual([]);
    });

    test('moves only one instance to another day', async () => {
      const { asked, question } = await drop([SERIES], [['ArrowRight']]);
      expect(question.queryByRole('button', { name: 'All of them' })).toBeNull();
      await userEvent.click(question.getByRole('button', { name: 'This one' }));
      expect(asked('update_event')).toEqual([{ event: 'Work/k', date: '2026-11-23T16:00', start: '2026-11-24T16:00' }]);
    });

    test('names an overnight instance by its start', async () => {
      const night = (from: string, to: string) => ({ ...SERIES, start: `${from}T22:00`, end: `${to}T06:00` });
      const { asked, question } = await drop([night('2026-11-22', '2026-11-23'), night('2026-11-23', '2026-11-24')], [['ArrowUp']]);
      await userEvent.click(question.getByRole('button', { name: 'This one' }));
      expect(asked('update_event')[0]).toMatchObject({ event: 'Work/k', date: expect.stringMatching(/^2026-11-2[23]T22:00$/) });
    });
  });

  describe('that also changed there', () => {
    /** `around`: what is listed of the days around it after the move was refused. */
    const moved = async (event: Record<string, JsonValue> = KICKOFF, around: JsonValue[] = [], choice = 'All of them') => {
      const details: JsonValue[] = [{ title: 'Kick-off', next: [] }, { title: 'Kick-off at ten', location: 'Room 9', next: [{ start: '2026-11-24T10:00', end: '2026-11-24T11:00' }] }];
      const answers = [failure('Nothing was written: the event changed on the server.'), written];
      const rest = await open({
        'calendar.list_events': ({ args }) => listed((args as { days: number }).days === 7 ? [event] : around),
        'calendar.get_event': () => answer(details.length > 1 ? details.shift()! : details[0]!),
        'calendar.update_event': () => answers.shift() ?? written,
      }, [NOTES, WORK]);
      const kickoff = box(/^Kick-off/);
      rest.press(' ', kickoff);
      rest.press('ArrowDown', kickoff);
      await act(async () => void rest.press(' ', kickoff));
      if (event['recurs'] === true) await userEvent.click(screen.getByRole('button', { name: choice }));
      return { ...rest, card: within(await screen.findByTestId('event-conflict')) };
    };

    test('shows both versions, and can keep the server’s', async () => {
      const { asked, card } = await moved();
      expect(card.getByRole('row', { name: 'Time tomorrow, 10:00–11:00 today, 16:15–17:15' })).toBeVisible();
      expect(card.getByRole('row', { name: 'Place Room 9 not changed' })).toBeVisible();
      expect(screen.getByTestId('event-conflict')).toHaveTextContent('Was today, 16:00–17:00. The title and the place are taken from the server.');
      expect(screen.queryByTestId('call-failed')).toBeNull();
      await userEvent.click(card.getByRole('button', { name: 'Keep the server’s' }));
      expect(screen.queryByTestId('event-conflict')).toBeNull();
      expect(asked('update_event')).toHaveLength(1);
    });

    test('shows both versions of one that is over', async () => {
      const over = { ...KICKOFF, start: '2026-11-23T09:00', end: '2026-11-23T10:00' };
      const { asked, card } = await moved(over, [{ ...over, title: 'Kick-off, written up' }]);
      expect(card.getByRole('row', { name: 'Time today, 09:00–10:00 today, 09:15–10:15' })).toBeVisible();
      expect(card.getByRole('row', { name: 'Title Kick-off, written up not changed' })).toBeVisible();
      expect(asked('list_events')).toContainEqual({ from: '2026-11-16', days: 15 });
    });

    test('shows both versions of the instance that was moved of a series', async () => {
      const series = { ...KICKOFF, recurs: true };
      const on = (day: string) => ({ ...series, start: `${day}T18:00`, end: `${day}T19:00` });
      const { asked, card } = await moved(series, ['2026-11-16', '2026-11-23', '2026-11-30'].map(on));
      expect(card.getByRole('row', { name: 'Time today, 18:00–19:00 today, 16:15–17:15' })).toBeVisible();
      await userEvent.click(card.getByRole('button', { name: 'Use mine…' }));
      await act(async () => {});
      expect(asked('update_event')).toEqual([
        { event: 'Work/k', date: '2026-11-23T16:00', all: true, start: '2026-11-23T16:15' },
        // The instance is now where the server moved it.
        { event: 'Work/k', date: '2026-11-23T18:00', all: true, start: '2026-11-23T16:15' },
      ]);
    });

    test('changes the one instance that was chosen, also after its conflict', async () => {
      const series = { ...KICKOFF, recurs: true };
      const { asked, card } = await moved(series, [{ ...series, start: '2026-11-23T18:00', end: '2026-11-23T19:00' }], 'This one');
      await userEvent.click(card.getByRole('button', { name: 'Use mine…' }));
      await act(async () => {});
      const one = { event: 'Work/k', date: '2026-11-23T16:00', start: '2026-11-23T16:15' };
      // The instance is now where the server moved it.
      expect(asked('update_event')).toEqual([one, { ...one, date: '2026-11-23T18:00' }]);
      expect(screen.queryByTestId('series-question')).toBeNull();
    });

    test('can send the user’s version', async () => {
      const { asked, card } = await moved();
      await userEvent.click(card.getByRole('button', { name: 'Use mine…' }));
      await act(async () => {});
      expect(asked('update_event')).toEqual([
        { event: 'Work/k', start: '2026-11-23T16:15' },
        { event: 'Work/k', start: '2026-11-23T16:15' },
      ]);
      expect(screen.queryByTestId('event-conflict')).toBeNull();
    });
  });

  describe('and its people', () => {
    const NOOR = { name: 'Noor Haddad', email: 'NOOR@example.org', path: 'CRM/People/Noor Haddad.md' };
    const withContacts = async (contacts: JsonValue[], steps = 0) => {
      const made = [{ path: 'Meetings/Kick-off.md', new: true }, { path: 'Meetings/Kick-off.md', new: false }];
      const rest = await open({
        'calendar.list_events': () => listed([KICKOFF]),
        'calendar.get_event': () => answer({ attendees: people }),
        'crm.list_contacts': () => answer({ contacts }),
        'calendar.document_event': () => ({ ...answer(made.shift() ?? null), change_set: 'set-2' }),
      }, [NOTES, WORK]);
      for (let step = 0; step < steps; step += 1) rest.press('ArrowRight');
      await userEvent.click(await screen.findByRole('button', { name: /^Kick-off/ }));
      await screen.findByRole('button', { name: 'Noor Haddad' });
      const logged = () => rest.backend.asked('call_tool').filter(({ tool }) => tool === 'crm.log_interaction').map(({ args }) => args);
      return { ...rest, logged, sheet: within(screen.getByTestId('event-sheet')) };
    };

    test('create a meeting note by one click, and another one opens it', async () => {
      const { asked, sheet, store } = await withContacts([NOOR]);
      await userEvent.click(sheet.getByRole('button', { name: 'Make meeting note' }));
      expect(asked('document_event')).toEqual([{ event: 'Work/k', date: '2026-11-23' }]);
      expect(screen.getByTestId('undo-bar')).toHaveTextContent('Made the meeting note of Kick-off');
      expect(store.get().app.panel.note).toBeNull();
      await userEvent.click(sheet.getByRole('button', { name: 'Open meeting note' }));
      expect(store.get().app.panel.note).toBe('Meetings/Kick-off.md');
    });

    test('are matched to contacts by address, and others can be added', async () => {
      const { sheet, store } = await withContacts([NOOR]);
      expect(sheet.getByRole('button', { name: 'Noor Haddad' })).toBeVisible();
      expect(sheet.queryByRole('button', { name: 'Add contact noor@example.org' })).toBeNull();
      await userEvent.click(sheet.getByRole('button', { name: 'Add contact Boss' }));
      expect(store.get().app.recordForm).toEqual({ skill: 'crm', type: 'contact', path: null, values: { name: 'Boss', email: 'boss@example.org' } });
    });

    test('log it with one of them', async () => {
      const { sheet, logged } = await withContacts([NOOR]);
      await userEvent.click(sheet.getByRole('button', { name: 'Log with Noor Haddad' }));
      expect(logged()).toEqual([{ name: NOOR.path, text: 'Meeting: Kick-off', date: '2026-11-23' }]);
      expect(screen.getByTestId('undo-bar')).toHaveTextContent('Logged Kick-off with Noor Haddad');
    });

    test('log it with one of several', async () => {
      const boss = { name: 'Boss', email: 'boss@example.org', path: 'CRM/People/Boss.md' };
      const { sheet, logged } = await withContacts([NOOR, boss]);
      await userEvent.click(sheet.getByRole('button', { name: 'Log with…' }));
      await userEvent.click(screen.getByRole('menuitem', { name: 'Boss' }));
      expect(logged()).toEqual([{ name: boss.path, text: 'Meeting: Kick-off', date: '2026-11-23' }]);
    });

    test('cannot be logged before its day', async () => {
      vi.setSystemTime('2026-11-22T14:36:00Z');
      await withContacts([NOOR], 1);
      expect(screen.queryByRole('button', { name: /^Log with/ })).toBeNull();
    });
  });

  test('can be asked about, after the composer’s text', async () => {
    const { sheet, store } = await openOne(KICKOFF, {});
    store.actions.setDraft({ text: 'Hello', skills: ['crm'] });
    await userEvent.click(sheet.getByRole('button', { name: 'Ask about it' }));
    const draft = store.get().app.drafts[''];
    expect(draft?.text).toBe('Hello\nAbout the event “Kick-off” on 2026-11-23: ');
    expect(draft?.skills).toEqual(['crm', 'calendar']);
  });
});
