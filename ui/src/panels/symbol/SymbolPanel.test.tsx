import { act, screen, within } from '@testing-library/react';
import userEvent from '@testing-library/user-event';
import { afterEach, describe, expect, test, vi } from 'vitest';

import type { Result } from '../../ipc';
import { violations } from '../../testing/axe';
import type { FakeBackend } from '../../testing/fake-backend';
import { answer, figure as figureView } from '../../testing/panels';
import { sampleWorld } from '../../testing/sample';
import { filings, fundamentals, points, quote } from '../../testing/sample/symbol-panel';
import { failure, lookUp, open, PORTFOLIO } from './fixture';

afterEach(() => {
  vi.restoreAllMocks();
  vi.unstubAllGlobals();
});

const figure = (name: string) => screen.getByRole('group', { name });
const chart = () => screen.getByRole('img', { name: /^(Closes|Change) in/ });
const section = (name: string) => screen.getByRole('region', { name });

/** Makes the run's call ask for approval. */
function ask(backend: FakeBackend, run: string, question: string): void {
  const of = { session: run };
  act(() => {
    backend.emit({ type: 'tool_call_started', call: 'q', tool: 'lookup.x', args: {}, effect: 'external', principal: { kind: 'user', name: 'you' } }, of);
    backend.emit({ type: 'approval_requested', call: 'q', args: {}, decisions: ['once', 'deny'], question, editable: false, diff: null, host: 'x.example', revision: 1, mid_run: false }, of);
  });
}

describe('without a symbol', () => {
  test('nothing is requested', async () => {
    const { backend } = await open();
    expect(screen.getByText('Name a symbol or company.')).toBeVisible();
    expect(backend.asked('call_tool')).toEqual([]);
    expect(screen.queryByTestId('fetch-price')).toBeNull();
    await userEvent.click(screen.getByRole('button', { name: /^Look up/ }));
    expect(screen.getByRole('searchbox', { name: 'Symbol or company' })).toHaveFocus();
  });

  test('/ focuses the search, and typing requests nothing before Enter', async () => {
    const { press, backend } = await open();
    press('/');
    const field = screen.getByRole('searchbox', { name: 'Symbol or company' });
    expect(field).toHaveFocus();
    await userEvent.keyboard('vat');
    expect(field).toHaveValue('vat');
    await userEvent.keyboard('{Escape}');
    expect(field).toHaveValue('');
    expect(backend.asked('call_tool')).toEqual([]);
  });
});

describe('a symbol', () => {
  test('shows its figures, each with its source', async () => {
    const { asked } = await open();
    await lookUp('northgate');
    expect(asked('lookup.pull_up_symbol')).toEqual([{ symbol: 'northgate', range: '5y' }]);
    expect(asked('lookup.fundamentals')).toEqual([{ symbol: 'NGTL' }]);
    expect(screen.getByRole('heading', { level: 1 })).toHaveTextContent('NGTL');
    expect(figure('Last close, EUR')).toHaveTextContent('42.18Fri 20 NovStooq');
    expect(figure('That day')).toHaveTextContent('+0.84 %Stooq');
    expect(figure('12 months')).toHaveTextContent('+31.4 %Stooq');
    expect(figure('52 weeks')).toHaveTextContent('29.80 to 43.10Stooq');
    expect(figure('Your position')).toHaveTextContent('300€12,654.00');
    expect(figure('Your gain')).toHaveTextContent('+€3,204.00');
    // The surrounding page is missing here.
    expect((await violations()).filter((one) => !/^landmark-one-main/.test(one)).join('\n')).toBe('');
  });

  test('the price chip shows its source, and opens its derivation', async () => {
    const source = { kind: 'web', url: 'https://stooq.com/q/', at: '2026-11-20T17:35:00Z' } as const;
    await open({ answers: { 'lookup.pull_up_symbol': () => ({ ...answer(quote, [], [figureView('/price', 'NGTL', '42.18', 'EUR')]), sources: [source] }) } });
    await lookUp('NGTL');
    await userEvent.click(within(figure('Last close, EUR')).getByRole('button', { name: 'NGTL, €42.18: Stooq' }));
    expect(screen.getByRole('dialog', { name: 'Sources of NGTL' })).toHaveTextContent('1 answer from stooq.com');
  });

  test('with a current price has no amber bar', async () => {
    await open({ answers: { 'lookup.pull_up_symbol': () => answer({ ...quote, is_close: false, day_change: null, problems: [] }) } });
    await lookUp('NGTL');
    expect(figure('Price, EUR')).toHaveTextContent('42.18');
    expect(figure('Today')).toHaveTextContent('unknown');
    expect(screen.queryByText('No fresh price:')).toBeNull();
    expect(document.querySelector('[data-carried]')).toBeNull();
  });

  test('without a current price shows the day of the last close, and can retry', async () => {
    const { asked, store } = await open({ answers: { 'lookup.pull_up_symbol': () => answer({ ...quote, price_at: '2026-11-18', points: points.slice(0, -2) }) } });
    await lookUp('NGTL');
    const bar = screen.getByText('No fresh price:').closest<HTMLElement>('[data-testid=banner]')!;
    expect(bar).toHaveTextContent('No fresh price: last close of Wed 18 Nov, 42.18 EUR, source Stooq. Finnhub has today’s price and needs a key.');
    expect(document.querySelector('[data-carried]')).not.toBeNull();
    await userEvent.click(within(bar).getByRole('button', { name: 'Try again' }));
    expect(asked('lookup.pull_up_symbol')).toHaveLength(2);
    await userEvent.click(within(bar).getByRole('button', { name: 'Add key' }));
    expect(store.get().app.view).toEqual({ kind: 'settings', page: 'skills', skill: 'lookup' });
  });

  test('an old price shows its age', async () => {
    await open({ answers: { 'lookup.pull_up_symbol': () => answer({ ...quote, price_at: '2026-11-12', stale: 'very_old' }) } });
    await lookUp('NGTL');
    expect(figure('Last close, EUR')).toHaveTextContent('8 days old');
  });

  test('Fetch price requests only the price, once at a time', async () => {
    let give: (result: Result<'call_tool'>) => void = () => undefined;
    let calls = 0;
    const { asked } = await open({ answers: { 'lookup.pull_up_symbol': () => (++calls === 1 ? answer(quote) : new Promise((resolve) => void (give = resolve))) } });
    await lookUp('NGTL');
    await userEvent.click(screen.getByTestId('fetch-price'));
    expect(screen.getByTestId('fetch-price')).toBeDisabled();
    expect(figure('Last close, EUR')).toHaveTextContent('42.18');
    await act(async () => give(answer({ ...quote, price: '43.00' })));
    expect(figure('Last close, EUR')).toHaveTextContent('43.00');
    expect(asked('lookup.fundamentals')).toHaveLength(1);
  });

  test('a reopened panel sends no request', async () => {
    const { backend, unmount, asked, press } = await open();
    await lookUp('NGTL');
    const before = asked('lookup.pull_up_symbol').length + asked('lookup.news').length;
    press('2');
    press('c');
    unmount();
    await open({ backend });
    expect(figure('Last close, EUR')).toHaveTextContent('42.18');
    expect(screen.getByRole('radio', { name: '1 m' })).toBeChecked();
    expect(screen.queryByRole('textbox', { name: 'Symbol to compare with' })).toBeNull();
    expect(asked('lookup.pull_up_symbol').length + asked('lookup.news').length).toBe(before);
  });

  test('a changed set of skills sends no request', async () => {
    const { backend, asked } = await open();
    await lookUp('NGTL');
    await act(async () => backend.emit({ type: 'registry_changed', added: [], removed: [], changed: ['crm'] }));
    expect(asked('lookup.pull_up_symbol')).toHaveLength(1);
    expect(asked('lookup.filings')).toHaveLength(1);
  });
});

describe('while the symbol is ambiguous', () => {
  test('grey bars are shown while loading', async () => {
    await open({ answers: { 'lookup.pull_up_symbol': () => new Promise(() => undefined) } });
    await lookUp('NGTL');
    expect(screen.getByRole('status', { name: 'Looking up NGTL' })).toBeInTheDocument();
    expect(screen.queryByRole('region', { name: 'Chart' })).toBeNull();
  });

  test('an unknown symbol suggests the probable one', async () => {
    const { asked } = await open({
      answers: { 'lookup.pull_up_symbol': ({ args }) => ((args as { symbol: string }).symbol === 'NGTX' ? failure('No source knows NGTX.', 'Did you mean NGTL (Northgate Tooling, XETR)?', 'unknown_symbol') : answer(quote)) },
    });
    await lookUp('NGTX');
    expect(screen.getByRole('alert')).toHaveTextContent('No source knows NGTX. Did you mean NGTL (Northgate Tooling, XETR)?');
    expect(asked('lookup.fundamentals')).toEqual([]);
    await userEvent.click(screen.getByRole('button', { name: /^Look up NGTL ?Northgate Tooling, XETR$/ }));
    expect(figure('Last close, EUR')).toHaveTextContent('42.18');
  });

  test('an unknown name is searched for on a click', async () => {
    const { asked } = await open({ answers: { 'lookup.pull_up_symbol': () => failure('No source knows Northgat.', '', 'unknown_symbol') } });
    await lookUp('Northgat');
    expect(asked('lookup.search_symbol')).toEqual([]);
    await userEvent.click(screen.getByRole('button', { name: 'Search for “Northgat”' }));
    expect(asked('lookup.search_symbol')).toEqual([{ query: 'Northgat' }]);
    expect(screen.getByRole('list', { name: 'Found' })).toHaveTextContent('NGTNorthgate TransportNYSE, USD');
  });

  test('several matches are listed with their exchanges', async () => {
    const { asked } = await open({
      answers: { 'lookup.pull_up_symbol': ({ args }) => ((args as { symbol: string }).symbol === 'Northgate' ? failure('"Northgate" may be NGTL.DE or NGT.', 'Ask which one is meant.', 'ambiguous') : answer(quote)) },
    });
    await lookUp('Northgate');
    await userEvent.click(screen.getByRole('button', { name: /^NGTL\.DE.*Northgate Tooling.*Xetra, EUR, share$/ }));
    expect(asked('lookup.pull_up_symbol').at(-1)).toEqual({ symbol: 'NGTL.DE', range: '5y' });
    expect(figure('Last close, EUR')).toBeVisible();
  });

  test('a question is shown in place of its answer', async () => {
    const { backend } = await open({ answers: { 'lookup.news': () => new Promise(() => undefined) } });
    await lookUp('NGTL');
    const { run } = backend.asked('call_tool').find(({ tool }) => tool === 'lookup.news')!;
    ask(backend, run, 'Let lookup.news send to news.example?');
    expect(within(section('News')).getByRole('group', { name: 'Let lookup.news send to news.example?' })).toBeInTheDocument();
    expect(within(section('Filings')).queryByRole('group')).toBeNull();
  });

  test('another symbol withdraws the question about the previous one', async () => {
    const { backend, asked } = await open({ answers: { 'lookup.pull_up_symbol': ({ args }) => ((args as { symbol: string }).symbol === 'NGTL' ? answer(quote) : new Promise(() => undefined)) } });
    await lookUp('BWOP');
    const { run } = backend.asked('call_tool').find(({ tool }) => tool === 'lookup.pull_up_symbol')!;
    ask(backend, run, 'Let lookup.pull_up_symbol send to stooq.com?');
    expect(screen.getByRole('group', { name: /stooq\.com/ })).toBeInTheDocument();
    await lookUp('NGTL');
    expect(backend.asked('stop_tool')).toEqual([{ run }]);
    expect(screen.queryByRole('group', { name: /stooq\.com/ })).toBeNull();
    expect(asked('lookup.pull_up_symbol')).toHaveLength(2);
  });

  test('a failed symbol can be retried by its name', async () => {
    let fails = true;
    const { asked } = await open({ answers: { 'lookup.pull_up_symbol': ({ args }) => (fails && (args as { symbol: string }).symbol === 'BWOP' ? failure('Stooq did not answer in 10 s.') : answer(quote)) } });
    await lookUp('BWOP');
    await lookUp('NGTL');
    fails = false;
    await lookUp('BWOP');
    expect(asked('lookup.pull_up_symbol').map((args) => (args as { symbol: string }).symbol)).toEqual(['BWOP', 'NGTL', 'BWOP']);
  });

  test('a refused question sends nothing else', async () => {
    const { asked } = await open({ answers: { 'lookup.pull_up_symbol': () => failure('Denied by you.', '', 'denied_by_user') } });
    await lookUp('NGTL');
    expect(screen.getByRole('alert')).toHaveTextContent('Denied by you.');
    expect([asked('lookup.fundamentals'), asked('lookup.search_symbol')]).toEqual([[], []]);
    await userEvent.click(screen.getByRole('button', { name: 'Try again' }));
    expect(asked('lookup.pull_up_symbol')).toHaveLength(2);
  });
});

describe('a failing source', () => {
  test('affects only its own block', async () => {
    let fails = true;
    const { asked } = await open({ answers: { 'lookup.filings': () => (fails ? failure('SEC did not answer in 10 s.', 'Try again later.') : answer(filings)) } });
    await lookUp('NGTL');
    const block = section('Filings');
    expect(within(block).getByRole('alert')).toHaveTextContent('SEC did not answer in 10 s.');
    expect(section('Key figures')).toHaveTextContent('1.92 bn EUR');
    expect(section('News')).toHaveTextContent('Northgate raises its outlook');
    fails = false;
    await userEvent.click(within(block).getByRole('button', { name: 'Try again' }));
    expect(block).toHaveTextContent('Third quarter 2026');
    expect([asked('lookup.filings').length, asked('lookup.news').length]).toEqual([2, 1]);
  });

  test('of the price leaves figures, filings and notes', async () => {
    await open({ answers: { 'lookup.pull_up_symbol': () => failure('Stooq did not answer in 10 s.') } });
    await lookUp('NGTL');
    expect(within(section('Chart')).getByRole('alert')).toHaveTextContent('Stooq did not answer');
    expect(section('Filings')).toHaveTextContent('Third quarter 2026');
    expect(screen.getByRole('complementary', { name: 'In your notes' })).toHaveTextContent('300');
  });

  test('of a comparison leaves the chart of the price', async () => {
    const { press } = await open({ answers: { 'lookup.compare': () => failure('No source knows BWOX.') } });
    await lookUp('NGTL');
    press('c');
    await userEvent.keyboard('BWOX{Enter}');
    await act(async () => {});
    expect(within(section('Chart')).getByRole('alert')).toHaveTextContent('No source knows BWOX.');
    expect(chart()).toHaveAccessibleName(/^Closes in EUR/);
  });

  test('offline the day of the closes is shown', async () => {
    vi.spyOn(navigator, 'onLine', 'get').mockReturnValue(false);
    await open();
    await lookUp('NGTL');
    expect(screen.getByText('Offline. Closes up to Fri 20 Nov.')).toBeVisible();
    expect(screen.queryByText('No fresh price:')).toBeNull();
  });
});

describe('about the company', () => {
  test('figures have source and day, old ones are amber, missing ones give the reason', async () => {
    const { store } = await open();
    await lookUp('NGTL');
    const row = (name: RegExp) => within(section('Key figures')).getByRole('row', { name });
    expect(row(/^Revenue/)).toHaveTextContent('Revenue, 12 m1.148 bn EURSEC, 6-K30 Sep');
    expect(row(/^Net debt/)).toHaveTextContent('0.9SEC, 20-F31 Dec 2025, a report of 30 Sep is newer');
    expect(row(/^Free float/)).toHaveTextContent('unknownFinnhub, needs a key');
    await userEvent.click(within(row(/^Free float/)).getByRole('button', { name: 'Add key' }));
    expect(store.get().app.view).toEqual({ kind: 'settings', page: 'skills', skill: 'lookup' });
  });

  test('a missing figure without a key keeps its remedy', async () => {
    const figures = [{ key: 'x', name: 'Free float', value: null, unit: 'percent', how: '', date: null, newer: null, missing: 'SEC has no report', remedy: 'Look at the company’s own page.' }];
    await open({ answers: { 'lookup.fundamentals': () => answer({ ...fundamentals, figures }) } });
    await lookUp('NGTL');
    expect(section('Key figures')).toHaveTextContent('unknownSEC has no report. Look at the company’s own page.');
  });

  test('figures are copied with their sources', async () => {
    await open();
    await lookUp('NGTL');
    const user = userEvent.setup();
    await user.click(screen.getByRole('button', { name: 'Copy with sources' }));
    expect(await navigator.clipboard.readText()).toContain('Revenue, 12 m: 1148000000 EUR (SEC, 6-K, 2026-09-30)');
  });

  test('filings and news open in the browser, and more on a click', async () => {
    const { backend } = await open();
    await lookUp('NGTL');
    const block = section('Filings');
    expect(within(block).getAllByRole('listitem')).toHaveLength(4);
    await userEvent.click(within(block).getByRole('button', { name: 'All 5 filings' }));
    expect(within(block).getAllByRole('listitem')).toHaveLength(5);
    expect(block).toHaveTextContent('33 older ones are not listed.');
    await userEvent.click(within(block).getByRole('button', { name: 'Annual report 2025' }));
    expect(backend.asked('open_link')).toEqual([{ url: 'https://www.sec.gov/Archives/2026-03-26.htm' }]);
    expect(section('News')).toHaveTextContent('2 sources');
  });

  test('a tool without setup is not called, and links to the settings', async () => {
    const world = sampleWorld();
    const row = { wire_name: 'lookup__news', name: 'lookup.news', skill: 'lookup', effect: 'external', description: '', input_schema: {}, state: 'unavailable', reason: 'It needs a feed' } as const;
    world.tools = [...world.tools, row];
    const { asked, store } = await open({ world });
    await lookUp('NGTL');
    expect(asked('lookup.news')).toEqual([]);
    expect(section('News')).toHaveTextContent('It needs a feed.');
    await userEvent.click(within(section('News')).getByRole('button', { name: 'Settings' }));
    expect(store.get().app.view).toEqual({ kind: 'settings', page: 'skills', skill: 'lookup' });
  });

  test('an address unsuitable for a browser is text', async () => {
    const item = { title: 'Click here', url: 'javascript:alert(1)', source: 'x\u202Ey', date: '2026-11-19' };
    await open({ answers: { 'lookup.news': () => answer({ news: [item], count: 1, problems: [] }) } });
    await lookUp('NGTL');
    expect(within(section('News')).queryByRole('button')).toBeNull();
    expect(section('News')).toHaveTextContent('Click herexU+202Ey');
  });
});

describe('in the notes', () => {
  const notes = () => screen.getByRole('complementary', { name: 'In your notes' });

  test('position, trades, watchlist and mentions are listed', async () => {
    const { asked } = await open();
    await lookUp('NGTL');
    expect(asked('vault.links')).toEqual([{ path: 'Portfolio/Positions/NGTL.md' }]);
    expect(asked('portfolio.list_trades')).toEqual([{ symbol: 'NGTL' }]);
    expect(within(notes()).getByRole('heading', { level: 2 })).toHaveTextContent('In your notes 6');
    expect(within(notes()).getByRole('region', { name: 'Position' })).toHaveTextContent('Quantity300Average cost31.50Value at last close€12,654.00Gain+€3,204.00, +33.9 %Share of portfolio18.3 %');
    expect(within(notes()).getByRole('region', { name: 'Trades' })).toHaveTextContent('Dividend, 300 × 0.8018 May 2026Bought 100 at 34.709 Feb 2026Bought 200 at 29.9012 Mar 2025');
    expect(within(notes()).getByRole('region', { name: 'Watchlist' })).toHaveTextContent('Not on your list. Watchlist has BWOP, target 105 EUR.');
    expect(within(notes()).getByRole('region', { name: 'Mentioned in' })).toHaveTextContent('Mentioned in 2Mid-cap ideasline 12“[[NGTL]] keeps its margin even with higher steel prices”2026-11-05line 4');
  });

  test('a symbol without notes says so', async () => {
    await open({
      answers: {
        'portfolio.positions': () => answer({ positions: [] }),
        'portfolio.list_trades': () => failure('There is no symbol "NGTL".', 'Check the list.', 'note_not_found'),
        'portfolio.watchlist': () => answer({ watched: [] }),
        'vault.links': () => failure('There is no note "NGTL".', '', 'note_not_found'),
      },
    });
    await lookUp('NGTL');
    expect(notes()).toHaveTextContent('Not on your list.');
    expect(notes()).toHaveTextContent('No note is about NGTL.');
    expect(within(notes()).queryByRole('alert')).toBeNull();
  });

  test('Watch writes at once, and can be undone', async () => {
    const { asked } = await open({ answers: { 'portfolio.watch': () => ({ ...answer({ symbol: 'NGTL' }), change_set: 'set-1' }) } });
    await lookUp('NGTL');
    await userEvent.click(screen.getByRole('button', { name: 'Watch' }));
    expect(asked('portfolio.watch')).toEqual([{ symbol: 'NGTL' }]);
    expect(screen.getByTestId('undo-bar')).toHaveTextContent('Watched NGTL');
    expect(screen.getByTestId('undo-call')).toBeVisible();
  });

  test('a watched symbol shows its target, and can be removed', async () => {
    const { asked } = await open({ answers: { 'portfolio.watchlist': () => answer({ watched: [{ symbol: 'NGTL', target: '45', target_currency: 'EUR', path: 'Portfolio/Watchlist.md' }] }) } });
    await lookUp('NGTL');
    expect(within(notes()).getByRole('region', { name: 'Watchlist' })).toHaveTextContent('On your list, target 45 EUR.');
    await userEvent.click(screen.getByRole('button', { name: 'Unwatch' }));
    expect(asked('portfolio.unwatch')).toEqual([{ symbol: 'NGTL' }]);
  });

  test('Add trade opens a prefilled form', async () => {
    const { backend, asked } = await open();
    backend.on('list_tools', () => [
      {
        wire_name: 'portfolio__add_trade', name: 'portfolio.add_trade', skill: 'portfolio', effect: 'write', description: 'Adds a trade.', state: 'available', reason: null,
        input_schema: { type: 'object', properties: { symbol: { type: 'string', title: 'Symbol' }, date: { type: 'string' }, currency: { type: 'string' } }, required: ['symbol'] },
      },
    ]);
    await lookUp('NGTL');
    await userEvent.click(within(notes()).getByRole('button', { name: 'Add trade' }));
    const sheet = await screen.findByRole('dialog', { name: 'Add trade' });
    expect(within(sheet).getByDisplayValue('NGTL')).toBeVisible();
    await userEvent.click(within(sheet).getByRole('button', { name: /^Add trade/ }));
    expect(asked('portfolio.add_trade')).toEqual([{ symbol: 'NGTL', date: '2026-11-20', currency: 'EUR' }]);
  });

  test('without the portfolio only mentions remain', async () => {
    const { asked } = await open({ portfolio: [] });
    await lookUp('NGTL');
    expect(asked('portfolio.positions')).toEqual([]);
    expect(asked('vault.links')).toEqual([{ path: 'NGTL' }]);
    expect(screen.queryByRole('button', { name: 'Watch' })).toBeNull();
    expect(within(notes()).queryByRole('region', { name: 'Watchlist' })).toBeNull();
  });

  test('changed notes reload the notes, not web data', async () => {
    const { backend, asked } = await open({ portfolio: PORTFOLIO });
    await lookUp('NGTL');
    await act(async () => backend.emit({ type: 'vault_changed', kind: 'modified', path: 'Portfolio/Positions/NGTL.md', from: null, by: 'outside', summary: null }));
    await act(async () => {});
    expect(asked('portfolio.positions')).toHaveLength(2);
    expect(asked('lookup.pull_up_symbol')).toHaveLength(1);
  });
});

describe('below 1100', () => {
  test('parts are tabs, and each loads only its own data', async () => {
    const { asked } = await open({ width: 1000 });
    await lookUp('NGTL');
    expect(screen.getAllByRole('tab').map(({ textContent }) => textContent?.trim())).toEqual(['Chart', 'Figures', 'Your notes 6', 'Filings, news']);
    expect(screen.queryByRole('group', { name: 'Your position' })).toBeNull();
    expect(asked('lookup.fundamentals')).toEqual([]);
    await userEvent.click(screen.getByRole('tab', { name: 'Figures' }));
    expect(section('Key figures')).toHaveTextContent('1.92 bn EUR');
    expect([asked('lookup.fundamentals').length, asked('lookup.news').length]).toEqual([1, 0]);
    await userEvent.click(screen.getByRole('tab', { name: 'Filings, news' }));
    expect(section('News')).toBeVisible();
    await userEvent.click(screen.getByRole('tab', { name: 'Your notes 6' }));
    expect(screen.getByRole('complementary', { name: 'In your notes' })).toBeVisible();
    expect((await violations()).filter((one) => !/^landmark-one-main/.test(one)).join('\n')).toBe('');
  });

  test('also beside the chat', async () => {
    await open({ wide: false });
    await lookUp('NGTL');
    expect(screen.getAllByRole('tab')).toHaveLength(4);
    expect(figure('Last close, EUR')).toHaveTextContent('42.18');
  });
});
