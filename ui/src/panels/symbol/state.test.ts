import { describe, expect, test } from 'vitest';

import type { UserError } from '../../ipc';
import { reduceReads, keyOf, settled, type Reads } from '../skill/state';
import { companyAsked, compareAsked, drawnOf, firstSymbol, newestOf, quoteAsked, reduceSymbol, symbolOf, troubleOf, type SymbolChange, type SymbolState } from './state';

const after = (...changes: SymbolChange[]): SymbolState => changes.reduce(reduceSymbol, firstSymbol);
const named = (symbol: string): SymbolChange => ({ type: 'named', symbol });
const compared = (symbol: string): SymbolChange => ({ type: 'compared', symbol });
const asking = { nameOf: (tool: string) => `lookup.${tool}`, pullUp: { tool: 'pull_up_symbol', args: {} } };
const ready = { ...asking, notReady: () => null };

test('nothing is requested before a symbol is named', () => {
  expect(quoteAsked(firstSymbol, asking)).toBeNull();
  expect(companyAsked(firstSymbol, null, true, ready)).toEqual([]);
  expect(after(named('  ')).named).toBeNull();
});

test('another symbol discards the data of the previous one', () => {
  const state = after(named('NGTL'), compared('BWOP'), { type: 'ranged', range: '5y' }, { type: 'tab', tab: 'notes' }, named(' SLVN '));
  expect([state.named, state.others, state.range, state.tab]).toEqual(['SLVN', [], '5y', 'chart']);
});

test('ranges of up to five years share a request, a day and the maximum have their own', () => {
  const rangeOf = (range: SymbolState['range']) => quoteAsked(after(named('NGTL'), { type: 'ranged', range }), asking)?.args;
  for (const range of ['1m', '6m', '1y', '5y'] as const) expect(rangeOf(range)).toEqual({ symbol: 'NGTL', range: '5y' });
  expect(rangeOf('all')).toEqual({ symbol: 'NGTL', range: 'all' });
  expect(rangeOf('1d')).toEqual({ symbol: 'NGTL', range: '1d' });
});

describe('comparing', () => {
  test('takes up to three others, each once', () => {
    const state = after(named('NGTL'), ...['bwop', 'BWOP', 'ngtl', ' SLVN', 'QLN', 'FRNH'].map(compared));
    expect(state.others).toEqual(['bwop', 'SLVN', 'QLN']);
    expect(reduceSymbol(state, { type: 'compares', open: true }).comparing).toBe(false);
    expect(reduceSymbol(state, { type: 'dropped', symbol: 'SLVN' }).others).toEqual(['bwop', 'QLN']);
  });

  test('uses the current range', () => {
    expect(compareAsked(after(named('northgate'), compared('BWOP'), { type: 'ranged', range: '6m' }), 'NGTL', asking)).toEqual({ tool: 'lookup.compare', args: { symbols: ['NGTL', 'BWOP'], range: '6m', points: true } });
    expect(compareAsked(after(named('NGTL')), 'NGTL', asking)).toBeNull();
    expect(compareAsked(after(named('NGTL'), compared('BWOP')), null, asking)).toBeNull();
  });
});

test('within a day nothing is compared or averaged; other ranges keep the choice', () => {
  const day: SymbolChange = { type: 'ranged', range: '1d' };
  const state = after(named('NGTL'), compared('BWOP'), day);
  expect(compareAsked(state, 'NGTL', asking)).toBeNull();
  const refused: SymbolChange[] = [compared('SLVN'), { type: 'compares', open: true }, { type: 'switched', part: 'average' }, { type: 'averaged', days: 20 }];
  for (const change of refused) expect(reduceSymbol(state, change)).toBe(state);
  expect(reduceSymbol(state, { type: 'switched', part: 'log' }).log).toBe(true);
  expect(compareAsked(reduceSymbol(state, { type: 'ranged', range: '6m' }), 'NGTL', asking)?.args['symbols']).toEqual(['NGTL', 'BWOP']);
});

test('without room only the tab’s requests are made', () => {
  const toolsOf = (state: SymbolState, roomy: boolean) => companyAsked(state, 'NGTL', roomy, ready).map(({ tool }) => tool);
  expect(toolsOf(after(named('NGTL')), true)).toEqual(['lookup.fundamentals', 'lookup.filings', 'lookup.news']);
  expect(toolsOf(after(named('NGTL')), false)).toEqual([]);
  expect(toolsOf(after(named('NGTL'), { type: 'tab', tab: 'figures' }), false)).toEqual(['lookup.fundamentals']);
  expect(toolsOf(after(named('NGTL'), { type: 'tab', tab: 'filings' }), false)).toEqual(['lookup.filings', 'lookup.news']);
});

test('a tool that is not ready is not called', () => {
  const notReady = (tool: string) => (tool === 'lookup.news' ? 'It needs a feed.' : null);
  expect(companyAsked(after(named('NGTL')), 'NGTL', true, { ...asking, notReady }).map(({ tool }) => tool)).toEqual(['lookup.fundamentals', 'lookup.filings']);
});

test('arrow keys move day by day, from the last one, and stop at the ends', () => {
  const days = ['2026-11-18', '2026-11-19', '2026-11-20'];
  const step = (by: 1 | -1): SymbolChange => ({ type: 'stepped', by, days });
  expect(after(step(-1)).pointed).toEqual({ day: '2026-11-20', spoken: true });
  expect(after(step(-1), step(-1), step(-1), step(-1)).pointed?.day).toBe('2026-11-18');
  expect(after(step(1), step(1)).pointed?.day).toBe('2026-11-20');
  expect(after({ type: 'stepped', by: 1, days: [] }).pointed).toBeNull();
  expect(after({ type: 'pointed', day: '2026-11-19' }).pointed).toEqual({ day: '2026-11-19', spoken: false });
});

test('errors are classified by what the panel offers', () => {
  const error = (code: UserError['code'], message = ''): UserError => ({ code, message, hint: '' });
  expect(troubleOf(error('ambiguous'))).toBe('several');
  expect(troubleOf(error('unknown_symbol'))).toBe('unknown');
  expect(troubleOf(error('tool_failed', 'No source knows NGTX.'))).toBe('failed');
  expect(troubleOf(error('denied_by_user'))).toBe('refused');
  expect(troubleOf(error('tool_timed_out', 'Stooq did not answer.'))).toBe('failed');
  const state = after(named('NGTL'));
  expect(symbolOf(state, null, error('tool_timed_out'))).toBe('NGTL');
  expect(symbolOf(state, null, error('denied_by_user'))).toBeNull();
  expect(symbolOf(state, null, null)).toBeNull();
  expect(symbolOf(state, 'NGTL.DE', error('ambiguous'))).toBe('NGTL.DE');
});

describe('loaded data', () => {
  const asked = (symbol: string, range: string) => ({ tool: 'lookup.pull_up_symbol', args: { symbol, range } });
  const result = (value: string) => ({ ok: true, value, error: null, sources: [], figures: [], changes: [], change_set: null, ms: 1 });
  const read = (reads: Reads, of: ReturnType<typeof asked>, at: string) => reduceReads(reduceReads(reads, { type: 'begun', asked: of, run: at }), { type: 'ended', asked: of, run: at, at, result: result(at) });

  test('stays until another range is loaded', () => {
    const reads = [asked('NGTL', '5y'), asked('BWOP', '5y'), asked('NGTL', 'all')].reduce((all, of, at) => read(all, of, `2026-11-20T10:0${at}:00Z`), {} as Reads);
    const state = after(named('NGTL'));
    expect(newestOf(reads, state, 'lookup.pull_up_symbol')?.args['range']).toBe('all');
    expect(newestOf(reads, after(named('SLVN')), 'lookup.pull_up_symbol')).toBeNull();
  });

  test('of a day is never drawn as closes, nor the reverse', () => {
    const tool = 'lookup.pull_up_symbol';
    const drawn = (reads: Reads, range: SymbolState['range']) => {
      const state = after(named('NGTL'), { type: 'ranged', range });
      return drawnOf(reads, state, quoteAsked(state, asking)!, tool)?.args['range'] ?? null;
    };
    const years = read({}, asked('NGTL', '5y'), 'a');
    const day = read({}, asked('NGTL', '1d'), 'b');
    const both = read(years, asked('NGTL', '1d'), 'b');
    expect([drawn(years, '1d'), drawn(years, '1y'), drawn(years, 'all')]).toEqual([null, '5y', '5y']);
    expect([drawn(day, '1d'), drawn(day, '1y'), drawn(both, '1y'), drawn(both, 'all'), drawn(both, '1d')]).toEqual(['1d', null, '5y', '5y', '1d']);
  });

  test('can be reloaded separately', () => {
    const reads = read(read({}, asked('NGTL', '5y'), 'a'), asked('BWOP', '5y'), 'b');
    const again = reduceReads(reads, { type: 'changed', key: keyOf(asked('BWOP', '5y')) });
    expect(Object.values(again).map(({ stale }) => stale)).toEqual([false, true]);
  });

  test('stays when the panel is closed, except running calls', () => {
    const running = reduceReads(read({}, asked('NGTL', '5y'), 'a'), { type: 'begun', asked: asked('BWOP', '5y'), run: 'b' });
    expect(Object.values(settled(running)).map(({ args, run }) => [args['symbol'], run])).toEqual([['NGTL', null]]);
  });
});

test('an average has 2 to 500 days', () => {
  const off = { ...firstSymbol, average: false };
  expect(reduceSymbol(off, { type: 'averaged', days: 200 })).toMatchObject({ average: true, averageDays: 200 });
  for (const days of [1, 501, 2.5, NaN]) expect(reduceSymbol(off, { type: 'averaged', days })).toBe(off);
});
