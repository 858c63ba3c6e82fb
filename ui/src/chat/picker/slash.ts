// Where in the text a `/` asks for the picker.

/** A word that began with a typed `/`. */
export interface Slash {
  /** Where the `/` stands. */
  readonly at: number;
  /** What is typed behind it, up to the caret. */
  readonly query: string;
}

/** The word that the caret is at the end of or in, if the picker may be about it. */
export function slashAt(text: string, at: number, caret: number): Slash | null {
  if (text[at] !== '/' || caret <= at || !startsWord(text, at)) return null;
  const query = text.slice(at + 1, caret);
  // A second slash makes it a path, a blank ends the word.
  return /[\s/\\:]/.test(query) ? null : { at, query };
}

/** What an input event tells of itself. */
export interface Input {
  /** Empty where it is not told. */
  readonly inputType: string;
  readonly data: string | null;
}

/** Whether a `/` has just been typed at a word start. */
export function opensPicker(before: string, text: string, caret: number, { inputType, data }: Input): boolean {
  if (slashAt(text, caret - 1, caret) === null) return false;
  // What was pasted, dropped or brought back is no question for a tool.
  if (inputType !== '' && !TYPED.has(inputType)) return false;
  // Without an event, one more character counts as typed, and several at once do not.
  return data === null ? text.length === before.length + 1 && text.slice(0, caret - 1) + text.slice(caret) === before : data === '/';
}

/** The last is how some systems tell what an input method wrote. */
const TYPED = new Set(['insertText', 'insertCompositionText', 'insertFromComposition']);

/** The text without the word, and where the caret stands then. */
export function withoutSlash(text: string, slash: Slash): { text: string; caret: number } {
  const before = text.slice(0, slash.at);
  const after = text.slice(slash.at + 1 + slash.query.length);
  const doubled = /\s$/.test(before) && /^ /.test(after);
  return { text: before + (doubled ? after.slice(1) : after), caret: slash.at };
}

/** The same place with another word behind the slash. */
export function withQuery(text: string, slash: Slash, query: string): { text: string; caret: number } {
  const after = text.slice(slash.at + 1 + slash.query.length);
  return { text: text.slice(0, slash.at + 1) + query + after, caret: slash.at + 1 + query.length };
}

function startsWord(text: string, at: number): boolean {
  return at === 0 || /\s/.test(text[at - 1] ?? '');
}
