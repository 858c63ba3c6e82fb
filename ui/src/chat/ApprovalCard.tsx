import { type KeyboardEvent, type ReactNode, useEffect, useEffectEvent, useId, useLayoutEffect, useRef, useState } from 'react';

import type { Decision } from '../ipc';
import { Button, EffectBadge, Icon, type IconName, keyText, LinkButton, mainModifier, Popover, PrincipalBadge, TextField } from '../shared';
import { Revealed } from '../shared/Revealed';
import type { Approval, CallItem } from '../state/session';
import { isTask } from '../state/subagents';
import { EditArguments } from './EditArguments';
import { ElicitationCard } from './ElicitationCard';
import { Payload } from './Payload';
import { ScriptPayload } from './Script';
import { type Answering, useAnswering } from './useAnswering';
import { isScript } from './wording';

interface ApprovalCardProps {
  readonly call: CallItem;
  /** The session or form run of the call. */
  readonly session: string;
  /** Other waiting calls of the same tool, which get the same answer. */
  readonly more?: readonly CallItem[];
  /** The calls made by its script. */
  readonly within?: readonly CallItem[];
  /** Position among the waiting cards. */
  readonly position?: { readonly index: number; readonly of: number };
}

/**
 * "May this call run?": the consequence, the exact payload, and the offered answers. Never takes the focus,
 * and what it shows is what runs. Renders nothing for a call without a question.
 */
export function ApprovalCard({ call, session, more = [], within = [], position }: ApprovalCardProps) {
  if (call.state !== 'waiting' || !call.approval) return null;
  // Each question has its own card, including the next one about the same call.
  const { elicitation } = call.approval;
  if (elicitation) {
    const key = `${call.call}#${call.earlier.length}`;
    return <ElicitationCard key={key} call={call} approval={call.approval} elicitation={elicitation} session={session} />;
  }
  return <Card key={`${call.call}#${call.earlier.length}`} calls={[call, ...more]} within={within} approval={call.approval} session={session} position={position} />;
}

interface CardProps {
  readonly calls: readonly CallItem[];
  readonly within: readonly CallItem[];
  readonly approval: Approval;
  readonly session: string;
  readonly position: ApprovalCardProps['position'];
}

function Card({ calls, within, approval, session, position }: CardProps) {
  const title = useId();
  const card = useRef<HTMLElement>(null);
  const answering = useAnswering({ calls, session, card });
  const { mode, armed, stale, busy, problem } = answering;
  const [showsScript, setShowsScript] = useState(false);
  useFocusLeavesToComposer(card);

  const offers = (decision: Decision) => approval.decisions.includes(decision);
  const isFirst = position === undefined || position.index === 1;
  useKeyOfEmptyComposer(() => {
    if (isFirst && mode === 'asking' && offers('once')) void answering.answer('once');
  });

  const [first] = calls;
  if (!first) return null;
  // A question during a call is about outgoing data, whatever the call's own effect.
  const goesOn = approval.midRun && isTask(first);
  const effect = approval.midRun && !goesOn ? 'external' : first.effect;
  const look = lookOf(effect);
  const [question, detail] = questionFor(approval.question, calls.length);
  const onKeyDown = (event: KeyboardEvent) => {
    if (mode === 'asking' && event.key === 'Enter' && mainModifier(event) && offers('once')) {
      event.preventDefault();
      event.stopPropagation();
      void answering.answer('once');
    }
  };

  return (
    <section
      ref={card}
      data-testid="approval-card"
      data-call={first.call}
      data-armed={armed}
      data-item
      role="group"
      aria-labelledby={title}
      tabIndex={-1}
      onKeyDown={onKeyDown}
      className={`@container flex flex-col gap-2.5 rounded-message border bg-surface-raised p-3.5 ${look.frame}`}
    >
      <header className="flex flex-wrap items-center gap-x-2.5 gap-y-1">
        <Icon name={look.icon} size={16} className={look.tone} />
        <h2 id={title} className="min-w-0 flex-1 text-body font-semibold">
          <Revealed text={question} />
        </h2>
        {position && position.of > 1 && (
          <span className="text-small text-fg-3">
            {position.index} of {position.of}
          </span>
        )}
        <EffectBadge effect={effect} />
        <PrincipalBadge principal={first.principal} />
      </header>
      {detail !== '' && (
        <p className="selectable text-small break-words text-fg-2" data-testid="approval-detail">
          <Revealed text={detail} />
        </p>
      )}
      {approval.midRun && (
        <p className="text-small text-fg-2">
          {goesOn
            ? 'It waits for your answer. If denied, it ends with what it has found.'
            : 'It is running and waits for your answer. If denied, it continues without this host.'}
        </p>
      )}

      {mode === 'editing' ? (
        <EditArguments
          tool={first.tool}
          args={first.args}
          disabled={busy || !armed}
          onDone={(args) => void answering.revise(args)}
          onClose={() => answering.setMode('asking')}
        />
      ) : isScript(first) ? (
        <ScriptPayload call={first} within={within} open={showsScript} onOpen={setShowsScript} />
      ) : (
        <Payload calls={calls} onRevise={approval.editable && calls.length === 1 && armed && !busy ? (args) => void answering.revise(args) : null} />
      )}

      {stale && (
        <p role="alert" className="flex items-center gap-2 text-small text-warn">
          <Icon name="refresh" size={14} /> {approval.diff === null ? 'Changed, look again.' : 'Diff updated, look again.'}
        </p>
      )}
      {problem && (
        <p role="alert" className="text-small text-danger">
          <Revealed text={`${problem.message} ${problem.hint}`} />
        </p>
      )}

      {mode === 'denying' && (
        <DenyReason disabled={busy} onDeny={(reason) => void answering.answer('deny', reason)} onBack={() => answering.setMode('asking')} />
      )}
      {mode === 'asking' && (
        <Choices first={first} alone={calls.length === 1} approval={approval} answering={answering}>
          {isScript(first) && (
            <Button variant="quiet" icon="code" className="ml-auto" aria-expanded={showsScript} data-testid="show-script" onClick={() => setShowsScript(!showsScript)}>
              {showsScript ? 'Hide script' : 'Show script'}
            </Button>
          )}
        </Choices>
      )}
    </section>
  );
}

interface ChoicesProps {
  readonly first: CallItem;
  /** Its arguments can be edited, as it is the card's only call. */
  readonly alone: boolean;
  readonly approval: Approval;
  readonly answering: Answering;
  /** Shown beside the decisions. */
  readonly children?: ReactNode;
}

/** The decisions offered by the question. */
function Choices({ first, alone, approval, answering, children }: ChoicesProps) {
  const { armed, stale, busy, deny, edit, answer, setMode } = answering;
  const offers = (decision: Decision) => approval.decisions.includes(decision);
  const disabled = busy || (stale && !armed);
  const sends = isSending(first);
  return (
    <div className="flex flex-wrap items-center gap-2">
      {offers('once') && (
        <Button variant="primary" data-testid="approval-once" keys={keyText('Ctrl ↵')} disabled={disabled} onClick={() => void answer('once')}>
          {allowLabel(first)}
        </Button>
      )}
      {offers('session') && (
        <Button data-testid="approval-session" disabled={disabled} onClick={() => void answer('session')}>
          <span className="@max-md:hidden">Allow for this chat</span>
          <span className="@md:hidden">For this chat</span>
        </Button>
      )}
      {offers('always') && (
        <AlwaysButton
          call={first}
          host={approval.host}
          credential={offers('session') ? null : (approval.credentials?.join(', ') ?? null)}
          disabled={disabled}
          onAlways={() => void answer('always')}
        />
      )}
      {offers('deny') && (
        <Button ref={deny} data-testid="approval-deny" disabled={busy} onClick={() => armed && setMode('denying')}>
          {sends ? 'Don’t send' : 'Deny'}
        </Button>
      )}
      {approval.editable && alone && (
        <Button ref={edit} variant="quiet" icon="pencil" className="ml-auto" data-testid="approval-edit" disabled={busy} onClick={() => armed && setMode('editing')}>
          {sends ? 'Edit' : 'Edit arguments'}
        </Button>
      )}
      {children}
    </div>
  );
}

interface AlwaysButtonProps {
  readonly call: CallItem;
  readonly host: string | null;
  /** Set if the question is only about a credential. */
  readonly credential: string | null;
  readonly disabled: boolean;
  readonly onAlways: () => void;
}

function AlwaysButton({ call, host, credential, disabled, onAlways }: AlwaysButtonProps) {
  const rule = call.tool.replace('.', '__');
  return (
    <Popover
      label="The rule that will be written"
      trigger={
        <Button data-testid="approval-always" disabled={disabled}>
          Always…
        </Button>
      }
    >
      {credential !== null ? (
        <p className="mb-2.5 text-small text-fg-2">
          <span className="font-mono text-fg">
            <Revealed text={call.tool} />
          </span>
          , in this version, may use{' '}
          <span className="font-mono text-fg">
            <Revealed text={credential} />
          </span>
          {host !== null && <Revealed text={` for ${host}`} />} in every chat without asking. Revoke it in Settings, Credentials.
        </p>
      ) : (
        <>
          <p className="text-small text-fg-2">This rule will be written:</p>
          <p className="my-1.5 rounded-control bg-surface-sunken px-2 py-1 font-mono text-small">
            <Revealed text={`allow ${rule}${host === null ? '' : ` for ${host}`}`} />
          </p>
          <p className="mb-2.5 text-small text-fg-2">
            It applies in every chat, to this version of the tool. Revoke it in Settings, Permissions.
          </p>
        </>
      )}
      <Button size="s" onClick={onAlways} disabled={disabled} data-testid="approval-always-confirm">
        Always allow
      </Button>
    </Popover>
  );
}

function DenyReason({ disabled, onDeny, onBack }: { disabled: boolean; onDeny: (reason: string) => void; onBack: () => void }) {
  const [reason, setReason] = useState('');
  const field = useRef<HTMLInputElement>(null);
  useEffect(() => field.current?.focus(), []);
  return (
    <form
      className="flex flex-wrap items-center gap-2"
      onSubmit={(event) => {
        event.preventDefault();
        onDeny(reason.trim());
      }}
      onKeyDown={(event) => {
        if (event.key !== 'Escape') return;
        event.stopPropagation();
        onBack();
      }}
    >
      <TextField
        ref={field}
        className="min-w-48 flex-1"
        aria-label="Reason, optional"
        placeholder="Reason (optional); Enter sends"
        value={reason}
        maxLength={200}
        onChange={(event) => setReason(event.target.value)}
      />
      <Button type="submit" disabled={disabled} data-testid="approval-deny-send">
        Deny
      </Button>
      <LinkButton className="text-small" onClick={onBack}>
        Back
      </LinkButton>
    </form>
  );
}

/** Ctrl+Enter in an empty composer answers the waiting card. */
function useKeyOfEmptyComposer(act: () => void) {
  const pressed = useEffectEvent((event: globalThis.KeyboardEvent) => {
    const { target } = event;
    const isMeant = target instanceof HTMLElement && target.matches('[data-testid="composer-input"][data-empty="true"]');
    if (event.key === 'Enter' && mainModifier(event) && isMeant) act();
  });
  useEffect(() => {
    document.addEventListener('keydown', pressed);
    return () => document.removeEventListener('keydown', pressed);
  }, []);
}

/** Moves a focus inside a decided card to the composer when the card disappears. */
function useFocusLeavesToComposer(card: { readonly current: HTMLElement | null }) {
  useLayoutEffect(() => {
    const element = card.current;
    return () => {
      if (!element?.contains(document.activeElement)) return;
      document.querySelector<HTMLElement>('[data-testid="composer-input"]')?.focus();
    };
  }, [card]);
}

function lookOf(effect: CallItem['effect']): { icon: IconName; tone: string; frame: string } {
  const grave = 'border-danger-line';
  switch (effect) {
    case 'send':
      return { icon: 'send', tone: 'text-danger', frame: grave };
    case 'destructive':
    case 'undeclared':
      return { icon: 'trash', tone: 'text-danger', frame: grave };
    default:
      return { icon: 'question', tone: 'text-accent', frame: 'border-accent-line shadow-[0_0_0_3px_var(--accent-soft)]' };
  }
}

function allowLabel(call: CallItem): string {
  if (isTask(call) && call.approval?.midRun) return 'Go on';
  if (call.sandbox) return 'Run once';
  return isSending(call) ? 'Send' : 'Allow once';
}

/** Whether the question is about sending, and not about a host during the call. */
const isSending = (call: CallItem) => call.effect === 'send' && call.approval?.midRun !== true;

/**
 * The title, and the text after it: "Run this?" and "What it does is not declared." For three calls, "Change
 * 1 note?" becomes "Change 3 notes?".
 */
function questionFor(text: string, calls: number): readonly [title: string, detail: string] {
  const end = text.indexOf('? ') + 1;
  const [question, detail] = end > 0 ? [text.slice(0, end), text.slice(end + 1)] : [text, ''];
  if (calls === 1) return [question, detail];
  const one = /^(\D*)1 (\w+)\?$/.exec(question);
  return [one ? `${one[1]}${calls} ${one[2]}s?` : `${question} (${calls} times)`, detail];
}
