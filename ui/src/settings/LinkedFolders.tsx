// Folders outside of the vault that the assistant may read, or also write.

import { useState } from 'react';

import { nothing, useBackend, userError, type UserError, type WorkspaceAccess } from '../ipc';
import { Button, ErrorBox, LinkButton, Loading, Segments } from '../shared';
import { useActions, useRpc } from '../state/hooks';
import { Part } from './Part';
import { Remove, Row, Rows } from './VaultLists';

const ACCESS: readonly { value: WorkspaceAccess; label: string }[] = [
  { value: 'read', label: 'Read' },
  { value: 'write', label: 'Read and write' },
];

export function LinkedFolders() {
  const backend = useBackend();
  const { report } = useActions();
  const { data, error, loading, reload } = useRpc('list_workspaces', nothing, '');
  const [refused, setRefused] = useState<UserError | null>(null);

  const attempt = async (work: () => Promise<unknown>) => {
    setRefused(null);
    try {
      await work();
    } catch (thrown) {
      setRefused(userError(thrown));
    } finally {
      reload();
    }
  };
  const add = (path: string, access: WorkspaceAccess) => void attempt(() => backend.rpc('add_workspace', { path, access }));
  const remove = (path: string) => void attempt(() => backend.rpc('remove_workspace', { path }));
  const pick = () => void backend.rpc('pick_folder', nothing).then(({ path }) => path !== null && add(path, 'read'), report);

  return (
    <Part
      title="Linked folders"
      note={<span className="text-small">Outside the vault. Tools may use these and no others.</span>}
      action={
        <Button size="s" icon="plus" data-testid="workspace-add" onClick={pick}>
          Link a folder…
        </Button>
      }
    >
      {error && <ErrorBox error={error} actions={<LinkButton onClick={reload}>Try again</LinkButton>} />}
      {refused && <ErrorBox error={refused} />}
      {data === null && loading && <Loading lines={1} />}
      {data?.folders.length === 0 && <p className="text-small text-fg-3">No linked folders. Link one with files to work on.</p>}
      <Rows label="Linked folders">
        {data?.folders.map(({ path, shown, access, problem }) => (
          <Row key={path} icon={problem === null ? 'folder' : 'warn'} onDelete={() => remove(path)}>
            <span className="flex min-w-0 flex-1 flex-col">
              <span className="selectable cut font-mono text-small">{shown}</span>
              {problem !== null && <span className="text-small text-warn">{problem}</span>}
            </span>
            <Segments label={`What tools may do in ${shown}`} value={access} options={ACCESS} onChange={(value) => add(path, value)} />
            <Remove label={`Remove ${shown} from the linked folders`} onClick={() => remove(path)} />
          </Row>
        ))}
      </Rows>
    </Part>
  );
}
