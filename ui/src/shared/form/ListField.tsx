// Several values of one kind: switches for known ones, else chips and an input to add one.

import { useState, type KeyboardEvent } from 'react';

import { onceFocusMoved } from '../focus';
import { Icon } from '../Icon';
import type { Control } from './control';
import type { Draft, Field } from './plan';
import { offering } from './ValueField';
import { SuggestionList, useSuggestions, type Suggest } from './Suggestions';

type ListOf = Control & {
  readonly field: Extract<Field, { kind: 'list' }>;
  /** Suggests names for a list of notes. */
  readonly suggest?: Suggest;
};

export function ListField(props: ListOf) {
  return props.field.item.kind === 'choice' ? (
    <Choices {...props} options={props.field.item.options} />
  ) : (
    <Rows {...props} />
  );
}

function Choices({
  field,
  draft,
  disabled,
  write,
  id,
  options,
}: ListOf & { options: { value: unknown; label: string }[] }) {
  const rows = rowsOf(draft);
  return (
    <div id={id} role="group" aria-label={field.label} className="flex flex-wrap gap-1.5">
      {options.map((option) => {
        const value = String(option.value);
        const on = rows.includes(value);
        return (
          <button
            key={value}
            type="button"
            disabled={disabled}
            aria-pressed={on}
            onClick={() => write(on ? rows.filter((row) => row !== value) : [...rows, value])}
            className={`flex h-6 items-center gap-1 rounded-control border px-2 text-small ${on ? 'border-accent-line bg-accent-soft text-accent' : 'border-line-strong text-fg-2 hover:bg-hover'}`}
          >
            {on && <Icon name="check" size={12} />}
            {option.label}
          </button>
        );
      })}
    </div>
  );
}

/** The last row is the input, so that its text is sent with the form. */
function Rows({ id, field, draft, disabled, invalid, describedBy, write, leave, suggest }: ListOf) {
  const [writing, setWriting] = useState(false);
  const rows = rowsOf(draft);
  const chips = writing ? rows.slice(0, -1) : rows;
  const line = writing ? (rows.at(-1) ?? '') : '';
  const ofNotes = field.item.kind === 'text' && field.item.note === true;
  const suggestions = useSuggestions(
    id,
    field.key,
    ofNotes ? suggest : field.known && offering(field.known),
    (name) => write([...chips, name, '']),
  );

  const onKeyDown = (event: KeyboardEvent<HTMLInputElement>) => {
    suggestions.onKeyDown(event);
    if (event.isDefaultPrevented()) return;
    if (event.key === 'Enter' && !event.ctrlKey && !event.metaKey && line.trim() !== '') {
      event.preventDefault();
      suggestions.close();
      write([...rows, '']);
    }
    if (event.key === 'Backspace' && line === '' && chips.length > 0) {
      event.preventDefault();
      write([...chips.slice(0, -1), '']);
    }
  };
  return (
    <div
      className={`relative flex min-h-7.5 flex-wrap items-center gap-1 rounded-control border bg-surface-raised px-1 py-0.5 focus-within:border-accent focus-within:outline-1 focus-within:outline-accent ${invalid ? 'border-danger' : 'border-line-control'}`}
    >
      {chips.map((chip, at) => (
        <span
          key={at}
          className="flex min-h-5.5 max-w-full items-center rounded-badge bg-surface-sunken pl-1.5 text-small text-fg-2"
        >
          <span className="cut selectable">{chip}</span>
          <button
            type="button"
            disabled={disabled}
            aria-label={`Remove ${chip}`}
            onClick={() => write(rows.filter((_, index) => index !== at))}
            className="relative flex h-5.5 items-center rounded-badge px-1 after:absolute after:-inset-0.5 hover:bg-hover"
          >
            <Icon name="x" size={12} />
          </button>
        </span>
      ))}
      <input
        id={id}
        value={line}
        disabled={disabled}
        placeholder={chips.length === 0 ? 'Add one, then Enter' : ''}
        spellCheck={false}
        autoComplete="off"
        aria-label={field.label}
        aria-describedby={describedBy}
        aria-invalid={invalid || undefined}
        {...suggestions.props}
        className="selectable h-6 min-w-24 flex-1 bg-transparent px-1.5 text-ui outline-none"
        onFocus={() => {
          setWriting(true);
          if (rows.at(-1) !== '') write([...rows, '']);
        }}
        onBlur={() => {
          setWriting(false);
          write(rows.filter((row) => row.trim() !== ''));
          onceFocusMoved(suggestions.close);
          leave();
        }}
        onChange={(event) => {
          write([...chips, event.target.value]);
          suggestions.look(event.target.value);
        }}
        onKeyDown={onKeyDown}
      />
      <SuggestionList of={suggestions} label={field.label} />
    </div>
  );
}

function rowsOf(draft: Draft): string[] {
  return Array.isArray(draft) ? draft.map(String) : [];
}
