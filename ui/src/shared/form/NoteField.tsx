// The name of a note: typed, or chosen among those that are like it. What is not among them stays
// as it was typed, for a note that is yet to be written.

import { useRef, useState, type KeyboardEvent } from 'react';

import { TextField } from '../Field';
import type { Control } from './LeafField';

export interface Suggestion {
  readonly name: string;
  /** What tells it from others: its type, or its folder. */
  readonly detail: string;
}

export type Suggest = (field: string, text: string) => Promise<readonly Suggestion[]>;

type NoteFieldProps = Control & { readonly text: string; readonly suggest: Suggest };

export function NoteField({ id, field, text, disabled, invalid, describedBy, write, leave, suggest }: NoteFieldProps) {
  const [found, setFound] = useState<readonly Suggestion[]>([]);
  const [active, setActive] = useState(-1);
  /** Only the answer to what was asked last counts. */
  const asked = useRef(0);
  const open = found.length > 0;
  const listId = `${id}-notes`;

  const look = (typed: string) => {
    const number = ++asked.current;
    const show = (suggestions: readonly Suggestion[]) => {
      if (number !== asked.current) return;
      setFound(suggestions);
      setActive(-1);
    };
    if (typed.trim() === '') show([]);
    // Without suggestions the field works as any other.
    else suggest(field.key, typed).then(show, () => show([]));
  };
  const close = () => {
    asked.current += 1;
    setFound([]);
    setActive(-1);
  };
  const choose = ({ name }: Suggestion) => {
    write(name);
    close();
  };
  const onKeyDown = (event: KeyboardEvent) => {
    if (!open || event.ctrlKey || event.metaKey || event.altKey) return;
    const step = { ArrowDown: 1, ArrowUp: -1 }[event.key];
    const marked = found[active];
    if (step !== undefined) setActive((active + step + found.length + (active < 0 && step < 0 ? 1 : 0)) % found.length);
    else if (event.key === 'Enter' && marked) choose(marked);
    else if (event.key === 'Escape') close();
    else return;
    event.preventDefault();
    event.stopPropagation();
  };

  return (
    <span className="relative">
      <TextField
        id={id}
        disabled={disabled}
        invalid={invalid}
        value={text}
        placeholder="The name of a note"
        role="combobox"
        aria-expanded={open}
        aria-controls={listId}
        aria-autocomplete="list"
        aria-describedby={describedBy}
        {...(active >= 0 ? { 'aria-activedescendant': `${listId}-${active}` } : {})}
        onChange={(event) => {
          write(event.target.value);
          look(event.target.value);
        }}
        onKeyDown={onKeyDown}
        onBlur={() => {
          close();
          leave();
        }}
      />
      {open && (
        <ul
          id={listId}
          role="listbox"
          aria-label={field.label}
          className="absolute inset-x-0 top-full z-10 mt-1 max-h-56 overflow-y-auto rounded-card border border-line bg-surface-raised py-1 shadow-2"
        >
          {found.map((suggestion, at) => (
            <li
              key={`${suggestion.name} ${suggestion.detail}`}
              id={`${listId}-${at}`}
              role="option"
              aria-selected={at === active}
              // The field keeps the focus, so that leaving it is not the end of the list.
              onMouseDown={(event) => event.preventDefault()}
              onClick={() => choose(suggestion)}
              className={`flex h-7.5 items-center gap-2 px-2.5 text-ui ${at === active ? 'bg-selected' : 'hover:bg-hover'}`}
            >
              <span className="cut">{suggestion.name}</span>
              <span className="cut text-small text-fg-3">{suggestion.detail}</span>
            </li>
          ))}
        </ul>
      )}
    </span>
  );
}
