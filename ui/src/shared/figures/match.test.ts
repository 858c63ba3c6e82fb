import { expect, test } from 'vitest';

import { figure } from '../../testing/panels';
import { findNumbers, numbersSaid } from './match';

const figures = [
  figure('/open', 'Open pipeline', '137900', 'EUR'),
  figure('/gain', 'Unrealised gain', '-1207.50', 'EUR'),
  figure('/share', 'Share', '11.43', '%'),
  figure('/due', 'Follow-ups due', '4', ''),
];

/** The text with each figure as `[…|its index]` and each amount without a source as `[…|?]`. */
function marked(text: string, said: readonly string[] = []): string {
  let result = '';
  let from = 0;
  for (const { start, end, figure: place } of findNumbers(text, { figures, said: numbersSaid(said) })) {
    result += `${text.slice(from, start)}[${text.slice(start, end)}|${place ?? '?'}]`;
    from = end;
  }
  return result + text.slice(from);
}

test.each([
  ['The open pipeline is €137,900.', 'The open pipeline is [€137,900|0].'],
  ['It is 137900 EUR now', 'It is [137900 EUR|0] now'],
  ['It is 137.900,00 € now', 'It is [137.900,00 €|0] now'],
  ['It is 137\u00a0900 € now', 'It is [137\u00a0900 €|0] now'],
  ['137,900 in all', '[137,900|0] in all'],
  ['down €1,207.50', 'down [€1,207.50|1]'],
  ['a gain of −€1,207.50', 'a gain of [−€1,207.50|1]'],
  ['about €1,208', 'about [€1,208|1]'],
  ['11.4 % of it', '[11.4 %|2] of it'],
  ['4 are due', '[4|3] are due'],
  ['about €138k', 'about [€138k|0]'],
  ['about €137.9k', 'about [€137.9k|0]'],
  ['about 138 k€', 'about [138 k€|0]'],
  ['rund 137,9 Tsd. €', 'rund [137,9 Tsd. €|0]'],
  ['EUR 0.14 million', '[EUR 0.14 million|0]'],
  ['138 thousand euros', '[138 thousand euros|0]'],
  ['a loss of €1.2k', 'a loss of [€1.2k|1]'],
  ['about 11 percent', 'about [11 percent|2]'],
])('%s', (text, expected) => {
  expect(marked(text)).toBe(expected);
});

test('money and percentages not from a tool have no source', () => {
  expect(marked('about €140,000, or 12 % more')).toBe('about [€140,000|?], or [12 %|?] more');
});

test('a number not rounded from the figure has no source', () => {
  expect(marked('about €137k, €0.2m, €69k or 12 percent')).toBe('about [€137k|?], [€0.2m|?], [€69k|?] or [12 percent|?]');
  expect(marked('€138m')).toBe('[€138m|?]');
});

test('a letter after a bare number does not make it an amount', () => {
  expect(marked('138k people, 5 m wide, 69K, 138 million')).toBe('138k people, 5 m wide, 69K, 138 million');
});

test('a shortened amount written by the user is not marked', () => {
  expect(marked('With your €70k, or €70,000.', ['I have 70k'])).toBe('With your €70k, or €70,000.');
});

test('another currency is a different amount', () => {
  expect(marked('$137,900')).toBe('[$137,900|?]');
});

test('a bare number with fewer digits than the figure does not match', () => {
  expect(marked('1207 people, 11.4 of them')).toBe('1207 people, 11.4 of them');
});

test('numbers from the user, or from a tool’s other output, are not marked', () => {
  expect(marked('Noted: €48.50 at 3 %.', ['I paid 48,50 €, with 3 % off'])).toBe('Noted: €48.50 at 3 %.');
});

test('dates, times, versions and words are not numbers', () => {
  const text = 'On 2026-11-04 at 4:30, v4, Q4, qwen3:4b, 4/5 and #4';
  expect(marked(text)).toBe(text);
});
