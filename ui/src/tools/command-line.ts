// The same call as one line for a terminal. Quoting is for a POSIX shell, on Windows for cmd.exe.

import type { JsonValue } from '../ipc';

export function commandLine(tool: string, args: JsonValue, platform = 'linux'): string {
  const quote = platform === 'windows' ? quoteForCmd : quoteForShell;
  const call = `nova tool call ${tool}`;
  const empty = typeof args === 'object' && args !== null && Object.keys(args).length === 0;
  return empty ? call : `${call} --args ${quote(JSON.stringify(args))}`;
}

/** Inside single quotes a POSIX shell changes nothing; the quote itself has to stand outside them. */
function quoteForShell(text: string): string {
  return `'${text.replaceAll("'", "'\\''")}'`;
}

/** Programs split the line by the rules of the C runtime: backslashes before a quote count double. */
function quoteForCmd(text: string): string {
  return `"${text.replace(/(\\*)"/g, '$1$1\\"').replace(/(\\+)$/, '$1$1')}"`;
}
