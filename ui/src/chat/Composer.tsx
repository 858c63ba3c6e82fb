import { ComposerPrimitive } from '@assistant-ui/react';
import { type KeyboardEvent, useRef } from 'react';

import { Button, IconButton } from '../shared';
import { notSentOf } from '../state/app';
import { noQueue } from '../state/queue';
import { useActions, useApp, useSession } from '../state/hooks';
import { runningCalls, type SessionState, waitingCalls } from '../state/session';
import { ActivityLine } from './ActivityLine';
import { editLastMessage } from './Branches';
import { MentionList } from './composer/MentionList';
import { pastedFiles } from './composer/pasted';
import { MessageOnItsWay, QueuedMessages } from './composer/QueuedMessages';
import { RefusedFiles } from './composer/RefusedFiles';
import { StopButton } from './composer/StopButton';
import type { Files } from './composer/useFiles';
import { useMention } from './composer/useMention';
import { useStop } from './composer/useStop';
import { DraftChips, withoutLastChip } from './DraftChips';
import { activeOption, listboxes, Picker } from './picker/Picker';
import { usePicker } from './picker/usePicker';
import { SendProblem } from './remedies';
import { useDraftField } from './useDraftField';

interface ComposerProps {
  readonly onSend: (text: string) => void;
  /** What is attached. */
  readonly files: Files;
  /** Files are held above the conversation. */
  readonly dropping: boolean;
}

export function Composer({ onSend, files, dropping }: ComposerProps) {
  const { setDraft, queueDraft, editQueued } = useActions();
  const notSent = useApp(notSentOf);
  const queued = useApp((app) => app.queues[app.open ?? ''] ?? noQueue).messages;
  const { running, stopping, problem: stopProblem, stop } = useStop();
  const doing = useSession(activity);
  const [input, field] = useDraftField();
  const { draft } = field;
  const empty = field.text.trim() === '' && draft.files.length === 0 && draft.images.length === 0;
  const { picker, ...picking } = usePicker(field);
  const { mention, ...mentioning } = useMention(field, input);
  const chooser = useRef<HTMLInputElement>(null);

  const onKeyDown = (event: KeyboardEvent<HTMLTextAreaElement>) => {
    mentioning.onKeyDown(event);
    if (!event.defaultPrevented) picking.onKeyDown(event);
    if (event.defaultPrevented || event.nativeEvent.isComposing) return;
    if (event.key === 'Enter' && !event.shiftKey && (running || (field.text.trim() === '' && !empty))) {
      event.preventDefault();
      if (running) queueDraft();
      else onSend('');
      return;
    }
    const last = queued.at(-1);
    if (event.key === 'ArrowUp' && field.text === '' && last && !event.shiftKey && !event.ctrlKey && !event.metaKey && !event.altKey) {
      event.preventDefault();
      editQueued(last.id);
      return;
    }
    const { selectionStart, selectionEnd } = event.currentTarget;
    if (event.key === 'Backspace' && selectionStart === 0 && selectionEnd === 0) {
      const rest = withoutLastChip(draft);
      if (rest) {
        event.preventDefault();
        setDraft(rest);
      }
    }
    if (event.key === 'ArrowUp' && field.text === '' && !running && editLastMessage()) event.preventDefault();
    if (event.key === 'Escape' && running && field.text === '') {
      event.preventDefault();
      stop();
    }
    if (event.key === 'Tab' && event.shiftKey) {
      const log = document.querySelector<HTMLElement>('[data-region="conversation"]');
      if (log) {
        event.preventDefault();
        log.focus();
      }
    }
  };

  const shown = notSent ?? stopProblem;
  return (
    <div data-region="composer" tabIndex={-1} aria-label="Message" role="group" className="mx-auto w-full max-w-192 shrink-0 px-6 pb-2">
      {shown && (
        <div className="pb-2">
          <SendProblem problem={shown} />
        </div>
      )}
      <RefusedFiles reasons={files.refused} onHide={files.forgive} />
      <MessageOnItsWay />
      <QueuedMessages running={running} onEdit={() => input.current?.focus()} />
      <ComposerPrimitive.Root
        className={`relative rounded-pop border bg-surface-raised ${picker || mention || dropping ? 'border-accent shadow-[0_0_0_3px_var(--accent-soft)]' : 'border-line-strong shadow-1 focus-within:border-line-control'}`}
      >
        {picker && <Picker picker={picker} />}
        {mention && !picker && <MentionList picker={mention} />}
        <DraftChips draft={draft} onChange={setDraft} />
        <ComposerPrimitive.Input
          ref={input}
          data-testid="composer-input"
          aria-label="Message"
          {...(picker
            ? {
                role: 'combobox',
                'aria-haspopup': 'listbox' as const,
                'aria-expanded': true,
                'aria-autocomplete': 'list' as const,
                'aria-controls': listboxes(picker),
                'aria-activedescendant': activeOption(picker),
              }
            : mention
              ? {
                  role: 'combobox',
                  'aria-haspopup': 'listbox' as const,
                  'aria-expanded': true,
                  'aria-autocomplete': 'list' as const,
                  'aria-controls': `${mention.id}-notes`,
                  'aria-activedescendant': mention.notes.length > 0 ? `${mention.id}-note-${mention.marked}` : undefined,
                }
              : {})}
          autoFocus
          placeholder={running ? 'Add a message. It is sent when this turn ends.' : 'Ask about your notes, or say what to change'}
          cancelOnEscape={false}
          addAttachmentOnPaste={false}
          minRows={1}
          maxRows={10}
          onKeyDown={onKeyDown}
          onChange={picking.onChange}
          onSelect={(event) => {
            const { selectionStart, selectionEnd } = event.currentTarget;
            picking.onSelect(selectionStart);
            mentioning.onCaret(selectionStart === selectionEnd ? selectionStart : null);
          }}
          onPaste={(event) => {
            const pasted = pastedFiles(event.clipboardData);
            if (pasted.length === 0) return;
            event.preventDefault();
            files.add(pasted);
          }}
          onBlur={(event) => {
            // Another window in front leaves the focus where it is.
            if (document.activeElement === event.currentTarget) return;
            picking.onBlur();
            mentioning.onCaret(null);
          }}
          className={`selectable block max-h-60 min-h-9 w-full resize-none bg-transparent px-3.5 pt-2.5 pb-1 text-body outline-none ${picker && field.text === `/${picker.query}` ? 'text-accent' : 'text-fg'}`}
        />
        <div className="flex h-10 items-center gap-3 px-2.5 pb-1.5">
          <IconButton
            icon="slash"
            label="Pick a tool"
            keys="/"
            data-testid="open-picker"
            aria-haspopup="listbox"
            aria-expanded={picker !== null}
            className={picker ? 'bg-selected text-fg' : ''}
            // The field keeps the focus and its caret.
            onMouseDown={(event) => event.preventDefault()}
            onClick={() => {
              if (picker) picker.close();
              else picking.begin();
            }}
          />
          <IconButton
            icon="brackets"
            label="Name a note"
            keys="[["
            data-testid="open-notes"
            className="-ml-2"
            onMouseDown={(event) => event.preventDefault()}
            onClick={() => {
              const at = input.current?.selectionStart ?? field.text.length;
              field.write(`${field.text.slice(0, at)}[[${field.text.slice(at)}`, at + 2);
            }}
          />
          <IconButton icon="clip" label="Attach files" data-testid="attach" className="-ml-2" onClick={() => chooser.current?.click()} />
          <input
            ref={chooser}
            type="file"
            multiple
            hidden
            tabIndex={-1}
            aria-label="Files"
            data-testid="file-chooser"
            onChange={(event) => {
              files.add([...(event.currentTarget.files ?? [])]);
              event.currentTarget.value = '';
            }}
          />
          <span aria-live="polite" className="ml-auto text-small text-fg-3">
            {doing}
          </span>
          {running && !empty && (
            <IconButton icon="send" label="Send when this turn ends" keys="↵" data-testid="queue-message" onClick={queueDraft} />
          )}
          {running ? (
            <StopButton stopping={stopping} byEsc={empty} onStop={stop} />
          ) : (
            <Button
              variant="primary"
              icon="send"
              data-testid="send"
              disabled={empty || (picker !== null && picker.choices.length > 0)}
              // A text is sent as Enter sends it; files may go without one.
              {...(field.text.trim() === '' ? { onClick: () => onSend('') } : { type: 'submit' as const })}
            >
              Send
            </Button>
          )}
        </div>
      </ComposerPrimitive.Root>
      <ActivityLine />
    </div>
  );
}

/** "Waits for your answer, 1 call running" */
function activity(state: SessionState): string {
  const calls = runningCalls(state).length;
  const parts = [
    waitingCalls(state).length > 0 ? 'waits for your answer' : '',
    calls > 0 ? `${calls} ${calls === 1 ? 'call' : 'calls'} running` : '',
  ].filter(Boolean);
  return parts.join(', ').replace(/^./, (first) => first.toUpperCase());
}
