import { expect, test } from 'vitest';

import type { SkillState } from '../ipc';
import { troubleOf } from './tool-trouble';

test.each<[SkillState, string | null]>([
  ['available', null],
  ['active', null],
  ['available', ''],
])('%s with the reason %j is no problem', (state, reason) => expect(troubleOf({ state, reason })).toBeNull());

test.each<[SkillState, string | null, string, boolean, string]>([
  [
    'available',
    'a.ts, line 2: no name. The last good version stays in use.',
    'older version',
    true,
    'a.ts, line 2: no name. The last good version stays in use. Fix the file and save it.',
  ],
  ['available', 'a.ts defines the tool b. Name the file b.ts.', 'check the name', true, 'a.ts defines the tool b. Name the file b.ts.'],
  ['broken', 'a.ts, line 2: no name', 'broken', false, 'a.ts, line 2: no name. Fix the file and save it.'],
  ['broken', null, 'broken', false, 'Its file cannot be read. Fix the file and save it.'],
  ['starting', null, 'starting', false, 'Its file is being read.'],
  ['unavailable', 'Set KEY', 'unavailable', false, 'Set KEY.'],
  ['disabled', null, 'off', false, ''],
])('%s with the reason %j is "%s"', (state, reason, word, usable, message) =>
  expect(troubleOf({ state, reason })).toMatchObject({ word, usable, message }),
);
