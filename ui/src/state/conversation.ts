// A conversation as data: what the window draws of one session.
import type {
  ActivatedBy,
  AttachedFile,
  CompactedBy,
  ConflictSide,
  ContextView,
  DeactivatedBy,
  Decision,
  DetailView,
  Effect,
  FigureView,
  ImageView,
  JsonValue,
  LogLine,
  NoteChangeView,
  NoteDiffView,
  PrincipalView,
  SandboxView,
  SourceView,
  UserError,
} from '../ipc/protocol.generated';
import type { Branches } from './branches';

export interface SessionState {
  /** Notices from before the first message, such as a pinned skill. */
  readonly opening: readonly NoticeItem[];
  /** Of the branch in force. */
  readonly turns: readonly Turn[];
  /** Of every branch, in the order of the log. */
  readonly all: readonly Turn[];
  readonly branches: Branches;
  /** In the order of activation. */
  readonly skills: readonly ActiveSkill[];
  /** Number of the last event read; an older one is ignored, so that streams may overlap. */
  readonly seq: number;
}

export interface Turn {
  readonly id: string;
  /** The user's message. */
  readonly text: string;
  readonly model: string;
  /** Skills the user activated with the message. */
  readonly skills: readonly string[];
  /** `skill.tool` the user pointed at. */
  readonly tool: string | null;
  /** What the user's message shows beside its text. */
  readonly images: readonly ImageView[];
  /** What it takes along from MCP servers. */
  readonly outside: readonly AttachedFile[];
  /** Skills that are active after it. */
  readonly active: readonly ActiveSkill[];
  /** RFC 3339. */
  readonly startedAt: string;
  readonly endedAt: string | null;
  readonly status: 'running' | 'completed' | 'cancelled' | 'failed';
  /** Why a failed turn failed. */
  readonly failure: UserError | null;
  /** Since when the model has answered nothing that can be seen; none while it writes, calls or the turn is over. */
  readonly thinkingSince: string | null;
  /** Requests to the provider, oldest first. */
  readonly steps: readonly Step[];
  /** In the order in which their first events arrived. */
  readonly items: readonly Item[];
}

/** What a turn was begun with. */
export type Said = Pick<Turn, 'id' | 'text' | 'skills' | 'tool' | 'images' | 'outside'>;

/** One request to the provider. */
export interface Step {
  /** RFC 3339 */
  readonly at: string;
  /** `skill.tool` or as they are on the wire: what the model could call. */
  readonly tools: readonly string[];
  /** What was sent before stands unchanged at the beginning, so the provider need not read it again. */
  readonly prefixKept: boolean;
  readonly bytes: number;
  /** The host it went to; null where it stayed on this machine, undefined where the log does not say. */
  readonly host: string | null | undefined;
  /** Paths of the notes that the model learned something of by it and by no request of the turn before. */
  readonly notes: readonly string[];
  /** How many more went along that requests of earlier turns to this host name. */
  readonly notesBefore: number;
  /** How much of the model's context it takes; none for one that asks for a summary. */
  readonly context: ContextView | null;
  /** What the provider counted; none until it said so. */
  readonly usage: Usage | null;
}

/** What the newest request took that its provider has counted. */
export interface Counted {
  /** `provider/model` that it went to. */
  readonly model: string;
  readonly usage: Usage;
  readonly context: ContextView | null;
}

export type Item = MessageItem | CallItem | NoticeItem | ConflictItem;

/** Blocks of an assistant message that nothing else came in between. */
export interface MessageItem {
  readonly kind: 'message';
  readonly id: string;
  readonly message: string;
  readonly blocks: readonly Block[];
  /** The message as Markdown, on its last item, once it is complete. */
  readonly text: string | null;
}

export interface Block {
  readonly index: number;
  /** Sanitised by the backend. */
  readonly html: string;
  readonly done: boolean;
}

export interface CallItem {
  readonly kind: 'call';
  readonly id: string;
  readonly call: string;
  /** `skill.tool` */
  readonly tool: string;
  /** As the model wrote them, or as they were edited before the call was allowed. */
  readonly args: JsonValue;
  readonly effect: Effect;
  readonly principal: PrincipalView;
  /** The call whose script makes it: drawn within that one's card. */
  readonly within: string | null;
  /** Where its command runs; null of a call that runs none. */
  readonly sandbox: SandboxView | null;
  readonly state: CallState;
  /** The newest question about it. */
  readonly approval: Approval | null;
  /** Questions that were decided before that one, oldest first: hosts are asked about while it runs. */
  readonly earlier: readonly Approval[];
  /** The turn continues without its result. */
  readonly detached: boolean;
  readonly progress: Progress | null;
  readonly result: CallResult | null;
  /** The sub-agent that works for it. */
  readonly subAgent?: SubAgent;
  /** When it began to run, without the time an answer was waited for; RFC 3339. */
  readonly runningSince: string;
  readonly endedAt: string | null;
}

/**
 * `waiting`: for the user's answer. `unanswered`: the turn ended before an answer.
 * `unknown`: stopped at a point where the effect may or may not have happened.
 */
export type CallState =
  | 'waiting'
  | 'running'
  | 'done'
  | 'failed'
  | 'cancelled'
  | 'unknown'
  | 'denied'
  | 'refused'
  | 'unanswered';

/** Who works for a call, in a session of its own. */
export interface SubAgent {
  /** Its session, which can be opened as a chat. */
  readonly session: string;
  readonly name: string;
  /** `provider/model` */
  readonly model: string;
  /** Where its requests go; null where they stay on this machine. */
  readonly host: string | null;
  /** `skill.tool`: what it may use. */
  readonly tools: readonly string[];
  /** The effects of those, the least first. */
  readonly effects: readonly Effect[];
  readonly steps: number;
  readonly stepLimit: number;
  readonly tokens: number;
  readonly tokenLimit: number;
  /** What it does, where that is not that its model answers. */
  readonly now: string | null;
  /** Its requests to another machine. */
  readonly requests: number;
  /** Paths of the notes that those requests told of. */
  readonly sent: readonly string[];
}

export interface Approval {
  /** In the order to offer them. */
  readonly decisions: readonly Decision[];
  readonly question: string;
  readonly editable: boolean;
  readonly diff: readonly NoteDiffView[] | null;
  /** What the call would do, where that is more than its arguments. */
  readonly details?: readonly DetailView[];
  /** Several are joined by ", ". */
  readonly host: string | null;
  /** What allowing it hands out for the first time. */
  readonly credentials?: readonly string[];
  /** Asked while the call runs: a denial keeps it from that host and does not end it. */
  readonly midRun: boolean;
  readonly revision: number;
  /** What the program behind the call asks; `once` sends it the values. */
  readonly elicitation?: Elicitation;
  readonly decided: { readonly decision: Decision; readonly by: string; readonly reason: string | null; readonly at: string } | null;
}

export interface Elicitation {
  /** The program that asks, and gets the answer. */
  readonly from: string;
  readonly message: string;
  /** Of the values it asks for; null where it asks for a visit of `url`. */
  readonly schema: JsonValue;
  readonly url: string | null;
}

export interface Progress {
  /** 0 to 1. */
  readonly fraction: number | null;
  readonly message: string | null;
  readonly partial: JsonValue;
}

export interface CallResult {
  readonly value: JsonValue;
  readonly error: UserError | null;
  readonly sources: readonly SourceView[];
  /** The numbers of the value that a person would quote. */
  readonly figures: readonly FigureView[];
  readonly changes: readonly NoteChangeView[];
  readonly changeSet: string | null;
  /** What came from outside while the call wrote: "stage: lead → won". */
  readonly merged: readonly string[];
  /** What it had found when it was stopped. */
  readonly soFar: JsonValue;
  /** What the tool logged. */
  readonly log: readonly LogLine[];
  readonly ms: number;
}

export interface NoticeItem {
  readonly kind: 'notice';
  readonly id: string;
  readonly at: string;
  readonly notice: Notice;
}

export type Notice =
  | { readonly type: 'activated'; readonly skill: string; readonly by: ActivatedBy; readonly lifetime: string }
  | { readonly type: 'deactivated'; readonly skill: string; readonly by: DeactivatedBy }
  | {
      readonly type: 'changed_outside';
      readonly paths: readonly string[];
      /** What changed, by path, where it is known. */
      readonly summaries: Readonly<Record<string, string | undefined>>;
    }
  | { readonly type: 'compacted'; readonly by: CompactedBy; readonly messages: number; readonly before: number; readonly after: number; readonly why: string | null }
  | { readonly type: 'credential_needed'; readonly credential: string; readonly consumer: string }
  /** The folder of the vault, or of an extra root, went away or is back. */
  | { readonly type: 'vault_folder'; readonly gone: boolean; readonly message: string }
  | { readonly type: 'late_end'; readonly call: string; readonly tool: string; readonly ok: boolean };

/** A note that the user and Nova changed differently; nothing of it was written. */
export interface ConflictItem {
  readonly kind: 'conflict';
  readonly id: string;
  readonly at: string;
  readonly note: string;
  /** As Nova would have written it. */
  readonly mine: string;
  /** As it was in the vault. */
  readonly theirs: string;
  /** Which side the user kept, and when. */
  readonly decided: { readonly keep: ConflictSide; readonly at: string } | null;
}

export interface ActiveSkill {
  readonly skill: string;
  readonly by: ActivatedBy;
  /** `session` or `turn` */
  readonly lifetime: string;
}

export interface Usage {
  readonly input: number;
  readonly cached: number;
  readonly output: number;
}
