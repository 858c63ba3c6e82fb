// Where the focus is when what had it is gone.

/** Nothing has it: the element that had it was taken away. */
export function focusIsLost(): boolean {
  return document.activeElement === null || document.activeElement === document.body;
}
