// State of the screener panel. Pure; reads no clock.

import type { JsonValue } from '../../ipc';
import { keyOf, type Asked } from '../skill/state';
import type { Missing, Screen } from './answers';
import { draftOf, editedCondition, emptyDraft, isSameDraft, nextKey, preferenceText, type Condition, type Draft, type Preference } from './draft';

export type Tab = 'conditions' | 'hits' | 'test';

/** Settings of a back-test; empty means the tool's default. */
export interface TestSettings {
  /** Name of a strategy; empty: the open screen. */
  readonly strategy: string;
  readonly from: string;
  readonly to: string;
  readonly cash: string;
  readonly positions: string;
  readonly rebalance: string;
  readonly fill: string;
  readonly cost: string;
  /** For each trade. */
  readonly fee: string;
  /** `equal` or `slots`. */
  readonly weight: string;
  /** `true` or `false`. */
  readonly fractional: string;
  readonly slippage: string;
  readonly split: string;
  /** A symbol; empty: the list itself. */
  readonly benchmark: string;
}

export interface ScreenerState {
  /** Name of the open screen; `null`: the first saved one; empty: a new one. */
  readonly screen: string | null;
  /** Unsaved changes by screen name. */
  readonly drafts: Readonly<Record<string, Draft>>;
  /** A saved draft whose note has not been re-read. `at`: time of the last read before saving, RFC 3339. */
  readonly saving: { readonly name: string; readonly draft: Draft; readonly at: string | null } | null;
  /** Show problems of all conditions, also of those not visited: a scan was refused. */
  readonly checked: boolean;
  readonly tab: Tab;
  /** A column key, `symbol`, `price` or `score`; `null`: the tool's order, best first. */
  readonly sort: { readonly by: string; readonly down: boolean } | null;
  /** Symbol of the explained hit. */
  readonly explained: string | null;
  readonly listed: 'left_out' | 'unanswered' | null;
  readonly test: TestSettings;
  readonly testClosed: boolean;
  readonly settingsOpen: boolean;
  readonly allTrades: boolean;
  readonly table: boolean;
  /** The day read out below the chart. */
  readonly pointed: { readonly day: string; /** Chosen by key: announced. */ readonly spoken: boolean } | null;
}

export type ScreenerChange =
  | { readonly type: 'opened'; readonly screen: string }
  /** `on`: the open screen, whose saved state a new draft starts from. */
  | { readonly type: 'edited'; readonly on: Opened; readonly edit: Edit }
  | { readonly type: 'discarded'; readonly screen: string }
  /** The draft was written to the note `as`. */
  | { readonly type: 'saved'; readonly from: string; readonly as: string; readonly draft: Draft; readonly at: string | null }
  /** The notes were re-read after saving; drops the saved draft. */
  | { readonly type: 'settled' }
  | { readonly type: 'checked' }
  | { readonly type: 'tab'; readonly tab: Tab }
  | { readonly type: 'sorted'; readonly by: string }
  | { readonly type: 'explained'; readonly symbol: string | null }
  | { readonly type: 'listed'; readonly list: 'left_out' | 'unanswered' }
  | { readonly type: 'scanned' }
  | { readonly type: 'set'; readonly settings: Partial<TestSettings> }
  | { readonly type: 'test'; readonly closed: boolean }
  | { readonly type: 'settings'; readonly open: boolean }
  | { readonly type: 'trades' }
  | { readonly type: 'table' }
  | { readonly type: 'pointed'; readonly day: string | null }
  /** Moves by one day of `days` (oldest first), starting at the last. */
  | { readonly type: 'stepped'; readonly by: 1 | -1; readonly days: readonly string[] };

export type Edit =
  | { readonly type: 'added'; readonly field: string | null }
  | { readonly type: 'condition'; readonly key: number; readonly part: Partial<Pick<Condition, 'field' | 'operator' | 'value'>> }
  | { readonly type: 'removed'; readonly key: number }
  | { readonly type: 'universe'; readonly universe: string }
  | { readonly type: 'missing'; readonly missing: Missing }
  | { readonly type: 'preferred'; readonly field: string }
  | { readonly type: 'preference'; readonly key: number; readonly part: Partial<Pick<Preference, 'field' | 'prefer' | 'weight'>> }
  | { readonly type: 'unpreferred'; readonly key: number };

export const firstState: ScreenerState = {
  screen: null,
  drafts: {},
  saving: null,
  checked: false,
  tab: 'hits',
  sort: null,
  explained: null,
  listed: null,
  test: { strategy: '', from: '', to: '', cash: '', positions: '', rebalance: '', fill: '', cost: '', fee: '', weight: '', fractional: '', slippage: '', split: '', benchmark: '' },
  testClosed: false,
  settingsOpen: false,
  allTrades: false,
  table: false,
  pointed: null,
};

export function reduceScreener(state: ScreenerState, change: ScreenerChange): ScreenerState {
  switch (change.type) {
    case 'opened':
      return { ...state, screen: change.screen, checked: false };
    case 'edited': {
      const { name, draft } = change.on;
      return { ...state, drafts: { ...state.drafts, [name]: editedDraft(state.drafts[name] ?? draft, change.edit) } };
    }
    case 'discarded':
      return { ...state, drafts: without(state.drafts, change.screen), checked: false };
    case 'saved':
      return {
        ...state,
        screen: change.as,
        // It may have been edited while saving.
        drafts: { ...without(state.drafts, change.from), [change.as]: state.drafts[change.from] ?? change.draft },
        saving: { name: change.as, draft: change.draft, at: change.at },
      };
    case 'settled': {
      const { saving, drafts } = state;
      if (saving === null) return state;
      return { ...state, saving: null, drafts: drafts[saving.name] === saving.draft ? without(drafts, saving.name) : drafts };
    }
    case 'checked':
      return { ...state, checked: true, tab: 'conditions' };
    case 'tab':
      return { ...state, tab: change.tab };
    case 'sorted':
      return { ...state, sort: nextSort(state.sort, change.by) };
    case 'explained':
      return { ...state, explained: change.symbol };
    case 'listed':
      return { ...state, listed: state.listed === change.list ? null : change.list };
    case 'scanned':
      return { ...state, checked: false, explained: null, listed: null, tab: 'hits' };
    case 'set':
      return { ...state, test: { ...state.test, ...change.settings } };
    case 'test':
      return { ...state, testClosed: change.closed, settingsOpen: false };
    case 'settings':
      return { ...state, settingsOpen: change.open };
    case 'trades':
      return { ...state, allTrades: !state.allTrades };
    case 'table':
      return { ...state, table: !state.table, pointed: null };
    case 'pointed':
      return { ...state, pointed: change.day === null ? null : { day: change.day, spoken: false } };
    case 'stepped': {
      const { days, by } = change;
      const at = state.pointed === null ? -1 : days.indexOf(state.pointed.day);
      const day = days[at < 0 ? days.length - 1 : Math.min(days.length - 1, Math.max(0, at + by))];
      return day === undefined ? state : { ...state, pointed: { day, spoken: true } };
    }
  }
}

function editedDraft(draft: Draft, edit: Edit): Draft {
  const { conditions, score } = draft;
  switch (edit.type) {
    case 'added': {
      const added = editedCondition({ key: nextKey(conditions), text: '', field: edit.field, operator: 'below', value: '', problem: null }, {});
      return { ...draft, conditions: [...conditions, added] };
    }
    case 'condition':
      return { ...draft, conditions: conditions.map((one) => (one.key === edit.key ? editedCondition(one, edit.part) : one)) };
    case 'removed':
      return { ...draft, conditions: conditions.filter(({ key }) => key !== edit.key) };
    case 'universe':
      return { ...draft, universe: edit.universe };
    case 'missing':
      return { ...draft, missing: edit.missing };
    case 'preferred': {
      const added = { key: nextKey(score), field: edit.field, prefer: 'high' as const, weight: '50' };
      return { ...draft, score: [...score, { ...added, text: preferenceText(added) }] };
    }
    case 'preference':
      return {
        ...draft,
        score: score.map((one) => {
          if (one.key !== edit.key) return one;
          const next = { ...one, ...edit.part };
          return { ...next, text: preferenceText(next) };
        }),
      };
    case 'unpreferred':
      return { ...draft, score: score.filter(({ key }) => key !== edit.key) };
  }
}

/** Cycles descending, ascending, none. */
function nextSort(old: ScreenerState['sort'], by: string): ScreenerState['sort'] {
  const first = by !== 'symbol';
  if (old?.by !== by) return { by, down: first };
  return old.down === first ? { by, down: !first } : null;
}

function without<Value>(all: Readonly<Record<string, Value>>, key: string): Readonly<Record<string, Value>> {
  return Object.fromEntries(Object.entries(all).filter(([one]) => one !== key));
}

/** The open screen with its unsaved changes. */
export interface Opened {
  /** Empty for a new screen. */
  readonly name: string;
  readonly saved: Screen | null;
  readonly draft: Draft;
  readonly isChanged: boolean;
}

export function openedOf({ screen, drafts, saving }: ScreenerState, screens: readonly Screen[]): Opened {
  const isDraft = screen !== null && (screen === '' || drafts[screen] !== undefined);
  // The note of the open screen may have been deleted.
  const saved = screens.find(({ name }) => name === screen) ?? (isDraft ? null : (screens[0] ?? null));
  const name = saved?.name ?? screen ?? '';
  const before = saved ? draftOf(saved) : emptyDraft;
  const draft = drafts[name] ?? before;
  return { name, saved, draft, isChanged: !isSameDraft(before, draft) && !(saving?.name === name && saving.draft === draft) };
}

/** Arguments of a scan: the screen's name if nothing is unsaved, else its lines. */
export function scanArgs({ saved, draft, isChanged }: Opened): Asked['args'] {
  return saved !== null && !isChanged ? { screen: saved.name } : draftArgs(draft);
}

export function draftArgs({ universe, conditions, missing, score }: Draft): Record<string, JsonValue> {
  return {
    conditions: conditions.map(({ text }) => text),
    missing,
    ...(universe === null ? {} : { universe }),
    ...(score.length === 0 ? {} : { score: score.map(({ text }) => text) }),
  };
}

/** Whether settings or conditions changed since a back-test. */
export function isOldTest(was: { readonly asked: Asked; readonly screen: string; readonly draft: Draft }, test: TestSettings, opened: Opened): boolean {
  const { strategy: before, ...rest } = was.asked.args;
  const { strategy: now, ...own } = testArgs(test, opened);
  const settings = (args: Asked['args']) => keyOf({ tool: '', args: Object.fromEntries(Object.entries(args).filter(([key]) => key in test)) });
  if (settings(rest) !== settings(own)) return true;
  if (test.strategy !== '') return before !== now;
  return (before !== undefined && before !== was.screen) || !isSameDraft(was.draft, opened.draft);
}

/** Arguments of a back-test of the chosen strategy or the open screen. */
export function testArgs({ strategy, positions, fractional, ...settings }: TestSettings, opened: Opened): Asked['args'] {
  const { saved, draft, isChanged } = opened;
  const own = Object.entries(settings).filter(([, value]) => value.trim() !== '');
  const { conditions = [], score, universe } = draftArgs(draft);
  const of: Record<string, JsonValue> =
    strategy !== '' ? { strategy } : saved !== null && !isChanged ? { strategy: saved.name } : { conditions, ...(score === undefined ? {} : { score }), ...(universe === undefined ? {} : { universe }) };
  return { ...of, ...Object.fromEntries(own), ...(/^\d+$/.test(positions.trim()) ? { positions: Number(positions) } : {}), ...(fractional === '' ? {} : { fractional: fractional === 'true' }) };
}
