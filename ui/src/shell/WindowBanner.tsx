import { useState } from 'react';

import { nothing, useBackend, userError, type ChangeSetView, type ConfigProblemView, type UserError } from '../ipc';
import { Banner, counted, LinkButton, Menu, modelName, placeIn, placeOf, useOnline } from '../shared';
import { NoteList } from '../shared/NoteList';
import { Revealed } from '../shared/Revealed';
import { modelInUse, watchingOf, type SettlementWay } from '../state/app';
import { useActions, useApp, useRpc } from '../state/hooks';
import { UnmergedBanner, useUnmergedCopies } from './UnmergedBanner';

/** Problems of the whole window: one at a time, the most severe first. */
export function WindowBanner() {
  const status = useApp((app) => app.status);
  const problem = useApp((app) => app.problem);
  const interrupted = useApp((app) => app.interrupted);
  const settlements = useApp((app) => app.settlements);
  const { dismissProblem } = useActions();
  const online = useOnline();
  const copies = useUnmergedCopies();
  // Sets being settled, or with open decisions, are in the panel.
  const waiting = interrupted.filter((set) => !settlements.some((one) => one.set.id === set.id));

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
  const [goneRoot] = status?.gone_roots ?? [];
  if (goneRoot) {
    return (
      <Row>
        <Banner tone="danger" icon="folder">
          <Revealed text={`${goneRoot.message} ${goneRoot.hint}`} />
        </Banner>
      </Row>
    );
  }
  if (waiting.length > 0) return <InterruptedBanner sets={waiting} />;
  if (copies.length > 0) {
    return (
      <Row>
        <UnmergedBanner copies={copies} />
      </Row>
    );
  }
  const watching = watchingOf(status?.vault?.watching ?? 'watching');
  if (watching.state.startsWith('not ')) {
    return (
      <Row>
        <Banner tone="warn" icon="warn">
          Changes in Obsidian are not detected{watching.reason === null ? '.' : `: ${watching.reason}`}
        </Banner>
      </Row>
    );
  }
  if (!online) return <OfflineBanner />;
  if (status?.config_problem) return <ConfigBanner problem={status.config_problem} />;
  return null;
}

/** An unreadable settings file, with a link to it. */
function ConfigBanner({ problem: { file, line, message } }: { problem: ConfigProblemView }) {
  const backend = useBackend();
  const { report } = useActions();
  const open = () => void backend.rpc('show_config_file', nothing).catch(report);
  return (
    <Row>
      <Banner tone="grey" icon="info" actions={<LinkButton onClick={open}>Open</LinkButton>}>
        {file.slice(file.lastIndexOf('/') + 1)}
        {line === null ? '' : `, line ${line}`}: last good settings in use. {message}
      </Banner>
    </Row>
  );
}

/** What fails offline, what works, and a local model if there is one. */
function OfflineBanner() {
  const model = useApp(modelInUse);
  const revision = useApp((app) => app.revisions.providers);
  const providers = useRpc('list_providers', nothing, revision);
  const { setModel } = useActions();
  const rows = providers.data ?? [];
  const remote = model !== null && placeIn(rows, model)?.where === 'elsewhere';
  const here = rows.flatMap((row) => row.models.filter((name) => placeOf(row, name).where === 'here').map((name) => `${row.id}/${name}`));
  const offered = remote ? (here[0] ?? null) : null;
  return (
    <Row>
      <Banner
        tone="warn"
        icon="cloud"
        actions={offered !== null && <LinkButton onClick={() => void setModel(offered)}>Use {modelName(offered)}</LinkButton>}
      >
        Offline. Notes and local tools work.
      </Banner>
    </Row>
  );
}

/** Changes interrupted by the end of a process, with the choice. The panel shows the result. */
function InterruptedBanner({ sets }: { sets: readonly ChangeSetView[] }) {
  const { settle, showPanel, openNote } = useActions();
  const notes = [...new Set(sets.flatMap((set) => set.notes.map(({ path }) => path)))];
  const [only, ...others] = sets;
  const choose = (way: SettlementWay) => {
    showPanel('changes');
    if (only) void settle(only, way);
  };
  return (
    <Row>
      <Banner
        tone="warn"
        icon="warn"
        actions={
          others.length === 0 ? (
            <>
              <LinkButton data-testid="banner-finish" onClick={() => choose('finish')}>
                Finish
              </LinkButton>
              <LinkButton data-testid="banner-undo" onClick={() => choose('undo')}>
                Undo
              </LinkButton>
            </>
          ) : (
            <LinkButton data-testid="banner-show" onClick={() => showPanel('changes')}>
              Show the {sets.length} changes
            </LinkButton>
          )
        }
      >
        <p>Nova was interrupted while it changed {counted(notes.length, 'note')}: finish or undo.</p>
        <div className="max-h-24 overflow-y-auto">
          <NoteList
            notes={notes}
            onNote={(path) => {
              showPanel('note');
              openNote(path);
            }}
          />
        </div>
      </Banner>
    </Row>
  );
}

/** The vault's folder is missing: locate it, or open another vault. */
function VaultBanner({ problem, model }: { problem: UserError; model: string | null }) {
  const backend = useBackend();
  const { openVault } = useActions();
  const { data } = useRpc('first_run_options', nothing);
  const [failed, setFailed] = useState<UserError | null>(null);
  const shown = failed ?? problem;
  const open = async (picked: string | null) => {
    try {
      const path = picked ?? (await backend.rpc('pick_folder', nothing)).path;
      if (path !== null) await openVault({ choice: { kind: 'folder', path }, model });
    } catch (thrown) {
      setFailed(userError(thrown));
    }
  };
  const found = (data?.found ?? []).map(({ path, shown: note, name }) => ({ label: name, note, onSelect: () => void open(path) }));
  const choose = { label: 'Choose a folder…', onSelect: () => void open(null) };
  return (
    <Row>
      <Banner
        tone="danger"
        icon="folder"
        actions={
          <>
            <LinkButton onClick={() => void open(null)}>Find it</LinkButton>
            <Menu align="end" groups={[{ items: found }, { items: [choose] }].filter(({ items }) => items.length > 0)}>
              <LinkButton>Open another</LinkButton>
            </Menu>
          </>
        }
      >
        <Revealed text={`${shown.message} ${shown.hint}`.trim()} />
      </Banner>
    </Row>
  );
}

function Row({ children }: { children: React.ReactNode }) {
  return <div className="shrink-0 px-6 pt-3">{children}</div>;
}
