import { expect, it } from 'vitest';

import { checkDecimal, checkNumber } from './numbers';

const said = (wrong: ReturnType<typeof checkDecimal>) =>
  wrong === null ? null : [wrong.message, wrong.fix?.label].filter(Boolean).join(' ');

it.each([
  ['1250.50', null],
  ['-0.10', null],
  ['123456789012345678901234567890.123456789', null],
  ['12,5', 'Write a plain number. Use 12.5'],
  ['1,234.50', 'Write a plain number. Use 1234.50'],
  ['1.234,50', 'Write a plain number. Use 1234.50'],
  ['1 234', 'Write a plain number. Use 1234'],
  ['€ 40', 'Write a plain number. Use 40'],
  ['1,234', 'Write a plain number, like 1250.50'],
  ['1e3', 'Write a plain number, like 1250.50'],
  ['a lot', 'Write a plain number, like 1250.50'],
])('decimal %s: %s', (text, expected) => expect(said(checkDecimal(text))).toBe(expected));

it.each([
  ['1250.50', null],
  ['12.000000000000000001', 'It has too many digits to be sent exactly. Use 12'],
  // Its nearest float is not a plain number.
  ['1234567890123456789012345', 'It has too many digits to be sent exactly.'],
])('decimal %s sent as a number: %s', (text, expected) => expect(said(checkDecimal(text, { asNumber: true }))).toBe(expected));

it.each([
  ['20', true, null],
  ['1e2', true, null],
  ['.5', false, null],
  ['2.5', true, 'Write a whole number. Use 2'],
  ['0', true, 'At least 1. Use 1'],
  ['200', true, 'At most 100. Use 100'],
  ['many', true, 'Write a whole number, like 20'],
  ['12.50', false, null],
  ['1.2e1', false, null],
  ['12.000000000000000001', false, 'It has too many digits to be sent exactly. Use 12'],
  ['1e400', false, 'It has too many digits to be sent exactly.'],
])('number %s, whole %s: %s', (text, whole, expected) =>
  expect(said(checkNumber(text, { whole, min: whole ? 1 : 0, max: 100 }))).toBe(expected),
);
