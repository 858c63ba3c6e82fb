// Detects a `[[` being typed at the caret.

export interface Mention {
  /** Index of its first bracket. */
  readonly at: number;
  readonly query: string;
}

/** Characters; longer than any note's name. */
const LONGEST = 120;

export function mentionAt(text: string, caret: number): Mention | null {
  const at = text.lastIndexOf('[[', Math.max(0, caret - 2));
  if (at < 0 || at + 2 > caret) return null;
  const query = text.slice(at + 2, caret);
  return query.length > LONGEST || /[[\]\n|#]/.test(query) ? null : { at, query };
}

/** The text with the typed mention replaced by a link, and the new caret. */
export function withMention(text: string, { at, query }: Mention, note: string): { text: string; caret: number } {
  const link = `[[${note}]]`;
  const rest = text.slice(at + 2 + query.length).replace(/^\]\]/, '');
  const gap = rest === '' ? ' ' : '';
  return { text: text.slice(0, at) + link + gap + rest, caret: at + link.length + gap.length };
}

/** The text with the typed mention replaced by an attachment's name. */
export function withNamed(text: string, { at, query }: Mention, name: string): { text: string; caret: number } {
  const rest = text.slice(at + 2 + query.length).replace(/^\]\]/, '');
  const gap = rest === '' ? ' ' : '';
  return { text: text.slice(0, at) + name + gap + rest, caret: at + name.length + gap.length };
}
