// What the calls of commands carry, in words.
import type { JsonValue, SandboxView } from '../ipc';
import type { CallItem } from '../state/session';
import { isObject } from './wording';

export function commandOf(args: JsonValue): { readonly command: string; readonly background: boolean } {
  const given = isObject(args) ? args : {};
  return { command: text(given['command']) ?? '', background: given['background'] === true };
}

/** "vault read only without private notes, at most 120 s and 1 GB" */
export function guardText(sandbox: SandboxView, args: JsonValue): string {
  const asked = isObject(args) ? args['timeout_s'] : null;
  const seconds = typeof asked === 'number' ? asked : sandbox.seconds;
  const memory = sandbox.memory >= 2 ** 30 ? `${sandbox.memory / 2 ** 30} GB` : `${Math.round(sandbox.memory / 2 ** 20)} MB`;
  const vault = sandbox.vault ? 'vault read only without private notes, ' : '';
  return `${vault}at most ${seconds} s and ${memory}`;
}

/** What it has said so far, or had said at its end. */
export function outputOf(call: CallItem): { readonly text: string; readonly lines: number } {
  const value = call.result?.soFar ?? call.result?.value ?? call.progress?.partial ?? null;
  if (!isObject(value)) return { text: '', lines: 0 };
  const lines = value['lines'];
  return { text: text(value['output']) ?? '', lines: typeof lines === 'number' ? lines : 0 };
}

interface CommandEnd {
  /** The code that it ended with. */
  readonly code: number | null;
  /** The limit for which it was ended. */
  readonly reason: string | null;
  /** Where all of its output lies, where the card holds a part. */
  readonly file: string | null;
  /** Files of the vault that it was not given. */
  readonly leftOut: string | null;
}

export function commandEnd(call: CallItem): CommandEnd {
  const value = isObject(call.result?.value) ? call.result.value : {};
  const code = value['exit_code'];
  return {
    code: typeof code === 'number' ? code : null,
    reason: text(value['ended']),
    file: text(value['whole_output']),
    leftOut: text(value['left_out']),
  };
}

/** The line of a command that has ended: "214 lines", "ended with code 2". */
export function commandSummary(call: CallItem): string {
  const { code, reason } = commandEnd(call);
  if (reason !== null) return 'ended at a limit';
  if (code !== null && code !== 0) return `ended with code ${code}`;
  const { lines } = outputOf(call);
  return lines === 1 ? '1 line' : `${lines.toLocaleString('en')} lines`;
}

function text(value: JsonValue | undefined): string | null {
  return typeof value === 'string' ? value : null;
}
