// Texts about a pending tool.

import type { PendingToolRow, ToolFileProblem, UserError } from '../ipc';

export interface Confirmation {
  /** The consequences of promoting it. */
  readonly text: string;
  readonly button: string;
  /** Whether it can do something irreversible. */
  readonly grave: boolean;
}

/**
 * The confirmation before promoting the tool; `null` if one click is enough. A promoted file counts as
 * reviewed: later questions are only about its effect and hosts, never again about the secrets it reads.
 */
export function confirmation({ definition }: Pick<PendingToolRow, 'definition'>): Confirmation | null {
  if (definition === null) return null;
  const { tool, effect, credentials } = definition;
  const grave = effect === 'send' || effect === 'destructive' || effect === 'undeclared';
  if (!grave && credentials.length === 0) return null;
  const does = {
    send: 'It sends in your name; each call asks first.',
    destructive: 'It does what cannot be undone; each call asks first.',
    undeclared: 'It declares no effect; each call asks first.',
  };
  const parts = [
    grave ? does[effect] : '',
    credentials.length > 0 ? `It can read ${credentials.join(', ')} from its first call on, without asking again.` : '',
  ];
  return { text: parts.filter((part) => part !== '').join(' '), button: `Promote ${tool}`, grave };
}

/** "weather.ts, line 14, column 3: name is missing." */
export function problemLine({ file, line, column, message }: ToolFileProblem): string {
  const place = [file, line === null ? '' : `line ${line}`, line === null || column === null ? '' : `column ${column}`];
  const text = /[.!?]$/.test(message) ? message : `${message}.`;
  // Some messages include their position.
  return message.startsWith(file) ? text : `${place.filter((part) => part !== '').join(', ')}: ${text}`;
}

export type StaleReason = 'changed' | 'gone';

/** Whether a command failed because the tool has changed since it was shown. */
export function staleReason({ code }: UserError): StaleReason | null {
  switch (code) {
    case 'pending_tool_changed':
      return 'changed';
    case 'unknown_pending_tool':
      return 'gone';
    default:
      return null;
  }
}
