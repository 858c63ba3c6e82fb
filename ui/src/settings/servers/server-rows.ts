// Texts of a server's row: the dot, the state, and the next step.

import type { ServerRow, ServerToolCounts } from '../../ipc';
import { counted, dateText } from '../../shared';

export type ServerRemedyName = 'review' | 'restart' | 'stop' | 'sign_in' | 'credentials';

export interface ServerRemedy {
  readonly to: ServerRemedyName;
  readonly label: string;
}

export interface ServerLineText {
  /** Classes of the dot; none while starting. */
  readonly dot: string | null;
  readonly text: string;
  readonly remedy: ServerRemedy | null;
}

const review: ServerRemedy = { to: 'review', label: 'Review' };

/** `since`: milliseconds since the row was loaded. */
export function serverLine(row: ServerRow, since = 0): ServerLineText {
  switch (row.state) {
    case 'off':
      return { dot: 'border border-fg-3', text: row.tools === null ? 'Off, never started' : 'Off', remedy: null };
    case 'needs_review': {
      const what = row.host === null ? 'command' : 'address';
      const text = row.changed ? `Not started: its ${what} changed` : `Not started: approve the ${what}`;
      return { dot: 'bg-warn', text, remedy: review };
    }
    case 'starting': {
      const clock = row.start ? `, ${clockText(row.start.elapsed + since)} of ${clockText(row.start.limit)}` : '';
      return { dot: null, text: `Starting${clock}: waits for its tool list`, remedy: { to: 'stop', label: 'Stop' } };
    }
    case 'needs_sign_in': {
      // A local program has no sign-in page.
      const remedy: ServerRemedy = row.host === null ? { to: 'credentials', label: 'Credentials' } : { to: 'sign_in', label: 'Sign in' };
      return { dot: 'bg-warn', text: `Needs sign-in: ${row.reason ?? 'it requires authentication'}`, remedy };
    }
    case 'failed':
      return { dot: 'bg-danger', text: failedText(row, since), remedy: { to: 'restart', label: 'Try now' } };
    case 'asleep':
    case 'ready': {
      if (row.tools && row.tools.changed > 0) return { dot: 'bg-warn', text: `Needs review: ${blockedText(row.tools)}`, remedy: review };
      if (row.state === 'asleep') return { dot: 'bg-ok', text: 'Ready, asleep. Starts with the next call', remedy: null };
      const use = row.active_in > 0 ? `, used in ${counted(row.active_in, 'chat')}` : '';
      return { dot: 'bg-ok', text: `Ready${use}`, remedy: null };
    }
  }
}

/** "2 tools changed, 1 new tool blocked since 9 Nov" */
function blockedText({ changed, new: added, changed_since }: ServerToolCounts): string {
  const others = changed - added;
  const parts = [others > 0 && `${counted(others, 'tool')} changed`, added > 0 && `${counted(added, 'new tool')} blocked`];
  const since = changed_since === null ? '' : ` since ${dateText(new Date(changed_since))}`;
  return parts.filter(Boolean).join(', ') + since;
}

function failedText(row: ServerRow, since: number): string {
  const { failures, next_try } = row;
  const times = failures > 1 ? ` ${failures} times` : '';
  const next = next_try === null ? '' : ` Next try in ${Math.max(0, Math.ceil((next_try - since) / 1000))} s.`;
  return `Failed${times}: ${reasonText(row)}${next}`;
}

/** The reason without what is shown beside it: the name, and the lines of its error output. */
function reasonText({ name, reason, last_lines }: ServerRow): string {
  const whole = (reason ?? 'no reason was given.').replace(`${name} is not running. `, '');
  const [why = whole] = last_lines.length > 0 ? whole.split(' It said: ') : [whole];
  return why.replace(/([^.])$/, '$1.');
}

/** Minutes and seconds. */
function clockText(ms: number): string {
  const seconds = Math.floor(ms / 1000);
  return `${Math.floor(seconds / 60)}:${String(seconds % 60).padStart(2, '0')}`;
}

export function needsAttention(row: ServerRow): boolean {
  if (row.state === 'off') return false;
  return row.state === 'needs_review' || row.state === 'needs_sign_in' || row.state === 'failed' || (row.tools?.changed ?? 0) > 0;
}

/** "7 of 10", and whether that is the last known state. */
export function toolsText({ tools, state }: ServerRow): { readonly text: string; readonly lastKnown: boolean } {
  if (tools === null) return { text: 'unknown', lastKnown: false };
  const text = tools.on === tools.listed ? String(tools.listed) : `${tools.on} of ${tools.listed}`;
  return { text, lastKnown: state === 'failed' || state === 'needs_sign_in' || state === 'starting' };
}
