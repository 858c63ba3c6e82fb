// Syntax highlighting in messages. The library tokenises; the colours are design tokens (html.css).

import { lazy, remembered } from './lazy';

/** Characters. Longer code is not highlighted, as it would block the window. */
const MOST = 50_000;
/** Characters. Streaming code is highlighted again every few letters. */
const MOST_WHILE_GROWING = 4000;

export const highlighter = lazy(() => import('highlight.js/lib/common').then((library) => library.default));

/** Highlights the code below `root`. False if the library is not loaded yet. */
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

/** The language of a code element: "rust". */
export function languageOf(code: Element | null): string | null {
  return /(?:^|\s)language-(\S+)/.exec(code?.className ?? '')?.[1]?.toLowerCase() ?? null;
}

const colour = remembered((text, language) => {
  const value = highlighter.now()?.highlight(text, { language, ignoreIllegals: true }).value;
  if (value === undefined) return null;
  // The library escapes the text; parsed in a detached fragment, nothing could run anyway.
  const fragment = document.createDocumentFragment();
  fragment.append(...new DOMParser().parseFromString(value, 'text/html').body.childNodes);
  return fragment;
});
