// Screens with their conditions, hits and back-tests, beside or in place of the conversation. Nothing is
// scanned before the user requests it.

import { Tabs } from 'radix-ui';
import { useEffect, useReducer, useRef, useState, type ReactNode } from 'react';

import { useBackend, type PanelView, type ScreenerPart } from '../../ipc';
import { ErrorBox, Icon, LinkButton, Loading, skillIcon, useMedia } from '../../shared';
import { useActions, useApp } from '../../state/hooks';
import { CallBars } from '../skill/Bars';
import { Asking } from '../skill/Region';
import { useActs, type Acts } from '../skill/useActs';
import { useReads } from '../skill/useReads';
import { lookUpIn } from '../symbol/kept';
import { useTools } from '../symbol/useNotes';
import { BackTestColumn } from './BackTestColumn';
import { Conditions } from './Conditions';
import { ScreenerProvider, useScreener, type ScreenerContext } from './context';
import { checkText, namedBy, problemOf } from './draft';
import { Hits } from './Hits';
import { keep, keptOf } from './kept';
import { keysOf } from './keys';
import { useRun, useRuns } from './runs';
import { useChecks } from './useChecks';
import { ScreenerHead } from './ScreenerHead';
import { sortedHits } from './sorting';
import { draftArgs, openedOf, reduceScreener, scanArgs, testArgs, type Tab } from './state';
import { useBackTest, useExplanation, useLists, useScan } from './useScreens';

interface ScreenerPanelProps {
  readonly panel: PanelView;
  readonly part: ScreenerPart;
  readonly wide: boolean;
}

export function ScreenerPanel({ panel, part, wide }: ScreenerPanelProps) {
  const backend = useBackend();
  const { show, setPanel } = useActions();
  const today = useApp((app) => app.status?.today ?? '');
  const lookup = useApp((app) => app.skillPanels.find(({ panel: { tabs } }) => tabs[0]?.parts[0]?.kind === 'symbol')?.skill ?? null);
  const { has } = useTools();
  const room = useRoom(wide);
  const [before] = useState(() => keptOf(backend, panel.skill));
  const [state, dispatch] = useReducer(reduceScreener, before.state);

  const nameOf = (tool: string) => (tool.includes('.') ? tool : `${panel.skill}.${tool}`);
  const lists = useLists({ tool: nameOf(part.tool), args: part.args }, { tool: nameOf('universes'), args: {} });
  const { read } = lists;
  useEffect(() => {
    if (state.saving !== null && read?.run === null && !read.stale && read.at !== state.saving.at) dispatch({ type: 'settled' });
  }, [state.saving, read]);
  const { runs, start, stop } = useRuns(panel.skill);
  useAtEnd(runs.scan?.endedAt ?? null, lists.again);
  const [scanning, testing, proposing] = [useRun(runs.scan), useRun(runs.test), useRun(runs.trades)];
  const [scan, test] = [useScan(scanning), useBackTest(testing)];

  const opened = openedOf(state, lists.screens.screens);
  const { name: screen, draft } = opened;
  const lines = draft.conditions.flatMap(({ field, text }) => (field === null && text !== '' ? [text] : []));
  const checks = useChecks(has(nameOf('check_conditions')) ? nameOf('check_conditions') : null, lines);
  const problems = problemsOf(opened, lists.screens.fields, checks);

  const scanned = scanning?.found;
  const explain = state.explained === null || !scanned ? null : { tool: nameOf('explain_hit'), args: { ...draftArgs(scanned.draft), symbol: state.explained } };
  const explanations = useReads(explain === null ? [] : [explain], 'asked', before.explanations);
  useEffect(() => keep(backend, panel.skill, { state, explanations: explanations.all }), [backend, panel.skill, state, explanations.all]);
  const explained = explain === null ? null : explanations.of(explain);
  const explanation = useExplanation(explained);

  const acts = useActs({ skill: panel.skill, today, inputs: {}, tabs: [], nameOf, again: lists.again, openImport: () => undefined });
  const context: ScreenerContext = {
    state,
    dispatch,
    today,
    wide,
    room,
    screens: lists.screens,
    universes: lists.universes,
    opened,
    problems: new Map([...(runs.scan?.result?.error && runs.scan.screen === screen ? namedBy(runs.scan.result.error.message, runs.scan.draft, draft) : []), ...problems]),
    checks,
    scanning,
    scan,
    hits: scan === null ? [] : sortedHits(scan.hits, scan.columns, state.sort),
    explanation: explain === null ? null : { read: explained, value: explanation },
    testing,
    test,
    proposing,
    edit: (edit) => dispatch({ type: 'edited', on: opened, edit }),
    addCondition: () => {
      const { fields } = lists.screens;
      const free = fields.find(({ key }) => !draft.conditions.some(({ field }) => field === key)) ?? fields[0];
      dispatch({ type: 'edited', on: opened, edit: { type: 'added', field: free?.key ?? null } });
      dispatch({ type: 'tab', tab: 'conditions' });
    },
    startScan: () => {
      if (problems.size > 0) return dispatch({ type: 'checked' });
      if (draft.conditions.length === 0) return;
      start('scan', { tool: nameOf('scan_universe'), args: scanArgs(opened) }, { screen, draft }, scanning?.found ?? null);
      dispatch({ type: 'scanned' });
    },
    startTest: (from) => {
      const settings = { ...state.test, ...(from === undefined ? {} : { from }) };
      if (settings.strategy === '' && problems.size > 0) return dispatch({ type: 'checked' });
      if (from !== undefined) dispatch({ type: 'set', settings: { from } });
      dispatch({ type: 'settings', open: false });
      start('test', { tool: nameOf('backtest'), args: testArgs(settings, opened) }, { screen, draft }, testing?.found ?? null);
    },
    propose: (strategy) => start('trades', { tool: nameOf('find_trades'), args: { strategy } }, { screen, draft }, proposing?.found ?? null),
    stop,
    explainAgain: () => explain !== null && explanations.reread(explain),
    canSave: has(nameOf('save_screen')),
    save: (name) => {
      const { conditions, universe, missing, score } = draft;
      const args = { name, conditions: conditions.map(({ text }) => text), ...(universe === null ? {} : { universe }), missing, score: score.map(({ text }) => text) };
      void acts.call(`Save ${name}`, nameOf('save_screen'), args).then(({ kind }) => kind === 'done' && dispatch({ type: 'saved', from: screen, as: name, draft, at: lists.read?.at ?? null }));
    },
    saveList: has(nameOf('save_universe'))
      ? (name, text) => void acts.call(`Save the list ${name}`, nameOf('save_universe'), { name, text }).then(({ kind }) => kind === 'done' && dispatch({ type: 'edited', on: opened, edit: { type: 'universe', universe: name } }))
      : null,
    openSymbol:
      lookup === null
        ? null
        : (symbol) => {
            lookUpIn(backend, lookup, symbol);
            setPanel({ open: true, tab: `skill:${lookup}`, peek: false });
          },
    has,
    act: (label, tool, args) => void acts.call(label, tool, args),
    openSettings: () => show({ kind: 'settings', page: 'skills', skill: panel.skill }),
  };
  return (
    <ScreenerProvider value={context}>
      <Frame panel={panel} context={context} acts={acts}>
        {read?.run != null && <Asking run={read.run} />}
        {read?.error != null && read.run === null && (
          <div className="px-5 py-3">
            <ErrorBox error={read.error} actions={<LinkButton onClick={lists.again}>Try again</LinkButton>} />
          </div>
        )}
        {read?.result == null ? (
          read?.error == null && (
            <div className="px-5 py-4">
              <Loading lines={6} label="Reading screens" />
            </div>
          )
        ) : (
          <Columns />
        )}
      </Frame>
    </ScreenerProvider>
  );
}

/** Re-reads the screens after a scan: they list the hits of their last one. */
function useAtEnd(endedAt: string | null, again: () => void): void {
  const seen = useRef(endedAt);
  useEffect(() => {
    if (seen.current === endedAt) return;
    seen.current = endedAt;
    if (endedAt !== null) again();
  }, [endedAt, again]);
}

/** The usual size of text, px. */
const TEXT_SIZE = 14;

function useRoom(wide: boolean): ScreenerContext['room'] {
  // Larger text makes the columns wider.
  const scale = useApp((app) => app.status?.appearance.text_size ?? TEXT_SIZE) / TEXT_SIZE;
  const [three, two] = [useMedia(`(min-width: ${Math.round(1380 * scale)}px)`), useMedia(`(min-width: ${Math.round(1100 * scale)}px)`)];
  if (!wide || !two) return 'one';
  return three ? 'three' : 'two';
}

/** Problems of invalid conditions, by key. */
function problemsOf({ draft }: ScreenerContext['opened'], fields: ScreenerContext['screens']['fields'], checks: ScreenerContext['checks']): ReadonlyMap<number, string> {
  return new Map(
    draft.conditions.flatMap((condition) => {
      const check = condition.field === null ? checks.get(condition.text) : undefined;
      const problem = problemOf(condition, fields) ?? (check === undefined ? null : checkText(check));
      return problem === null ? [] : [[condition.key, problem] as const];
    }),
  );
}

function Frame({ panel, context, acts, children }: { panel: PanelView; context: ScreenerContext; acts: Acts; children: ReactNode }) {
  const { state, dispatch, wide, room } = context;
  const root = useKeys(context);
  return (
    <Tabs.Root value={shownTab(state.tab, room)} onValueChange={(tab) => dispatch({ type: 'tab', tab: tab as Tab })} asChild>
      <section ref={root} tabIndex={-1} data-region={wide ? 'board' : undefined} aria-label={panel.name} data-testid="skill-panel" data-skill={panel.skill} className="flex h-full min-h-0 min-w-0 flex-col outline-none">
        <ScreenerHead name={panel.name} icon={<Icon name={skillIcon(panel.skill, '', panel.icon)} />} />
        {children}
        <div className="flex max-h-2/3 shrink-0 flex-col gap-1.5 overflow-y-auto px-3.5 py-2 empty:hidden">
          <CallBars calls={acts.calls} elsewhere={acts.elsewhere} />
        </div>
        {acts.sheet}
      </section>
    </Tabs.Root>
  );
}

/** Conditions are a tab only in a single column. */
function shownTab(tab: Tab, room: ScreenerContext['room']): Tab {
  return room !== 'one' && tab === 'conditions' ? 'hits' : tab;
}

/** Columns side by side, or tabs in narrow panels. */
function Columns() {
  const { room, state } = useScreener();
  const tab = shownTab(state.tab, room);
  const content = 'flex min-h-0 min-w-0 flex-1 flex-col outline-offset-[-2px]';
  if (room === 'three') {
    return (
      <div className="flex min-h-0 flex-1">
        <Conditions />
        <Hits />
        {!state.testClosed && <BackTestColumn />}
      </div>
    );
  }
  return (
    <div className="flex min-h-0 flex-1">
      {room === 'two' && <Conditions />}
      <Tabs.Content value={tab} className={content}>
        {tab === 'conditions' && <Conditions />}
        {tab === 'hits' && <Hits />}
        {tab === 'test' && <BackTestColumn />}
      </Tabs.Content>
    </div>
  );
}

/** The whole region, which F6 focuses rather than its content. */
function useKeys(context: ScreenerContext) {
  const root = useRef<HTMLElement>(null);
  const onKey = keysOf(context);
  const latest = useRef(onKey);
  useEffect(() => void (latest.current = onKey));
  useEffect(() => {
    const region = root.current?.closest<HTMLElement>('[data-region=panel], [role=dialog]') ?? root.current;
    const listen = (event: KeyboardEvent) => latest.current(event);
    region?.addEventListener('keydown', listen);
    return () => region?.removeEventListener('keydown', listen);
  }, []);
  return root;
}
