// Screen reader announcements of the conversation: whole blocks, never a stream.
import type { CallItem, Item, SessionState, Turn } from '../state/session';
import { noteName } from '../shared';
import { revealed } from '../shared/invisible';
import { skillLabel } from './wording';

export interface Announcements {
  readonly polite: readonly string[];
  /** Waiting questions and failures. */
  readonly assertive: readonly string[];
}

export function announcements(before: SessionState, after: SessionState): Announcements {
  const polite: string[] = [];
  const assertive: string[] = [];
  for (const turn of after.turns) {
    const old = before.turns.find((other) => other.id === turn.id);
    if (old === turn) continue;
    const known = new Map(old?.items.map((item) => [item.id, item]));
    for (const item of turn.items) {
      const was = known.get(item.id);
      if (was !== item) ofItem(was, item, polite, assertive);
    }
    ofTurn(old, turn, polite, assertive);
  }
  return { polite, assertive };
}

function ofTurn(old: Turn | undefined, turn: Turn, polite: string[], assertive: string[]) {
  if (turn.status === (old?.status ?? 'running')) return;
  if (turn.status === 'failed' && turn.failure) assertive.push(`${turn.failure.message} ${turn.failure.hint}`.trim());
  if (turn.status === 'cancelled') polite.push('Stopped');
}

function ofItem(was: Item | undefined, item: Item, polite: string[], assertive: string[]) {
  switch (item.kind) {
    case 'message': {
      const blocks = was?.kind === 'message' ? was.blocks : [];
      for (const block of item.blocks) {
        if (block.done && !blocks.find((other) => other.index === block.index)?.done) polite.push(textOf(block.html));
      }
      return;
    }
    case 'call':
      ofCall(was?.kind === 'call' ? was : undefined, item, polite, assertive);
      return;
    case 'conflict':
      if (!was) assertive.push(`Both of you changed ${revealed(noteName(item.note).name)}`);
      return;
    case 'notice':
      if (was) return;
      if (item.notice.type === 'activated') polite.push(`${skillLabel(item.notice.skill)} activated`);
      if (item.notice.type === 'credential_needed') assertive.push(`The credential ${revealed(item.notice.credential)} is needed`);
      if (item.notice.type === 'vault_folder' && !item.notice.gone) polite.push(revealed(item.notice.message));
      if (item.notice.type === 'changed_outside') {
        polite.push(`Changed in Obsidian: ${revealed(item.notice.paths.map((path) => noteName(path).name).join(', '))}`);
      }
  }
}

function ofCall(was: CallItem | undefined, call: CallItem, polite: string[], assertive: string[]) {
  const tool = revealed(call.tool);
  if (call.state === 'waiting' && (was?.state !== 'waiting' || was.approval?.revision !== call.approval?.revision)) {
    assertive.push(`${revealed(call.approval?.question ?? 'May this run?')} ${tool}`);
    return;
  }
  if (call.state !== was?.state) {
    if (call.state === 'failed') assertive.push(`${tool} failed. ${revealed(call.result?.error?.message ?? '')}`.trim());
    else if (call.state === 'unknown') assertive.push(`${tool}: outcome unknown`);
    else if (call.endedAt !== null) polite.push(`${tool} ${call.state}`);
    return;
  }
  const quarter = (fraction: number | null | undefined) => Math.floor((fraction ?? 0) * 4);
  if (quarter(call.progress?.fraction) > quarter(was.progress?.fraction)) {
    polite.push(`${tool} ${quarter(call.progress?.fraction) * 25} %`);
  }
}

function textOf(html: string): string {
  return new DOMParser().parseFromString(html, 'text/html').body.textContent.replaceAll(/\s+/g, ' ').trim();
}
