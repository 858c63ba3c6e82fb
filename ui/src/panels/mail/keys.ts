// Keys of the mail panel, as common in mail programs, anywhere in it.

import { latinKey } from '../../state/latin-key';
import { isWritable, type MailContext } from './context';
import type { Message } from './messages';

export function keysOf(mail: MailContext) {
  const { state, dispatch, messages, acts, has } = mail;

  return (event: KeyboardEvent) => {
    const region = event.currentTarget;
    if (event.defaultPrevented || event.ctrlKey || event.metaKey || event.altKey || !(region instanceof HTMLElement) || isElsewhere(event.target, region)) return;
    const key = latinKey(event);
    // `#` needs Shift on many keyboards.
    if (event.shiftKey && key !== '#') return;
    const act = actOf(key, region);
    if (act === null) return;
    event.preventDefault();
    event.stopPropagation();
    act();
  };

  function actOf(key: string, region: HTMLElement): (() => void) | null {
    switch (key) {
      case 'j':
        return () => focusRow(region, 1);
      case 'k':
        return () => focusRow(region, -1);
      case '/':
        return () => region.querySelector<HTMLElement>('[data-mail-search] input')?.focus();
      case 'g':
        return () => region.querySelector<HTMLElement>('[data-testid=mail-folder]')?.focus();
      case 'Escape':
        return state.open === null && state.writing === null ? null : () => close(region);
      default: {
        const message = meant();
        return message && actOn(key, message, region);
      }
    }
  }

  function actOn(key: string, message: Message, region: HTMLElement): (() => void) | null {
    const may = (tool: string) => has(tool) && isWritable(mail, message);
    switch (key) {
      case 'e':
        return may('archive') ? () => acts.archive(message) : null;
      case '#':
        return may('delete') ? () => acts.remove(message) : null;
      case 'u':
        return may('mark') ? () => acts.mark(message, !message.unread) : null;
      case 'r':
        return has('reply') ? () => dispatch({ type: 'writes', writing: { kind: 'reply', to: message } }) : null;
      case 'l':
        return () => region.querySelector<HTMLElement>('[data-mail-log]')?.focus();
      case 's':
        return () => region.querySelector<HTMLElement>('[data-mail-save]')?.click();
      default:
        return null;
    }
  }

  /** The focused message of the list, else the open one. */
  function meant(): Message | null {
    const focused = document.activeElement?.closest<HTMLElement>('[data-mail]')?.dataset['mail'];
    const id = focused ?? state.open?.id;
    return messages.find((message) => message.id === id) ?? (focused === undefined ? state.open : null);
  }

  function focusRow(region: HTMLElement, by: 1 | -1): void {
    const rows = [...region.querySelectorAll<HTMLElement>('[data-mail]')];
    const focused = rows.findIndex((row) => row === document.activeElement);
    const at = focused < 0 ? rows.findIndex((row) => row.dataset['mail'] === state.open?.id) : focused;
    const next = rows[at < 0 ? 0 : Math.min(rows.length - 1, Math.max(0, at + by))];
    next?.focus();
    next?.scrollIntoView?.({ block: 'nearest' });
  }

  /** Returns to the list, at the message that was open. */
  function close(region: HTMLElement): void {
    const id = state.open?.id ?? '';
    dispatch({ type: 'closed' });
    requestAnimationFrame(() => [...region.querySelectorAll<HTMLElement>('[data-mail]')].find((row) => row.dataset['mail'] === id)?.focus());
  }
}

/** In text fields, in controls that use arrow keys, or below an overlay. */
function isElsewhere(target: EventTarget | null, region: HTMLElement): boolean {
  if (!(target instanceof Element)) return true;
  if (target.closest('input, textarea, select, [contenteditable=true], [role=menu], [data-testid=approval-card]')) return true;
  const dialog = target.closest('[role=dialog]');
  return dialog !== null && dialog !== region;
}
