import { expect, test } from 'vitest';

import type { GlanceValue, GlanceView } from '../ipc';
import { badgeOf, glanceText } from './glance';

const said = (value: GlanceValue['value'], more: Partial<GlanceValue> = {}): GlanceValue => ({ value, format: 'text', unit: '', words: '', ...more });

test.each<[GlanceValue[], string]>([
  [[said(2, { words: 'overdue' }), said(1200, { words: 'due this week' })], '2 overdue, 1,200 due this week'],
  [[said('719.55', { format: 'money', unit: 'EUR', words: 'left' })], '€719.55 left'],
  [[said('-20', { format: 'money', unit: 'EUR', words: 'left' })], '−€20 left'],
  [[said([{ amount: '5', currency: 'EUR' }, { amount: '7', currency: 'CHF' }], { format: 'money' })], '€5, CHF 7'],
  [[said('2 of 6 prices are old')], '2 of 6 prices are old'],
  [[said('11.4', { format: 'percent' })], '11.4 %'],
  [[], ''],
])('%j is shown as "%s"', (values, expected) => {
  expect(glanceText(values)).toBe(expected);
});

test('a badge is of its own skill only', () => {
  const of = (skill: string, badge: GlanceValue[]): GlanceView => ({ skill, name: skill, icon: null, late: false, ask: null, says: [], badge, today: null });
  const glances = [of('crm', [said(2, { words: 'overdue' })]), of('portfolio', [said(1, { words: 'old' })]), of('crm', [])];
  expect(badgeOf(glances, 'crm')).toBe('2 overdue');
  expect(badgeOf(glances, 'budget')).toBe('');
  expect(badgeOf(null, 'crm')).toBe('');
});
