// Texts of a routine's row. Pure.
import type { RoutineRow, RoutineRun } from '../ipc';
import { asSentence, clockTime, dayText } from './format';
import { revealed } from './invisible';

/** "Mon 23 Nov, 07:30" */
export function momentText(at: string, now: Date): string {
  const day = dayText(new Date(at), now);
  return day === '' ? clockTime(at) : `${day}, ${clockTime(at)}`;
}

/** The next time, or why there is none. */
export function nextText({ problem, enabled, next }: RoutineRow, now: Date): string {
  if (problem !== null) return problem;
  if (!enabled) return 'Off';
  return next === null ? 'No time set' : `Next ${momentText(next, now)}`;
}

const ends: Record<RoutineRun['end'], string> = {
  running: 'Running',
  waiting: 'Waits for your answer',
  completed: 'Completed',
  failed: 'Failed',
  stopped: 'Stopped',
  cut_off: 'Cut off when Nova ended',
};

/** "Completed Mon 23 Nov, 07:30, 2 h late. Two tasks are due." */
export function lastText(run: RoutineRun, now: Date): string {
  const late = run.late === 0 ? '' : `, ${lateText(run.late)} late`;
  const said = run.said === '' ? '' : ` ${asSentence(revealed(run.said))}`;
  return `${ends[run.end]} ${momentText(run.started, now)}${late}.${said}`;
}

/** "2 h 40 min", "3 days" */
export function lateText(minutes: number): string {
  const days = Math.floor(minutes / 1440);
  if (days > 0) return days === 1 ? '1 day' : `${days} days`;
  const [hours, rest] = [Math.floor(minutes / 60), minutes % 60];
  return [hours > 0 ? `${hours} h` : '', rest > 0 || hours === 0 ? `${rest} min` : ''].filter((part) => part !== '').join(' ');
}

/** Whether its last run needs the user: it stopped at a question, or did not finish. */
export function waits({ last }: RoutineRow): boolean {
  if (last === null) return false;
  return last.end === 'waiting' || (!last.seen && (last.end === 'failed' || last.end === 'cut_off' || last.end === 'stopped'));
}
