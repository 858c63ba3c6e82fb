// Dates and numbers: input is parsed leniently, and the result shown below.

import { useState, type KeyboardEvent } from 'react';

import { numberText } from '../amount';
import { TextField } from '../Field';
import { onceFocusMoved } from '../focus';
import { dayText } from '../format';
import { IconButton } from '../Button';
import { Popover } from '../Popover';
import { Calendar } from './Calendar';
import { dateOf } from './date-words';
import type { Control } from './control';
import { numberLocale, readNumber, shownNumber } from './locale-number';

/**
 * The visible text while typing, and the draft it stands for; `null` when the draft is visible, and after an
 * external change.
 */
function useTyped(draft: string): [string | null, (text: string | null, draft?: string) => void] {
  const [typed, setTyped] = useState<{ text: string; draft: string } | null>(null);
  const set = (text: string | null, draft = '') => setTyped(text === null ? null : { text, draft });
  return [typed !== null && typed.draft === draft ? typed.text : null, set];
}

/** Whether the parsed value differs from the text, so that it has to be shown. */
function isReadAs(typed: string | null, text: string): boolean {
  return typed !== null && typed !== text && typed.trim() !== text;
}

export function DateField({ id, text, disabled, invalid, describedBy, write, leave, field, today }: Control & { readonly text: string; readonly today: string }) {
  const [typed, setTyped] = useTyped(text);
  const [open, setOpen] = useState(false);
  const onKeyDown = (event: KeyboardEvent) => {
    if (event.key !== 'ArrowDown' || !event.altKey) return;
    event.preventDefault();
    setOpen(true);
  };
  return (
    <>
      <span className="relative">
        <TextField
          id={id}
          disabled={disabled}
          invalid={invalid}
          value={typed ?? text}
          placeholder={today === '' ? 'YYYY-MM-DD' : `${today}, or in words`}
          className="tabular pr-8"
          aria-describedby={describedBy}
          aria-keyshortcuts="Alt+ArrowDown"
          onKeyDown={onKeyDown}
          onChange={(event) => {
            const next = dateOf(event.target.value, today) ?? event.target.value;
            setTyped(event.target.value, next);
            write(next);
          }}
          onBlur={() =>
            onceFocusMoved(() => {
              setTyped(null);
              leave();
            })
          }
        />
        <span className="absolute top-0 right-0.5">
          <Popover
            label={`Calendar of ${field.label}`}
            align="end"
            open={open}
            onOpenChange={setOpen}
            returnTo={() => document.getElementById(id)}
            trigger={<IconButton icon="calendar" iconSize={14} label={`Choose ${field.label.toLowerCase()}`} tabIndex={-1} disabled={disabled} />}
          >
            <Calendar
              chosen={dateOf(text, today) ?? ''}
              today={today}
              onChoose={(date) => {
                write(date);
                setOpen(false);
              }}
            />
          </Popover>
        </span>
      </span>
      {isReadAs(typed, text) && <ReadAs>{dayText(new Date(`${text}T00:00`))}</ReadAs>}
    </>
  );
}

export function NumberField({ id, text, disabled, invalid, describedBy, write, leave, locale = numberLocale(navigator.language) }: Control & { readonly text: string; readonly locale?: string }) {
  const [typed, setTyped] = useTyped(text);
  return (
    <>
      <TextField
        id={id}
        disabled={disabled}
        invalid={invalid}
        value={typed ?? shownNumber(text, locale)}
        inputMode="decimal"
        className="tabular"
        aria-describedby={describedBy}
        onChange={(event) => {
          const next = readNumber(event.target.value, locale) ?? event.target.value;
          setTyped(event.target.value, next);
          write(next);
        }}
        onBlur={() =>
          onceFocusMoved(() => {
            setTyped(null);
            leave();
          })
        }
      />
      {isReadAs(typed, text) && <ReadAs>{numberText(text)}</ReadAs>}
    </>
  );
}

function ReadAs({ children }: { children: string }) {
  return (
    <p role="status" className="tabular text-small text-fg-2">
      = {children}
    </p>
  );
}
