import { expect, test } from 'vitest';

import type { BoardPart, PanelPart } from '../../ipc';
import { panelOf } from '../../testing/panels';
import { columnsOf, nextColumn, reduceBoard, stillBoard, type BoardEvent } from './board';

const part = panelOf('crm', 'CRM', [
  { parts: [{ kind: 'board', tool: 'pipeline', columns: '/stages', rows: '/deals', column: 'stage', title: 'title', value: 'value', unit: 'currency', folded: ['lost'] }] },
]).panel.tabs[0]?.parts[0] as PanelPart as BoardPart;

const answer = {
  stages: [
    { stage: 'lead', count: 2, total: [{ amount: '31400.10', currency: 'EUR' }] },
    { stage: 'won', count: 1, total: [{ amount: '8000', currency: 'EUR' }, { amount: '50', currency: 'USD' }] },
    { stage: 'lost', count: 0, total: [] },
  ],
  deals: [
    { title: 'A', stage: 'lead', value: '22000', currency: 'EUR', path: 'A.md' },
    { title: 'B', stage: 'lead', value: '9400.10', currency: 'EUR', path: 'B.md' },
    { title: 'C', stage: 'won', value: '8000', currency: 'EUR', path: 'C.md' },
    { title: 'D', stage: 'won', value: '50', currency: 'USD', path: 'D.md' },
  ],
};

/** Checks each column after the events: "lead 2 A B: 31400.10 EUR". */
function check(events: readonly BoardEvent[], expected: readonly string[]) {
  const state = events.reduce(reduceBoard, stillBoard);
  const columns = columnsOf(part, answer, state).map(
    ({ name, count, cards, total }) =>
      `${name} ${count} ${cards.map(({ row }) => row['title']).join(' ')}: ${total.map(({ amount, currency }) => `${amount} ${currency}`).join(', ')}`,
  );
  expect(columns).toEqual(expected);
}

const still = ['lead 2 A B: 31400.10 EUR', 'won 1 C D: 8000 EUR, 50 USD', 'lost 0 : '];
const lifted: BoardEvent = { type: 'lifted', card: 'B.md', from: 'lead', by: 'pointer' };

test('a board as loaded', () => {
  check([], still);
});

test('a card over another column is counted there exactly and stays in its own', () => {
  check([lifted, { type: 'reached', column: 'won' }], ['lead 1 A B: 22000.00 EUR', 'won 2 C D: 17400.10 EUR, 50 USD', 'lost 0 : ']);
});

test('a card in another currency is added to its own total', () => {
  check(
    [{ type: 'lifted', card: 'D.md', from: 'won', by: 'keys' }, { type: 'reached', column: 'lead' }],
    ['lead 3 A B: 31400.10 EUR, 50 USD', 'won 0 C D: 8000 EUR', 'lost 0 : '],
  );
});

test('a dropped card stays in its new column until a reload has it there', () => {
  const dropped: BoardEvent[] = [lifted, { type: 'reached', column: 'won' }, { type: 'dropped' }];
  const there = ['lead 1 A: 22000.00 EUR', 'won 2 B C D: 17400.10 EUR, 50 USD', 'lost 0 : '];
  check(dropped, there);
  check([...dropped, { type: 'answered' }], there);
  check([...dropped, { type: 'written', card: 'B.md' }, { type: 'answered' }], still);
});

test('a refused or cancelled card returns', () => {
  check([lifted, { type: 'reached', column: 'won' }, { type: 'dropped' }, { type: 'refused', card: 'B.md' }], still);
  check([lifted, { type: 'reached', column: 'won' }, { type: 'returned' }], still);
});

test('a drop in the original column changes nothing', () => {
  expect([lifted, { type: 'dropped' } as const].reduce(reduceBoard, stillBoard)).toEqual(stillBoard);
});

test('the arrows stop at the first and the last column', () => {
  const columns = columnsOf(part, answer, stillBoard);
  expect([nextColumn(columns, 'lead', -1), nextColumn(columns, 'lead', 1), nextColumn(columns, 'lost', 1)]).toEqual(['lead', 'won', 'lost']);
});
