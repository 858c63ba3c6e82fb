// The window on a scripted backend, to look at: dev.html?screen=chat|approval|settings|models|permissions|credentials|vault|
// appearance|first-run|tool-run|empty|today|note|problems|interrupted|conflict|trash|waiting-tools|host|record|new-record|records|crm|portfolio|budget|calendar|mail|lookup|screener&theme=dark
// &open=panel. &watching=<text> says how the vault is watched, &tool=<name> opens a tool. Part of the
// dev server only.

import { createRoot } from 'react-dom/client';

import { App } from '../App';
import { Window } from '../Window';
import { keep } from '../panels/symbol/kept';
import { firstSymbol } from '../panels/symbol/state';
import { createStore } from '../state/store';
import { FakeBackend } from './fake-backend';
import { contactForm, newContactForm } from './record-form';
import { interruptedSet, sampleFileTools, sampleNow, samplePendingTools, sampleWorld } from './sample';
import { sampleToday } from './sample/today';
import { sampleAnswer, samplePanels } from './sample-panels';
import { scriptScreener } from './screener';
import '../styles/main.css';

const asked = new URLSearchParams(location.search);
const screen = asked.get('screen') ?? 'chat';
const theme = asked.get('theme') === 'dark' ? 'dark' : 'light';

// The sample's time continues from when the page opened, whatever the date.
const RealDate = Date;
const opened = RealDate.now();
globalThis.Date = class extends RealDate {
  constructor(...given: unknown[]) {
    super(...((given.length > 0 ? given : [Date.now()]) as [number]));
  }
  static override now() {
    return sampleNow.getTime() + RealDate.now() - opened;
  }
} as DateConstructor;

const world = sampleWorld();
world.status.appearance.theme = theme;
world.status.appearance.text_size = Number(asked.get('text') ?? 14);
if (screen === 'first-run') world.status = { ...world.status, first_run: true, vault: null, model: null };
const watching = asked.get('watching');
if (world.status.vault && watching !== null) world.status.vault.watching = watching;
if (screen === 'interrupted') world.changes.unshift(interruptedSet(41));
if (screen === 'waiting-tools' || screen === 'tool-run') {
  const files = sampleFileTools();
  world.skills = [...world.skills, files.skill];
  world.tools = [...world.tools, ...files.tools];
  world.pendingTools = samplePendingTools();
}

if (screen === 'today') world.glances = sampleToday(sampleNow);
if (screen === 'record' || screen === 'new-record') world.recordForms = [contactForm, newContactForm];

const backend = new FakeBackend(world);
if (screen === 'lookup') {
  const tools = { lookup: ['pull_up_symbol', 'compare', 'fundamentals', 'filings', 'news', 'search_symbol'], portfolio: ['positions', 'list_trades', 'watchlist', 'watch', 'add_trade'], vault: ['links'] };
  world.skills = world.skills.map((row) => ({ ...row, ...(row.id in tools ? { state: 'available', tools: tools[row.id as keyof typeof tools].map((tool) => `${row.id}.${tool}`) } : {}) }));
  const named = asked.get('symbol') ?? 'NGTL';
  keep(backend, 'lookup', { state: { ...firstSymbol, named: named === '' ? null : named, others: asked.getAll('with') }, quotes: {}, web: {} });
}
if (screen === 'interrupted') {
  // Two notes were edited since; finishing shows both versions of them.
  backend.on('finish_changes', (what) => {
    const result = backend.finish_changes(what);
    const [one = '', other = '', ...finished] = result.finished;
    const conflict = (path: string) => ({ path, what: ['region'], mine: 'region: north\n', theirs: 'region: south\n' });
    return { ...result, finished, conflicts: [conflict(one), conflict(other)] };
  });
}
backend.on('list_panels', () => samplePanels).on('call_tool', (call) => sampleAnswer(call) ?? backend.call_tool());
if (screen === 'screener') scriptScreener(backend, world);
const store = createStore(backend);

function go() {
  const { actions } = store;
  switch (screen) {
    case 'settings':
    case 'models':
    case 'credentials':
    case 'permissions':
    case 'vault':
    case 'notifications':
    case 'appearance':
    case 'keyboard':
      return actions.show({ kind: 'settings', page: screen === 'settings' ? 'skills' : screen });
    case 'records':
      return actions.show({ kind: 'settings', page: 'skills', skill: 'crm', records: 'contact' });
    case 'waiting-tools':
      return actions.show({ kind: 'settings', page: 'skills', ...(asked.has('tool') ? { waiting: asked.get('tool') ?? '' } : {}) });
    case 'host':
      return actions.openSession('groceries').then(sayWeather);
    case 'tool-run':
      return actions.show({ kind: 'run-tool', tool: asked.get('tool') });
    case 'chat':
    case 'approval':
      if (innerWidth >= 1100 || asked.get('open') === 'panel') actions.setPanel({ open: true });
      return actions.openSession('harborline');
    case 'record':
    case 'new-record':
      actions.openRecordForm({ skill: 'crm', type: 'contact', path: screen === 'record' ? contactForm.path : null });
      return actions.openSession('harborline');
    case 'problems':
      actions.showPanel('problems');
      return actions.openSession('harborline');
    case 'interrupted':
      return actions.openSession('harborline');
    case 'conflict':
      return actions.openSession('harborline').then(() => {
        backend.emit(
          {
            type: 'conflict_found',
            note: 'CRM/Deals/Harborline rollout.md',
            mine: '---\ntype: deal\nstage: won\nvalue: 42000\n---\nSigned by phone.\n',
            theirs: '---\ntype: deal\nstage: proposal\nvalue: 45000\n---\nSigned by phone.\nWaits for the countersigned copy.\n',
          },
          { session: 'harborline' },
        );
      });
    case 'trash':
      actions.show({ kind: 'trash' });
      return actions.deleteSession('lisbon').then(() => actions.deleteSession('watchlist'));
    case 'crm':
    case 'portfolio':
    case 'budget':
    case 'calendar':
    case 'mail':
    case 'lookup':
    case 'screener':
      // `at=side`: beside the conversation.
      actions.setPanel({ open: true, tab: `skill:${screen}`, wide: asked.get('at') !== 'side' });
      return actions.openSession('harborline');
    case 'note':
      actions.openNote('Jane Doe');
      return actions.openSession('harborline');
  }
}

/** A tool was written, and another one asks during its run. */
function sayWeather() {
  const of = { session: 'groceries', turn: 't1' };
  const principal = { kind: 'user', name: 'you' } as const;
  const done = { ok: true, sources: [], changes: [], change_set: null, merged: [] };
  const host = (question: string, host: string, revision: number) =>
    backend.emit(
      { type: 'approval_requested', call: 'w2', args: { city: 'Kiel', days: 3 }, decisions: ['once', 'session', 'always', 'deny'], question, editable: false, diff: null, host, revision, mid_run: true },
      of,
    );
  backend.emit({ type: 'turn_started', text: 'Write a tool for the weather, then tell me how it gets in Kiel.', model: 'ollama/qwen3:14b', skills: [], tool: null }, of);
  backend.emit({ type: 'tool_call_started', call: 'w1', tool: 'core.create_tool', args: { name: 'weather', source: samplePendingTools()[0]?.source ?? '' }, effect: 'write', principal }, of);
  backend.emit({ type: 'tool_call_completed', call: 'w1', output: { waits_for_the_user: true, tool: 'weather', file: 'weather.ts' }, ms: 212, ...done }, of);
  backend.emit({ type: 'tool_call_started', call: 'w3', tool: 'dynamic.rates', args: { from: 'EUR', to: 'DKK' }, effect: 'external', principal }, of);
  backend.emit({ type: 'credential_needed', credential: 'rates/key', consumer: 'tool:dynamic.rates' }, of);
  backend.emit({ type: 'tool_call_completed', call: 'w3', output: { code: 'credential_needed', message: 'The credential rates/key is not there.', hint: 'Run `nova credential set rates/key`, then call again.' }, ms: 8, ...done, ok: false }, of);
  backend.emit({ type: 'tool_call_started', call: 'w2', tool: 'dynamic.weather', args: { city: 'Kiel', days: 3 }, effect: 'read', principal }, of);
  host('Let dynamic.weather send to geo.weather.com?', 'geo.weather.com', 1);
  backend.emit({ type: 'approval_decided', call: 'w2', decision: 'once', by: 'user', reason: null }, of);
  host('Let dynamic.weather send to api.weather.com?', 'api.weather.com', 2);
}

const root = document.getElementById('root');
if (root) {
  createRoot(root).render(
    <Window backend={backend} store={store}>
      <App />
    </Window>,
  );
  void store.actions.start().then(go);
}
