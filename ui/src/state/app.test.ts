import { describe, expect, test } from 'vitest';

import type { Envelope, EventBody, SessionRow } from '../ipc';
import { archivedSessions, clampWidth, firstState, groupSessions, modelInUse, reduceApp, skillName, watchingOf, withConflicts, type AppState, type SetConflict } from './app';
import { sampleWorld } from '../testing/sample';

const { status } = sampleWorld();
const state: AppState = {
  ...firstState,
  status,
  sessions: [row('a', '2026-11-20T09:00:00'), row('b', '2026-11-20T08:00:00')],
  open: 'a',
};

function row(id: string, updated: string, title = id): SessionRow {
  const at = new Date(updated).toISOString();
  return { id, title, updated_at: at, created_at: at, running: false, model: null, pinned: false, archived: false };
}

function after(body: EventBody, session?: string, from = state): AppState {
  return reduceApp(from, { v: 1, seq: 1, at: '2026-11-20T10:00:00Z', ...(session ? { session } : {}), ...body } as Envelope);
}

const started: EventBody = { type: 'turn_started', text: 'hello', model: 'ollama/q', skills: [], tool: null };

describe('sessions', () => {
  test('a turn in another session shows as running, and updates its time', () => {
    const next = after(started, 'b');
    expect(next.sessions.map(({ id, running }) => [id, running])).toEqual([
      ['a', false],
      ['b', true],
    ]);
    expect(next.sessions[1]?.updated_at).toBe('2026-11-20T10:00:00Z');
  });

  test.each([
    { type: 'turn_completed', text: '' },
    { type: 'turn_cancelled', unknown: [] },
    { type: 'turn_failed', code: 'no_model', message: '', hint: '' },
  ] satisfies EventBody[])('$type ends it', (end) => {
    const running = after(started, 'b');
    expect(after(end, 'b', running).sessions[1]?.running).toBe(false);
  });

  test('a session has its own model, else the default model is used', () => {
    expect(modelInUse(state)).toBe('ollama/qwen3:14b');
    const own = { ...state, sessions: [{ ...row('a', '2026-11-20'), model: 'openai/x' }] };
    expect(modelInUse(own)).toBe('openai/x');
  });
});

describe('groups of the list', () => {
  const now = new Date('2026-11-20T14:33:00');
  const rows = [
    row('old', '2026-10-02T12:00:00', 'Quarter close'),
    row('week', '2026-11-14T12:00:00', 'Lisbon'),
    row('late', '2026-11-19T23:59:00', 'Quillon proposal'),
    row('early', '2026-11-20T00:01:00', 'Groceries'),
    row('noon', '2026-11-20T12:00:00', 'Harborline'),
    row('eighth', '2026-11-13T12:00:00', 'Onboarding'),
  ];
  const shape = (all = rows) => groupSessions(all, now).map(({ label, rows: of }) => [label, of.map(({ id }) => id)]);

  test('by calendar day, newest first', () => {
    expect(shape()).toEqual([
      ['Today', ['noon', 'early']],
      ['Yesterday', ['late']],
      ['Last 7 days', ['week']],
      ['Earlier', ['eighth', 'old']],
    ]);
  });

  test('pinned ones come first, archived ones are separate', () => {
    const some = rows.map((one) => ({ ...one, pinned: one.id === 'week' || one.id === 'noon', archived: one.id === 'late' }));
    expect(shape(some)).toEqual([
      ['Pinned', ['noon', 'week']],
      ['Today', ['early']],
      ['Earlier', ['eighth', 'old']],
    ]);
    expect(archivedSessions(some).map(({ id }) => id)).toEqual(['late']);
  });
});

describe('the vault', () => {
  const by = 'outside';

  test('an outside change is stored for the note, with its count', () => {
    const change: EventBody = { type: 'vault_changed', kind: 'modified', path: 'A.md', from: null, by, summary: 'stage: lead → won' };
    const once = after(change);
    expect(once.noteChanges['A.md']).toEqual({ at: '2026-11-20T10:00:00Z', by, summary: 'stage: lead → won', count: 1 });
    expect(after(change, undefined, once).noteChanges['A.md']?.count).toBe(2);
  });

  test('the preview follows a renamed note', () => {
    const open: AppState = { ...state, panel: { ...state.panel, note: 'A.md' } };
    const next = after({ type: 'vault_changed', kind: 'renamed', path: 'B.md', from: 'A.md', by, summary: null }, undefined, open);
    expect(next.panel.note).toBe('B.md');
    expect(next.status?.vault?.notes).toBe(412);
  });

  test.each([
    ['created', 413],
    ['modified', 412],
    ['removed', 411],
  ] as const)('%s makes %i notes', (kind, notes) => {
    const next = after({ type: 'vault_changed', kind, path: 'A.md', from: null, by, summary: null });
    expect(next.status?.vault?.notes).toBe(notes);
  });
});

test('stale data increases its revision', () => {
  const registry = after({ type: 'registry_changed', added: [], removed: [], changed: ['crm'] });
  expect(registry.revisions).toEqual({ registry: 1, pendingTools: 0, rules: 0, routines: 0, mail: 0, changes: 0, providers: 0, credentials: 0 });
  const changes = after({ type: 'change_set', id: 'x', state: 'committed' });
  expect(changes.revisions).toEqual({ registry: 0, pendingTools: 0, rules: 0, routines: 0, mail: 0, changes: 1, providers: 0, credentials: 0 });
  const tools = after({ type: 'pending_tools_changed' });
  expect(tools.revisions).toEqual({ registry: 0, pendingTools: 1, rules: 0, routines: 0, mail: 0, changes: 0, providers: 0, credentials: 0 });
  const routines = after({ type: 'routines_changed' });
  expect(routines.revisions).toEqual({ registry: 0, pendingTools: 0, rules: 0, routines: 1, mail: 0, changes: 0, providers: 0, credentials: 0 });
  const mail = after({ type: 'mail_changed', mailbox: 'Work' });
  expect(mail.revisions).toEqual({ registry: 0, pendingTools: 0, rules: 0, routines: 0, mail: 1, changes: 0, providers: 0, credentials: 0 });
  const rules = after({ type: 'rules_changed' });
  expect(rules.revisions).toEqual({ registry: 0, pendingTools: 0, rules: 1, routines: 0, mail: 0, changes: 0, providers: 0, credentials: 0 });
});

test('the models of a provider that responds again are reloaded, once', () => {
  const states = ['unreachable', 'answered', 'answered', 'failed', 'answered'] as const;
  let now = state;
  const read = states.map((told) => {
    now = after({ type: 'provider_health', provider: 'ollama', health: { state: told, at: '2026-11-20T10:00:00Z', message: null } }, undefined, now);
    return now.revisions.providers;
  });
  expect(read).toEqual([0, 1, 1, 1, 2]);
});

test('a broken config is in the status', () => {
  const next = after({ type: 'config_problem', file: '/c/nova.config.json', line: 12, message: 'a comma is missing' });
  expect(next.status?.config_problem).toEqual({ file: '/c/nova.config.json', line: 12, message: 'a comma is missing' });
});

test('readable rules clear the message about them, and no other', () => {
  const told = (file: string) => reduceApp(after({ type: 'config_problem', file, line: 1, message: 'broken' }), {
    v: 1,
    seq: 9,
    at: '2026-11-22T09:00:00Z',
    type: 'rules_changed',
  });
  expect(told('/c/permissions.yaml').status?.config_problem).toBeNull();
  expect(told('/c/nova.config.json').status?.config_problem).not.toBeNull();
});

test('stream text changes nothing outside the conversation', () => {
  expect(after({ type: 'text_delta', text: 'x' }, 'a')).toBe(state);
});

test('skills are named once their names are loaded', () => {
  expect(skillName(state, 'crm')).toBe('Crm');
  expect(skillName({ ...state, skillNames: { crm: 'CRM' } }, 'crm')).toBe('CRM');
});

test.each([
  ['list', 100, 200],
  ['list', 300.4, 300],
  ['list', 999, 360],
  ['panel', 10, 320],
  ['panel', 900, 560],
] as const)('a %s of %d px is clamped to %d', (kind, wanted, width) => {
  expect(clampWidth(kind, wanted)).toBe(width);
});

describe('the watching state of the vault', () => {
  test.each([
    ['watching', 'watching', null],
    ['not watched', 'not watched', null],
    ['watching, and polled every few seconds (the vault is on NFS)', 'watching, and polled every few seconds', 'the vault is on NFS'],
    ['polled every few seconds (8192 watches (max_user_watches) are in use)', 'polled every few seconds', '8192 watches (max_user_watches) are in use'],
    ['not watched (the folder is gone; put it back)', 'not watched', 'the folder is gone; put it back'],
    ['not watched (\nno access)', 'not watched', '\nno access'],
    ['', '', null],
  ])('%j', (watching, state, reason) => {
    expect(watchingOf(watching)).toEqual({ state, reason });
  });
});

test('an undo that is repeated replaces its previous conflicts, and nothing else', () => {
  const met = (set: string, path: string, theirs = ''): SetConflict => ({
    set,
    way: 'undo',
    conflict: { path, what: [], mine: '', theirs },
    decided: null,
  });
  const before = [met('a', 'One.md'), met('a', 'Two.md'), met('a', 'Three.md'), met('b', 'One.md')];
  const conflicts = [{ path: 'Two.md', what: [], mine: '', theirs: 'newer' }];
  expect(withConflicts(before, 'a', 'undo', { done: ['One.md'], conflicts })).toEqual([
    met('a', 'Three.md'),
    met('b', 'One.md'),
    met('a', 'Two.md', 'newer'),
  ]);
});
