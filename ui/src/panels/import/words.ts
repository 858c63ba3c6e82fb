import { dateText } from '../../shared';

/** "2026-11-20" → "20 Nov" */
export function dayOf(day: string): string {
  return dateText(new Date(`${day}T00:00:00`));
}
