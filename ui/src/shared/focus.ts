// Where the focus is when what had it is gone.

/** Nothing has it: the element that had it was taken away. */
export function focusIsLost(): boolean {
  return document.activeElement === null || document.activeElement === document.body;
}

/**
 * What a field does when it is left. Nothing may go from the page while the focus is on its way to the
 * next field: a dialog that sees something go while nothing has the focus takes it for itself.
 */
export function onceFocusMoved(act: () => void): void {
  setTimeout(act, 0);
}
