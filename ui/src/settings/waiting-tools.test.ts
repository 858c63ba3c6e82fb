import { expect, test } from 'vitest';

import type { Effect } from '../ipc';
import { samplePendingTools } from '../testing/sample';
import { confirmation, problemLine } from './waiting-tools';

const [{ definition }] = samplePendingTools() as [ReturnType<typeof samplePendingTools>[number]];
const of = (effect: Effect, credentials: string[]) => confirmation({ definition: { ...definition!, effect, credentials } });

test.each<[Effect, string[], boolean | null]>([
  ['read', [], null],
  ['write', [], null],
  ['external', [], null],
  ['read', ['weather/key'], false],
  ['send', [], true],
  ['destructive', [], true],
  ['undeclared', ['weather/key'], true],
])('a tool with the effect %s and the credentials %j', (effect, credentials, grave) =>
  expect(of(effect, credentials)?.grave ?? null).toBe(grave),
);

test('a confirmation lists all secrets', () => {
  expect(of('send', ['a/b', 'c'])?.text).toBe(
    'It sends in your name; each call asks first. It can read a/b, c from its first call on, without asking again.',
  );
});

test('a tool that does not load needs no confirmation', () => expect(confirmation({ definition: null })).toBeNull());

test.each([
  [{ file: 'a.ts', line: 3, column: 7, message: 'no name' }, 'a.ts, line 3, column 7: no name.'],
  [{ file: 'a.ts', line: 3, column: null, message: 'no name.' }, 'a.ts, line 3: no name.'],
  [{ file: 'a.ts', line: null, column: null, message: 'It is empty.' }, 'a.ts: It is empty.'],
  [{ file: 'a.ts', line: 3, column: 7, message: 'a.ts, line 3: no name.' }, 'a.ts, line 3: no name.'],
])('a problem is shown with its position', (problem, text) => expect(problemLine(problem)).toBe(text));
