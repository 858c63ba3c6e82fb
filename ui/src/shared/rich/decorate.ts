// Adds to rendered Markdown: bars over code, scrollable tables, labels for check boxes.

import { languageOf } from './code';

/** Once each time the HTML is set. */
export function decorate(root: HTMLElement): void {
  for (const pre of root.querySelectorAll<HTMLElement>('pre')) {
    if (pre.parentElement?.classList.contains('nova-code')) continue;
    const language = languageOf(pre.querySelector('code'));
    const bar = made('div', 'nova-code-bar', made('span', '', language ?? 'text'), copyButton());
    const frame = made('div', 'nova-code');
    pre.replaceWith(frame);
    frame.append(bar, pre);
    scrolls(pre, language ? `Code, ${language}` : 'Code');
  }
  for (const table of root.querySelectorAll('table')) {
    if (table.parentElement?.classList.contains('nova-table')) continue;
    const frame = made('div', 'nova-table');
    table.replaceWith(frame);
    frame.append(table);
    scrolls(frame, 'Table');
  }
  for (const box of root.querySelectorAll<HTMLInputElement>('input[type=checkbox]')) {
    box.setAttribute('aria-label', box.checked ? 'Done' : 'Open');
  }
  for (const link of root.querySelectorAll<HTMLElement>('a[data-note]:not([href]), a[data-footnote-ref]')) {
    link.tabIndex = 0;
    link.setAttribute('role', 'link');
    const footnote = link.dataset['footnoteRef'];
    if (footnote) link.setAttribute('aria-label', `Footnote ${footnote}`);
  }
  for (const link of root.querySelectorAll<HTMLElement>('a[data-image]')) link.dataset['tip'] = `Image, not loaded: ${link.getAttribute('href')}`;
}

/** The text of the code whose Copy was clicked, or null. */
export function copied(target: Element): { readonly text: string; readonly button: HTMLElement } | null {
  const button = target.closest<HTMLElement>('.nova-copy');
  const code = button?.closest('.nova-code')?.querySelector('pre');
  return button && code ? { text: (code.textContent ?? '').replace(/\n$/, ''), button } : null;
}

/** Makes a scrollable element reachable by keyboard. */
function scrolls(element: HTMLElement, label: string): void {
  element.tabIndex = 0;
  element.setAttribute('role', 'group');
  element.setAttribute('aria-label', label);
}

function copyButton(): HTMLElement {
  const button = made('button', 'nova-copy', 'Copy');
  button.setAttribute('type', 'button');
  button.setAttribute('aria-label', 'Copy code');
  return button;
}

function made(tag: string, name: string, ...inside: (Node | string)[]): HTMLElement {
  const element = document.createElement(tag);
  if (name) element.className = name;
  element.append(...inside);
  return element;
}
