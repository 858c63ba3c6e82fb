// Groups the items of a turn for rendering.
import { type CallItem, decidedQuestions, type Item, type SessionState } from '../state/session';
import { isAtWork } from '../state/subagents';

export type Group =
  /** Lines with a common border. */
  | { readonly kind: 'calls'; readonly items: readonly [CallItem, ...CallItem[]] }
  /** Concurrent sub-agents. */
  | { readonly kind: 'tasks'; readonly items: readonly [CallItem, ...CallItem[]] }
  /** Calls decided by one answer. */
  | { readonly kind: 'approval'; readonly items: readonly [CallItem, ...CallItem[]] }
  | { readonly kind: 'single'; readonly items: readonly [Exclude<Item, CallItem>] };

/** In order; each item is in exactly one group. */
export function groupItems(items: readonly Item[]): Group[] {
  const groups: Group[] = [];
  for (const item of items) {
    if (item.kind !== 'call') {
      groups.push({ kind: 'single', items: [item] });
      continue;
    }
    // Shown on the card of its script; only a question has its own card.
    if (item.within !== null && item.state !== 'waiting') continue;
    const last = groups.at(-1);
    const kind = item.state === 'waiting' ? 'approval' : isAtWork(item) ? 'tasks' : 'calls';
    const joins = last?.kind === kind && (kind === 'tasks' || (kind === 'approval' ? oneAnswer(last.items[0], item) : oneBorder(last.items[0], item)));
    if (joins) groups[groups.length - 1] = { kind, items: [...last.items, item] };
    else groups.push({ kind, items: [item] });
  }
  return groups;
}

/** The calls made by a call's script, in order. */
export function callsWithin(calls: readonly CallItem[], call: CallItem): readonly CallItem[] {
  const found = calls.filter(({ within }) => within === call.call);
  return found.length > 0 ? found : none;
}

/** Shared, so that calls without a script are not re-rendered. */
const none: readonly CallItem[] = [];

/** Ids of the first call of each waiting card, oldest first. */
export function waitingCards(state: SessionState): string[] {
  const groups = state.turns.flatMap((turn) => groupItems(turn.items));
  return groups.flatMap((group) => (group.kind === 'approval' ? [group.items[0].id] : []));
}

/** A batch of writes by one tool is asked about once. */
function oneAnswer(first: CallItem, next: CallItem): boolean {
  return (
    first.effect === 'write' &&
    !first.approval?.midRun &&
    !next.approval?.midRun &&
    !first.approval?.credentials &&
    !next.approval?.credentials &&
    next.effect === 'write' &&
    first.tool === next.tool &&
    first.principal.kind === next.principal.kind &&
    first.principal.name === next.principal.name &&
    first.approval?.decisions.join() === next.approval?.decisions.join()
  );
}

function oneBorder(first: CallItem, next: CallItem): boolean {
  return !standsAlone(first) && !standsAlone(next);
}

/** A card that is larger than its line, has its own border colour, or an answer above it. */
function standsAlone(call: CallItem): boolean {
  const asked = decidedQuestions(call).some(({ decided, midRun }) => midRun || decided?.decision !== 'deny');
  return asked || call.state === 'unknown' || (call.state === 'running' && call.progress?.partial != null);
}
