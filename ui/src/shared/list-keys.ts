// J and K for all lists. A list has `data-list` and `onKeyDown={listKeys}`, each item `data-list-item`; an
// item with a note has `data-note-path`, which O opens in Obsidian.

import type { KeyboardEvent } from 'react';

import { latinKey } from '../state/latin-key';

/** J, K and the arrows move between items; Enter is handled by the focused button. */
export function listKeys(event: KeyboardEvent<HTMLElement>): void {
  if (event.defaultPrevented || isTyping(event.target)) return;
  const by = listStep(event);
  const list = event.currentTarget;
  const from = (event.target as Element).closest<HTMLElement>('[data-list-item]');
  if (by === 0 || from === null || listOf(from) !== list) return;
  const items = [...list.querySelectorAll<HTMLElement>('[data-list-item]')].filter((item) => listOf(item) === list);
  const next = items[items.indexOf(from) + by];
  if (!next) return;
  event.preventDefault();
  stopOf(next)?.focus();
}

/** The note of the focused item, if O is pressed. */
export function noteForO(event: Pressed & { readonly target: EventTarget | null }): string | null {
  if (latinKey(event) !== 'o' || hasModifier(event) || isTyping(event.target) || !(event.target instanceof Element)) return null;
  return event.target.closest<HTMLElement>('[data-note-path]')?.dataset['notePath'] ?? null;
}

interface Pressed {
  readonly key: string;
  readonly code: string;
  readonly ctrlKey: boolean;
  readonly metaKey: boolean;
  readonly altKey: boolean;
}

/** +1 for J or arrow down, -1 for K or arrow up. */
export function listStep(event: Pressed): -1 | 0 | 1 {
  if (hasModifier(event)) return 0;
  const key = latinKey(event);
  if (key === 'j' || key === 'ArrowDown') return 1;
  return key === 'k' || key === 'ArrowUp' ? -1 : 0;
}

function hasModifier({ ctrlKey, metaKey, altKey }: Pressed): boolean {
  return ctrlKey || metaKey || altKey;
}

function isTyping(target: EventTarget | null): boolean {
  return target instanceof Element && target.closest('input, textarea, select, [contenteditable=true]') !== null;
}

function listOf(item: HTMLElement): Element | null {
  return item.parentElement?.closest('[data-list]') ?? null;
}

/** The item itself if focusable, else its first focusable descendant. */
function stopOf(item: HTMLElement): HTMLElement | null {
  const stops = 'button:not(:disabled), a[href], [tabindex]';
  return item.matches(stops) ? item : item.querySelector<HTMLElement>(stops);
}
