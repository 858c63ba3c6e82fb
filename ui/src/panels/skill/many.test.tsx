// Ten thousand contacts: few elements are rendered, and the keys still reach everything.

import { act, fireEvent, screen, within } from '@testing-library/react';
import userEvent from '@testing-library/user-event';
import { expect, test, vi } from 'vitest';

import { FakeBackend } from '../../testing/fake-backend';
import { setWindow } from '../../testing/media';
import { answer, panelOf } from '../../testing/panels';
import { renderInApp } from '../../testing/render';
import { sampleWorld } from '../../testing/sample';
import { SkillPanel } from './SkillPanel';

const MANY = 10_000;
const rows = Array.from({ length: MANY }, (_, at) => ({ name: `N${String(at).padStart(5, '0')}`, stage: at % 2 === 0 ? 'lead' : 'won', path: `P/${at}.md` }));
const value = { rows, stages: ['lead', 'won'].map((stage) => ({ stage, count: MANY / 2, total: [] })) };

async function show(part: Parameters<typeof panelOf>[2][number]['parts']) {
  setWindow({ width: 1440 });
  const backend = new FakeBackend(sampleWorld()).on('call_tool', () => answer(value));
  renderInApp(<SkillPanel panel={panelOf('x', 'X', [{ parts: part ?? null }])} wide />, { backend });
  await act(async () => {});
  return userEvent.setup();
}

test('a list renders 50 of each group, then more, and the keys continue from there', async () => {
  const groups = [
    { value: 'lead', label: 'Leads' },
    { value: 'won', label: 'Won' },
  ];
  const user = await show([{ kind: 'list', tool: 'list', heading: 'People', rows: '/rows', title: 'name', group: 'stage', groups }]);
  expect(screen.getAllByRole('listitem')).toHaveLength(100);
  const leads = screen.getByRole('button', { name: 'Show 150 more of Leads' });
  act(() => (screen.getAllByRole('listitem')[49] as HTMLElement).focus());
  await user.keyboard('j');
  expect(leads).toHaveFocus();
  // It is one stop on the way to the next group, and back.
  await user.keyboard('j');
  expect(screen.getAllByRole('listitem')[50]).toHaveFocus();
  expect(screen.getAllByRole('listitem')[50]).toHaveTextContent('N00001');
  await user.keyboard('k');
  expect(leads).toHaveFocus();
  const pressed = vi.fn();
  leads.addEventListener('click', pressed);
  await user.keyboard('{Enter}');
  expect(pressed).toHaveBeenCalledTimes(1);
  expect(screen.getAllByRole('listitem')).toHaveLength(250);
  expect(screen.getAllByRole('listitem')[50]).toHaveFocus();
  expect(screen.getAllByRole('listitem')[50]).toHaveTextContent('N00100');
  await user.keyboard('k');
  expect(screen.getAllByRole('listitem')[49]).toHaveFocus();
});

test('a board renders 20 cards per column, and its counts include all', async () => {
  const user = await show([
    { kind: 'board', tool: 'list', columns: '/stages', rows: '/rows', column: 'stage', title: 'name', drop: { label: 'Move', tool: 'move', args: { path: '{path}' } } },
  ]);
  const lead = screen.getByRole('list', { name: `Lead, ${MANY / 2}` });
  const cards = () => within(lead).getAllByRole('listitem').filter((card) => card.matches('[data-card]'));
  expect(cards()).toHaveLength(20);
  act(() => (cards()[19] as HTMLElement).focus());
  await user.keyboard('{ArrowDown}');
  expect(within(lead).getByRole('button', { name: 'Show 150 more of Lead' })).toHaveFocus();
  await user.keyboard('{ArrowUp}');
  expect(cards()[19]).toHaveFocus();
  await user.keyboard('{ArrowDown}{Enter}');
  expect(cards()).toHaveLength(170);
  expect(cards()[20]).toHaveFocus();
});

test('a moved card stays visible at any position in its column', async () => {
  const user = await show([
    { kind: 'board', tool: 'list', columns: '/stages', rows: '/rows', column: 'stage', title: 'name', drop: { label: 'Move', tool: 'move', args: { path: '{path}' } } },
  ]);
  const filter = (text: string) => fireEvent.change(screen.getByRole('searchbox', { name: 'Filter' }), { target: { value: text } });
  const last = () => screen.queryByText('N09998')?.closest<HTMLElement>('[data-card]') ?? null;
  expect(last()).toBeNull();
  filter('N09998');
  act(() => last()?.focus());
  await user.keyboard(' {ArrowRight} ');
  filter('');
  // The reload has it at its old position, where it is visible.
  expect(last()).toBeVisible();
});

test('a board shows its columns while loading', async () => {
  setWindow({ width: 1440 });
  const backend = new FakeBackend(sampleWorld()).on('call_tool', () => new Promise<never>(() => {}));
  renderInApp(
    <SkillPanel panel={panelOf('x', 'X', [{ parts: [{ kind: 'board', tool: 'list', columns: '/stages', rows: '/rows', column: 'stage', title: 'name' }] }])} wide />,
    { backend },
  );
  expect(screen.getByRole('status', { name: 'Reading the board' })).toBeInTheDocument();
  expect(screen.getAllByTestId('column-skeleton').length).toBeGreaterThan(2);
});

test('the default currency is shown by its code', async () => {
  setWindow({ width: 1440 });
  const backend = new FakeBackend(sampleWorld()).on('call_tool', () => answer(value)).on('usual_currency', () => ({ currency: 'CHF' }));
  const inputs = [{ name: 'currency', label: 'Currency', kind: 'currency' as const, default: '', choices: [] }];
  renderInApp(<SkillPanel panel={panelOf('x', 'X', [{ inputs, parts: [{ kind: 'table', tool: 'list', rows: '/rows', columns: [{ field: 'name', label: 'Name' }] }] }])} wide />, { backend });
  expect(await screen.findByRole('button', { name: 'Currency: CHF' })).toHaveTextContent('CHF');
});
