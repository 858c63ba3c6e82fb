// The data of one session's conversation, as rendered by the window.
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
  /** Notices before the first message, such as a pinned skill. */
  readonly opening: readonly NoticeItem[];
  /** The turns of the active branch. */
  readonly turns: readonly Turn[];
  /** The turns of all branches, in log order. */
  readonly all: readonly Turn[];
  readonly branches: Branches;
  /** In the order of activation. */
  readonly skills: readonly ActiveSkill[];
  /** Number of the last applied event; older ones are ignored, so that streams may overlap. */
  readonly seq: number;
}

export interface Turn {
  readonly id: string;
  /** The user's message. */
  readonly text: string;
  readonly model: string;
  /** Skills the user activated with the message. */
  readonly skills: readonly string[];
  /** The `skill.tool` chosen by the user. */
  readonly tool: string | null;
  /** Images of the user's message. */
  readonly images: readonly ImageView[];
  /** Content attached from MCP servers. */
  readonly outside: readonly AttachedFile[];
  /** Skills active after it. */
  readonly active: readonly ActiveSkill[];
  /** RFC 3339. */
  readonly startedAt: string;
  readonly endedAt: string | null;
  readonly status: 'running' | 'completed' | 'cancelled' | 'failed';
  /** The error of a failed turn. */
  readonly failure: UserError | null;
  /** Since when the model has shown no output; null while it streams or calls, and after the turn. */
  readonly thinkingSince: string | null;
  /** Requests to the provider, oldest first. */
  readonly steps: readonly Step[];
  /** In order of their first events. */
  readonly items: readonly Item[];
}

/** The input of a turn. */
export type Said = Pick<Turn, 'id' | 'text' | 'skills' | 'tool' | 'images' | 'outside'>;

/** One request to the provider. */
export interface Step {
  /** RFC 3339 */
  readonly at: string;
  /** The tools offered to the model: `skill.tool`, or in wire format. */
  readonly tools: readonly string[];
  /** Whether the previous request is an unchanged prefix, so that the provider can use its cache. */
  readonly prefixKept: boolean;
  readonly bytes: number;
  /** The host of the request; null for this machine, undefined if the log does not say. */
  readonly host: string | null | undefined;
  /** Paths of notes whose content it contains and no request of the previous turn does. */
  readonly notes: readonly string[];
  /** Number of further notes contained that earlier turns already sent to this host. */
  readonly notesBefore: number;
  /** Its share of the model's context; null for a summary request. */
  readonly context: ContextView | null;
  /** The provider's token counts; null until reported. */
  readonly usage: Usage | null;
}

/** The newest request with token counts. */
export interface Counted {
  /** The `provider/model` of the request. */
  readonly model: string;
  readonly usage: Usage;
  readonly context: ContextView | null;
}

export type Item = MessageItem | CallItem | NoticeItem | ConflictItem;

/** Consecutive blocks of an assistant message. */
export interface MessageItem {
  readonly kind: 'message';
  readonly id: string;
  readonly message: string;
  readonly blocks: readonly Block[];
  /** The complete message as Markdown, on its last item. */
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
  /** As written by the model, or as edited before approval. */
  readonly args: JsonValue;
  readonly effect: Effect;
  readonly principal: PrincipalView;
  /** The call whose script makes it: shown on that one's card. */
  readonly within: string | null;
  /** The sandbox of its command; null if it runs none. */
  readonly sandbox: SandboxView | null;
  readonly state: CallState;
  /** The newest question about it. */
  readonly approval: Approval | null;
  /** Earlier decided questions, oldest first: hosts are requested while it runs. */
  readonly earlier: readonly Approval[];
  /** The turn continues without its result. */
  readonly detached: boolean;
  readonly progress: Progress | null;
  readonly result: CallResult | null;
  /** The sub-agent that works on it. */
  readonly subAgent?: SubAgent;
  /** When it started running, excluding time spent waiting for answers; RFC 3339. */
  readonly runningSince: string;
  readonly endedAt: string | null;
}

/**
 * `waiting`: for the user's answer. `unanswered`: the turn ended first. `unknown`: stopped when the effect
 * may or may not have happened.
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

/** The sub-agent of a call, in its own session. */
export interface SubAgent {
  /** Its session, which can be opened as a chat. */
  readonly session: string;
  readonly name: string;
  /** `provider/model` */
  readonly model: string;
  /** The host of its requests; null for this machine. */
  readonly host: string | null;
  /** The tools it may use, as `skill.tool`. */
  readonly tools: readonly string[];
  /** The effects of those, weakest first. */
  readonly effects: readonly Effect[];
  readonly steps: number;
  readonly stepLimit: number;
  readonly tokens: number;
  readonly tokenLimit: number;
  /** Its current activity; null while its model responds. */
  readonly now: string | null;
  /** Number of its requests to other hosts. */
  readonly requests: number;
  /** Paths of the notes contained in those requests. */
  readonly sent: readonly string[];
}

export interface Approval {
  /** In display order. */
  readonly decisions: readonly Decision[];
  readonly question: string;
  readonly editable: boolean;
  readonly diff: readonly NoteDiffView[] | null;
  /** The call's effects, if not obvious from its arguments. */
  readonly details?: readonly DetailView[];
  /** Several are joined by ", ". */
  readonly host: string | null;
  /** Credentials that it would be granted. */
  readonly credentials?: readonly string[];
  /** Asked while the call runs: a denial blocks only that host and does not end the call. */
  readonly midRun: boolean;
  readonly revision: number;
  /** A question of the program behind the call; `once` sends it the values. */
  readonly elicitation?: Elicitation;
  readonly decided: { readonly decision: Decision; readonly by: string; readonly reason: string | null; readonly at: string } | null;
}

export interface Elicitation {
  /** The program that asks and receives the answer. */
  readonly from: string;
  readonly message: string;
  /** The schema of the requested values; null for a visit to `url`. */
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
  /** Quotable figures of the value. */
  readonly figures: readonly FigureView[];
  readonly changes: readonly NoteChangeView[];
  readonly changeSet: string | null;
  /** Outside changes merged with the call's write: "stage: lead → won". */
  readonly merged: readonly string[];
  /** The partial result when it was stopped. */
  readonly soFar: JsonValue;
  /** The tool's log. */
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
      /** Summaries of changes by path, if known. */
      readonly summaries: Readonly<Record<string, string | undefined>>;
    }
  | { readonly type: 'compacted'; readonly by: CompactedBy; readonly messages: number; readonly before: number; readonly after: number; readonly why: string | null }
  | { readonly type: 'credential_needed'; readonly credential: string; readonly consumer: string }
  /** The folder of the vault or an extra root disappeared or is back. */
  | { readonly type: 'vault_folder'; readonly gone: boolean; readonly message: string }
  | { readonly type: 'late_end'; readonly call: string; readonly tool: string; readonly ok: boolean };

/** A note with conflicting edits of the user and Nova; nothing was written. */
export interface ConflictItem {
  readonly kind: 'conflict';
  readonly id: string;
  readonly at: string;
  readonly note: string;
  /** Nova's version. */
  readonly mine: string;
  /** The vault's version. */
  readonly theirs: string;
  /** The chosen side, and when. */
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
