import { memo, useCallback, useMemo, useRef, useState } from 'react';

import { useBackend } from '../ipc';
import { Chip, clockTime, Icon, runningText, skillIcon } from '../shared';
import { ConflictCard } from '../shared/ConflictCard';
import { figuresOf, numbersSaid } from '../shared/figures';
import { Html, type Numbers } from '../shared/Html';
import { NotePopover, type OpenedLink } from '../shared/NotePopover';
import { useClock } from '../shared/useClock';
import { useActions, useApp } from '../state/hooks';
import { type CallItem, type ConflictItem, type Item, type MessageItem, type Turn } from '../state/session';
import { splitFiles } from '../state/attachments';
import { ApprovalCard } from './ApprovalCard';
import { CopyButton, SentFile } from './MessageParts';
import { groupItems, type Group } from './groups';
import { DecidedLines, NoticeLine, SkillName } from './NoticeLine';
import { ToolCard } from './ToolCard';
import { TurnEnd } from './TurnEnd';

/** The user's message, with what was pointed at. */
export const UserMessage = memo(function UserMessage({ turn }: { turn: Turn }) {
  const { text, files } = useMemo(() => splitFiles(turn.text), [turn.text]);
  return (
    <div
      data-testid="user-message"
      data-item
      tabIndex={-1}
      className="group/message selectable relative rounded-message bg-surface-sunken px-3.5 py-2.5 text-body break-words whitespace-pre-wrap"
    >
      {turn.tool !== null && (
        <span className="mr-2 select-none">
          <Chip tone="tool" icon={skillIcon(turn.tool.split('.')[0] ?? '')}>
            {turn.tool}
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
      {files.length > 0 && (
        <div className={`flex flex-col gap-1.5 ${text === '' ? '' : 'mt-2'}`}>
          {files.map((file, at) => (
            <SentFile key={at} file={file} />
          ))}
        </div>
      )}
      <CopyButton text={() => turn.text} label="Copy message" />
    </div>
  );
});

interface TurnViewProps {
  readonly turn: Turn;
  /** Only the last turn can be tried again. */
  readonly last: boolean;
  /** Ids of the first calls of all cards of the session that wait for an answer, oldest first. */
  readonly waiting: readonly string[];
}

/** What Nova did and said in one turn, in the order it began. */
export const TurnView = memo(function TurnView({ turn, last, waiting }: TurnViewProps) {
  const session = useApp((app) => app.open) ?? '';
  return (
    <div className="flex flex-col gap-2.5">
      {groupItems(turn.items).map((group) => (
        <GroupView key={group.items[0].id} group={group} turn={turn} session={session} waiting={waiting} />
      ))}
      {turn.thinkingSince !== null && <Thinking since={turn.thinkingSince} />}
      <TurnEnd turn={turn} last={last} />
    </div>
  );
});

function GroupView({ group, turn, session, waiting }: { group: Group; turn: Turn; session: string; waiting: readonly string[] }) {
  if (group.kind === 'calls') {
    return (
      <div className="flex flex-col gap-2.5">
        {group.items.map((call) => (
          <DecidedLines key={call.id} call={call} />
        ))}
        <div
          className={`divide-y divide-line overflow-hidden rounded-card border bg-surface-raised ${group.items[0].state === 'unknown' ? 'border-warn-line' : 'border-line'}`}
        >
          {group.items.map((call) => (
            <ToolCard key={call.id} call={call} turn={turn} />
          ))}
        </div>
      </div>
    );
  }
  if (group.kind === 'approval') {
    const [call, ...more] = group.items;
    return (
      <div className="flex flex-col gap-2.5">
        {group.items.map((item) => (
          <DecidedLines key={item.id} call={item} />
        ))}
        <ApprovalCard call={call} more={more} session={session} position={{ index: waiting.indexOf(call.id) + 1, of: waiting.length }} />
      </div>
    );
  }
  const [item] = group.items;
  return <Single item={item} turn={turn} session={session} />;
}

function Single({ item, turn, session }: { item: Exclude<Item, CallItem>; turn: Turn; session: string }) {
  switch (item.kind) {
    case 'message':
      return <Message item={item} turn={turn} streaming={turn.status === 'running'} />;
    case 'notice':
      return <NoticeLine item={item} turn={turn} />;
    case 'conflict':
      return <Conflict item={item} session={session} />;
  }
}

const Message = memo(function Message({ item, turn, streaming }: { item: MessageItem; turn: Turn; streaming: boolean }) {
  const { openLink } = useActions();
  const numbers = useNumbers(turn);
  const root = useRef<HTMLDivElement>(null);
  const [opened, setOpened] = useState<OpenedLink | null>(null);
  const onNote = useCallback((note: string, at: HTMLElement) => setOpened({ note, at }), []);
  return (
    <div ref={root} data-testid="message" data-item tabIndex={-1} className="group/message relative flex flex-col gap-1.5 rounded-control text-body">
      {item.blocks.map((block) => (
        <Html key={block.index} html={block.html} streaming={streaming && !block.done} numbers={numbers} onNote={onNote} onLink={openLink} />
      ))}
      {item.blocks.length === 0 && <p className="selectable whitespace-pre-wrap">{item.text}</p>}
      {!streaming && <CopyButton text={() => item.text ?? root.current?.innerText ?? ''} label="Copy answer" />}
      {opened && <NotePopover link={opened} onClose={() => setOpened(null)} />}
    </div>
  );
});

/** What the turn's tools computed, and what else of numbers was said in it. */
function useNumbers({ items, text }: Turn): Numbers {
  // An answer that grows leaves the calls as they are.
  const calls = items.filter((item): item is CallItem => item.kind === 'call' && item.result !== null);
  const key = calls.map(({ call }) => call).join(' ');
  return useMemo(
    () => ({
      figures: calls.flatMap(({ tool, result }) => (result ? figuresOf(tool, result.figures, result.sources) : [])),
      said: numbersSaid([text, ...calls.flatMap(({ args, result }) => [args, result?.value ?? null])]),
    }),
    [key, text], // eslint-disable-line react-hooks/exhaustive-deps -- a call that has its result does not change
  );
}

function Conflict({ item, session }: { item: ConflictItem; session: string }) {
  const backend = useBackend();
  const { resolveConflict } = useActions();
  return (
    <div data-item tabIndex={-1}>
      <ConflictCard
        note={item.note}
        what={[]}
        mine={item.mine}
        theirs={item.theirs}
        mineLabel="Nova, this turn"
        theirsLabel={`In Obsidian, ${clockTime(item.at)}`}
        useMine="Use Nova’s"
        decided={item.decided}
        onChoose={async (keep) => ({ again: (await resolveConflict({ session, note: item.note, keep })).conflict !== null })}
        onOpen={() => void backend.rpc('open_note', { path: item.note }).catch(() => undefined)}
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
