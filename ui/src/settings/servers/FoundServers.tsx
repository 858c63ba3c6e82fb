// Servers configured in other programs on this machine. Absent if there are none.

import { useState } from 'react';

import { nothing, useBackend, userError, type OfferedServer, type ServerFile, type UserError } from '../../ipc';
import { Button, counted, ErrorBox } from '../../shared';
import { Revealed } from '../../shared/Revealed';
import { PassphraseForm, wantsPassphrase } from '../../shared/SecretForm';
import { useRpc } from '../../state/hooks';

interface FoundServersProps {
  /** Names of the servers in Nova. The files are reread when these change. */
  readonly known: readonly string[];
  readonly onAdded: (names: readonly string[]) => void;
}

export function FoundServers({ known, onAdded }: FoundServersProps) {
  const files = useRpc('list_server_files', nothing, known.join('\n'));
  if (!files.data || files.data.length === 0) return null;
  return (
    <section aria-labelledby="found-servers" data-testid="found-servers">
      <p className="border-b border-line px-4 py-2 text-small text-fg-3">
        <span id="found-servers" className="mr-2 font-semibold text-fg">
          Found in other apps
        </span>
        read only, nothing is changed there
      </p>
      <ul>
        {files.data.map((file) => (
          <File key={file.file} file={file} onAdded={onAdded} />
        ))}
      </ul>
    </section>
  );
}

const canBeAdded = ({ taken, problem }: OfferedServer) => !taken && problem === null;

function File({ file, onAdded }: { file: ServerFile; onAdded: (names: readonly string[]) => void }) {
  const backend = useBackend();
  const [chosen, setChosen] = useState<readonly string[] | null>(null);
  const [problem, setProblem] = useState<UserError | null>(null);
  const isNew = file.servers.some(canBeAdded);
  const add = async (names: readonly string[]) => {
    setProblem(null);
    try {
      await backend.rpc('import_servers', { file: file.file, names: [...names] });
      setChosen(null);
      onAdded(names);
    } catch (thrown) {
      setProblem(userError(thrown));
    }
  };
  return (
    <li data-testid="server-file" data-program={file.program} className="border-b border-line px-4 py-2 text-small">
      <div className="flex items-center gap-3">
        <span className="w-32 shrink-0 font-medium" data-tip={file.shown}>
          {file.program}
        </span>
        <span className={`cut flex-1 ${file.problem ? 'text-warn' : 'text-fg-2'}`}>
          <Revealed text={summary(file)} />
        </span>
        {isNew && (
          <Button size="s" aria-expanded={chosen !== null} onClick={() => setChosen(chosen === null ? file.servers.filter(canBeAdded).map(({ name }) => name) : null)}>
            Choose…
          </Button>
        )}
      </div>
      {chosen !== null && (
        <form
          aria-label={`Servers of ${file.program}`}
          className="mt-2 flex flex-col gap-1.5"
          onSubmit={(event) => {
            event.preventDefault();
            void add(chosen);
          }}
        >
          {file.servers.map((server) => (
            <label key={server.name} className="flex items-baseline gap-2">
              <input
                type="checkbox"
                className="translate-y-0.5 accent-accent-fill"
                disabled={!canBeAdded(server)}
                checked={chosen.includes(server.name)}
                onChange={({ target }) => setChosen(target.checked ? [...chosen, server.name] : chosen.filter((name) => name !== server.name))}
              />
              <span className="min-w-0 break-words">
                <span className="font-mono">
                  <Revealed text={server.name} />
                </span>{' '}
                <span className="text-fg-3">
                  <Revealed text={note(server)} />
                </span>
              </span>
            </label>
          ))}
          <p className="flex gap-2">
            <Button type="submit" variant="primary" size="s" disabled={chosen.length === 0}>
              Add {counted(chosen.length, 'server')}
            </Button>
            <Button size="s" onClick={() => setChosen(null)}>
              Cancel
            </Button>
          </p>
        </form>
      )}
      {problem && (
        <div className="mt-2">
          {wantsPassphrase(problem) ? <PassphraseForm problem={problem} onOpen={() => void add(chosen ?? [])} /> : <ErrorBox error={problem} />}
        </div>
      )}
    </li>
  );
}

function summary({ servers, problem }: ServerFile): string {
  if (problem !== null) return problem;
  const fresh = servers.filter(({ taken }) => !taken);
  const asks = servers.flatMap(({ taken, secrets }) => (taken ? [] : secrets.filter(({ has_value }) => !has_value))).length;
  const all = counted(servers.length, 'server');
  if (fresh.length === 0) return `${all}, ${servers.length === 1 ? '' : 'all '}in Nova already`;
  const wants = asks > 0 ? `, ${counted(asks, 'value')} to set` : '';
  return `${all}, ${fresh.length} not in Nova${wants}: ${fresh.map(({ name }) => name).join(', ')}`;
}

function note({ runs, taken, problem, secrets }: OfferedServer): string {
  if (taken) return 'is in Nova already';
  if (problem !== null) return problem;
  const moved = secrets.map(({ variable, has_value }) => `${variable} ${has_value ? 'moves to your credentials' : 'needs a value'}`);
  return [runs, ...moved].join(' · ');
}
