// Secrets: which exist, what needs them, and what they are granted to. Values are typed here and never shown.

import { useState } from 'react';

import { nothing, useBackend, userError, type CredentialRow, type CredentialState, type GrantRow, type UserError } from '../ipc';
import { Badge, Button, Empty, ErrorBox, Icon, LinkButton, Loading, Popover, PopoverClose, type Tone } from '../shared';
import { Revealed } from '../shared/Revealed';
import { CredentialForm, isCredentialName, PassphraseForm, SignInButton, wantsPassphrase } from '../shared/SecretForm';
import { useApp, useRpc } from '../state/hooks';

export function CredentialsPage() {
  const revision = useApp(({ revisions }) => `${revisions.credentials}.${revisions.registry}`);
  const { data, error, loading, reload } = useRpc('list_credentials', nothing, revision);
  const [adding, setAdding] = useState(false);
  return (
    <section aria-label="Credentials" className="flex min-w-0 flex-1 flex-col">
      <header className="flex h-12 shrink-0 items-center gap-2.5 border-b border-line px-4">
        <h1 className="text-body font-semibold">Credentials</h1>
        <span className="flex-1" />
        <Button icon="refresh" size="s" onClick={reload}>
          Refresh
        </Button>
        <Button icon="plus" size="s" disabled={adding} onClick={() => setAdding(true)} data-testid="credential-add">
          Add a credential
        </Button>
      </header>
      <div className="min-h-0 flex-1 overflow-y-auto p-4">
        <div className="flex max-w-180 flex-col gap-3">
          <p className="text-ui text-fg-2">
            Keys and tokens are kept in{' '}
            {data?.kept_in === 'file' ? 'an encrypted file' : data?.kept_in === 'keychain' ? 'the system’s keychain' : 'the system’s keychain or an encrypted file'}
            , and go only to those you allowed, at the hosts you allowed.
          </p>
          {error && <ErrorBox error={error} actions={<LinkButton onClick={reload}>Try again</LinkButton>} />}
          {data?.problem &&
            (wantsPassphrase(data.problem) ? (
              <PassphraseForm problem={data.problem} onOpen={reload} />
            ) : (
              <ErrorBox error={data.problem} actions={<LinkButton onClick={reload}>Try again</LinkButton>} />
            ))}
          {adding && (
            <div className="rounded-card border border-line px-3.5 py-3">
              <CredentialForm
                name=""
                onClose={() => setAdding(false)}
                onKept={() => {
                  setAdding(false);
                  reload();
                }}
              />
            </div>
          )}
          {data?.credentials.map((row) => (
            <Credential key={row.name} row={row} onChange={reload} />
          ))}
          {!data && loading && <Loading lines={3} />}
          {data?.credentials.length === 0 && !data.problem && !adding && (
            <Empty>No credentials yet. Skills and models that need one are listed here.</Empty>
          )}
        </div>
      </div>
    </section>
  );
}

const states: Record<CredentialState, { tone: Tone; word: string }> = {
  kept: { tone: 'ok', word: 'kept' },
  missing: { tone: 'warn', word: 'missing' },
  needs_sign_in: { tone: 'warn', word: 'needs sign-in' },
  unknown: { tone: 'grey', word: 'unknown' },
};

function Credential({ row, onChange }: { row: CredentialRow; onChange: () => void }) {
  const backend = useBackend();
  const [editing, setEditing] = useState(false);
  const [asking, setAsking] = useState(false);
  const [problem, setProblem] = useState<UserError | null>(null);
  const attempt = async (work: () => Promise<unknown>) => {
    setProblem(null);
    try {
      await work();
      onChange();
    } catch (thrown) {
      setProblem(userError(thrown));
    }
  };
  const { tone, word } = states[row.state];
  const kept = row.state === 'kept' || row.state === 'needs_sign_in';
  const without = row.wanted_by.filter((who) => !row.grants.some((grant) => grant.consumer === who && grant.in_force));
  return (
    <article aria-label={row.name} data-testid="credential-row" data-credential={row.name} className="rounded-card border border-line">
      <header className="flex flex-wrap items-center gap-x-2.5 gap-y-1 px-3.5 py-2.5">
        <Icon name="key" className="text-fg-2" />
        <h2 className="selectable font-mono text-ui font-semibold">
          <Revealed text={row.name} />
        </h2>
        <Badge tone={tone}>{word}</Badge>
        <span className="flex-1" />
        {!row.sign_in && (
          <Button size="s" disabled={editing} onClick={() => setEditing(true)} data-testid="credential-set">
            {row.state === 'kept' ? 'Replace' : 'Set'}
          </Button>
        )}
        {(kept || row.grants.length > 0) && isCredentialName(row.name) && (
          <Popover
            label={`Remove ${row.name}?`}
            align="end"
            open={asking}
            onOpenChange={setAsking}
            trigger={
              <Button size="s" data-testid="credential-remove">
                Remove
              </Button>
            }
          >
            <p className="mb-1 font-medium">Remove {row.name}?</p>
            <p className="mb-2.5 text-small text-fg-2">Deletes its value and permissions. What uses it stops working.</p>
            <div className="flex gap-2">
              <Button
                variant="danger"
                size="s"
                data-testid="credential-remove-confirm"
                onClick={() => {
                  setAsking(false);
                  void attempt(() => backend.rpc('remove_credential', { name: row.name }));
                }}
              >
                Remove
              </Button>
              <PopoverClose asChild>
                <Button size="s">Cancel</Button>
              </PopoverClose>
            </div>
          </Popover>
        )}
      </header>
      <div className="flex flex-col gap-2 px-3.5 pb-3 empty:hidden">
        {row.reason && <p className="text-small text-fg-2">Enter it again: {row.reason}.</p>}
        {row.sign_in && (
          <p className="text-small break-words text-fg-2" data-testid="sign-in-meaning">
            <SignInMeaning row={row} />
          </p>
        )}
        {row.sign_in && row.state !== 'kept' && row.state !== 'unknown' && <SignInButton name={row.name} onDone={onChange} />}
        {editing && (
          <CredentialForm
            name={row.name}
            onClose={() => setEditing(false)}
            onKept={() => {
              setEditing(false);
              onChange();
            }}
          />
        )}
        {problem && <ErrorBox error={problem} />}
        {row.grants.map((grant) => (
          <Grant
            key={`${grant.consumer} ${grant.destination}`}
            grant={grant}
            onRevoke={() => void attempt(() => backend.rpc('revoke_credential', { name: row.name, to: grant.consumer }))}
          />
        ))}
        {without.map((who) => (
          <p key={who} className="flex items-center gap-2 text-small text-fg-2">
            <span className="min-w-0 flex-1 break-words">
              requested by{' '}
              <span className="font-mono">
                <Revealed text={who} />
              </span>
            </span>
            {row.state === 'kept' && !isSignIn(who) && (
              <LinkButton onClick={() => void attempt(() => backend.rpc('grant_credential', { name: row.name, to: who }))}>Allow</LinkButton>
            )}
          </p>
        ))}
      </div>
    </article>
  );
}

/** A sign-in takes the user's client to its own provider alone: there is nothing to allow. */
function isSignIn(consumer: string): boolean {
  return consumer.startsWith('sign_in:');
}

/** The purpose of a sign-in, and where its token is sent. */
function SignInMeaning({ row: { host, server } }: { row: CredentialRow }) {
  const name = (text: string) => (
    <span className="font-mono">
      <Revealed text={text} />
    </span>
  );
  return (
    <>
      {server !== null && <>For the MCP server {name(server)}. </>}
      You sign in {host !== null && server === null && <>at {name(host)} </>}with your browser; Nova keeps the token and renews it
      {host !== null && server !== null && <>, and sends it to {name(host)} only</>}. Remove it to sign out.
    </>
  );
}

function Grant({ grant, onRevoke }: { grant: GrantRow; onRevoke: () => void }) {
  return (
    <p data-testid="grant" className="flex items-center gap-2 text-small">
      <Icon name="shield" size={14} className={grant.in_force ? 'text-ok' : 'text-fg-3'} />
      <span className="selectable min-w-0 flex-1 break-words">
        <span className="font-mono">
          <Revealed text={grant.consumer} />
        </span>{' '}
        {grant.destination === '' ? 'may read it, not send it' : 'may send it to '}
        <span className="font-mono">
          <Revealed text={grant.destination} />
        </span>
      </span>
      {!grant.in_force && <Badge title="Changed since you allowed it">changed, no longer allowed</Badge>}
      <LinkButton onClick={onRevoke}>Revoke</LinkButton>
    </p>
  );
}
