// The picker of notes, and of resources of MCP servers, at work: open while the caret stands in a `[[`, until Esc says
// that it is not meant.

import { type KeyboardEvent, type RefObject, useId, useState } from 'react';

import type { AttachedFile, NoteSuggestion, ResourceSuggestion, UserError } from '../../ipc';
import { useRpc } from '../../state/hooks';
import { type Mention, mentionAt, withMention, withNamed } from './mention';

export interface MentionPicker {
  readonly id: string;
  readonly query: string;
  readonly notes: readonly NoteSuggestion[];
  /** Stand below the notes. */
  readonly resources: readonly ResourceSuggestion[];
  /** Among both. */
  readonly marked: number;
  readonly loading: boolean;
  readonly problem: UserError | null;
  point(index: number): void;
  pick(index: number): void;
}

interface Field {
  readonly text: string;
  write(text: string, start: number): void;
}

/** `take`: the message takes a resource along. */
export function useMention(field: Field, input: RefObject<HTMLTextAreaElement | null>, take: (file: AttachedFile) => void) {
  const [caret, setCaret] = useState<number | null>(null);
  /** The `[[` that Esc was pressed at. */
  const [dismissed, setDismissed] = useState<number | null>(null);
  const [marked, setMarked] = useState({ query: '', index: 0 });
  const id = useId();

  const mention: Mention | null = caret === null ? null : mentionAt(field.text, caret);
  const open = mention !== null && mention.at !== dismissed;
  const { data, error, loading } = useRpc('suggest_notes', open ? { text: mention.query, skill: '' } : null);
  const offered = useRpc('suggest_resources', open ? { text: mention.query } : null);
  // What fitted the letters before stays until the next list is there.
  const notes = useLast(data);
  const resources = useLast(offered.data);
  const options = notes.length + resources.length;
  const index = Math.min(marked.query === mention?.query ? marked.index : 0, Math.max(0, options - 1));

  const point = (to: number) => setMarked({ query: mention?.query ?? '', index: to });
  const pick = (at: number) => {
    const note = notes[at];
    const resource = resources[at - notes.length];
    if (!mention || !(note ?? resource)) return;
    if (resource) take({ name: resource.name, text: '', from: resource.tool, uri: resource.uri });
    const next = note ? withMention(field.text, mention, nameFor(note, notes)) : withNamed(field.text, mention, resource?.name ?? '');
    field.write(next.text, next.caret);
    setCaret(next.caret);
  };
  const onKeyDown = (event: KeyboardEvent<HTMLTextAreaElement>) => {
    if (!open || event.nativeEvent.isComposing || event.ctrlKey || event.metaKey || event.altKey) return;
    const act = (): (() => void) | null => {
      switch (event.key) {
        case 'Escape':
          return () => setDismissed(mention.at);
        case 'ArrowDown':
          return () => point(Math.min(options - 1, index + 1));
        case 'ArrowUp':
          return () => point(Math.max(0, index - 1));
        case 'Enter':
        case 'Tab':
          if (event.shiftKey || options === 0) return null;
          return () => pick(index);
        default:
          return null;
      }
    };
    const done = act();
    if (!done) return;
    event.preventDefault();
    event.stopPropagation();
    done();
  };
  /** Where the caret is; none where the field has not the focus, or something is selected. */
  const onCaret = (at: number | null) => {
    const its = at === null ? null : mentionAt(input.current?.value ?? '', at);
    setCaret(its ? at : null);
    if (dismissed !== null && its?.at !== dismissed) setDismissed(null);
  };
  const picker: MentionPicker | null = open
    ? { id, query: mention.query, notes, resources, marked: index, loading: loading && options === 0, problem: error, point, pick }
    : null;
  return {
    mention: picker,
    onKeyDown,
    onCaret,
  };
}

const none: readonly never[] = [];

function useLast<T>(now: readonly T[] | null): readonly T[] {
  const [last, setLast] = useState<readonly T[]>(none);
  if (now && now !== last) setLast(now);
  return now ?? last;
}

/** Two notes of one name are told apart by their folders. */
function nameFor(note: NoteSuggestion, all: readonly NoteSuggestion[]): string {
  return all.some((other) => other.path !== note.path && other.name === note.name) ? note.path.replace(/\.md$/, '') : note.name;
}
