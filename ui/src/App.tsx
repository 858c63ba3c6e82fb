import { useEffect } from 'react';

import { Announcer } from './chat/Announcer';
import { Conversation } from './chat/Conversation';
import { DockedComposer } from './chat/DockedComposer';
import { useQuote } from './chat/Quote';
import { FirstRun } from './firstrun/FirstRun';
import { ChatList } from './list/ChatList';
import { ChatMenu } from './list/ChatMenu';
import { ListButton, Rail } from './list/Rail';
import { TrashPage } from './list/TrashPage';
import { ActivityPanel } from './panels/ActivityPanel';
import { changesOf, lastCalls } from './panels/changes';
import { ChangesPanel } from './panels/ChangesPanel';
import { DropProvider } from './panels/import/DropOffer';
import { NotePanel } from './panels/NotePanel';
import { ProblemsPanel } from './panels/ProblemsPanel';
import { SkillPanel } from './panels/skill/SkillPanel';
import { SubAgentsPanel } from './panels/SubAgentsPanel';
import { WidePanel } from './panels/skill/WidePanel';
import { RecordSheet } from './records/RecordSheet';
import { SettingsPage } from './settings/SettingsPage';
import { Button, ErrorBox, noteName, Sheet, skillIcon, useMedia, ViewBoundary } from './shared';
import { NoteFinder } from './shared/NoteFinder';
import { useAppearance } from './shell/appearance';
import { Header } from './shell/Header';
import { focusSoon, useAction, useKeys } from './shell/keys';
import { KeySheet } from './shell/KeySheet';
import { OpenVaultQuestion } from './shared/OpenVaultQuestion';
import { Palette } from './shell/Palette';
import { Resizer } from './shell/Resizer';
import { RightPanel, type PanelPage } from './shell/RightPanel';
import { WindowBanner } from './shell/WindowBanner';
import { openRow, panelWidth, widePanel, widths } from './state/app';
import { useActions, useApp, useRpc, useSession } from './state/hooks';
import { sameList } from './state/same';
import { countTasks } from './state/subagents';
import { RunToolPage } from './tools/RunToolPage';

/** Below the window's minimum width, so only reached by zoom; the rail makes way for the conversation. */
const ZOOMED_IN = '(max-width: 899px)';

/** The whole window. `now` determines which chats are today's. */
export function App({ now = () => new Date() }: { now?: () => Date }) {
  const roomy = useMedia('(min-width: 1100px)');
  const status = useApp((app) => app.status);
  const large = useMedia('(min-width: 1600px)');
  const view = useApp((app) => app.view);
  // A wide panel only leaves room for the list in a large window.
  const roomForList = useApp(widePanel) === null ? roomy : large;
  useAppearance();
  useNewDay();
  const quote = useQuote();
  useKeys(roomForList, quote);
  const run = useAction(roomForList, quote);
  const over = useApp((app) => app.over);
  const record = useApp((app) => app.recordForm);
  const { closeRecordForm, openNote, setOver, show } = useActions();
  const showNote = (path: string) => {
    show({ kind: 'chat' });
    openNote(path);
  };

  if (status === null) return <Starting />;
  if (status.first_run) return <FirstRun />;
  return (
    <DropProvider>
      {view.kind === 'settings' ? <SettingsPage /> : <Main roomy={roomy} roomForList={roomForList} now={now()} />}
      <ViewBoundary subject={JSON.stringify(record)} onClose={closeRecordForm}>
        <RecordSheet />
      </ViewBoundary>
      <Announcer />
      <ViewBoundary subject={over} onClose={() => setOver(null)}>
        {over === 'palette' && <Palette run={run} />}
        {over === 'keys' && <KeySheet />}
        {over === 'notes' && <NoteFinder label="Open a note" onChoose={showNote} onClose={() => setOver(null)} />}
      </ViewBoundary>
      <OpenVaultQuestion />
    </DropProvider>
  );
}

/** Reloads due items on a new day; a window may stay open for days. */
function useNewDay() {
  const { loadGlances } = useActions();
  useEffect(() => {
    let day = new Date().toDateString();
    const look = () => {
      const today = new Date().toDateString();
      if (today === day) return;
      day = today;
      void loadGlances();
    };
    window.addEventListener('focus', look);
    return () => window.removeEventListener('focus', look);
  }, [loadGlances]);
}

function Main({ roomy, roomForList, now }: { roomy: boolean; roomForList: boolean; now: Date }) {
  const view = useApp((app) => app.view);
  return (
    <div className="flex h-full">
      <ListColumn roomy={roomForList} now={now} />
      {view.kind === 'chat' ? (
        <Chat roomy={roomy} />
      ) : (
        <main className="flex min-w-0 flex-1 flex-col">
          <WindowBanner />
          <div className="min-h-0 flex-1">
            <ViewBoundary subject={view.kind}>{view.kind === 'trash' ? <TrashPage /> : <RunToolPage />}</ViewBoundary>
          </div>
        </main>
      )}
    </div>
  );
}

function Chat({ roomy }: { roomy: boolean }) {
  const row = useApp(openRow);
  const panel = useApp((app) => app.panel);
  const problems = useApp((app) => app.problems.rows?.length ?? 0);
  const skillPanels = useApp((app) => app.skillPanels);
  const wide = useApp(widePanel);
  const width = useApp(panelWidth);
  const changed = useChanged();
  const agents = useSession(countTasks);
  const { setPanel, setPanelWidth, toggleList } = useActions();
  const session = useApp((app) => app.open);
  const zoomedIn = useMedia(ZOOMED_IN);
  const pages: PanelPage[] = [
    { tab: 'changes', label: 'Changes', icon: 'undo', keepsLabel: true, count: changed, content: <ChangesPanel /> },
    { tab: 'activity', label: 'Activity', icon: 'clock', keepsLabel: true, content: <ActivityPanel /> },
    ...(agents === 0 && panel.tab !== 'subagents'
      ? []
      : [{ tab: 'subagents' as const, label: 'Sub-agents', icon: 'people' as const, keepsLabel: true, count: agents, content: <SubAgentsPanel /> }]),
    // Stays open while shown, even after the last problem is gone.
    ...(problems === 0 && panel.tab !== 'problems'
      ? []
      : [{ tab: 'problems' as const, label: 'Problems', icon: 'warn' as const, count: problems, content: <ProblemsPanel /> }]),
    ...(panel.note === null
      ? []
      : [{ tab: 'note' as const, label: noteName(panel.note).name, icon: 'note' as const, content: <NotePanel key={panel.note} /> }]),
    ...skillPanels.map((one) => ({
      tab: `skill:${one.skill}` as const,
      label: one.name,
      icon: skillIcon(one.skill, '', one.icon),
      content: <SkillPanel panel={one} wide={false} />,
    })),
  ];
  if (wide) {
    return (
      <main data-testid="wide-panel" className="flex min-w-0 flex-1 flex-col">
        <WindowBanner />
        <ViewBoundary subject={wide.skill}>
          <WidePanel panel={wide} composer={<DockedComposer panel={wide} />} />
        </ViewBoundary>
      </main>
    );
  }
  return (
    <>
      <main className={`flex flex-1 flex-col ${roomy ? 'min-w-[480px]' : 'min-w-0'}`}>
        <Header
          roomForPanel={roomy}
          {...(zoomedIn ? { list: <ListButton onShow={() => toggleList(false)} /> } : {})}
          changed={changed}
          menu={(rename) => row && <ChatMenu row={row} onRename={rename} />}
        />
        <WindowBanner />
        <div className="min-h-0 flex-1">
          <ViewBoundary subject={session}>
            <Conversation />
          </ViewBoundary>
        </div>
      </main>
      {panel.open && roomy && (
        <aside
          data-region="panel"
          tabIndex={-1}
          aria-label="Panel"
          style={{ width }}
          className="relative min-w-[320px] border-l border-line"
        >
          <Resizer
            label="Width of the panel"
            edge="left"
            width={width}
            least={widths.panel.least}
            most={widths.panel.most}
            onResize={setPanelWidth}
          />
          <RightPanel pages={pages} width={width} />
        </aside>
      )}
      {panel.open && !roomy && (
        <Sheet side="right" width={widths.panel.first} label="Panel" onClose={() => setPanel({ open: false })}>
          <RightPanel pages={pages} width={widths.panel.first} />
        </Sheet>
      )}
    </>
  );
}

function ListColumn({ roomy, now }: { roomy: boolean; now: Date }) {
  const list = useApp((app) => app.list);
  const zoomedIn = useMedia(ZOOMED_IN);
  // The chat's header has its button then.
  const inHeader = useApp((app) => app.view.kind === 'chat' && widePanel(app) === null) && zoomedIn;
  const { toggleList, showList, setListSheet, setListWidth } = useActions();
  const fold = () => toggleList(roomy);
  const search = () => {
    showList(roomy);
    focusSoon('[data-list-search] input');
  };
  if (roomy && !list.folded) {
    return (
      <aside aria-label="List" style={{ width: list.width }} className="relative min-w-[200px] border-r border-line">
        <ViewBoundary>
          <ChatList now={now} onFold={fold} />
        </ViewBoundary>
        <Resizer label="Width of the list" edge="right" width={list.width} {...widths.list} onResize={setListWidth} />
      </aside>
    );
  }
  return (
    <>
      {!inHeader && <Rail onUnfold={fold} onSearch={search} />}
      {!roomy && list.sheet && (
        <Sheet side="left" width={280} label="Chats" onClose={() => setListSheet(false)}>
          <ChatList now={now} onFold={fold} />
        </Sheet>
      )}
    </>
  );
}

/** Shown before the backend's first response: nothing, or the error. */
function Starting() {
  const problem = useApp((app) => app.startProblem);
  const { start } = useActions();
  if (!problem)
    return (
      <div className="nova-starting" role="status" aria-label="Opening Nova">
        <i />
        <i />
        <i />
      </div>
    );
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

/** Number of notes changed by the open chat's last turn and not undone. */
function useChanged(): number {
  const session = useApp((app) => app.open);
  const revision = useApp((app) => app.revisions.changes);
  const interrupted = useApp((app) => app.interrupted);
  const calls = useSession(lastCalls, sameList);
  const { data } = useRpc('list_changes', session === null ? null : { session }, revision);
  const notes = changesOf(data ?? [], calls, interrupted).turn.sets.flatMap((set) => set.notes);
  return new Set(notes.filter((note) => !note.undone).map((note) => note.path)).size;
}
