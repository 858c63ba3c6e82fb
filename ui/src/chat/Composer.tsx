import { ComposerPrimitive } from '@assistant-ui/react';
import { type KeyboardEvent, useState } from 'react';

import { userError, type UserError } from '../ipc';
import { Button, ErrorBox, Icon, IconButton } from '../shared';
import { useActions } from '../state/hooks';
import { runningCalls, runningTurn, type SessionState, waitingCalls } from '../state/session';
import { ActivityLine } from './ActivityLine';
import { editLastMessage } from './Branches';
import { DraftChips, withoutLastChip } from './DraftChips';
import { activeOption, listboxes, Picker } from './picker/Picker';
import { usePicker } from './picker/usePicker';
import { useDraftField } from './useDraftField';

interface ComposerProps {
  readonly state: SessionState;
  /** What the last message failed to be sent with; its text is in the field again. */
  readonly problem: UserError | null;
}

export function Composer({ state, problem }: ComposerProps) {
  const { stop, setDraft } = useActions();
  const [stoppedTurn, setStoppedTurn] = useState<string | null>(null);
  const [stopProblem, setStopProblem] = useState<UserError | null>(null);
  const turn = runningTurn(state);
  const running = turn !== null;
  const stopping = running && stoppedTurn === turn.id;
  const [input, field] = useDraftField();
  const empty = field.text.trim() === '';
  const { draft } = field;
  const { picker, ...picking } = usePicker(field);

  const stopTurn = async () => {
    setStoppedTurn(turn?.id ?? null);
    setStopProblem(null);
    try {
      await stop();
    } catch (thrown) {
      setStoppedTurn(null);
      setStopProblem(userError(thrown));
    }
  };

  const onKeyDown = (event: KeyboardEvent<HTMLTextAreaElement>) => {
    picking.onKeyDown(event);
    if (event.defaultPrevented || event.nativeEvent.isComposing) return;
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
      void stopTurn();
    }
    if (event.key === 'Tab' && event.shiftKey) {
      const log = document.querySelector<HTMLElement>('[data-region="conversation"]');
      if (log) {
        event.preventDefault();
        log.focus();
      }
    }
  };

  const shown = problem ?? stopProblem;
  return (
    <div data-region="composer" tabIndex={-1} className="mx-auto w-full max-w-192 shrink-0 px-6 pb-2">
      {shown && (
        <div className="pb-2">
          <ErrorBox error={shown} />
        </div>
      )}
      <ComposerPrimitive.Root
        className={`relative rounded-pop border bg-surface-raised ${picker ? 'border-accent shadow-[0_0_0_3px_var(--accent-soft)]' : 'border-line-strong shadow-1 focus-within:border-line-control'}`}
      >
        {picker && <Picker picker={picker} />}
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
            : {})}
          autoFocus
          placeholder={running ? 'Write on. It can be sent when this turn ends.' : 'Ask about your notes, or say what to change'}
          cancelOnEscape={false}
          addAttachmentOnPaste={false}
          minRows={1}
          maxRows={10}
          onKeyDown={onKeyDown}
          onChange={picking.onChange}
          onSelect={(event) => picking.onSelect(event.currentTarget.selectionStart)}
          onBlur={(event) => {
            // Another window in front leaves the focus where it is.
            if (document.activeElement !== event.currentTarget) picking.onBlur();
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
          <span aria-live="polite" className="ml-auto text-small text-fg-3">
            {activity(state)}
          </span>
          {running ? (
            <Button data-testid="stop" onClick={() => void stopTurn()} disabled={stopping} {...(empty && !stopping ? { keys: 'Esc' } : {})}>
              <Icon name="stop" size={12} />
              {stopping ? 'Stopping…' : 'Stop'}
            </Button>
          ) : (
            <ComposerPrimitive.Send asChild disabled={empty || (picker !== null && picker.choices.length > 0)}>
              <Button variant="primary" icon="send" data-testid="send">
                Send
              </Button>
            </ComposerPrimitive.Send>
          )}
        </div>
      </ComposerPrimitive.Root>
      <ActivityLine state={state} />
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
