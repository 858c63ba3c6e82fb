import { expect, test } from 'vitest';

import { actionFor, keyActions, pressedKeys, refusal } from './keys';

const press = (key: string, code: string, more = {}) => pressedKeys({ key, code, altKey: false, shiftKey: false, main: true, ...more });

test.each([
  [press('k', 'KeyK'), 'Ctrl K'],
  [press('>', 'Period', { shiftKey: true }), 'Ctrl Shift .'],
  [press('F6', 'F6', { main: false, shiftKey: true }), 'Shift F6'],
  [press('a', 'KeyQ'), 'Ctrl A'],
  [press('л', 'KeyK'), 'Ctrl K'],
  [press('Ф', 'KeyA', { shiftKey: true }), 'Ctrl Shift A'],
  [press('ю', 'Period'), 'Ctrl .'],
  [press('+', 'Equal', { shiftKey: true }), 'Ctrl ='],
  [press('+', 'BracketRight'), 'Ctrl ='],
  [press('-', 'Slash'), 'Ctrl -'],
  [press('Control', 'ControlLeft'), null],
])('%s is %s', (is, expected) => expect(is).toBe(expected));

test('custom keys are in force, and the keys they replaced are free', () => {
  const chosen = { find: 'Ctrl G' };
  expect(actionFor(chosen, 'Ctrl G')).toBe('find');
  expect(actionFor(chosen, 'Ctrl F')).toBeNull();
  expect(actionFor({}, 'Ctrl F')).toBe('find');
});

test.each([
  ['Ctrl K', 'Ctrl K is “Search chats and commands”.'],
  ['Ctrl 3', 'Ctrl 3 opens a skill’s panel.'],
  ['Ctrl C', 'Ctrl C is reserved for editing text.'],
  ['G', 'Add Ctrl, or use a function key.'],
  ['Ctrl G', null],
  ['F9', null],
  ['Ctrl F', null],
])('for find, %s: %s', (keys, expected) => expect(refusal({}, 'find', keys)).toBe(expected));

test('no two actions have the same default keys', () => {
  expect(new Set(keyActions.map(({ keys }) => keys)).size).toBe(keyActions.length);
});
