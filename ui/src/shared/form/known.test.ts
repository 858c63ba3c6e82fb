import { expect, it } from 'vitest';

import { matchingValues, newValue, notKnown, withKnown } from './known';
import { check, type Field } from './plan';
import { planOf } from './schema';

const schema = {
  type: 'object',
  properties: {
    stage: { type: 'string', 'x-values-from': ['contact.stage', 'deal.stage'], 'x-values': 'only', 'x-values-also': ['open'] },
    category: { type: 'string', 'x-values-from': ['expense.category'] },
    company: { type: 'string', 'x-values-from': ['contact.company'], 'x-values': 'part' },
  },
};
const plan = withKnown(planOf(schema), {
  'contact.stage': ['Customer', 'Lead'],
  'deal.stage': ['lead', 'won'],
  'expense.category': ['Groceries', 'Travel'],
  'contact.company': ['Quillon Labs'],
});
const [stage, category, company] = plan.fields as [Field, Field, Field];

it.each([
  ['led', 'led is not a stage. Use Lead?'],
  ['custoemr', 'custoemr is not a stage. Use Customer?'],
  ['laed', 'laed is not a stage. Use Lead?'],
  ['nothing like it', 'nothing like it is not a stage.'],
  ['LEAD', null],
  ['open', null],
  ['won', null],
])('the stage %s: %s', (text, said) => {
  const wrong = notKnown(stage, text);
  expect(wrong === null ? null : [wrong.message, wrong.fix?.label].filter(Boolean).join(' ')).toBe(said);
});

it('a mistyped choice is a problem of the form', () => {
  expect(check(plan, { stage: 'led' })).toEqual([{ path: 'stage', message: 'led is not a stage.', fix: { label: 'Use Lead?', draft: 'Lead' } }]);
  expect(check(plan, { category: 'Grocerys', company: 'quil' })).toEqual([]);
});

it('an open field marks new values, a filter does not', () => {
  expect(newValue(category, 'Grocerys')).toEqual({ said: 'New category', meant: 'Groceries' });
  expect(newValue(category, 'Rent')).toEqual({ said: 'New category', meant: null });
  expect(newValue(category, 'travel')).toBeNull();
  expect(newValue(category, '')).toBeNull();
  expect(newValue(company, 'quil')).toBeNull();
});

it('without loaded values nothing is refused', () => {
  expect(check(withKnown(planOf(schema), {}), { stage: 'led', category: 'x' })[0]?.message).toBe('led is not a stage.');
  expect(check(planOf(schema), { stage: 'led' })).toEqual([]);
});

it('prefix matches are offered first', () => {
  expect(matchingValues(['Food/Travel', 'Travel'], 'trav')).toEqual(['Travel', 'Food/Travel']);
});
