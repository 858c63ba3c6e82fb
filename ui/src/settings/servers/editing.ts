// State of a form that edits a server's entry.

import type { ServerEntry } from '../../ipc';

export interface EntryForm {
  /** A program, or an address. */
  readonly runs: string;
  /** One per line. */
  readonly args: string;
  readonly cwd: string;
  /** `NAME=value`, one per line. */
  readonly values: string;
}

export function formOf({ command, args, cwd, url, values }: ServerEntry): EntryForm {
  const lines = Object.entries(values).filter(([, value]) => value !== undefined && isLine(value));
  return { runs: command ?? url ?? '', args: args.join('\n'), cwd: cwd ?? '', values: lines.map(([name, value]) => `${name}=${value ?? ''}`).join('\n') };
}

/** As a configuration block with the server's name; `entry` is the initial one. Null if incomplete. */
export function blockOf(server: string, entry: ServerEntry, { runs, args, cwd, values }: EntryForm): string | null {
  const what = runs.trim();
  if (what === '') return null;
  // Multi-line values do not fit in the form and stay unchanged.
  const kept = Object.entries(entry.values).filter(([, value]) => value !== undefined && !isLine(value));
  const all = Object.fromEntries([...kept, ...valuesIn(values)]);
  const changed =
    entry.url === null
      ? { command: what, args: args.split('\n').filter((arg) => arg !== ''), env: all, ...(cwd.trim() === '' ? {} : { cwd: cwd.trim() }) }
      : { url: what, headers: all };
  return JSON.stringify({ mcpServers: { [server]: changed } });
}

/** Parses `NAME=value` lines. */
export function valuesIn(text: string): readonly (readonly [string, string])[] {
  const lines = text.split('\n').filter((line) => line.trim() !== '');
  return lines.map((line) => {
    const [name = '', ...rest] = line.split('=');
    return [name.trim(), rest.join('=').trim()] as const;
  });
}

function isLine(value: string): boolean {
  return !/[\r\n]/.test(value);
}
