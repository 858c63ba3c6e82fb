import { useReads } from '../skill/useReads';
import { birthdaysIn } from './birthdays';
import type { CalendarEvent } from './events';
import { useHasTool } from './useHasTool';

const TOOL = 'crm.birthdays';

/** Birthdays of contacts in consecutive weeks, given their Mondays; none without the skill crm. */
export function useBirthdays(weeks: readonly string[]): readonly CalendarEvent[] {
  const known = useHasTool(TOOL, true);
  const asked = { tool: TOOL, args: { from: weeks[0] ?? '', days: 7 * weeks.length } };
  return birthdaysIn(useReads(known ? [asked] : []).of(asked)?.result?.value);
}
