// Behaviour of a message field, below the conversation or a wide panel: keys, pickers, pasting. The parent
// decides where the message goes.

import { type ChangeEvent, type ClipboardEvent, type FocusEvent, type KeyboardEvent, type SyntheticEvent, useRef } from 'react';

import { mainModifier } from '../../shared';
import type { Draft } from '../../state/app';
import { useActions, useApp } from '../../state/hooks';
import { latinKey } from '../../state/latin-key';
import { noQueue } from '../../state/queue';
import { withoutLastChip } from '../DraftChips';
import { activeOption, listboxes } from '../picker/Picker';
import { usePicker } from '../picker/usePicker';
import { useDraftField } from '../useDraftField';
import { pastedFiles } from './pasted';
import type { Files } from './useFiles';
import { useMention } from './useMention';
import { useStop } from './useStop';

interface MessageFieldOptions {
  readonly files: Files;
  /** The draft with the chips shown in the field, of which Backspace removes the last. */
  readonly shown: (draft: Draft) => Draft;
  readonly onSend: (text: string) => void;
  /** Queues the message, since a turn is running. */
  readonly onQueue: () => void;
  /** Edits the last sent message. Returns whether there is one. */
  readonly onEditLast: () => boolean;
}

export type MessageField = ReturnType<typeof useMessageField>;

/** `props` are for the text area, whose label, placeholder and style are its own. */
export function useMessageField({ files, shown, onSend, onQueue, onEditLast }: MessageFieldOptions) {
  const { setDraft, editQueued } = useActions();
  const queued = useApp((app) => app.queues[app.open ?? ''] ?? noQueue).messages;
  const turn = useStop();
  const { running, stop } = turn;
  const [input, field] = useDraftField();
  const draft = shown(field.draft);
  const blank = field.text.trim() === '';
  const empty = blank && draft.files.length === 0 && draft.images.length === 0;
  const { picker, prompt, closePrompt, ...picking } = usePicker(field);
  const { mention, ...mentioning } = useMention(field, input, files.take);

  /** Whether Ctrl+A was the last key: the chips are selected with the text. */
  const allChosen = useRef(false);
  const onKeyDown = (event: KeyboardEvent<HTMLTextAreaElement>) => {
    if (['Control', 'Meta', 'Shift', 'Alt'].includes(event.key)) return;
    const withChips = allChosen.current;
    allChosen.current = mainModifier(event) && !event.shiftKey && latinKey(event).toLowerCase() === 'a';
    if (withChips && (event.key === 'Backspace' || event.key === 'Delete')) setDraft({ tool: null, skills: [], files: [], images: [] });
    mentioning.onKeyDown(event);
    if (!event.defaultPrevented) picking.onKeyDown(event);
    if (event.defaultPrevented || event.nativeEvent.isComposing) return;
    const act = actionOf(event);
    if (act === null || act() === false) return;
    event.preventDefault();
  };
  /**
   * The action of a key, or none if the text area handles it; an action that returns false had nothing to do.
   */
  const actionOf = (event: KeyboardEvent<HTMLTextAreaElement>): (() => unknown) | null => {
    const plain = !event.shiftKey && !event.ctrlKey && !event.metaKey && !event.altKey;
    const { selectionStart, selectionEnd } = event.currentTarget;
    switch (event.key) {
      case 'Enter':
        // The form sends text.
        if (event.shiftKey || !(running || (blank && !empty))) return null;
        return () => (!running ? onSend('') : empty || onQueue());
      case 'ArrowUp': {
        if (field.text !== '' || !plain) return null;
        const last = queued.at(-1);
        if (last) return () => editQueued(last.id);
        return running ? null : onEditLast;
      }
      case 'Backspace': {
        const rest = selectionStart === 0 && selectionEnd === 0 ? withoutLastChip(draft) : null;
        return rest && (() => setDraft(rest));
      }
      case 'Escape':
        return running && field.text === '' ? stop : null;
      default:
        return null;
    }
  };

  const combobox = picker
    ? { 'aria-controls': listboxes(picker), 'aria-activedescendant': activeOption(picker) }
    : mention && {
        'aria-controls': `${mention.id}-notes`,
        'aria-activedescendant': mention.notes.length + mention.resources.length > 0 ? `${mention.id}-note-${mention.marked}` : undefined,
      };
  const props = {
    ref: input,
    'data-testid': 'composer-input',
    'data-empty': empty,
    ...(combobox ? { role: 'combobox', 'aria-haspopup': 'listbox' as const, 'aria-expanded': true, 'aria-autocomplete': 'list' as const, ...combobox } : {}),
    cancelOnEscape: false,
    addAttachmentOnPaste: false,
    onKeyDown,
    onChange: (event: ChangeEvent<HTMLTextAreaElement>) => picking.onChange(event),
    onPointerDown: () => {
      allChosen.current = false;
    },
    onSelect: (event: SyntheticEvent<HTMLTextAreaElement>) => {
      const { selectionStart, selectionEnd } = event.currentTarget;
      picking.onSelect(selectionStart);
      mentioning.onCaret(selectionStart === selectionEnd ? selectionStart : null);
    },
    onPaste: (event: ClipboardEvent<HTMLTextAreaElement>) => {
      const pasted = pastedFiles(event.clipboardData);
      if (pasted.length === 0) return;
      event.preventDefault();
      files.add(pasted);
    },
    onBlur: (event: FocusEvent<HTMLTextAreaElement>) => {
      // Another window in front does not move the focus.
      if (document.activeElement === event.currentTarget) return;
      picking.onBlur();
      mentioning.onCaret(null);
    },
  };

  return {
    props,
    text: field.text,
    /** With the visible chips. */
    draft,
    empty,
    picker,
    prompt,
    closePrompt,
    mention,
    turn,
    focus: () => input.current?.focus(),
    /** Toggles the picker. */
    pickTool: () => (picker ? picker.close() : picking.begin()),
    /** Types `[[` at the caret. */
    nameNote: () => {
      const at = input.current?.selectionStart ?? field.text.length;
      field.write(`${field.text.slice(0, at)}[[${field.text.slice(at)}`, at + 2);
    },
    /** Nothing to send, or a partial word in an open picker. */
    unready: empty || (picker !== null && picker.choices.length > 0),
    /** Text is sent like by Enter; files may be sent without text. */
    sends: blank ? { type: 'button' as const, onClick: () => onSend('') } : { type: 'submit' as const },
  };
}
