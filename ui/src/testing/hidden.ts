// Finds invisible characters in the page's text and accessible names.

import { pieces } from '../shared/invisible';

/** Each text or name with such a character, shown by its code. */
export function hidden(root: HTMLElement = document.body): string[] {
  const walker = document.createTreeWalker(root, NodeFilter.SHOW_TEXT);
  const texts: string[] = [];
  for (let node = walker.nextNode(); node !== null; node = walker.nextNode()) texts.push((node as Text).data);
  for (const name of ['aria-label', 'aria-description', 'title', 'alt', 'placeholder']) {
    for (const element of root.querySelectorAll(`[${name}]`)) texts.push(`${name}: ${element.getAttribute(name) ?? ''}`);
  }
  return texts
    .map((text) => ({ text, found: pieces(text) }))
    .filter(({ found }) => found.some(({ code }) => code !== null))
    .map(({ found }) => found.map(({ text, code }) => code ?? text).join(''));
}
