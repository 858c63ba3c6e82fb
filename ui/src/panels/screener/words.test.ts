import { describe, expect, test } from 'vitest';

import { partialScan } from '../../testing/sample/screener-panel';
import { scanIn, type Explanation, type Field, type Scan } from './answers';
import { emptyDraft, editedCondition, type Condition, type Draft } from './draft';
import { endText, firstDayIn, nearestText, noHitsText, oldText, outdatedText, progressText, scoreText, unansweredText, universeText, valueText } from './words';

const scan = scanIn(partialScan)!;

test.each([
  ['21.7', 'percent', 'Growth, 3 y', '+21.7 %'],
  ['-3', 'percent', 'Return, 6 m', '−3 %'],
  ['12.5', 'percent', 'Operating margin', '12.5 %'],
  ['16.9', 'ratio', 'P/E', '16.9'],
  ['1400000000', 'currency', 'Market value', '1.4 bn'],
  ['71400', 'shares', 'Daily volume', '71,400'],
  ['7.1', 'months', 'Average hold', '7.1 months'],
  ['1906.4', 'EUR', 'Costs paid', '1,906.4 EUR'],
  ['n/a', 'percent', 'Growth', 'n/a'],
  [null, 'ratio', 'P/E', 'unknown'],
])('%s %s of %s is %s', (value, unit, name, text) => {
  expect(valueText(value, unit, name)).toBe(text);
});

test('a scan shows its progress and its outcome', () => {
  expect(progressText(scan)).toBe('412/1,200, 9 hits so far');
  expect(endText(scan, true)).toBe('Stopped by you at 412/1,200, 9 hits');
  expect(endText({ ...scan, found: 1 }, false)).toBe('1 hit of 1,200 scanned');
});

test('without hits the closest miss is named', () => {
  const closest = { symbol: 'ALDT', condition: 'growth_3y > 10 %', by: '0.4 %' };
  expect(noHitsText({ ...scan, closest })).toBe('No hits. Closest: ALDT misses Growth, 3 y by 0.4 %.');
  expect(noHitsText({ ...scan, closest: { ...closest, condition: 'close > open' } })).toContain('misses close > open by');
  expect(noHitsText({ ...scan, closest: null })).toBe('No hits.');
});

test('symbols without data are named, with the reason if it is the same', () => {
  const of = (...reasons: string[]): Scan['unanswered'] => reasons.map((reason, at) => ({ symbol: `S${at}`, reason }));
  expect(unansweredText(of('Stooq did not answer in 10 s.', 'Stooq did not answer in 10 s.'))).toBe('Stooq did not answer in 10 s for 2 symbols: S0, S1.');
  expect(unansweredText(of('a', 'b'))).toBe('No answer for 2 symbols: S0, S1.');
  expect(unansweredText(of(...'aaaaaaaa'))).toBe('a for 8 symbols: S0, S1, S2, S3, S4, S5 and 2 more.');
});

test('the origin of a universe is shown', () => {
  const of = { name: 'x', path: null, count: 3, day: null };
  expect(universeText({ ...of, kind: 'note', path: 'Universes/Europe.md', day: '2026-09-30' })).toBe('List of 30 Sep 2026, from Universes/Europe');
  expect(universeText({ ...of, kind: 'note', path: 'Empty.md', count: 0 })).toBe('Empty list, from Empty');
  expect(universeText({ ...of, kind: 'filers', day: '2026-11-19' })).toBe('All companies that report to the SEC, list of 19 Nov 2026');
  expect(universeText({ ...of, kind: 'positions' })).toBe('What you hold, from your portfolio');
});

describe('changes since a scan began', () => {
  const fields: Field[] = [{ key: 'debt', name: 'Debt', unit: 'ratio', needs: 'reports', example: '' }];
  const row = (value: string, more: Partial<Condition> = {}): Condition => editedCondition({ key: 0, text: '', field: 'debt', operator: 'below', value, problem: null, ...more }, {});
  const draft = (...conditions: Condition[]): Draft => ({ ...emptyDraft, conditions });
  const said = (before: Draft, now: Draft, isRunning = true, screen = 'A') => outdatedText({ screen: 'A', draft: before }, isRunning, screen, now, fields);

  test('one limit is shown, old and new', () => {
    expect(said(draft(row('2')), draft(row('1.5')))).toBe('Debt limit changed from 2 to 1.5. The running scan still uses 2.');
    expect(said(draft(row('2')), draft(row('1.5')), false)).toBe('Debt limit changed from 2 to 1.5. The last scan used 2.');
    expect(said(draft(row('2')), draft(row('')))).toBe('Debt limit changed from 2 to nothing. The running scan still uses 2.');
  });

  test('another operator, an added and a removed condition are named', () => {
    expect(said(draft(row('2')), draft(row('2', { operator: 'above' })))).toBe('Debt changed from below 2 to above 2. The running scan still uses the old one.');
    expect(said(draft(), draft(row('2')))).toBe('Debt was added. The running scan still uses the old one.');
    expect(said(draft(row('2')), draft())).toBe('Debt was removed. The running scan still uses the old one.');
  });

  test('several are counted', () => {
    expect(said(draft(row('2')), { ...draft(), missing: 'keep' })).toBe('2 changes since the scan began. The running scan still uses the old ones.');
  });

  test('no change shows nothing, and another screen is named', () => {
    expect(said(draft(row('2')), draft(row('2')))).toBeNull();
    expect(said(draft(row('2')), draft(row('3')), true, 'B')).toBe('The running scan is for A.');
  });
});

test('an explanation shows its score, old figures and what would exclude the hit', () => {
  const condition = { text: 'a', name: 'Debt', holds: true, value: '1.8', unit: 'ratio', limit: 'below 2', source: 'SEC', date: '2025-12-31', old: true, reason: null };
  const of: Explanation = { symbol: 'BWOP', name: null, hit: true, conditions: [condition], nearest: { condition: 0, limit: '1.5' } };
  expect(scoreText({ score: '84', parts: [{ name: 'Value', points: '40' }, { name: 'Growth', points: '44' }] })).toBe('Score 84 = Value 40 + Growth 44');
  expect(scoreText({ score: null, parts: [] })).toBe('');
  expect(oldText(condition, '2026-11-20')).toBe('Debt is 11 months old.');
  expect(oldText({ ...condition, date: '2026-11-01' }, '2026-11-20')).toBe('Debt is 19 days old.');
  expect(nearestText(of)).toBe('At 1.5 it drops out.');
  expect(nearestText({ ...of, conditions: [{ ...condition, old: false }] })).toBe('With Debt at 1.5 it drops out.');
  expect(nearestText({ ...of, hit: false })).toBe('');
  expect(nearestText({ ...of, nearest: { condition: 9, limit: '1' } })).toBe('');
});

test('the first day with closes is taken from the hint', () => {
  expect(firstDayIn('Use 2019.')).toEqual({ from: '2019-01-01', label: 'Use 2019' });
  expect(firstDayIn('They begin on 2019-03-04.')).toEqual({ from: '2019-03-04', label: 'Use 4 Mar 2019' });
  expect(firstDayIn('Use 500 symbols.')).toBeNull();
});
