// Suggests similar note names below an input.

import { useRef, useState, type KeyboardEvent } from 'react';

export interface Suggestion {
  readonly name: string;
  /** Distinguishes it from others: its type or folder. */
  readonly detail: string;
}

/** `record`: only records of that type. */
export type Suggest = (field: string, text: string, record?: string) => Promise<readonly Suggestion[]>;

export interface Suggestions {
  readonly found: readonly Suggestion[];
  readonly active: number;
  readonly listId: string;
  /** Attributes that make the input a combobox. */
  readonly props: Readonly<Record<string, unknown>>;
  look(typed: string): void;
  close(): void;
  choose(suggestion: Suggestion): void;
  onKeyDown(event: KeyboardEvent): void;
}

interface Options {
  readonly record?: string | undefined;
  /** Arrow down opens the list before anything is typed. */
  readonly all?: boolean;
}

/** `id` is that of the input; without `suggest` it is a plain one. */
export function useSuggestions(
  id: string,
  field: string,
  suggest: Suggest | undefined,
  onChoose: (name: string) => void,
  { record, all = false }: Options = {},
): Suggestions {
  const [found, setFound] = useState<readonly Suggestion[]>([]);
  const [active, setActive] = useState(-1);
  /** Only the response to the last request counts. */
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
    if (suggest === undefined || (typed.trim() === '' && !all)) show([]);
    // Without suggestions the field works like any other.
    else suggest(field, typed, record).then(show, () => show([]));
  };
  const close = () => {
    asked.current += 1;
    setFound([]);
    setActive(-1);
  };
  const choose = ({ name }: Suggestion) => {
    onChoose(name);
    close();
  };
  const onKeyDown = (event: KeyboardEvent) => {
    if (!open && all && event.key === 'ArrowDown' && !event.ctrlKey && !event.metaKey) {
      event.preventDefault();
      look('');
      return;
    }
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
  const props =
    suggest === undefined
      ? {}
      : {
          role: 'combobox',
          'aria-expanded': open,
          'aria-controls': listId,
          'aria-autocomplete': 'list',
          ...(active >= 0 ? { 'aria-activedescendant': `${listId}-${active}` } : {}),
        };
  return { found, active, listId, props, look, close, choose, onKeyDown };
}

/** Requires a positioned ancestor (`relative`). */
export function SuggestionList({ of: { found, active, listId, choose }, label }: { of: Suggestions; label: string }) {
  if (found.length === 0) return null;
  return (
    <ul
      id={listId}
      role="listbox"
      aria-label={label}
      className="absolute inset-x-0 top-full z-10 mt-1 max-h-56 overflow-y-auto rounded-card border border-line bg-surface-raised py-1 shadow-2"
    >
      {found.map((suggestion, at) => (
        <li
          key={`${suggestion.name} ${suggestion.detail}`}
          id={`${listId}-${at}`}
          role="option"
          aria-selected={at === active}
          // The field keeps the focus, so that a click does not close the list.
          onMouseDown={(event) => event.preventDefault()}
          onClick={() => choose(suggestion)}
          className={`flex h-7.5 items-center gap-2 px-2.5 text-ui ${at === active ? 'bg-selected' : 'hover:bg-hover'}`}
        >
          <span className="cut">{suggestion.name}</span>
          {suggestion.detail !== '' && <span className="cut text-small text-fg-3">{suggestion.detail}</span>}
        </li>
      ))}
    </ul>
  );
}
