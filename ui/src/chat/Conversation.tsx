import { AssistantRuntimeProvider, ThreadPrimitive, useAuiState, useThreadViewport } from '@assistant-ui/react';
import { type KeyboardEvent, useMemo, useRef, useState } from 'react';

import { userError, type UserError } from '../ipc';
import { Button, Empty, Icon, Loading } from '../shared';
import { modelInUse } from '../state/app';
import { useActions, useApp, useRpc, useSession } from '../state/hooks';
import type { SessionState, Turn } from '../state/session';
import { Announcer } from './Announcer';
import { AnswerAgain, Editable, useSoughtTurn } from './Branches';
import { Composer } from './Composer';
import { Find } from './Find';
import { waitingCards } from './groups';
import { type Mounted, steady, useMounted, useMountMore } from './long';
import { NoticeLine } from './NoticeLine';
import { Quote } from './Quote';
import { useConversationRuntime } from './runtime';
import { TurnView, UserMessage } from './TurnView';
import { ChangeSetsContext } from './undone';

/** The open chat: its messages, calls and notices, and the composer below them. */
export function Conversation() {
  const session = useApp((app) => app.open);
  const state = useSession();
  const { sendDraft, stop } = useActions();
  const [problem, setProblem] = useState<UserError | null>(null);
  const [shown, setShown] = useState(session);
  if (shown !== session) {
    setShown(session);
    // A new chat becomes a session by its first message, also by one that could not be sent.
    if (shown !== null) setProblem(null);
  }

  const onSend = async (text: string) => {
    setProblem(null);
    try {
      await sendDraft(text);
    } catch (thrown) {
      setProblem(userError(thrown));
    }
  };
  const mounted = useMounted(session, state.turns.length);
  const runtime = useConversationRuntime({ state, first: mounted.first, onStop: stop, onSend });

  const revision = useApp((app) => app.revisions.changes);
  const writes = state.turns.some((turn) => turn.items.some((item) => item.kind === 'call' && item.result?.changeSet));
  const changes = useRpc('list_changes', session !== null && writes ? { session } : null, revision);

  return (
    <AssistantRuntimeProvider runtime={runtime}>
      <ChangeSetsContext value={changes.data ?? none}>
        <ThreadPrimitive.Root data-testid="conversation" className="relative flex h-full min-h-0 min-w-0 flex-col bg-surface">
          <Find mountAll={mounted.all} />
          <Log key={session ?? 'new'} state={state} mounted={mounted} />
          <Quote />
          <Composer state={state} problem={problem} onSend={(text) => void onSend(text)} />
          <Announcer state={state} session={session} />
        </ThreadPrimitive.Root>
      </ChangeSetsContext>
    </AssistantRuntimeProvider>
  );
}

const none: never[] = [];

function Log({ state, mounted }: { state: SessionState; mounted: Mounted }) {
  const opening = useApp((app) => app.opening);
  const waiting = useMemo(() => waitingCards(state), [state]);
  useSoughtTurn(mounted.all);
  const last = state.turns.at(-1)?.id;
  const viewport = useRef<HTMLDivElement>(null);
  useMountMore(viewport, mounted);
  return (
    <div className="relative min-h-0 flex-1">
      <ThreadPrimitive.Viewport
        ref={viewport}
        role="log"
        aria-live="off"
        aria-label="Conversation"
        data-region="conversation"
        tabIndex={0}
        onKeyDown={walkItems}
        className="h-full overflow-y-auto"
      >
        <div className="mx-auto flex min-h-full w-full max-w-192 flex-col gap-2.5 px-6 pt-5 pb-3">
          {opening && state.turns.length === 0 && <Loading lines={4} label="Opening the chat" />}
          {!opening && state.turns.length === 0 && <NewChat />}
          {mounted.first === 0 &&
            state.opening.map((item) => (
            <NoticeLine key={item.id} item={item} />
          ))}
          <ThreadPrimitive.Messages>
            {() => <Message last={last} waiting={waiting} />}
          </ThreadPrimitive.Messages>
        </div>
      </ThreadPrimitive.Viewport>
      <NewBelow state={state} />
    </div>
  );
}

function Message({ last, waiting }: { last: string | undefined; waiting: readonly string[] }) {
  const role = useAuiState((s) => s.message.role);
  const turn = useAuiState((s) => s.message.metadata.custom['turn']) as Turn;
  return (
    <article
      ref={steady}
      aria-label={role === 'user' ? 'You' : 'Nova'}
      data-turn={turn.id}
      // What is out of sight is neither laid out nor painted; the one that grows always is.
      className={`group/answer empty:hidden ${turn.id === last ? '' : 'nova-unseen'}`}
    >
      {role === 'user'
        ? turn.text !== '' && (
            <Editable turn={turn}>
              <UserMessage turn={turn} />
            </Editable>
          )
        : <>
            <TurnView turn={turn} last={turn.id === last} waiting={waiting} />
            <AnswerAgain turn={turn} />
          </>}
    </article>
  );
}

/** Appears when the reader has scrolled up; says so when something came below meanwhile. */
function NewBelow({ state }: { state: SessionState }) {
  const atEnd = useThreadViewport((viewport) => viewport.isAtBottom);
  const [left, setLeft] = useState<SessionState['turns'] | null>(null);
  if (atEnd) {
    if (left !== null) setLeft(null);
    return null;
  }
  if (left === null) setLeft(state.turns);
  const news = left !== null && left !== state.turns;
  return (
    <div className="pointer-events-none absolute inset-x-0 bottom-2 flex justify-center">
      <ThreadPrimitive.ScrollToBottom asChild>
        <Button size="s" className="pointer-events-auto shadow-2" data-testid="new-below">
          <Icon name="arrow-down" size={12} />
          {news ? 'New below' : 'To the end'}
        </Button>
      </ThreadPrimitive.ScrollToBottom>
    </div>
  );
}

function NewChat() {
  const { show } = useActions();
  const model = useApp(modelInUse);
  const vault = useApp((app) => app.status?.vault?.name);
  if (model === null) {
    return (
      <div className="m-auto">
        <Empty
          title="No model yet"
          action={
            <span className="flex gap-2">
              <Button variant="primary" onClick={() => show({ kind: 'settings', page: 'models' })}>
                Set up a model
              </Button>
              <Button onClick={() => show({ kind: 'run-tool', tool: null })}>Run a tool</Button>
            </span>
          }
        >
          A chat needs a model. Every tool works without one.
        </Empty>
      </div>
    );
  }
  return (
    <div className="m-auto">
      <Empty title="New chat">Ask about {vault ? `the notes in ${vault}` : 'your notes'}, or say what to change. Every change can be undone.</Empty>
    </div>
  );
}

/** The conversation is one stop of Tab: arrows walk its items, Enter goes into one, Esc out of it. */
function walkItems(event: KeyboardEvent<HTMLDivElement>) {
  const log = event.currentTarget;
  const target = event.target as HTMLElement;
  const items = [...log.querySelectorAll<HTMLElement>('[data-item]')];
  const at = items.indexOf(target);
  const onItem = target === log || at >= 0;

  if (event.key === 'Escape' && !onItem && !event.defaultPrevented) {
    const item = target.closest<HTMLElement>('[data-item]');
    if (item && log.contains(item)) item.focus();
    return;
  }
  if (!onItem) return;
  switch (event.key) {
    case 'ArrowDown':
    case 'ArrowUp': {
      const step = event.key === 'ArrowDown' ? 1 : -1;
      const next = at < 0 ? (step > 0 ? items[0] : items.at(-1)) : items[at + step];
      if (!next) return;
      event.preventDefault();
      next.focus();
      next.scrollIntoView({ block: 'nearest' });
      return;
    }
    case 'Enter': {
      const inside = target.querySelector<HTMLElement>('button:not(:disabled), a, input, [tabindex="0"]');
      if (at < 0 || !inside) return;
      event.preventDefault();
      inside.focus();
      return;
    }
    case 'Tab': {
      if (event.shiftKey) return;
      const composer = document.querySelector<HTMLElement>('[data-testid="composer-input"]');
      if (!composer) return;
      event.preventDefault();
      composer.focus();
    }
  }
}
