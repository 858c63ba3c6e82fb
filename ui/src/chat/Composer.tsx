import { ComposerPrimitive, useAui, useAuiState } from '@assistant-ui/react';
import { type KeyboardEvent, useState } from 'react';

import { userError, type UserError } from '../ipc';
import { Button, ErrorBox, Icon } from '../shared';
import { useActions } from '../state/hooks';
import { runningCalls, runningTurn, type SessionState, waitingCalls } from '../state/session';
import { ActivityLine } from './ActivityLine';

interface ComposerProps {
  readonly state: SessionState;
  /** What the last message failed to be sent with; its text is in the field again. */
  readonly problem: UserError | null;
}

export function Composer({ state, problem }: ComposerProps) {
  const aui = useAui();
  const { stop } = useActions();
  const [stoppedTurn, setStoppedTurn] = useState<string | null>(null);
  const [stopProblem, setStopProblem] = useState<UserError | null>(null);
  const turn = runningTurn(state);
  const running = turn !== null;
  const stopping = running && stoppedTurn === turn.id;
  const empty = useAuiState((s) => s.composer.text.trim() === '');

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
    if (event.key === 'Escape' && !event.nativeEvent.isComposing && running && aui.composer.getState().text === '') {
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
      <ComposerPrimitive.Root className="rounded-pop border border-line-strong bg-surface-raised shadow-1 focus-within:border-line-control">
        <ComposerPrimitive.Input
          data-testid="composer-input"
          aria-label="Message"
          autoFocus
          placeholder={running ? 'Write on. It can be sent when this turn ends.' : 'Ask about your notes, or say what to change'}
          cancelOnEscape={false}
          addAttachmentOnPaste={false}
          minRows={1}
          maxRows={10}
          onKeyDown={onKeyDown}
          className="selectable block max-h-60 min-h-9 w-full resize-none bg-transparent px-3.5 pt-2.5 pb-1 text-body text-fg outline-none"
        />
        <div className="flex h-10 items-center gap-3 px-2.5 pb-1.5">
          <span aria-live="polite" className="ml-auto text-small text-fg-3">
            {activity(state)}
          </span>
          {running ? (
            <Button data-testid="stop" onClick={() => void stopTurn()} disabled={stopping} {...(empty && !stopping ? { keys: 'Esc' } : {})}>
              <Icon name="stop" size={12} />
              {stopping ? 'Stopping…' : 'Stop'}
            </Button>
          ) : (
            <ComposerPrimitive.Send asChild>
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
