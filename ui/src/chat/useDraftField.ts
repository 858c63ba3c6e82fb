// The composer's text. assistant-ui holds it while typing; the store keeps it for when the chat is left.

import { useAui, useAuiState } from '@assistant-ui/react';
import { useEffect, useLayoutEffect, useRef, useState } from 'react';

import { draftOf } from '../state/app';
import { useActions, useApp } from '../state/hooks';

/** The element and its text, which is the open chat's draft. */
export function useDraftField() {
  const aui = useAui();
  const text = useAuiState((s) => s.composer.text);
  const session = useApp((app) => app.open);
  const draft = useApp(draftOf);
  const { setDraft } = useActions();
  const ref = useRef<HTMLTextAreaElement>(null);

  // Another chat was opened, or a text was restored: copy the draft into the field.
  const { given } = draft;
  const taken = useRef<string | null>(null);
  useEffect(() => {
    const key = `${given} ${session ?? ''}`;
    if (taken.current === key) return;
    taken.current = key;
    if (aui.composer.getState().text !== draft.text) aui.composer.setText(draft.text);
  }, [aui, session, given, draft.text]);
  const kept = useRef(text);
  useEffect(() => {
    if (kept.current === text) return;
    kept.current = text;
    setDraft({ text });
  }, [text, setDraft]);

  const [selection, setSelection] = useState<{ text: string; start: number; end: number } | null>(null);
  useLayoutEffect(() => {
    if (selection === null || ref.current?.value !== selection.text) return;
    ref.current.focus();
    ref.current.setSelectionRange(selection.start, selection.end);
    setSelection(null);
  }, [selection, text]);
  const put = (next: string) => {
    aui.composer.setText(next);
    // Synchronously: the next action may leave the chat.
    setDraft({ text: next });
  };
  const field = {
    text,
    draft,
    /** Sets the text while the focus is elsewhere. */
    put,
    write: (next: string, start: number, end = start) => {
      put(next);
      setSelection({ text: next, start, end });
    },
  };
  return [ref, field] as const;
}
