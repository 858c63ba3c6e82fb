// The picker's behaviour: loads the lists, and applies choices to the draft.

import { type ChangeEvent, type Dispatch, type KeyboardEvent, useEffect, useId, useMemo, useReducer, useRef, useState } from 'react';

import { nothing, type ServerPrompt, type ToolSuggestion, type UserError } from '../../ipc';
import { mainModifier } from '../../shared';
import { useActions, useApp, useRpc, useSession } from '../../state/hooks';
import type { SessionState } from '../../state/session';
import { choices, promptRow, type SkillChoice, type ToolChoice } from './choices';
import { nextGap, startingPrompt } from './prompt';
import { opensPicker, type Slash, slashAt, withoutSlash, withQuery } from './slash';
import { closed, mark, type Marked, type PickerEvent, reducePicker } from './state';

export interface Picker {
  /** Prefix of the ids of its listboxes and options. */
  readonly id: string;
  readonly query: string;
  readonly choices: readonly SkillChoice[];
  readonly marked: Marked;
  /** The lists are loading for the first time. */
  readonly loading: boolean;
  /** Why the lists or the suggestions could not be loaded. */
  readonly problem: UserError | null;
  readonly meaningProblem: UserError | null;
  point(skill: SkillChoice, tool?: ToolChoice): void;
  /** The actions of Enter, Ctrl+Enter and Shift+Enter. */
  pick(how: 'insert' | 'form' | 'skill', skill?: SkillChoice, tool?: ToolChoice): void;
  close(): void;
}

interface Field {
  readonly text: string;
  /** Sets the field's text and selection. */
  write(text: string, start: number, end?: number): void;
  /** Sets only the text, when the focus is elsewhere. */
  put(text: string): void;
}

export interface PickerControl {
  /** None while closed. */
  readonly picker: Picker | null;
  /** The server prompt being filled in. */
  readonly prompt: ServerPrompt | null;
  /** Closes its form and focuses the field. */
  closePrompt(): void;
  /** Call before the field handles the event; prevents what the picker handles. */
  onKeyDown(event: KeyboardEvent<HTMLTextAreaElement>): void;
  onChange(event: ChangeEvent<HTMLTextAreaElement>): void;
  /** The caret moved. */
  onSelect(caret: number): void;
  onBlur(): void;
  /** Types the `/` at the caret. */
  begin(): void;
}

export function usePicker(field: Field): PickerControl {
  const [state, dispatch] = useReducer(reducePicker, closed);
  const { setPrompt, ...prompting } = usePrompting(field);
  const { beginWith, toNextGap } = useGaps(field);
  const { setDraft, show } = useActions();
  const skillsChosen = useApp((app) => app.drafts[app.open ?? '']?.skills);
  const id = useId();
  const before = useRef(field.text);
  const caretAt = useRef<number | null>(null);
  useEffect(() => {
    before.current = field.text;
  }, [field.text]);

  // Another chat, or text set from outside: the word no longer exists.
  const { slash } = state;
  const open = slash !== null && slashAt(field.text, slash.at, slash.at + 1 + slash.query.length)?.query === slash.query;
  const offered = useOffered(open, open ? slash.query : '');
  const marked = mark(state, offered.choices);

  const close = () => dispatch({ type: 'closed' });
  const settings = (skill: SkillChoice) => {
    if (slash) {
      const { text, caret } = withoutSlash(field.text, slash);
      field.write(text, caret);
    }
    close();
    show({ kind: 'settings', page: 'skills', skill: skill.row.id });
  };
  const pick: Picker['pick'] = (how, skill = marked.skill ?? undefined, tool) => {
    if (!slash || !skill) return;
    const wanted = tool ?? (marked.skill === skill && (how === 'form' || marked.column === 'tools') ? (marked.tool ?? undefined) : undefined);
    const rest = withoutSlash(field.text, slash);
    if (wanted?.row.prompt && skill.able && how !== 'skill') {
      field.put(rest.text);
      close();
      setPrompt(wanted.row.prompt);
      return;
    }
    if (how === 'form') {
      if (!wanted) return;
      field.write(rest.text, rest.caret);
      close();
      show({ kind: 'run-tool', tool: wanted.row.name });
      return;
    }
    if (!skill.able || (how === 'insert' && wanted && !wanted.able)) {
      settings(skill);
      return;
    }
    if (how === 'skill' || !wanted) {
      const others = skillsChosen ?? [];
      if (!others.includes(skill.row.id)) setDraft({ skills: [...others, skill.row.id] });
      field.write(rest.text, rest.caret);
    } else {
      setDraft({ tool: wanted.row.name });
      beginWith(wanted, rest);
    }
    close();
  };

  const onKeyDown = (event: KeyboardEvent<HTMLTextAreaElement>) => {
    if (event.nativeEvent.isComposing) return;
    const act = open ? actionOf(event, { ...offered, canComplete: marked.skill !== null, dispatch, close, pick, complete }) : toNextGap(event);
    if (!act) return;
    event.preventDefault();
    // Keeps keys from the window's shortcuts, such as Esc that stops a turn.
    event.stopPropagation();
    act();
  };
  const complete = () => {
    const query = slash === null ? null : completed(marked);
    if (!slash || query === null) return;
    const next = withQuery(field.text, slash, query);
    field.write(next.text, next.caret);
    dispatch({ type: 'typed', slash: { at: slash.at, query } });
  };

  const follow = (text: string, caret: number) => {
    if (!slash) return;
    const now = slashAt(text, slash.at, caret);
    if (now) dispatch({ type: 'typed', slash: now });
    else close();
  };
  return {
    picker: open
      ? {
          id,
          query: slash.query,
          ...offered,
          marked,
          point: (skill, tool) => dispatch({ type: 'pointed', skill: skill.row.id, ...(tool ? { tool: tool.row.name } : {}) }),
          pick,
          close,
        }
      : null,
    ...prompting,
    onKeyDown,
    onChange: ({ target, nativeEvent }) => {
      const caret = target.selectionStart;
      const input = nativeEvent instanceof InputEvent ? nativeEvent : { inputType: '', data: null };
      if (opensPicker(before.current, target.value, caret, input)) dispatch({ type: 'opened', slash: { at: caret - 1, query: '' } });
      else follow(target.value, caret);
      before.current = target.value;
      caretAt.current = caret;
    },
    onSelect: (caret) => {
      caretAt.current = caret;
      if (open) follow(field.text, caret);
    },
    onBlur: close,
    begin: () => {
      const caret = Math.min(caretAt.current ?? Infinity, field.text.length);
      const gap = caret > 0 && !/\s/.test(field.text[caret - 1] ?? '') ? ' ' : '';
      const at = caret + gap.length;
      field.write(`${field.text.slice(0, caret)}${gap}/${field.text.slice(caret)}`, at + 1);
      dispatch({ type: 'opened', slash: { at, query: '' } satisfies Slash });
    },
  };
}

/** The server prompt whose form is open. */
function usePrompting(field: Field) {
  const [prompt, setPrompt] = useState<ServerPrompt | null>(null);
  const closePrompt = () => {
    setPrompt(null);
    field.write(field.text, field.text.length);
  };
  return { prompt, setPrompt, closePrompt };
}

/** The placeholders of the last inserted prompt; Tab moves through them, then on. */
function useGaps(field: Field) {
  const [gaps, setGaps] = useState<readonly string[]>([]);
  const toNextGap = (event: KeyboardEvent<HTMLTextAreaElement>): (() => void) | null => {
    if (event.key !== 'Tab' || event.shiftKey || event.ctrlKey || event.metaKey || event.altKey) return null;
    const gap = nextGap(field.text, gaps, event.currentTarget.selectionEnd);
    return gap && (() => field.write(field.text, ...gap));
  };
  /** Starts an empty message with the tool's prompt; an existing message keeps its text. */
  const beginWith = ({ row }: ToolChoice, rest: { readonly text: string; readonly caret: number }) => {
    const prompt = rest.text.trim() === '' ? startingPrompt(row) : null;
    if (!prompt) return field.write(rest.text, rest.caret);
    const [start, end] = prompt.gaps[0] ?? [prompt.text.length, prompt.text.length];
    field.write(prompt.text, start, end);
    setGaps(prompt.gaps.map(([from, to]) => prompt.text.slice(from, to)));
  };
  return { beginWith, toNextGap };
}

interface OpenPicker {
  readonly choices: readonly SkillChoice[];
  readonly loading: boolean;
  readonly canComplete: boolean;
  readonly dispatch: Dispatch<PickerEvent>;
  readonly close: () => void;
  readonly pick: Picker['pick'];
  readonly complete: () => void;
}

/** The action of a key while the picker is open; none if the field handles it. */
function actionOf(event: KeyboardEvent, { choices, loading, canComplete, dispatch, close, pick, complete }: OpenPicker): (() => void) | null {
  const plain = !event.shiftKey && !event.ctrlKey && !event.metaKey && !event.altKey;
  const move = (by: number) => () => dispatch({ type: 'moved', by, choices });
  switch (event.key) {
    case 'Escape':
      return close;
    case 'Enter':
      // Nothing can be picked while loading, and a partial word is no message.
      if (loading) return () => undefined;
      if (choices.length === 0 || event.altKey) return null;
      if (mainModifier(event)) return () => pick('form');
      return () => pick(event.shiftKey ? 'skill' : 'insert');
    case 'Tab':
      return plain && canComplete ? complete : null;
    case 'ArrowDown':
      return plain ? move(1) : null;
    case 'ArrowUp':
      return plain ? move(-1) : null;
    case 'PageDown':
      return plain ? move(8) : null;
    case 'PageUp':
      return plain ? move(-8) : null;
    case 'ArrowLeft':
      return plain ? () => dispatch({ type: 'column', to: 'skills', choices }) : null;
    case 'ArrowRight':
      return plain ? () => dispatch({ type: 'column', to: 'tools', choices }) : null;
    default:
      return null;
  }
}

/** The full name of the marked row, unless it contains characters that end the word. */
function completed({ column, skill, tool }: Marked): string | null {
  if (skill === null) return null;
  const name = column === 'tools' && tool ? tool.row.name : skill.row.id + (tool ? '.' : '');
  return /[\s/\\:]/.test(name) ? null : name;
}

const none: never[] = [];

function useOffered(open: boolean, query: string) {
  // Loaded when the picker first opens, and reloaded only while it is open.
  const revision = useApp((app) => app.revisions.registry);
  const [read, setRead] = useState<number | null>(null);
  if (open && read !== revision) setRead(revision);
  const skills = useRpc('list_skills', read === null ? null : nothing, read);
  const tools = useRpc('list_tools', read === null ? null : nothing, read);
  // Without prompts there are still the tools.
  const prompts = useRpc('list_server_prompts', read === null ? null : nothing, read);
  const meaning = useMeaning(query);
  const called = useSession((session) => (read === null ? never : lastCalls(session.turns)), sameCalls);
  const rows = useMemo(() => {
    const stateOf = (skill: string) => skills.data?.find(({ id }) => id === skill)?.state ?? 'available';
    return [...(tools.data ?? none), ...(prompts.data ?? none).map((prompt) => promptRow(prompt, stateOf(prompt.skill)))];
  }, [skills.data, tools.data, prompts.data]);
  const offer = useMemo(
    () => choices({ query, skills: skills.data ?? none, tools: rows, suggestions: meaning.suggestions, called }),
    [query, skills.data, rows, meaning.suggestions, called],
  );
  const problem = skills.error ?? tools.error;
  return {
    choices: offer,
    loading: problem === null && (skills.data === null || tools.data === null),
    problem,
    meaningProblem: meaning.problem,
  };
}

/** The backend's suggestions for the query: from three letters on, debounced. */
function useMeaning(query: string): { suggestions: readonly ToolSuggestion[]; problem: UserError | null } {
  const [asked, setAsked] = useState('');
  useEffect(() => {
    const timer = setTimeout(() => setAsked(query), MOMENT);
    return () => clearTimeout(timer);
  }, [query]);
  const text = query.replaceAll(/[_.-]+/g, ' ').trim();
  const ready = asked === query && [...text].length >= 3;
  const { data, error } = useRpc('suggest_tools', ready ? { text, limit: 8 } : null);
  return { suggestions: data ?? none, problem: error };
}

/** Milliseconds. */
const MOMENT = 120;

const never: ReadonlyMap<string, string> = new Map();

/** The last call of each tool. */
function lastCalls(turns: SessionState['turns']): ReadonlyMap<string, string> {
  const last = new Map<string, string>();
  for (const turn of turns) for (const item of turn.items) if (item.kind === 'call') last.set(item.tool, item.runningSince);
  return last;
}

function sameCalls(before: ReadonlyMap<string, string>, now: ReadonlyMap<string, string>): boolean {
  return before.size === now.size && [...now].every(([tool, at]) => before.get(tool) === at);
}
