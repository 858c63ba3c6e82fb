import { describe, expect, test } from 'vitest';

import { opensPicker, slashAt, withoutSlash, withQuery } from './slash';

/** `|` is the caret. */
const typed = (before: string, after: string, inputType = 'insertText', data: string | null = '/') =>
  opensPicker(before, after.replace('|', ''), after.indexOf('|'), { inputType, data });

describe('opens', () => {
  test('at the beginning, behind a blank and on a new line', () => {
    expect(typed('', '/|')).toBe(true);
    expect(typed('call ', 'call /|')).toBe(true);
    expect(typed('call\n', 'call\n/|')).toBe(true);
    expect(typed(' then call', '/| then call')).toBe(true);
    expect(typed('', '/|', 'insertFromComposition')).toBe(true);
  });

  test('in place of what was selected', () => {
    expect(typed('all of it', '/|')).toBe(true);
    expect(typed('call him', 'call /|')).toBe(true);
  });

  test('never within a word', () => {
    expect(typed('and', 'and/|')).toBe(false);
    expect(typed('https:', 'https:/|')).toBe(false);
    expect(typed('/', '//|')).toBe(false);
  });

  test('never by what is pasted, dropped or brought back', () => {
    expect(typed('', '/|', 'insertFromPaste')).toBe(false);
    expect(typed('', '/usr/local|', 'insertFromPaste')).toBe(false);
    expect(typed('', '/|', 'insertFromDrop')).toBe(false);
    expect(typed('/x', '/|', 'deleteContentBackward')).toBe(false);
    expect(typed('', '/|', 'historyUndo')).toBe(false);
    expect(typed('', 'x /|', 'insertText', 'x /')).toBe(false);
  });

  test('where nothing is told of the input, by one sign more', () => {
    expect(typed('', '/|', '', null)).toBe(true);
    expect(typed('', '/usr/local|', '', null)).toBe(false);
    expect(typed('', 'x /|', '', null)).toBe(false);
  });
});

test('the word ends at the caret, at a blank or at another slash', () => {
  expect(slashAt('/up', 0, 3)).toEqual({ at: 0, query: 'up' });
  expect(slashAt('/up', 0, 2)).toEqual({ at: 0, query: 'u' });
  expect(slashAt('/up ', 0, 4)).toBeNull();
  expect(slashAt('/usr/local', 0, 10)).toBeNull();
  expect(slashAt('x/up', 1, 4)).toBeNull();
  expect(slashAt('/up', 0, 0)).toBeNull();
});

test('taken out, it leaves no blank behind; another word takes its place', () => {
  const slash = { at: 5, query: 'up' };
  expect(withoutSlash('call /up today', slash)).toEqual({ text: 'call today', caret: 5 });
  expect(withoutSlash('/up', { at: 0, query: 'up' })).toEqual({ text: '', caret: 0 });
  expect(withQuery('call /up today', slash, 'crm.follow_ups')).toEqual({ text: 'call /crm.follow_ups today', caret: 20 });
});
