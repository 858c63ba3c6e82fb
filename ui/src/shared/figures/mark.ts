// Marks figures in rendered text. Nodes are created individually: no text becomes markup.

import { findNumbers, type Known } from './match';

/** Quoted text, or elements with their own action. */
const LEFT_ALONE = 'a, code, pre, button, .math, .nova-figure, .nova-no-source';

/**
 * Makes the figures in the text of `root` openable, and marks amounts without a source. `word` is the text of
 * a figure's chip.
 */
export function markFigures(root: HTMLElement, known: Known, word: (figure: number) => string): void {
  for (const node of textsOf(root)) {
    const text = node.data;
    const found = findNumbers(text, known);
    if (found.length === 0) continue;
    const parts: Node[] = [];
    let from = 0;
    for (const { start, end, figure } of found) {
      parts.push(document.createTextNode(text.slice(from, start)));
      parts.push(figure === null ? withoutSource(text.slice(start, end)) : withSource(text.slice(start, end), figure, word(figure)));
      from = end;
    }
    parts.push(document.createTextNode(text.slice(from)));
    node.replaceWith(...parts);
  }
}

function withSource(text: string, figure: number, word: string): HTMLElement {
  const mark = span('nova-figure', text);
  mark.dataset['figure'] = String(figure);
  mark.tabIndex = 0;
  mark.setAttribute('role', 'button');
  mark.setAttribute('aria-haspopup', 'dialog');
  mark.setAttribute('aria-label', `${text}, ${word}`);
  mark.append(span('nova-figure-word', word));
  return mark;
}

function withoutSource(text: string): HTMLElement {
  const mark = span('nova-no-source', text);
  mark.dataset['tip'] = 'no source';
  mark.append(span('sr-only', ' (no source)'));
  return mark;
}

function span(name: string, text: string): HTMLElement {
  const made = document.createElement('span');
  made.className = name;
  made.textContent = text;
  return made;
}

function textsOf(root: HTMLElement): Text[] {
  const walker = document.createTreeWalker(root, NodeFilter.SHOW_TEXT);
  const texts: Text[] = [];
  for (let node = walker.nextNode(); node !== null; node = walker.nextNode()) {
    if (node.parentElement?.closest(LEFT_ALONE) === null) texts.push(node as Text);
  }
  return texts;
}
