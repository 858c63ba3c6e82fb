import { describe, expect, test } from 'vitest';

import { opensPicker, slashAt, withoutSlash, withQuery } from './slash';

/** `|` is the caret. */
const typed = (before: string, after: string, inputType = 'insertText', data: string | null = '/') =>
  opensPicker(before, after.replace('|', ''), after.indexOf('|'), { inputType, data });

describe('opens', () => {
  test('at the start, after a space and on a new line', () => {
    expect(typed('', '/|')).toBe(true);
    expect(typed('call ', 'call /|')).toBe(true);
    expect(typed('call\n', 'call\n/|')).toBe(true);
    expect(typed(' then call', '/| then call')).toBe(true);
    expect(typed('', '/|', 'insertFromComposition')).toBe(true);
  });

  test('over a selection', () => {
    expect(typed('all of it', '/|')).toBe(true);
    expect(typed('call him', 'call /|')).toBe(true);
  });

  test('never within a word', () => {
    expect(typed('and', 'and/|')).toBe(false);
    expect(typed('https:', 'https:/|')).toBe(false);
    expect(typed('/', '//|')).toBe(false);
  });

  test('never by paste, drop or undo', () => {
    expect(typed('', '/|', 'insertFromPaste')).toBe(false);
    expect(typed('', '/usr/local|', 'insertFromPaste')).toBe(false);
    expect(typed('', '/|', 'insertFromDrop')).toBe(false);
    expect(typed('/x', '/|', 'deleteContentBackward')).toBe(false);
    expect(typed('', '/|', 'historyUndo')).toBe(false);
    expect(typed('', 'x /|', 'insertText', 'x /')).toBe(false);
  });

  test('by one more character if the input type is unknown', () => {
    expect(typed('', '/|', '', null)).toBe(true);
    expect(typed('', '/usr/local|', '', null)).toBe(false);
    expect(typed('', 'x /|', '', null)).toBe(false);
  });
});

test('the word ends at the caret, at a space or at another slash', () => {
  expect(slashAt('/up', 0, 3)).toEqual({ at: 0, query: 'up' });
  expect(slashAt('/up', 0, 2)).toEqual({ at: 0, query: 'u' });
  expect(slashAt('/up ', 0, 4)).toBeNull();
  expect(slashAt('/usr/local', 0, 10)).toBeNull();
  expect(slashAt('x/up', 1, 4)).toBeNull();
  expect(slashAt('/up', 0, 0)).toBeNull();
});

test('removing it leaves no double space; another word can replace it', () => {
  const slash = { at: 5, query: 'up' };
  expect(withoutSlash('call /up today', slash)).toEqual({ text: 'call today', caret: 5 });
  expect(withoutSlash('/up', { at: 0, query: 'up' })).toEqual({ text: '', caret: 0 });
  expect(withQuery('call /up today', slash, 'crm.follow_ups')).toEqual({ text: 'call /crm.follow_ups today', caret: 20 });
});
