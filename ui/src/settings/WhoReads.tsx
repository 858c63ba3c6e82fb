// Who can read a private note, and whether a given note is private.

import { useState } from 'react';

import { nothing } from '../ipc';
import { useApp, useRpc } from '../state/hooks';
import { Badge, Button, Icon, modelName, noteName, type IconName } from '../shared';
import { placeIn } from '../shared/model-facts';
import { NoteFinder } from '../shared/NoteFinder';
import { Part } from './Part';

const readers: readonly { icon: IconName; who: string; how: string; reads: string | null }[] = [
  { icon: 'people', who: 'You', how: 'In panels, forms and search of this window.', reads: 'as always' },
  { icon: 'laptop', who: 'A model on this machine', how: 'Nothing leaves this machine.', reads: 'can read' },
  { icon: 'cloud', who: 'A cloud model', how: 'Tools answer as if the note did not exist.', reads: null },
  { icon: 'nova', who: 'Its sub-agents', how: 'Also when they run on another model.', reads: null },
  { icon: 'plug', who: 'MCP clients', how: 'Other programs that use Nova’s tools.', reads: null },
];

/** `revision` changes when a note's privacy may have changed. */
export function WhoReads({ count, revision }: { count: number | null; revision: string }) {
  const local = useLocalModel();
  return (
    <aside aria-label="Private notes" data-region="detail" tabIndex={-1} className="min-w-0 flex-1 border-line max-settings:flex-none max-settings:border-t settings:min-w-110 settings:overflow-y-auto settings:border-l">
      <header className="flex h-12 items-center gap-2.5 border-b border-line px-4">
        <Icon name="lock" />
        <h2 className="text-body font-semibold">Private notes</h2>
        {count !== null && <span className="tabular text-small text-fg-3">{count}</span>}
      </header>
      <Part>
        <p className="mb-1.5 text-ui text-fg-2">
          Who can read a note in a private folder, or one with{' '}
          <code className="rounded-badge bg-surface-sunken px-1 font-mono text-small">nova: private</code> in its properties.
        </p>
        <ul className="divide-y divide-line">
          {readers.map(({ icon, who, how, reads }) => (
            <li key={who} className="flex gap-2.5 py-2">
              <Icon name={icon} className="mt-0.5 text-fg-2" />
              <div className="min-w-0 flex-1">
                <p className="text-ui font-medium">{who}</p>
                <p className="text-small text-fg-2">
                  {icon === 'laptop' && local !== null && `${local} `}
                  {how}
                </p>
              </div>
              <Badge tone={reads === null ? 'grey' : 'ok'} icon={reads === null ? 'ban' : 'check'}>
                {reads ?? 'cannot read'}
              </Badge>
            </li>
          ))}
        </ul>
      </Part>
      <CheckNote revision={revision} />
      <Part title="Chats">
        <p className="text-small text-fg-2">Chat search leaves out private notes. Activity lists every note that a turn sent, and to whom.</p>
      </Part>
    </aside>
  );
}

/** "qwen3 14B at 127.0.0.1.", if the default model runs locally. */
function useLocalModel(): string | null {
  const model = useApp((app) => app.status?.model ?? null);
  const { data } = useRpc('list_providers', nothing);
  const place = model === null ? null : placeIn(data ?? [], model);
  return model !== null && place?.where === 'here' ? `${modelName(model)} at ${place.host}.` : null;
}

function CheckNote({ revision }: { revision: string }) {
  const vault = useApp((app) => app.status?.vault?.path ?? null);
  const [note, setNote] = useState<string | null>(null);
  const [finding, setFinding] = useState(false);
  const { data, error } = useRpc('check_private', note === null ? null : { path: note }, revision);
  if (vault === null) return null;
  return (
    <Part title="Check a note">
      <Button icon="search" className="w-full justify-start!" data-testid="check-note" onClick={() => setFinding(true)}>
        {note === null ? 'Choose a note' : noteName(note).name}
      </Button>
      {finding && <NoteFinder label="Check a note" onChoose={setNote} onClose={() => setFinding(false)} />}
      <p role="status" className="mt-1.5 flex items-center gap-2 text-small text-fg-2">
        {data && (
          <>
            <Icon name={data.private ? 'lock' : 'eye'} size={12} />
            {!data.private && 'Not private: any model that a chat uses can read it.'}
            {data.private && data.entry !== null && `Private: listed as ${data.entry}.`}
            {data.private && data.entry === null && (data.unreadable ? 'Private: its properties cannot be read.' : `Private: set in the note itself${data.line === null ? '' : `, line ${data.line}`}. A cloud model cannot read it.`)}
          </>
        )}
        {error && `${error.message} ${error.hint}`}
      </p>
    </Part>
  );
}
