// The source pages of a chat's answers, numbered throughout the chat. Pure.
import type { SourceView } from '../../ipc';
import { counted, dateText } from '../../shared';
import type { CitedPage } from '../../shared/rich/cite';
import type { CallItem, SessionState } from '../../state/session';
import { isObject } from '../wording';

/** A page fetched by a call. */
export interface PageRead {
  readonly url: string;
  readonly title: string;
  readonly host: string;
  /** "dated 2 Nov", "no date on the page". */
  readonly dated: string;
  /** Time of the fetch, RFC 3339. */
  readonly at: string;
}

/** The calls of the chat that read a page, oldest first. */
export function pageCalls({ turns }: SessionState): readonly CallItem[] {
  return turns.flatMap(({ items }) => items.flatMap((item) => (item.kind === 'call' && pageOf(item) !== null ? [item] : [])));
}

export function pageOf({ tool, state, result }: CallItem): PageRead | null {
  if (tool !== 'core.web_fetch' || state !== 'done') return null;
  const source = result?.sources.find((one) => one.kind === 'web' && one.title !== undefined);
  return source?.kind === 'web' ? pageRead(source) : null;
}

function pageRead({ url, title, date, at }: Extract<SourceView, { kind: 'web' }>): PageRead {
  return { url, title: title ?? url, host: hostOf(url), dated: dated(date), at };
}

/** By address, including the requested one before redirects. */
export function citedPages(calls: readonly CallItem[]): ReadonlyMap<string, CitedPage> {
  const pages = new Map<string, CitedPage>();
  let last = 0;
  for (const call of calls) {
    const page = pageOf(call);
    if (page === null) continue;
    const asked = isObject(call.args) && typeof call.args['url'] === 'string' ? call.args['url'] : page.url;
    const addresses = [page.url, asked].map(plainAddress);
    const known = addresses.map((address) => pages.get(address)).find((one) => one !== undefined);
    const cited = known ?? { number: ++last, label: `${page.title}, ${page.host}, ${page.dated}` };
    for (const address of addresses) pages.set(address, cited);
  }
  return pages;
}

/** An address without its fragment. */
export function plainAddress(address: string): string {
  if (!URL.canParse(address)) return address;
  const url = new URL(address);
  url.hash = '';
  return url.href;
}

/** A search result. */
export interface PageFound {
  readonly url: string;
  readonly title: string;
  readonly host: string;
  /** "2 Nov"; empty if unknown. */
  readonly date: string;
  readonly snippet: string;
}

export function pagesFound({ tool, state, result }: CallItem): readonly PageFound[] | null {
  const value = result?.value;
  if (tool !== 'core.web_search' || state !== 'done' || !isObject(value)) return null;
  const results = value['results'];
  if (!Array.isArray(results)) return null;
  return results.filter(isObject).map(({ url, title, snippet, date }) => {
    const address = textOf(url);
    return { url: address, title: textOf(title) || address, host: hostOf(address), date: dayOf(textOf(date)), snippet: textOf(snippet) };
  });
}

/** The line of a fetched page: "quillon.example, main text of 1,840 words". */
export function readSummary(call: CallItem): string | null {
  const page = pageOf(call);
  const value = call.result?.value;
  if (page === null || !isObject(value)) return null;
  const words = typeof value['words'] === 'number' ? `main text of ${counted(value['words'], 'word')}` : textOf(value['kind']);
  const offset = isObject(call.args) && typeof call.args['offset'] === 'number' ? `from line ${call.args['offset']}` : '';
  return [page.host, words, offset].filter(Boolean).join(', ');
}

function dated(date: string | undefined): string {
  const day = dayOf(date ?? '');
  return day === '' ? 'no date on the page' : `dated ${day}`;
}

function dayOf(date: string): string {
  const day = /^\d{4}-\d{2}-\d{2}$/.test(date) ? new Date(`${date}T00:00`) : null;
  return day === null || Number.isNaN(day.getTime()) ? '' : dateText(day);
}

function hostOf(url: string): string {
  return URL.canParse(url) ? new URL(url).host.replace(/^www\./, '') : url;
}

function textOf(value: unknown): string {
  return typeof value === 'string' ? value : '';
}
