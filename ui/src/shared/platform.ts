/** Whether the main modifier is ⌘, which also affects how keys are written. */
const mac = navigator.userAgent.includes('Mac');

/** "Ctrl K" → "⌘K" on macOS. */
export function keyText(keys: string): string {
  if (!mac) return keys;
  return keys.replace(/Ctrl /, '⌘').replace(/Shift /, '⇧');
}

/** Whether the main modifier is held: Ctrl, or ⌘ on macOS. */
export function mainModifier(event: { ctrlKey: boolean; metaKey: boolean }): boolean {
  return mac ? event.metaKey && !event.ctrlKey : event.ctrlKey && !event.metaKey;
}
