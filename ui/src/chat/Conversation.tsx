import { AssistantRuntimeProvider, ThreadPrimitive, useAuiState, useThreadViewport } from '@assistant-ui/react';
import { type KeyboardEvent, useMemo, useRef, useState } from 'react';

import { Button, Icon, Loading } from '../shared';
import { useActions, useApp, useRpc, useSession } from '../state/hooks';
import { runningTurn, type SessionState } from '../state/session';
import { AnswerAgain, Editable, useScrollTarget } from './Branches';
import { Composer } from './Composer';
import { useDrop } from './composer/useDrop';
import { useFiles } from './composer/useFiles';
import { Find } from './Find';
import { type Mounted, steady, useMounted, useMountMore } from './long';
import { NewChat } from './NewChat';
import { NoticeLine } from './NoticeLine';
import { Quote } from './Quote';
import { SubAgentOf } from './SubAgentOf';
import { type Outline, outlinesOf, sameOutlines, useConversationRuntime } from './runtime';
import { TurnView, UserMessage } from './TurnView';
import { ChangeSetsContext } from './undone';

/** The open chat: its messages, calls and notices, with the composer below. */
export function Conversation() {
  const session = useApp((app) => app.open);
  const { sendDraft, stop } = useActions();
  // The reason is shown beside the field.
  const onSend = (text: string) => sendDraft(text).catch(() => {});
  const files = useFiles();
  const drop = useDrop((dropped) => {
    files.add(dropped);
    document.querySelector<HTMLElement>('[data-testid=composer-input]')?.focus();
  });
  // Nothing here depends on the text of a streaming answer; only `TurnView` does.
  const outlines = useSession(outlinesOf, sameOutlines);
  const running = useSession((state) => runningTurn(state) !== null);
  const mounted = useMounted(session, outlines.length);
  const drawn = useMemo(() => outlines.slice(mounted.first), [outlines, mounted.first]);
  const runtime = useConversationRuntime({ outlines: drawn, running, onStop: stop, onSend });

  const revision = useApp((app) => app.revisions.changes);
  const writes = useSession(hasWritten);
  const changes = useRpc('list_changes', session !== null && writes ? { session } : null, revision);

  return (
    <AssistantRuntimeProvider runtime={runtime}>
      <ChangeSetsContext value={changes.data ?? none}>
        <ThreadPrimitive.Root data-testid="conversation" className="relative flex h-full min-h-0 min-w-0 flex-col bg-surface" {...drop.handlers}>
          <Find mountAll={mounted.all} />
          <Log key={session ?? 'new'} last={outlines.at(-1)?.id} mounted={mounted} />
          <Quote />
          <Composer onSend={(text) => void onSend(text)} files={files} dropping={drop.over} />
        </ThreadPrimitive.Root>
      </ChangeSetsContext>
    </AssistantRuntimeProvider>
  );
}

const none: never[] = [];

function hasWritten({ turns }: SessionState): boolean {
  return turns.some((turn) => turn.items.some((item) => item.kind === 'call' && item.result?.changeSet));
}

/** `last`: the id of the last turn, if any. */
function Log({ last, mounted }: { last: string | undefined; mounted: Mounted }) {
  const opening = useApp((app) => app.opening);
  const before = useSession((state) => state.opening);
  useScrollTarget(mounted.all);
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
          {opening && last === undefined && <Loading lines={4} label="Opening the chat" />}
          {!opening && last === undefined && <NewChat />}
          <SubAgentOf />
          {mounted.first === 0 && before.map((item) => <NoticeLine key={item.id} item={item} />)}
          <ThreadPrimitive.Messages>{() => <Message last={last} />}</ThreadPrimitive.Messages>
        </div>
      </ThreadPrimitive.Viewport>
      <NewBelow />
    </div>
  );
}

function Message({ last }: { last: string | undefined }) {
  const role = useAuiState((s) => s.message.role);
  const outline = useAuiState((s) => s.message.metadata.custom['outline']) as Outline;
  return (
    <article
      ref={steady}
      aria-label={role === 'user' ? 'You' : 'Nova'}
      data-turn={outline.id}
      // Only visible turns are laid out and painted, and always the streaming one.
      className={`group/answer empty:hidden ${outline.id === last ? '' : 'nova-unseen'}`}
    >
      {role === 'user'
        ? (outline.text !== '' || outline.images.length > 0) && (
            <Editable turn={outline}>
              <UserMessage turn={outline} />
            </Editable>
          )
        : <>
            <TurnView id={outline.id} last={outline.id === last} />
            <AnswerAgain turn={outline} />
          </>}
    </article>
  );
}

/** Shown when the reader has scrolled up; indicates new content below. */
function NewBelow() {
  const atEnd = useThreadViewport((viewport) => viewport.isAtBottom);
  return atEnd ? null : <ToTheEnd />;
}

function ToTheEnd() {
  const turns = useSession((state) => state.turns);
  const [left] = useState(turns);
  return (
    <div className="pointer-events-none absolute inset-x-0 bottom-2 flex justify-center">
      <ThreadPrimitive.ScrollToBottom asChild>
        <Button size="s" className="pointer-events-auto shadow-2" data-testid="new-below">
          <Icon name="arrow-down" size={12} />
          {turns === left ? 'To the end' : 'New below'}
        </Button>
      </ThreadPrimitive.ScrollToBottom>
    </div>
  );
}

/** The conversation is one tab stop: arrows move between items, Enter goes into one, Esc out of it. */
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
