// "What would happen if the assistant called this?" Nothing is run.

import { type FormEvent, useEffect, useId, useState } from 'react';

import { useBackend, userError, type Decision, type JsonValue, type TriedRule, type UserError } from '../ipc';
import { Button, EffectBadge, ErrorBox, Icon, type IconName, TextField } from '../shared';
import { Revealed } from '../shared/Revealed';

/** `revision` increases when rules change, which repeats the test. */
export function TryRule({ revision }: { revision: string }) {
  const backend = useBackend();
  const [tool, setTool] = useState('');
  const [args, setArgs] = useState('');
  const [asked, setAsked] = useState<{ tool: string; args: JsonValue | null } | null>(null);
  const [answer, setAnswer] = useState<{ tried: TriedRule | null; error: UserError | null } | null>(null);
  const unreadable = useId();
  const [isJson, setIsJson] = useState(true);

  useEffect(() => {
    if (asked === null) return;
    let current = true;
    backend.rpc('try_rule', { ...asked, relationship: null }).then(
      (tried) => current && setAnswer({ tried, error: null }),
      (thrown: unknown) => current && setAnswer({ tried: null, error: userError(thrown) }),
    );
    return () => {
      current = false;
    };
  }, [backend, asked, revision]);

  const ask = (event: FormEvent) => {
    event.preventDefault();
    const parsed = readObject(args);
    setIsJson(parsed !== undefined);
    if (parsed !== undefined && tool.trim() !== '') setAsked({ tool: tool.trim(), args: parsed });
  };
  return (
    <form onSubmit={ask} aria-label="Try a call" className="flex flex-col gap-2">
      <div className="flex flex-wrap items-center gap-2">
        <TextField
          className="min-w-40 flex-1 font-mono"
          aria-label="Tool"
          placeholder="crm.add_contact"
          value={tool}
          onChange={(event) => setTool(event.target.value)}
        />
        <TextField
          className="min-w-48 flex-1 font-mono"
          aria-label="Arguments, optional"
          aria-describedby={isJson ? undefined : unreadable}
          placeholder='{"name": "Jane"}'
          value={args}
          invalid={!isJson}
          onChange={(event) => setArgs(event.target.value)}
        />
        <Button type="submit" disabled={tool.trim() === ''} data-testid="rule-try">
          Try
        </Button>
      </div>
      {!isJson && (
        <p id={unreadable} role="alert" className="text-small text-danger">
          The arguments are not a JSON object. Write {'{"name": "value"}'}.
        </p>
      )}
      {answer?.error && <ErrorBox error={answer.error} />}
      {answer?.tried && <Answer tried={answer.tried} />}
    </form>
  );
}

const verdicts: Record<TriedRule['verdict'], { icon: IconName; tone: string; says: string }> = {
  run: { icon: 'check', tone: 'text-ok', says: 'runs' },
  ask: { icon: 'question', tone: 'text-accent', says: 'asks' },
  deny: { icon: 'x', tone: 'text-danger', says: 'is denied' },
};

const words: Record<Decision, string> = { once: 'once', session: 'for this chat', always: 'always', deny: 'deny', cancel: 'close' };

function Answer({ tried }: { tried: TriedRule }) {
  const { icon, tone, says } = verdicts[tried.verdict];
  return (
    <div role="status" data-testid="rule-tried" data-verdict={tried.verdict} className="flex items-start gap-2.5 rounded-card border border-line px-3 py-2.5 text-small">
      <Icon name={icon} size={14} className={`mt-0.5 ${tone}`} />
      <div className="selectable min-w-0 flex-1">
        <p>
          <span className="font-mono break-all">
            <Revealed text={tried.tool} />
          </span>{' '}
          {says}
        </p>
        <p className="text-fg-2">
          <Revealed text={tried.reason} />
        </p>
        {tried.decisions.length > 0 && <p className="text-fg-3">Offered: {tried.decisions.map((decision) => words[decision]).join(', ')}</p>}
      </div>
      <EffectBadge effect={tried.effect} />
    </div>
  );
}

/** `undefined` for text that is no JSON object; null for empty text. */
function readObject(text: string): JsonValue | null | undefined {
  if (text.trim() === '') return null;
  try {
    const value = JSON.parse(text) as JsonValue;
    return typeof value === 'object' && value !== null && !Array.isArray(value) ? value : undefined;
  } catch {
    return undefined;
  }
}
