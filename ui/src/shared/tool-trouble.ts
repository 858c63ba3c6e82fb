// Why a tool is not ready, and the remedy.

import type { ToolRow } from '../ipc';
import { skillStates } from './Badge';

export interface ToolTrouble {
  /** Shown beside its name: "broken", "older version". */
  readonly word: string;
  /** Whether it can be called anyway. */
  readonly usable: boolean;
  readonly tone: 'danger' | 'warn' | 'grey';
  /** One or more sentences, possibly including the remedy. */
  readonly message: string;
}

/** `null` for a tool without problems. */
export function troubleOf(tool: Pick<ToolRow, 'state' | 'reason'>): ToolTrouble | null {
  const { state, reason } = tool;
  switch (state) {
    case 'available':
    case 'active':
      if (!reason) return null;
      // Its file is broken and the last good version is used, or the file name is misleading.
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
