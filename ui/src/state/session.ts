// Reduces the events of one session to the conversation rendered by the window. Pure: no clock, no generated
// ids, no commands. Stored and live events go through the same function and result in the same state.
import type { Envelope, UserError } from '../ipc/protocol.generated';
import { beforeOf, chosen, inForce, noBranches, started } from './branches';
import type { ActiveSkill, Approval, CallItem, Counted, Item, Notice, NoticeItem, SessionState, Step, Turn } from './conversation';
import { startedAgent, workedAgent } from './subagents';
import { counted, ended, isOpen, neverRan, newTurn, notice, replaceItem, still, thinks, withBlock, withCall, withConflict, withDecision, withEnd, withItem, withMessageText, writes } from './turn';

export type * from './conversation';

export const emptySession: SessionState = {
  opening: [],
  turns: [],
  all: [],
  branches: noBranches,
  skills: [],
  seq: 0,
};

/** The state after one more event of the session. */
export function reduce(state: SessionState, event: Envelope): SessionState {
  if (event.seq <= state.seq && !endsRunning(state, event)) return state;
  return { ...apply(state, event), seq: Math.max(state.seq, event.seq) };
}

/**
 * The end of a turn is numbered before it is stored and emitted after, so an edit of a note observed in
 * between overtakes it. If it were ignored, the chat would run forever.
 */
function endsRunning(state: SessionState, { type, turn }: Envelope): boolean {
  const ends = type === 'turn_completed' || type === 'turn_cancelled' || type === 'turn_failed';
  return ends && turn !== undefined && runningTurn(state)?.id === turn;
}

/**
 * The state of a stored session. `running`: whether its last turn still runs somewhere; `runningCalls`:
 * detached calls that still run.
 */
export function replay(events: readonly Envelope[], running: boolean, runningCalls: readonly string[] = []): SessionState {
  // A stored message comes back as several blocks with its number, so no event is skipped here.
  const state = events.reduce((before, event) => ({ ...apply(before, event), seq: Math.max(before.seq, event.seq) }), emptySession);
  return running ? state : interrupted(state, runningCalls);
}

/** The running turn. */
export function runningTurn(state: SessionState): Turn | null {
  const last = state.turns.at(-1);
  return last?.status === 'running' ? last : null;
}

/** Calls that wait for the user, oldest first. */
export function waitingCalls(state: SessionState): CallItem[] {
  return state.turns.flatMap((turn) => turn.items.filter((item) => item.kind === 'call' && item.state === 'waiting')) as CallItem[];
}

/** Running calls, including detached ones. */
export function runningCalls(state: SessionState): CallItem[] {
  return state.turns.flatMap((turn) => turn.items.filter((item) => item.kind === 'call' && item.state === 'running')) as CallItem[];
}

/** Earlier writes of the turn that this call waits for: writes run one at a time, reads concurrently. */
export function writesBefore(calls: readonly CallItem[], call: CallItem): number {
  if (call.state !== 'running' || call.progress !== null || !writes(call)) return 0;
  const before = calls.slice(0, calls.indexOf(call));
  return before.filter((other) => isOpen(other) && !other.detached && writes(other)).length;
}

/** The newest request of the active branch with token counts, for its own model, whichever is chosen now. */
export function lastCounted({ turns }: SessionState): Counted | null {
  const turn = turns.findLast(({ steps }) => steps.some(({ usage }) => usage !== null));
  const at = turn?.steps.findLastIndex(({ usage }) => usage !== null) ?? -1;
  const usage = turn?.steps[at]?.usage;
  if (!turn || !usage) return null;
  const context = turn.steps.slice(0, at + 1).findLast((step) => step.context !== null)?.context ?? null;
  return { model: turn.model, usage, context };
}

/** Decided questions about the call, oldest first. */
export function decidedQuestions(call: CallItem): readonly Approval[] {
  return call.approval?.decided ? [...call.earlier, call.approval] : call.earlier;
}

function apply(state: SessionState, event: Envelope): SessionState {
  switch (event.type) {
    case 'turn_started':
      return begun(state, newTurn(event, event), event.after);
    case 'branch_chosen': {
      const next = withTurns(state, state.all, chosen(state.branches, event.chosen));
      return { ...next, skills: next.turns.at(-1)?.active ?? state.skills };
    }
    case 'step_started':
      return inTurn(state, event, (turn) => {
        const { at, tools, prefix_kept: prefixKept, bytes, host, notes = [], notes_before: notesBefore = 0, context = null } = event;
        const step: Step = { at, tools, prefixKept, bytes, host, notes, notesBefore, context, usage: null };
        return thinks({ ...turn, steps: [...turn.steps, step] }, event.at);
      });
    case 'reasoning_delta':
      return inTurn(state, event, (turn) => thinks(turn, event.at));
    case 'text_delta':
      return inTurn(state, event, still);
    case 'message_block':
      return inTurn(state, event, (turn) => still(withBlock(turn, event)));
    case 'message_completed':
      return inTurn(state, event, (turn) => withMessageText(turn, event));
    case 'tool_call_started':
    case 'approval_requested':
    case 'elicitation_requested':
    case 'approval_decided':
    case 'tool_call_progress':
    case 'tool_call_detached':
    case 'tool_call_completed':
    case 'subagent_started':
    case 'subagent_worked':
      return applyToCall(state, event);
    case 'skill_activated': {
      const known = state.skills.some((active) => active.skill === event.skill);
      const active = { skill: event.skill, by: event.by, lifetime: event.lifetime };
      const skills = known
        ? state.skills.map((other) => (other.skill === event.skill ? active : other))
        : [...state.skills, active];
      return withNotice(withSkills(state, skills), event, { type: 'activated', ...active });
    }
    case 'skill_deactivated': {
      const rest = withSkills(state, state.skills.filter((active) => active.skill !== event.skill));
      // Its activation already said that it is for one turn.
      return event.by === 'turn' ? rest : withNotice(rest, event, { type: 'deactivated', skill: event.skill, by: event.by });
    }
    case 'notes_changed_outside':
      return withOutsideChange(state, event, event.paths, event.summaries ?? {});
    case 'history_compacted':
      return withNotice(state, event, {
        type: 'compacted',
        by: event.by,
        messages: event.messages,
        before: event.before,
        after: event.after,
        why: event.why ?? null,
      });
    case 'credential_needed':
      return withCredentialNeeded(state, event);
    case 'conflict_found':
      return inTurn(state, event, (turn) => withConflict(turn, event));
    case 'conflict_resolved':
      return withTurns(state, state.all.map((turn) => withDecision(turn, event)));
    case 'usage':
      return inTurn(state, event, (turn) => counted(turn, { input: event.input, cached: event.cached, output: event.output }));
    case 'turn_completed':
      return inTurn(state, event, (turn) => ended(turn, 'completed', event.at));
    case 'turn_cancelled':
      return inTurn(state, event, (turn) => ended(turn, 'cancelled', event.at, event.unknown));
    case 'turn_failed':
      return inTurn(state, event, (turn) => ({
        ...ended(turn, 'failed', event.at),
        failure: { code: event.code, message: event.message, hint: event.hint },
      }));
    default:
      return state;
  }
}

type OfCall = Extract<Envelope, { type: `tool_call_${string}` | `approval_${string}` | `subagent_${string}` | 'elicitation_requested' }>;

function applyToCall(state: SessionState, event: OfCall): SessionState {
  switch (event.type) {
    case 'tool_call_started':
      // A tool run from its form has no message before it.
      return inTurn(state.all.length > 0 ? state : begun(state, newTurn(event)), event, (turn) =>
        still(
          withCall(turn, {
            kind: 'call',
            id: `call-${event.call}`,
            call: event.call,
            tool: event.tool,
            args: event.args,
            effect: event.effect,
            principal: event.principal,
            within: event.within ?? null,
            sandbox: event.sandbox ?? null,
            state: 'running',
            approval: null,
            earlier: [],
            detached: false,
            progress: null,
            result: null,
            runningSince: event.at,
            endedAt: null,
          }),
        ),
      );
    case 'approval_requested':
      return inCall(state, event.call, (call) =>
        isOpen(call)
          ? {
              ...call,
              state: 'waiting',
              args: event.args,
              earlier: decidedQuestions(call),
              approval: {
                decisions: event.decisions,
                question: event.question,
                editable: event.editable,
                diff: event.diff,
                ...(event.details?.length ? { details: event.details } : {}),
                host: event.host,
                ...(event.credentials?.length ? { credentials: event.credentials } : {}),
                midRun: event.mid_run,
                revision: event.revision,
                decided: null,
              },
            }
          : call,
      );
    case 'elicitation_requested': {
      const { from = '', message = '', schema, url = null, host = null, decisions = [], revision = 0 } = event;
      const approval: Approval = {
        decisions,
        question: `${from} asks you`,
        editable: false,
        diff: null,
        host,
        midRun: true,
        revision,
        elicitation: { from, message, schema, url },
        decided: null,
      };
      return inCall(state, event.call, (call) => (isOpen(call) ? { ...call, state: 'waiting', earlier: decidedQuestions(call), approval } : call));
    }
    case 'approval_decided':
      return inCall(state, event.call, (call) => ({
        ...call,
        approval: {
          ...(call.approval ?? noApproval),
          decided: { decision: event.decision, by: event.by, reason: event.reason, at: event.at },
        },
        ...(!isOpen(call)
          ? {}
          : event.decision === 'deny' && !call.approval?.midRun
            ? { state: 'denied', endedAt: event.at }
            : { state: 'running', runningSince: event.at }),
      }));
    case 'tool_call_progress':
      return inCall(state, event.call, (call) =>
        isOpen(call)
          ? {
              ...call,
              progress: {
                // A partial result does not affect the progress.
                fraction: event.fraction ?? (event.partial === null ? null : (call.progress?.fraction ?? null)),
                message: event.message ?? call.progress?.message ?? null,
                partial: event.partial ?? call.progress?.partial ?? null,
              },
            }
          : call,
      );
    case 'subagent_started':
      return inCall(state, event.call, (call) => ({ ...call, subAgent: startedAgent(event) }));
    case 'subagent_worked':
      return inCall(state, event.call, (call) => (call.subAgent ? { ...call, subAgent: workedAgent(call.subAgent, event) } : call));
    case 'tool_call_detached':
      return inCall(state, event.call, (call) =>
        isOpen(call)
          ? {
              ...call,
              detached: true,
              progress: call.progress ?? { fraction: null, message: null, partial: event.so_far },
            }
          : call,
      );
    case 'tool_call_completed': {
      const before = findCall(state, event.call);
      const ended = inCall(state, event.call, (call) => withEnd(call, event));
      if (!before?.detached || !isOpen(before)) return ended;
      return inTurn(ended, { ...event, turn: undefined }, (turn) =>
        withItem(turn, notice(event, { type: 'late_end', call: before.call, tool: before.tool, ok: event.ok })),
      );
    }
  }
}

function begun(state: SessionState, turn: Turn, after?: string | null): SessionState {
  const branches = started(state.branches, turn.id, after);
  const before = beforeOf(branches, turn.id) ?? null;
  const goesOn = before === (state.turns.at(-1)?.id ?? null);
  const skills = goesOn ? state.skills : (state.all.find((other) => other.id === before)?.active ?? []);
  return withTurns({ ...state, skills }, [...state.all, { ...turn, active: skills }], branches);
}

/** The state with these turns, and the active ones among them. */
function withTurns(state: SessionState, all: readonly Turn[], branches = state.branches): SessionState {
  // Nothing was ever branched.
  if (branches.next.size === 0) return { ...state, all, turns: all, branches };
  const byId = new Map(all.map((turn) => [turn.id, turn]));
  return { ...state, all, turns: inForce(branches).flatMap((id) => byId.get(id) ?? []), branches };
}

function withSkills(state: SessionState, skills: readonly ActiveSkill[]): SessionState {
  const last = state.turns.at(-1);
  const all = state.all.map((turn) => (turn === last ? { ...turn, active: skills } : turn));
  return withTurns({ ...state, skills }, last ? all : state.all);
}

/** The last turn was interrupted when Nova ended: its calls will not be answered. */
function interrupted(state: SessionState, runningCalls: readonly string[]): SessionState {
  const turn = runningTurn(state);
  const lost = (item: Item): item is CallItem => item.kind === 'call' && isOpen(item) && !runningCalls.includes(item.call);
  const open = state.all.some((other) => other.items.some(lost));
  if (!turn && !open && !state.all.some((other) => other.status === 'running')) return state;
  const cut = state.all.map((other) => {
    const items = other.items.map((item) =>
      lost(item)
        ? { ...item, state: neverRan(item) ? ('unanswered' as const) : ('unknown' as const), progress: null }
        : item,
    );
    return { ...other, items };
  });
  const turns = cut.map((other) => {
    if (other.status !== 'running') return other;
    const failure: UserError = { code: 'cancelled', message: 'Nova was closed during this turn.', hint: 'Send the message again.' };
    return { ...other, status: 'failed' as const, thinkingSince: null, failure };
  });
  return withTurns(state, turns);
}

function withNotice(state: SessionState, event: Envelope, what: Notice): SessionState {
  const item = notice(event, what);
  if (state.all.length === 0) return { ...state, opening: [...state.opening, item] };
  return inTurn(state, event, (turn) => withItem(turn, item));
}

/**
 * Adds a notice about the vault's folder. It is an app event, numbered separately from those of sessions, and
 * not in a session's log.
 */
export function withVaultFolder(state: SessionState, event: Extract<Envelope, { type: 'vault_gone' | 'vault_back' }>): SessionState {
  const what: Notice = { type: 'vault_folder', gone: event.type === 'vault_gone', message: event.message };
  const said = (item: Item) => item.kind === 'notice' && item.notice.type === 'vault_folder';
  const before = (state.turns.at(-1)?.items ?? state.opening).findLast(said);
  // Shown once, even if the event is repeated.
  if (before?.kind === 'notice' && before.notice.type === 'vault_folder' && before.notice.message === event.message) return state;
  const item: NoticeItem = { kind: 'notice', id: `vault-${event.seq}`, at: event.at, notice: what };
  if (state.all.length === 0) return { ...state, opening: [...state.opening, item] };
  return inTurn(state, {}, (turn) => withItem(turn, item));
}

/** An editor that saves every few seconds adds one line in all. */
function withOutsideChange(
  state: SessionState,
  event: Envelope,
  paths: readonly string[],
  summaries: Readonly<Record<string, string | undefined>>,
): SessionState {
  const what: Notice = { type: 'changed_outside', paths, summaries };
  const last = state.turns.at(-1);
  const item = last?.items.at(-1);
  const same =
    item?.kind === 'notice' &&
    item.notice.type === 'changed_outside' &&
    item.notice.paths.join('\n') === paths.join('\n');
  if (!last || !same) return withNotice(state, event, what);
  const replaced = replaceItem(last, last.items.length - 1, () => notice(event, what));
  return withTurns(state, state.all.with(state.all.indexOf(last), replaced));
}

/** The model is told on every attempt; the user once per turn. */
function withCredentialNeeded(state: SessionState, event: Extract<Envelope, { type: 'credential_needed' }>): SessionState {
  const { credential, consumer } = event;
  const said = (item: Item) =>
    item.kind === 'notice' &&
    item.notice.type === 'credential_needed' &&
    item.notice.credential === credential &&
    item.notice.consumer === consumer;
  if (state.turns.at(-1)?.items.some(said)) return state;
  return withNotice(state, event, { type: 'credential_needed', credential, consumer });
}

function inTurn(state: SessionState, event: Pick<Envelope, 'turn'>, change: (turn: Turn) => Turn): SessionState {
  const named = event.turn === undefined ? -1 : state.all.findLastIndex((turn) => turn.id === event.turn);
  // Events without a turn are added to the last active one.
  const last = state.turns.at(-1);
  const at = named >= 0 ? named : last === undefined ? -1 : state.all.indexOf(last);
  const turn = state.all[at];
  if (!turn) return state;
  return withTurns(state, state.all.with(at, change(turn)));
}

function inCall(state: SessionState, call: string, change: (call: CallItem) => CallItem): SessionState {
  // Call ids come from the provider and may repeat across turns: the newest one is meant.
  const turnAt = state.all.findLastIndex((turn) => turn.items.some((item) => item.kind === 'call' && item.call === call));
  const turn = state.all[turnAt];
  if (!turn) return state;
  const at = turn.items.findLastIndex((item) => item.kind === 'call' && item.call === call);
  return withTurns(state, state.all.with(turnAt, replaceItem(turn, at, (item) => change(item as CallItem))));
}

function findCall(state: SessionState, call: string): CallItem | null {
  for (const turn of state.all.toReversed()) {
    const found = turn.items.findLast((item) => item.kind === 'call' && item.call === call);
    if (found) return found as CallItem;
  }
  return null;
}

const noApproval: Omit<Approval, 'decided'> = {
  decisions: [],
  question: '',
  editable: false,
  diff: null,
  host: null,
  midRun: false,
  revision: 0,
};
