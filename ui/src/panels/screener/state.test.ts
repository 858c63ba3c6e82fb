import { describe, expect, test } from 'vitest';

import type { Screen } from './answers';
import { firstState, openedOf, reduceScreener, scanArgs, testArgs, type Edit, type ScreenerChange, type ScreenerState } from './state';

const screenOf = (name: string): Screen => ({
  name, path: `${name}.md`, universe: 'Europe', missing: 'leave_out', last: null, problems: [],
  conditions: [{ text: 'pe < 18', field: 'pe', operator: 'below', values: ['18'], problem: null }],
  score: [{ text: 'low pe 100 %', field: 'pe', prefer: 'low', weight: '100' }],
});
const screens = [screenOf('Cheap'), screenOf('Other')];
const after = (...changes: readonly (ScreenerChange | Edit)[]) =>
  changes.reduce<ScreenerState>((state, change) => {
    const isEdit = ['added', 'condition', 'removed', 'universe', 'missing', 'preferred', 'preference', 'unpreferred'].includes(change.type);
    return reduceScreener(state, isEdit ? { type: 'edited', on: openedOf(state, screens), edit: change as Edit } : (change as ScreenerChange));
  }, firstState);
const opened = (state: ScreenerState) => openedOf(state, screens);

describe('the open screen', () => {
  test('is the first one until another is chosen', () => {
    expect(opened(firstState)).toMatchObject({ name: 'Cheap', isChanged: false });
    expect(opened(after({ type: 'opened', screen: 'Other' })).name).toBe('Other');
    expect(openedOf(firstState, [])).toMatchObject({ name: '', saved: null, isChanged: false });
  });

  test('falls back to the first one if its note is deleted, but keeps edits', () => {
    const other = after({ type: 'opened', screen: 'Other' });
    expect(openedOf(other, screens.slice(0, 1)).name).toBe('Cheap');
    const edited = after({ type: 'opened', screen: 'Other' }, { type: 'missing', missing: 'keep' });
    expect(openedOf(edited, screens.slice(0, 1))).toMatchObject({ name: 'Other', saved: null, isChanged: true });
  });

  test('keeps the changes of each screen', () => {
    const state = after({ type: 'condition', key: 0, part: { value: '15' } }, { type: 'opened', screen: 'Other' }, { type: 'missing', missing: 'keep' });
    expect(opened(state).draft.conditions[0]?.text).toBe('pe < 18');
    const back = reduceScreener(state, { type: 'opened', screen: 'Cheap' });
    expect(opened(back)).toMatchObject({ isChanged: true, draft: { missing: 'leave_out', conditions: [{ text: 'pe < 15' }] } });
    expect(opened(reduceScreener(back, { type: 'discarded', screen: 'Cheap' })).isChanged).toBe(false);
  });

  test('follows its note until it is edited', () => {
    const newer = { ...screenOf('Cheap'), universe: 'World' };
    expect(openedOf(firstState, [newer]).draft.universe).toBe('World');
    const edited = after({ type: 'missing', missing: 'keep' });
    expect(openedOf(edited, [newer])).toMatchObject({ isChanged: true, draft: { universe: 'Europe', missing: 'keep' } });
  });

  test('is no longer a draft once saved under a name and reloaded', () => {
    const edited = after({ type: 'opened', screen: '' }, { type: 'added', field: 'pe' }, { type: 'condition', key: 0, part: { value: '9' } });
    const { draft } = opened(edited);
    const saved = reduceScreener(edited, { type: 'saved', from: '', as: 'New', draft, at: null });
    expect(opened(saved)).toMatchObject({ name: 'New', saved: null, isChanged: false, draft });
    expect(reduceScreener(saved, { type: 'settled' })).toMatchObject({ screen: 'New', drafts: {}, saving: null });
  });

  test('keeps edits made while saving as a draft', () => {
    const edited = after({ type: 'missing', missing: 'keep' });
    const { draft } = opened(edited);
    const more = reduceScreener(edited, { type: 'edited', on: opened(edited), edit: { type: 'universe', universe: 'World' } });
    const settled = reduceScreener(reduceScreener(more, { type: 'saved', from: 'Cheap', as: 'Cheap', draft, at: null }), { type: 'settled' });
    expect(opened(settled)).toMatchObject({ isChanged: true, draft: { universe: 'World', missing: 'keep' } });
  });

  test('rows keep their keys when others are removed', () => {
    const { draft } = opened(after({ type: 'added', field: 'pe' }, { type: 'added', field: null }, { type: 'removed', key: 1 }, { type: 'added', field: 'pe' }));
    expect(draft.conditions.map(({ key, field }) => [key, field])).toEqual([[0, 'pe'], [2, null], [3, 'pe']]);
  });

  test('the score is edited part by part', () => {
    const { draft } = opened(after({ type: 'preferred', field: 'growth' }, { type: 'preference', key: 0, part: { weight: '50' } }));
    expect(draft.score.map(({ text }) => text)).toEqual(['low pe 50 %', 'high growth 50 %']);
    expect(opened(after({ type: 'unpreferred', key: 0 })).draft.score).toEqual([]);
  });
});

describe('requests', () => {
  test('use a screen’s name, or its lines if unsaved', () => {
    expect(scanArgs(opened(firstState))).toEqual({ screen: 'Cheap' });
    expect(scanArgs(opened(after({ type: 'condition', key: 0, part: { operator: 'above' } })))).toEqual({ conditions: ['pe > 18'], score: ['low pe 100 %'], missing: 'leave_out', universe: 'Europe' });
  });

  test('omit empty settings of a back-test', () => {
    const settings = { ...firstState.test, from: '2019-01-01', positions: '10', cash: ' ' };
    expect(testArgs(settings, opened(firstState))).toEqual({ strategy: 'Cheap', from: '2019-01-01', positions: 10 });
    expect(testArgs({ ...settings, strategy: 'Strength' }, opened(after({ type: 'missing', missing: 'keep' })))).toMatchObject({ strategy: 'Strength' });
    const unsaved = testArgs(firstState.test, opened(after({ type: 'condition', key: 0, part: { value: '9' } })));
    expect(unsaved).toEqual({ conditions: ['pe < 9'], score: ['low pe 100 %'], universe: 'Europe' });
  });
});

test('a header sorts descending, ascending, then in the tool’s order', () => {
  const sorts = [1, 2, 3].map((times) => after(...Array.from({ length: times }, () => ({ type: 'sorted' as const, by: 'pe' }))).sort);
  expect(sorts).toEqual([{ by: 'pe', down: true }, { by: 'pe', down: false }, null]);
  expect(after({ type: 'sorted', by: 'symbol' }).sort).toEqual({ by: 'symbol', down: false });
});

test('the chart is read day by day, and stops at its ends', () => {
  const days = ['2020-01-01', '2020-02-01'];
  const step = (by: 1 | -1) => ({ type: 'stepped' as const, by, days });
  expect(after(step(-1)).pointed).toEqual({ day: '2020-02-01', spoken: true });
  expect(after(step(-1), step(-1), step(-1)).pointed?.day).toBe('2020-01-01');
  expect(after(step(1), step(1)).pointed?.day).toBe('2020-02-01');
  expect(after({ type: 'stepped', by: 1, days: [] }).pointed).toBeNull();
});
