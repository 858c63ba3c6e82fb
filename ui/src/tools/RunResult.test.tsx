import { screen } from '@testing-library/react';
import { expect, test } from 'vitest';

import type { JsonValue } from '../ipc';
import { hidden } from '../testing/hidden';
import { renderInApp } from '../testing/render';
import { EarlierRuns } from './EarlierRuns';
import { RunResult } from './RunResult';
import type { Run } from './useRuns';

const BIDI = '\u202egpj.exe\u200b';
const SHOWN = 'U+202Egpj.exeU+200B';

const answer = (value: JsonValue): NonNullable<Run['result']> => ({
  ok: true,
  value,
  error: null,
  ms: 3,
  sources: [{ kind: 'web', url: `https://example.org/${BIDI}`, at: '2026-11-20T14:00:00Z' }],
  figures: [],
  changes: [{ path: `CRM/${BIDI}.md`, kind: 'renamed', from: `Old\u2066/${BIDI}.md` }],
  change_set: null,
});

test.each<[string, JsonValue]>([
  ['a text', `Found ${BIDI}`],
  ['values', { summary: `Found ${BIDI}`, [`key\u200b`]: BIDI, note: `CRM/${BIDI}.md` }],
  ['a table', { rows: [{ [`col\u2066`]: BIDI, link: `[[${BIDI}]]` }] }],
  ['objects within objects', { a: { b: { c: BIDI } } }],
])('invisible characters in %s of a tool are shown', (_what, value) => {
  const run: Run = { id: 'r', tool: `crm.find${BIDI}`, args: { name: BIDI }, at: '2026-11-20T14:00:00Z', result: answer(value), stopping: false, undoneAt: null, undoProblem: null };
  const { container } = renderInApp(
    <>
      <RunResult run={run} tool={undefined} onUndo={() => {}} onAgain={() => {}} onRun={() => {}} />
      <EarlierRuns runs={[run]} onOpen={() => {}} onUndo={() => {}} onAgain={() => {}} />
    </>,
  );
  expect(container).toHaveTextContent(`crm.find${SHOWN}`);
  expect(screen.getByRole('region', { name: 'Changes' })).toHaveTextContent(`from OldU+2066/${SHOWN}.md`);
  expect(hidden()).toEqual([]);
});
