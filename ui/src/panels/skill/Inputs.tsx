import { useRef, useState } from 'react';

import type { PanelInput } from '../../ipc';
import { Icon, IconButton, Menu, Popover, Segments, TextField, useMedia } from '../../shared';
import { useRpc } from '../../state/hooks';
import { usePanel } from './context';
import { monthAfter, monthText } from './words';

/** The user's choices in a tab, by name; empty ones are not passed to tools. */
export type Chosen = Readonly<Record<string, string>>;

/** A tab's defaults. `today`: YYYY-MM-DD. */
export function firstChosen(inputs: readonly PanelInput[], today: string): Chosen {
  return Object.fromEntries(
    inputs.map(({ name, kind, default: first }) => [name, first !== 'today' ? first : today.slice(0, lengths[kind] ?? 10)]),
  );
}

/** Length of the prefix of YYYY-MM-DD. */
const lengths: Partial<Record<PanelInput['kind'], number>> = { month: 7, year: 4 };

export function InputField({ input, value, onChange }: { input: PanelInput; value: string; onChange: (value: string) => void }) {
  switch (input.kind) {
    case 'month':
      return <Steps input={input} unit="month" text={monthText(value)} to={(by) => onChange(monthAfter(value, by))} />;
    case 'year':
      return <Steps input={input} unit="year" text={value} to={(by) => onChange(String(Number(value) + by))} />;
    case 'choice':
      return <Choice input={input} value={value} onChange={onChange} />;
    case 'currency':
      return <Currency input={input} value={value} onChange={onChange} />;
    case 'date':
    case 'text':
      return <Typed input={input} value={value} onChange={onChange} />;
  }
}

function Steps({ input, unit, text, to }: { input: PanelInput; unit: string; text: string; to: (by: number) => void }) {
  const roomy = useMedia('(min-width: 1100px)');
  const shown = roomy ? text : text.replace(/^(\p{L}{3})\p{L}+/u, '$1');
  return (
    <span role="group" aria-label={input.label} className="inline-flex items-center gap-0.5">
      <IconButton icon="chevron-left" iconSize={14} label={`Previous ${unit}`} onClick={() => to(-1)} />
      <span aria-live="polite" className={`text-center text-ui font-medium ${unit === 'month' ? 'min-w-28 max-medium:min-w-16' : 'min-w-12'}`}>
        {shown}
      </span>
      <IconButton icon="chevron-right" iconSize={14} label={`Next ${unit}`} onClick={() => to(1)} />
    </span>
  );
}

/** Few options are buttons, many are a menu. */
function Choice({ input, value, onChange }: { input: PanelInput; value: string; onChange: (value: string) => void }) {
  const letters = input.choices.reduce((sum, { label }) => sum + label.length, 0);
  if (letters <= 20) return <Segments label={input.label} value={value} options={input.choices} onChange={onChange} />;
  const chosen = input.choices.find((choice) => choice.value === value);
  return (
    <Menu
      align="end"
      groups={[{ items: input.choices.map((choice) => ({ label: choice.label, checked: choice.value === value, onSelect: () => onChange(choice.value) })) }]}
    >
      <button
        type="button"
        aria-label={`${input.label}: ${chosen?.label ?? value}`}
        className="flex h-7 shrink-0 items-center gap-1.5 rounded-control px-1.5 text-small whitespace-nowrap text-fg-2 hover:bg-hover"
      >
        {chosen?.label ?? value}
        <Icon name="chevron-down" size={12} />
      </button>
    </Menu>
  );
}

/** Shows the current currency, or the notes' own if none is chosen; opens a field for another. */
function Currency({ input, value, onChange }: { input: PanelInput; value: string; onChange: (value: string) => void }) {
  const [open, setOpen] = useState(false);
  // A click elsewhere unmounts the field before it blurs.
  const typed = useRef<string | null>(null);
  const byEsc = useRef(false);
  const take = (chosen: string | null) => {
    setOpen(false);
    if (!byEsc.current && chosen !== null && chosen !== value) onChange(chosen);
  };
  const { skill, among } = usePanel();
  const known = among(input.among);
  const usual = useRpc('usual_currency', value === '' ? { skill } : null).data?.currency;
  const said = value || usual || known[0] || input.label;
  return (
    <Popover
      label={input.label}
      align="end"
      open={open}
      onOpenChange={(next) => {
        if (!next) return take(typed.current);
        typed.current = null;
        byEsc.current = false;
        setOpen(true);
      }}
      onEsc={() => (byEsc.current = true)}
      trigger={
        <button
          type="button"
          aria-label={`${input.label}: ${said}`}
          className="flex h-7 shrink-0 items-center gap-1.5 rounded-control px-1.5 text-small whitespace-nowrap text-fg-2 hover:bg-hover data-[state=open]:bg-selected"
        >
          {said}
          <Icon name="chevron-down" size={12} />
        </button>
      }
    >
      <div className="flex w-56 flex-col gap-2">
        {known.map((one) => (
          <button
            key={one}
            type="button"
            aria-pressed={one === said}
            className="-mx-1 flex h-7 items-center gap-2 rounded-control px-2 text-left hover:bg-hover"
            onClick={() => take(one)}
          >
            <Icon name="check" size={14} className={one === said ? 'text-accent' : 'invisible'} />
            {one}
          </button>
        ))}
        <Typed input={input} value={value} onChange={take} onTyped={(text) => (typed.current = text)} onEnter={() => setOpen(false)} />
        <p className="text-small text-fg-3">Three letters, such as EUR.</p>
      </div>
    </Popover>
  );
}

/** Formats of values that have one. */
const forms: Partial<Record<PanelInput['kind'], { rule: RegExp; example: string }>> = {
  date: { rule: /^\d{4}-\d{2}-\d{2}$/, example: 'YYYY-MM-DD' },
  currency: { rule: /^[A-Za-z]{3}$/, example: 'such as EUR' },
};

interface TypedProps {
  readonly input: PanelInput;
  readonly value: string;
  readonly onChange: (value: string) => void;
  /** On each keystroke: the value that leaving the field would choose; none if invalid. */
  readonly onTyped?: (value: string | null) => void;
  /** Enter without other text. */
  readonly onEnter?: () => void;
}

/** Applied on blur or Enter, not on each keystroke. */
function Typed({ input, value, onChange, onTyped, onEnter }: TypedProps) {
  const [text, setText] = useState(value);
  const [shown, setShown] = useState(value);
  // Not by a key: replacing the field would lose the focus.
  if (shown !== value) {
    setShown(value);
    setText(value);
  }
  const form = forms[input.kind];
  const chosenBy = (typed: string) => {
    if (form !== undefined && typed !== '' && !form.rule.test(typed)) return null;
    return input.kind === 'currency' ? typed.toUpperCase() : typed;
  };
  const chosen = chosenBy(text);
  const done = (otherwise?: () => void) => {
    if (chosen === null) return;
    if (chosen !== value) onChange(chosen);
    else otherwise?.();
  };
  return (
    <TextField
      aria-label={input.label}
      data-tip={form === undefined ? undefined : `${input.label}, ${form.example}`}
      placeholder={input.kind === 'date' ? form?.example : input.label}
      value={text}
      invalid={chosen === null}
      frame="line"
      className={input.kind === 'currency' ? 'w-24' : 'w-36'}
      onChange={(event) => {
        setText(event.target.value);
        onTyped?.(chosenBy(event.target.value));
      }}
      onBlur={() => done()}
      onKeyDown={(event) => event.key === 'Enter' && done(onEnter)}
    />
  );
}
