import { memo, useCallback, useMemo, useRef, useState } from 'react';

import { useBackend } from '../ipc';
import { Chip, clockTime, counted, Icon, isNote, runningText, skillIcon } from '../shared';
import { ConflictCard } from '../shared/ConflictCard';
import { figuresOf, numbersSaid } from '../shared/figures';
import { Html, type Numbers } from '../shared/Html';
import { NotePopover, type OpenedLink } from '../shared/NotePopover';
import { Revealed } from '../shared/Revealed';
import { useClock } from '../shared/useClock';
import { useActions, useApp, useSession } from '../state/hooks';
import { sameList } from '../state/same';
import { type CallItem, type ConflictItem, type Item, type MessageItem, type Turn, writesBefore } from '../state/session';
import { splitFiles } from '../state/attachments';
import { ApprovalCard } from './ApprovalCard';
import { CopyButton, Corner, SentFile, SentImage } from './MessageParts';
import { type Around, aroundOf, sameAround, turnOf } from './around';
import { callsWithin, groupItems, type Group, waitingCards } from './groups';
import { DecidedLines, Line, NoticeLine, SkillName } from './NoticeLine';
import { outgoingRequests } from './outgoing';
import type { Outline } from './runtime';
import { TaskCard } from './TaskCard';
import { ToolCard } from './ToolCard';
import { TurnEnd } from './TurnEnd';
import { useCitedPages } from './web/useCitedPages';

/** The user's message, with its chosen tool, skills and files. */
export const UserMessage = memo(function UserMessage({ turn }: { turn: Outline }) {
  const { text, files: own } = useMemo(() => splitFiles(turn.text), [turn.text]);
  const files = [...own, ...turn.outside];
  return (
    <div
      data-testid="user-message"
      data-item
      tabIndex={-1}
      className="selectable rounded-message bg-surface-sunken px-3.5 py-2.5 text-body break-words whitespace-pre-wrap"
    >
      {turn.tool !== null && (
        <span className="mr-2 select-none">
          <Chip tone="tool" icon={skillIcon(turn.tool.split('.')[0] ?? '')}>
            <Revealed text={turn.tool} />
          </Chip>
        </span>
      )}
      {turn.skills.map((skill) => (
        <span key={skill} className="mr-2 select-none">
          <Chip tone="note" icon={skillIcon(skill)}>
            <SkillName skill={skill} />
          </Chip>
        </span>
      ))}
      {text}
      {turn.images.length > 0 && (
        <ul aria-label="Images" className={`flex flex-wrap gap-2 ${text === '' ? '' : 'mt-2'}`}>
          {turn.images.map((image, at) => (
            <li key={at}>
              <SentImage image={image} />
            </li>
          ))}
        </ul>
      )}
      {files.length > 0 && (
        <div className={`flex flex-col gap-1.5 ${text === '' ? '' : 'mt-2'}`}>
          {files.map((file, at) => (
            <SentFile key={at} file={file} />
          ))}
        </div>
      )}
    </div>
  );
});

interface TurnViewProps {
  readonly id: string;
  /** Only the last turn can be retried. */
  readonly last: boolean;
}

/**
 * The calls, text and notices of one turn, in order of their start. Re-rendered for each word of a streaming
 * answer; its children are not, except the streaming message.
 */
export const TurnView = memo(function TurnView({ id, last }: TurnViewProps) {
  const turn = useSession((state) => turnOf(state, id));
  const around = useSession((state) => aroundOf(turnOf(state, id)), sameAround);
  if (turn === undefined || around === null) return null;
  return (
    <div className="flex flex-col gap-2.5">
      {groupItems(turn.items).map((group) => (
        <GroupView key={group.items[0].id} group={group} around={around} />
      ))}
      {turn.status !== 'running' && <OutgoingLine turn={turn} />}
      {turn.thinkingSince !== null && <Thinking since={turn.thinkingSince} />}
      {(turn.status === 'cancelled' || turn.status === 'failed') && <TurnEnd turn={turn} last={last} />}
    </div>
  );
});

/** Maximum number of hosts named. */
const NAMED = 3;

function OutgoingLine({ turn }: { turn: Turn }) {
  const outgoing = useMemo(() => outgoingRequests(turn), [turn]);
  if (outgoing === null) return null;
  const more = outgoing.hosts.length - NAMED;
  return (
    <Line icon="cloud" tone="text-warn">
      Left this machine: {counted(outgoing.requests, 'request')} to <Revealed text={outgoing.hosts.slice(0, NAMED).join(', ')} />
      {more > 0 && ` and ${more} more`}
    </Line>
  );
}

interface GroupProps {
  readonly group: Group;
  readonly around: Around;
}

const GroupView = memo(
  function GroupView({ group, around }: GroupProps) {
    switch (group.kind) {
      case 'calls':
        return <Calls calls={group.items} around={around} />;
      case 'tasks':
        return <Tasks calls={group.items} failed={around.status === 'failed'} />;
      case 'approval':
        return <AskedCalls calls={group.items} around={around} />;
      case 'single':
        return <Single item={group.items[0]} around={around} />;
    }
  },
  (before, now) => before.around === now.around && before.group.kind === now.group.kind && sameList(before.group.items, now.group.items),
);

function Calls({ calls, around }: { calls: readonly [CallItem, ...CallItem[]]; around: Around }) {
  return (
    <div className="flex flex-col gap-2.5">
      {calls.map((call) => (
        <DecidedLines key={call.id} call={call} />
      ))}
      <div
        className={`divide-y divide-line overflow-hidden rounded-card border bg-surface-raised ${calls[0].state === 'unknown' ? 'border-warn-line' : 'border-line'}`}
      >
        {calls.map((call) => (
          <ToolCard
            key={call.id}
            call={call}
            within={callsWithin(around.calls, call)}
            after={writesBefore(around.calls, call)}
            turnFailed={around.status === 'failed'}
            alone={calls.length === 1}
          />
        ))}
      </div>
    </div>
  );
}

function Tasks({ calls, failed }: { calls: readonly [CallItem, ...CallItem[]]; failed: boolean }) {
  return (
    <div className="flex flex-col gap-2.5">
      {calls.map((call) => (
        <DecidedLines key={call.id} call={call} />
      ))}
      <div className="overflow-hidden rounded-card border border-line bg-surface-raised">
        <TaskCard calls={calls} turnFailed={failed} />
      </div>
    </div>
  );
}

/** Calls decided by one answer. */
function AskedCalls({ calls, around }: { calls: readonly [CallItem, ...CallItem[]]; around: Around }) {
  const session = useApp((app) => app.open) ?? '';
  const waiting = useSession(waitingCards, sameList);
  const [call, ...more] = calls;
  return (
    <div className="flex flex-col gap-2.5">
      {calls.map((item) => (
        <DecidedLines key={item.id} call={item} />
      ))}
      <ApprovalCard call={call} more={more} within={callsWithin(around.calls, call)} session={session} position={{ index: waiting.indexOf(call.id) + 1, of: waiting.length }} />
    </div>
  );
}

function Single({ item, around }: { item: Exclude<Item, CallItem>; around: Around }) {
  switch (item.kind) {
    case 'message':
      return <Message item={item} around={around} />;
    case 'notice':
      return <NoticeLine item={item} turn={around} />;
    case 'conflict':
      return <Conflict item={item} />;
  }
}

function Message({ item, around }: { item: MessageItem; around: Around }) {
  const { openLink } = useActions();
  const numbers = useNumbers(around);
  const pages = useCitedPages();
  const root = useRef<HTMLDivElement>(null);
  const [opened, setOpened] = useState<OpenedLink | null>(null);
  const onNote = useCallback((note: string, at: HTMLElement) => setOpened({ note, at }), []);
  const streaming = around.status === 'running';
  return (
    <div ref={root} data-testid="message" data-item tabIndex={-1} className="group/message relative flex flex-col gap-1.5 rounded-control text-body">
      {item.blocks.map((block) => (
        <Html key={block.index} html={block.html} streaming={streaming && !block.done} numbers={numbers} pages={pages} onNote={onNote} onLink={openLink} />
      ))}
      {item.blocks.length === 0 && <p className="selectable whitespace-pre-wrap">{item.text}</p>}
      {!streaming && (
        <Corner className="group-focus-within/message:opacity-100 group-hover/message:opacity-100">
          <CopyButton text={() => item.text ?? root.current?.innerText ?? ''} label="Copy answer" />
        </Corner>
      )}
      {opened && <NotePopover link={opened} onClose={() => setOpened(null)} />}
    </div>
  );
}

/** The numbers computed by the turn's tools, and other numbers mentioned in it. */
function useNumbers({ calls, text }: Around): Numbers {
  const ended = calls.filter(({ result }) => result !== null);
  const key = ended.map(({ call }) => call).join(' ');
  return useMemo(
    () => ({
      figures: ended.flatMap(({ tool, result }) => (result ? figuresOf(tool, result.figures, result.sources) : [])),
      said: numbersSaid([text, ...ended.flatMap(({ args, result }) => [args, result?.value ?? null])]),
    }),
    [key, text], // eslint-disable-line react-hooks/exhaustive-deps -- a call that has its result does not change
  );
}

function Conflict({ item }: { item: ConflictItem }) {
  const session = useApp((app) => app.open) ?? '';
  const backend = useBackend();
  const { resolveConflict, report } = useActions();
  return (
    <div data-item tabIndex={-1}>
      <ConflictCard
        note={item.note}
        what={[]}
        mine={item.mine}
        theirs={item.theirs}
        mineLabel="Nova, this turn"
        theirsLabel={`In ${isNote(item.note) ? 'Obsidian' : 'the file'}, ${clockTime(item.at)}`}
        useMine="Use Nova’s"
        decided={item.decided}
        onChoose={async (keep) => ({ again: (await resolveConflict({ session, note: item.note, keep })).conflict !== null })}
        onOpen={() => void backend.rpc('open_note', { path: item.note }).catch(report)}
      />
    </div>
  );
}

function Thinking({ since }: { since: string }) {
  const ms = useClock(true) - Date.parse(since);
  return (
    <p data-testid="thinking" className="flex items-center gap-2 text-small text-fg-3">
      <Icon name="spinner" size={14} /> Thinking <span className="tabular">{ms >= 1000 && runningText(ms)}</span>
    </p>
  );
}
