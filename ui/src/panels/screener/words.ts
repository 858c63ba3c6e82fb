// Texts of the screener panel. Pure.

import { count, counted } from '../../shared';
import { numberText, percentText } from '../../shared/amount';
import { decimal } from '../../shared/decimal';
import { noteName } from '../../shared/format';
import { revealed } from '../../shared/invisible';
import { daysBetween } from '../skill/words';
import { figureText, shortDay, wholeDay } from '../symbol/words';
import type { CheckedCondition, Explanation, Field, Hit, Scan, Strategy, Universe } from './answers';
import type { BackTest } from './backtest';
import { changesOf, isSameDraft, type Change, type Condition, type Draft } from './draft';
import type { Found } from './runs';

/** Units without a suffix; the currency stands beside the price. */
const quiet = new Set(['', 'ratio', 'number', 'shares', 'currency']);

/** "+21.7 %", "16.9", "1.4 bn", "71,400", "7.1 months"; growth and returns are signed. */
export function valueText(value: string | null, unit: string, name: string): string {
  if (value === null) return 'unknown';
  if (unit === 'percent' && decimal(value) && /growth|return|change|year/i.test(name)) return percentText(value, true);
  // `figureText` shortens amounts only if they have a unit.
  return quiet.has(unit) && unit !== 'ratio' ? figureText({ value, unit: 'currency' }).replace(/ currency$/, '') : figureText({ value, unit });
}

/** The name of a condition's field, or its line. */
export function conditionName({ field, text }: Pick<Condition, 'field' | 'text'>, fields: readonly Field[]): string {
  return revealed(fields.find(({ key }) => key === field)?.name ?? text) || 'a condition';
}

/** "List of 30 Sep 2026, from Universes/Europe": the origin of a universe. */
export function universeText({ kind, day, path, count: size }: Universe): string {
  const of = day === null ? '' : ` of ${wholeDay(day)}`;
  switch (kind) {
    case 'positions':
      return 'What you hold, from your portfolio';
    case 'watchlist':
      return 'Your watchlist';
    case 'filers':
      return `All companies that report to the SEC${day === null ? '' : `, list${of}`}`;
    case 'note': {
      const { name, folder } = noteName(path ?? '');
      const from = path === null ? '' : `, from ${revealed(folder === '' ? name : `${folder}/${name}`)}`;
      return size === 0 ? `Empty list${from}` : `List${of}${from}`;
    }
  }
}

/** "412/1,200, 9 hits so far" */
export function progressText({ scanned, of, found }: Scan): string {
  return `${count(scanned)}/${count(of)}, ${counted(found, 'hit')} so far`;
}

/** Status of an ended scan: "Stopped by you at 412/1,200, 9 hits". */
export function endText({ scanned, of, found }: Scan, isStopped: boolean): string {
  if (isStopped) return `Stopped by you at ${count(scanned)}/${count(of)}, ${counted(found, 'hit')}`;
  return `${counted(found, 'hit')} of ${count(of)} scanned`;
}

/** "21 left out, a figure is missing" */
export const leftOutText = (of: number) => `${count(of)} left out, a figure is missing`;

/** "No hits. Closest: ALDT misses Growth, 3 y by 0.4 %." */
export function noHitsText({ closest, conditions }: Scan): string {
  if (closest === null) return 'No hits.';
  const { name } = conditions.find(({ text }) => text === closest.condition) ?? { name: closest.condition };
  return `No hits. Closest: ${revealed(closest.symbol)} misses ${revealed(name)} by ${revealed(closest.by)}.`;
}

/** "Stooq did not answer in 10 s for 3 symbols: HLMR, TRVN, ESKA."; differing reasons are listed by Show. */
export function unansweredText(unanswered: Scan['unanswered']): string {
  const symbols = unanswered.slice(0, 6).map(({ symbol }) => revealed(symbol));
  const more = unanswered.length - symbols.length;
  const reasons = new Set(unanswered.map(({ reason }) => reason));
  const [reason = ''] = reasons;
  const of = `${counted(unanswered.length, 'symbol')}: ${symbols.join(', ')}${more > 0 ? ` and ${count(more)} more` : ''}.`;
  return reasons.size === 1 && reason !== '' ? `${revealed(reason).replace(/\.$/, '')} for ${of}` : `No answer for ${of}`;
}

/** "Net debt ÷ EBITDA changed from below 2 to below 1.5." */
export function changedText(changes: readonly Change[], fields: readonly Field[]): string {
  const [only] = changes;
  if (changes.length !== 1 || !only) return `${counted(changes.length, 'change')} since the scan began.`;
  const { of, before, now } = only;
  if (of !== 'condition') return { universe: 'The universe changed.', missing: 'The handling of missing figures changed.', score: 'The score changed.' }[of];
  if (before === null) return now === null ? '' : `${conditionName(now, fields)} was added.`;
  if (now === null) return `${conditionName(before, fields)} was removed.`;
  if (before.field !== null && before.field === now.field) {
    const isLimit = before.operator === now.operator;
    const [from, to] = isLimit ? [before.value, now.value] : [limitText(before), limitText(now)];
    return `${conditionName(now, fields)}${isLimit ? ' limit' : ''} changed from ${from} to ${to.trim() === '' ? 'nothing' : to}.`;
  }
  return `${conditionName(before, fields)} changed to ${conditionName(now, fields)}.`;
}

/** Why the hits do not match the open screen; `null` if they do. */
export function outdatedText(found: Pick<Found, 'screen' | 'draft'>, isRunning: boolean, screen: string, draft: Draft, fields: readonly Field[]): string | null {
  if (isSameDraft(found.draft, draft)) return null;
  const which = isRunning ? 'The running scan' : 'The last scan';
  if (found.screen !== screen) return `${which} is for ${found.screen === '' ? 'a screen without a name' : revealed(found.screen)}.`;
  const changes = changesOf(found.draft, draft);
  const [only] = changes;
  const old = changes.length === 1 && only?.before?.field != null && only.before.operator === only.now?.operator ? only.before.value : null;
  return `${changedText(changes, fields)} ${which} ${isRunning ? 'still uses' : 'used'} ${old ?? (changes.length === 1 ? 'the old one' : 'the old ones')}.`;
}

/** "below 18", "between 0.5 and 5 bn" */
function limitText({ operator, value }: Condition): string {
  return `${operator} ${value}`;
}

/** "Score 84 = Value 40 + Growth 44" */
export function scoreText({ score, parts }: Pick<Hit, 'score' | 'parts'>): string {
  if (score === null) return '';
  return `Score ${numberText(score)}${parts.length === 0 ? '' : ` = ${parts.map(({ name, points }) => `${revealed(name)} ${numberText(points)}`).join(' + ')}`}`;
}

/** "Stooq, 20 Nov" */
export function sourceText({ source, date }: CheckedCondition, today: string): string {
  return [revealed(source), date === null ? '' : shortDay(date, today)].filter(Boolean).join(', ');
}

/** "Net debt ÷ EBITDA is 11 months old." */
export function oldText({ name, date }: CheckedCondition, today: string): string {
  const days = date === null ? null : daysBetween(date, today);
  if (days === null) return `${revealed(name)} is old.`;
  return `${revealed(name)} is ${days < 60 ? counted(days, 'day') : counted(Math.round(days / 30.44), 'month')} old.`;
}

/** "With Net debt ÷ EBITDA at 1.5 it drops out."; without the name if the text about the only old figure precedes it. */
export function nearestText({ nearest, conditions, hit }: Explanation): string {
  const name = nearest === null ? undefined : conditions[nearest.condition]?.name;
  if (nearest === null || name === undefined || !hit) return '';
  const old = conditions.filter((condition) => condition.old);
  if (old.length === 1 && old[0] === conditions[nearest.condition]) return `At ${revealed(nearest.limit)} it drops out.`;
  return `With ${revealed(name)} at ${revealed(nearest.limit)} it drops out.`;
}

/** "Mid-cap value, monthly, Jan 2016 to Oct 2026" */
export function testText({ strategy, rules, from, to }: BackTest): string {
  const rebalance = rules.find(({ name }) => /rebalanc/i.test(name))?.value.toLowerCase();
  return [revealed(strategy), rebalance === undefined ? '' : revealed(rebalance), `${monthOf(from)} to ${monthOf(to)}`].filter(Boolean).join(', ');
}

/** The legend's name of the tested line. */
export function subjectText({ strategy }: Pick<BackTest, 'strategy'>, strategies: readonly Strategy[]): string {
  return strategies.some(({ name }) => name === strategy) ? 'This strategy' : 'This screen';
}

/** "Jan 2016" */
const monthOf = (day: string) => wholeDay(day).replace(/^\d+ /, '');

/** "Run 14:12. From Stooq, SEC." */
export function ranText({ at, sources }: BackTest, when: (at: string) => string): string {
  return `${at === null ? '' : `Run ${when(at)}. `}${sources.length === 0 ? '' : `From ${sources.map(revealed).join(', ')}.`}`.trim();
}

/** The first possible start, from an error about missing closes. */
export function firstDayIn(words: string): { readonly from: string; readonly label: string } | null {
  const [, year, rest = ''] = /\b((?:19|20)\d{2})(-\d{2}-\d{2})?\b/.exec(words) ?? [];
  return year === undefined ? null : { from: year + (rest || '-01-01'), label: `Use ${rest === '' ? year : wholeDay(year + rest)}` };
}
