// What the keys of the window do. One table: the window listens by it, the sheet and the settings list it.
import { latinKey } from './latin-key';

/** What can be given other keys. */
export interface KeyAction {
  readonly id: string;
  readonly label: string;
  /** As it comes; "Ctrl" is ⌘ on macOS. */
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

/** Keys that mean the same everywhere and stay as they are. */
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

/** The keys of an action: the user's, else its own. */
export function keysOf(chosen: Chosen, id: KeyActionId): string {
  return chosen[id] ?? keyActions.find((action) => action.id === id)?.keys ?? '';
}

/** What has these keys now; none where nobody has. */
export function actionFor(chosen: Chosen, keys: string): KeyActionId | null {
  return keyActions.find(({ id }) => keysOf(chosen, id) === keys)?.id ?? null;
}

export interface Pressed {
  readonly key: string;
  readonly code: string;
  readonly altKey: boolean;
  readonly shiftKey: boolean;
  /** Ctrl, on macOS ⌘. */
  readonly main: boolean;
}

/** "Ctrl Shift A" of a key that was pressed; none while only modifiers are down. */
export function pressedKeys({ key, code, altKey, shiftKey, main }: Pressed): string | null {
  const name = keyName(key, code);
  if (name === null) return null;
  // Plus and minus are elsewhere on each keyboard, and plus may need Shift.
  if (main && !altKey && (key === '+' || key === '=')) return 'Ctrl =';
  if (main && !altKey && key === '-') return 'Ctrl -';
  return [main ? 'Ctrl' : '', altKey ? 'Alt' : '', shiftKey ? 'Shift' : '', name].filter(Boolean).join(' ');
}

/** Why an action cannot have these keys; none where it can. */
export function refusal(chosen: Chosen, id: KeyActionId, keys: string): string | null {
  const other = actionFor(chosen, keys);
  if (other !== null && other !== id) return `${keys} is “${keyActions.find((action) => action.id === other)?.label}”.`;
  if (/^Ctrl [1-9]$/.test(keys)) return `${keys} opens a skill’s panel.`;
  if (taken.has(keys)) return `${keys} is reserved for editing text.`;
  if (!/^F\d+$/.test(keys.split(' ').at(-1) ?? '') && !keys.startsWith('Ctrl ')) return 'Add Ctrl, or use a function key.';
  return null;
}

/** What every text field does by itself. */
const taken = new Set(['Ctrl A', 'Ctrl C', 'Ctrl V', 'Ctrl X', 'Ctrl Z', 'Ctrl Y', 'Ctrl Shift Z', 'Ctrl Enter', 'Ctrl Backspace']);

/** Signs by their place on the keyboard: with Shift they are written differently. */
const signs: Readonly<Record<string, string>> = { Period: '.', Comma: ',', Slash: '/', Semicolon: ';', Minus: '-', Equal: '=' };

function keyName(key: string, code: string): string | null {
  if (['Control', 'Shift', 'Alt', 'Meta', 'AltGraph', 'Dead'].includes(key)) return null;
  const letter = latinKey({ key, code });
  if (/^[a-z]$/i.test(letter)) return letter.toUpperCase();
  return signs[code] ?? (/^Digit(\d)$/.exec(code)?.[1] || (key === ' ' ? 'Space' : key));
}
