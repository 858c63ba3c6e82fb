import { AssistantRuntimeProvider, ComposerPrimitive } from '@assistant-ui/react';

import type { PanelView } from '../ipc';
import { Chip, Explained, Icon, IconButton, Kbd, keyText, LinkButton, type ModelPlace, placeText, skillIcon, usePlaceInUse } from '../shared';
import { draftOf, notSentOf } from '../state/app';
import { asks } from '../state/asking';
import { useActions, useApp, useSession } from '../state/hooks';
import { keysOf } from '../state/keys';
import { editLastMessageSoon } from './Branches';
import { AttachButton, FieldPickers, PromptAbove } from './composer/FieldParts';
import { MessageOnItsWay, QueuedMessages } from './composer/QueuedMessages';
import { RefusedFiles } from './composer/RefusedFiles';
import { StopButton } from './composer/StopButton';
import { useDrop } from './composer/useDrop';
import { useFiles } from './composer/useFiles';
import { useMessageField } from './composer/useMessageField';
import { DraftChips } from './DraftChips';
import { SendProblem } from './remedies';
import { type Outline, useConversationRuntime } from './runtime';

/** Maximum visible lines of a message. */
const MOST_ROWS = 4;

/**
 * The composer below a panel that replaces the conversation: same draft and keys, as high as its text. It
 * sends to the open chat with the panel's skill; the answer is in the conversation, which is then shown
 * again.
 */
export function DockedComposer({ panel }: { panel: PanelView }) {
  const { skills } = useApp(draftOf);
  const { sendDraft, setDraft, setPanel, stop } = useActions();
  /** The panel's skill is shown before the field and added to every message. */
  const point = () => setDraft({ skills: [...without(skills, panel.skill), panel.skill] });
  const onSend = async (text: string) => {
    point();
    try {
      await sendDraft(text.trim());
      setPanel({ wide: false });
    } catch {
      // The reason is shown beside the field.
    }
  };
  const runtime = useConversationRuntime({ outlines: none, running: false, onSend, onStop: stop });
  return (
    <AssistantRuntimeProvider runtime={runtime}>
      <Docked panel={panel} onPoint={point} onSend={(text) => void onSend(text)} />
    </AssistantRuntimeProvider>
  );
}

const none: readonly Outline[] = [];

interface DockedProps {
  readonly panel: PanelView;
  /** Adds the panel's skill to the draft. */
  readonly onPoint: () => void;
  readonly onSend: (text: string) => void;
}

function Docked({ panel, onPoint, onSend }: DockedProps) {
  const keys = useApp((app) => app.keys);
  const waits = useApp((app) => asks(app, app.open));
  const { setDraft, setPanel, queueDraft, showAsking } = useActions();
  const notSent = useApp(notSentOf);
  const { model, place } = usePlaceInUse();
  const files = useFiles();
  const drop = useDrop(files.add);
  const said = useSession(({ turns }) => turns.some(({ text, images }) => text !== '' || images.length > 0));
  const queue = () => {
    onPoint();
    queueDraft();
  };
  const field = useMessageField({
    files,
    shown: (draft) => ({ ...draft, skills: without(draft.skills, panel.skill) }),
    onSend,
    onQueue: queue,
    // It is edited in the conversation.
    onEditLast: () => {
      if (!said) return false;
      setPanel({ wide: false, peek: false });
      editLastMessageSoon();
      return true;
    },
  });
  const { empty, picker, mention, text } = field;
  const { running, stopping, problem: stopProblem, stop } = field.turn;

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
      <QueuedMessages running={running} onEdit={field.focus} />
      <div className="relative w-full max-w-190">
        <PromptAbove field={field} files={files} />
      </div>
      <ComposerPrimitive.Root
        className={`relative rounded-message border bg-surface-raised ${picker || mention || drop.over ? 'border-accent' : 'border-line-strong focus-within:border-line-control'}`}
      >
        {/* Aligned with the text, not centred in a wide window. */}
        <div className="absolute top-0 left-0 w-full max-w-190">
          <FieldPickers field={field} />
        </div>
        <DraftChips draft={field.draft} onChange={setDraft} />
        <div className="flex min-h-9 items-center gap-2.5 py-1 pr-1.5 pl-3">
          <Chip tone="tool" icon={skillIcon(panel.skill, '', panel.icon)}>
            {panel.name}
          </Chip>
          <ComposerPrimitive.Input {...field.props} asChild>
            <textarea
              aria-label={`Ask ${panel.name}`}
              placeholder={running ? 'Add a message. It is sent when this turn ends.' : 'Ask about what is shown, or change it in words'}
              rows={Math.min(MOST_ROWS, text.split('\n').length)}
              wrap="off"
              className={`selectable min-w-0 flex-1 resize-none overflow-hidden bg-transparent text-ui outline-none ${picker && text === `/${picker.query}` ? 'text-accent' : ''}`}
            />
          </ComposerPrimitive.Input>
          <span aria-live="polite" className="contents">
            {waits && (
              <LinkButton data-testid="show-question" className="shrink-0 text-small" onClick={() => void showAsking()}>
                Waits for your answer
              </LinkButton>
            )}
          </span>
          {model !== null && place !== null && <Destination model={model} place={place} />}
          {empty && !running && <Kbd>{keyText(keysOf(keys, 'composer'))}</Kbd>}
          <AttachButton files={files} className="-mx-1" />
          {running && !empty && (
            <IconButton icon="send" label="Send when this turn ends" keys="↵" data-testid="queue-message" onClick={queue} />
          )}
          {running ? (
            <StopButton stopping={stopping} byEsc={empty} onStop={stop} />
          ) : (
            <button
              aria-label="Send"
              data-testid="send"
              disabled={field.unready}
              {...field.sends}
              className="flex size-6.5 items-center justify-center rounded-control bg-accent-fill text-on-accent hover:bg-accent-hover disabled:opacity-45"
            >
              <Icon name="arrow-up" size={14} />
            </button>
          )}
        </div>
      </ComposerPrimitive.Root>
    </div>
  );
}

function without(skills: readonly string[], skill: string): string[] {
  return skills.filter((other) => other !== skill);
}

/** The message's destination, since the header that shows it elsewhere is hidden. */
function Destination({ model, place }: { model: string; place: ModelPlace }) {
  const short = { here: 'on this machine', elsewhere: `to ${place.host}`, unknown: 'unknown host' }[place.where];
  return (
    <span data-testid="docked-place" className={`max-w-44 min-w-0 shrink-0 text-small ${place.where === 'here' ? 'text-fg-3' : 'text-warn'}`}>
      <Explained more={placeText(model, place)} className="cut block max-w-full">
        {short}
      </Explained>
    </span>
  );
}
