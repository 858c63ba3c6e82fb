import { type ReactNode, useId, useRef } from 'react';

import { Button, Icon, keyText, LinkButton, PrincipalBadge } from '../shared';
import { SchemaForm, useSchemaForm } from '../shared/form';
import { revealed } from '../shared/invisible';
import { Revealed } from '../shared/Revealed';
import { useActions, useApp } from '../state/hooks';
import type { Approval, CallItem, Elicitation } from '../state/session';
import { type Answering, useAnswering } from './useAnswering';

interface ElicitationCardProps {
  readonly call: CallItem;
  readonly approval: Approval;
  readonly elicitation: Elicitation;
  /** The session or form run of the call. */
  readonly session: string;
}

/**
 * A server's question during a call: its text, the requested form or page, and who receives the answer.
 * Nothing is sent before the user sends it.
 */
export function ElicitationCard({ call, approval, elicitation, session }: ElicitationCardProps) {
  const title = useId();
  const card = useRef<HTMLElement>(null);
  const answering = useAnswering({ calls: [call], session, card });
  const { armed, stale, problem } = answering;
  const { from, message, url } = elicitation;
  return (
    <section
      ref={card}
      data-testid="approval-card"
      data-elicitation
      data-call={call.call}
      data-armed={armed}
      data-item
      role="group"
      aria-labelledby={title}
      tabIndex={-1}
      className="@container flex flex-col gap-2.5 rounded-message border border-accent-line bg-surface-raised p-3.5 shadow-[0_0_0_3px_var(--accent-soft)]"
    >
      <header className="flex flex-wrap items-center gap-x-2.5 gap-y-1">
        <Icon name="question" size={16} className="text-accent" />
        <h2 id={title} className="min-w-0 flex-1 text-body font-semibold">
          <Revealed text={approval.question} />
        </h2>
        <span className="font-mono text-small text-fg-2">
          <Revealed text={call.tool} />
        </span>
        <PrincipalBadge principal={call.principal} />
      </header>
      <p className="selectable text-body break-words whitespace-pre-wrap" data-testid="elicitation-message">
        <Revealed text={message} />
      </p>
      {stale && call.progress?.message && (
        <p role="alert" className="text-small text-danger">
          <Revealed text={call.progress.message} />
        </p>
      )}
      {url === null ? (
        <Form elicitation={elicitation} answering={answering} />
      ) : (
        <Page url={url} host={approval.host ?? ''} from={from} answering={answering} />
      )}
      {problem && (
        <p role="alert" className="text-small text-danger">
          <Revealed text={`${problem.message} ${problem.hint}`} />
        </p>
      )}
    </section>
  );
}

function Form({ elicitation: { from, schema }, answering }: { elicitation: Elicitation; answering: Answering }) {
  const form = useSchemaForm(schema);
  const today = useApp((app) => app.status?.today ?? '');
  const { armed, busy, answer } = answering;
  const send = () => {
    const values = form.submit();
    if (values !== null && armed) void answer('once', undefined, values);
  };
  return (
    <SchemaForm form={form} label={`What ${revealed(from)} asks for`} today={today} disabled={busy} onSubmit={send}>
      <p className="mt-3 text-small text-fg-2">
        Your answer goes to <Revealed text={from} /> and not to the assistant. Do not enter a password.
      </p>
      <Answers answering={answering}>
        <Button variant="primary" data-testid="elicitation-send" keys={keyText('Ctrl ↵')} disabled={busy} onClick={send}>
          Send to <Revealed text={from} />
        </Button>
      </Answers>
    </SchemaForm>
  );
}

function Page({ url, host, from, answering }: { url: string; host: string; from: string; answering: Answering }) {
  const { openLink } = useActions();
  const { armed, busy, answer } = answering;
  const open = () => {
    if (!armed || busy) return;
    openLink(url);
    void answer('once');
  };
  return (
    <>
      <p className="selectable rounded-control bg-surface-sunken px-2 py-1 font-mono text-small break-all" data-testid="elicitation-url">
        <Revealed text={url} />
      </p>
      <p className="text-small text-fg-2">
        This opens <b className="text-fg">{revealed(host)}</b> in your browser. <Revealed text={from} /> learns that you opened it.
      </p>
      <Answers answering={answering}>
        <Button variant="primary" data-testid="elicitation-open" disabled={busy} onClick={open}>
          Open {revealed(host)}
        </Button>
      </Answers>
    </>
  );
}

/** The offered answer, and the two that send nothing. */
function Answers({ answering: { armed, busy, answer }, children }: { answering: Answering; children: ReactNode }) {
  return (
    <div className="mt-1 flex flex-wrap items-center gap-2">
      {children}
      <Button data-testid="elicitation-decline" disabled={busy} onClick={() => armed && void answer('deny')}>
        Decline
      </Button>
      <LinkButton data-testid="elicitation-close" className="ml-auto text-small" disabled={busy} onClick={() => armed && void answer('cancel')}>
        Close without answering
      </LinkButton>
    </div>
  );
}
