// Characters that are invisible to readers but not to programs: they could hide a second meaning in a text
// that is to be approved.

export interface Piece {
  readonly text: string;
  /** `U+200B` for an invisible character. */
  readonly code: string | null;
}

/** Splits the text at invisible characters. Line ends, tabs and emoji joiners are kept. */
export function pieces(text: string): Piece[] {
  const found: Piece[] = [];
  let from = 0;
  for (const { 0: char, index } of text.matchAll(INVISIBLE)) {
    if (isHarmless(text, char, index)) continue;
    if (index > from) found.push({ text: text.slice(from, index), code: null });
    found.push({ text: char, code: `U+${(char.codePointAt(0) ?? 0).toString(16).toUpperCase().padStart(4, '0')}` });
    from = index + char.length;
  }
  if (from < text.length) found.push({ text: text.slice(from), code: null });
  return found;
}

/** As a single string, for names and titles: `a[U+200B]b`. */
export function revealed(text: string): string {
  return pieces(text)
    .map(({ text: plain, code }) => (code === null ? plain : `[${code}]`))
    .join('');
}

// Format and control characters, line separators, blank letters, variation selectors.
const INVISIBLE = /[\p{Cf}\p{Cc}\p{Zl}\p{Zp}\u034f\u115f\u1160\u17b4\u17b5\u2800\u3164\uffa0\ufe00-\ufe0f\u{e0100}-\u{e01ef}]/gu;
const EMOJI_BEFORE = /[\p{Extended_Pictographic}0-9#*]$/u;
/** An emoji before a joiner, with its skin tone. */
const PICTURE_BEFORE = /\p{Extended_Pictographic}[\ufe0f\u{1f3fb}-\u{1f3ff}]?$/u;
const PICTURE_BEHIND = /^\p{Extended_Pictographic}/u;
/** Maximum code units matched by the two patterns before. */
const NEAR = 4;

function isHarmless(text: string, char: string, at: number): boolean {
  const before = () => text.slice(Math.max(0, at - NEAR), at);
  switch (char) {
    case '\n':
    case '\t':
      return true;
    case '\r':
      return text[at + 1] === '\n';
    case '\ufe0f':
      return EMOJI_BEFORE.test(before());
    case '\u200d':
      return PICTURE_BEFORE.test(before()) && PICTURE_BEHIND.test(text.slice(at + 1, at + 3));
    default:
      return false;
  }
}
