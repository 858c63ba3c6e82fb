import { LinkButton } from '../../shared';
import { NoteLink } from '../../shared/NoteLink';
import { Revealed } from '../../shared/Revealed';
import { noteName } from '../../shared/format';
import { useActions } from '../../state/hooks';
import type { Contact } from '../calendar/attendees';
import { useContacts } from '../calendar/useContacts';
import { isRow, textOf } from '../skill/answer';
import { useReads } from '../skill/useReads';
import { dateText } from '../skill/words';
import { useMail } from './context';
import { LogForm } from './LogForm';
import { listingIn, type Message } from './messages';
import { OpenDeals } from './OpenDeals';
import { useContact } from './useContact';
import { shortDate, subjectText } from './words';

/** Number of earlier mails listed. */
const EARLIER = 6;

/** Notes about the open message's sender. */
export function InNotes() {
  const { state, messages, own } = useMail();
  const open = messages.find(({ id }) => id === state.open?.id) ?? state.open;
  return (
    <aside aria-label="In your notes" className="flex w-78 shrink-0 flex-col overflow-y-auto border-l border-line text-small">
      <h2 className="flex min-h-12 shrink-0 items-center border-b border-line px-4 text-body font-semibold">In your notes</h2>
      {open && !own.includes(open.from.address) && <Sender key={open.id} message={open} />}
    </aside>
  );
}

function Sender({ message }: { message: Message }) {
  const contact = useContact(message.from.address);
  return (
    <>
      <section aria-label="Contact" className="border-b border-line px-4 py-3">
        {contact ? <ContactFacts contact={contact} address={message.from.address} /> : <Unknown message={message} />}
      </section>
      {contact && (
        <section aria-label="Log" className="border-b border-line px-4 py-3">
          <LogForm message={message} contact={contact} />
        </section>
      )}
      {contact && <OpenDeals contact={contact} />}
      <Earlier message={message} />
    </>
  );
}

const facts = [
  ['company', 'Company'],
  ['stage', 'Stage'],
  ['last_contact', 'Last contact'],
  ['next_contact', 'Next contact'],
] as const;

function ContactFacts({ contact: { name, path }, address }: { contact: Contact; address: string }) {
  const { today } = useMail();
  const asked = { tool: 'crm.get_contact', args: { name: path } };
  const value = useReads([asked]).of(asked)?.result?.value;
  const known = facts.flatMap(([key, label]) => {
    const text = isRow(value) ? textOf(value[key]) : '';
    return text === '' ? [] : [{ key, label, text }];
  });
  return (
    <>
      <p className="pb-1.5">
        <NoteLink note={path} className="text-ui">
          <Revealed text={name} />
        </NoteLink>{' '}
        <span className="text-fg-3">{noteName(path).folder}</span>
      </p>
      <dl className="selectable grid grid-cols-[6rem_1fr] gap-y-0.5">
        {known.map(({ key, label, text }) => {
          const isDay = key.endsWith('_contact');
          const overdue = key === 'next_contact' && text < today;
          return (
            <div key={key} className="contents">
              <dt className="text-fg-3">{label}</dt>
              <dd className={`min-w-0 break-words ${overdue ? 'text-danger' : ''}`}>
                {isDay && `${dateText(text, today)}${overdue ? ', overdue' : ''}`}
                {key === 'company' && <NoteLink note={text}>{<Revealed text={text} />}</NoteLink>}
                {key === 'stage' && <Revealed text={text} />}
              </dd>
            </div>
          );
        })}
        <dt className="text-fg-3">Recognised by</dt>
        <dd className="min-w-0 break-all">
          email, <Revealed text={address} />
        </dd>
      </dl>
    </>
  );
}

function Unknown({ message: { from } }: { message: Message }) {
  const { openRecordForm } = useActions();
  const contacts = useContacts(true);
  const add = () => openRecordForm({ skill: 'crm', type: 'contact', path: null, values: { name: from.name === from.address ? '' : from.name, email: from.address } });
  return (
    <p className="text-fg-2">
      No contact has the address <Revealed text={from.address} />.{' '}
      {contacts !== null && <LinkButton onClick={add}>Add contact</LinkButton>}
    </p>
  );
}

/** Other mails of the same sender. */
function Earlier({ message }: { message: Message }) {
  const { nameOf, names, today, dispatch } = useMail();
  const asked = { tool: nameOf('search'), args: { from: message.from.address, mailbox: message.mailbox, limit: EARLIER } };
  const result = useReads(message.mailbox === '' ? [] : [asked], 'elsewhere').of(asked)?.result;
  const { messages, total } = listingIn(result?.value, names);
  const others = messages.filter(({ id }) => id !== message.id);
  if (others.length === 0) return null;
  return (
    <section aria-label="Mails of this sender" className="px-4 py-3">
      <h3 className="pb-1.5 font-semibold">
        Mails of <Revealed text={message.from.name} /> <span className="pl-1 font-normal text-fg-3">{total}</span>
      </h3>
      <ul>
        {others.map((other) => (
          <li key={other.id} className="flex gap-2 py-0.5">
            <button type="button" className="cut min-w-0 flex-1 rounded-badge text-left text-fg-2 hover:underline" onClick={() => dispatch({ type: 'opened', message: other })}>
              <Revealed text={subjectText(other.subject)} />
            </button>
            <span className="shrink-0 text-fg-3 tabular-nums">{shortDate(other, today)}</span>
          </li>
        ))}
      </ul>
    </section>
  );
}
