// The sub-agents of the newest turn with any: one at a time, beside the conversation.

import { useEffect, useState, type ReactNode } from 'react';

import { userError, type UserError } from '../ipc';
import { Badge, Button, durationText, Empty, Icon, modelName, runningText, Segments, tokens } from '../shared';
import { Html } from '../shared/Html';
import { Revealed } from '../shared/Revealed';
import { useClock } from '../shared/useClock';
import { skillName } from '../state/app';
import { useActions, useApp, useSession } from '../state/hooks';
import { sameList } from '../state/same';
import { lastTasks, mayNot, type TaskCall, taskPrompt, toolsBySkill, unfinished } from '../state/subagents';
import { SubAgentCalls } from './SubAgentCalls';
import { SubAgentLeft } from './SubAgentLeft';
import { lastWords } from './subagent';
import { WriteMessage } from './WriteMessage';

export function SubAgentsPanel() {
  const calls = useSession(lastTasks, sameList);
  const chosen = useApp((app) => app.panel.task);
  const { setPanel, openSession } = useActions();
  const shown = calls.find(({ call }) => call === chosen) ?? calls[0];
  if (!shown) {
    return (
      <div data-testid="subagents-panel">
        <Empty action={<WriteMessage />}>No sub-agents in this chat yet.</Empty>
      </div>
    );
  }
  return (
    <div data-testid="subagents-panel" className="flex flex-col gap-3.5 p-3.5 text-small">
      <div className="flex items-center gap-2">
        {calls.length > 1 && (
          <div className="min-w-0 overflow-x-auto">
            <Segments
              label="Sub-agents"
              value={shown.call}
              onChange={(task) => setPanel({ task })}
              options={calls.map(({ call, subAgent }) => ({ value: call, label: <Revealed text={subAgent.name} /> }))}
            />
          </div>
        )}
        <Button variant="quiet" size="s" icon="expand" className="ml-auto" data-testid="open-subagent" onClick={() => void openSession(shown.subAgent.session)}>
          Open as chat
        </Button>
      </div>
      <SubAgentView key={shown.call} call={shown} />
    </div>
  );
}

function SubAgentView({ call }: { call: TaskCall }) {
  const { subAgent } = call;
  const { watchSession } = useActions();
  const session = useSession(subAgent.session);
  useEffect(() => void watchSession(subAgent.session), [subAgent.session, watchSession]);
  const running = call.state === 'running';
  return (
    <>
      <header className="flex flex-wrap items-center gap-2">
        <Icon name={running ? 'spinner' : call.state === 'done' ? 'check' : call.state === 'failed' ? 'failed' : 'ban'} size={14} className="text-fg-2" />
        <h2 className="cut min-w-0 text-ui font-medium">
          <Revealed text={subAgent.name} />
        </h2>
        <Badge tone="warn">sub-agent</Badge>
        <span className="tabular ml-auto text-fg-3">
          <Time call={call} />
        </span>
        {running && <StopOne call={call.call} />}
      </header>
      <p className="selectable break-words whitespace-pre-wrap text-fg-2">
        “<Revealed text={taskPrompt(call)} />”
      </p>
      <Facts call={call} />
      {unfinished(call) !== null && (
        <p role="status" className="text-warn">
          <Revealed text={unfinished(call) ?? ''} />
        </p>
      )}
      {call.result?.error && (
        <p role="status" className="selectable text-danger">
          <Revealed text={`${call.result.error.message} ${call.result.error.hint}`} />
        </p>
      )}
      <SubAgentCalls session={session} />
      <Words call={call} />
      <SubAgentLeft subAgent={subAgent} session={session} />
    </>
  );
}

/** Its rights, and how much of its limits is used. */
function Facts({ call: { subAgent } }: { call: TaskCall }) {
  const denied = mayNot(subAgent);
  return (
    <dl className="grid grid-cols-[72px_minmax(0,1fr)] gap-x-3 gap-y-1.5">
      <Fact term="Model">
        <span className={subAgent.host === null ? '' : 'text-warn'}>
          {modelName(subAgent.model)}, {subAgent.host === null ? 'on this machine' : <Revealed text={subAgent.host} />}
        </span>
      </Fact>
      <Fact term="May use">
        {toolsBySkill(subAgent).map(([skill, tools]) => (
          <span key={skill} className="block">
            <SkillName skill={skill} />: <Revealed text={tools.join(', ')} />
          </span>
        ))}
        {subAgent.tools.length === 0 && 'no tools'}
      </Fact>
      {denied.length > 0 && <Fact term="May not">{denied.join(', ')}</Fact>}
      <Fact term="Steps">
        <Used label="Steps" used={subAgent.steps} of={subAgent.stepLimit} text={`${subAgent.steps} of ${subAgent.stepLimit}`} />
      </Fact>
      <Fact term="Tokens">
        <Used label="Tokens" used={subAgent.tokens} of={subAgent.tokenLimit} text={`${tokens(subAgent.tokens)} of ${tokens(subAgent.tokenLimit)}`} />
      </Fact>
    </dl>
  );
}

function SkillName({ skill }: { skill: string }) {
  return <Revealed text={useApp((app) => skillName(app, skill))} />;
}

function Fact({ term, children }: { term: string; children: ReactNode }) {
  return (
    <>
      <dt className="text-fg-3">{term}</dt>
      <dd className="selectable min-w-0 break-words">{children}</dd>
    </>
  );
}

function Used({ label, used, of, text }: { label: string; used: number; of: number; text: string }) {
  const part = of > 0 ? Math.min(1, used / of) : 0;
  return (
    <span className="flex items-center gap-2">
      <span className="tabular shrink-0">{text}</span>
      <span role="meter" aria-label={label} aria-valuemin={0} aria-valuemax={of} aria-valuenow={Math.min(used, of)} aria-valuetext={text} className="h-1 flex-1 overflow-hidden rounded-full bg-selected">
        <span className={`block h-full rounded-full ${part >= 1 ? 'bg-warn' : 'bg-accent-fill'}`} style={{ width: `${part * 100}%` }} />
      </span>
    </span>
  );
}

/** Its text so far, or its answer. */
function Words({ call }: { call: TaskCall }) {
  const { openNote, openLink } = useActions();
  const session = useSession(call.subAgent.session);
  const words = lastWords(session);
  if (words.length === 0) return null;
  const streaming = call.state === 'running';
  return (
    <section aria-label={streaming ? 'So far' : 'Answer'} className="flex flex-col gap-1.5 border-t border-line pt-3.5">
      <h3 className="text-meta font-medium text-fg-2">{streaming ? 'So far' : 'Answer'}</h3>
      <div className="selectable flex flex-col gap-1.5">
        {words.map((block) => (
          <Html key={block.index} html={block.html} streaming={streaming && !block.done} onNote={openNote} onLink={openLink} />
        ))}
      </div>
    </section>
  );
}

function StopOne({ call }: { call: string }) {
  const { stopCall } = useActions();
  const [stopping, setStopping] = useState(false);
  const [problem, setProblem] = useState<UserError | null>(null);
  const stop = async () => {
    setStopping(true);
    try {
      await stopCall(call);
    } catch (thrown) {
      setProblem(userError(thrown));
      setStopping(false);
    }
  };
  return (
    <>
      <Button size="s" icon="stop" data-testid="stop-subagent" disabled={stopping} onClick={() => void stop()}>
        {stopping ? 'Stopping…' : 'Stop'}
      </Button>
      {problem && (
        <span role="alert" className="text-danger">
          <Revealed text={problem.message} />
        </span>
      )}
    </>
  );
}

function Time({ call }: { call: TaskCall }) {
  const running = call.state === 'running';
  const ms = useClock(running) - Date.parse(call.runningSince);
  if (running) return ms >= 1000 ? runningText(ms) : '';
  return call.result && call.result.ms > 0 ? durationText(call.result.ms) : '';
}
