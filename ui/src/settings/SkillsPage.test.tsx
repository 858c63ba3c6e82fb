import { act, screen, waitFor, within } from '@testing-library/react';
import userEvent from '@testing-library/user-event';
import { describe, expect, it } from 'vitest';

import type { SkillRow, SkillState } from '../ipc';
import { FakeBackend } from '../testing/fake-backend';
import { renderInApp } from '../testing/render';
import { skillRow as row, unused } from '../testing/skill-row';
import { sampleFileTools, sampleWorld } from '../testing/sample';
import { SettingsPage } from './SettingsPage';
import { carried, halves, shownSkills, stateLine } from './skill-rows';

const usedAt = (last_used: string) => ({ ...unused, activations: 1, calls: 1, mean_ms: 1, last_used });
const all = { search: '', source: 'all', attention: false };

describe('the rows', () => {
  it('are sorted pinned first, then by last use, then by natural name', () => {
    const rows = [
      row('beta'),
      row('alpha'),
      row('old', { usage: usedAt('2026-11-01T00:00:00Z') }),
      row('new', { usage: usedAt('2026-11-20T00:00:00Z') }),
      row('zeta', { pinned: true }),
      row('old 10', { usage: usedAt('2026-11-01T00:00:00Z') }),
      row('old 2', { usage: usedAt('2026-11-01T00:00:00Z') }),
    ];
    expect(shownSkills(rows, all).map(({ id }) => id)).toEqual(['zeta', 'new', 'old', 'old 2', 'old 10', 'alpha', 'beta']);
  });

  it.each<[SkillState, string | null, string]>([
    ['available', null, 'Available'],
    ['active', null, 'Active'],
    ['disabled', null, 'Off'],
    ['unavailable', 'Set FINNHUB_API_KEY.', 'Unavailable: set FINNHUB_API_KEY'],
    ['failed', 'npx not found.', 'Did not start: npx not found'],
    ['failed', 'Stooq did not answer', 'Did not start: Stooq did not answer'],
    ['needs_sign_in', 'Sign-in expired 3 days ago.', 'Sign-in expired 3 days ago'],
    ['broken', 'weather.ts line 14, name missing.', 'Broken: weather.ts line 14, name missing'],
    ['available', 'weather.ts, line 14: name missing.', 'Available, but: weather.ts, line 14: name missing'],
    ['available', '', 'Available'],
  ])('say %s with the reason %j as "%s"', (state, reason, line) =>
    expect(stateLine(row('x', { state, reason }))).toBe(line),
  );

  it('show in how many chats a skill is active', () => {
    expect(stateLine(row('x', { active_in: 1 }))).toBe('Available, active in 1 chat');
    expect(stateLine(row('x', { active_in: 2, tools: [] }))).toBe('Available, no tools, active in 2 chats');
  });

  it('keep the end of a long reason visible', () => {
    const [start, end] = halves(
      'Broken: a very long explanation of what is wrong with this file. Open weather.ts line 14',
    );
    expect(start.startsWith('Broken: a very long')).toBe(true);
    expect(end).toBe(' weather.ts line 14');
    expect(halves('Available')).toEqual(['Available', '']);
  });

  it('sums the catalog of usable skills and the rest of those always loaded', () => {
    const rows = [
      row('a'),
      row('b', { mode: 'always' }),
      row('c', { hidden: true }),
      row('d', { state: 'broken', mode: 'always' }),
    ];
    expect(carried(rows)).toEqual({ catalog: 20, instructions: 200, schemas: 3000, all: 3220 });
  });
});

function setup(skills: SkillRow[]) {
  const backend = new FakeBackend({ ...sampleWorld(), skills });
  const rendered = renderInApp(<SettingsPage />, { backend, app: { view: { kind: 'settings', page: 'skills' } } });
  const rowOf = (id: string) => {
    const found = screen.getAllByTestId('skill-row').find(({ dataset }) => dataset.skill === id);
    if (!found) throw new Error(`no row ${id}`);
    return found;
  };
  return { ...rendered, backend, user: userEvent.setup(), rowOf, ready: () => screen.findAllByTestId('skill-row') };
}

it('switches a skill at once, and notifies the backend', async () => {
  const { backend, user, rowOf, ready } = setup([row('crm'), row('mail')]);
  await ready();
  await user.click(within(rowOf('crm')).getByTestId('skill-switch'));
  expect(backend.asked('enable_skill')).toEqual([{ skill: 'crm', enabled: false }]);
  await waitFor(() => expect(rowOf('crm')).toHaveAttribute('data-state', 'disabled'));
  expect(rowOf('mail')).toHaveAttribute('data-state', 'available');
});

it('moves the switch before the response, and reverts it if refused', async () => {
  const { backend, user, rowOf, ready } = setup([row('crm')]);
  let refuse: () => void = () => undefined;
  backend.on(
    'enable_skill',
    () =>
      new Promise(
        (_, reject) => (refuse = () => reject({ code: 'io', message: 'The disk is full.', hint: 'Make room.' })),
      ),
  );
  await ready();
  await user.click(within(rowOf('crm')).getByTestId('skill-switch'));
  expect(rowOf('crm')).toHaveAttribute('data-state', 'disabled');
  await act(async () => refuse());
  expect(rowOf('crm')).toHaveAttribute('data-state', 'available');
  expect(screen.getByRole('alert')).toHaveTextContent('The disk is full.Make room.');
});

it('shows which share of the context every request carries', async () => {
  const { ready } = setup([row('crm')]);
  await ready();
  // Only the catalog's 1,412 tokens.
  expect(await screen.findByTestId('share-of-context')).toHaveTextContent('4 % of 32k');
});

it('follows a change of the registry', async () => {
  const { backend, rowOf, ready } = setup([row('crm')]);
  await ready();
  backend.world.skills = [row('crm', { state: 'broken', reason: 'SKILL.md line 2' })];
  act(() => void backend.emit({ type: 'registry_changed', added: [], removed: [], changed: ['crm'] }));
  await waitFor(() => expect(rowOf('crm')).toHaveTextContent('Broken: SKILL.md line 2'));
});

it('filters the skills that need attention, and shows all again', async () => {
  const { user, ready } = setup([row('crm'), row('mail', { state: 'needs_sign_in' }), row('gh', { state: 'failed' })]);
  await ready();
  await user.click(screen.getByRole('button', { name: '2 need attention' }));
  expect(screen.getAllByTestId('skill-row').map(({ dataset }) => dataset.skill)).toEqual(['gh', 'mail']);
  await user.click(screen.getByRole('button', { name: '2 need attention' }));
  expect(screen.getAllByTestId('skill-row')).toHaveLength(3);
});

it('counts a partly working skill among those that need attention', async () => {
  const { user, ready } = setup([row('crm'), row('dynamic', { reason: 'rates.ts, line 10: the brace is not closed.' })]);
  await ready();
  expect(screen.getByTestId('settings-nav-skills')).toHaveTextContent('1 to fix');
  await user.click(screen.getByRole('button', { name: '1 needs attention' }));
  expect(screen.getAllByTestId('skill-row').map(({ dataset }) => dataset.skill)).toEqual(['dynamic']);
});

it('says why each tool differs from its file, and the remedy', async () => {
  const { skill, tools } = sampleFileTools();
  const backend = new FakeBackend({ ...sampleWorld(), skills: [skill], tools });
  renderInApp(<SettingsPage />, { backend, app: { view: { kind: 'settings', page: 'skills' } } });
  const lines = () => screen.getAllByTestId('skill-tool').map(({ textContent }) => textContent);
  await waitFor(() => expect(lines()).toHaveLength(4));
  expect(lines()).toEqual([
    'packingread',
    'ratesolder versionexternalrates.ts, line 10: the brace is not closed. The last good version stays in use. Fix the file and save it.',
    'invoicesbrokeninvoices.ts, line 14, column 3: name is missing. Fix the file and save it.',
    'trainsstartingIts file is being read.',
  ]);
  expect(screen.getByText('4, of which 2 can be run through a form')).toBeVisible();
});

it('gives the reason of a whole skill once, not for each tool', async () => {
  const { skill, tools } = sampleFileTools();
  const off = { state: 'unavailable', reason: 'Set KEY.' } as const;
  const backend = new FakeBackend({ ...sampleWorld(), skills: [{ ...skill, ...off }], tools: tools.map((tool) => ({ ...tool, ...off })) });
  renderInApp(<SettingsPage />, { backend, app: { view: { kind: 'settings', page: 'skills' } } });
  await waitFor(() => expect(screen.getAllByTestId('skill-tool').map(({ textContent }) => textContent)).toEqual(['packingread', 'ratesexternal']));
});

it('filters by source and by text', async () => {
  const { user, ready } = setup([
    row('crm'),
    row('gh', { source: 'mcp', tags: ['issues'] }),
    row('jira', { source: 'mcp' }),
  ]);
  await ready();
  await user.click(screen.getByRole('radio', { name: 'MCP 2' }));
  await user.type(screen.getByRole('textbox', { name: 'Filter skills' }), 'issues');
  expect(screen.getAllByTestId('skill-row').map(({ dataset }) => dataset.skill)).toEqual(['gh']);
});

it('shows the chosen skill’s detail beside the list', async () => {
  const skill = row('crm', {
    name: 'CRM',
    description: 'Contacts and deals.',
    tools: ['crm.add_contact', 'crm.pipeline'],
    hints: ['a person is named', 'Not for: a ticker'],
    examples: ['who should I call'],
    usage: { ...unused, activations: 38, calls: 214, errors: 1, mean_ms: 31 },
  });
  const { user, rowOf, ready, store } = setup([row('alpha', { pinned: true }), skill]);
  await ready();
  await user.click(within(rowOf('crm')).getByRole('button', { name: 'CRM' }));
  const detail = screen.getByTestId('skill-detail');
  for (const text of [
    'Contacts and deals.',
    '10 tokens until then',
    '3,200 tokens while active',
    '200 tokens',
    'a person is named',
    '“who should I call”',
  ])
    expect(within(detail).getByText(text)).toBeInTheDocument();
  expect(detail).toHaveTextContent('214 calls1 error31 ms mean38 activations');
  expect(await within(detail).findByText('write')).toBeInTheDocument();
  await user.click(within(detail).getByRole('button', { name: 'pipeline' }));
  expect(store.get().app.view).toEqual({ kind: 'run-tool', tool: 'crm.pipeline' });
});

it('Esc returns from a full-page detail to the list', async () => {
  const { user, rowOf, ready } = setup([row('crm')]);
  await ready();
  await user.click(within(rowOf('crm')).getByRole('button', { name: 'crm' }));
  expect(screen.getByTestId('skill-detail')).toHaveClass('block');
  await user.keyboard('{Escape}');
  expect(screen.getByTestId('skill-detail')).toHaveClass('hidden');
});

it('Back leaves it', async () => {
  const { user, ready, store } = setup([row('crm')]);
  await ready();
  await user.click(screen.getByRole('button', { name: 'Settings' }));
  expect(store.get().app.view).toEqual({ kind: 'chat' });
});

it('a skill that is linked to is open from the start', async () => {
  renderInApp(<SettingsPage />, { app: { view: { kind: 'settings', page: 'skills', skill: 'lookup' } } });
  const detail = await screen.findByTestId('skill-detail');
  expect(within(detail).getByRole('heading', { name: 'Lookup' })).toBeVisible();
  expect(detail).toHaveTextContent('FINNHUB_API_KEY');
});
