// What of the page could hide something: characters that nobody sees, in its words or in what a screen reader reads.

import { pieces } from '../shared/invisible';

/** Each text and each name that has such a character, shown by its code. */
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
