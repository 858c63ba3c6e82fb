// Mailboxes beside or in place of the conversation: the list, a conversation, and the notes about its sender.

import { useEffect, useReducer, useRef, type Dispatch } from 'react';

import { nothing, type MailPart, type PanelView } from '../../ipc';
import { Button, Empty, Icon, Loading, skillIcon, useMedia } from '../../shared';
import { useActions, useApp, useRpc } from '../../state/hooks';
import { CallBars } from '../skill/Bars';
import { Header } from '../skill/PanelHead';
import { Asking } from '../skill/Region';
import { keyOf } from '../skill/state';
import { useCalls, type PanelCalls } from '../skill/useCalls';
import { useReads } from '../skill/useReads';
import { MailProvider, type MailContext } from './context';
import { Conversation } from './Conversation';
import { InNotes } from './InNotes';
import { keysOf } from './keys';
import { MailHead } from './MailHead';
import { MessageList } from './MessageList';
import { listingIn, mailboxesIn } from './messages';
import { firstMail, listAsked, messagesShown, namesOf, reduceMail, type MailChange } from './state';
import { savedIn, useActs } from './useActs';
import { useRefresh } from './useRefresh';
import { useWatch } from './useWatch';
import { WriteForm } from './WriteForm';

interface MailPanelProps {
  readonly panel: PanelView;
  readonly part: MailPart;
  readonly wide: boolean;
}

/** Without a configured mailbox nothing is requested. */
export function MailPanel(props: MailPanelProps) {
  const { panel, wide } = props;
  const { show } = useActions();
  const registry = useApp(({ revisions }) => revisions.registry);
  const skill = useRpc('list_skills', nothing, registry).data?.find(({ id }) => id === panel.skill);
  const icon = <Icon name={skillIcon(panel.skill, '', panel.icon)} />;
  if (skill && (skill.state === 'available' || skill.state === 'active')) return <Mail {...props} tools={skill.tools} />;
  return (
    <section tabIndex={-1} data-region={wide ? 'board' : undefined} aria-label={panel.name} data-testid="skill-panel" data-skill={panel.skill} className="flex h-full min-w-0 flex-col outline-none">
      {wide && <Header name={panel.name} icon={icon}><span className="flex-1" /></Header>}
      {skill ? (
        <Empty title="No mailbox" action={<Button variant="primary" onClick={() => show({ kind: 'settings', page: 'skills', skill: panel.skill })}>Add a mailbox</Button>}>
          {skill.state === 'unavailable' ? 'Read mail from your own servers here.' : skill.reason}
        </Empty>
      ) : (
        <div className="p-4"><Loading lines={4} /></div>
      )}
    </section>
  );
}

function Mail({ panel, part, wide, tools }: MailPanelProps & { readonly tools: readonly string[] }) {
  const nameOf = (tool: string) => (tool.includes('.') ? tool : `${panel.skill}.${tool}`);
  const has = (tool: string) => tools.includes(nameOf(tool));
  const today = useApp((app) => app.status?.today ?? '');
  const [state, dispatch] = useReducer(reduceMail, firstMail);
  const list = listAsked(state, { list: nameOf(part.tool), search: nameOf('search') }, part.args);
  const folders = { tool: nameOf('folders'), args: { counts: true } };
  const listed = useReads([list], 'elsewhere');
  const read = listed.of(list);
  // Sequentially: the first request may ask for the password.
  const isRead = read?.at != null || state.shown !== null;
  const counted = useReads(isRead ? [folders] : [], 'elsewhere');
  const again = () => {
    listed.again();
    counted.again();
  };
  const calls = useCalls();
  const messages = messagesShown(state);
  const acts = useActs({ dispatch, messages, nameOf, calls, again });
  useRefresh(again);
  useWatch(isRead, again);
  useUnsaved(calls, dispatch);

  const mailboxes = mailboxesIn(counted.of(folders)?.result?.value);
  const names = namesOf(mailboxes, state.shown);
  const known = names.join('\n');
  const answer = read?.result?.value;
  useEffect(() => {
    if (read?.at != null) dispatch({ type: 'listed', key: keyOf(list), listing: listingIn(answer, known.split('\n')), at: read.at });
  }, [read?.at, known]); // eslint-disable-line react-hooks/exhaustive-deps -- an answer is known by its time

  const roomForNotes = useMedia('(min-width: 1280px)') && wide;
  const context: MailContext = {
    state,
    dispatch,
    mailboxes,
    names,
    messages,
    own: mailboxes.flatMap(({ address }) => address ?? []),
    today,
    reading: read === null || read.run !== null,
    wide,
    acts,
    reads: listed,
    has,
    nameOf,
  };
  const root = useKeys(context);
  const showsList = wide || (state.open === null && state.writing === null);
  return (
    <MailProvider value={context}>
      <section ref={root} tabIndex={-1} data-region={wide ? 'board' : undefined} aria-label={panel.name} data-testid="skill-panel" data-skill={panel.skill} className="flex h-full min-h-0 min-w-0 flex-col outline-none">
        <MailHead name={panel.name} icon={<Icon name={skillIcon(panel.skill, '', panel.icon)} />} />
        <div className="flex min-h-0 flex-1">
          {showsList && <MessageList read={read} problem={read?.error ?? null} onAgain={again} />}
          {(wide || !showsList) && (
            <div className="flex min-h-0 min-w-0 flex-1 flex-col">
              {state.writing === null ? <Conversation roomForNotes={roomForNotes} /> : <WriteForm key={JSON.stringify(state.writing)} writing={state.writing} />}
            </div>
          )}
          {roomForNotes && <InNotes />}
        </div>
        <div className="flex max-h-2/3 shrink-0 flex-col gap-1.5 overflow-y-auto px-3.5 py-2 empty:hidden">
          {[read?.run, counted.of(folders)?.run, acts.quietRun].map((run) => run != null && <Asking key={run} run={run} />)}
          <CallBars calls={calls} elsewhere={null} />
        </div>
      </section>
    </MailProvider>
  );
}

/** Removes saved attachments whose saving was undone. */
function useUnsaved({ calls }: PanelCalls, dispatch: Dispatch<MailChange>) {
  const undone = calls.flatMap(({ undone, result }) => (undone ? (savedIn(result) ?? []) : [])).join('\n');
  useEffect(() => {
    for (const path of undone.split('\n')) dispatch({ type: 'unsaved', path });
  }, [undone, dispatch]);
}

/** The whole region, which F6 focuses rather than its content. */
function useKeys(context: MailContext) {
  const root = useRef<HTMLElement>(null);
  const onKey = keysOf(context);
  const latest = useRef(onKey);
  useEffect(() => void (latest.current = onKey));
  useEffect(() => {
    const region = root.current?.closest<HTMLElement>('[data-region=panel], [role=dialog]') ?? root.current;
    const listen = (event: KeyboardEvent) => latest.current(event);
    region?.addEventListener('keydown', listen);
    return () => region?.removeEventListener('keydown', listen);
  }, []);
  return root;
}
