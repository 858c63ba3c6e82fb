import { expect, test } from 'vitest';

import { amountsOf, moneyText, numberText, percentText, roughly } from './amount';

test.each([
  ['137900', 'EUR', false, '€137,900'],
  ['7501.55', 'EUR', true, '+€7,501.55'],
  ['-1207.50', 'USD', true, '−$1,207.50'],
  ['0.00', 'EUR', true, '€0.00'],
  ['20', 'CHF', false, 'CHF 20'],
  ['20', '', false, '20'],
  ['soon', 'EUR', false, 'soon EUR'],
])('%s %s, signed %s, reads %s', (amount, currency, signed, text) => {
  expect(moneyText({ amount, currency }, signed)).toBe(text);
});

test('numbers and percentages', () => {
  expect(numberText('1234567.5')).toBe('1,234,567.5');
  expect(percentText('-0.42', true)).toBe('−0.42 %');
});

test.each([
  [72_000, '72k'],
  [4000, '4,000'],
  [1_250_000, '1.25m'],
  [-56_000, '−56k'],
  [0, '0'],
])('the axis label at %d is %s', (value, text) => {
  expect(roughly(value)).toBe(text);
});

test('an amount may be a string, a number, or a list by currency', () => {
  expect(amountsOf('12.50', 'EUR')).toEqual([{ amount: '12.50', currency: 'EUR' }]);
  expect(amountsOf([{ amount: '1', currency: 'EUR' }, { amount: '2', currency: 'USD' }])).toEqual([
    { amount: '1', currency: 'EUR' },
    { amount: '2', currency: 'USD' },
  ]);
  expect(amountsOf(null)).toEqual([]);
});
