import { screen, within } from '@testing-library/react';
import userEvent from '@testing-library/user-event';
import { describe, expect, it, vi } from 'vitest';

import type { JsonValue, Params } from '../../ipc';
import { violations } from '../../testing/axe';
import { FakeBackend } from '../../testing/fake-backend';
import { answer, panelOf } from '../../testing/panels';
import { renderInApp } from '../../testing/render';
import { sampleWorld } from '../../testing/sample';
import { tradeReviewValue } from '../../testing/trade-review';
import { DropProvider } from './DropOffer';
import { ImportSheet } from './ImportSheet';

type Called = Params<'call_tool'>['args'] & { readonly [key: string]: JsonValue };

const chosen = { path: 'given:1/depot.csv', name: 'depot.csv', folder: '~/Downloads', size: 900 };

function open(review: (args: Called) => JsonValue = () => tradeReviewValue()) {
  const backend = new FakeBackend(sampleWorld());
  const onDone = vi.fn();
  backend.on('choose_file', () => ({ file: chosen }));
  backend.on('call_tool', ({ args }) => {
    const called = args as Called;
    return { ...answer(called['review'] === true ? review(called) : { imported: 2, left_out: 1 }), change_set: called['review'] === true ? null : 'set1' };
  });
  const shown = renderInApp(<ImportSheet tool="portfolio.import_transactions" dropped={null} onDone={onDone} onClose={() => undefined} />, { backend });
  return { ...shown, backend, onDone, user: userEvent.setup(), calls: () => backend.asked('call_tool').map(({ args }) => args as Called) };
}

describe('the import of a broker’s file', () => {
  it('shows each trade, asks about a duplicate and imports the rest', async () => {
    const { user, backend, calls, onDone } = open();
    expect(screen.getByRole('dialog', { name: 'Import broker file' })).toBeVisible();
    await user.click(screen.getByRole('button', { name: 'Choose file…' }));
    expect(backend.asked('choose_file')).toEqual([{ title: 'Choose a broker file', kind: 'CSV', endings: ['csv', 'txt', 'tsv', 'tab'] }]);

    const question = await screen.findByRole('region', { name: 'Is this the same trade?' });
    expect(within(question).getByText('buy 200 NGTL')).toBeVisible();
    expect(within(question).getByText('1 day earlier')).toBeVisible();
    const rows = within(screen.getByRole('table', { name: 'Trades to import' })).getAllByRole('row');
    expect(rows.map((row) => row.textContent)).toEqual([
      'DateActionSecurityQuantityPriceFeeAmount',
      '20 NovsellNGTLNorthgate Tooling5042.004.00+€2,096.00',
      '13 MarbuyNGTLmay be a duplicate20030.005.00−€6,005.00',
      '10 Mardeposit+€7,000.00',
    ]);
    expect(screen.queryByText('No category')).toBeNull();
    expect(await violations()).toEqual([]);

    await user.keyboard('1');
    expect(screen.getByTestId('import-primary')).toHaveTextContent('Import 2');
    await user.keyboard('{Control>}{Enter}{/Control}');
    expect(onDone).toHaveBeenCalledOnce();
    expect(calls().at(-1)).toMatchObject({ lines: [{ line: 3, import: false }], mapping: { actions: { Zeichnung: 'buy' } } });
  });

  it('asks what a word means and keeps the other answers', async () => {
    const question = { about: 'actions/Umbuchung', question: 'What is "Umbuchung"?', choices: [{ value: 'ignore', label: 'Leave these rows out' }] };
    const { user, calls } = open(({ mapping }) => tradeReviewValue(mapping === undefined ? { questions: [question], entries: [], total: 0 } : { entries: [], total: 0 }));
    await user.click(screen.getByRole('button', { name: 'Choose file…' }));
    await user.click(await screen.findByRole('button', { name: /Leave these rows out/ }));
    expect(calls().at(-1)).toMatchObject({ mapping: { actions: { Zeichnung: 'buy', Umbuchung: 'ignore' } } });
  });

  it('takes another symbol for an ISIN', async () => {
    const isin = 'US0000000001';
    const named = (symbol: string): JsonValue => tradeReviewValue({ symbols: ['NGTL'], total: 1, entries: [{ line: 2, date: '2026-11-20', kind: 'buy', symbol, isin, name: 'Brightwater', quantity: '1', price: '2.00', fee: null, amount: '-2.00', currency: 'USD' }] });
    const { user, calls } = open(({ mapping }) => named(mapping === undefined ? isin : 'BWOP'));
    await user.click(screen.getByRole('button', { name: 'Choose file…' }));
    await user.click(await screen.findByRole('button', { name: `Symbol of Brightwater: ${isin}` }));
    await user.keyboard('BWOP{Enter}');
    expect(await screen.findByRole('button', { name: 'Symbol of Brightwater: BWOP' })).toBeVisible();
    expect(calls().at(-1)).toMatchObject({ mapping: { symbols: { [isin]: 'BWOP' } } });
  });

  it('is offered by the name of each panel that imports', async () => {
    const importing = (skill: string, name: string) =>
      panelOf(skill, name, [{ title: 'First', actions: [{ label: 'Import', tool: 'import_transactions', import: true }], parts: [{ kind: 'table', tool: 'list', title: 'Rows', rows: '/rows', columns: [{ field: 'a', label: 'A' }] }] }]);
    const app = { skillPanels: [importing('budget', 'Budget'), importing('portfolio', 'Portfolio')] };
    renderInApp(<DropProvider>{null}</DropProvider>, { backend: new FakeBackend(sampleWorld()), app });
    const drop = new Event('drop', { bubbles: true, cancelable: true });
    Object.assign(drop, { dataTransfer: { files: [new File(['x'], 'depot.csv')], types: ['Files'] } });
    window.dispatchEvent(drop);
    const offer = await screen.findByTestId('drop-offer');
    expect(within(offer).getAllByRole('button').map((button) => button.textContent)).toEqual(['Import into Budget', 'Import into Portfolio', '']);
  });
});
