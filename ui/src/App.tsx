import { Conversation } from './chat/Conversation';
import { FirstRun } from './firstrun/FirstRun';
import { ChatList } from './list/ChatList';
import { ChatMenu } from './list/ChatMenu';
import { Rail } from './list/Rail';
import { changesOf } from './panels/changes';
import { ChangesPanel } from './panels/ChangesPanel';
import { NotePanel } from './panels/NotePanel';
import { ProblemsPanel } from './panels/ProblemsPanel';
import { SettingsPage } from './settings/SettingsPage';
import { Button, ErrorBox, noteName, Sheet, useMedia } from './shared';
import { useAppearance } from './shell/appearance';
import { Header } from './shell/Header';
import { focusSoon, useKeys } from './shell/keys';
import { Resizer } from './shell/Resizer';
import { RightPanel, type PanelPage } from './shell/RightPanel';
import { WindowBanner } from './shell/WindowBanner';
import { openRow, widths } from './state/app';
import { useActions, useApp, useRpc, useSession } from './state/hooks';
import { RunToolPage } from './tools/RunToolPage';

/** The whole window. `now` tells which chats are of today. */
export function App({ now = () => new Date() }: { now?: () => Date }) {
  const roomy = useMedia('(min-width: 1100px)');
  const status = useApp((app) => app.status);
  const view = useApp((app) => app.view);
  useAppearance();
  useKeys(roomy);

  if (status === null) return <Starting />;
  if (status.first_run) return <FirstRun />;
  if (view.kind === 'settings') return <SettingsPage />;
  return (
    <div className="flex h-full">
      <ListColumn roomy={roomy} now={now()} />
      {view.kind === 'run-tool' ? (
        <main className="flex min-w-0 flex-1 flex-col">
          <WindowBanner />
          <div className="min-h-0 flex-1">
            <RunToolPage />
          </div>
        </main>
      ) : (
        <Chat roomy={roomy} />
      )}
    </div>
  );
}

function Chat({ roomy }: { roomy: boolean }) {
  const row = useApp(openRow);
  const panel = useApp((app) => app.panel);
  const problems = useApp((app) => app.problems.rows?.length ?? 0);
  const changed = useChanged();
  const { setPanel, setPanelWidth } = useActions();
  const pages: PanelPage[] = [
    { tab: 'changes', label: 'Changes', count: changed, content: <ChangesPanel /> },
    // Stays while it is looked at, also when the last problem is gone.
    ...(problems === 0 && panel.tab !== 'problems'
      ? []
      : [{ tab: 'problems' as const, label: 'Problems', count: problems, content: <ProblemsPanel /> }]),
    ...(panel.note === null
      ? []
      : [{ tab: 'note' as const, label: noteName(panel.note).name, content: <NotePanel key={panel.note} /> }]),
  ];
  return (
    <>
      <main className={`flex flex-1 flex-col ${roomy ? 'min-w-[480px]' : 'min-w-0'}`}>
        <Header
          roomForPanel={roomy}
          changed={changed}
          menu={(rename) => row && <ChatMenu row={row} onRename={rename} />}
        />
        <WindowBanner />
        <div className="min-h-0 flex-1">
          <Conversation />
        </div>
      </main>
      {panel.open && roomy && (
        <aside
          data-region="panel"
          tabIndex={-1}
          aria-label="Panel"
          style={{ width: panel.width }}
          className="relative min-w-[320px] border-l border-line"
        >
          <Resizer
            label="Width of the panel"
            edge="left"
            width={panel.width}
            {...widths.panel}
            onResize={setPanelWidth}
          />
          <RightPanel pages={pages} />
        </aside>
      )}
      {panel.open && !roomy && (
        <Sheet side="right" width={widths.panel.first} label="Panel" onClose={() => setPanel({ open: false })}>
          <RightPanel pages={pages} />
        </Sheet>
      )}
    </>
  );
}

function ListColumn({ roomy, now }: { roomy: boolean; now: Date }) {
  const list = useApp((app) => app.list);
  const { toggleList, showList, setListSheet, setListWidth } = useActions();
  const fold = () => toggleList(roomy);
  const search = () => {
    showList(roomy);
    focusSoon('[data-list-search] input');
  };
  if (roomy && !list.folded) {
    return (
      <div style={{ width: list.width }} className="relative min-w-[200px] border-r border-line">
        <ChatList now={now} onFold={fold} />
        <Resizer label="Width of the list" edge="right" width={list.width} {...widths.list} onResize={setListWidth} />
      </div>
    );
  }
  return (
    <>
      <Rail onUnfold={fold} onSearch={search} />
      {!roomy && list.sheet && (
        <Sheet side="left" width={280} label="Chats" onClose={() => setListSheet(false)}>
          <ChatList now={now} onFold={fold} />
        </Sheet>
      )}
    </>
  );
}

/** Before the backend's first answer: nothing, or why there is none. */
function Starting() {
  const problem = useApp((app) => app.startProblem);
  const { start } = useActions();
  if (!problem) return null;
  return (
    <div className="mx-auto flex h-full max-w-120 flex-col justify-center">
      <ErrorBox
        error={problem}
        actions={
          <Button size="s" onClick={() => void start()}>
            Try again
          </Button>
        }
      />
    </div>
  );
}

/** Notes that the last turn of the open chat changed and that were not undone. */
function useChanged(): number {
  const session = useApp((app) => app.open);
  const revision = useApp((app) => app.revisions.changes);
  const interrupted = useApp((app) => app.interrupted);
  const state = useSession();
  const { data } = useRpc('list_changes', session === null ? null : { session }, revision);
  const notes = changesOf(data ?? [], state, interrupted).turn.sets.flatMap((set) => set.notes);
  return new Set(notes.filter((note) => !note.undone).map((note) => note.path)).size;
}
