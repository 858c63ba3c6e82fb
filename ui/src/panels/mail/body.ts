// Splits a message's text for rendering: paragraphs, quotes, links with their hosts. All of it is untrusted
// and stays text.

import type { MailLink } from './messages';

export interface Piece {
  readonly text: string;
  /** A link's target. */
  readonly url: string | null;
  /** A link's target host, in ASCII; empty if the text is the host. */
  readonly host: string;
}

export interface Line {
  readonly quoted: boolean;
  readonly pieces: readonly Piece[];
}

/** Lines between empty ones. */
export type Paragraph = readonly Line[];

/** `links` are those of the HTML part, in order. */
export function paragraphsOf(text: string, links: readonly MailLink[]): Paragraph[] {
  const waiting = [...links];
  const paragraphs: Line[][] = [[]];
  for (const line of text.split('\n')) {
    if (line.trim() === '') {
      paragraphs.push([]);
      continue;
    }
    const quote = /^\s*> ?/.exec(line)?.[0] ?? '';
    paragraphs.at(-1)?.push({ quoted: quote !== '', pieces: piecesOf(line.slice(quote.length), waiting) });
  }
  return paragraphs.filter((paragraph) => paragraph.length > 0);
}

/** Consumes the links of this line from the waiting ones. */
function piecesOf(line: string, waiting: MailLink[]): Piece[] {
  const pieces: Piece[] = [];
  let rest = line;
  for (let at = 0; at < waiting.length; ) {
    const link = waiting[at];
    const found = link === undefined || link.text === '' ? -1 : rest.indexOf(link.text);
    if (link === undefined || found < 0) {
      at += 1;
      continue;
    }
    pieces.push(...plain(rest.slice(0, found)), linkPiece(link.text, link.url));
    rest = rest.slice(found + link.text.length);
    waiting.splice(0, at + 1);
    at = 0;
  }
  return [...pieces, ...plain(rest)];
}

/** Web addresses in plain text, without trailing punctuation or brackets. */
const URL_IN_TEXT = /https?:\/\/[^\s<>"“”]+[^\s<>"“”.,;:!?)\]}'»]/gi;

function plain(text: string): Piece[] {
  const pieces: Piece[] = [];
  let from = 0;
  for (const { 0: url, index } of text.matchAll(URL_IN_TEXT)) {
    if (hostOf(url) === null) continue;
    if (index > from) pieces.push(words(text.slice(from, index)));
    pieces.push(linkPiece(url, url));
    from = index + url.length;
  }
  if (from < text.length) pieces.push(words(text.slice(from)));
  return pieces;
}

const words = (text: string): Piece => ({ text, url: null, host: '' });

/** "the folder (files.fernhill.example)" is "the folder", then its host; a bare address is only its host. */
function linkPiece(text: string, url: string): Piece {
  const host = hostOf(url);
  if (host === null) return words(text);
  if (text === url) return { text: host, url, host: '' };
  const said = text.endsWith(` (${host})`) ? text.slice(0, -host.length - 3) : text;
  return { text: said, url, host: said.toLowerCase() === host ? '' : host };
}

/** The host as requested: internationalised names in ASCII form. */
export function hostOf(url: string): string | null {
  try {
    const { protocol, hostname } = new URL(url);
    return (protocol === 'https:' || protocol === 'http:') && hostname !== '' ? hostname : null;
  } catch {
    return null;
  }
}
