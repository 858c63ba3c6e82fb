// Adds a server from a documentation snippet or a form. Nothing starts before it is approved.

import { useEffect, useId, useReducer, useRef } from 'react';

import { useBackend, userError, type OfferedServer } from '../../ipc';
import { Badge, Button, ErrorBox, Icon, IconButton, Segments, TextField } from '../../shared';
import { MaskedArea } from '../../shared/MaskedArea';
import { Revealed } from '../../shared/Revealed';
import { PassphraseForm, wantsPassphrase } from '../../shared/SecretForm';
import { addable, emptyAdding, reduceAdding, textOf, type ServerForm } from './adding';

interface AddServerProps {
  readonly onClose: () => void;
  /** `start`: show the approval of its start. */
  readonly onAdded: (names: readonly string[], start: boolean) => void;
}

export function AddServer({ onClose, onAdded }: AddServerProps) {
  const backend = useBackend();
  const [state, dispatch] = useReducer(reduceAdding, emptyAdding);
  const id = useId();
  const first = useRef<HTMLTextAreaElement>(null);
  useEffect(() => first.current?.focus(), []);

  const text = textOf(state);
  useEffect(() => {
    if (text === '') return;
    backend.rpc('read_servers', { text }).then(
      (offers) => dispatch({ type: 'read', text, offers }),
      (thrown: unknown) => dispatch({ type: 'unreadable', text, problem: userError(thrown) }),
    );
  }, [backend, text]);

  const names = addable(state);
  const add = async (enabled: boolean) => {
    dispatch({ type: 'add', enabled });
    try {
      await backend.rpc('add_servers', { text, names: [...names], enabled });
      onAdded(names, enabled);
    } catch (thrown) {
      dispatch({ type: 'refused', problem: userError(thrown) });
    }
  };
  const field = (name: keyof ServerForm) => ({
    value: state.form[name],
    onChange: (event: { target: { value: string } }) => dispatch({ type: 'form', change: { [name]: event.target.value } }),
  });
  return (
    <section
      data-testid="add-server"
      aria-label="Add server"
      className="mx-4 mt-3 mb-2 flex flex-col gap-2 rounded-card border border-line-strong px-3 py-2.5 text-small"
      onKeyDown={(event) => {
        if (event.key !== 'Escape') return;
        event.stopPropagation();
        onClose();
      }}
    >
      <div className="flex items-center gap-2.5">
        <span className="text-ui font-semibold">Add server</span>
        <Segments
          label="Input"
          value={state.way}
          options={[
            { value: 'paste', label: 'Paste' },
            { value: 'form', label: 'Form' },
          ]}
          onChange={(way) => dispatch({ type: 'way', way })}
        />
        <span className="flex-1 text-fg-3">{state.way === 'paste' ? 'a config block, a command or an address' : 'a command or an address'}</span>
        <IconButton icon="x" iconSize={14} label="Close" onClick={onClose} />
      </div>
      {state.way === 'paste' ? (
        <MaskedArea
          ref={first}
          aria-label="Config block, command or address"
          data-testid="add-server-text"
          rows={3}
          value={state.text}
          placeholder={'{ "mcpServers": { … } }'}
          onChange={(event) => dispatch({ type: 'text', text: event.target.value })}
        />
      ) : (
        <div className="grid grid-cols-[128px_minmax(0,1fr)] items-center gap-x-4 gap-y-1.5">
          <label htmlFor={`${id}-name`}>Name</label>
          <TextField id={`${id}-name`} {...field('name')} />
          <label htmlFor={`${id}-runs`}>Command or address</label>
          <TextField id={`${id}-runs`} placeholder="npx -y parcel-mcp, or https://…" {...field('runs')} />
          <label htmlFor={`${id}-values`}>{/^https?:/i.test(state.form.runs.trim()) ? 'Headers' : 'Variables'}</label>
          <MaskedArea id={`${id}-values`} rows={2} lines placeholder="NAME=value, one per line" {...field('values')} />
        </div>
      )}
      {state.offers?.map((offer) => (
        <Offer key={offer.name} offer={offer} />
      ))}
      {state.problem &&
        (wantsPassphrase(state.problem) ? (
          <PassphraseForm problem={state.problem} onOpen={() => void add(state.enabled)} />
        ) : (
          <ErrorBox error={state.problem} />
        ))}
      <p className="flex items-center gap-2">
        <Button variant="primary" size="s" disabled={names.length === 0} onClick={() => void add(true)} data-testid="add-server-start">
          Add and start…
        </Button>
        <Button size="s" disabled={names.length === 0} onClick={() => void add(false)} data-testid="add-server-off">
          Add, switched off
        </Button>
        <span className="flex-1 text-right text-fg-3">The first start asks once more, with the whole command</span>
      </p>
    </section>
  );
}

function Offer({ offer }: { offer: OfferedServer }) {
  const { name, runs, program, host, secrets, taken, problem } = offer;
  const [, ...words] = runs.split(' ');
  return (
    <dl data-testid="offered-server" data-server={name} className="grid grid-cols-[84px_minmax(0,1fr)] gap-x-4 gap-y-1">
      <dt className="text-fg-2">Server</dt>
      <dd className="flex items-center gap-2">
        <span className="font-mono font-medium">
          <Revealed text={name} />
        </span>
        {problem === null && <Badge tone="outline">{host ?? 'command'}</Badge>}
        {problem === null && (
          <span className={`flex items-center gap-1 ${taken ? 'text-danger' : 'text-ok'}`}>
            <Icon name={taken ? 'failed' : 'check'} size={12} />
            {taken ? 'a server of this name exists' : 'name is free'}
          </span>
        )}
      </dd>
      {problem !== null && (
        <>
          <dt className="text-fg-2">Problem</dt>
          <dd role="alert" className="text-danger">
            <Revealed text={problem} />
          </dd>
        </>
      )}
      {problem === null && (
        <>
          <dt className="text-fg-2">{host === null ? 'Would run' : 'Contacts'}</dt>
          <dd className="selectable font-mono break-all">
            <Revealed text={host === null && program !== null ? [program, ...words].join(' ') : runs} />
            {host === null && program === null && <span className="font-sans text-warn"> not found on this machine</span>}
          </dd>
        </>
      )}
      {secrets.map(({ variable, credential, has_value }) => (
        <div key={variable} className="contents">
          <dt className="text-fg-2">Secret</dt>
          <dd>
            <Revealed text={variable} /> {has_value ? 'goes to your credentials as' : 'needs a value, to be set as'}{' '}
            <span className="font-mono">
              <Revealed text={credential} />
            </span>
            {has_value && ', not to the file'}
          </dd>
        </div>
      ))}
    </dl>
  );
}
