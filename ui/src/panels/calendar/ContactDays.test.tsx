import userEvent from '@testing-library/user-event';
import { screen, within } from '@testing-library/react';
import { afterEach, beforeEach, expect, test } from 'vitest';

import { answer } from '../../testing/panels';
import { sampleWorld } from '../../testing/sample';
import { box, NOTES, open, setNow, TEAM, unsetNow } from './fixture';

beforeEach(setNow);
afterEach(unsetNow);

const ADA = { name: 'Ada Quill', date: '2026-11-23', path: 'CRM/People/Ada Quill.md', turns: 'turns 40' };
const BEN = { name: 'Ben Farrow', date: '2026-11-25', path: 'CRM/People/Ben Farrow.md' };

/** Opens with the birthday tool, which returns these. */
function openWith(...all: Record<string, string>[]) {
  return openWithAll(all, []);
}

function openWithAll(all: Record<string, string>[], due: Record<string, string>[]) {
  const world = sampleWorld();
  const skills = world.skills.map((skill) => (skill.id === 'crm' ? { ...skill, tools: [...skill.tools, 'crm.birthdays', 'crm.follow_ups'] } : skill));
  return open({ 'crm.birthdays': () => answer({ count: all.length, birthdays: all }), 'crm.follow_ups': () => answer({ follow_ups: due }) }, [NOTES, TEAM], { ...world, skills });
}

test('birthdays of contacts are shown above the hours and link to their note', async () => {
  const user = userEvent.setup();
  const { backend } = await openWith(ADA, BEN);
  const ada = await screen.findByRole('button', { name: /^Ada Quill turns 40.*Birthdays, recurring, read only$/ });
  expect(backend.asked('call_tool').filter(({ tool }) => tool === 'crm.birthdays').map(({ args }) => args)).toEqual([{ from: '2026-11-23', days: 7 }]);
  expect(screen.queryByRole('button', { name: /Ben Farrow/ })).toBeNull();
  await user.click(ada);
  const sheet = within(screen.getByTestId('contact-day-sheet'));
  expect(sheet.getByRole('heading')).toHaveTextContent('Ada Quill turns 40');
  expect(sheet.getByRole('button', { name: 'the contact’s note' })).toBeVisible();
  expect(backend.asked('call_tool').filter(({ tool }) => tool === 'calendar.get_event')).toEqual([]);
});

test('a birthday without a year is shown, and all are hidden by a click', async () => {
  const user = userEvent.setup();
  const { press } = await openWith(BEN);
  press('w');
  expect(await screen.findByRole('button', { name: /^Ben Farrow’s birthday/ })).toBeVisible();
  await user.click(box(/^B?\s*Birthdays$/));
  expect(screen.queryByRole('button', { name: /^Ben Farrow/ })).toBeNull();
});

test('without birthdays there is no such calendar', async () => {
  await openWith();
  expect(screen.queryByRole('button', { name: /Birthdays/ })).toBeNull();
});

test('contacts with a cadence are shown on the day they are due', async () => {
  const user = userEvent.setup();
  const cleo = { name: 'Cleo Marsh', next_contact: '2026-11-23', every: 'every 2 weeks', path: 'CRM/People/Cleo Marsh.md' };
  const { backend } = await openWithAll([], [
    cleo,
    { ...cleo, name: 'Dan Holt', next_contact: '2026-11-20', path: 'CRM/People/Dan Holt.md' },
    { name: 'Eve Lund', next_contact: '2026-11-23', path: 'CRM/People/Eve Lund.md' },
  ]);
  const row = await screen.findByRole('button', { name: /^Contact Cleo Marsh, every 2 weeks ?, all day, Follow-ups, recurring, read only$/ });
  expect(backend.asked('call_tool').filter(({ tool }) => tool === 'crm.follow_ups').map(({ args }) => args)).toEqual([{ until: '2026-11-29' }]);
  expect(screen.queryByRole('button', { name: /Dan Holt|Eve Lund/ })).toBeNull();
  await user.click(row);
  expect(within(screen.getByTestId('contact-day-sheet')).getByRole('button', { name: 'the contact’s note' })).toBeVisible();
});
