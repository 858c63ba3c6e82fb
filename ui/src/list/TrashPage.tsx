import { useEffect, useRef, useState } from 'react';

import { userError, type SessionRow, type UserError } from '../ipc';
import { Button, counted, dayText, Empty, ErrorBox, Icon, Popover, PopoverClose, whenText } from '../shared';
import { listKeys } from '../shared/list-keys';
import { useActions, useApp } from '../state/hooks';

/** Days before a deleted chat is purged automatically. */
const keptFor = 30;

/** Deleted chats: each can be restored, or deleted permanently. */
export function TrashPage() {
  const rows = useApp((app) => app.trash);
  const { purgeSessions } = useActions();
  const { head, list, leaving } = useFocusMovesOn(rows);
  return (
    <section aria-label="Deleted chats" data-testid="trash" className="flex h-full min-w-0 flex-1 flex-col bg-surface">
      <header ref={head} data-region="header" tabIndex={-1} aria-label="Deleted chats" className="flex h-12 shrink-0 items-center gap-2.5 border-b border-line px-4">
        <h1 className="text-body font-semibold">Deleted chats</h1>
        <span className="tabular flex-1 text-small text-fg-3">{rows.length > 0 && rows.length}</span>
        {rows.length > 0 && (
          <PurgeButton
            label="Empty trash"
            question={rows.length === 1 ? 'Permanently delete 1 chat?' : `Delete ${counted(rows.length, 'chat')} for good?`}
            onDelete={() => {
              leaving(0);
              return purgeSessions();
            }}
          />
        )}
      </header>
      <div className="min-h-0 flex-1 overflow-y-auto">
        {rows.length === 0 ? (
          <Empty title="No deleted chats">Deleted chats stay here for {keptFor} days.</Empty>
        ) : (
          <>
            <p className="mx-auto max-w-192 px-6 pt-4 pb-2 text-small text-fg-2">
              Deleted chats are removed for good after {keptFor} days. Their changes to notes stay and can be undone under Changes until then.
            </p>
            <ul ref={list} data-list onKeyDown={listKeys} aria-label="Deleted chats" className="mx-auto flex max-w-192 flex-col px-4 pb-4">
              {rows.map((row, at) => (
                <TrashRow key={row.id} row={row} onLeave={() => leaving(at)} />
              ))}
            </ul>
          </>
        )}
      </div>
    </section>
  );
}

/** When the focused row disappears, focuses the row in its place, or the page's heading. */
function useFocusMovesOn(rows: readonly SessionRow[]) {
  const head = useRef<HTMLElement>(null);
  const list = useRef<HTMLUListElement>(null);
  const left = useRef<{ id: string; at: number } | null>(null);
  useEffect(() => {
    const row = left.current;
    if (row === null || rows.some(({ id }) => id === row.id)) return;
    left.current = null;
    // Keep a focus that has moved elsewhere.
    if (document.activeElement !== document.body) return;
    const next = list.current?.children[Math.min(row.at, rows.length - 1)];
    (next?.querySelector('button') ?? head.current)?.focus();
  }, [rows]);
  const leaving = (at: number) => {
    const row = rows[at];
    left.current = row === undefined ? null : { id: row.id, at };
  };
  return { head, list, leaving };
}

function TrashRow({ row, onLeave }: { row: SessionRow; onLeave: () => void }) {
  const { restoreSession, purgeSessions } = useActions();
  const [busy, setBusy] = useState(false);
  const restore = async () => {
    setBusy(true);
    onLeave();
    await restoreSession(row.id);
    setBusy(false);
  };
  const remove = () => {
    onLeave();
    return purgeSessions(row.id);
  };
  return (
    <li data-testid="trash-row" data-list-item className="flex min-h-9 items-center gap-2.5 rounded-control px-2 hover:bg-hover focus-within:bg-hover">
      <Icon name="note" size={14} className="text-fg-2" />
      <span className="cut min-w-0 flex-1 text-ui" data-tip={row.title}>
        {row.title}
      </span>
      {row.deleted_at !== undefined && (
        <span className="shrink-0 text-small text-fg-3">
          deleted {whenText(row.deleted_at)}, kept until {until(row.deleted_at)}
        </span>
      )}
      <Button size="s" icon="undo" disabled={busy} aria-label={`Restore ${row.title}`} data-testid="restore-chat" onClick={() => void restore()}>
        Restore
      </Button>
      <PurgeButton label="Delete permanently" of={row.title} question={`Delete “${row.title}” for good?`} onDelete={remove} />
    </li>
  );
}

interface PurgeButtonProps {
  readonly label: string;
  /** Its object, for screen readers. */
  readonly of?: string;
  readonly question: string;
  readonly onDelete: () => Promise<void>;
}

/** Confirmed first, as it cannot be undone. */
function PurgeButton({ label, of, question, onDelete }: PurgeButtonProps) {
  const [asking, setAsking] = useState(false);
  const [busy, setBusy] = useState(false);
  const [problem, setProblem] = useState<UserError | null>(null);
  const remove = async () => {
    setBusy(true);
    setProblem(null);
    try {
      await onDelete();
      setAsking(false);
    } catch (thrown) {
      setProblem(userError(thrown));
    }
    setBusy(false);
  };
  return (
    <Popover
      label={question}
      align="end"
      open={asking}
      onOpenChange={(open) => {
        setAsking(open);
        setProblem(null);
      }}
      trigger={
        <Button size="s" data-testid={of === undefined ? 'empty-trash' : 'purge-chat'} {...(of === undefined ? {} : { 'aria-label': `${label}: ${of}` })}>
          {label}
        </Button>
      }
    >
      <p className="mb-1 font-medium break-words">{question}</p>
      <p className="mb-2.5 text-small text-fg-2">This cannot be undone. Your notes stay as they are.</p>
      {problem && <ErrorBox error={problem} />}
      <div className="flex gap-2">
        <Button variant="danger" size="s" disabled={busy} onClick={() => void remove()} data-testid="purge-confirm">
          {label}
        </Button>
        <PopoverClose asChild>
          <Button size="s">Keep</Button>
        </PopoverClose>
      </div>
    </Popover>
  );
}

function until(deletedAt: string): string {
  const day = new Date(deletedAt);
  day.setDate(day.getDate() + keptFor);
  return dayText(day);
}
