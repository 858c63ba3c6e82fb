// Invisible characters in the output of a tool, a model or a note: each is shown and announced by its code.
import { screen, within } from '@testing-library/react';
import userEvent from '@testing-library/user-event';
import { expect, test } from 'vitest';

import type { EventBody, JsonValue } from '../ipc';
import { hidden } from '../testing/hidden';
import { announcements } from './announcements';
import { Conversation } from './Conversation';
import { asked, completed, openChat, progress, started, turnStarted } from './fixture';

/** Displays as "gpj.exe" reversed, with a zero-width space. */
const BIDI = '\u202egpj.exe\u200b';
const SHOWN = 'U+202Egpj.exeU+200B';

const args: JsonValue = { path: `Notes/${BIDI}.md`, [`key\u200b`]: BIDI, list: [{ [`col\u2066`]: BIDI, deep: { a: BIDI } }], tags: [BIDI] };
const failed = completed('c', { code: 'tool_failed', message: `It failed: ${BIDI}`, hint: `Try ${BIDI}` }, { ok: false });

async function card(...events: EventBody[]) {
  await openChat(<Conversation />, [turnStarted(), started('c', `crm.move${BIDI}`, 'read', args), ...events]);
  const shown = screen.getByTestId('tool-card');
  const opener = within(shown).queryAllByRole('button', { expanded: false })[0];
  if (opener) await userEvent.click(opener);
  return shown;
}

const calls: [string, EventBody[]][] = [
  ['running', []],
  ['telling how far it is', [progress('c', { fraction: 0.5, message: `12 of ${BIDI}`, partial: [{ name: BIDI }] })]],
  ['failed', [failed]],
  ['done with a text', [completed('c', BIDI)]],
  ['done with values', [completed('c', { a: BIDI, b: [BIDI], c: { d: BIDI }, rows: [{ e: BIDI }] })]],
  ['done with a list', [completed('c', [BIDI, [BIDI]])]],
  [
    'done with notes, sources and figures',
    [
      completed('c', { n: '1' }, {
        changes: [{ path: `CRM/${BIDI}.md`, kind: 'modified' }],
        merged: [`stage\u200b`],
        sources: [
          { kind: 'note', path: `CRM/${BIDI}.md` },
          { kind: 'web', url: `https://example.org/${BIDI}`, at: '2026-11-20T14:00:00Z' },
        ],
        figures: [{ at: '/n', label: `Sum ${BIDI}`, value: '1', unit: 'EUR', formula: BIDI, parts: [], sources: [], caution: '' }],
      }),
    ],
  ],
];
test.each(calls)('a call that is %s', async (_name, events) => {
  const shown = await card(...events);
  expect(shown).toHaveTextContent(SHOWN);
  expect(hidden()).toEqual([]);
});

test('the name of a card says the codes too', async () => {
  const shown = await card(progress('c', { fraction: 0.5, message: `12 of ${BIDI}` }));
  expect(shown).toHaveAccessibleName('crm.move[U+202E]gpj.exe[U+200B], partial, 12 of [U+202E]gpj.exe[U+200B]');
  expect(screen.getByRole('progressbar')).toHaveAccessibleName(/: 12 of \[U\+202E\]gpj/);
});

test.each(['write', 'send'] as const)('a question about a call with the effect %s, its note in the diff', async (effect) => {
  await openChat(<Conversation />, [
    turnStarted(),
    started('c', `crm.move${BIDI}`, effect, args),
    asked('c', {
      args,
      question: `Change ${BIDI}?`,
      host: BIDI,
      diff: [{ path: `CRM\u200b/${BIDI}.md`, kind: 'renamed', from: `Old/${BIDI}.md`, properties: [], hunks: [], tail_skipped: 0, summary: `moved ${BIDI}` }],
    }),
  ]);
  const diff = screen.getByTestId('diff');
  expect(diff).toHaveTextContent(`${SHOWN}CRMU+200Bmoved from Old/${SHOWN}.mdmoved ${SHOWN}`);
  expect(diff).toHaveAccessibleName('Changes in CRM[U+200B]/[U+202E]gpj.exe[U+200B].md');
  await userEvent.click(screen.getByTestId('approval-always'));
  expect(await screen.findByRole('dialog')).toHaveTextContent(`allow crm__move${SHOWN} for ${SHOWN}`);
  expect(hidden()).toEqual([]);
});

test('the announcement of a call', async () => {
  const { store, say, session } = await openChat(<Conversation />, [turnStarted(), started('c', `crm.move${BIDI}`, 'read', args)]);
  const before = store.get().streams[session]!;
  await say(failed);
  const { assertive } = announcements(before, store.get().streams[session]!);
  expect(assertive).toEqual(['crm.move[U+202E]gpj.exe[U+200B] failed. It failed: [U+202E]gpj.exe[U+200B]']);
});
