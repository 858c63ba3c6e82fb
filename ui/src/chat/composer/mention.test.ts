import { expect, test } from 'vitest';

import { mentionAt, withMention } from './mention';

/** `|` is the caret. */
function at(text: string) {
  const caret = text.indexOf('|');
  return mentionAt(text.replace('|', ''), caret);
}

test.each([
  ['[[|', { at: 0, query: '' }],
  ['See [[Jane D|', { at: 4, query: 'Jane D' }],
  ['[[A]] and [[B|', { at: 10, query: 'B' }],
  ['[[Jane| Doe', { at: 0, query: 'Jane' }],
])('a mention: %s', (text, mention) => expect(at(text)).toEqual(mention));

test.each(['[|', 'a[b|', '[[A]]|', '[[A]] x|', '[[A\nB|', '|[[A', '[|[A'])('no mention: %s', (text) => expect(at(text)).toBeNull());

test('the link replaces the typed text and existing closing brackets', () => {
  expect(withMention('See [[Ja now', { at: 4, query: 'Ja' }, 'Jane Doe')).toEqual({ text: 'See [[Jane Doe]] now', caret: 16 });
  expect(withMention('[[Ja]]', { at: 0, query: 'Ja' }, 'Jane Doe')).toEqual({ text: '[[Jane Doe]] ', caret: 13 });
});
