import { Button } from '../shared';

/** What a page of the panel that is still empty offers. */
export function WriteMessage() {
  return (
    <Button size="s" onClick={() => document.querySelector<HTMLElement>('[data-testid=composer-input]')?.focus()}>
      Write a message
    </Button>
  );
}
