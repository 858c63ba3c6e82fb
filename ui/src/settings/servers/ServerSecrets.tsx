// A server's secrets, each with whether it is stored and granted.

import { useState } from 'react';

import { nothing, useBackend, userError, type CredentialRow, type UserError } from '../../ipc';
import { ErrorBox, Icon, LinkButton } from '../../shared';
import { Revealed } from '../../shared/Revealed';
import { CredentialForm, PassphraseForm, wantsPassphrase } from '../../shared/SecretForm';
import { useApp, useRpc } from '../../state/hooks';
import { Part } from '../Part';

export function ServerSecrets({ server, credentials }: { server: string; credentials: readonly string[] }) {
  const backend = useBackend();
  const revision = useApp(({ revisions }) => `${revisions.credentials}.${revisions.registry}`);
  const listed = useRpc('list_credentials', nothing, revision);
  const [problem, setProblem] = useState<UserError | null>(null);
  const [editing, setEditing] = useState<string | null>(null);
  const who = `server:${server}`;
  const change = (method: 'grant_credential' | 'revoke_credential', name: string) => {
    setProblem(null);
    backend.rpc(method, { name, to: who }).then(listed.reload, (thrown: unknown) => setProblem(userError(thrown)));
  };
  const locked = listed.data?.problem;
  return (
    <Part title="Secrets it gets" note="nothing else of your environment">
      {locked && (wantsPassphrase(locked) ? <PassphraseForm problem={locked} onOpen={listed.reload} /> : <ErrorBox error={locked} />)}
      {problem && <ErrorBox error={problem} />}
      {credentials.length === 0 && <p className="text-fg-3">none</p>}
      <ul className="flex flex-col gap-1">
        {credentials.map((name) => {
          const row = listed.data?.credentials.find((one) => one.name === name);
          const isMissing = row?.state === 'missing';
          return (
            <li key={name} data-testid="server-secret" data-credential={name}>
              <p className="flex items-center gap-2 text-small">
                <Icon name="key" size={14} className="text-fg-2" />
                <span className="min-w-0 flex-1 break-all">
                  <span className="font-mono">
                    <Revealed text={name} />
                  </span>{' '}
                  <span className={isMissing ? 'text-warn' : 'text-fg-3'}>{stateText(row, who)}</span>
                </span>
                {isMissing && editing !== name && <LinkButton onClick={() => setEditing(name)}>Set value</LinkButton>}
                {row && isGranted(row, who) && <LinkButton onClick={() => change('revoke_credential', name)}>Revoke</LinkButton>}
                {row?.state === 'kept' && !isGranted(row, who) && <LinkButton onClick={() => change('grant_credential', name)}>Allow</LinkButton>}
              </p>
              {editing === name && (
                <div className="py-1.5">
                  <CredentialForm
                    name={name}
                    onClose={() => setEditing(null)}
                    onKept={() => {
                      setEditing(null);
                      listed.reload();
                    }}
                  />
                </div>
              )}
            </li>
          );
        })}
      </ul>
    </Part>
  );
}

function isGranted(row: CredentialRow, who: string): boolean {
  return row.grants.some(({ consumer, in_force }) => consumer === who && in_force);
}

function stateText(row: CredentialRow | undefined, who: string): string {
  if (!row) return '';
  if (row.state === 'missing') return 'missing';
  return isGranted(row, who) ? 'allowed for this server' : 'not allowed yet';
}
