import { Button } from '../shared';

/** Shown on an empty page of the panel. */
export function WriteMessage() {
  return (
    <Button size="s" onClick={() => document.querySelector<HTMLElement>('[data-testid=composer-input]')?.focus()}>
      Write a message
    </Button>
  );
}
