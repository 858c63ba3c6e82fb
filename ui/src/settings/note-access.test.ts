import { expect, test } from 'vitest';

import { mostAccess, noteAccess } from './note-access';

test.each([
  [[], 'none'],
  [[null, 'read'], 'read'],
  [['read', 'write', null], 'read and write, at most 500 in one call'],
])('the highest access of %j is %s', (all, words) => {
  expect(noteAccess(mostAccess(all))).toBe(words);
});
