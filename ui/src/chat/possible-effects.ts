// Where a call with an unknown outcome may have had effects. Pure.
import { isNote } from '../shared';
import { decidedQuestions, type CallItem } from '../state/session';
import { isObject } from './wording';

export interface Places {
  /** Paths of the notes that it may have changed, as far as known. */
  readonly notes: readonly string[];
  /** Paths of other files. */
  readonly files: readonly string[];
  /** Whether it may have changed notes. */
  readonly changes: boolean;
  /** The tool that it may have written for review. */
  readonly written: string | null;
  /** Hosts that it was allowed to contact. */
  readonly hosts: readonly string[];
  /** The skill whose page shows its effects outside of the vault. */
  readonly skill: string | null;
}

export function placesOf(call: CallItem): Places {
  const nowhere: Places = { notes: [], files: [], changes: false, written: null, hosts: [], skill: null };
  const strings = Object.entries(isObject(call.args) ? call.args : {}).flatMap(([key, value]) => (typeof value === 'string' ? [{ key, value }] : []));
  if (call.effect === 'read') return nowhere;
  if (call.tool === 'core.create_tool') return { ...nowhere, written: strings.find(({ key }) => key === 'name')?.value ?? '' };
  const paths = [...(call.result?.changes ?? []), ...(call.approval?.diff ?? [])].map(({ path }) => path);
  const notes = unique([
    ...paths.filter(isNote),
    ...strings.filter(({ key, value }) => /\.md$/i.test(value) || (key === 'path' && call.tool.startsWith('vault.'))).map(({ value }) => value),
  ]);
  const hosts = unique([
    ...decidedQuestions(call).flatMap(({ host, decided, elicitation }) => (host === null || elicitation || decided?.decision === 'deny' ? [] : host.split(', '))),
    ...strings.flatMap(({ value }) => (/^https?:\/\//i.test(value) ? hostOf(value) : [])),
  ]);
  const outside = call.effect === 'external' || call.effect === 'send' || hosts.length > 0;
  // Undeclared effects count as destructive, anywhere.
  const files = unique(paths.filter((path) => !isNote(path)));
  const inVault = notes.length > 0 || files.length > 0;
  const anywhere = call.effect === 'destructive' && !inVault;
  return {
    ...nowhere,
    notes,
    files,
    changes: !outside || inVault,
    hosts,
    skill: outside || anywhere ? skillOf(call.tool) : null,
  };
}

function skillOf(tool: string): string | null {
  const at = tool.indexOf('.');
  return at < 0 ? null : tool.slice(0, at);
}

function hostOf(url: string): string[] {
  return URL.canParse(url) ? [new URL(url).host] : [];
}

function unique(all: readonly string[]): string[] {
  return [...new Set(all)];
}
