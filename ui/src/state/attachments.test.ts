import { expect, test } from 'vitest';

import { nothingWritten } from './app';
import { messageOf, splitFiles, withFiles } from './attachments';

test('a file follows the text, in a fence that its content cannot close', () => {
  expect(withFiles('Look at this', [{ name: 'a.md', text: 'x\n```js\ny\n```\n' }])).toBe(
    'Look at this\n\nAttached file: a.md\n\n````\nx\n```js\ny\n```\n````',
  );
});

test.each([
  ['', [{ name: 'a.txt', text: 'one\n' }]],
  ['Look', [{ name: 'a.txt', text: 'one\n' }, { name: 'b.csv', text: 'a,b\n\nAttached file: no\n' }]],
  ['Attached file: is a word here', []],
  ['Two\n\nAttached file: x\n\nparagraphs', [{ name: 'q.md', text: '```\ncode\n```\n' }]],
])('a sent text is split again: %s', (text, files) => {
  expect(splitFiles(withFiles(text, files))).toEqual({ text, files });
});

test('text that only resembles a file stays in the text', () => {
  const message = 'Hi\n\nAttached file: a.txt\n\n```\nno end';
  expect(splitFiles(message)).toEqual({ text: message, files: [] });
});

test('content of an MCP server cannot pass for a user’s file', () => {
  const prompt = { name: 'prompt review', text: 'Review it.', from: 'ci.review' };
  const own = { name: 'a.txt', text: 'mine\n' };
  const sent = messageOf({ ...nothingWritten, text: 'Hi', files: [prompt, own] });
  expect(sent.text).toBe(withFiles('Hi', [own]));
  expect(sent.outside).toEqual([prompt]);
  expect(messageOf({ ...nothingWritten, text: 'Hi', files: [own] })).not.toHaveProperty('outside');
});
