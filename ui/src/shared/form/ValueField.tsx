// A value used in existing records, typed or chosen. Other values are marked as new.

import { useRef } from 'react';

import { Icon } from '../Icon';
import { matchingValues } from './known';
import type { Control } from './control';
import { SuggestedLine } from './SuggestedLine';
import { useSuggestions, type Suggest } from './Suggestions';

/** More are found by typing. */
const SHOWN = 50;

/** Offers the known values of a field. */
export function offering(known: readonly string[]): Suggest {
  return async (_, text) => matchingValues(known, text).slice(0, SHOWN).map((name) => ({ name, detail: '' }));
}

export function ValueField({ text, ...control }: Control & { readonly text: string }) {
  const { id, field, disabled, write } = control;
  const line = useRef<HTMLInputElement>(null);
  const suggestions = useSuggestions(id, field.key, offering(field.known ?? []), write, { all: true });
  const isOpen = suggestions.found.length > 0;
  return (
    <SuggestedLine {...control} ref={line} text={text} suggestions={suggestions} className="pr-8">
      <button
        type="button"
        // Keyboard users open it with the arrow key.
        tabIndex={-1}
        disabled={disabled}
        aria-label={`Values of ${field.label}`}
        onMouseDown={(event) => event.preventDefault()}
        onClick={() => {
          line.current?.focus();
          if (isOpen) suggestions.close();
          else suggestions.look('');
        }}
        className="absolute top-0 right-0 flex h-7.5 w-7.5 items-center justify-center rounded-control text-fg-2"
      >
        <Icon name="chevron-down" size={14} />
      </button>
    </SuggestedLine>
  );
}
