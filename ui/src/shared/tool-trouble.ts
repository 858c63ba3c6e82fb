// What there is to say of a tool that is not simply ready: why, and what to do about it.

import type { ToolRow } from '../ipc';
import { skillStates } from './Badge';

export interface ToolTrouble {
  /** Beside its name: "broken", "older version". */
  readonly word: string;
  /** It can be called anyway. */
  readonly usable: boolean;
  readonly tone: 'danger' | 'warn' | 'grey';
  /** One sentence or more; the remedy may be among them. */
  readonly message: string;
}

/** `null` for a tool that is in order. */
export function troubleOf(tool: Pick<ToolRow, 'state' | 'reason'>): ToolTrouble | null {
  const { state, reason } = tool;
  switch (state) {
    case 'available':
    case 'active':
      if (!reason) return null;
      // Its file is broken and Nova keeps what worked, or the file has a name that leads astray.
      return LAST_GOOD.test(reason)
        ? { word: 'older version', usable: true, tone: 'warn', message: `${sentence(reason)} ${FIX}` }
        : { word: 'check the name', usable: true, tone: 'warn', message: sentence(reason) };
    case 'broken':
      return { word: 'broken', usable: false, tone: 'danger', message: `${sentence(reason ?? 'Its file cannot be read.')} ${FIX}` };
    case 'starting':
      return { word: 'starting', usable: false, tone: 'grey', message: sentence(reason ?? 'Its file is being read.') };
    default:
      return { word: skillStates[state].word, usable: false, tone: 'warn', message: reason === null ? '' : sentence(reason) };
  }
}

const LAST_GOOD = /last good version stays in use/i;
const FIX = 'Fix the file and save it.';

function sentence(text: string): string {
  return /[.!?]$/.test(text) ? text : `${text}.`;
}
