import { describe, expect, test } from 'vitest';

import { branches as script } from '../testing/branches';
import { inForce, siblings } from './branches';

/**
 * A log in short notation: `a` starts a turn after the last, `b<a` after a turn, `c<` at the beginning; `!a`
 * chooses a branch.
 */
const after = (words: string) => inForce(script(words)).join(' ');

describe('the active branch', () => {
  test.each([
    ['', ''],
    // A log from before branches existed.
    ['a b', 'a b'],
    ['a b<a c<a', 'a c'],
    ['a b<a c<a !b', 'a b'],
    // Includes what followed the chosen turn.
    ['a b<a c<b d<a !b', 'a b c'],
    ['a b<a c<b d<b e<a !b', 'a b d'],
    ['a b<', 'b'],
    ['a b< !a c<a', 'a c'],
    // Unknown turns change nothing.
    ['a !z b<z', 'a b'],
  ])('%s', (words, turns) => expect(after(words)).toBe(turns));
});

test('the versions of a turn are in log order', () => {
  const branches = script('a b<a c<a d<c e<a !b');
  expect(siblings(branches, 'c')).toEqual(['b', 'c', 'e']);
  expect(siblings(branches, 'a')).toEqual(['a']);
  expect(siblings(branches, 'z')).toEqual([]);
});
