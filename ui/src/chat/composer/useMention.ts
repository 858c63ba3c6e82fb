// The picker of notes and MCP resources: open while the caret is in a `[[`, until Esc dismisses it.

import { type KeyboardEvent, type RefObject, useId, useState } from 'react';

import type { AttachedFile, NoteSuggestion, ResourceSuggestion, UserError } from '../../ipc';
import { useRpc } from '../../state/hooks';
import { type Mention, mentionAt, withMention, withNamed } from './mention';

export interface MentionPicker {
  readonly id: string;
  readonly query: string;
  readonly notes: readonly NoteSuggestion[];
  /** Listed below the notes. */
  readonly resources: readonly ResourceSuggestion[];
  /** Index over both lists. */
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

/** `take` attaches a resource to the message. */
export function useMention(field: Field, input: RefObject<HTMLTextAreaElement | null>, take: (file: AttachedFile) => void) {
  const [caret, setCaret] = useState<number | null>(null);
  /** Position of the `[[` dismissed by Esc. */
  const [dismissed, setDismissed] = useState<number | null>(null);
  const [marked, setMarked] = useState({ query: '', index: 0 });
  const id = useId();

  const mention: Mention | null = caret === null ? null : mentionAt(field.text, caret);
  const open = mention !== null && mention.at !== dismissed;
  const { data, error, loading } = useRpc('suggest_notes', open ? { text: mention.query, skill: '' } : null);
  const offered = useRpc('suggest_resources', open ? { text: mention.query } : null);
  // Keep the previous matches until the next list arrives.
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
  /** Updates the caret; null without focus or with a selection. */
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

/** Adds the folder if two notes have the same name. */
function nameFor(note: NoteSuggestion, all: readonly NoteSuggestion[]): string {
  return all.some((other) => other.path !== note.path && other.name === note.name) ? note.path.replace(/\.md$/, '') : note.name;
}
