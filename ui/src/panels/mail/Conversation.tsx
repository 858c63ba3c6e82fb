import { Button, Empty, ErrorBox, Icon, IconButton, LinkButton, Menu, useMedia, type MenuGroup } from '../../shared';
import { Revealed } from '../../shared/Revealed';
import { Asking } from '../skill/Region';
import { useReads } from '../skill/useReads';
import { isWritable, useMail, type MailContext } from './context';
import { listingIn, type Message } from './messages';
import { OpenMessage } from './OpenMessage';
import { folderTitle, isRole } from './state';
import { shortDate, subjectText } from './words';

/**
 * A conversation's messages, oldest first, the chosen one with its text. `roomForNotes`: the sender's notes
 * are shown beside it.
 */
export function Conversation({ roomForNotes }: { roomForNotes: boolean }) {
  const { state, nameOf, names, messages, wide } = useMail();
  const open = messages.find(({ id }) => id === state.open?.id) ?? state.open;
  const thread = { tool: nameOf('thread'), args: { id: open?.id ?? '', preview: true } };
  const read = useReads(open ? [thread] : [], 'elsewhere');
  if (open === null) return wide ? <Empty>Choose a mail. J and K move, Enter opens.</Empty> : null;
  const { result = null, run = null, error = null } = read.of(thread) ?? {};
  const found = listingIn(result?.value, names).messages;
  const all = found.some(({ id }) => id === open.id) ? found : [open];
  return (
    <section key={open.id} aria-label={subjectText(open.subject)} data-testid="mail-conversation" className="flex min-h-0 flex-1 flex-col">
      <ConversationHead message={open} count={all.length} />
      <div data-scroll="" className="min-h-0 flex-1 overflow-y-auto">
        {error && (
          <div className="px-5 pt-3">
            <ErrorBox error={error} actions={<LinkButton onClick={read.again}>Try again</LinkButton>} />
          </div>
        )}
        {run !== null && <Asking run={run} />}
        {all.map((message) =>
          state.unfolded.includes(message.id) ? (
            <OpenMessage key={message.id} message={message.id === open.id ? open : message} alone={all.length === 1} roomForNotes={roomForNotes} />
          ) : (
            <FoldedMessage key={message.id} message={message} />
          ),
        )}
      </div>
    </section>
  );
}

function ConversationHead({ message, count }: { message: Message; count: number }) {
  const mail = useMail();
  const { wide, acts, has, dispatch } = mail;
  const roomy = useMedia('(min-width: 1100px)') && wide;
  const may = (tool: string) => has(tool) && isWritable(mail, message);
  const move = folderGroups(mail, message);
  const groups: MenuGroup[] = [
    ...(roomy || !may('archive') ? [] : [{ items: [{ label: 'Archive', note: 'E', icon: 'cube' as const, onSelect: () => acts.archive(message) }] }]),
    ...(may('mark') ? [{ items: [{ label: message.unread ? 'Mark as read' : 'Mark as unread', note: 'U', icon: 'mail' as const, onSelect: () => acts.mark(message, !message.unread) }] }] : []),
    { items: [{ label: 'Ask about it', icon: 'question' as const, onSelect: () => acts.ask(message) }] },
    ...(may('delete') ? [{ items: [{ label: 'Delete', note: '#', icon: 'trash' as const, danger: true, onSelect: () => acts.remove(message) }] }] : []),
  ];
  return (
    <header className="flex min-h-12 shrink-0 items-center gap-2 border-b border-line py-2 pr-3 pl-5">
      {!wide && <IconButton icon="chevron-left" label="Back to the list" keys="Esc" className="-ml-3" onClick={() => dispatch({ type: 'closed' })} />}
      <h2 className="selectable min-w-0 flex-1 truncate text-body font-semibold">
        <Revealed text={subjectText(message.subject)} />
        {count > 1 && <span className="pl-2 text-small font-normal text-fg-3">{count} mails</span>}
      </h2>
      {has('reply') && (
        <Button icon="undo" data-testid="mail-reply" data-tip="Reply" data-tip-keys="R" onClick={() => dispatch({ type: 'writes', writing: { kind: 'reply', to: message } })}>
          Reply
        </Button>
      )}
      {roomy && may('archive') && (
        <Button icon="cube" data-testid="mail-archive" data-tip="Archive" data-tip-keys="E" onClick={() => acts.archive(message)}>
          Archive
        </Button>
      )}
      {roomy && may('move') && move.length > 0 && (
        <Menu align="end" groups={move}>
          <Button icon="folder">Move</Button>
        </Menu>
      )}
      <Menu align="end" groups={groups}>
        <IconButton icon="more" label="More for this mail" />
      </Menu>
    </header>
  );
}

/** Folders of its mailbox to which a message can be moved. */
function folderGroups({ mailboxes, acts }: MailContext, message: Message): MenuGroup[] {
  const folders = mailboxes.find(({ name }) => name === message.mailbox)?.folders ?? [];
  const others = folders.filter(({ name, role }) => role !== 'all' && role !== 'drafts' && !message.id.startsWith(`${message.mailbox}/${name}/`));
  const items = others.map(({ name, role }) => ({ label: <Revealed text={role !== null && isRole(role) ? folderTitle(role) : name} />, onSelect: () => acts.move(message, name) }));
  return items.length === 0 ? [] : [{ heading: 'Move to', items }];
}

function FoldedMessage({ message }: { message: Message }) {
  const { dispatch, own, today } = useMail();
  return (
    <button
      type="button"
      aria-expanded={false}
      onClick={() => dispatch({ type: 'folded', message: message.id })}
      className="flex h-8 w-full items-center gap-2 border-b border-line px-5 text-left text-small hover:bg-hover"
    >
      <Icon name="chevron-right" size={12} className="text-fg-2" />
      <span className={`shrink-0 ${message.unread ? 'font-semibold' : 'font-medium'}`}>{own.includes(message.from.address) ? 'You' : <Revealed text={message.from.name} />}</span>
      <span className="cut flex-1 text-fg-3">
        <Revealed text={message.text} />
      </span>
      <span className="shrink-0 text-fg-3 tabular-nums">{shortDate(message, today)}</span>
    </button>
  );
}
