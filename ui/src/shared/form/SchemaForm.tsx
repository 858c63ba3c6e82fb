// A form for a tool's arguments, or for a record. plan.ts decides fields, problems and sent values, so no
// validator is compiled at run time.

import { useEffect, useId, useRef, type FormEvent, type KeyboardEvent, type ReactNode } from 'react';

import { mainModifier } from '../platform';
import { LeafField, type FormContext } from './LeafField';
import type { Field, Problem } from './plan';
import type { Suggest } from './Suggestions';
import type { SchemaFormState } from './useSchemaForm';

interface SchemaFormProps {
  readonly form: SchemaFormState;
  /** Accessible name of the form. */
  readonly label: string;
  /** `YYYY-MM-DD`, for date shortcuts. */
  readonly today?: string;
  /** Suggests notes for a link field, best first. */
  readonly suggest?: Suggest;
  readonly disabled?: boolean;
  /** Focuses the first field on mount. */
  readonly focused?: boolean;
  /** Enter in a line, or Ctrl+Enter anywhere in the form. Must call `form.submit()`. */
  readonly onSubmit?: () => void;
  /** Shown below the fields: the buttons. */
  readonly children?: ReactNode;
}

export function SchemaForm({ form, label, today = '', suggest, disabled = false, focused = false, onSubmit, children }: SchemaFormProps) {
  const idPrefix = useId();
  const box = useRef<HTMLDivElement>(null);

  useEffect(() => {
    if (focused) box.current?.querySelector<HTMLElement>('input, textarea, select, [role=radio], [role=switch]')?.focus();
  }, [focused]);

  const submit = () => {
    onSubmit?.();
    focusProblem(box.current, form.problems);
  };
  const onSubmitted = (event: FormEvent) => {
    event.preventDefault();
    // Submits of forms in this one's popovers bubble up here.
    if (event.target === event.currentTarget) submit();
  };
  const onKeyDown = (event: KeyboardEvent) => {
    if (event.key !== 'Enter' || !mainModifier(event)) return;
    event.preventDefault();
    event.stopPropagation();
    submit();
  };

  return (
    <div ref={box} onKeyDown={onKeyDown} role="group" aria-label={label} data-testid="tool-form">
      <form noValidate onSubmit={onSubmitted}>
        <Fields of={form.plan.fields} keys={[]} context={{ form, today, suggest, disabled, idPrefix }} />
        {children}
      </form>
    </div>
  );
}

/** Focuses the first field with a problem. */
export function focusProblem(form: HTMLElement | null, [first]: readonly Problem[]) {
  if (first)
    form
      ?.querySelector<HTMLElement>(`[data-path="${CSS.escape(first.path)}"] :is(input, textarea, select, button)`)
      ?.focus();
}

interface FieldsProps {
  readonly of: readonly Field[];
  /** Path of the fields, outermost key first. */
  readonly keys: readonly string[];
  readonly context: FormContext;
}

function Fields({ of, keys, context }: FieldsProps) {
  return (
    <div className="flex flex-col gap-4">
      {of.map((field) => {
        const own = [...keys, field.key];
        if (field.kind !== 'object') return <LeafField key={field.key} field={field} keys={own} {...context} />;
        return (
          <fieldset key={field.key} className="rounded-card border border-line p-3">
            <legend className="px-1 text-small font-medium">{field.label}</legend>
            {field.help && <p className="mb-3 text-small text-fg-3">{field.help}</p>}
            <Fields of={field.fields} keys={own} context={context} />
          </fieldset>
        );
      })}
    </div>
  );
}
