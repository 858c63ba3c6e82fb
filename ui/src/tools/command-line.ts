// The equivalent command line. Quoted for a POSIX shell, or for cmd.exe on Windows.

import type { JsonValue } from '../ipc';

export function commandLine(tool: string, args: JsonValue, platform = 'linux'): string {
  const quote = platform === 'windows' ? quoteForCmd : quoteForShell;
  const call = `nova tool call ${tool}`;
  const empty = typeof args === 'object' && args !== null && Object.keys(args).length === 0;
  return empty ? call : `${call} --args ${quote(JSON.stringify(args))}`;
}

/** A POSIX shell changes nothing within single quotes; a single quote itself must be outside. */
function quoteForShell(text: string): string {
  return `'${text.replaceAll("'", "'\\''")}'`;
}

/** Programs split the line by the rules of the C runtime: backslashes before a quote are doubled. */
function quoteForCmd(text: string): string {
  return `"${text.replace(/(\\*)"/g, '$1$1\\"').replace(/(\\+)$/, '$1$1')}"`;
}
