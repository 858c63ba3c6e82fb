// A symbol at a glance, beside or in place of the conversation: price, chart, figures, filings, news, and the
// notes about it. Nothing is requested before the user names a symbol.

import { Tabs } from 'radix-ui';
import { useEffect, useReducer, useRef, useState, type ReactNode } from 'react';

import { useBackend, type Backend, type PanelView, type SymbolPart } from '../../ipc';
import { Icon, skillIcon, useMedia } from '../../shared';
import { useActions, useApp } from '../../state/hooks';
import { CallBars } from '../skill/Bars';
import { keyOf, type Read } from '../skill/state';
import { useActs, type Acts } from '../skill/useActs';
import { useReads } from '../skill/useReads';
import { ChartBlock } from './ChartBlock';
import { Filings, KeyFigures, News } from './Company';
import { SymbolProvider, useSymbol, type SymbolContext } from './context';
import { Headline } from './Headline';
import { InNotes } from './InNotes';
import { keep, keptOf } from './kept';
import { keysOf } from './keys';
import { companyAsked, compareAsked, drawnOf, newestOf, quoteAsked, reduceSymbol, symbolOf, troubleOf, type Tab } from './state';
import { SymbolHead } from './SymbolHead';
import { Unresolved } from './Unresolved';
import { useChart, useQuote } from './useChart';
import { useNotes, useTools } from './useNotes';

interface SymbolPanelProps {
  readonly panel: PanelView;
  readonly part: SymbolPart;
  readonly wide: boolean;
}

export function SymbolPanel({ panel, part, wide }: SymbolPanelProps) {
  const backend = useBackend();
  const { show } = useActions();
  const today = useApp((app) => app.status?.today ?? '');
  const { has, notReady } = useTools();
  const roomy = useMedia('(min-width: 1100px)') && wide;
  const [before] = useState(() => keptOf(backend, panel.skill));
  const [state, dispatch] = useReducer(reduceSymbol, before.state);

  const nameOf = (tool: string) => (tool.includes('.') ? tool : `${panel.skill}.${tool}`);
  const asking = { nameOf, pullUp: part };
  const asked = quoteAsked(state, asking);
  const quotes = useReads(asked === null ? [] : [asked], 'asked', before.quotes);
  const quoteRead = asked === null ? null : quotes.of(asked);
  const shownRead = newestOf(quotes.all, state, nameOf(part.tool));
  const quote = useQuote(shownRead);
  const error = quoteRead?.run == null ? (quoteRead?.error ?? null) : null;
  const symbol = symbolOf(state, quote?.symbol ?? null, error);
  const search = { tool: nameOf('search_symbol'), args: { query: state.named ?? '' } };
  const searches = symbol === null && error !== null && (state.searching || troubleOf(error) === 'several');
  const comparison = compareAsked(state, quote?.symbol ?? null, asking);
  const wanted = [...companyAsked(state, symbol, roomy, { ...asking, notReady }), ...(comparison ? [comparison] : []), ...(searches ? [search] : [])];
  const web = useReads(wanted, 'asked', before.web);
  useEffect(() => keep(backend, panel.skill, { state, quotes: quotes.all, web: web.all }), [backend, panel.skill, state, quotes.all, web.all]);

  const notes = useNotes(symbol, has);
  const acts = useActs({ skill: panel.skill, today, inputs: {}, tabs: [], nameOf, again: notes.again, openImport: () => undefined });
  const compared = comparison === null ? null : web.of(comparison);
  const chart = useChart({ drawn: asked === null ? null : drawnOf(quotes.all, state, asked, nameOf(part.tool)), compared, state, trades: notes.trades, today });
  const context: SymbolContext = {
    state,
    dispatch,
    today,
    wide,
    roomy,
    symbol,
    quote,
    quoteRead,
    shownRead,
    chart,
    compare: comparison === null ? null : { asked: comparison, read: compared },
    web,
    notes,
    name: (named) => {
      const next = quoteAsked(reduceSymbol(state, { type: 'named', symbol: named }), asking);
      if (next === null) return;
      const isSame = asked !== null && keyOf(next) === keyOf(asked);
      // Hidden symbols must not ask in the background.
      if (!isSame) stopAll(backend, [...Object.values(quotes.all), ...Object.values(web.all)]);
      if (isSame || quotes.of(next)?.error != null) quotes.reread(next);
      dispatch({ type: 'named', symbol: named });
    },
    fetchPrice: () => asked !== null && quotes.reread(asked),
    nameOf,
    has,
    notReady,
    act: (label, tool, args, ask = false) => void acts.act({ ...plain, label, tool, args: { ...args }, ask }),
    openSettings: () => show({ kind: 'settings', page: 'skills', skill: panel.skill }),
  };
  return (
    <SymbolProvider value={context}>
      <Frame panel={panel} context={context} acts={acts}>
        {symbol === null ? <Unresolved search={search} /> : <Parts />}
      </Frame>
    </SymbolProvider>
  );
}

function stopAll(backend: Backend, reads: readonly Read[]): void {
  for (const { run } of reads) if (run !== null) backend.rpc('stop_tool', { run }).catch(() => undefined);
}

const plain = { icon: null, import: false, record: null, edit: false, field: null, delete: false, when: {}, key: null, more: [] };

function Frame({ panel, context, acts, children }: { panel: PanelView; context: SymbolContext; acts: Acts; children: ReactNode }) {
  const { state, dispatch, wide } = context;
  const root = useKeys(context);
  return (
    <Tabs.Root value={state.tab} onValueChange={(tab) => dispatch({ type: 'tab', tab: tab as Tab })} asChild>
      <section ref={root} tabIndex={-1} data-region={wide ? 'board' : undefined} aria-label={panel.name} data-testid="skill-panel" data-skill={panel.skill} className="flex h-full min-h-0 min-w-0 flex-col outline-none">
        <SymbolHead name={panel.name} icon={<Icon name={skillIcon(panel.skill, '', panel.icon)} />} />
        {children}
        <div className="flex max-h-2/3 shrink-0 flex-col gap-1.5 overflow-y-auto px-3.5 py-2 empty:hidden">
          <CallBars calls={acts.calls} elsewhere={acts.elsewhere} onEdit={acts.edit} />
        </div>
        {acts.sheet}
      </section>
    </Tabs.Root>
  );
}

/** Side by side if there is room, else as tabs. */
function Parts() {
  const { roomy, state } = useSymbol();
  const company = (
    <>
      <Filings />
      <News />
    </>
  );
  if (!roomy) {
    return (
      <Tabs.Content value={state.tab} data-scroll="" className="flex min-h-0 flex-1 flex-col overflow-y-auto outline-offset-[-2px]">
        {(state.tab === 'chart' || state.tab === 'figures') && <Headline />}
        {state.tab === 'chart' && <ChartBlock />}
        {state.tab === 'figures' && <KeyFigures />}
        {state.tab === 'notes' && <InNotes />}
        {state.tab === 'filings' && company}
      </Tabs.Content>
    );
  }
  return (
    <>
      <Headline />
      <div className="flex min-h-0 flex-1">
        <div data-scroll="" className="flex min-h-0 min-w-0 flex-1 flex-col overflow-y-auto">
          <ChartBlock />
          <div className="grid grid-cols-[minmax(0,3fr)_minmax(0,2fr)]">
            <KeyFigures />
            <div className="border-l border-line [&>*+*]:border-t [&>*+*]:border-line">{company}</div>
          </div>
        </div>
        <InNotes />
      </div>
    </>
  );
}

/** The whole region, which F6 focuses rather than its content. */
function useKeys(context: SymbolContext) {
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
