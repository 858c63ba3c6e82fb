// A value that records have already, typed or chosen. Another one is a new one, and is said to be.

import { useRef } from 'react';

import { TextField } from '../Field';
import { onceFocusMoved } from '../focus';
import { Icon } from '../Icon';
import { matchingValues } from './known';
import type { Control } from './control';
import { SuggestionList, useSuggestions, type Suggest } from './Suggestions';

/** More are found by typing. */
const SHOWN = 50;

/** Offers the known values of a field. */
export function offering(known: readonly string[]): Suggest {
  return async (_, text) => matchingValues(known, text).slice(0, SHOWN).map((name) => ({ name, detail: '' }));
}

export function ValueField({ id, field, text, disabled, invalid, describedBy, write, leave }: Control & { readonly text: string }) {
  const line = useRef<HTMLInputElement>(null);
  const suggestions = useSuggestions(id, field.key, offering(field.known ?? []), write, { all: true });
  const isOpen = suggestions.found.length > 0;
  return (
    <span className="relative">
      <TextField
        ref={line}
        id={id}
        disabled={disabled}
        invalid={invalid}
        value={text}
        className="pr-8"
        aria-describedby={describedBy}
        {...suggestions.props}
        onChange={(event) => {
          write(event.target.value);
          suggestions.look(event.target.value);
        }}
        onKeyDown={suggestions.onKeyDown}
        onBlur={() =>
          onceFocusMoved(() => {
            suggestions.close();
            leave();
          })
        }
      />
      <button
        type="button"
        // The keys have the arrow for it.
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
      <SuggestionList of={suggestions} label={field.label} />
    </span>
  );
}
