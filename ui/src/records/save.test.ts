import { expect, it } from 'vitest';

import type { SavedRecord, ToolResult } from '../ipc';
import { faultsOf, opened, reduceSave, sameAs, wordsOf, writtenBy, type SaveEvent } from './save';

const written: ToolResult = {
  ok: true,
  value: null,
  error: null,
  sources: [],
  figures: [],
  changes: [{ path: 'Jane.md', kind: 'modified' }],
  change_set: 'c1',
  ms: 3,
};

const after = (...events: SaveEvent[]) => events.reduce(reduceSave, opened({ stage: 'lead', phone: '1' }));
const started: SaveEvent = { type: 'save_started', values: { stage: 'lead', phone: '2' } };
const answered = (saved: SavedRecord): SaveEvent => ({ type: 'save_answered', saved, diffs: {} });

const both: SavedRecord = {
  errors: [
    { field: 'stage', message: 'It was changed in the note.', theirs: 'paused' },
    { field: 'phone', message: 'It is no number. Write one.' },
  ],
  result: null,
};

it('is saved once the note was written', () => {
  const state = after(started, answered({ errors: [], result: written }));
  expect(state).toMatchObject({ phase: 'saved', result: { change_set: 'c1' }, conflicts: [] });
});

it('returns to the form with the note’s conflicting values', () => {
  const state = after(started, answered(both));
  expect(state.phase).toBe('editing');
  expect(state.conflicts.map(({ field }) => field)).toEqual(['stage']);
  expect(faultsOf(both)).toEqual([{ path: 'phone', message: 'It is no number. Write one.' }]);
});

it('treats shown values of the note as seen', () => {
  const state = after(answered(both), { type: 'conflict_decided', field: 'stage' });
  expect(state.before).toEqual({ stage: 'paused', phone: '1' });
  expect(state.conflicts).toEqual([]);
});

it('treats a removed property of the note as seen empty', () => {
  const gone: SavedRecord = { errors: [{ field: 'stage', message: 'Changed.', theirs: null }], result: null };
  expect(after(answered(gone), { type: 'conflict_decided', field: 'stage' }).before).toEqual({ stage: null, phone: '1' });
});

it('keeps the form if a rule or the disk refuses', () => {
  const problem = { code: 'denied_by_rule' as const, message: 'A rule denies it.', hint: '' };
  const refused = after(started, answered({ errors: [], result: { ...written, ok: false, error: problem } }));
  expect(refused).toMatchObject({ phase: 'editing', problem });
  expect(after(started, { type: 'failed', problem })).toMatchObject({ phase: 'editing', problem });
});

it('reports an existing record until it is saved again', () => {
  const same = { path: 'Jane.md', message: 'There is already a contact “Jane”, Jane.md.', is_record: true, free_name: 'Jane 2' };
  const told = after(started, answered({ errors: [], same, result: null }));
  expect(told).toMatchObject({ phase: 'editing', same, result: null });
  expect(reduceSave(told, started).same).toBeNull();
});

it('offers another name only for the values that were sent', () => {
  const same = { path: 'Jane.md', message: 'There is already a contact “Jane”, Jane.md.', is_record: true, free_name: 'Jane 2' };
  const sent = { name: 'Jane', tags: ['a'] };
  const told = after({ type: 'save_started', values: sent }, answered({ errors: [], same, result: null }));
  expect(sameAs(told, { tags: ['a'], name: 'Jane' })).toEqual(same);
  expect(sameAs(told, { ...sent, name: 'Sam' })).toBeNull();
  expect(sameAs(told, { name: 'Jane' })).toBeNull();
});

it('asks before leaving, and can stay', () => {
  expect(after({ type: 'leave_asked' }).leaving).toEqual({ to: null });
  expect(after({ type: 'leave_asked', to: 'Jane.md' }).leaving).toEqual({ to: 'Jane.md' });
  expect(after({ type: 'leave_asked' }, { type: 'stayed' }).leaving).toBeNull();
});

it('formats values as text', () => {
  expect([null, 'won', 3, ['a', 'b'], ''].map(wordsOf)).toEqual(['nothing', 'won', '3', 'a, b', 'nothing']);
});

it('reports the record, and then the notes changed as a consequence', () => {
  const position = { path: 'Portfolio/Positions/NGTL.md', kind: 'modified' } as const;
  const trade = { path: 'Portfolio/Trades/2026-11-20 NGTL buy.md', kind: 'created' } as const;
  const both: ToolResult = { ...written, value: { symbol: 'NGTL', path: trade.path }, changes: [position, trade] };
  expect(writtenBy(both)).toEqual({ own: trade, others: [position] });
  expect(writtenBy({ ...both, changes: [] })).toEqual({ own: undefined, others: [] });
});
