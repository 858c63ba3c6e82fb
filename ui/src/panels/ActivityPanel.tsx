// The activity of each turn: requests with their cost, calls, and notes sent elsewhere.

import { memo, useMemo } from 'react';

import { nothing, type ProviderRow } from '../ipc';
import {
  Badge,
  count,
  counted,
  durationText,
  Empty,
  Explained,
  Icon,
  LinkButton,
  modelName,
  placeIn,
  Popover,
  tokens,
  whenText,
} from '../shared';
import { NoteList } from '../shared/NoteList';
import { useClock } from '../shared/useClock';
import { useActions, useApp, useRpc, useSession } from '../state/hooks';
import { splitFiles } from '../state/attachments';
import { activitiesOf, leavingOf, sameActivities, type TurnActivity } from './activity';
import { WriteMessage } from './WriteMessage';

export function ActivityPanel() {
  const activities = useSession(activitiesOf, sameActivities);
  const revision = useApp((app) => app.revisions.providers);
  const providers = useRpc('list_providers', nothing, revision);
  if (activities.length === 0) {
    return (
      <div data-testid="activity-panel">
        <Empty action={<WriteMessage />}>Activity appears here: requests, tokens, tools, and what left this machine.</Empty>
      </div>
    );
  }
  return (
    <ol data-testid="activity-panel" aria-label="Turns, newest first" className="flex flex-col gap-4 p-3.5">
      {activities.toReversed().map((activity, at) => (
        <li key={activity.turn.id}>
          <TurnCard activity={activity} providers={providers.data} newest={at === 0} />
        </li>
      ))}
    </ol>
  );
}

interface TurnCardProps {
  readonly activity: TurnActivity;
  readonly providers: readonly ProviderRow[] | null;
  readonly newest: boolean;
}

const TurnCard = memo(function TurnCard({ activity, providers, newest }: TurnCardProps) {
  const { turn, steps, calls, input, cached, output, agents } = activity;
  // Memoised: a running turn re-renders every second and may have read thousands of notes.
  const { local, host, notes, kept } = useMemo(() => leavingOf(activity, placeIn(providers ?? [], turn.model)), [activity, providers, turn.model]);
  const { openNote } = useActions();
  const now = useClock(turn.status === 'running');
  const ms = (turn.endedAt === null ? (turn.status === 'running' ? now : Date.parse(turn.startedAt)) : Date.parse(turn.endedAt)) - Date.parse(turn.startedAt);
  return (
    <details open={newest} data-testid="activity-turn" className="group/turn rounded-card border border-line bg-surface-raised text-small">
      <summary className="flex cursor-default flex-col gap-0.5 rounded-card px-2.5 py-2 marker:content-['']">
        <span className="flex items-center gap-2">
          <Icon name="chevron-right" size={12} className="text-fg-2 group-open/turn:rotate-90" />
          <span className="cut flex-1 text-ui font-medium">{splitFiles(turn.text).text || 'No message'}</span>
          <time dateTime={turn.startedAt} className="tabular text-meta text-fg-3">
            {whenText(turn.startedAt)}
          </time>
        </span>
        <span className="tabular flex flex-wrap gap-x-3 pl-5 text-fg-3">
          <span>{durationText(Math.max(0, ms))}</span>
          <span>{counted(steps.length, 'request')}</span>
          {input > 0 && <span>{tokens(input)} in, {tokens(output)} out</span>}
          {input > 0 && <span>{Math.round((cached / input) * 100)} % cached</span>}
        </span>
      </summary>
      <div className="flex flex-col gap-2.5 border-t border-line px-2.5 py-2">
        <p className="flex items-center gap-2 text-fg-2">
          <Icon name={local ? 'laptop' : 'cloud'} size={14} className={local ? '' : 'text-warn'} />
          <span className="cut">{turn.model === '' ? 'No model' : modelName(turn.model)}</span>
          {host !== null && <span className={local ? 'text-fg-3' : 'text-warn'}>{local ? 'on this machine' : host}</span>}
        </p>
        {steps.length > 0 && (
          <ol aria-label="Requests" className="flex flex-col gap-1">
            {steps.map((step, at) => (
              <li key={at} data-testid="activity-step" className="tabular flex flex-wrap items-center gap-x-2">
                <span className="w-4 text-fg-3">{at + 1}</span>
                <VisibleTools tools={step.tools} />
                <span className="text-fg-2">{count(step.bytes / 1000)} kB</span>
                {step.usage && (
                  <span className="text-fg-3">
                    {tokens(step.usage.input)} in, {tokens(step.usage.output)} out
                  </span>
                )}
                {!step.prefixKept && (
                  <Explained more="The provider’s cache did not apply: it read the whole request again.">
                    <Badge tone="warn">not cached</Badge>
                  </Explained>
                )}
              </li>
            ))}
          </ol>
        )}
        {calls.length > 0 && (
          <ul aria-label="Calls" className="flex flex-col gap-1">
            {calls.map((call) => (
              <li key={call.id} className={`flex items-center gap-2 ${call.within === null ? '' : 'pl-4'}`}>
                <span className="cut flex-1 font-mono">{call.tool}</span>
                <span className="text-fg-3">{call.state}</span>
                <span className="tabular w-14 text-right text-fg-3">{call.result ? durationText(call.result.ms) : ''}</span>
              </li>
            ))}
          </ul>
        )}
        {agents.count > 0 && (
          <p data-testid="activity-agents" className="tabular text-fg-2">
            {counted(agents.count, 'sub-agent')}: {counted(agents.requests, 'request')}, {tokens(agents.tokens)} tokens
          </p>
        )}
        {notes.length > 0 && (
          <div data-testid="activity-notes">
            <p className="text-warn">
              {counted(notes.length, 'note')} went to {host}
            </p>
            <NoteList notes={notes} onNote={openNote} />
          </div>
        )}
        {!local && activity.sentBefore > 0 && (
          <p data-testid="activity-notes-before" className="text-warn">
            {counted(activity.sentBefore, 'note')} of earlier messages were sent again to {host}
          </p>
        )}
        {kept.length > 0 && (
          <div data-testid="activity-notes-kept">
            <p className="text-fg-3">{local ? `${counted(kept.length, 'note')} read, none sent` : `${counted(kept.length, 'note')} read, not sent`}</p>
            <NoteList notes={kept} onNote={openNote} />
          </div>
        )}
      </div>
    </details>
  );
});

/** The tools offered to the model in a request. */
function VisibleTools({ tools }: { tools: readonly string[] }) {
  if (tools.length === 0) return <span className="text-fg-2">no tools</span>;
  return (
    <Popover label="Tools offered to the model" trigger={<LinkButton className="font-normal">{counted(tools.length, 'tool')}</LinkButton>}>
      <ul aria-label="Tools offered to the model" className="max-h-80 overflow-y-auto font-mono text-small" tabIndex={0}>
        {tools.map((tool) => (
          <li key={tool}>{tool}</li>
        ))}
      </ul>
    </Popover>
  );
}
