// The form of a tool's arguments. react-jsonschema-form walks the fields; what a field is, what is
// wrong with it and what it sends is decided by plan.ts, so no validator is compiled at run time.

// The package's entry also loads a test registry that wants a compiling validator.
import Form from '@rjsf/core/lib/components/Form.js';
import type { FieldTemplateProps, ObjectFieldTemplateProps, RJSFSchema, UiSchema, ValidatorType } from '@rjsf/utils';
import { useEffect, useId, useMemo, useRef, type KeyboardEvent, type ReactNode } from 'react';

import { mainModifier } from '../platform';
import { LeafField, type FormContext } from './LeafField';
import type { Draft, Field, Problem } from './plan';
import type { Suggest } from './Suggestions';
import type { SchemaFormState } from './useSchemaForm';

interface SchemaFormProps {
  readonly form: SchemaFormState;
  /** Names the form for a screen reader. */
  readonly label: string;
  /** `YYYY-MM-DD`, for the shortcuts of dates. */
  readonly today?: string;
  /** Names of notes for what is typed into a field that links to one, best first. */
  readonly suggest?: Suggest;
  readonly disabled?: boolean;
  /** The first field has the focus once the form is there. */
  readonly focused?: boolean;
  /** Enter in a line, or Ctrl Enter anywhere in the form. Call `form.submit()` in it. */
  readonly onSubmit?: () => void;
  /** Below the fields: the buttons. */
  readonly children?: ReactNode;
}

export function SchemaForm({ form, label, today = '', suggest, disabled = false, focused = false, onSubmit, children }: SchemaFormProps) {
  const idPrefix = useId();
  const box = useRef<HTMLDivElement>(null);
  const { schema, uiSchema } = useMemo(() => walkable(form.plan), [form.plan]);

  useEffect(() => {
    if (focused) box.current?.querySelector<HTMLElement>('input, textarea, select, [role=radio], [role=switch]')?.focus();
  }, [focused]);

  const submit = () => {
    onSubmit?.();
    focusProblem(box.current, form.problems);
  };
  const onKeyDown = (event: KeyboardEvent) => {
    if (event.key !== 'Enter' || !mainModifier(event)) return;
    event.preventDefault();
    event.stopPropagation();
    submit();
  };

  return (
    <div ref={box} onKeyDown={onKeyDown} role="group" aria-label={label} data-testid="tool-form">
      <Form<unknown, RJSFSchema, FormContext>
        schema={schema}
        uiSchema={uiSchema}
        formData={form.draft}
        formContext={{ form, today, ...(suggest ? { suggest } : {}) }}
        fields={{ leaf: LeafField }}
        templates={{ FieldTemplate: Bare, ObjectFieldTemplate: Fieldset }}
        validator={unused}
        noValidate
        noHtml5Validate
        showErrorList={false}
        disabled={disabled}
        idPrefix={idPrefix}
        // Problems travel in the context, which the default comparison does not look at.
        experimental_componentUpdateStrategy="always"
        onChange={({ formData }) => form.setDraft(formData as Draft)}
        onSubmit={submit}
      >
        <>{children}</>
      </Form>
    </div>
  );
}

/** The first wrong field is where the person has to go on. */
export function focusProblem(form: HTMLElement | null, [first]: readonly Problem[]) {
  if (first)
    form
      ?.querySelector<HTMLElement>(`[data-path="${CSS.escape(first.path)}"] :is(input, textarea, select, button)`)
      ?.focus();
}

/** The plan as a schema without rules: nested objects, and leaves drawn by `LeafField`. */
function walkable(plan: Field): { schema: RJSFSchema; uiSchema: UiSchema<unknown, RJSFSchema, FormContext> } {
  if (plan.kind !== 'object') {
    const type = plan.kind === 'switch' ? 'boolean' : plan.kind === 'list' ? 'array' : 'string';
    return {
      schema: { type, ...(type === 'array' ? { items: { type: 'string' } } : {}) },
      uiSchema: { 'ui:field': 'leaf' },
    };
  }
  const parts = plan.fields.map((field) => [field.key, walkable(field)] as const);
  return {
    schema: {
      type: 'object',
      title: plan.label,
      description: plan.help,
      properties: Object.fromEntries(parts.map(([key, { schema }]) => [key, schema])),
    },
    uiSchema: Object.fromEntries(parts.map(([key, { uiSchema }]) => [key, uiSchema])),
  };
}

function Bare({ children }: FieldTemplateProps<unknown, RJSFSchema, FormContext>) {
  return children;
}

function Fieldset({
  properties,
  title,
  description,
  fieldPathId,
}: ObjectFieldTemplateProps<unknown, RJSFSchema, FormContext>) {
  const fields = <div className="flex flex-col gap-4">{properties.map(({ content }) => content)}</div>;
  if (fieldPathId.path.length === 0) return fields;
  return (
    <fieldset className="rounded-card border border-line p-3">
      <legend className="px-1 text-small font-medium">{title}</legend>
      {description && <p className="mb-3 text-small text-fg-3">{description}</p>}
      {fields}
    </fieldset>
  );
}

/** The form asks for one; every check is made by `check` of plan.ts. */
const unused: ValidatorType<unknown, RJSFSchema, FormContext> = {
  validateFormData: () => ({ errors: [], errorSchema: {} }),
  isValid: () => true,
  rawValidation: () => ({ errors: [] }),
};
