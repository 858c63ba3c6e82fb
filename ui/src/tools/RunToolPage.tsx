// Runs any tool through a form, with or without a model: choose, fill in, see the result.

import { useEffect, useState, type ReactNode } from 'react';

import { nothing, type JsonValue, type ToolRow } from '../ipc';
import { Empty, ErrorBox, Icon, LinkButton, Loading } from '../shared';
import { useActions, useApp, useRpc } from '../state/hooks';
import { modelInUse } from '../state/app';
import { EarlierRuns } from './EarlierRuns';
import { RunResult } from './RunResult';
import { ToolForm } from './ToolForm';
import { canRun, groupTools, ToolList, ToolMenu } from './ToolList';
import { useRuns, type Run } from './useRuns';

export function RunToolPage() {
  const asked = useApp(({ view }) => (view.kind === 'run-tool' ? view.tool : null));
  const revision = useApp(({ revisions }) => revisions.registry);
  const tools = useRpc('list_tools', nothing, revision);
  const skills = useRpc('list_skills', nothing, revision);
  const { show } = useActions();
  const { runs, start, stop, undo } = useRuns();
  const [opened, setOpened] = useState<string | null>(null);
  const before = useApp(({ view }) => (view.kind === 'run-tool' ? view.args : undefined));
  /**
   * Arguments of an earlier run or of a call in a chat, for the form of their tool; a new number creates a
   * new form.
   */
  const [given, setGiven] = useState<{ tool: string | null; args: JsonValue; number: number } | null>(() =>
    before === undefined ? null : { tool: asked, args: before, number: 0 },
  );
  const [taken, setTaken] = useState(before);
  if (before !== taken) {
    // Requested again while the page is open.
    setTaken(before);
    if (before !== undefined) setGiven({ tool: asked, args: before, number: (given?.number ?? 0) + 1 });
  }

  const rows = tools.data ?? [];
  const tool = rows.find(({ name }) => name === asked) ?? firstTool(rows, skills.data ?? []);
  const ofTool = runs.filter((run) => run.tool === tool?.name);
  const run = ofTool.find(({ id }) => id === opened) ?? ofTool[0];
  const newest = ofTool[0];

  useSlash();
  useSearchFirst(asked === null);
  const choose = (name: string) => {
    setGiven(null);
    setOpened(null);
    show({ kind: 'run-tool', tool: name });
  };
  const begin = (name: string, args: JsonValue) => {
    setOpened(null);
    void start(name, args);
  };
  const open = (earlier: Run) => {
    setGiven({ tool: earlier.tool, args: earlier.args, number: (given?.number ?? 0) + 1 });
    setOpened(earlier.id);
    show({ kind: 'run-tool', tool: earlier.tool });
  };
  const again = (earlier: Run) => {
    open(earlier);
    begin(earlier.tool, earlier.args);
  };

  const lists = { tools: rows, skills: skills.data ?? [], chosen: tool?.name ?? null, onChoose: choose };
  return (
    <div className="flex h-full min-w-0 flex-1 flex-col bg-surface">
      <Header>
        <ToolMenu {...lists} />
      </Header>
      {tools.error && (
        <div className="p-4">
          <ErrorBox error={tools.error} actions={<LinkButton onClick={tools.reload}>Try again</LinkButton>} />
        </div>
      )}
      <div className="flex min-h-0 flex-1">
        <ToolList {...lists} />
        {tool && (
          <ToolForm
            key={`${tool.name} ${given?.number ?? 0}`}
            tool={tool}
            {...(given?.tool === tool.name ? { initial: given.args } : {})}
            running={newest?.result === null}
            stopping={newest?.stopping ?? false}
            again={newest !== undefined}
            onRun={(args) => begin(tool.name, args)}
            onStop={() => newest && void stop(newest)}
          />
        )}
        <section
          aria-label="Result"
          data-region="result"
          data-testid="tool-result"
          tabIndex={-1}
          className="flex min-w-0 flex-1 flex-col"
        >
          <div className="min-h-0 flex-1 overflow-y-auto">
            {run ? (
              <RunResult
                key={run.id}
                run={run}
                tool={rows.find(({ name }) => name === run.tool)}
                onUndo={() => void undo(run)}
                onAgain={() => begin(run.tool, run.args)}
                onRun={(args) => begin(run.tool, args)}
              />
            ) : tool ? (
              <Empty>No result yet. Fill in the form and run the tool.</Empty>
            ) : (
              tools.loading && (
                <div className="p-4">
                  <Loading lines={3} />
                </div>
              )
            )}
          </div>
          <EarlierRuns
            runs={runs.filter(({ id }) => id !== run?.id)}
            onOpen={open}
            onUndo={(earlier) => void undo(earlier)}
            onAgain={again}
          />
        </section>
      </div>
    </div>
  );
}

function Header({ children }: { children: ReactNode }) {
  const model = useApp(modelInUse);
  const { show } = useActions();
  return (
    <header
      className="flex h-12 shrink-0 items-center gap-2.5 border-b border-line px-4"
      data-region="header"
      tabIndex={-1}
    >
      <Icon name="play" />
      <h1 className="text-body font-semibold max-medium:sr-only">Run a tool</h1>
      {children}
      <span className="flex-1" />
      {model === null && (
        <span className="text-small text-fg-3">
          Tools work without a model.{' '}
          <LinkButton onClick={() => show({ kind: 'settings', page: 'models' })}>Set up a model</LinkButton>
        </span>
      )}
    </header>
  );
}

/** Without a tool, focuses the search, or the menu if there is no room for the list. */
function useSearchFirst(search: boolean) {
  useEffect(() => {
    if (!search) return;
    const field = document.querySelector<HTMLElement>('[data-tool-search]');
    field?.focus();
    // A hidden element cannot take the focus.
    if (document.activeElement !== field) document.querySelector<HTMLElement>('[data-tool-menu]')?.focus();
  }, [search]);
}

/** `/` focuses the search, unless typed in a field. */
function useSlash() {
  useEffect(() => {
    const onKeyDown = (event: KeyboardEvent) => {
      const typing = event.target instanceof Element && event.target.closest('input, textarea, select') !== null;
      if (event.key !== '/' || typing || event.ctrlKey || event.metaKey || event.altKey) return;
      event.preventDefault();
      document.querySelector<HTMLElement>('[data-tool-search]')?.focus();
    };
    window.addEventListener('keydown', onKeyDown);
    return () => window.removeEventListener('keydown', onKeyDown);
  }, []);
}

/** The first usable tool, in display order. */
function firstTool(tools: readonly ToolRow[], skills: Parameters<typeof groupTools>[1]): ToolRow | undefined {
  const inOrder = groupTools(tools, skills).flatMap((group) => group.tools);
  return inOrder.find(canRun) ?? inOrder[0];
}
