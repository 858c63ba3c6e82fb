// The window's keys. A single table: the window listens by it, the list of keys and the settings show it.
import { latinKey } from './latin-key';

/** An action with configurable keys. */
export interface KeyAction {
  readonly id: string;
  readonly label: string;
  /** The default; "Ctrl" is ⌘ on macOS. */
  readonly keys: string;
}

export const keyActions = [
  { id: 'palette', label: 'Search chats and commands', keys: 'Ctrl K' },
  { id: 'open-note', label: 'Open a note', keys: 'Ctrl O' },
  { id: 'new-chat', label: 'New chat', keys: 'Ctrl N' },
  { id: 'composer', label: 'Focus the message field', keys: 'Ctrl L' },
  { id: 'find', label: 'Find in this chat', keys: 'Ctrl F' },
  { id: 'quote', label: 'Quote selection', keys: 'Ctrl Shift Q' },
  { id: 'list', label: 'Show or hide the chat list', keys: 'Ctrl B' },
  { id: 'panel', label: 'Show or hide the right panel', keys: 'Ctrl .' },
  { id: 'wide', label: 'Widen the panel', keys: 'Ctrl Shift .' },
  { id: 'approval', label: 'Go to the waiting approval', keys: 'Ctrl Shift A' },
  { id: 'zoom-in', label: 'Zoom in', keys: 'Ctrl =' },
  { id: 'zoom-out', label: 'Zoom out', keys: 'Ctrl -' },
  { id: 'zoom-reset', label: 'Actual size', keys: 'Ctrl 0' },
  { id: 'settings', label: 'Settings', keys: 'Ctrl ,' },
  { id: 'next-region', label: 'Next pane', keys: 'F6' },
  { id: 'previous-region', label: 'Previous pane', keys: 'Shift F6' },
] as const satisfies readonly KeyAction[];

export type KeyActionId = (typeof keyActions)[number]['id'];

/** Keys that cannot be changed. */
export const fixedKeys: readonly { readonly keys: string; readonly label: string }[] = [
  { keys: 'Enter', label: 'Send; queued while Nova is answering' },
  { keys: 'Shift Enter', label: 'New line' },
  { keys: '/', label: 'Insert a tool' },
  { keys: '[[', label: 'Link a note' },
  { keys: '↑', label: 'Edit the last message, or go to the day, in an empty field' },
  { keys: 'Esc', label: 'Close; stop the answer, in an empty field' },
  { keys: 'Ctrl Enter', label: 'Allow once or run, in a card or form' },
  { keys: 'Ctrl 1…9', label: 'Open a skill’s panel' },
  { keys: 'J K', label: 'Next, previous in a list' },
  { keys: 'Space', label: 'Tick off a task, in the day' },
  { keys: 'O', label: 'Open the note in Obsidian, in a list' },
  { keys: '?', label: 'Show keyboard shortcuts' },
];

type Chosen = Readonly<Record<string, string>>;

/** An action's keys: custom or default. */
export function keysOf(chosen: Chosen, id: KeyActionId): string {
  return chosen[id] ?? keyActions.find((action) => action.id === id)?.keys ?? '';
}

/** The action with these keys; null if they are free. */
export function actionFor(chosen: Chosen, keys: string): KeyActionId | null {
  return keyActions.find(({ id }) => keysOf(chosen, id) === keys)?.id ?? null;
}

export interface Pressed {
  readonly key: string;
  readonly code: string;
  readonly altKey: boolean;
  readonly shiftKey: boolean;
  /** Ctrl, or ⌘ on macOS. */
  readonly main: boolean;
}

/** "Ctrl Shift A" for a pressed key; null while only modifiers are pressed. */
export function pressedKeys({ key, code, altKey, shiftKey, main }: Pressed): string | null {
  const name = keyName(key, code);
  if (name === null) return null;
  // Plus and minus vary by keyboard, and plus may need Shift.
  if (main && !altKey && (key === '+' || key === '=')) return 'Ctrl =';
  if (main && !altKey && key === '-') return 'Ctrl -';
  return [main ? 'Ctrl' : '', altKey ? 'Alt' : '', shiftKey ? 'Shift' : '', name].filter(Boolean).join(' ');
}

/** Why an action cannot have these keys; null if it can. */
export function refusal(chosen: Chosen, id: KeyActionId, keys: string): string | null {
  const other = actionFor(chosen, keys);
  if (other !== null && other !== id) return `${keys} is “${keyActions.find((action) => action.id === other)?.label}”.`;
  if (/^Ctrl [1-9]$/.test(keys)) return `${keys} opens a skill’s panel.`;
  if (taken.has(keys)) return `${keys} is reserved for editing text.`;
  if (!/^F\d+$/.test(keys.split(' ').at(-1) ?? '') && !keys.startsWith('Ctrl ')) return 'Add Ctrl, or use a function key.';
  return null;
}

/** Reserved by text fields. */
const taken = new Set(['Ctrl A', 'Ctrl C', 'Ctrl V', 'Ctrl X', 'Ctrl Z', 'Ctrl Y', 'Ctrl Shift Z', 'Ctrl Enter', 'Ctrl Backspace']);

/** Punctuation by physical key, since Shift changes the character. */
const signs: Readonly<Record<string, string>> = { Period: '.', Comma: ',', Slash: '/', Semicolon: ';', Minus: '-', Equal: '=' };

function keyName(key: string, code: string): string | null {
  if (['Control', 'Shift', 'Alt', 'Meta', 'AltGraph', 'Dead'].includes(key)) return null;
  const letter = latinKey({ key, code });
  if (/^[a-z]$/i.test(letter)) return letter.toUpperCase();
  return signs[code] ?? (/^Digit(\d)$/.exec(code)?.[1] || (key === ' ' ? 'Space' : key));
}
