// A script of the assistant: its calls with their decisions, its planned writes, and its source.
import { useState } from 'react';

import type { NoteDiffView } from '../ipc';
import { counted, EffectBadge, Icon, type IconName, LinkButton, noteName } from '../shared';
import { Diff } from '../shared/Diff';
import { Revealed } from '../shared/Revealed';
import type { CallItem } from '../state/session';
import { useActions } from '../state/hooks';
import { NoteCaption } from './NoteCaption';
import { argumentSummary, deciderLabel, doneSummary, scriptOf } from './wording';

interface ScriptPayloadProps {
  readonly call: CallItem;
  /** Its calls so far. */
  readonly within: readonly CallItem[];
  readonly open: boolean;
  readonly onOpen: (open: boolean) => void;
}

/** A script's calls and planned writes. */
export function ScriptPayload({ call, within, open, onOpen }: ScriptPayloadProps) {
  const lines = counted(scriptOf(call).split('\n').length, 'line');
  const made = within.length === 0 ? '' : `, made ${counted(within.length, 'call')}, each by its own rule`;
  const diff = call.approval?.diff ?? [];
  return (
    <div
      role="region"
      aria-label="What was run and would be written"
      tabIndex={0}
      className="flex max-h-[50vh] flex-col gap-2.5 overflow-y-auto rounded-badge text-small short:max-h-[40vh]"
    >
      <div className="shrink-0 divide-y divide-line overflow-hidden rounded-control border border-line">
        <button type="button" aria-expanded={open} className="flex min-h-7.5 w-full items-center gap-2 bg-surface-side px-2.5 text-left" onClick={() => onOpen(!open)}>
          <Icon name="code" size={14} className="text-fg-2" />
          <span className="font-mono text-fg">{call.tool}</span>
          <span className="cut min-w-0 flex-1 text-fg-2">
            script of {lines}
            {made}
          </span>
          <Icon name={open ? 'chevron-down' : 'chevron-right'} size={14} className="text-fg-2" />
        </button>
        {open && <Source text={scriptOf(call)} />}
        <Rows calls={within} asks />
      </div>
      {diff.length === 1 && diff.map((one) => <Diff key={one.path} diff={one} caption={<NoteCaption diff={one} />} />)}
      {diff.length > 1 && <Diffs diffs={diff} />}
    </div>
  );
}

/** The calls of a script, within its card. */
export function ScriptCalls({ call, calls }: { call: CallItem; calls: readonly CallItem[] }) {
  if (calls.length === 0) return null;
  return (
    <div className="divide-y divide-line overflow-hidden rounded-control border border-line">
      <Rows calls={calls} asks={call.state === 'waiting'} />
    </div>
  );
}

export function ScriptSource({ call }: { call: CallItem }) {
  return (
    <div className="overflow-hidden rounded-control border border-line">
      <Source text={scriptOf(call)} />
    </div>
  );
}

function Source({ text }: { text: string }) {
  return (
    <ol aria-label="Script" data-testid="script-source" className="selectable max-h-80 overflow-auto bg-surface-sunken px-2.5 py-1.5 font-mono text-small">
      {text.split('\n').map((line, at) => (
        <li key={at} className="flex gap-3">
          <span aria-hidden className="w-6 shrink-0 text-right text-fg-3 select-none">
            {at + 1}
          </span>
          <span className="min-w-0 flex-1 break-words whitespace-pre-wrap">
            <Revealed text={line} />
          </span>
        </li>
      ))}
    </ol>
  );
}

/** Calls of one tool with the same outcome. */
interface Row {
  readonly calls: readonly [CallItem, ...CallItem[]];
  readonly icon: IconName;
  readonly tone: string;
  readonly line: string;
  /** How it was decided. */
  readonly decided: string;
}

function Rows({ calls, asks }: { calls: readonly CallItem[]; asks: boolean }) {
  const { show } = useActions();
  return rowsOf(calls, asks).map(({ calls: [first], icon, tone, line, decided }) => (
    <div key={first.call} data-testid="script-call" data-tool={first.tool} data-state={first.state} className="flex min-h-7.5 items-center gap-2 px-2.5">
      <Icon name={icon} size={14} className={`shrink-0 ${tone}`} />
      <span className="shrink-0 font-mono text-fg">
        <Revealed text={first.tool} />
      </span>
      <span className="cut min-w-0 flex-1 text-fg-3">
        <Revealed text={line} />
      </span>
      {first.state === 'refused' ? (
        <LinkButton className="text-small" onClick={() => show({ kind: 'settings', page: 'permissions' })}>
          Show rule
        </LinkButton>
      ) : (
        <span className="shrink-0 text-fg-2">
          <Revealed text={decided} />
        </span>
      )}
      <EffectBadge effect={first.effect} />
    </div>
  ));
}

/** Calls of a tool that write to the same draft, or failed the same way, share a line. */
function rowsOf(calls: readonly CallItem[], asks: boolean): readonly Row[] {
  const groups = new Map<string, [CallItem, ...CallItem[]]>();
  for (const call of calls) {
    const alike = call.state === 'done' ? call.effect === 'write' : call.state !== 'waiting' && call.state !== 'running';
    const key = alike ? `${call.tool} ${call.state} ${call.result?.error?.message ?? ''}` : call.call;
    const known = groups.get(key);
    if (known) known.push(call);
    else groups.set(key, [call]);
  }
  return [...groups.values()].map((group) => rowOf(group, asks));
}

function rowOf(group: [CallItem, ...CallItem[]], asks: boolean): Row {
  const [call] = group;
  const many = group.length > 1 ? `${group.length} times` : '';
  const row = (icon: IconName, tone: string, line: string, decided: string): Row => ({ calls: group, icon, tone, line, decided });
  const asked = many || argumentSummary(call.args);
  const error = call.result?.error?.message ?? '';
  switch (call.state) {
    case 'done':
      if (call.effect === 'write' && call.result?.changeSet === null && call.approval === null) {
        const line = many ? `${many}, as one draft` : asked;
        return asks ? row('queued', 'text-fg-2', line, 'asks here') : row('check', 'text-ok', line, 'written together');
      }
      return row('check', 'text-ok', doneSummary(call), decisionOf(call));
    case 'running':
      return row('spinner', 'text-fg-2', asked, 'running');
    case 'waiting':
      return row('question', 'text-accent', asked, 'asks by itself');
    case 'refused':
      return row('shield', 'text-fg-3', many ? `refused by a rule, ${many}` : 'refused by a rule', '');
    case 'denied':
      return row('x', 'text-fg-3', asked, `denied ${deciderLabel(call.approval?.decided?.by ?? 'user')}`);
    case 'failed':
      return row('failed', 'text-danger', error || asked, many ? `failed ${many}` : 'failed');
    case 'cancelled':
    case 'unanswered':
      return row('ban', 'text-fg-3', asked, 'stopped');
    case 'unknown':
      return row('question', 'text-warn', asked, 'outcome unknown');
  }
}

function decisionOf(call: CallItem): string {
  const decided = call.approval?.decided;
  if (decided) return `allowed ${decided.decision === 'session' ? 'for this chat' : decided.decision} ${deciderLabel(decided.by)}`;
  return call.effect === 'read' ? 'reads run' : 'allowed by a rule';
}

/** The changes of several notes, one line each. */
function Diffs({ diffs }: { diffs: readonly NoteDiffView[] }) {
  const folders = new Set(diffs.map(({ path }) => noteName(path).folder));
  const [folder = ''] = folders;
  const plain = diffs.every((diff) => onlyProperty(diff) !== null);
  return (
    <div className="shrink-0 divide-y divide-line overflow-hidden rounded-control border border-line">
      <p className="flex min-h-7.5 items-center gap-2 bg-surface-side px-2.5">
        <Icon name="note" size={14} className="text-fg-2" />
        <span className="font-medium">{counted(diffs.length, 'note')}</span>
        <span className="cut min-w-0 flex-1 text-fg-3">{folders.size === 1 && <Revealed text={folder} />}</span>
        {plain && <span className="shrink-0 text-fg-2">1 property each, nothing else</span>}
      </p>
      {diffs.map((diff) => (
        <DiffRow key={diff.path} diff={diff} />
      ))}
    </div>
  );
}

function DiffRow({ diff }: { diff: NoteDiffView }) {
  const [open, setOpen] = useState(false);
  const property = onlyProperty(diff);
  return (
    <div data-testid="script-diff" data-path={diff.path}>
      <button type="button" aria-expanded={open} className="flex min-h-7.5 w-full items-center gap-2 px-2.5 text-left hover:bg-hover" onClick={() => setOpen(!open)}>
        <Icon name={open ? 'chevron-down' : 'chevron-right'} size={14} className="text-fg-2" />
        <span className="cut w-36 shrink-0 font-medium">
          <Revealed text={noteName(diff.path).name} />
        </span>
        {property === null ? (
          <span className="cut min-w-0 flex-1 text-fg-2">
            <Revealed text={diff.summary} />
          </span>
        ) : (
          <span className="cut min-w-0 flex-1 font-mono text-fg-2">
            <Revealed text={property.key} />: {property.before !== null && <Value as="del" text={property.before} />}
            <span className="px-1.5 font-sans text-fg-3" aria-label="becomes">
              →
            </span>
            {property.after !== null && <Value as="ins" text={property.after} />}
          </span>
        )}
      </button>
      {open && (
        <div className="px-2.5 pb-2">
          <Diff diff={diff} caption={<NoteCaption diff={diff} />} />
        </div>
      )}
    </div>
  );
}

function Value({ as: Tag, text }: { as: 'del' | 'ins'; text: string }) {
  return (
    <Tag className={`rounded-badge px-1 ${Tag === 'del' ? 'bg-danger-soft text-danger' : 'bg-ok-soft text-ok no-underline'}`}>
      {text === '' ? 'empty' : <Revealed text={text} />}
    </Tag>
  );
}

/** The only change of a note, if it is a property. */
function onlyProperty(diff: NoteDiffView) {
  const [first, ...more] = diff.properties;
  return first !== undefined && more.length === 0 && diff.hunks.length === 0 && diff.kind === 'modified' && diff.from === undefined ? first : null;
}
