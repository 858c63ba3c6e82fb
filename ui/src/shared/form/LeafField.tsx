// One argument: label, control, and below it an error, help or meaning.

import type { ReactNode } from 'react';

import { LinkButton } from '../Button';
import { TextField } from '../Field';
import { onceFocusMoved } from '../focus';
import { Icon } from '../Icon';
import { Segments } from '../Segments';
import { Switch } from '../Switch';
import type { Control } from './control';
import { dateShortcuts } from './dates';
import { ListField } from './ListField';
import { NoteField } from './NoteField';
import { newValue } from './known';
import { draftAt, metaOf, type Draft, type Field, type Problem } from './plan';
import type { Suggest } from './Suggestions';
import { DateField, NumberField } from './TypedField';
import type { SchemaFormState } from './useSchemaForm';
import { ValueField } from './ValueField';

/** Context shared by all fields of a form. */
export interface FormContext {
  readonly form: SchemaFormState;
  readonly today: string;
  readonly suggest?: Suggest | undefined;
  readonly disabled: boolean;
  /** Prefix of the field ids. */
  readonly idPrefix: string;
}

interface LeafFieldProps extends FormContext {
  readonly field: Field;
  /** Path of the field, outermost key first. */
  readonly keys: readonly string[];
}

export function LeafField({ field, keys, form, today, suggest, disabled, idPrefix }: LeafFieldProps) {
  const id = [idPrefix, ...keys].join('_');
  const path = keys.join('.');
  const draft = draftAt(form.draft, keys);
  const problem = form.shown.find((one) => one.path === path || one.path.startsWith(`${path}.`));
  const write = (next: Draft) => {
    form.enter(path);
    form.setField(keys, next);
  };
  const control: Control = {
    id,
    field,
    draft,
    disabled,
    invalid: problem !== undefined,
    describedBy: `${id}-below`,
    write,
    leave: () => onceFocusMoved(() => form.leave(path)),
  };
  const fix = (problem: Problem, text: string) => {
    write(withFix(draft, path, problem, text));
    // The button disappears with the problem; focus the field.
    document.getElementById(id)?.focus();
  };
  // Something focused may be below: nothing is unmounted when a problem appears.
  const below = (
    <>
      {problem && <Wrong problem={problem} onFix={(text) => fix(problem, text)} />}
      <Below field={field} today={today} draft={draft} wrong={problem !== undefined} onPick={write} />
    </>
  );

  if (field.kind === 'switch')
    return (
      <div data-path={path}>
        <div className="flex items-center justify-between gap-3">
          <Label field={field} htmlFor={id} />
          <Switch checked={draft === true} onChange={write} label={field.label} disabled={control.disabled} />
        </div>
        <div id={control.describedBy}>{below}</div>
      </div>
    );
  return (
    <div data-path={path} className="flex flex-col gap-1">
      <Label field={field} htmlFor={id} />
      {controlOf(control, today, suggest)}
      <div id={control.describedBy} className="empty:hidden">
        {below}
      </div>
    </div>
  );
}

function controlOf(control: Control, today: string, suggest: Suggest | undefined): ReactNode {
  const { id, field, draft, disabled, invalid, describedBy, write, leave } = control;
  const text = draft === undefined ? '' : String(draft);
  const shared = { id, disabled, 'aria-describedby': describedBy, onBlur: leave };
  switch (field.kind) {
    case 'choice':
      if (field.options.length <= 4 && !field.folded)
        return (
          <span className="flex">
            <Segments
              id={id}
              label={field.label}
              value={text === '' ? null : text}
              options={field.options.map((option) => ({ value: String(option.value), label: option.label, disabled }))}
              onChange={write}
              {...(field.required ? {} : { onClear: () => write(undefined) })}
            />
          </span>
        );
      return <Select {...control} options={field.options} text={text} />;
    case 'list':
      return <ListField {...control} field={field} {...(suggest ? { suggest } : {})} />;
    case 'json':
      return <Lines {...control} text={text} mono placeholder="{ }" />;
    case 'either':
      return <TextField {...shared} invalid={invalid} value={text} onChange={(event) => write(event.target.value)} />;
    case 'text':
      if (field.valuesFrom !== undefined && !field.note) return <ValueField {...control} text={text} />;
      if (field.note && suggest) return <NoteField {...control} text={text} suggest={suggest} />;
      if (field.long) return <Lines {...control} text={text} />;
      return <TextField {...shared} invalid={invalid} value={text} onChange={(event) => write(event.target.value)} />;
    case 'date':
      return <DateField {...control} text={text} today={today} />;
    default:
      return <NumberField {...control} text={text} />;
  }
}

function Label({ field, htmlFor }: { field: Field; htmlFor: string }) {
  const meta = metaOf(field);
  return (
    <label htmlFor={htmlFor} className="text-small">
      <span className="font-medium">{field.label}</span>
      {meta !== '' && <span className="text-fg-3"> {meta}</span>}
    </label>
  );
}

function Select({
  id,
  field,
  text,
  options,
  disabled,
  invalid,
  describedBy,
  write,
  leave,
}: Control & { text: string; options: { value: unknown; label: string }[] }) {
  return (
    <span className="relative">
      <select
        id={id}
        value={text}
        disabled={disabled}
        aria-invalid={invalid || undefined}
        aria-describedby={describedBy}
        onBlur={leave}
        onChange={(event) => write(event.target.value === '' ? undefined : event.target.value)}
        className={`h-7.5 w-full appearance-none rounded-control border bg-surface-raised px-2.5 pr-8 text-ui ${text === '' ? 'text-fg-3' : 'text-fg'} ${invalid ? 'border-danger' : 'border-line-control'}`}
      >
        <option value="">{field.required ? 'Choose one' : 'None'}</option>
        {options.map((option) => (
          <option key={String(option.value)} value={String(option.value)}>
            {option.label}
          </option>
        ))}
      </select>
      <Icon name="chevron-down" size={14} className="pointer-events-none absolute top-2 right-2.5 text-fg-2" />
    </span>
  );
}

function Lines({
  id,
  text,
  disabled,
  invalid,
  describedBy,
  write,
  leave,
  mono = false,
  placeholder,
}: Control & { text: string; mono?: boolean; placeholder?: string }) {
  return (
    <textarea
      id={id}
      value={text}
      rows={Math.min(12, Math.max(3, text.split('\n').length))}
      disabled={disabled}
      placeholder={placeholder}
      spellCheck={false}
      aria-invalid={invalid || undefined}
      aria-describedby={describedBy}
      onBlur={leave}
      onChange={(event) => write(event.target.value)}
      className={`selectable w-full resize-y rounded-control border bg-surface-raised px-2.5 py-1.5 focus:border-accent focus:outline-1 focus:outline-offset-0 ${mono ? 'font-mono text-small' : 'text-ui'} ${invalid ? 'border-danger' : 'border-line-control'}`}
    />
  );
}

function Wrong({ problem, onFix }: { problem: Problem; onFix: (draft: string) => void }) {
  const { fix } = problem;
  return (
    <p role="alert" className="flex items-start gap-1.5 text-small text-danger">
      <Icon name="warn" size={12} className="mt-0.75" />
      <span className="min-w-0">
        {problem.message}
        {fix && (
          <>
            {' '}
            <LinkButton onClick={() => onFix(fix.draft)}>{fix.label}</LinkButton>
          </>
        )}
      </span>
    </p>
  );
}

/** Date shortcuts, the "new value" note, and help. */
function Below({
  field,
  today,
  draft,
  wrong,
  onPick,
}: {
  field: Field;
  today: string;
  draft: Draft;
  wrong: boolean;
  onPick: (date: string) => void;
}) {
  const shortcuts = field.kind === 'date' ? dateShortcuts(field.key, today) : [];
  const isNew = field.kind === 'text' && typeof draft === 'string' ? newValue(field, draft) : null;
  return (
    <>
      {isNew && (
        <p role="status" className="text-small text-fg-2">
          {isNew.said}
          {isNew.meant !== null && (
            <>
              . {String(draft).trim()} is not a {field.label.toLowerCase()} yet. <LinkButton onClick={() => onPick(isNew.meant ?? '')}>Use {isNew.meant}?</LinkButton>
            </>
          )}
        </p>
      )}
      {shortcuts.length > 0 && (
        <div className="mt-0.5 flex flex-wrap gap-1.5">
          {shortcuts.map(({ label, date }) => (
            <button
              key={label}
              type="button"
              // Keyboard users type these; Tab goes to the next field.
              tabIndex={-1}
              data-tip={date}
              aria-pressed={draft === date}
              onClick={() => onPick(date)}
              className={`relative h-5.5 rounded-badge px-1.5 text-small after:absolute after:-inset-y-0.5 after:inset-x-0 ${draft === date ? 'bg-accent-soft text-accent' : 'bg-surface-sunken text-fg-2 hover:bg-selected'}`}
            >
              {label}
            </button>
          ))}
        </div>
      )}
      {!wrong && field.help !== '' && field.help.toLowerCase() !== field.label.toLowerCase() && (
        <p className="mt-0.5 text-small text-fg-3">{field.help}</p>
      )}
    </>
  );
}

/** A fix for a row of a list only changes that row. */
function withFix(draft: Draft, path: string, problem: Problem, fixed: string): Draft {
  const row = Number(problem.path.slice(path.length + 1));
  if (problem.path === path || !Array.isArray(draft) || !Number.isInteger(row)) return fixed;
  return draft.map((old, at) => (at === row ? fixed : old));
}
