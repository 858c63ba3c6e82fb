import { render, screen } from '@testing-library/react';
import { expect, test } from 'vitest';

import { Source } from './Source';

const lines = (text: string) => {
  render(<Source text={text} label="Source of a.ts" />);
  return [...screen.getByRole('region', { name: 'Source of a.ts' }).children].map(({ textContent }) => textContent);
};

test.each<[string, string, string[]]>([
  ['numbers', 'a\n\nb\n', ['1a', '2', '3b']],
  ['the line ends of Windows', 'a\r\nb\r\n', ['1a', '2b']],
  // Programs treat it as the end of the line, and of a comment.
  ['a line end that no editor shows', '// safe\rsend()', ['1// safeU+000Dsend()']],
  ['a line separator', '// safe\u2028send()', ['1// safeU+2028send()']],
  ['text that runs backwards', 'a\u202eb', ['1aU+202Eb']],
  ['a file without a line', '', ['1']],
])('shows %s', (_, text, shown) => expect(lines(text)).toEqual(shown));

test('marks the line of an error', () => {
  render(<Source text={'a\nb\n'} label="x" marked={2} />);
  expect([...screen.getByTestId('source').querySelectorAll('[data-marked]')].map(({ textContent }) => textContent)).toEqual(['2b']);
});
