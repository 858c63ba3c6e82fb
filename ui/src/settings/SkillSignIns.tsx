// The sign-ins of a skill: those of its own credentials that are got with the browser.

import { useState } from 'react';

import { nothing, useBackend, userError, type CredentialRow, type UserError } from '../ipc';
import { Badge, ErrorBox, LinkButton } from '../shared';
import { Revealed } from '../shared/Revealed';
import { SignInButton } from '../shared/SecretForm';
import { useApp, useRpc } from '../state/hooks';
import { Part } from './Part';

export function SkillSignIns({ skill }: { skill: string }) {
  const revision = useApp(({ revisions }) => `${revisions.credentials}.${revisions.registry}`);
  const { data, reload } = useRpc('list_credentials', nothing, revision);
  const rows = data?.credentials.filter((row) => row.sign_in && row.name.startsWith(`${skill}/`)) ?? [];
  if (rows.length === 0) return null;
  return (
    <Part title="Sign-ins" note="with your browser">
      <ul className="flex flex-col gap-2.5">
        {rows.map((row) => (
          <SignInLine key={row.name} row={row} onDone={reload} />
        ))}
      </ul>
    </Part>
  );
}

function SignInLine({ row, onDone }: { row: CredentialRow; onDone: () => void }) {
  const backend = useBackend();
  const [problem, setProblem] = useState<UserError | null>(null);
  const signOut = async () => {
    setProblem(null);
    try {
      await backend.rpc('remove_credential', { name: row.name });
      onDone();
    } catch (thrown) {
      setProblem(userError(thrown));
    }
  };
  return (
    <li data-testid="skill-sign-in" data-credential={row.name} className="flex flex-col gap-1.5">
      <p className="flex flex-wrap items-center gap-2">
        <span className="font-mono">
          <Revealed text={row.name} />
        </span>
        <Badge tone={row.state === 'kept' ? 'ok' : 'warn'}>{row.state === 'kept' ? 'signed in' : 'needs sign-in'}</Badge>
        {row.host !== null && (
          <span className="text-fg-3">
            at <Revealed text={row.host} />
          </span>
        )}
        {row.state === 'kept' && (
          <LinkButton aria-label={`Sign out of ${row.name}`} onClick={() => void signOut()}>
            Sign out
          </LinkButton>
        )}
      </p>
      {row.reason && (
        <p className="text-fg-2">
          <Revealed text={row.reason} />
        </p>
      )}
      {row.state === 'needs_sign_in' && <SignInButton name={row.name} onDone={onDone} />}
      {problem && <ErrorBox error={problem} />}
    </li>
  );
}
