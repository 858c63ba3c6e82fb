// Entry of a secret: masked, sent to the backend once, and not retained in the page.

import { useId, useRef, useState } from 'react';

import { useBackend, userError, type UserError } from '../ipc';
import { ErrorBox } from './Banner';
import { Button, LinkButton } from './Button';
import { TextField } from './Field';
import { useAttempt } from './useAttempt';

/** One part of `service/key`, as validated by the backend. */
const half = /^[A-Za-z0-9][\w.-]{0,63}$/;

export function isCredentialName(name: string): boolean {
  const halves = name.split('/');
  return halves.length === 2 && halves.every((text) => half.test(text));
}

interface CredentialFormProps {
  /** `service/key`: the name is fixed. `service`: the key is asked for. Empty: both are. */
  readonly name: string;
  /** Consumer that is granted it at once, such as `provider:ID`. */
  readonly grantTo?: string;
  readonly onKept: (name: string) => void;
  readonly onClose?: () => void;
}

/** Stores a secret in the keychain or the encrypted file. */
export function CredentialForm({ name: given, grantTo, onKept, onClose }: CredentialFormProps) {
  const backend = useBackend();
  const fixed = isCredentialName(given);
  const [typed, setTyped] = useState(fixed || given === '' ? given : `${given}/`);
  const [value, setValue] = useState('');
  const [busy, setBusy] = useState(false);
  const [tried, setTried] = useState(false);
  const [problem, setProblem] = useState<UserError | null>(null);
  const sending = useRef(false);
  const id = useId();
  const name = (fixed ? given : typed).trim();
  const badName = !isCredentialName(name);

  const keep = async () => {
    setTried(true);
    if (sending.current || badName || value === '') return;
    sending.current = true;
    setBusy(true);
    setProblem(null);
    try {
      await backend.rpc('set_credential', grantTo === undefined ? { name, value } : { name, value, grant_to: grantTo });
      setValue('');
      setTried(false);
      onKept(name);
    } catch (thrown) {
      setProblem(userError(thrown));
    } finally {
      sending.current = false;
      setBusy(false);
    }
  };
  return (
    <div className="flex flex-col gap-2.5" data-testid="credential-form">
      <form
        aria-label={fixed ? `Value of ${given}` : 'Add a credential'}
        className="flex flex-col gap-2.5"
        onSubmit={(event) => {
          event.preventDefault();
          void keep();
        }}
      >
        {!fixed && (
          <label className="flex flex-col gap-1 text-small" htmlFor={`${id}-name`}>
            <span className="font-medium">Name</span>
            <TextField
              id={`${id}-name`}
              value={typed}
              placeholder="service/key"
              invalid={tried && badName}
              aria-describedby={`${id}-rule`}
              disabled={busy}
              onChange={(event) => setTyped(event.target.value)}
            />
            <span id={`${id}-rule`} className={tried && badName ? 'text-danger' : 'text-fg-3'}>
              Use the form service/key: letters, digits, “_”, “-” and “.”.
            </span>
          </label>
        )}
        <label className="flex flex-col gap-1 text-small" htmlFor={`${id}-value`}>
          <span className="font-medium">Value</span>
          <TextField
            id={`${id}-value`}
            type="password"
            autoComplete="new-password"
            value={value}
            invalid={tried && value === ''}
            disabled={busy}
            data-testid="credential-value"
            onChange={(event) => setValue(event.target.value)}
          />
          {tried && value === '' && <span className="text-danger">Type or paste the value.</span>}
        </label>
        <div className="flex items-center gap-2">
          <Button type="submit" size="s" variant="primary" disabled={busy} data-testid="credential-keep">
            {busy ? 'Saving…' : 'Save'}
          </Button>
          {onClose && (
            <Button size="s" onClick={onClose}>
              Cancel
            </Button>
          )}
        </div>
      </form>
      {wantsPassphrase(problem) ? (
        <PassphraseForm problem={problem} onOpen={() => void keep()} />
      ) : (
        problem && <ErrorBox error={problem} />
      )}
    </div>
  );
}

/** Whether a passphrase is the remedy. */
export function wantsPassphrase(problem: UserError | null): problem is UserError {
  return problem?.code === 'passphrase_needed' || problem?.code === 'no_credential_store';
}

/** Unlocks the encrypted file, or creates one if there is neither a keychain nor a file. */
export function PassphraseForm({ problem, onOpen }: { problem: UserError; onOpen: () => void }) {
  const backend = useBackend();
  const [passphrase, setPassphrase] = useState('');
  const [again, setAgain] = useState('');
  const { busy, problem: refused, attempt } = useAttempt();
  const id = useId();
  // A mistyped new passphrase would lock the user out.
  const begins = problem.code === 'no_credential_store';
  const differs = begins && again !== passphrase;
  const open = async () => {
    if (busy || passphrase === '' || differs) return;
    await attempt(async () => {
      await backend.rpc('unlock_credentials', { passphrase });
      setPassphrase('');
      setAgain('');
      onOpen();
    });
  };
  return (
    <form
      aria-label="Passphrase"
      data-testid="passphrase-form"
      className="flex flex-col gap-2.5 rounded-card bg-surface-sunken px-3 py-2.5 text-small"
      onSubmit={(event) => {
        event.preventDefault();
        void open();
      }}
    >
      <p role="alert">{(refused ?? problem).message}</p>
      <label className="flex flex-col gap-1" htmlFor={id}>
        <span className="font-medium">{begins ? 'Passphrase for a new encrypted file' : 'Passphrase of the encrypted file'}</span>
        <TextField
          id={id}
          type="password"
          autoComplete="off"
          value={passphrase}
          disabled={busy}
          data-testid="passphrase"
          onChange={(event) => setPassphrase(event.target.value)}
        />
        {begins && <span className="text-fg-3">Without it the file cannot be opened, not even by you.</span>}
      </label>
      {begins && (
        <label className="flex flex-col gap-1" htmlFor={`${id}-again`}>
          <span className="font-medium">Repeat</span>
          <TextField
            id={`${id}-again`}
            type="password"
            autoComplete="off"
            value={again}
            disabled={busy}
            invalid={again !== '' && differs}
            data-testid="passphrase-again"
            onChange={(event) => setAgain(event.target.value)}
          />
          {again !== '' && differs && <span className="text-danger">The passphrases differ.</span>}
        </label>
      )}
      <div>
        <Button type="submit" size="s" disabled={busy || passphrase === '' || differs}>
          {busy ? 'Opening…' : begins ? 'Create file' : 'Open'}
        </Button>
      </div>
    </form>
  );
}

/** Signing in happens in the browser; this waits for it to finish. */
export function SignInButton({ name, onDone }: { name: string; onDone: () => void }) {
  const backend = useBackend();
  const { busy, problem, attempt } = useAttempt();
  const signIn = () =>
    attempt(async () => {
      await backend.rpc('sign_in', { name });
      onDone();
    });
  return (
    <div className="flex flex-col gap-2">
      <div role="status" className="flex items-center gap-2 text-small">
        <Button size="s" icon="external" disabled={busy} onClick={() => void signIn()} data-testid="sign-in">
          {busy ? 'Continue in the browser…' : 'Sign in'}
        </Button>
      </div>
      {problem && <ErrorBox error={problem} actions={<LinkButton onClick={() => void signIn()}>Try again</LinkButton>} />}
    </div>
  );
}
