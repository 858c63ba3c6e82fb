/**
 * The key of an event for shortcuts. Non-Latin layouts have none of their letters: there the physical
 * position counts, so that Ctrl K is the same key in Russian, Greek or Arabic. Latin layouts report the
 * letter themselves, wherever it is (AZERTY, Dvorak).
 */
export function latinKey({ key, code }: { readonly key: string; readonly code: string }): string {
  const letter = /^Key([A-Z])$/.exec(code)?.[1];
  if (letter === undefined || !ofOtherScript.test(key)) return key;
  return key === key.toLowerCase() ? letter.toLowerCase() : letter;
}

/** Letters with their combining marks; one key of an Arabic keyboard produces two. */
const ofOtherScript = /^(?:(?![\p{Script=Latin}\p{Script=Common}])[\p{L}\p{M}])+$/u;
