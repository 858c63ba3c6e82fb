// J and K in lists, one way for all of them. A list has `data-list` and `onKeyDown={listKeys}`, each of its items
// `data-list-item`; an item that is a note's has `data-note-path`, by which O opens it in Obsidian.

import type { KeyboardEvent } from 'react';

import { latinKey } from '../state/latin-key';

/** J, K and the arrows move between the items; Enter, being on a button, does what the item does. */
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

/** The note of the item that has the focus, where O is pressed in it. */
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

/** To the next item with J or the arrow down, to the one before with K or the arrow up. */
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

/** The item itself where it can be focused, else the first thing in it that can. */
function stopOf(item: HTMLElement): HTMLElement | null {
  const stops = 'button:not(:disabled), a[href], [tabindex]';
  return item.matches(stops) ? item : item.querySelector<HTMLElement>(stops);
}
