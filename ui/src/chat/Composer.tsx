import { ComposerPrimitive } from '@assistant-ui/react';

import { Button, IconButton } from '../shared';
import { notSentOf } from '../state/app';
import { useActions, useApp, useSession } from '../state/hooks';
import { runningCalls, type SessionState, waitingCalls } from '../state/session';
import { ActivityLine } from './ActivityLine';
import { editLastMessage } from './Branches';
import { AttachButton, FieldPickers, PromptAbove } from './composer/FieldParts';
import { MessageOnItsWay, QueuedMessages } from './composer/QueuedMessages';
import { RefusedFiles } from './composer/RefusedFiles';
import { StopButton } from './composer/StopButton';
import type { Files } from './composer/useFiles';
import { useMessageField } from './composer/useMessageField';
import { DraftChips } from './DraftChips';
import { SendProblem } from './remedies';
import { focusLastRow } from './today/Today';

interface ComposerProps {
  readonly onSend: (text: string) => void;
  /** The attached files. */
  readonly files: Files;
  /** Whether files are being dragged over the conversation. */
  readonly dropping: boolean;
}

export function Composer({ onSend, files, dropping }: ComposerProps) {
  const { setDraft, queueDraft } = useActions();
  const notSent = useApp(notSentOf);
  const doing = useSession(activity);
  const field = useMessageField({ files, shown: (draft) => draft, onSend, onQueue: queueDraft, onEditLast: () => editLastMessage() || focusLastRow() });
  const { picker, mention, empty } = field;
  const { running, stopping, problem: stopProblem, stop } = field.turn;

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
      <QueuedMessages running={running} onEdit={field.focus} />
      <div className="relative">
        <PromptAbove field={field} files={files} />
      </div>
      <ComposerPrimitive.Root
        className={`relative rounded-pop border bg-surface-raised ${picker || mention || dropping ? 'border-accent shadow-[0_0_0_3px_var(--accent-soft)]' : 'border-line-strong shadow-1 focus-within:border-line-control'}`}
      >
        <FieldPickers field={field} />
        <DraftChips draft={field.draft} onChange={setDraft} />
        <ComposerPrimitive.Input
          {...field.props}
          aria-label="Message"
          autoFocus
          placeholder={running ? 'Add a message. It is sent when this turn ends.' : 'Ask about your notes, or say what to change'}
          minRows={1}
          maxRows={10}
          onKeyDown={(event) => {
            field.props.onKeyDown(event);
            if (event.defaultPrevented || event.key !== 'Tab' || !event.shiftKey) return;
            const log = document.querySelector<HTMLElement>('[data-region="conversation"]');
            if (!log) return;
            event.preventDefault();
            log.focus();
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
            // Keeps focus and caret in the field.
            onMouseDown={(event) => event.preventDefault()}
            onClick={field.pickTool}
          />
          <IconButton
            icon="brackets"
            label="Link a note"
            keys="[["
            data-testid="open-notes"
            className="-ml-2"
            onMouseDown={(event) => event.preventDefault()}
            onClick={field.nameNote}
          />
          <AttachButton files={files} className="-ml-2" />
          <span aria-live="polite" className="ml-auto text-small text-fg-3">
            {doing}
          </span>
          {running && !empty && (
            <IconButton icon="send" label="Send when this turn ends" keys="↵" data-testid="queue-message" onClick={queueDraft} />
          )}
          {running ? (
            <StopButton stopping={stopping} byEsc={empty} onStop={stop} />
          ) : (
            <Button variant="primary" icon="send" data-testid="send" disabled={field.unready} {...field.sends}>
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
