// Reduces events to one turn and its calls. Pure, like the conversation.
import type { Envelope, JsonValue, UserError } from '../ipc/protocol.generated';
import type { Block, CallItem, CallState, ConflictItem, Item, MessageItem, Notice, NoticeItem, Turn, Usage } from './conversation';

export function newTurn(event: Envelope, message?: Extract<Envelope, { type: 'turn_started' }>): Turn {
  return {
    id: event.turn ?? `turn-${event.seq}`,
    text: message?.text ?? '',
    model: message?.model ?? '',
    skills: message?.skills ?? [],
    tool: message?.tool ?? null,
    images: message?.images ?? [],
    outside: message?.outside ?? [],
    active: [],
    startedAt: event.at,
    endedAt: null,
    status: 'running',
    failure: null,
    thinkingSince: event.at,
    steps: [],
    items: [],
  };
}

export function ended(turn: Turn, status: Turn['status'], at: string, unknown: readonly string[] = []): Turn {
  const items = turn.items.map((item): Item => {
    if (item.kind !== 'call') return item;
    if (unknown.includes(item.call)) return { ...item, state: 'unknown', progress: null, endedAt: item.endedAt ?? at };
    // A detached call outlives its turn; only Stop ends it.
    if (!isOpen(item) || (item.detached && status !== 'cancelled')) return item;
    const state = neverRan(item) ? 'unanswered' : status === 'failed' && writes(item) ? 'unknown' : 'cancelled';
    return { ...item, state, progress: null, endedAt: at };
  });
  return { ...turn, status, items, endedAt: at, thinkingSince: null };
}

export function withEnd(call: CallItem, event: Extract<Envelope, { type: 'tool_call_completed' }>): CallItem {
  const error = event.ok ? null : asError(event.output);
  return {
    ...call,
    state: endState(call, error),
    progress: null,
    endedAt: event.at,
    result: {
      value: event.ok ? event.output : null,
      error,
      sources: event.sources,
      figures: event.figures ?? [],
      changes: event.changes,
      changeSet: event.change_set,
      merged: event.merged,
      soFar: event.so_far ?? null,
      log: event.log ?? [],
      ms: event.ms,
    },
  };
}

function endState(call: CallItem, error: UserError | null): CallState {
  // The result of Stop or of a denial stays, whatever output the model received.
  if (call.state === 'unknown' || call.state === 'denied') return call.state;
  switch (error?.code) {
    case undefined:
      return 'done';
    case 'denied_by_user':
      return 'denied';
    case 'denied_by_rule':
      return 'refused';
    case 'approval_unanswered':
      return 'unanswered';
    case 'cancelled':
      return 'cancelled';
    case 'interrupted':
      return 'unknown';
    default:
      return 'failed';
  }
}

function asError(output: JsonValue): UserError {
  if (output !== null && typeof output === 'object' && !Array.isArray(output)) {
    const { code, message, hint } = output;
    if (typeof message === 'string') {
      return {
        code: (typeof code === 'string' ? code : 'tool_failed') as UserError['code'],
        message,
        hint: typeof hint === 'string' ? hint : '',
      };
    }
  }
  return { code: 'tool_failed', message: typeof output === 'string' ? output : 'The tool failed without a reason.', hint: '' };
}

export function withBlock(turn: Turn, event: Extract<Envelope, { type: 'message_block' }>): Turn {
  const block: Block = { index: event.index, html: event.html, done: event.done };
  const at = turn.items.findIndex(
    (item) =>
      item.kind === 'message' && item.message === event.message && item.blocks.some((other) => other.index === event.index),
  );
  if (at >= 0) {
    return replaceItem(turn, at, (item) => ({
      ...(item as MessageItem),
      blocks: (item as MessageItem).blocks.map((other) => (other.index === block.index ? block : other)),
    }));
  }
  const last = turn.items.at(-1);
  if (last?.kind === 'message' && last.message === event.message) {
    return replaceItem(turn, turn.items.length - 1, () => ({ ...last, blocks: [...last.blocks, block] }));
  }
  return withItem(turn, {
    kind: 'message',
    id: `message-${event.message}-${event.index}`,
    message: event.message,
    blocks: [block],
    text: null,
  });
}

export function withMessageText(turn: Turn, event: Extract<Envelope, { type: 'message_completed' }>): Turn {
  const at = turn.items.findLastIndex((item) => item.kind === 'message' && item.message === event.message);
  if (at >= 0) return replaceItem(turn, at, (item) => ({ ...(item as MessageItem), text: event.text }));
  if (event.text.trim() === '') return turn;
  return withItem(turn, {
    kind: 'message',
    id: `message-${event.message}-text`,
    message: event.message,
    blocks: [],
    text: event.text,
  });
}

/** Replaces an undecided conflict in place if the note was edited again. */
export function withConflict(turn: Turn, event: Extract<Envelope, { type: 'conflict_found' }>): Turn {
  const { note, mine, theirs, at } = event;
  const open = turn.items.findIndex((item) => item.kind === 'conflict' && item.note === note && item.decided === null);
  if (open >= 0) return replaceItem(turn, open, (item) => ({ ...(item as ConflictItem), at, mine, theirs }));
  return withItem(turn, { kind: 'conflict', id: `conflict-${event.seq}`, at, note, mine, theirs, decided: null });
}

export function withDecision(turn: Turn, event: Extract<Envelope, { type: 'conflict_resolved' }>): Turn {
  const open = turn.items.findIndex((item) => item.kind === 'conflict' && item.note === event.note && item.decided === null);
  const decided = { keep: event.keep, at: event.at };
  return open < 0 ? turn : replaceItem(turn, open, (item) => ({ ...(item as ConflictItem), decided }));
}

export function notice(event: Envelope, what: Notice): NoticeItem {
  return { kind: 'notice', id: `notice-${event.seq}`, at: event.at, notice: what };
}

export function withItem(turn: Turn, item: Item): Turn {
  return { ...turn, items: [...turn.items, item] };
}

/** Replaces a call repeated by a script because a note changed while its card waited. */
export function withCall(turn: Turn, call: CallItem): Turn {
  const known = call.within === null ? -1 : turn.items.findIndex((item) => item.kind === 'call' && item.call === call.call);
  return known < 0 ? withItem(turn, call) : replaceItem(turn, known, () => call);
}

export function replaceItem(turn: Turn, at: number, change: (item: Item) => Item): Turn {
  const item = turn.items[at];
  return item ? { ...turn, items: turn.items.with(at, change(item)) } : turn;
}

/** Assigns token counts to the newest request. */
export function counted(turn: Turn, usage: Usage): Turn {
  const last = turn.steps.at(-1);
  return last ? { ...turn, steps: turn.steps.with(-1, { ...last, usage }) } : turn;
}

export function thinks(turn: Turn, since: string): Turn {
  return turn.status === 'running' ? { ...turn, thinkingSince: turn.thinkingSince ?? since } : turn;
}

export function still(turn: Turn): Turn {
  return turn.thinkingSince === null ? turn : { ...turn, thinkingSince: null };
}

export function isOpen(call: CallItem): boolean {
  return call.state === 'running' || call.state === 'waiting';
}

/** Whether it waits for an answer without which it does not start. */
export function neverRan(call: CallItem): boolean {
  return call.state === 'waiting' && !call.approval?.midRun;
}

/** Unknown effects count as writing. */
export function writes(call: CallItem): boolean {
  return call.effect !== 'read' && call.effect !== 'external';
}
