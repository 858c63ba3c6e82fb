// The picker of notes at work: open while the caret stands in a `[[`, until Esc says that it is not meant.

import { type KeyboardEvent, type RefObject, useId, useState } from 'react';

import type { NoteSuggestion, UserError } from '../../ipc';
import { useRpc } from '../../state/hooks';
import { type Mention, mentionAt, withMention } from './mention';

export interface MentionPicker {
  readonly id: string;
  readonly query: string;
  readonly notes: readonly NoteSuggestion[];
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

export function useMention(field: Field, input: RefObject<HTMLTextAreaElement | null>) {
  const [caret, setCaret] = useState<number | null>(null);
  /** The `[[` that Esc was pressed at. */
  const [dismissed, setDismissed] = useState<number | null>(null);
  const [marked, setMarked] = useState({ query: '', index: 0 });
  const id = useId();

  const mention: Mention | null = caret === null ? null : mentionAt(field.text, caret);
  const open = mention !== null && mention.at !== dismissed;
  const { data, error, loading } = useRpc('suggest_notes', open ? { text: mention.query, skill: '' } : null);
  const [last, setLast] = useState<readonly NoteSuggestion[]>([]);
  // What fitted the letters before stays until the next list is there.
  if (data && data !== last) setLast(data);
  const notes = data ?? last;
  const index = Math.min(marked.query === mention?.query ? marked.index : 0, Math.max(0, notes.length - 1));

  const point = (to: number) => setMarked({ query: mention?.query ?? '', index: to });
  const pick = (at: number) => {
    const note = notes[at];
    if (!mention || !note) return;
    const next = withMention(field.text, mention, nameFor(note, notes));
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
          return () => point(Math.min(notes.length - 1, index + 1));
        case 'ArrowUp':
          return () => point(Math.max(0, index - 1));
        case 'Enter':
        case 'Tab':
          if (event.shiftKey || notes.length === 0) return null;
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
    ? { id, query: mention.query, notes, marked: index, loading: loading && notes.length === 0, problem: error, point, pick }
    : null;
  return {
    mention: picker,
    onKeyDown,
    onCaret,
  };
}

/** Two notes of one name are told apart by their folders. */
function nameFor(note: NoteSuggestion, all: readonly NoteSuggestion[]): string {
  return all.some((other) => other.path !== note.path && other.name === note.name) ? note.path.replace(/\.md$/, '') : note.name;
}
