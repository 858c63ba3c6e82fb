import { useState } from 'react';

import { nothing, userError, type UserError } from '../ipc';
import { useBackend } from '../ipc';
import { Banner, LinkButton } from '../shared';
import { useActions, useApp } from '../state/hooks';

/** What is wrong with the whole window: one at a time, the most severe first. */
export function WindowBanner() {
  const status = useApp((app) => app.status);
  const problem = useApp((app) => app.problem);
  const { dismissProblem } = useActions();

  if (status?.vault_problem) return <VaultBanner problem={status.vault_problem} model={status.model} />;
  if (problem) {
    return (
      <Row>
        <Banner tone="danger" icon="failed" onDismiss={dismissProblem}>
          {problem.message} {problem.hint}
        </Banner>
      </Row>
    );
  }
  if (status?.vault && status.vault.watching !== 'watching') {
    return (
      <Row>
        <Banner tone="warn" icon="warn">
          Changes in Obsidian are not seen: {status.vault.watching}
        </Banner>
      </Row>
    );
  }
  if (status?.config_problem) {
    const { file, line, message } = status.config_problem;
    return (
      <Row>
        <Banner tone="grey" icon="info">
          {file.slice(file.lastIndexOf('/') + 1)}
          {line === null ? '' : `, line ${line}`}: last good settings in use. {message}
        </Banner>
      </Row>
    );
  }
  return null;
}

/** The vault is not there: the folder can be shown again. */
function VaultBanner({ problem, model }: { problem: UserError; model: string | null }) {
  const backend = useBackend();
  const { openVault } = useActions();
  const [failed, setFailed] = useState<UserError | null>(null);
  const shown = failed ?? problem;
  const find = async () => {
    try {
      const { path } = await backend.rpc('pick_folder', nothing);
      if (path !== null) await openVault({ choice: { kind: 'folder', path }, model });
    } catch (thrown) {
      setFailed(userError(thrown));
    }
  };
  return (
    <Row>
      <Banner tone="danger" icon="folder" actions={<LinkButton onClick={() => void find()}>Find it</LinkButton>}>
        {shown.message} {shown.hint}
      </Banner>
    </Row>
  );
}

function Row({ children }: { children: React.ReactNode }) {
  return <div className="shrink-0 px-6 pt-3">{children}</div>;
}
