import type { KeyboardEvent } from 'react';

import type { PanelView } from '../ipc';
import { Chip, Explained, Icon, IconButton, Kbd, keyText, LinkButton, type ModelPlace, placeText, skillIcon, usePlaceInUse } from '../shared';
import { draftOf, notSentOf } from '../state/app';
import { asks } from '../state/asking';
import { useActions, useApp } from '../state/hooks';
import { keysOf } from '../state/keys';
import { pastedFiles } from './composer/pasted';
import { MessageOnItsWay, QueuedMessages } from './composer/QueuedMessages';
import { RefusedFiles } from './composer/RefusedFiles';
import { StopButton } from './composer/StopButton';
import { useDrop } from './composer/useDrop';
import { useFiles } from './composer/useFiles';
import { useStop } from './composer/useStop';
import { DraftChips, withoutLastChip } from './DraftChips';
import { SendProblem } from './remedies';

/** Lines of a message that are seen at once. */
const MOST_ROWS = 4;

/**
 * The composer below a panel that takes the conversation's place: the same draft, as high as its lines. It asks in the
 * open chat with the skill at hand; the answer is in the conversation, so that comes back.
 */
export function DockedComposer({ panel }: { panel: PanelView }) {
  const draft = useApp(draftOf);
  const keys = useApp((app) => app.keys);
  const waits = useApp((app) => asks(app, app.open));
  const { sendDraft, setDraft, setPanel, queueDraft, editQueued, showAsking } = useActions();
  const queued = useApp((app) => app.queues[app.open ?? '']?.messages.at(-1));
  const { running, stopping, problem: stopProblem, stop } = useStop();
  const notSent = useApp(notSentOf);
  const { model, place } = usePlaceInUse();
  const files = useFiles();
  const drop = useDrop(files.add);
  const empty = draft.text.trim() === '' && draft.files.length === 0 && draft.images.length === 0;
  // The panel's own skill stands in front of the field.
  const others = draft.skills.filter((skill) => skill !== panel.skill);

  const send = async () => {
    if (empty) return;
    setDraft({ skills: [...others, panel.skill] });
    if (running) return queueDraft();
    try {
      await sendDraft(draft.text.trim());
      setPanel({ wide: false });
    } catch {
      // Why is told where it was written.
    }
  };
  const onKeyDown = (event: KeyboardEvent<HTMLTextAreaElement>) => {
    if (event.nativeEvent.isComposing) return;
    const { selectionStart, selectionEnd } = event.currentTarget;
    const act = (): (() => void) | null => {
      switch (event.key) {
        case 'Enter':
          return event.shiftKey ? null : () => void send();
        case 'Escape':
          return running && draft.text === '' ? stop : null;
        case 'ArrowUp':
          return draft.text === '' && queued ? () => editQueued(queued.id) : null;
        case 'Backspace': {
          const rest = selectionStart === 0 && selectionEnd === 0 ? withoutLastChip({ ...draft, skills: others }) : null;
          return rest && (() => setDraft(rest));
        }
        default:
          return null;
      }
    };
    const done = act();
    if (!done) return;
    event.preventDefault();
    done();
  };

  const problem = notSent ?? stopProblem;
  return (
    <div data-region="composer" tabIndex={-1} role="group" aria-label="Message" className="shrink-0 border-t border-line px-5 py-2.5" {...drop.handlers}>
      {problem && (
        <div className="pb-2">
          <SendProblem problem={problem} />
        </div>
      )}
      <RefusedFiles reasons={files.refused} onHide={files.forgive} />
      <MessageOnItsWay />
      <QueuedMessages running={running} onEdit={() => document.querySelector<HTMLElement>('[data-testid=composer-input]')?.focus()} />
      <div className={`rounded-message border bg-surface-raised ${drop.over ? 'border-accent' : 'border-line-strong focus-within:border-line-control'}`}>
        <DraftChips draft={{ ...draft, skills: others }} onChange={setDraft} />
        <div className="flex min-h-9 items-center gap-2.5 py-1 pr-1.5 pl-3">
          <Chip tone="tool" icon={skillIcon(panel.skill, '', panel.icon)}>
            {panel.name}
          </Chip>
          <textarea
            data-testid="composer-input"
            aria-label={`Ask ${panel.name}`}
            placeholder={running ? 'Add a message. It is sent when this turn ends.' : 'Ask about what is shown, or change it in words'}
            rows={Math.min(MOST_ROWS, draft.text.split('\n').length)}
            wrap="off"
            value={draft.text}
            // The conversation's own field takes it over when it comes back.
            onChange={(event) => setDraft({ text: event.target.value }, true)}
            onKeyDown={onKeyDown}
            onPaste={(event) => {
              const pasted = pastedFiles(event.clipboardData);
              if (pasted.length === 0) return;
              event.preventDefault();
              files.add(pasted);
            }}
            className="selectable min-w-0 flex-1 resize-none overflow-hidden bg-transparent text-ui outline-none"
          />
          <span aria-live="polite" className="contents">
            {waits && (
              <LinkButton data-testid="show-question" className="shrink-0 text-small" onClick={() => void showAsking()}>
                Waits for your answer
              </LinkButton>
            )}
          </span>
          {model !== null && place !== null && <Destination model={model} place={place} />}
          {empty && !running && <Kbd>{keyText(keysOf(keys, 'composer'))}</Kbd>}
          {running && !empty && (
            <IconButton icon="send" label="Send when this turn ends" keys="↵" data-testid="queue-message" onClick={() => void send()} />
          )}
          {running ? (
            <StopButton stopping={stopping} byEsc={empty} onStop={stop} />
          ) : (
            <button
              type="button"
              aria-label="Send"
              data-testid="send"
              disabled={empty}
              onClick={() => void send()}
              className="flex size-6.5 items-center justify-center rounded-control bg-accent-fill text-on-accent hover:bg-accent-hover disabled:opacity-45"
            >
              <Icon name="arrow-up" size={14} />
            </button>
          )}
        </div>
      </div>
    </div>
  );
}

/** Where a message goes: the header, which says so elsewhere, is not shown. */
function Destination({ model, place }: { model: string; place: ModelPlace }) {
  const short = { here: 'on this machine', elsewhere: `to ${place.host}`, unknown: 'not known where to' }[place.where];
  return (
    <span data-testid="docked-place" className={`max-w-44 min-w-0 shrink-0 text-small ${place.where === 'here' ? 'text-fg-3' : 'text-warn'}`}>
      <Explained more={placeText(model, place)} className="cut block max-w-full">
        {short}
      </Explained>
    </span>
  );
}
