import { expect, it } from 'vitest';

import { numberLocale, readNumber, shownNumber } from './locale-number';

it.each([
  ['12,500', 'en-GB', '12500'],
  ['12,500.75', 'en-GB', '12500.75'],
  ['12.500', 'en-GB', '12.500'],
  ['12.500,00', 'en-GB', '12500.00'],
  ['12,5', 'en-GB', '12.5'],
  ['1,234,567', 'en-GB', '1234567'],
  ['12.500,00', 'de-DE', '12500.00'],
  ['12.500', 'de-DE', '12500'],
  ['12,500', 'de-DE', '12.500'],
  ['1.234.567', 'en-GB', '1234567'],
  ['84.2', 'de-DE', '84.2'],
  ["12'500.50", 'de-CH', '12500.50'],
  ['12 500', 'fr-FR', '12500'],
  ['−5', 'en-GB', '-5'],
  ['1,23,456', 'en-GB', null],
  ['12,50,0', 'en-GB', null],
  ['a lot', 'en-GB', null],
  ['', 'en-GB', null],
])('%s in %s is %s', (text, locale, plain) => expect(readNumber(text, locale)).toBe(plain));

it('a formatted number is parsed back unchanged', () => {
  for (const locale of ['en-GB', 'de-DE'])
    for (const plain of ['1.234', '12500', '-0.5']) expect(readNumber(shownNumber(plain, locale), locale)).toBe(plain);
});

it.each([
  ['de-DE', 'de-DE'],
  ['C', 'en'],
  ['', 'en'],
  ['en_US.UTF-8', 'en'],
])('the locale %o formats numbers as %s', (language, locale) => expect(numberLocale(language)).toBe(locale));
