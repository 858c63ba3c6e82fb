import { memo, useState } from 'react';

import { userError, type UserError } from '../ipc';
import { Button, counted, durationText, EffectBadge, Icon, type IconName, runningText, tokens } from '../shared';
import { revealed } from '../shared/invisible';
import { Revealed } from '../shared/Revealed';
import { useClock } from '../shared/useClock';
import { useActions } from '../state/hooks';
import { type CallItem } from '../state/session';
import { highestEffect, taskLine, taskName } from '../state/subagents';

/** Tasks started in one answer: a row per sub-agent, which Enter opens in the panel. */
export const TaskCard = memo(function TaskCard({ calls, turnFailed }: { calls: readonly [CallItem, ...CallItem[]]; turnFailed: boolean }) {
  const running = calls.filter(({ state }) => state === 'running');
  const line = [counted(calls.length, 'sub-agent'), runningWords(running.length, calls.length)].filter(Boolean).join(', ');
  return (
    <div data-testid="task-card" data-item tabIndex={-1} role="group" aria-label={`core.task, ${line}`} className="divide-y divide-line">
      <div className="flex min-h-8.5 items-center gap-2 px-2.5">
        <Icon name={running.length > 0 ? 'spinner' : worst(calls).icon} size={14} className={`shrink-0 ${worst(calls).tone}`} />
        <span className="shrink-0 font-mono text-small text-fg">core.task</span>
        <span className="cut min-w-0 flex-1 text-small text-fg-3">{line}</span>
        <EffectBadge effect={highestEffect(calls)} />
        <span className="tabular min-w-11 shrink-0 text-right text-small text-fg-3">
          <Time calls={calls} />
        </span>
        {running.length > 0 && <StopTasks calls={running} />}
      </div>
      <ul aria-label="Sub-agents">
        {calls.map((call) => (
          <li key={call.id} className="border-line not-first:border-t">
            <TaskRow call={call} turnFailed={turnFailed} />
          </li>
        ))}
      </ul>
    </div>
  );
});

function TaskRow({ call, turnFailed }: { call: CallItem; turnFailed: boolean }) {
  const { showTask } = useActions();
  const { subAgent } = call;
  const name = taskName(call);
  const { icon, tone } = faceOf(call);
  const line = turnFailed && call.state === 'cancelled' ? 'stopped, the turn failed' : taskLine(call);
  const spent = subAgent ? `${subAgent.steps} of ${subAgent.stepLimit} steps, ${tokens(subAgent.tokens)} tokens` : '';
  return (
    <button
      type="button"
      data-testid="task-row"
      data-call={call.call}
      data-state={call.state}
      aria-label={revealed([name, line, spent].filter(Boolean).join(', '))}
      onClick={() => showTask(call.call)}
      className="flex min-h-8.5 w-full items-center gap-2 py-1 pr-2.5 pl-8 text-left text-small hover:bg-hover focus-visible:outline-offset-[-2px]"
    >
      <Icon name={icon} size={14} className={`shrink-0 ${tone}`} />
      <span className="cut w-20 shrink-0 font-medium" data-tip={revealed(name)}>
        <Revealed text={name} />
      </span>
      <span className={`cut min-w-0 flex-1 ${call.state === 'failed' ? 'text-danger' : 'text-fg-2'}`}>
        <Revealed text={line} />
      </span>
      {subAgent && (
        <>
          <span className="tabular shrink-0 text-fg-3">
            {subAgent.steps}/{subAgent.stepLimit} steps
          </span>
          <span className="tabular min-w-20 shrink-0 text-right text-fg-3">{tokens(subAgent.tokens)} tokens</span>
        </>
      )}
      <Icon name="chevron-right" size={14} className="shrink-0 text-fg-2" />
    </button>
  );
}

function StopTasks({ calls }: { calls: readonly CallItem[] }) {
  const { stopCall } = useActions();
  const [stopping, setStopping] = useState(false);
  const [problem, setProblem] = useState<UserError | null>(null);
  const stop = async () => {
    setStopping(true);
    setProblem(null);
    try {
      await Promise.all(calls.map(({ call }) => stopCall(call)));
    } catch (thrown) {
      setProblem(userError(thrown));
      setStopping(false);
    }
  };
  const label = calls.length === 1 ? 'Stop' : calls.length === 2 ? 'Stop both' : `Stop all ${calls.length}`;
  return (
    <>
      {problem && (
        <span className="text-small text-danger" role="alert">
          <Revealed text={problem.message} />
        </span>
      )}
      <Button size="s" icon="stop" data-testid="stop-tasks" disabled={stopping} onClick={() => void stop()}>
        {stopping ? 'Stopping…' : label}
      </Button>
    </>
  );
}

function Time({ calls }: { calls: readonly [CallItem, ...CallItem[]] }) {
  const running = calls.some(({ state }) => state === 'running');
  const now = useClock(running);
  const began = Math.min(...calls.map(({ runningSince }) => Date.parse(runningSince)));
  if (running) return now - began >= 1000 ? runningText(now - began) : '';
  const longest = Math.max(...calls.map(({ result }) => result?.ms ?? 0));
  return longest > 0 ? durationText(longest) : '';
}

function runningWords(running: number, all: number): string {
  if (running === 0) return '';
  if (running === all) return all === 1 ? 'running' : all === 2 ? 'both running' : 'all running';
  return `${running} running`;
}

/** The card's icon: that of the row with the worst outcome. */
function worst(calls: readonly CallItem[]) {
  const order: readonly CallItem['state'][] = ['done', 'cancelled', 'unanswered', 'denied', 'refused', 'failed', 'unknown'];
  const states = calls.map(({ state }) => order.indexOf(state));
  const at = states.indexOf(Math.max(...states));
  const call = calls[at];
  return call ? faceOf(call) : faces.done;
}

const faces = {
  running: { icon: 'spinner', tone: 'text-fg-2' },
  done: { icon: 'check', tone: 'text-ok' },
  failed: { icon: 'failed', tone: 'text-danger' },
  stopped: { icon: 'ban', tone: 'text-fg-3' },
  unknown: { icon: 'question', tone: 'text-warn' },
} as const satisfies Record<string, { icon: IconName; tone: string }>;

function faceOf({ state }: CallItem): { icon: IconName; tone: string } {
  switch (state) {
    case 'running':
    case 'waiting':
      return faces.running;
    case 'done':
      return faces.done;
    case 'failed':
      return faces.failed;
    case 'unknown':
      return faces.unknown;
    default:
      return faces.stopped;
  }
}
