import type { ReactNode } from 'react';

import { nothing, useBackend } from '../ipc';
import { Badge, clockTime, counted, Icon, type IconName, LinkButton, noteName, tokens } from '../shared';
import { revealed } from '../shared/invisible';
import { Revealed } from '../shared/Revealed';
import { skillName } from '../state/app';
import { useActions, useApp, useRpc } from '../state/hooks';
import { type Approval, type CallItem, decidedQuestions, type NoticeItem } from '../state/session';
import type { Around } from './around';
import { CredentialCard } from './CredentialCard';
import { activatedWhy, deciderLabel } from './wording';

/** One line in the flow: icon, text, hairline, time. */
export function NoticeLine({ item, turn = null }: { item: NoticeItem; turn?: Around | null }) {
  const { notice } = item;
  const openNote = useActions().openNote;
  switch (notice.type) {
    case 'activated':
      return (
        <Line
          lead={
            <Badge tone="accent" icon="bolt">
              <SkillName skill={notice.skill} /> activated{notice.lifetime === 'turn' && ' for this turn'}
            </Badge>
          }
        >
          <Revealed text={activatedWhy(notice, turn)} />
        </Line>
      );
    case 'deactivated':
      return (
        <Line icon="bolt">
          <SkillName skill={notice.skill} /> is no longer active, {ended[notice.by]}
        </Line>
      );
    case 'changed_outside':
      return (
        <Line icon="refresh" at={item.at}>
          Changed in Obsidian:{' '}
          {notice.paths.map((path, index) => (
            <span key={path}>
              {index > 0 && ', '}
              <LinkButton className="font-normal" onClick={() => openNote(path)}>
                <Revealed text={noteName(path).name} />
              </LinkButton>
              <WhatChanged summary={notice.summaries[path]} />
            </span>
          ))}
        </Line>
      );
    case 'compacted':
      return (
        <Line icon="list" at={item.at}>
          {notice.by === 'summary'
            ? `${counted(notice.messages, 'earlier message')} summarised, your messages kept`
            : 'Earlier tool results left out'}
          {notice.before > 0 && `: ${tokens(notice.before)} → ${tokens(notice.after)} tokens`}
          {notice.why !== null && <Revealed text={` (no summary: ${notice.why})`} />}
        </Line>
      );
    case 'credential_needed':
      return <CredentialCard credential={notice.credential} consumer={notice.consumer} />;
    case 'vault_folder':
      return (
        <Line icon={notice.gone ? 'warn' : 'check'} at={item.at}>
          <Revealed text={notice.message} />
        </Line>
      );
    case 'late_end':
      return (
        <Line icon={notice.ok ? 'check' : 'failed'} at={item.at}>
          <span className="font-mono">
            <Revealed text={notice.tool} />
          </span>{' '}
          {notice.ok ? 'finished' : 'failed'}, see the card
        </Line>
      );
  }
}

/** The decisions about a call: "Allowed once by you, 14:33". */
export function DecidedLines({ call }: { call: CallItem }) {
  return decidedQuestions(call).map((question, index) => <DecidedLine key={index} tool={call.tool} question={question} />);
}

/** Nothing for a denial that ended the call: its card shows it. */
function DecidedLine({ tool, question: { decided, host, midRun, elicitation, credentials = [] } }: { tool: string; question: Approval }) {
  if (!decided || (decided.decision === 'deny' && !midRun)) return null;
  if (elicitation) {
    return (
      <Line icon={decided.decision === 'once' ? 'check' : 'x'} tone={decided.decision === 'once' ? 'text-ok' : 'text-fg-2'}>
        <Revealed text={elicitation.from} /> asked: {answered[decided.decision]}
        {decided.by === 'you' && ' by you'}, {clockTime(decided.at)}
      </Line>
    );
  }
  const denied = decided.decision === 'deny';
  const byRule = decided.by !== 'user' && decided.by !== 'you';
  return (
    <Line icon={denied ? 'x' : byRule ? 'shield' : 'check'} tone={denied ? 'text-fg-2' : 'text-ok'}>
      {midRun && host !== null && (
        <span className="font-mono">
          <Revealed text={host} />{' '}
        </span>
      )}
      {sentence(midRun, denied ? 'denied' : `allowed ${words[decided.decision]}`)} <Revealed text={deciderLabel(decided.by)} />
      {denied && decided.reason !== null && <Revealed text={`: “${decided.reason}”`} />}, {clockTime(decided.at)}
      {decided.decision === 'always' && credentials.length === 0 && <Revoke tool={tool} host={midRun ? host : null} />}
    </Line>
  );
}

/** Revokes what was allowed for every chat, while that rule exists. */
function Revoke({ tool, host }: { tool: string; host: string | null }) {
  const backend = useBackend();
  const revision = useApp((app) => app.revisions.rules);
  const { report } = useActions();
  const { data } = useRpc('list_rules', nothing, revision);
  const pattern = tool.replace('.', '__');
  const approved = data?.tools.find((row) => row.tool === tool);
  const take = (): (() => Promise<unknown>) | null => {
    if (host !== null) return approved?.hosts.includes(host) ? () => backend.rpc('revoke_host', { tool, host }) : null;
    if (data?.rules.some((rule) => rule.answer === 'allow' && rule.pattern === pattern)) return () => backend.rpc('remove_rule', { pattern });
    return approved?.always ? () => backend.rpc('revoke_tool', { tool }) : null;
  };
  const back = take();
  if (!back) return null;
  return (
    <>
      {' '}
      <LinkButton data-testid="revoke" aria-label={`Revoke: always allow ${revealed(tool)}`} onClick={() => void back().catch(report)}>
        Revoke
      </LinkButton>
    </>
  );
}

/** Capitalised at the start of the line. */
function sentence(behind: boolean, text: string): string {
  return behind ? text : text.charAt(0).toUpperCase() + text.slice(1);
}

/** A skill's display name. */
export function SkillName({ skill }: { skill: string }) {
  return useApp((app) => skillName(app, skill));
}

/** "(stage: lead → won)" after a changed note, if the change is known. */
function WhatChanged({ summary }: { summary: string | undefined }) {
  return summary ? (
    <span className="break-words">
      {' '}
      (<Revealed text={summary} />)
    </span>
  ) : null;
}

export function Line({
  icon,
  lead,
  tone = 'text-fg-2',
  at,
  children,
}: {
  icon?: IconName;
  /** Replaces the icon. */
  lead?: ReactNode;
  tone?: string;
  at?: string;
  children: ReactNode;
}) {
  return (
    <div data-testid="notice" data-item tabIndex={-1} className="flex min-h-5 items-center gap-2 text-small text-fg-2">
      {icon && <Icon name={icon} size={14} className={`mx-0.5 shrink-0 ${tone}`} />}
      {lead}
      <span className="min-w-0">{children}</span>
      <span aria-hidden="true" className="h-px min-w-4 flex-1 bg-line" />
      {at && <time dateTime={at}>{clockTime(at)}</time>}
    </div>
  );
}

const ended = { model: 'deactivated by the model', user: 'deactivated by you', turn: 'its turn ended', unavailable: 'unavailable' } as const;
const words = { once: 'once', session: 'for this chat', always: 'always', deny: '', cancel: '' } as const;
const answered = { once: 'answered', session: 'answered', always: 'answered', deny: 'declined', cancel: 'not answered' } as const;
