import { expect, test } from 'vitest';

import { decimal, negated, plus, showsRounded } from './decimal';

test.each([
  ['1.5', '-0.25', '1.25'],
  ['0.1', '0.2', '0.3'],
  ['9007199254740993', '1', '9007199254740994'],
  ['-1', '0.5', '-0.5'],
  ['52000', '-24000', '28000'],
])('%s and %s are %s', (a, b, sum) => {
  expect(plus(a, b)).toBe(sum);
});

test('adding to an invalid decimal gives null', () => {
  expect(plus('12 EUR', '1')).toBeNull();
});

test('subtracting and adding an amount restores the sum', () => {
  expect(plus(plus('86300', '24000.10') ?? '', negated('24000.10'))).toBe('86300.00');
});

test.each([
  ['7501.55', '7501.55', true],
  ['7502', '7501.55', true],
  ['7501', '7501.55', false],
  ['7501.6', '7501.55', true],
  ['7501.5', '7501.55', true],
  ['7501.550', '7501.55', true],
  ['7501.551', '7501.55', false],
])('%s shows %s: %s', (shown, exact, shows) => {
  const [one, other] = [decimal(shown), decimal(exact)];
  expect(one && other && showsRounded(one, other)).toBe(shows);
});
