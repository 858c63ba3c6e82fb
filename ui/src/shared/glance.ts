// Formats due items reported by skills: "2 overdue, 2 due this week".
import type { GlanceValue, GlanceView } from '../ipc';
import { amountsOf, moneyText, numberText, percentText } from './amount';

/** Empty if nothing is due. */
export function glanceText(said: readonly GlanceValue[]): string {
  return said.map(partText).filter((text) => text !== '').join(', ');
}

/** A skill's badge, beside its name. */
export function badgeOf(glances: readonly GlanceView[] | null, skill: string): string {
  return glanceText((glances ?? []).filter((one) => one.skill === skill).flatMap(({ badge }) => badge));
}

function partText({ value, format, unit, words }: GlanceValue): string {
  const money = format === 'money' || format === 'gain' || format === 'signed';
  const text = money
    ? amountsOf(value, unit).map((amount) => moneyText(amount, format !== 'money')).join(', ')
    : typeof value === 'string' || typeof value === 'number'
      ? format === 'percent' || format === 'change'
        ? percentText(String(value), format === 'change')
        : numberText(String(value))
      : '';
  return text === '' ? '' : `${text} ${words}`.trim();
}
