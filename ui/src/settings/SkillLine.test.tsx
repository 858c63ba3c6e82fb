// Settings in the row of a skill, and the messages below it.

import { act, screen, waitFor, within } from '@testing-library/react';
import userEvent from '@testing-library/user-event';
import { describe, expect, it } from 'vitest';

import type { SkillRow, SkillState } from '../ipc';
import { FakeBackend } from '../testing/fake-backend';
import { renderInApp } from '../testing/render';
import { sampleWorld } from '../testing/sample';
import { skillRow as row, unused } from '../testing/skill-row';
import { daysText } from './DayBars';
import { SettingsPage } from './SettingsPage';
import { exampleOf, hideable, lastDays, remedyOf, stateLine } from './skill-rows';

const taken = [
  { skill: 'lookup', text: 'Pull up UBER -> pull_up_symbol', missing: ['Add "Pull up TICKER" to hints.use_when of lookup.'] },
];

async function setup(skills: SkillRow[], prepare: (backend: FakeBackend) => void = () => undefined) {
  const backend = new FakeBackend({ ...sampleWorld(), skills });
  prepare(backend);
  const rendered = renderInApp(<SettingsPage />, { backend, app: { view: { kind: 'settings', page: 'skills' } } });
  await screen.findAllByTestId('skill-row');
  const line = (id: string) => {
    const found = screen.getAllByTestId('skill-row').find(({ dataset }) => dataset.skill === id);
    if (!found) throw new Error(`no row ${id}`);
    return within(found);
  };
  const order = () => screen.getAllByTestId('skill-row').map(({ dataset }) => dataset.skill);
  return { ...rendered, backend, user: userEvent.setup(), line, order };
}

/** A response that is released on demand. */
function held() {
  let refuse: () => void = () => undefined;
  const answer = new Promise<never>((_, reject) => {
    refuse = () => reject({ code: 'io', message: 'The disk is full.', hint: 'Make room.' });
  });
  return { answer, refuse: () => act(async () => refuse()) };
}

describe('remedies for a state', () => {
  it.each<[SkillState, string | null, string | null]>([
    ['available', null, null],
    ['active', null, null],
    ['starting', null, null],
    ['disabled', 'Switched off', 'Switch on'],
    ['needs_review', 'It came from elsewhere.', 'Review'],
    ['needs_sign_in', 'Sign-in expired 3 days ago.', 'Sign in'],
    ['unavailable', 'Set FINNHUB_API_KEY.', 'Add key'],
    ['unavailable', 'The credential finnhub/key is not there.', 'Add key'],
    ['unavailable', 'skills.mail.config.most: 0 is less than the minimum of 1. Correct it in nova.config.json.', 'Correct it'],
    ['unavailable', 'It needs a value: set key with `nova credential set finnhub/key`, or in Settings, Credentials.', 'Add key'],
    ['unavailable', 'Its server was not agreed to.', 'See why'],
    ['failed', 'npx not found.', 'See why'],
    ['broken', 'weather.ts line 14, name missing.', 'Show file'],
    ['available', 'rates.ts, line 10: the brace is not closed.', 'Show file'],
  ])('of %s because of %j is "%s"', (state, reason, label) =>
    expect(remedyOf({ state, reason, source: 'dynamic' })?.label ?? null).toBe(label),
  );

  it('of a built-in skill is in no file', () =>
    expect(remedyOf({ state: 'broken', reason: 'Notes with `type: deal` are records of crm.', source: 'native' })?.label).toBe('See why'));

  it.each<[SkillState, string, string]>([
    ['unavailable', 'It needs a value: set FINNHUB_API_KEY with `nova credential set finnhub/FINNHUB_API_KEY`, or in Settings, Credentials.', 'Unavailable: set FINNHUB_API_KEY'],
    ['unavailable', 'It needs a credential: set weather/key with `nova credential set weather/key`, or in Settings, Credentials.', 'Unavailable: set weather/key'],
    ['needs_sign_in', 'Sign in for calendar/token in Settings, Credentials, or run `nova credential sign-in calendar/token`.', 'Needs sign-in: sign in for calendar/token'],
    ['needs_review', 'It came from elsewhere. Review it: nova skill review pdf.', 'Needs review: it came from elsewhere'],
  ])('is a link instead of a terminal command: %s', (state, reason, line) =>
    expect(stateLine(row('x', { state, reason }))).toBe(line),
  );

  it('is not repeated for a disabled skill', () =>
    expect(stateLine(row('x', { state: 'disabled', reason: 'Switched off' }))).toBe('Off'));
});

describe('the last days', () => {
  it('are fourteen in UTC, empty without calls', () => {
    const days = lastDays({ '2026-11-20': 3, '2026-11-07': 1, '2026-11-06': 9 }, Date.parse('2026-11-20T23:30:00Z'));
    expect(days).toHaveLength(14);
    expect(days[0]).toEqual({ day: '2026-11-07', calls: 1 });
    expect(days[13]).toEqual({ day: '2026-11-20', calls: 3 });
    expect(days.reduce((sum, { calls }) => sum + calls, 0)).toBe(4);
  });

  it('are read out with each figure', () => {
    const year = new Date().getFullYear();
    const days = lastDays({ [`${year}-03-02`]: 1, [`${year}-03-03`]: 1200 }, Date.parse(`${year}-03-04T12:00:00Z`));
    expect(daysText(days)).toMatch(/^1,201 calls in 14 days: 1 on \w{3} 2 Mar, 1,200 on \w{3} 3 Mar$/);
    expect(daysText(lastDays({}, 0))).toBe('no calls in 14 days');
  });

  it('are in the row with their sum as text, and with each figure in the detail', async () => {
    const today = new Date().toISOString().slice(0, 10);
    const { line } = await setup([row('crm', { usage: { ...unused, calls: 40, days: { [today]: 7 } } })]);
    expect(line('crm').getByText('7 calls')).toBeVisible();
    expect(line('crm').getByRole('img', { name: /^7 calls in 14 days: 7 on / })).toBeVisible();
    const chart = within(screen.getByTestId('skill-detail')).getByTestId('day-bars');
    expect(chart).toHaveTextContent(`7${Number(today.slice(8))}`);
  });

  it('without calls show the last use, or that there was none', async () => {
    const { line } = await setup([
      row('crm', { usage: { ...unused, calls: 4, last_used: '2020-03-02T12:00:00Z' } }),
      row('mail'),
    ]);
    expect(line('crm').getByText('last 2 Mar 2020')).toBeVisible();
    expect(line('mail').getByText('never used')).toBeVisible();
  });
});

it('parses the target tool of an example', () => {
  expect(exampleOf('Pull up UBER -> pull_up_symbol')).toEqual({ text: 'Pull up UBER', tool: 'pull_up_symbol' });
  expect(exampleOf('who should I call')).toEqual({ text: 'who should I call', tool: null });
});

it('pins at once, moves the row to the top and keeps its focus', async () => {
  const { backend, user, line, order } = await setup([row('alpha'), row('beta'), row('gamma')]);
  const pin = line('gamma').getByRole('button', { name: 'Pin gamma' });
  expect(pin).toHaveAttribute('aria-pressed', 'false');
  pin.focus();
  await user.keyboard('{Enter}');
  expect(order()).toEqual(['gamma', 'alpha', 'beta']);
  const pinned = line('gamma').getByRole('button', { name: 'Pin gamma' });
  expect(pinned).toHaveAttribute('aria-pressed', 'true');
  expect(pinned).toHaveFocus();
  expect(backend.asked('set_skill')).toEqual([{ skill: 'gamma', pinned: true }]);
  // The detail beside the list still shows its skill.
  expect(screen.getByTestId('skill-detail')).toHaveAccessibleName('alpha');
});

it('applies quick clicks in order; the last one wins', async () => {
  const { backend, user, line } = await setup([row('crm')]);
  const first = held();
  let asked = 0;
  backend.on('set_skill', (params) => (++asked === 1 ? first.answer : backend.set_skill(params)));
  await user.click(line('crm').getByTestId('skill-hide'));
  await user.click(line('crm').getByTestId('skill-hide'));
  expect(line('crm').getByTestId('skill-hide')).toHaveAttribute('aria-pressed', 'false');
  expect(backend.asked('set_skill')).toEqual([{ skill: 'crm', hidden: true }]);
  await first.refuse();
  await waitFor(() => expect(backend.asked('set_skill')).toEqual([{ skill: 'crm', hidden: true }, { skill: 'crm', hidden: false }]));
  expect(line('crm').getByTestId('skill-hide')).toHaveAttribute('aria-pressed', 'false');
});

it('reverts a refused change, and says why below the row', async () => {
  const { backend, user, line } = await setup([row('crm'), row('mail')]);
  const answer = held();
  backend.on('set_skill', () => answer.answer);
  await user.click(line('mail').getByTestId('skill-pin'));
  expect(line('mail').getByTestId('skill-pin')).toHaveAttribute('aria-pressed', 'true');
  await answer.refuse();
  expect(line('mail').getByTestId('skill-pin')).toHaveAttribute('aria-pressed', 'false');
  expect(screen.getByRole('alert')).toHaveTextContent('The disk is full.Make room.');
  const mail = screen.getAllByTestId('skill-row').find(({ dataset }) => dataset.skill === 'mail');
  expect(mail?.nextElementSibling).toContainElement(screen.getByRole('alert'));
});

it('says that the model does not see a hidden skill', async () => {
  const { user, line } = await setup([row('crm')]);
  await user.click(line('crm').getByRole('button', { name: 'Hide crm' }));
  expect(await line('crm').findByText(/hidden from the model/)).toBeVisible();
});

it('sets loading mode and duration in the row', async () => {
  const { backend, user, line } = await setup([row('crm')]);
  await user.click(line('crm').getByRole('button', { name: 'crm loads: On demand, this chat' }));
  await user.click(screen.getByRole('menuitemcheckbox', { name: 'This turn' }));
  expect(line('crm').getByRole('button', { name: 'crm loads: On demand, this turn' })).toBeVisible();
  await user.click(line('crm').getByTestId('skill-loads'));
  await user.click(screen.getByRole('menuitemcheckbox', { name: 'Always' }));
  expect(line('crm').getByRole('button', { name: 'crm loads: Always' })).toBeVisible();
  expect(backend.asked('set_skill')).toEqual([
    { skill: 'crm', lifetime: 'turn' },
    { skill: 'crm', mode: 'always' },
  ]);
});

it('links a missing key to the credentials', async () => {
  const { user, line, store } = await setup([row('lookup', { state: 'unavailable', reason: 'Set FINNHUB_API_KEY.' })]);
  await user.click(line('lookup').getByRole('button', { name: 'Add key: lookup' }));
  expect(store.get().app.view).toEqual({ kind: 'settings', page: 'credentials' });
});

it('shows the file to fix, and its path if that fails', async () => {
  const { backend, user, line } = await setup([row('torn', { source: 'folder', state: 'broken', reason: 'SKILL.md has no description.' })]);
  await user.click(line('torn').getByRole('button', { name: 'Show file: torn' }));
  expect(backend.asked('show_skill_files')).toEqual([{ skill: 'torn' }]);
  backend.fail('show_skill_files', { message: 'The file manager could not be opened.', hint: 'Open ~/skills/torn/SKILL.md by hand.' });
  await user.click(line('torn').getByRole('button', { name: 'Show file: torn' }));
  expect(await screen.findByRole('alert')).toHaveTextContent('Open ~/skills/torn/SKILL.md by hand.');
});

it('disables all settings of a skill whose id is taken', async () => {
  const { user } = await setup([
    row('mail', { name: 'Mail' }),
    row('mail', { name: 'mail', source: 'folder', state: 'broken', reason: 'id taken by the native skill mail. Rename this one\'s folder.', tools: [] }),
  ]);
  const [, loser] = screen.getAllByTestId('skill-row').toSorted((a, b) => Number(a.dataset.state === 'broken') - Number(b.dataset.state === 'broken'));
  const line = within(loser as HTMLElement);
  expect(line.getAllByRole('button').map(({ textContent }) => textContent)).toEqual(['mail']);
  expect(line.queryByRole('switch')).toBeNull();
  await user.click(line.getByRole('button', { name: 'mail' }));
  const detail = within(screen.getByTestId('skill-detail'));
  expect(detail.getByText(/Rename this one's folder/)).toBeVisible();
  expect(detail.queryByRole('switch')).toBeNull();
});

describe('enabling', () => {
  const off = [row('screener', { name: 'Screener', state: 'disabled' }), row('lookup', { name: 'Lookup' })];

  it('checks first, and succeeds at once if no request is misrouted', async () => {
    const { backend, user, line } = await setup(off);
    await user.click(line('screener').getByRole('switch', { name: 'Screener on' }));
    await waitFor(() => expect(backend.asked('enable_skill')).toEqual([{ skill: 'screener', enabled: true }]));
    expect(backend.asked('taken_by_skill')).toEqual([{ skill: 'screener' }]);
    await waitFor(() => expect(line('screener').getByTestId('skill-switch')).toBeChecked());
    expect(screen.queryByTestId('skill-astray')).toBeNull();
  });

  it('lists misrouted requests and missing hints, and stays off', async () => {
    const { backend, user, line } = await setup(off, (backend) => backend.on('taken_by_skill', () => taken));
    await user.click(line('screener').getByTestId('skill-switch'));
    const question = within(await screen.findByRole('group', { name: 'Switch Screener on?' }));
    expect(question.getByRole('alert')).toHaveTextContent('it would take 1 request meant for other skills');
    expect(question.getByText(/Pull up UBER/)).toHaveTextContent('“Pull up UBER” is meant for Lookup');
    expect(question.getByText('Add "Pull up TICKER" to hints.use_when of lookup.')).toBeVisible();
    expect(line('screener').getByTestId('skill-switch')).not.toBeChecked();
    expect(backend.asked('enable_skill')).toEqual([]);
    await user.click(question.getByRole('button', { name: 'Switch on anyway' }));
    await waitFor(() => expect(line('screener').getByTestId('skill-switch')).toBeChecked());
    expect(backend.asked('enable_skill')).toEqual([{ skill: 'screener', enabled: true }]);
    expect(backend.asked('taken_by_skill')).toHaveLength(1);
    expect(screen.queryByTestId('skill-astray')).toBeNull();
  });

  it('can be cancelled without a change', async () => {
    const { backend, user, line } = await setup(off, (backend) => backend.on('taken_by_skill', () => taken));
    await user.click(line('screener').getByRole('button', { name: 'Switch on: Screener' }));
    await user.click(await screen.findByRole('button', { name: 'Leave off' }));
    expect(screen.queryByTestId('skill-astray')).toBeNull();
    expect(backend.asked('enable_skill')).toEqual([]);
    expect(line('screener').getByTestId('skill-switch')).not.toBeChecked();
  });

  it('disabling during the check cancels it', async () => {
    let answer: (of: typeof taken) => void = () => undefined;
    const { backend, user, line } = await setup(off, (backend) =>
      backend.on('taken_by_skill', () => new Promise((resolve) => (answer = resolve))),
    );
    await user.click(line('screener').getByTestId('skill-switch'));
    expect(line('screener').getByTestId('skill-switch')).toBeChecked();
    await user.click(line('screener').getByTestId('skill-switch'));
    await act(async () => answer(taken));
    await waitFor(() => expect(backend.asked('enable_skill')).toEqual([{ skill: 'screener', enabled: false }]));
    expect(screen.queryByTestId('skill-astray')).toBeNull();
    expect(line('screener').getByTestId('skill-switch')).not.toBeChecked();
  });

  it('works even if the check fails', async () => {
    const { backend, user, line } = await setup(off, (backend) => backend.fail('taken_by_skill'));
    await user.click(line('screener').getByTestId('skill-switch'));
    await waitFor(() => expect(backend.asked('enable_skill')).toEqual([{ skill: 'screener', enabled: true }]));
  });

  it('opens the review of a third-party skill instead', async () => {
    const { backend, user, line } = await setup([row('alpha'), row('pdf', { foreign: true, state: 'needs_review', reason: 'It came from elsewhere.' })]);
    expect(line('pdf').getByTestId('skill-switch')).not.toBeChecked();
    await user.click(line('pdf').getByTestId('skill-switch'));
    const detail = within(screen.getByTestId('skill-detail'));
    expect(await detail.findByTestId('skill-review')).toBeVisible();
    expect(backend.asked('enable_skill')).toEqual([]);
    await user.click(detail.getByRole('button', { name: 'Leave off' }));
    expect(backend.asked('enable_skill')).toEqual([{ skill: 'pdf', enabled: false }]);
  });
});

describe('a catalog that is too large', () => {
  const used = (last_used: string, catalog: number) => ({ usage: { ...unused, calls: 1, last_used }, tokens: { catalog, instructions: 0, schemas: 0 } });
  const rows = [
    row('new', used('2026-11-20T10:00:00Z', 90)),
    row('old', used('2026-01-20T10:00:00Z', 50)),
    row('small'),
    row('big', { tokens: { catalog: 80, instructions: 0, schemas: 0 } }),
    row('pinned', { pinned: true }),
    row('hidden', { hidden: true }),
    row('broken', { state: 'broken' }),
  ];

  it('suggests the least valuable line first', () =>
    expect(hideable(rows).map(({ id }) => id)).toEqual(['big', 'small', 'old', 'new']));

  it('is reported, and a chosen skill can be hidden', async () => {
    const { backend, user, line } = await setup(rows, ({ world }) => {
      world.catalog = { tokens: 2000, whole: 2140, budget: 2000, shortened: true, context: null };
    });
    expect(await screen.findByText('Catalog 2,140 of 2,000 tokens: descriptions are shortened.')).toBeVisible();
    await user.click(screen.getByRole('button', { name: 'Hide a skill' }));
    await user.click(screen.getByRole('menuitem', { name: /^big/ }));
    expect(backend.asked('set_skill')).toEqual([{ skill: 'big', hidden: true }]);
    expect(line('big').getByTestId('skill-hide')).toHaveAttribute('aria-pressed', 'true');
  });

  it('is not mentioned if it fits', async () => {
    await setup(rows);
    expect(await screen.findByText('catalog 1,412 of 2,000')).toBeVisible();
    expect(screen.queryByTestId('catalog-shortened')).toBeNull();
  });
});
