// Adds a provider: which one, its key, and a test. The key stays in the page until the backend stores it, and
// goes nowhere else.

import { useId, useRef, useState } from 'react';

import { useBackend, userError, type CheckedProvider, type NewProvider, type ProviderKind, type UserError } from '../ipc';
import { Badge } from './Badge';
import { ErrorBox } from './Banner';
import { Button } from './Button';
import { TextField } from './Field';
import { Icon } from './Icon';

interface KnownProvider {
  readonly id: string;
  readonly name: string;
  readonly host: string;
  readonly address?: string;
}

/** Common providers with a key; Ollama is detected automatically. */
const byKind: Record<ProviderKind, readonly KnownProvider[]> = {
  anthropic: [{ id: 'anthropic', name: 'Anthropic', host: 'api.anthropic.com' }],
  gemini: [{ id: 'gemini', name: 'Gemini', host: 'generativelanguage.googleapis.com' }],
  openai_responses: [{ id: 'openai-responses', name: 'OpenAI Responses', host: 'api.openai.com' }],
  openai: [
    { id: 'openai', name: 'OpenAI', host: 'api.openai.com' },
    { id: 'openrouter', name: 'OpenRouter', host: 'openrouter.ai', address: 'https://openrouter.ai/api/v1' },
  ],
  ollama: [],
};
const known = (Object.keys(byKind) as ProviderKind[])
  .flatMap((kind) => byKind[kind].map((provider) => ({ ...provider, kind })))
  .sort((one, other) => one.name.localeCompare(other.name));
/** Any server compatible with OpenAI. */
const another = 'another';

interface Entry {
  /** An id of `known`, `another`, or empty. */
  readonly which: string;
  readonly address: string;
  readonly key: string;
}

export interface ProviderEntry {
  readonly entry: Entry;
  readonly change: (change: Partial<Entry>) => void;
  /** The provider for the backend; none if incomplete. */
  readonly provider: NewProvider | null;
  readonly host: string;
  readonly busy: boolean;
  readonly problem: UserError | null;
  /** The test result of exactly this entry. */
  readonly checked: CheckedProvider | null;
  /** Tests the entry; resolves to null on failure. */
  readonly check: () => Promise<CheckedProvider | null>;
}

/** The entry, and its newest test result. */
export function useProviderEntry(): ProviderEntry {
  const backend = useBackend();
  const [entry, setEntry] = useState<Entry>({ which: '', address: '', key: '' });
  const [busy, setBusy] = useState(false);
  const [problem, setProblem] = useState<UserError | null>(null);
  const [checked, setChecked] = useState<CheckedProvider | null>(null);
  // A result for an earlier entry does not apply.
  const asked = useRef(0);
  const provider = newProvider(entry);

  const change = (changed: Partial<Entry>) => {
    asked.current += 1;
    setBusy(false);
    setProblem(null);
    setChecked(null);
    setEntry((before) => ({ ...before, ...changed }));
  };
  const check = async () => {
    if (busy) return null;
    if (provider === null) {
      setProblem(missing(entry));
      return null;
    }
    asked.current += 1;
    const mine = asked.current;
    setBusy(true);
    setProblem(null);
    try {
      const answer = await backend.rpc('check_provider', provider);
      if (mine !== asked.current) return null;
      setChecked(answer);
      return answer;
    } catch (thrown) {
      if (mine === asked.current) setProblem(userError(thrown));
      return null;
    } finally {
      if (mine === asked.current) setBusy(false);
    }
  };
  return { entry, change, provider, host: hostOf(entry), busy, problem, checked, check };
}

interface NewProviderFieldsProps {
  readonly value: ProviderEntry;
  /** The button's label; none if the parent has the button. */
  readonly checkLabel?: string;
  readonly onEnter?: () => void;
}

/** Provider and key, and an address for a custom one. */
export function NewProviderFields({ value, checkLabel, onEnter }: NewProviderFieldsProps) {
  const { entry, change, busy, problem, checked, host } = value;
  const id = useId();
  const enter = (event: React.KeyboardEvent) => {
    if (event.key !== 'Enter') return;
    // Would submit the surrounding form, which opens Nova.
    event.preventDefault();
    if (onEnter) onEnter();
    else void value.check();
  };
  return (
    <div className="flex flex-col gap-2" data-testid="new-provider">
      <div className="flex flex-wrap items-center gap-2">
        <span className="relative flex h-7.5 w-44 items-center rounded-control border border-line-control bg-surface-raised focus-within:border-accent focus-within:outline-1 focus-within:outline-accent">
          <label htmlFor={`${id}-which`} className="sr-only">
            Provider
          </label>
          <select
            id={`${id}-which`}
            value={entry.which}
            data-testid="new-provider-which"
            onChange={(event) => change({ which: event.target.value })}
            className="h-full w-full appearance-none rounded-control bg-transparent pr-6 pl-2.5 text-ui outline-none"
          >
            <option value="" disabled>
              Provider
            </option>
            {known.map(({ id: which, name }) => (
              <option key={which} value={which}>
                {name}
              </option>
            ))}
            <option value={another}>Another</option>
          </select>
          <Icon name="chevron-down" size={12} className="pointer-events-none absolute right-2" />
        </span>
        <TextField
          type="password"
          autoComplete="new-password"
          aria-label={entry.which === another ? 'Key, if needed' : 'Key'}
          placeholder={entry.which === another ? 'Paste a key, if needed' : 'Paste a key'}
          value={entry.key}
          className="min-w-44 flex-1"
          data-testid="new-provider-key"
          onChange={(event) => change({ key: event.target.value })}
          onKeyDown={enter}
        />
        {checkLabel !== undefined && (
          <Button disabled={busy} onClick={() => void value.check()} data-testid="new-provider-check">
            {busy ? 'Checking…' : checkLabel}
          </Button>
        )}
      </div>
      {entry.which === another && (
        <TextField
          aria-label="Address"
          placeholder="https://host/v1"
          value={entry.address}
          data-testid="new-provider-address"
          onChange={(event) => change({ address: event.target.value })}
          onKeyDown={enter}
        />
      )}
      <div role="status" className="text-small text-fg-2">
        {checked ? (
          <Badge tone="ok" icon="check">
            {checked.host} answers
          </Badge>
        ) : (
          `${host ? `${host} gets a one-word test request. ` : ''}The key is stored in the system keychain or Nova’s encrypted file, never in notes or settings.`
        )}
      </div>
      {problem && <ErrorBox error={problem} />}
    </div>
  );
}

/** "ollama" → "Ollama", "openai" → "OpenAI" */
export function providerName(id: string): string {
  const names: Record<string, string> = {
    ollama: 'Ollama',
    'lm-studio': 'LM Studio',
    'llama-cpp': 'llama.cpp',
  };
  return known.find((provider) => provider.id === id)?.name ?? names[id] ?? id;
}

function newProvider({ which, address, key }: Entry): NewProvider | null {
  const given = key.trim();
  const chosen = known.find(({ id }) => id === which);
  if (chosen) {
    if (given === '') return null;
    const { id, kind, address: base } = chosen;
    return base === undefined ? { id, kind, key: given } : { id, kind, base_url: base, key: given };
  }
  const host = hostOf({ which, address, key });
  if (which !== another || host === '') return null;
  const provider: NewProvider = { id: idOf(host), kind: 'openai', base_url: address.trim() };
  return given === '' ? provider : { ...provider, key: given };
}

function missing({ which, address }: Entry): UserError {
  const say = (message: string): UserError => ({ code: 'bad_request', message, hint: '' });
  if (which === '') return say('Choose a provider.');
  if (which !== another) return say('Paste the key.');
  return say(address.trim() === '' ? 'Enter the address.' : 'Enter the address as https://host/v1.');
}

function hostOf({ which, address }: Entry): string {
  if (which !== another) return known.find(({ id }) => id === which)?.host ?? '';
  try {
    return new URL(address.trim()).host;
  } catch {
    return '';
  }
}

/** "api.groq.com" → "groq", "127.0.0.1:9000" → "127.0.0.1-9000" */
function idOf(host: string): string {
  const [name = '', port] = host.split(':');
  const parts = name.split('.');
  const word = parts.length > 1 && /[a-z]/i.test(name) ? (parts.at(-2) ?? name) : name;
  return [word, port].filter(Boolean).join('-').replace(/[^\w.-]/g, '');
}
