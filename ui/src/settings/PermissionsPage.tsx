// Permanent decisions: rules, policies, approvals of tool files. Each can be revoked, and the effect of rules
// can be tested without a call.

import { type FormEvent, type ReactNode, useId, useState } from 'react';

import { nothing, useBackend, userError, type ApprovedToolRow, type PermissionsView, type PolicyRow, type RuleAnswer, type RuleRow, type UserError } from '../ipc';
import { Badge, Banner, Button, ErrorBox, LinkButton, Loading, Segments, TextField, type Tone } from '../shared';
import { listKeys } from '../shared/list-keys';
import { Revealed } from '../shared/Revealed';
import { useApp, useRpc } from '../state/hooks';
import { TryRule } from './TryRule';

export function PermissionsPage() {
  const revision = useApp(({ revisions }) => `${revisions.rules}/${revisions.registry}`);
  const { data, error, loading, reload } = useRpc('list_rules', nothing, revision);
  const backend = useBackend();
  const [refused, setRefused] = useState<UserError | null>(null);
  const [said, setSaid] = useState('');

  /** Returns whether it succeeded. */
  const attempt = async (work: () => Promise<PermissionsView>, done: string): Promise<boolean> => {
    setRefused(null);
    setSaid('');
    try {
      await work();
      setSaid(done);
      return true;
    } catch (thrown) {
      setRefused(userError(thrown));
      return false;
    } finally {
      reload();
    }
  };
  return (
    <section aria-label="Permissions" className="flex min-w-0 flex-1 flex-col">
      <header className="flex h-12 shrink-0 items-center gap-2.5 border-b border-line px-4">
        <h1 className="text-body font-semibold">Permissions</h1>
        <span className="flex-1" />
        {data && (
          <span className="selectable cut text-small text-fg-3" data-tip={data.file}>
            {data.file}
          </span>
        )}
      </header>
      <div className="min-h-0 flex-1 overflow-y-auto p-4">
        <div className="flex max-w-180 flex-col gap-6">
          <p className="text-ui text-fg-2">
            Reading never asks. Changing notes and going online ask once in a chat; what cannot be undone and what
            reaches a person asks each time. A rule answers in advance: deny before ask, ask before allow.
          </p>
          {error && <ErrorBox error={error} actions={<LinkButton onClick={reload}>Try again</LinkButton>} />}
          {data?.problem && (
            <Banner tone="warn" icon="warn">
              permissions.yaml{data.problem.line === null ? '' : `, line ${data.problem.line}`}: {data.problem.message}
            </Banner>
          )}
          {refused && <ErrorBox error={refused} />}
          <p role="status" className="sr-only">
            {said}
          </p>
          {!data && loading && <Loading lines={4} />}
          {data && (
            <>
              <Part title="Rules">
                <Rules
                  rules={data.rules}
                  onRemove={(pattern) => void attempt(() => backend.rpc('remove_rule', { pattern }), `Rule removed: ${pattern}`)}
                />
                <AddRule
                  onAdd={(answer, pattern) =>
                    attempt(() => backend.rpc('add_rule', { answer, pattern }), `Rule added: ${answer} ${pattern}`)
                  }
                />
              </Part>
              <Part title="Try a call">
                <TryRule revision={revision} />
              </Part>
              {data.tools.length > 0 && (
                <Part title="Approved tools" note="Tools that did not come with Nova. A changed file asks again.">
                  <ApprovedTools
                    tools={data.tools}
                    onRevoke={(tool) => void attempt(() => backend.rpc('revoke_tool', { tool }), `Approval revoked: ${tool}`)}
                    onRevokeHost={(tool, host) =>
                      void attempt(() => backend.rpc('revoke_host', { tool, host }), `${tool} asks again before it contacts ${host}.`)
                    }
                  />
                </Part>
              )}
              {data.policies.length > 0 && (
                <Part title="Policies" note="Rules for some callers only. Edit them in the file.">
                  {data.policies.map((policy, index) => (
                    <Policy key={index} policy={policy} />
                  ))}
                </Part>
              )}
            </>
          )}
        </div>
      </div>
    </section>
  );
}

function Part({ title, note, children }: { title: string; note?: string; children: ReactNode }) {
  const id = useId();
  return (
    <section aria-labelledby={id} className="flex flex-col gap-2.5">
      <div>
        <h2 id={id} className="text-ui font-medium">
          {title}
        </h2>
        {note && <p className="text-small text-fg-3">{note}</p>}
      </div>
      {children}
    </section>
  );
}

const answers: Record<RuleAnswer, { tone: Tone; word: string }> = {
  deny: { tone: 'danger', word: 'deny' },
  ask: { tone: 'warn', word: 'ask' },
  allow: { tone: 'ok', word: 'allow' },
};

function Rules({ rules, onRemove }: { rules: readonly RuleRow[]; onRemove?: (pattern: string) => void }) {
  if (rules.length === 0) return <p className="text-small text-fg-3">No rules yet. “Always” on a card adds one.</p>;
  return (
    <ul data-list onKeyDown={listKeys} className="rounded-card border border-line">
      {rules.map((rule) => (
        <li
          key={`${rule.answer} ${rule.pattern} ${rule.line}`}
          data-testid="rule-row"
          data-list-item
          data-pattern={rule.pattern}
          className="flex min-h-9 items-center gap-2.5 border-t border-line px-3.5 py-1.5 first:border-t-0"
        >
          <span className="w-12 shrink-0">
            <Badge tone={answers[rule.answer].tone}>{answers[rule.answer].word}</Badge>
          </span>
          <div className="min-w-0 flex-1">
            <p className="selectable font-mono text-small break-all">
              <Revealed text={rule.pattern} />
            </p>
            {rule.note !== null && <p className="text-small text-warn">{rule.note}</p>}
          </div>
          <span className="shrink-0 text-meta text-fg-3">line {rule.line}</span>
          {onRemove && (
            <Button size="s" aria-label={`Remove ${rule.answer} ${rule.pattern}`} onClick={() => onRemove(rule.pattern)}>
              Remove
            </Button>
          )}
        </li>
      ))}
    </ul>
  );
}

function AddRule({ onAdd }: { onAdd: (answer: RuleAnswer, pattern: string) => Promise<boolean> }) {
  const [answer, setAnswer] = useState<RuleAnswer>('deny');
  const [pattern, setPattern] = useState('');
  const [busy, setBusy] = useState(false);
  const hint = useId();
  const add = async (event: FormEvent) => {
    event.preventDefault();
    const text = pattern.trim();
    if (text === '' || busy) return;
    setBusy(true);
    if (await onAdd(answer, text)) setPattern('');
    setBusy(false);
  };
  return (
    <form onSubmit={(event) => void add(event)} className="flex flex-col gap-1.5" aria-label="New rule">
      <div className="flex flex-wrap items-center gap-2">
        <Segments
          label="Answer"
          value={answer}
          onChange={setAnswer}
          options={[
            { value: 'deny', label: 'Deny' },
            { value: 'ask', label: 'Ask' },
            { value: 'allow', label: 'Allow' },
          ]}
        />
        <TextField
          className="min-w-48 flex-1 font-mono"
          aria-label="Pattern"
          aria-describedby={hint}
          placeholder="crm__delete_*"
          value={pattern}
          maxLength={500}
          onChange={(event) => setPattern(event.target.value)}
        />
        <Button type="submit" disabled={busy || pattern.trim() === ''} data-testid="rule-add">
          Add rule
        </Button>
      </div>
      <p id={hint} className="text-small text-fg-3">
        <span className="font-mono">skill__tool</span>; * matches any letters. Without a skill, it matches that tool of
        every skill. In brackets, the value an argument must have: <span className="font-mono">mail__send(to=*@acme.com)</span>.
        A pattern has one answer; a new one replaces it.
      </p>
    </form>
  );
}

const states: Record<ApprovedToolRow['state'], string> = {
  as_approved: '',
  changed: 'changed since, asks again',
  gone: 'missing',
};

function ApprovedTools({
  tools,
  onRevoke,
  onRevokeHost,
}: {
  tools: readonly ApprovedToolRow[];
  onRevoke: (tool: string) => void;
  onRevokeHost: (tool: string, host: string) => void;
}) {
  return (
    <ul data-list onKeyDown={listKeys} className="rounded-card border border-line">
      {tools.map(({ tool, always, state, hosts }) => (
        <li
          key={tool}
          data-testid="approved-tool"
          data-list-item
          data-tool={tool}
          className="flex min-h-9 flex-wrap items-center gap-2.5 border-t border-line px-3.5 py-1.5 first:border-t-0"
        >
          <span className="selectable min-w-0 flex-1 font-mono text-small break-all">
            <Revealed text={tool} />
          </span>
          <span className="text-small text-fg-2">{always ? 'every call' : 'reviewed, then by its effect'}</span>
          {states[state] !== '' && <Badge tone="warn">{states[state]}</Badge>}
          <Button size="s" aria-label={`Remove ${tool}`} onClick={() => onRevoke(tool)}>
            Remove
          </Button>
          {hosts.map((host) => (
            <div key={host} className="flex w-full items-center gap-2.5 pl-3.5 text-small">
              <span className="selectable min-w-0 flex-1 break-all">
                always <Revealed text={host} />
              </span>
              <Button size="s" aria-label={`Remove ${host} of ${tool}`} onClick={() => onRevokeHost(tool, host)}>
                Remove
              </Button>
            </div>
          ))}
        </li>
      ))}
    </ul>
  );
}

function Policy({ policy }: { policy: PolicyRow }) {
  return (
    <article aria-label={policy.name || 'Policy'} data-testid="policy" className="flex flex-col gap-1.5">
      <h3 className="text-small">
        <span className="font-medium">{policy.name || 'Unnamed'}</span>
        <span className="text-fg-2"> for {policy.who}</span>
      </h3>
      <Rules rules={policy.rules} />
    </article>
  );
}
