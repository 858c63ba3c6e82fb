import type { UserError } from '../../ipc';
import { Badge, Banner, clockTime, count, Empty, ErrorBox, Icon, IconButton, LinkButton, Loading, Menu, useOnline, type MenuGroup } from '../../shared';
import { Revealed } from '../../shared/Revealed';
import { useActions } from '../../state/hooks';
import type { Read } from '../skill/state';
import { useMail } from './context';
import { conversationsOf, writersOf, type Conversation } from './conversations';
import { folderTitle, isRole, MOST, roles, unreadIn } from './state';
import { groupsOf, isSignIn, spokenMarks, subjectText, timeText } from './words';

interface MessageListProps {
  readonly read: Read | null;
  /** The error of the last load. */
  readonly problem: UserError | null;
  readonly onAgain: () => void;
}

/** A folder's messages by day, newest first. */
export function MessageList({ read, problem, onAgain }: MessageListProps) {
  const { messages, state, today, reading, wide, dispatch } = useMail();
  const { shown, query } = state;
  const groups = groupsOf(conversationsOf(messages), today);
  const left = (shown?.listing.total ?? 0) - (shown?.listing.messages.length ?? 0);
  return (
    <section aria-label="Messages" className={`flex min-h-0 min-w-0 flex-col bg-surface-side ${wide ? 'w-88 shrink-0 border-r border-line max-medium:w-66' : 'flex-1'}`}>
      <ListHead onAgain={onAgain} />
      <div className="flex shrink-0 flex-col gap-1.5 px-2.5 pb-2 empty:hidden">
        <Problems problem={problem} onAgain={onAgain} />
      </div>
      <div data-scroll="" aria-busy={reading} className={`min-h-0 flex-1 overflow-y-auto ${reading && messages.length > 0 ? 'opacity-60' : ''}`}>
        {shown === null && !problem && (
          <div className="px-4">
            <Loading lines={6} label="Reading mail" />
          </div>
        )}
        {groups.map(({ title, messages: rows }) => (
          <section key={title} aria-label={title}>
            <h2 className="px-4 pt-2 pb-1 text-meta font-medium text-fg-3">{title}</h2>
            <ul className="border-t border-line">
              {rows.map((conversation) => (
                <Row key={conversation.id} conversation={conversation} />
              ))}
            </ul>
          </section>
        ))}
        {shown !== null && messages.length === 0 && <Empty>{query === '' ? 'Nothing in this folder.' : `Nothing found for “${query}”. Choose another folder to search there.`}</Empty>}
        {shown !== null && left > 0 && (
          <p className="flex items-center justify-center gap-2 px-4 py-2.5 text-small text-fg-3">
            {count(left)} older {state.limit < MOST ? <LinkButton onClick={() => dispatch({ type: 'more' })}>Show more</LinkButton> : 'are found by searching.'}
          </p>
        )}
      </div>
      <p role="status" className="sr-only">
        {read?.run != null ? 'Reading mail' : ''}
      </p>
    </section>
  );
}

function ListHead({ onAgain }: { onAgain: () => void }) {
  const { state, mailboxes, reading } = useMail();
  const of = mailboxes.filter(({ name }) => state.mailbox === null || name === state.mailbox);
  const unread = unreadIn(of, state.folder);
  return (
    <div className="flex h-11 shrink-0 items-center gap-2 pr-2 pl-2.5 text-small">
      <FolderMenu />
      <span className="text-fg-3">{unread > 0 && `${count(unread)} unread`}</span>
      <span className="flex-1" />
      {state.shown && <span className="text-fg-3">read {clockTime(state.shown.at)}</span>}
      <IconButton icon={reading ? 'spinner' : 'refresh'} iconSize={14} label="Refresh" className="size-6" onClick={onAgain} />
    </div>
  );
}

/** Folders by role, then those of each mailbox by name. */
function FolderMenu() {
  const { state, mailboxes, dispatch } = useMail();
  const of = mailboxes.filter(({ name }) => state.mailbox === null || name === state.mailbox);
  const note = (unread: number) => (unread > 0 ? count(unread) : undefined);
  const present = Object.keys(roles).filter((role) => role === 'inbox' || of.some(({ folders }) => folders.some((folder) => folder.role === role)));
  const groups: MenuGroup[] = [
    {
      items: present.map((role) => ({
        label: folderTitle(role),
        note: note(unreadIn(of, role)),
        checked: state.folder === role,
        onSelect: () => dispatch({ type: 'chose_folder', folder: role }),
      })),
    },
    ...of.flatMap(({ name: mailbox, folders }) => {
      const own = folders.filter(({ role }) => role === null || !isRole(role));
      if (own.length === 0) return [];
      const items = own.map(({ name, unread }) => ({
        label: <Revealed text={name} />,
        note: note(unread ?? 0),
        checked: state.folder === name && state.mailbox === mailbox,
        onSelect: () => dispatch({ type: 'chose_folder', folder: name, mailbox }),
      }));
      return [{ ...(of.length > 1 ? { heading: <Revealed text={mailbox} /> } : {}), items }];
    }),
  ];
  return (
    <Menu groups={groups}>
      <button type="button" data-testid="mail-folder" data-tip="Choose a folder" data-tip-keys="G" className="flex min-w-0 items-center gap-1.5 rounded-control px-1.5 py-0.5 text-body font-semibold hover:bg-hover">
        <span className="cut"><Revealed text={folderTitle(state.folder)} /></span>
        <Icon name="chevron-down" size={12} />
      </button>
    </Menu>
  );
}

/** Why messages are missing or outdated, with remedies. */
function Problems({ problem, onAgain }: Pick<MessageListProps, 'problem' | 'onAgain'>) {
  const { state } = useMail();
  const { show } = useActions();
  const online = useOnline();
  const { shown } = state;
  const actionsFor = (code: string) => (
    <>
      <LinkButton onClick={onAgain}>Try again</LinkButton>
      <LinkButton onClick={() => show({ kind: 'settings', page: 'skills', skill: 'mail' })}>{isSignIn(code) ? 'Sign in' : 'Settings'}</LinkButton>
    </>
  );
  if (!online && shown) {
    return (
      <Banner tone="warn" icon="cloud">
        Offline. Mails as of {clockTime(shown.at)}.
      </Banner>
    );
  }
  if (problem) return <ErrorBox error={problem} actions={actionsFor(problem.code)} />;
  return (shown?.listing.problems ?? []).map(({ mailbox, code, problem: reason, remedy }) => {
    const since = shown?.old[mailbox];
    return (
      <Banner key={mailbox} tone="warn" icon={isSignIn(code) ? 'lock' : 'clock'}>
        {reason.startsWith(mailbox) ? '' : `${mailbox}: `}
        <Revealed text={reason} /> {since === undefined ? '' : `Its mails are shown as of ${clockTime(since)}. `}
        <span className="text-fg-2">
          <Revealed text={remedy} />
        </span>{' '}
        <span className="inline-flex gap-2">{actionsFor(code)}</span>
      </Banner>
    );
  });
}

function Row({ conversation }: { conversation: Conversation }) {
  const { state, dispatch, today, names, own } = useMail();
  const { from, subject, text, unread, messages } = conversation;
  const [message] = messages;
  const open = messages.some(({ id }) => id === state.open?.id);
  const weight = unread ? 'font-semibold' : '';
  // For sent mail the recipient is shown.
  const who = own.includes(from.address) && conversation.to !== '' ? `To ${conversation.to}` : writersOf(conversation);
  return (
    <li>
      <button
        type="button"
        data-mail={conversation.id}
        data-testid="mail-row"
        aria-current={open}
        onClick={() => message && dispatch({ type: 'opened', message })}
        className={`relative block w-full border-b border-line py-2 pr-3.5 pl-7 text-left text-small ${open ? 'bg-selected' : 'hover:bg-hover'}`}
      >
        {unread && <Icon name="dot" size={12} className="absolute top-3 left-2.5 text-accent" />}
        <span className="flex items-center gap-1.5">
          <span className={`cut flex-1 text-ui ${weight}`}>
            <Revealed text={who} />
            {messages.length > 1 && <span aria-hidden className="pl-1.5 font-normal text-fg-3">{messages.length}</span>}
          </span>
          {conversation.notVerified && (
            <Badge tone="danger" icon="warn">
              not verified
            </Badge>
          )}
          {conversation.flagged && <Icon name="star" size={12} className="text-warn" />}
          {conversation.attachments && <Icon name="clip" size={12} className="text-fg-3" />}
          <span className="shrink-0 text-fg-3 tabular-nums">{timeText(conversation, today)}</span>
        </span>
        <span className="flex items-center gap-2">
          <span className={`cut flex-1 ${unread ? 'font-medium' : 'text-fg-2'}`}>
            <Revealed text={subjectText(subject)} />
          </span>
          {names.length > 1 && (
            <span className="shrink-0 text-fg-3">
              <Revealed text={conversation.mailbox} />
            </span>
          )}
        </span>
        <span className="cut block h-4.5 text-fg-3">
          <Revealed text={text} />
        </span>
        <span className="sr-only">{spokenMarks(conversation)}</span>
      </button>
    </li>
  );
}
