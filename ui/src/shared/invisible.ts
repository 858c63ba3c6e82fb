// Characters that a reader cannot see but a program obeys: they could hide a second meaning in what
// is shown before it is allowed.

export interface Piece {
  readonly text: string;
  /** `U+200B` for a character that has no look of its own. */
  readonly code: string | null;
}

// Format and control characters, line separators, blanks that pass for nothing, variation selectors.
const INVISIBLE = /[\p{Cf}\p{Cc}\p{Zl}\p{Zp}\u034f\u115f\u1160\u17b4\u17b5\u2800\u3164\uffa0\ufe00-\ufe0f\u{e0100}-\u{e01ef}]/u;
const EMOJI_BEFORE = /[\p{Extended_Pictographic}0-9#*]$/u;

/** The text in pieces, each invisible character on its own. Line breaks and tabs are left in. */
export function pieces(text: string): Piece[] {
  const found: Piece[] = [];
  let plain = '';
  for (const char of text) {
    const harmless = char === '\n' || char === '\t' || (char === '\ufe0f' && EMOJI_BEFORE.test(plain));
    if (harmless || !INVISIBLE.test(char)) {
      plain += char;
      continue;
    }
    if (plain) found.push({ text: plain, code: null });
    plain = '';
    found.push({ text: char, code: `U+${(char.codePointAt(0) ?? 0).toString(16).toUpperCase().padStart(4, '0')}` });
  }
  if (plain) found.push({ text: plain, code: null });
  return found;
}
