import { useId, useState } from 'react';

import type { ToolResult } from '../../ipc';
import { Button, ErrorBox, Icon, LinkButton } from '../../shared';
import { Diff } from '../../shared/Diff';
import { Revealed } from '../../shared/Revealed';
import { useActions, useApp, useRpc } from '../../state/hooks';
import type { Contact } from '../calendar/attendees';
import { useMail } from './context';
import type { Message } from './messages';
import { quotedSubject } from './words';

/**
 * Adds a message to a contact's log, with a preview before and the result after. `folded`: a button until
 * used.
 */
export function LogForm({ message, contact, folded = false }: { message: Message; contact: Contact; folded?: boolean }) {
  const { acts, today } = useMail();
  // The server's clock may be ahead.
  const date = message.day === '' || message.day > today ? today : message.day;
  const [open, setOpen] = useState(!folded);
  const [text, setText] = useState(`Mail: ${quotedSubject(message.subject)}`);
  const [busy, setBusy] = useState(false);
  const [result, setResult] = useState<ToolResult | null>(null);
  const id = useId();
  if (!open) {
    return (
      <Button size="s" icon="check" data-mail-log="" onClick={() => setOpen(true)}>
        Log this
      </Button>
    );
  }
  if (result?.ok) return <Logged set={result.change_set} name={contact.name} />;
  const log = async () => {
    setBusy(true);
    setResult(await acts.log(message, contact.path, text.trim(), date));
    setBusy(false);
  };
  return (
    <form
      aria-label="Log this mail"
      className={`flex flex-col gap-2 ${folded ? 'basis-full' : ''}`}
      onSubmit={(event) => {
        event.preventDefault();
        void log();
      }}
    >
      <label htmlFor={id} className="font-semibold">
        Log this mail
      </label>
      <textarea
        id={id}
        rows={2}
        data-mail-log=""
        className="selectable w-full resize-y rounded-control border border-line-control bg-surface-raised px-2 py-1 text-small focus:border-accent focus:outline-1 focus:outline-accent"
        value={text}
        onChange={(event) => setText(event.target.value)}
      />
      <p className="selectable rounded-control border border-line bg-ok-soft px-2 py-1 font-mono text-small break-words" data-testid="mail-log-line">
        + - {date} <Revealed text={text.trim()} />
      </p>
      <div>
        <Button size="s" icon="check" type="submit" data-testid="mail-log" disabled={busy || text.trim() === ''}>
          Log this
        </Button>
      </div>
      {result?.error && <ErrorBox error={result.error} />}
    </form>
  );
}

/** Number of recent changes searched for this one. */
const RECENT = 50;

/** The written change, with Undo. */
function Logged({ set, name }: { set: string | null; name: string }) {
  const changes = useApp(({ revisions }) => revisions.changes);
  const { undo, report } = useActions();
  const sets = useRpc('list_changes', set === null ? null : { limit: RECENT }, changes).data;
  const notes = sets?.find(({ id }) => id === set)?.notes ?? [];
  const undone = notes.length > 0 && notes.every((note) => note.undone);
  return (
    <div className="flex basis-full flex-col gap-2" data-testid="mail-logged">
      <p role="status" className="flex items-center gap-1.5">
        <Icon name={undone ? 'undo' : 'check'} size={14} className={undone ? 'text-fg-2' : 'text-ok'} />
        <span className="flex-1">
          {undone ? 'Undone: the log of ' : 'Logged with '}
          <Revealed text={name} />
          {undone ? ' is as it was' : ''}
        </span>
        {set !== null && !undone && <LinkButton onClick={() => void undo({ change_set: set }).catch(report)}>Undo</LinkButton>}
      </p>
      {!undone && notes.map(({ path, diff }) => <Diff key={path} diff={diff} />)}
    </div>
  );
}
