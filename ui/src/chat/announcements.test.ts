import { expect, test } from 'vitest';

import type { EventBody } from '../ipc';
import { emptySession, reduce } from '../state/session';
import { envelopes } from '../testing/sample';
import { announcements } from './announcements';
import { asked, block, completed, failed, progress, started, turnStarted } from './fixture';

/** Announcements when `last` follows `before`; assertive ones are marked `!`. */
function said(before: EventBody[], ...last: EventBody[]): string[] {
  const events = envelopes('s', 't1', [turnStarted(), ...before, ...last]);
  const cut = events.length - last.length;
  const old = events.slice(0, cut).reduce(reduce, emptySession);
  const { polite, assertive } = announcements(old, events.slice(cut).reduce(reduce, old));
  return [...assertive.map((text) => `! ${text}`), ...polite];
}

const running = started('c', 'crm.move_deal', 'write');

test.each<[string, EventBody[], EventBody, string[]]>([
  ['a block is silent while it streams', [], block('m', 0, '<p>Fo</p>', false), []],
  ['and spoken whole', [block('m', 0, '<p>Fo</p>', false)], block('m', 0, '<p><b>Four</b> are due</p>'), ['Four are due']],
  ['but once', [block('m', 0, '<p>Four</p>')], { type: 'message_completed', message: 'm', text: 'Four' }, []],
  ['an approval', [running], asked('c'), ['! Change 1 note? crm.move_deal']],
  ['an approval made anew', [running, asked('c')], asked('c', { revision: 2 }), ['! Change 1 note? crm.move_deal']],
  ['a failed call', [running], failed('c', 'tool_failed', 'No such deal.'), ['! crm.move_deal failed. No such deal.']],
  ['the end of a call', [running], completed('c', null), ['crm.move_deal done']],
  ['the start of a call is silent', [], running, []],
  ['progress within a quarter', [running, progress('c', { fraction: 0.3 })], progress('c', { fraction: 0.45 }), []],
  ['progress over a quarter', [running, progress('c', { fraction: 0.3 })], progress('c', { fraction: 0.55 }), ['crm.move_deal 50 %']],
  ['an activation', [], { type: 'skill_activated', skill: 'crm', by: 'model', lifetime: 'session' }, ['CRM activated']],
  ['an outside change', [], { type: 'notes_changed_outside', paths: ['CRM/Jane Doe.md'] }, ['Changed in Obsidian: Jane Doe']],
  ['a missing credential', [], { type: 'credential_needed', credential: 'weather/key', consumer: 'tool:dynamic.weather' }, ['! The credential weather/key is needed']],
  ['a conflict', [], { type: 'conflict_found', note: 'CRM/A.md', mine: '', theirs: '' }, ['! Both of you changed A']],
  ['a failed turn', [], { type: 'turn_failed', code: 'internal', message: 'It broke.', hint: 'Try again.' }, ['! It broke. Try again.']],
  ['Stop', [running], { type: 'turn_cancelled', unknown: ['c'] }, ['! crm.move_deal: outcome unknown', 'Stopped']],
  ['a good end is silent', [], { type: 'turn_completed', text: '' }, []],
])('%s', (_, before, last, words) => {
  expect(said(before, last)).toEqual(words);
});
