// Colours of code in messages. The library knows which word is what; the colours are tokens (html.css).

import { lazy, remembered } from './lazy';

/** Letters. Longer code stays in one colour: it would hold up the window. */
const MOST = 50_000;
/** Letters. While code is still being written it is coloured anew with every few letters. */
const MOST_WHILE_GROWING = 4000;

export const highlighter = lazy(() => import('highlight.js/lib/common').then((library) => library.default));

/** Colours the code below `root`. False where the library has yet to be loaded. */
export function colourCode(root: HTMLElement, growing: boolean): boolean {
  const blocks = [...root.querySelectorAll<HTMLElement>('pre > code[class^="language-"]:not([data-coloured])')];
  if (blocks.length === 0) return true;
  const library = highlighter.now();
  if (!library) return false;
  for (const code of blocks) {
    const text = code.textContent ?? '';
    const language = languageOf(code) ?? '';
    if (text.length > (growing ? MOST_WHILE_GROWING : MOST) || !library.getLanguage(language)) continue;
    const coloured = colour(text, language);
    if (!coloured) continue;
    code.replaceChildren(coloured);
    code.dataset['coloured'] = '';
  }
  return true;
}

/** "rust" of a code element that names its language. */
export function languageOf(code: Element | null): string | null {
  return /(?:^|\s)language-(\S+)/.exec(code?.className ?? '')?.[1]?.toLowerCase() ?? null;
}

const colour = remembered((text, language) => {
  const value = highlighter.now()?.highlight(text, { language, ignoreIllegals: true }).value;
  if (value === undefined) return null;
  // What the library wrote has the text escaped; read apart from the page, nothing of it could run.
  const fragment = document.createDocumentFragment();
  fragment.append(...new DOMParser().parseFromString(value, 'text/html').body.childNodes);
  return fragment;
});
