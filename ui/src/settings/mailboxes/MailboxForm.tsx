// Adds a mailbox by address, or edits one. Nothing is stored before its test, unless the user insists.

import { useEffect, useId, useReducer, useRef, type ReactNode } from 'react';

import { useBackend, userError, type MailboxEntry } from '../../ipc';
import { Button, ErrorBox, IconButton, LinkButton, TextField } from '../../shared';
import { PassphraseForm, wantsPassphrase } from '../../shared/SecretForm';
import { editingOf, isComplete, newMailbox, offersProviders, reduceEditing, saveLabel, type Editing, type EditingAction } from './editing';
import { FoundServers } from './FoundServers';
import { WayOfSigningIn } from './SignIn';
import { TestSteps } from './TestSteps';

interface MailboxFormProps {
  /** The edited mailbox; none for a new one. */
  readonly entry?: MailboxEntry;
  readonly onClose: () => void;
  readonly onSaved: () => void;
}

export function MailboxForm({ entry, onClose, onSaved }: MailboxFormProps) {
  const backend = useBackend();
  const [state, dispatch] = useReducer(reduceEditing, entry, (given) => (given ? editingOf(given) : newMailbox));
  const form = useRef<HTMLFormElement>(null);
  // Focus the next field.
  useEffect(() => {
    const fields = [...(form.current?.querySelectorAll('input') ?? [])];
    (fields.find((field) => field.value === '' && field.required) ?? fields[0])?.focus();
  }, [state.step]);

  const find = async () => {
    const address = state.address.trim();
    if (state.busy !== null || address === '') return;
    dispatch({ type: 'find' });
    try {
      dispatch({ type: 'found', found: await backend.rpc('find_mail_servers', { address }) });
    } catch (thrown) {
      dispatch({ type: 'refused', problem: userError(thrown) });
    }
  };
  const save = async (untested: boolean) => {
    if (!isComplete(state)) return;
    dispatch({ type: 'save' });
    const password = state.password === '' || state.entry.sign_in !== null ? {} : { password: state.password };
    const before = state.before === null ? {} : { before: state.before };
    try {
      const { saved, test } = await backend.rpc('save_mailbox', { ...before, mailbox: state.entry, ...password, untested });
      if (saved) onSaved();
      else dispatch({ type: 'failed', test });
    } catch (thrown) {
      dispatch({ type: 'refused', problem: userError(thrown) });
    }
  };
  const title = state.before === null ? 'Add mailbox' : `Edit ${state.before}`;
  const locked = wantsPassphrase(state.problem);
  // A running test stores the mailbox on success, so there is no going back.
  const saving = state.busy === 'saving';
  return (
    <section
      aria-label={title}
      data-testid="mailbox-form"
      className="mb-2 flex flex-col gap-2 rounded-card border border-line-strong px-3 py-2.5"
      onKeyDown={(event) => {
        if (event.key !== 'Escape') return;
        event.stopPropagation();
        if (!saving) onClose();
      }}
    >
      <div className="flex items-center gap-2.5">
        <span className="flex-1 text-ui font-semibold">{title}</span>
        <IconButton icon="x" iconSize={14} label="Close" disabled={saving} onClick={onClose} />
      </div>
      <form
        ref={form}
        aria-label={title}
        className="flex flex-col gap-2"
        onSubmit={(event) => {
          event.preventDefault();
          void (state.step === 'address' ? find() : save(false));
        }}
      >
        {state.step === 'address' ? (
          <AddressStep state={state} dispatch={dispatch} />
        ) : (
          <ServersStep state={state} dispatch={dispatch} onAnyway={() => void save(true)} />
        )}
      </form>
      {state.problem &&
        (locked ? <PassphraseForm problem={state.problem} onOpen={() => void save(false)} /> : <ErrorBox error={state.problem} />)}
    </section>
  );
}

interface StepProps {
  readonly state: Editing;
  readonly dispatch: (action: EditingAction) => void;
}

function AddressStep({ state, dispatch }: StepProps) {
  const id = useId();
  const finding = state.busy === 'finding';
  const empty = state.address.trim() === '';
  return (
    <>
      <Labelled id={id} label="Address">
        <TextField
          id={id}
          required
          type="email"
          placeholder="jane@example.org"
          value={state.address}
          disabled={finding}
          aria-describedby={`${id}-who`}
          onChange={(event) => dispatch({ type: 'address', address: event.target.value })}
        />
      </Labelled>
      <p id={`${id}-who`} className="text-fg-3">
        Its domain is asked for its mail servers, then Thunderbird’s list of providers. They learn the domain, not your name.
      </p>
      <p className="flex items-center gap-2" role="status">
        <Button type="submit" variant="primary" size="s" disabled={finding || empty} data-testid="find-servers">
          {finding ? 'Looking for servers…' : 'Find servers'}
        </Button>
        <Button size="s" disabled={finding} onClick={() => dispatch({ type: 'by hand' })}>
          Enter them myself
        </Button>
      </p>
    </>
  );
}

function ServersStep({ state, dispatch, onAnyway }: StepProps & { onAnyway: () => void }) {
  const { before, entry, found, password, busy, test } = state;
  const id = useId();
  const saving = busy === 'saving';
  const field = (key: 'name' | 'imap' | 'smtp' | 'user' | 'address' | 'checked_by') => ({
    id: `${id}-${key}`,
    value: entry[key],
    disabled: saving,
    onChange: (event: { target: { value: string } }) => dispatch({ type: 'entry', change: { [key]: event.target.value } }),
  });
  return (
    <>
      {found && <FoundServers asked={found} />}
      <Labelled id={`${id}-name`} label="Name">
        <TextField {...field('name')} required placeholder="Home" />
      </Labelled>
      <Labelled id={`${id}-imap`} label="IMAP server" note="Add the port unless it is 993. Always encrypted.">
        <TextField {...field('imap')} required placeholder="imap.example.org" />
      </Labelled>
      <Labelled id={`${id}-smtp`} label="SMTP server" note="For sending; add the port unless it is 465. On 587, 2525 and 25 it is encrypted by STARTTLS.">
        <TextField {...field('smtp')} placeholder="smtp.example.org" />
      </Labelled>
      <Labelled id={`${id}-user`} label="User">
        <TextField {...field('user')} required placeholder="jane@example.org" />
      </Labelled>
      {offersProviders(state) && (
        <WayOfSigningIn value={entry.sign_in} disabled={saving} onChange={(sign_in) => dispatch({ type: 'entry', change: { sign_in } })} />
      )}
      {entry.sign_in === null && (
        <Labelled
          id={`${id}-password`}
          label="Password"
          note={before === null ? 'Stored in your credentials and sent to these servers, never written to a settings file. Many providers require an app password.' : 'Leave empty to keep the current one. Required if a server or the user changes.'}
        >
          <TextField
            id={`${id}-password`}
            type="password"
            autoComplete="new-password"
            required={before === null}
            value={password}
            disabled={saving}
            data-testid="mailbox-password"
            onChange={(event) => dispatch({ type: 'password', password: event.target.value })}
          />
        </Labelled>
      )}
      <details open={entry.address !== '' || entry.checked_by !== ''}>
        <summary className="w-fit cursor-pointer text-fg-3 hover:text-fg-2">More</summary>
        <div className="mt-2 flex flex-col gap-2">
          <Labelled id={`${id}-address`} label="Sender" note="Your address, if the user is not one.">
            <TextField {...field('address')} placeholder="jane@example.org" />
          </Labelled>
          <Labelled id={`${id}-checked_by`} label="Checked by" note="The first word of Authentication-Results in a message you received.">
            <TextField {...field('checked_by')} placeholder="mx.example.org" />
          </Labelled>
        </div>
      </details>
      {test && <TestSteps test={test} />}
      <p className="flex flex-wrap items-center gap-2" role="status">
        <Button type="submit" variant="primary" size="s" disabled={!isComplete(state)} data-testid="mailbox-save">
          {saveLabel(state)}
        </Button>
        {test && (
          <Button size="s" disabled={!isComplete(state)} onClick={onAnyway} data-testid="mailbox-save-anyway">
            {before === null ? 'Add anyway' : 'Save anyway'}
          </Button>
        )}
        {before === null && (
          <LinkButton disabled={saving} onClick={() => dispatch({ type: 'back' })}>
            Another address
          </LinkButton>
        )}
        {test && <span className="text-fg-2">The test failed. Nothing was stored.</span>}
      </p>
    </>
  );
}

function Labelled({ id, label, note, children }: { id: string; label: string; note?: string; children: ReactNode }) {
  return (
    <div className="grid grid-cols-[96px_minmax(0,1fr)] items-center gap-x-3 gap-y-0.5">
      <label htmlFor={id}>{label}</label>
      {children}
      {note && <p className="col-start-2 text-fg-3">{note}</p>}
    </div>
  );
}
