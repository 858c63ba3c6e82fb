import { expect, test } from 'vitest';

import { differences, type Side } from './sides';

/** One string per difference: the left lines, then the right lines; `*` marks differing ones. */
function check(left: string, right: string): string[] {
  const draw = (side: readonly Side[]) => side.map((line) => `${line.differs ? '*' : ''}${line.number} ${line.text}`).join(', ');
  return differences(left, right).map((place) => `${draw(place.left)} | ${draw(place.right)}`);
}

test.each<[string, string, string, string[]]>([
  ['equal', 'a\nb\n', 'a\nb\n', []],
  ['one line', 'type: deal\nstage: proposal\nvalue: 3', 'type: deal\nstage: won\nvalue: 3', [
    '1 type: deal, *2 stage: proposal, 3 value: 3 | 1 type: deal, *2 stage: won, 3 value: 3',
  ]],
  ['a line more', 'a\nc', 'a\nb\nc', ['1 a, 2 c | 1 a, *2 b, 3 c']],
  ['two places', '1\n2\n3\n4\n5\n6', '1\nX\n3\n4\nY\n6', ['1 1, *2 2, 3 3 | 1 1, *2 X, 3 3', '4 4, *5 5, 6 6 | 4 4, *5 Y, 6 6']],
  ['a moved line', 'x\na\nb', 'a\nb\nx', ['*1 x, 2 a | 1 a', '3 b | 2 b, *3 x']],
  ['line ends alone are no difference', 'a\r\nb\r\n', 'a\nb', []],
  ['deleted note', 'a\nb', '', ['*1 a, *2 b | ']],
])('%s', (_, left, right, places) => {
  expect(check(left, right)).toEqual(places);
});

test('a very long note still shows its only change', () => {
  const left = Array.from({ length: 5000 }, (_, index) => `line ${index}`);
  const right = left.with(2500, 'changed');
  expect(check(left.join('\n'), right.join('\n'))).toEqual([
    '2500 line 2499, *2501 line 2500, 2502 line 2501 | 2500 line 2499, *2501 changed, 2502 line 2501',
  ]);
});
