// Edits a server's command or address, which needs a new approval afterwards.

import { useEffect, useId, useRef, useState } from 'react';

import { useBackend, userError, type ServerEntry, type UserError } from '../../ipc';
import { Button, ErrorBox, Loading, TextField } from '../../shared';
import { MaskedArea } from '../../shared/MaskedArea';
import { PassphraseForm, wantsPassphrase } from '../../shared/SecretForm';
import { useRpc } from '../../state/hooks';
import { blockOf, formOf, type EntryForm } from './editing';

interface EditServerProps {
  readonly server: string;
  readonly onClose: () => void;
  readonly onSaved: () => void;
}

export function EditServer(props: EditServerProps) {
  const entry = useRpc('server_entry', { server: props.server });
  return (
    <section
      data-testid="edit-server"
      aria-label={`Edit ${props.server}`}
      className="mx-4 mt-3 flex flex-col gap-2 rounded-card border border-line-strong px-3 py-2.5 text-small"
      onKeyDown={(event) => {
        if (event.key !== 'Escape') return;
        event.stopPropagation();
        props.onClose();
      }}
    >
      {entry.error && <ErrorBox error={entry.error} />}
      {entry.data ? <Form {...props} entry={entry.data} /> : !entry.error && <Loading lines={3} />}
    </section>
  );
}

function Form({ server, entry, onClose, onSaved }: EditServerProps & { entry: ServerEntry }) {
  const backend = useBackend();
  const id = useId();
  const [form, setForm] = useState(() => formOf(entry));
  const [busy, setBusy] = useState(false);
  const [problem, setProblem] = useState<UserError | null>(null);
  const first = useRef<HTMLInputElement>(null);
  useEffect(() => first.current?.focus(), []);

  const isAddress = entry.url !== null;
  const text = blockOf(server, entry, form);
  const save = async () => {
    if (text === null || busy) return;
    setBusy(true);
    setProblem(null);
    try {
      await backend.rpc('edit_server', { server, text });
      onSaved();
    } catch (thrown) {
      setProblem(userError(thrown));
      setBusy(false);
    }
  };
  const field = (name: keyof EntryForm) => ({
    id: `${id}-${name}`,
    value: form[name],
    onChange: (event: { target: { value: string } }) => setForm({ ...form, [name]: event.target.value }),
  });
  return (
    <form
      noValidate
      className="flex flex-col gap-2"
      onSubmit={(event) => {
        event.preventDefault();
        void save();
      }}
    >
      <div className="grid grid-cols-[84px_minmax(0,1fr)] items-center gap-x-4 gap-y-1.5">
        <label htmlFor={`${id}-runs`}>{isAddress ? 'Address' : 'Command'}</label>
        <TextField ref={first} {...field('runs')} data-testid="edit-runs" />
        {!isAddress && (
          <>
            <label htmlFor={`${id}-args`}>Arguments</label>
            <MaskedArea rows={3} placeholder="one per line" data-testid="edit-args" {...field('args')} />
          </>
        )}
        <label htmlFor={`${id}-values`}>{isAddress ? 'Headers' : 'Variables'}</label>
        <MaskedArea rows={2} lines placeholder="NAME=value, one per line" {...field('values')} />
        {!isAddress && (
          <>
            <label htmlFor={`${id}-cwd`}>Folder</label>
            <TextField placeholder="your home folder" {...field('cwd')} />
          </>
        )}
      </div>
      {problem && (wantsPassphrase(problem) ? <PassphraseForm problem={problem} onOpen={() => void save()} /> : <ErrorBox error={problem} />)}
      <p className="flex items-center gap-2">
        <Button variant="primary" size="s" type="submit" disabled={text === null || busy} data-testid="edit-save">
          Save
        </Button>
        <Button size="s" onClick={onClose}>
          Cancel
        </Button>
        <span className="flex-1 text-right text-fg-3">A changed server starts only after you approve it again</span>
      </p>
    </form>
  );
}
