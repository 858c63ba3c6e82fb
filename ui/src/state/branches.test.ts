import { describe, expect, test } from 'vitest';

import { branches as script } from '../testing/branches';
import { inForce, siblings } from './branches';

/** A log in words: `a` begins a turn after the last, `b<a` after a turn, `c<` after nothing; `!a` chooses a branch. */
const after = (words: string) => inForce(script(words)).join(' ');

describe('the branch in force', () => {
  test.each([
    ['', ''],
    // A log from before there were branches.
    ['a b', 'a b'],
    ['a b<a c<a', 'a c'],
    ['a b<a c<a !b', 'a b'],
    // What came after the chosen turn comes along.
    ['a b<a c<b d<a !b', 'a b c'],
    ['a b<a c<b d<b e<a !b', 'a b d'],
    ['a b<', 'b'],
    ['a b< !a c<a', 'a c'],
    // What is not known changes nothing.
    ['a !z b<z', 'a b'],
  ])('%s', (words, turns) => expect(after(words)).toBe(turns));
});

test('the versions of a turn are in the order of the log', () => {
  const branches = script('a b<a c<a d<c e<a !b');
  expect(siblings(branches, 'c')).toEqual(['b', 'c', 'e']);
  expect(siblings(branches, 'a')).toEqual(['a']);
  expect(siblings(branches, 'z')).toEqual([]);
});
