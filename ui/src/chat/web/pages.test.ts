import { expect, test } from 'vitest';

import type { JsonValue, SourceView } from '../../ipc';
import { replay } from '../../state/session';
import { envelopes } from '../../testing/sample';
import { completed, started, turnStarted } from '../fixture';
import { citedPages, pageCalls, pagesFound, readSummary } from './pages';

const AT = '2026-11-24T14:31:00Z';

const source = (url: string, title?: string, date?: string): SourceView => ({ kind: 'web', url, at: AT, ...(title && { title }), ...(date && { date }) });

function read(call: string, asked: string, sources: SourceView[], value: JsonValue = { words: 1840 }) {
  return [started(call, 'core.web_fetch', 'external', { url: asked }), completed(call, value, { sources })];
}

const state = (...events: ReturnType<typeof read>[]) => replay(envelopes('s', 't', [turnStarted(), ...events.flat()]), true);

test('a page has the same number throughout the chat, by each of its addresses', () => {
  const pages = citedPages(
    pageCalls(
      state(
        read('a', 'http://quillon.example/prices', [source('https://quillon.example/prices', 'Price list 2026', '2026-11-02')]),
        read('b', 'https://quillon.example/hosting#terms', [source('https://quillon.example/hosting', 'Hosting terms')]),
        read('c', 'https://quillon.example/prices', [source('https://quillon.example/prices', 'Price list 2026', '2026-11-02')]),
      ),
    ),
  );
  expect([...pages].map(([url, { number }]) => [url, number])).toEqual([
    ['https://quillon.example/prices', 1],
    ['http://quillon.example/prices', 1],
    ['https://quillon.example/hosting', 2],
  ]);
  expect(pages.get('https://quillon.example/prices')?.label).toMatch(/^Price list 2026, quillon\.example, dated 2 Nov/);
  expect(pages.get('https://quillon.example/hosting')?.label).toBe('Hosting terms, quillon.example, no date on the page');
});

test("a tool's server, and a page that could not be read, are not cited", () => {
  const answers = state(
    [started('a', 'portfolio.refresh_prices', 'external'), completed('a', 1, { sources: [source('https://stooq.example/q')] })],
    [started('b', 'core.web_fetch', 'external', { url: 'https://x.example' }), completed('b', { code: 'tool_failed', message: 'No.', hint: '' }, { ok: false, sources: [source('https://x.example/')] })],
  );
  expect(pageCalls(answers)).toEqual([]);
});

test.each([
  ['https://quillon.example/a', { words: 1840 }, 'quillon.example, main text of 1,840 words'],
  ['https://www.quillon.example/a.pdf', { kind: 'PDF' }, 'quillon.example, PDF'],
])('the card of %s summarises the page', (url, value, expected) => {
  const [call] = pageCalls(state(read('a', url, [source(url, 'T')], value)));
  expect(readSummary(call!)).toBe(expected);
});

test('search results become pages, whatever their fields', () => {
  const value: JsonValue = { results: [{ title: 'Heat pumps', url: 'https://a.example/p', snippet: 'They pay off.', date: '2026-10-01' }, { url: 'https://b.example/' }, 'x'] };
  const { turns } = state([started('a', 'core.web_search', 'external', { query: 'heat pumps' }), completed('a', value)]);
  const call = turns[0]!.items.find((item) => item.kind === 'call')!;
  expect(pagesFound(call)).toEqual([
    { title: 'Heat pumps', url: 'https://a.example/p', host: 'a.example', snippet: 'They pay off.', date: expect.stringMatching(/^1 Oct/) },
    { title: 'https://b.example/', url: 'https://b.example/', host: 'b.example', snippet: '', date: '' },
  ]);
});
