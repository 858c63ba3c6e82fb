// Detects a `/` that opens the picker.

/** A word that began with a typed `/`. */
export interface Slash {
  /** Index of the `/`. */
  readonly at: number;
  /** The text after it, up to the caret. */
  readonly query: string;
}

/** The word at the caret, if the picker may be open for it. */
export function slashAt(text: string, at: number, caret: number): Slash | null {
  if (text[at] !== '/' || caret <= at || !startsWord(text, at)) return null;
  const query = text.slice(at + 1, caret);
  // A second slash makes it a path, a space ends the word.
  return /[\s/\\:]/.test(query) ? null : { at, query };
}

/** The relevant data of an input event. */
export interface Input {
  /** Empty if unknown. */
  readonly inputType: string;
  readonly data: string | null;
}

/** Whether a `/` has just been typed at a word start. */
export function opensPicker(before: string, text: string, caret: number, { inputType, data }: Input): boolean {
  if (slashAt(text, caret - 1, caret) === null) return false;
  // Pasted, dropped or restored text does not open it.
  if (inputType !== '' && !TYPED.has(inputType)) return false;
  // Without an event, a single new character counts as typed.
  return data === null ? text.length === before.length + 1 && text.slice(0, caret - 1) + text.slice(caret) === before : data === '/';
}

/** Some systems report IME input as the last one. */
const TYPED = new Set(['insertText', 'insertCompositionText', 'insertFromComposition']);

/** The text without the word, and the new caret. */
export function withoutSlash(text: string, slash: Slash): { text: string; caret: number } {
  const before = text.slice(0, slash.at);
  const after = text.slice(slash.at + 1 + slash.query.length);
  const doubled = /\s$/.test(before) && /^ /.test(after);
  return { text: before + (doubled ? after.slice(1) : after), caret: slash.at };
}

/** The same position with another word after the slash. */
export function withQuery(text: string, slash: Slash, query: string): { text: string; caret: number } {
  const after = text.slice(slash.at + 1 + slash.query.length);
  return { text: text.slice(0, slash.at + 1) + query + after, caret: slash.at + 1 + query.length };
}

function startsWord(text: string, at: number): boolean {
  return at === 0 || /\s/.test(text[at - 1] ?? '');
}
