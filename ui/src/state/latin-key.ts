/**
 * The key of an event as shortcuts read it. A layout of another script has none of their letters: there the key counts
 * for the letter in its place on a keyboard that has them, so that Ctrl K is one key in Russian, Greek or Arabic too.
 * Latin layouts say themselves which letter is meant, wherever they have it (AZERTY, Dvorak).
 */
export function latinKey({ key, code }: { readonly key: string; readonly code: string }): string {
  const letter = /^Key([A-Z])$/.exec(code)?.[1];
  if (letter === undefined || !ofOtherScript.test(key)) return key;
  return key === key.toLowerCase() ? letter.toLowerCase() : letter;
}

/** Letters and the signs that are written above and below them; one key of an Arabic keyboard writes two. */
const ofOtherScript = /^(?:(?![\p{Script=Latin}\p{Script=Common}])[\p{L}\p{M}])+$/u;
