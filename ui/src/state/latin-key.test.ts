import { expect, test } from 'vitest';

import { latinKey } from './latin-key';

test.each([
  ['Russian', 'л', 'KeyK', 'k'],
  ['Russian, with Shift or Caps Lock', 'Л', 'KeyK', 'K'],
  ['Greek', 'κ', 'KeyK', 'k'],
  ['Hebrew', 'ל', 'KeyK', 'k'],
  ['Arabic', 'ن', 'KeyK', 'k'],
  ['Arabic, two letters on one key', 'لا', 'KeyB', 'b'],
  ['Thai, a vowel above', 'ิ', 'KeyB', 'b'],
  ['Korean', 'ㅏ', 'KeyK', 'k'],
  ['US', 'k', 'KeyK', 'k'],
  ['AZERTY', 'a', 'KeyQ', 'a'],
  ['QWERTZ', 'z', 'KeyY', 'z'],
  ['Dvorak, a letter', 't', 'KeyK', 't'],
  ['Dvorak, a sign', "'", 'KeyQ', "'"],
  ['Turkish', 'ı', 'KeyI', 'ı'],
  ['German, the micro sign on M', 'µ', 'KeyM', 'µ'],
  ['Russian, a letter where others have a sign', 'ю', 'Period', 'ю'],
  ['not a letter', 'ArrowDown', 'ArrowDown', 'ArrowDown'],
])('%s: %s on %s counts as %s', (_layout, key, code, counts) => expect(latinKey({ key, code })).toBe(counts));
