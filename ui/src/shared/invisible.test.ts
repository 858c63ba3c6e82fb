import { expect, test } from 'vitest';

import { pieces, revealed } from './invisible';

test.each([
  ['plain, with äöü, 数字 and a\nline', 'plain, with äöü, 数字 and a\nline'],
  ['Welcome\u200b', 'Welcome[U+200B]'],
  ['\u202egpj.exe', '[U+202E]gpj.exe'],
  ['a\u00adb\ufeff', 'a[U+00AD]b[U+FEFF]'],
  ['a\rb\u0000', 'a[U+000D]b[U+0000]'],
  ['a\u2028b', 'a[U+2028]b'],
  ['tag \u{e0041}\u{e0042}', 'tag [U+E0041][U+E0042]'],
  ['blank \u3164', 'blank [U+3164]'],
  ['heart ❤️ fine', 'heart ❤️ fine'],
  ['hidden \ufe0f\ufe0f', 'hidden [U+FE0F][U+FE0F]'],
  ['a\r\nb', 'a\r\nb'],
  ['family 👩\u200d👧, 👩🏽\u200d🚀, ❤️\u200d🔥', 'family 👩\u200d👧, 👩🏽\u200d🚀, ❤️\u200d🔥'],
  ['a\u200db 👩\u200d.', 'a[U+200D]b 👩[U+200D].'],
  ['', ''],
])('%j', (text, shown) => {
  expect(revealed(text)).toBe(shown);
  expect(pieces(text).map((piece) => piece.text).join('')).toBe(text);
});
