// Handles the focus when the focused element disappears.

/** Whether nothing is focused, because the focused element was removed. */
export function focusIsLost(): boolean {
  return document.activeElement === null || document.activeElement === document.body;
}

/**
 * Runs a field's blur action. Nothing may be unmounted while the focus moves to the next field: a dialog that
 * sees a removal without a focused element takes the focus.
 */
export function onceFocusMoved(act: () => void): void {
  setTimeout(act, 0);
}
