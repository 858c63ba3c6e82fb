import { fireEvent, screen, waitFor, within } from '@testing-library/react';
import userEvent from '@testing-library/user-event';
import { describe, expect, it } from 'vitest';

import type { PanelView } from '../../ipc';
import { FakeBackend } from '../../testing/fake-backend';
import { reviewValue } from '../../testing/import-review';
import { answer, panelOf } from '../../testing/panels';
import { renderInApp } from '../../testing/render';
import { sampleWorld } from '../../testing/sample';
import { shownSkillPanel } from '../../state/app';
import { useApp } from '../../state/hooks';
import { SkillPanel } from '../skill/SkillPanel';
import { DropProvider } from './DropOffer';

const table = { kind: 'table', tool: 'list', title: 'Entries', rows: '/entries', columns: [{ field: 'payee', label: 'Payee' }] };
const budget = panelOf('budget', 'Budget', [{ title: 'Month', actions: [{ label: 'Import', tool: 'import_transactions', import: true }], parts: [table] }]);
const crm = panelOf('crm', 'CRM', [{ title: 'Deals', parts: [table] }]);

function Shown() {
  const panel = useApp(shownSkillPanel);
  return panel && <SkillPanel key={panel.skill} panel={panel} wide />;
}

function open(shown: PanelView) {
  const backend = new FakeBackend(sampleWorld());
  backend.on('give_file', ({ name }) => ({ path: `given:1/${name}`, name, folder: null, size: 5 }));
  backend.on('call_tool', ({ tool, args }) => {
    if (tool !== 'budget.import_transactions') return answer({ entries: [{ payee: 'Corner Market' }] });
    const review = (args as { review?: boolean }).review === true;
    if (review) return answer(reviewValue());
    return { ...answer({ imported: 3, left_out: 1, joined: 2, without_a_category: 1 }), change_set: 'set1' };
  });
  const app = { skillPanels: [crm, budget], panel: { open: true, tab: `skill:${shown.skill}` as const, width: 360, note: null, task: null, calendar: null, wide: true, peek: false } };
  renderInApp(
    <DropProvider>
      <Shown />
    </DropProvider>,
    { backend, app },
  );
  return { backend, user: userEvent.setup() };
}

const statement = () => ({ dataTransfer: { files: [new File(['x'], 'statement.csv')], types: ['Files'] } });

describe('importing into a panel', () => {
  it('opens the sheet for a dropped file and reports the result with Undo', async () => {
    const { user, backend } = open(budget);
    fireEvent.drop(await screen.findByTestId('skill-panel'), statement());
    expect(await screen.findByText('statement.csv')).toBeVisible();
    expect(screen.queryByTestId('drop-offer')).toBeNull();
    await screen.findByRole('region', { name: 'Is this the same payment?' });
    await user.keyboard('1');
    await user.keyboard('{Control>}{Enter}{/Control}');

    const bar = await screen.findByTestId('imported-bar');
    expect(bar).toHaveTextContent('Imported 3, 1 left out, 2 joined');
    expect(screen.queryByTestId('import-sheet')).toBeNull();
    await user.click(within(bar).getByRole('button', { name: '1 without a category' }));
    expect(screen.getByRole('searchbox', { name: 'Filter' })).toHaveValue('uncategorised');
    await user.click(within(bar).getByRole('button', { name: 'Undo' }));
    await waitFor(() => expect(bar).toHaveTextContent('undone'));
    expect(backend.asked('undo_changes')).toEqual([expect.objectContaining({ change_set: 'set1' })]);
  });

  it('opens the sheet by its button', async () => {
    const { user } = open(budget);
    await user.click(await screen.findByRole('button', { name: 'Import' }));
    expect(screen.getByRole('button', { name: 'Choose file…' })).toHaveFocus();
  });

  it('is offered for a file dropped on another panel', async () => {
    const { user, backend } = open(crm);
    fireEvent.drop(await screen.findByTestId('skill-panel'), statement());
    const offer = await screen.findByTestId('drop-offer');
    expect(offer).toHaveTextContent('statement.csv cannot be dropped here.');
    expect(backend.asked('give_file')).toEqual([]);
    await user.click(within(offer).getByRole('button', { name: 'Import into Budget' }));
    expect(await screen.findByRole('region', { name: 'Is this the same payment?' })).toBeVisible();
    expect(screen.queryByTestId('drop-offer')).toBeNull();
    await user.keyboard('{Escape}');
    await waitFor(() => expect(screen.queryByTestId('import-sheet')).toBeNull());
  });
});
