// Formats the data of command calls.
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

/** The hosts it may contact: those of the question, which include edits. */
export function hostsOf(call: CallItem, sandbox: SandboxView): readonly string[] {
  if (call.approval === null || call.approval.midRun) return sandbox.hosts;
  return call.approval.host?.split(', ') ?? [];
}

/** A command's traffic with one host. */
export interface HostTraffic {
  readonly host: string;
  readonly requests: number;
  /** Bytes to the host. */
  readonly sent: number;
  /** Bytes from the host. */
  readonly received: number;
  /** Why its requests were refused. */
  readonly refused: string | null;
}

/** By host, in order of the first request; and the number of unlisted requests. */
export function networkOf(call: CallItem): { readonly hosts: readonly HostTraffic[]; readonly leftOut: number } {
  const value = soFarOf(call);
  const requests = isObject(value) && Array.isArray(value['network']) ? value['network'] : [];
  const hosts = new Map<string, HostTraffic>();
  for (const request of requests.filter(isObject)) {
    const [name, port] = [text(request['host']), number(request['port'])];
    if (name === null) continue;
    const host = port === 80 || port === 443 ? name : `${name}:${port}`;
    const refused = text(request['refused']);
    const key = `${host} ${refused === null ? '' : 'refused'}`;
    const known = hosts.get(key) ?? { host, requests: 0, sent: 0, received: 0, refused };
    hosts.set(key, {
      ...known,
      requests: known.requests + 1,
      sent: known.sent + number(request['sent']),
      received: known.received + number(request['received']),
    });
  }
  return { hosts: [...hosts.values()], leftOut: isObject(value) ? number(value['network_left_out']) : 0 };
}

/** "3 requests, 1.2 kB sent, 40 kB received" */
export function trafficText({ requests, sent, received, refused }: HostTraffic): string {
  const count = requests === 1 ? '1 request' : `${requests} requests`;
  return refused === null ? `${count}, ${bytesText(sent)} sent, ${bytesText(received)} received` : `${count} refused`;
}

function bytesText(bytes: number): string {
  if (bytes < 1000) return `${bytes} B`;
  const [size, unit] = bytes < 1_000_000 ? [bytes / 1000, 'kB'] : [bytes / 1_000_000, 'MB'];
  return `${size < 10 ? size.toFixed(1) : Math.round(size)} ${unit}`;
}

/** Its output so far, or at its end. */
export function outputOf(call: CallItem): { readonly text: string; readonly lines: number } {
  const value = soFarOf(call);
  if (!isObject(value)) return { text: '', lines: 0 };
  return { text: text(value['output']) ?? '', lines: number(value['lines']) };
}

/** The known data, while it runs and afterwards. */
function soFarOf(call: CallItem): JsonValue {
  return call.result?.soFar ?? call.result?.value ?? call.progress?.partial ?? null;
}

interface CommandEnd {
  /** Its exit code. */
  readonly code: number | null;
  /** The limit that ended it. */
  readonly reason: string | null;
  /** The file with the whole output, if the card has only a part. */
  readonly file: string | null;
  /** Files of the vault that it did not receive. */
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

/** The line of a finished command: "214 lines", "ended with code 2". */
export function commandSummary(call: CallItem): string {
  const { code, reason } = commandEnd(call);
  if (reason !== null) return 'ended at a limit';
  if (code !== null && code !== 0) return `ended with code ${code}`;
  const { lines } = outputOf(call);
  return lines === 1 ? '1 line' : `${lines.toLocaleString('en')} lines`;
}

function number(value: JsonValue | undefined): number {
  return typeof value === 'number' ? value : 0;
}

function text(value: JsonValue | undefined): string | null {
  return typeof value === 'string' ? value : null;
}
