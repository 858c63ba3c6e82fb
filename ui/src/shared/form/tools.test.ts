// The forms of the real tools: `tools.generated.json` is the program's list.

import { describe, expect, it } from 'vitest';

import type { JsonValue } from '../../ipc';
import tools from '../../testing/tools.generated.json';
import { argsOf, check, draftOf, type Draft } from './plan';
import { planOf } from './schema';

function form(name: string) {
  const tool = tools.find((tool) => tool.name === name);
  return planOf((tool?.input_schema ?? null) as JsonValue);
}

/** The arguments that a form sends for this draft, or its problems. */
function send(name: string, draft: { [key: string]: Draft }) {
  const plan = form(name);
  const problems = check(plan, { ...draftOf(plan, undefined) as object, ...draft });
  return problems.length > 0 ? problems.map(({ path, message, fix }) => [path, message, fix?.draft]) : argsOf(plan, draft);
}

const amounts: [tool: string, fields: string[]][] = [
  ['budget.add_expense', ['amount']],
  ['budget.add_income', ['amount']],
  ['budget.set_limit', ['amount']],
  ['crm.add_deal', ['value', 'probability']],
  ['crm.update_deal', ['value', 'probability']],
  ['portfolio.add_trade', ['quantity', 'price', 'fee', 'per']],
];

describe('amounts', () => {
  it.each(amounts)('of %s are decimal fields, sent as text', (name, fields) => {
    const decimals = form(name).fields.filter(({ kind }) => kind === 'decimal');
    expect(decimals.map(({ key }) => key)).toEqual(fields);
    for (const field of decimals) expect(argsOf(field, '1.234567890123456789')).toBe('1.234567890123456789');
  });

  it('with a decimal comma suggest the right notation', () => {
    const trade = { symbol: 'NGTL', kind: 'buy', date: '2026-11-20', quantity: '10', price: '84,20' };
    expect(send('portfolio.add_trade', trade)).toEqual([['price', 'Write a plain number.', '84.20']]);
    expect(send('portfolio.add_trade', { ...trade, price: '84.20' })).toMatchObject({ quantity: '10', price: '84.20' });
  });

  it('that may include their currency are text inputs', () => {
    const target = form('portfolio.watch').fields.find(({ key }) => key === 'target');
    expect(target).toMatchObject({ kind: 'text', long: false, required: false });
    expect(send('portfolio.watch', { symbol: 'NVDA', target: '120 USD' })).toEqual({ symbol: 'NVDA', target: '120 USD' });
  });
});

it('no panel needs JSON input', () => {
  const json = tools.flatMap(({ name }) => form(name).fields.filter(({ kind }) => kind === 'json').map(({ key }) => `${name} ${key}`));
  expect(json).toEqual([]);
});
