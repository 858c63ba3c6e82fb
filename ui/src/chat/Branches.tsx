// Branching a chat: a sent message is edited, an answer is repeated, and the arrows switch between versions.

import { useEffect, useMemo, useRef, useState, type KeyboardEvent, type ReactNode } from 'react';

import { Button, Chip, IconButton } from '../shared';
import { isOutside, sizeOf, sizeText, splitFiles, withFiles } from '../state/attachments';
import { beforeOf, siblings } from '../state/branches';
import { useActions, useApp, useSession } from '../state/hooks';
import { runningTurn, type Said } from '../state/session';
import { useAgain } from './again';
import { CopyButton, Corner } from './MessageParts';
import { SendProblem } from './remedies';
import type { Outline } from './runtime';

/** The user's message with its versions, or the field that edits it. */
export function Editable({ turn, children }: { turn: Said; children: ReactNode }) {
  const [editing, setEditing] = useState(false);
  const pencil = useRef<HTMLButtonElement>(null);
  const running = useSession((state) => runningTurn(state) !== null);
  if (editing) {
    return (
      <EditMessage
        turn={turn}
        onClose={() => {
          setEditing(false);
          requestAnimationFrame(() => pencil.current?.focus());
        }}
      />
    );
  }
  return (
    <div data-turn={turn.id} className="group/said relative" onKeyDown={walkInto}>
      {children}
      <Corner className="group-focus-within/said:opacity-100 group-hover/said:opacity-100">
        <IconButton
          ref={pencil}
          icon="pencil"
          iconSize={14}
          label={running ? 'Edit when this turn ends' : 'Edit message'}
          data-testid="edit-message"
          disabled={running}
          className="border border-line"
          onClick={() => setEditing(true)}
        />
        <CopyButton text={() => turn.text} label="Copy message" />
      </Corner>
      <Versions turn={turn} />
    </div>
  );
}

/** As in every item of the conversation, Enter moves inside (here to the enabled pencil) and Esc out. */
function walkInto(event: KeyboardEvent<HTMLDivElement>) {
  const item = event.currentTarget.querySelector<HTMLElement>('[data-item]');
  const to =
    event.key === 'Enter' && event.target === item
      ? event.currentTarget.querySelector<HTMLElement>('[data-testid="edit-message"]:not(:disabled), [data-testid="copy-message"]')
      : event.key === 'Escape' && event.target !== item
        ? item
        : null;
  if (!to) return;
  event.preventDefault();
  event.stopPropagation();
  to.focus();
}

/** ‹ 2/3 › if the message has several versions. */
function Versions({ turn }: { turn: Said }) {
  const branches = useSession((state) => state.branches);
  const running = useSession((state) => runningTurn(state) !== null);
  const { chooseBranch } = useActions();
  const versions = siblings(branches, turn.id);
  const at = versions.indexOf(turn.id);
  if (versions.length < 2) return null;
  const arrow = (by: 1 | -1, label: string) => {
    const other = versions[at + by];
    return (
      <IconButton
        icon={by < 0 ? 'chevron-left' : 'chevron-right'}
        iconSize={14}
        label={label}
        disabled={running || other === undefined}
        onClick={() => other !== undefined && void chooseBranch(other)}
      />
    );
  };
  return (
    <div
      role="group"
      aria-label="Versions of this message"
      data-testid="versions"
      data-tip="Changes to notes stay in all versions"
      className="flex h-7 items-center justify-end text-fg-3"
    >
      {arrow(-1, 'Earlier version')}
      <span className="tabular text-small" aria-label={`Version ${at + 1} of ${versions.length}`}>
        {at + 1}/{versions.length}
      </span>
      {arrow(1, 'Later version')}
    </div>
  );
}

function EditMessage({ turn, onClose }: { turn: Said; onClose: () => void }) {
  const before = useSession((state) => beforeOf(state.branches, turn.id) ?? null);
  const { sendAgain } = useActions();
  const said = useMemo(() => splitFiles(turn.text), [turn.text]);
  const [text, setText] = useState(said.text);
  const [files, setFiles] = useState([...said.files, ...turn.outside]);
  const [images, setImages] = useState(turn.images);
  const again = useAgain(async () => {
    const own = files.filter((file) => !isOutside(file));
    await sendAgain({ ...turn, images, outside: files.filter(isOutside) }, { text: withFiles(text.trim(), own), after: before });
    onClose();
  });
  const field = useRef<HTMLTextAreaElement>(null);
  useEffect(() => {
    field.current?.focus();
    field.current?.setSelectionRange(said.text.length, said.text.length);
  }, [said.text.length]);
  const empty = text.trim() === '' && files.length === 0 && images.length === 0;

  const onKeyDown = (event: KeyboardEvent<HTMLTextAreaElement>) => {
    if (event.nativeEvent.isComposing) return;
    if (event.key === 'Escape') {
      event.preventDefault();
      event.stopPropagation();
      onClose();
    } else if (event.key === 'Enter' && !event.shiftKey) {
      event.preventDefault();
      if (!empty) again.run();
    }
  };

  return (
    <div data-testid="edit-form" className="flex flex-col gap-2 rounded-message border border-line-control bg-surface-raised p-2.5">
      {files.length + images.length > 0 && (
        <ul aria-label="Attached" className="flex flex-wrap gap-1.5 px-1">
          {files.map((file, at) => (
            <li key={at} className="contents">
              <Chip tone="note" icon="clip" onRemove={() => setFiles(files.filter((_, other) => other !== at))} removeLabel={`Remove ${file.name}`}>
                <span data-testid="edit-file">{file.name}</span> <span className="text-fg-3">{file.uri ?? sizeText(sizeOf(file.text))}</span>
              </Chip>
            </li>
          ))}
          {images.map((image) => (
            <li key={image.id} className="contents">
              <Chip tone="note" icon="clip" onRemove={() => setImages(images.filter((other) => other !== image))} removeLabel={`Remove ${image.name}`}>
                <span data-testid="edit-image">{image.name}</span>
              </Chip>
            </li>
          ))}
        </ul>
      )}
      <textarea
        ref={field}
        aria-label="Message"
        value={text}
        rows={Math.min(10, text.split('\n').length)}
        onChange={(event) => setText(event.target.value)}
        onKeyDown={onKeyDown}
        className="selectable w-full resize-none bg-transparent px-1 text-body outline-none"
      />
      {again.problem && <SendProblem problem={again.problem} />}
      <div className="flex flex-wrap items-center gap-2">
        <p className="flex-1 text-small text-fg-3">The chat continues from here. Later changes to notes stay; undo them under Changes.</p>
        <Button onClick={onClose}>Cancel</Button>
        <Button variant="primary" icon="send" disabled={empty || again.busy} onClick={again.run} data-testid="send-edited">
          Send
        </Button>
      </div>
    </div>
  );
}

/** Repeats the request; the existing answer stays as a version. */
export function AnswerAgain({ turn }: { turn: Outline }) {
  const before = useSession((state) => beforeOf(state.branches, turn.id) ?? null);
  const busy = useSession((state) => runningTurn(state) !== null);
  const { sendAgain } = useActions();
  const again = useAgain(() => sendAgain(turn, { after: before }));
  if (turn.status === 'running' || (turn.text === '' && turn.images.length === 0 && turn.outside.length === 0)) return null;
  return (
    <div className="flex flex-col gap-2">
      <div
        data-item
        tabIndex={-1}
        className="-mt-1 flex self-start rounded-control opacity-0 group-focus-within/answer:opacity-100 group-hover/answer:opacity-100"
      >
        <IconButton
          icon="refresh"
          iconSize={14}
          label="Regenerate"
          data-testid="answer-again"
          disabled={busy || again.busy}
          onClick={again.run}
        />
      </div>
      {again.problem && <SendProblem problem={again.problem} />}
    </div>
  );
}

/** Scrolls to the message found by a search. */
export function useScrollTarget(mountAll: () => void): void {
  const scrollTarget = useApp((app) => app.scrollTarget);
  const open = useApp((app) => app.open);
  const there = useSession((state) => scrollTarget !== null && state.turns.some((turn) => turn.id === scrollTarget.turn));
  const { found } = useActions();
  useEffect(() => {
    if (scrollTarget === null || scrollTarget.session !== open || !there) return;
    // Outside of the effect, since earlier turns are mounted synchronously.
    const timer = setTimeout(() => {
      mountAll();
      const message = document.querySelector<HTMLElement>(`[data-turn="${CSS.escape(scrollTarget.turn)}"] [data-item]`);
      message?.scrollIntoView({ block: 'start' });
      message?.focus({ preventScroll: true });
      found();
    });
    return () => clearTimeout(timer);
    // eslint-disable-next-line react-hooks/exhaustive-deps -- a new function each time, which does the same
  }, [scrollTarget, open, there, found]);
}

/** Edits the last message, as ↑ in an empty composer does. Returns whether there is one. */
export function editLastMessage(): boolean {
  const pencil = [...document.querySelectorAll<HTMLButtonElement>('[data-testid="edit-message"]:not(:disabled)')].at(-1);
  pencil?.click();
  return pencil !== undefined;
}

/** Frames to wait for a message to be rendered before giving up. */
const DRAWN_IN = 60;

/** The same for a conversation that is about to be shown. */
export function editLastMessageSoon(frames = DRAWN_IN): void {
  requestAnimationFrame(() => {
    if (!editLastMessage() && frames > 0) editLastMessageSoon(frames - 1);
  });
}
