import { act, screen } from '@testing-library/react';
import userEvent from '@testing-library/user-event';
import { afterEach, beforeEach, expect, test } from 'vitest';

import { violations } from '../../testing/axe';
import { answer } from '../../testing/panels';
import { sampleWorld } from '../../testing/sample';
import { box, EVENTS, listed, NOTES, open, setNow, TEAM, unsetNow } from './fixture';

beforeEach(setNow);
afterEach(unsetNow);

const WORK = { ...TEAM, calendar: 'Work', kind: 'caldav', read_only: false };
const invited = { title: 'Pitch', start: '2026-11-23T17:00', end: '2026-11-23T18:00', event: 'Work/p', calendar: 'Work', recurs: true };

async function openAll() {
  const world = sampleWorld();
  const skills = world.skills.map((skill) => (skill.id === 'crm' ? { ...skill, tools: [...skill.tools, 'crm.birthdays', 'crm.follow_ups'] } : skill));
  const ada = { name: 'Ada Quill', path: 'CRM/People/Ada Quill.md' };
  const rest = await open(
    {
      'calendar.list_events': () => listed([...EVENTS, { ...invited, answer: 'DECLINED' }, { ...invited, event: 'Work/q', title: 'Demo', answer: 'NEEDS-ACTION' }]),
      'crm.birthdays': () => answer({ birthdays: [{ ...ada, date: '2026-11-23', turns: 'turns 40' }] }),
      'crm.follow_ups': () => answer({ follow_ups: [{ ...ada, next_contact: '2026-11-24', every: 'every month' }] }),
    },
    [NOTES, TEAM, WORK],
    { ...world, skills },
  );
  await screen.findByRole('button', { name: /^Ada Quill turns 40/ });
  return rest;
}

/** The page around the panel is missing here. */
const found = async () => (await violations()).filter((one) => !/^(landmark-one-main|page-has-heading-one)/.test(one)).join('\n');

test.each(['d', 'w', 'm'])('the view of the key %s has no violations', async (key) => {
  const { press } = await openAll();
  press(key);
  await act(async () => {});
  expect(await found()).toBe('');
});

test('neither have the form and the question about a series', async () => {
  const { press } = await openAll();
  press('n');
  await userEvent.type(screen.getByLabelText('Title'), 'Lunch today 10:45');
  await userEvent.selectOptions(screen.getByRole('combobox', { name: 'Calendar' }), 'Work');
  expect(await found()).toBe('');
  const demo = box(/^Demo/);
  press(' ', demo);
  press('ArrowDown', demo);
  await act(async () => void press(' ', demo));
  expect(screen.getByTestId('series-question')).toBeVisible();
  expect(await found()).toBe('');
});

test('a birthday is reached, opened and closed by keys, and says why it stays', async () => {
  const { press } = await openAll();
  await userEvent.click(box(/^N?\s*Notes$/));
  press('ArrowDown');
  const birthday = document.activeElement as HTMLElement;
  expect(birthday).toHaveAccessibleName('Ada Quill turns 40 , all day, Birthdays, recurring, read only');
  press(' ', birthday);
  expect(screen.getByText('Birthdays is read only.')).toBeInTheDocument();
  await userEvent.keyboard('{Enter}');
  expect(screen.getByTestId('contact-day-sheet')).toBeVisible();
  press('Escape', birthday);
  expect(screen.queryByTestId('contact-day-sheet')).toBeNull();
});
