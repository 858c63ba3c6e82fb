import { addDays } from '../../shared/form/dates';
import { useReads } from '../skill/useReads';
import { birthdaysIn, followUpsIn } from './contact-days';
import type { CalendarEvent } from './events';
import { useHasTool } from './useHasTool';

const TOOLS = { birthdays: 'crm.birthdays', followUps: 'crm.follow_ups' };

/** Birthdays and due contacts in consecutive weeks, given their Mondays; none without the skill crm. */
export function useContactDays(weeks: readonly string[]): readonly CalendarEvent[] {
  const from = weeks[0] ?? '';
  const to = addDays(from, 7 * weeks.length - 1);
  const birthdays = { tool: TOOLS.birthdays, args: { from, days: 7 * weeks.length } };
  const followUps = { tool: TOOLS.followUps, args: { until: to } };
  const wanted = [...(useHasTool(TOOLS.birthdays, true) ? [birthdays] : []), ...(useHasTool(TOOLS.followUps, true) ? [followUps] : [])];
  const reads = useReads(wanted);
  return [...birthdaysIn(reads.of(birthdays)?.result?.value), ...followUpsIn(reads.of(followUps)?.result?.value, from, to)];
}
