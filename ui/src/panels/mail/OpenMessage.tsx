import { useEffect, useEffectEvent } from 'react';

import { ErrorBox, Icon, LinkButton, Loading } from '../../shared';
import { noteName } from '../../shared/format';
import { NoteLink } from '../../shared/NoteLink';
import { Revealed } from '../../shared/Revealed';
import { Asking } from '../skill/Region';
import { useReads } from '../skill/useReads';
import { Attachments } from './Attachments';
import { isWritable, useMail } from './context';
import { LogForm } from './LogForm';
import { MailBody } from './MailBody';
import { readIn, type Message, type ReadMessage } from './messages';
import { useContact } from './useContact';
import { recipientsText, timeText } from './words';

interface OpenMessageProps {
  readonly message: Message;
  /** Whether it is the whole conversation. */
  readonly alone: boolean;
  readonly roomForNotes: boolean;
}

/** A message with its text, below the facts about its sender. */
export function OpenMessage({ message, alone, roomForNotes }: OpenMessageProps) {
  const { nameOf } = useMail();
  const asked = { tool: nameOf('show'), args: { id: message.id } };
  const reads = useReads([asked], 'elsewhere');
  const { result = null, run = null, error = null } = reads.of(asked) ?? {};
  const read = readIn(result?.value);
  useMarkShown(message, read !== null);
  return (
    <article aria-label={message.from.name} data-testid="mail-message" className="flex flex-col gap-2 border-b border-line px-5 pt-3 pb-4 last:border-b-0">
      <MessageHead message={message} read={read} alone={alone} />
      {read && <Trust read={read} message={message} roomForNotes={roomForNotes} />}
      {error && <ErrorBox error={error} actions={<LinkButton onClick={reads.again}>Try again</LinkButton>} />}
      {run !== null && <Asking run={run} />}
      {read ? <MailBody read={read} asked={asked} /> : !error && <Loading lines={4} label="Reading the mail" />}
      {read && read.attachments.length > 0 && <Attachments read={read} message={message} />}
    </article>
  );
}

/** Marks a visible message as read if no approval is needed. */
function useMarkShown(message: Message, seen: boolean) {
  const mail = useMail();
  const mark = useEffectEvent(() => {
    if (message.unread && mail.has('mark') && isWritable(mail, message)) mail.acts.markShown(message);
  });
  useEffect(() => {
    if (seen) mark();
  }, [seen, message.id]);
}

function MessageHead({ message, read, alone }: { message: Message; read: ReadMessage | null; alone: boolean }) {
  const { own, today, dispatch } = useMail();
  const { from } = message;
  const isOwn = own.includes(from.address);
  const name = isOwn ? 'You' : from.name;
  const content = (
    <span className="selectable flex min-w-0 flex-1 flex-wrap items-baseline gap-x-1.5">
      <span className="text-ui font-semibold">
        <Revealed text={name} />
      </span>{' '}
      <span className="text-small break-all text-fg-2">
        {name !== from.address && <Revealed text={from.address} />} {read && recipientsText(read, own)}
      </span>
    </span>
  );
  return (
    <div className="flex items-start gap-2">
      {alone ? (
        content
      ) : (
        <button type="button" aria-expanded className="flex min-w-0 flex-1 text-left" data-tip="Fold" onClick={() => dispatch({ type: 'folded', message: message.id })}>
          {content}
        </button>
      )}
      <span className="shrink-0 text-small text-fg-3 tabular-nums">{timeText(message, today)}</span>
    </div>
  );
}

/** The sender's verification, the contact note with its address, and warnings. */
function Trust({ read, message, roomForNotes }: { read: ReadMessage; message: Message; roomForNotes: boolean }) {
  const { own } = useMail();
  const contact = useContact(message.from.address);
  const isOwn = own.includes(message.from.address);
  const look = read.verified === null ? 'text-fg-3' : read.verified ? 'text-ok' : 'text-danger';
  // Already shown in the line above.
  const warnings = read.warnings.filter((warning) => read.verified !== false || !warning.startsWith('Your server could not verify'));
  return (
    <div className="flex flex-col gap-1 text-small">
      <div className="flex flex-wrap items-center gap-x-4 gap-y-1">
        {!isOwn && (
          <span className={`selectable inline-flex items-center gap-1.5 ${look}`} data-testid="mail-trust">
            <Icon name={read.verified === false ? 'warn' : 'shield'} size={14} />
            <Revealed text={read.sender.replace(/\.$/, '')} />
          </span>
        )}
        {contact && (
          <span className="inline-flex items-center gap-1.5">
            <Icon name="note" size={14} />
            <NoteLink note={contact.path}>
              <Revealed text={contact.name} />
            </NoteLink>
            <span className="text-fg-3">{noteName(contact.path).folder}</span>
          </span>
        )}
        {contact && !roomForNotes && <LogForm message={message} contact={contact} folded />}
      </div>
      {warnings.map((warning) => (
        <p key={warning} className="selectable flex items-start gap-1.5 text-warn" data-testid="mail-warning">
          <Icon name="warn" size={14} className="mt-0.5" />
          <span className="min-w-0 break-words">
            <Revealed text={warning} />
          </span>
        </p>
      ))}
    </div>
  );
}
