// Dry-runs a tool: it runs with fake responses, and its requests are shown.

import { useRef, useState, type ReactNode } from 'react';

import { useBackend, userError, type DryRunResult, type JsonValue, type PendingToolRow, type ToolDefinitionView, type UserError } from '../ipc';
import { Button, counted, ErrorBox, Icon, ValueView } from '../shared';
import { SchemaForm, useSchemaForm } from '../shared/form';
import { Revealed } from '../shared/Revealed';
import { useApp } from '../state/hooks';
import { problemLine, staleReason, type StaleReason } from './waiting-tools';

interface DryRunProps {
  readonly row: PendingToolRow;
  readonly definition: ToolDefinitionView;
  /** Called if the file has changed or is gone. */
  readonly onStale: (why: StaleReason) => void;
}

export function DryRun({ row, definition, onStale }: DryRunProps) {
  const backend = useBackend();
  const today = useApp((app) => app.status?.today ?? '');
  const form = useSchemaForm(definition.input_schema);
  const [open, setOpen] = useState(false);
  const [busy, setBusy] = useState(false);
  const running = useRef(false);
  const [result, setResult] = useState<DryRunResult | null>(null);
  const [error, setError] = useState<UserError | null>(null);

  const run = async () => {
    const args: JsonValue | null = form.submit();
    if (args === null || running.current) return;
    running.current = true;
    setBusy(true);
    setError(null);
    try {
      setResult(await backend.rpc('dry_run_tool', { name: row.name, hash: row.hash, args }));
    } catch (thrown) {
      const what = userError(thrown);
      setResult(null);
      setError(what);
      const stale = staleReason(what);
      if (stale !== null) onStale(stale);
    } finally {
      running.current = false;
      setBusy(false);
    }
  };

  if (!open)
    return (
      <div>
        <Button icon="play" size="s" onClick={() => setOpen(true)} data-testid="dry-run-open">
          Dry run
        </Button>
      </div>
    );
  return (
    <section aria-label="Dry run" data-testid="dry-run" className="flex flex-col gap-3 rounded-card border border-line p-3">
      <div>
        <h4 className="text-ui font-medium">Dry run</h4>
        <p className="text-small text-fg-2">Runs the file with made-up answers: nothing is sent, no secret is read.</p>
      </div>
      <SchemaForm form={form} label={`Arguments of ${definition.tool}`} today={today} disabled={busy} onSubmit={() => void run()}>
        <div className="mt-3 flex items-center gap-2">
          <Button type="submit" size="s" icon="play" disabled={busy} data-testid="dry-run-start">
            {busy ? 'Running…' : result ? 'Dry run again' : 'Dry run'}
          </Button>
        </div>
      </SchemaForm>
      {error && <ErrorBox error={error} />}
      <div role="status" aria-busy={busy} className="empty:hidden">
        {result && <Outcome result={result} />}
      </div>
    </section>
  );
}

function Outcome({ result }: { result: DryRunResult }) {
  const { requests, credentials, logs, value, problem } = result;
  return (
    <div data-testid="dry-run-result" className="selectable flex flex-col gap-2.5 text-small">
      <p className="flex items-center gap-2 font-medium">
        <Icon name="shield" size={14} className="text-ok" /> Nothing left this machine.
      </p>
      <Part name={requests.length === 0 ? 'Would have sent nothing' : `Would have sent ${counted(requests.length, 'request')}`}>
        <ul className="flex flex-col gap-1.5 empty:hidden">
          {requests.map(({ method, url, headers }, index) => (
            <li key={index} className="font-mono break-all">
              <span className="font-medium">
                <Revealed text={method} />
              </span>{' '}
              <Revealed text={url} />
              {headers.length > 0 && (
                <span className="block text-fg-2">
                  <span className="font-sans text-fg-3">headers</span> <Revealed text={headers.join(', ')} />
                </span>
              )}
            </li>
          ))}
        </ul>
      </Part>
      <Part name={credentials.length === 0 ? 'No credentials requested' : 'Asked for'}>
        <ul className="empty:hidden">
          {credentials.map((credential) => (
            <li key={credential} className="font-mono break-all">
              <Revealed text={credential} />
            </li>
          ))}
        </ul>
      </Part>
      {logs.length > 0 && (
        <Part name="Log">
          <pre className="max-h-40 overflow-y-auto rounded-control bg-surface-sunken px-2.5 py-1.5 font-mono break-words whitespace-pre-wrap">
            <Revealed text={logs.join('\n')} />
          </pre>
        </Part>
      )}
      {problem ? (
        <Part name="It failed">
          <p className="break-words text-danger">
            <Revealed text={problemLine(problem)} />
          </p>
          <p className="text-fg-2">Each request was answered with an empty JSON object; with a real answer it may succeed.</p>
        </Part>
      ) : (
        <Part name="It answered">
          <div className="max-h-60 overflow-auto rounded-control border border-line">
            <ValueView value={value} label="Answer" dense />
          </div>
        </Part>
      )}
    </div>
  );
}

function Part({ name, children }: { name: string; children: ReactNode }) {
  return (
    <section aria-label={name} className="flex flex-col gap-0.5">
      <h5 className="text-meta font-medium text-fg-3">{name}</h5>
      {children}
    </section>
  );
}
