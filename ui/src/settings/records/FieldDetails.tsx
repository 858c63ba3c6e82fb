// A custom field's appearance in forms and for the assistant: label, help, choices, and whether it is
// required.

import { useState, type Dispatch, type ReactNode } from 'react';

import { TextField } from '../../shared';
import { ChoicesField } from './ChoicesField';
import { saidOf, type Draft, type DraftEvent } from './draft';

interface FieldDetailsProps {
  readonly property: string;
  readonly kind: string;
  readonly draft: Draft;
  readonly say: Dispatch<DraftEvent>;
}

export function FieldDetails({ property, kind, draft, say }: FieldDetailsProps) {
  const { required, choices, ...said } = saidOf(draft, property);
  // A trailing space is invalid, but occurs while typing.
  const [label, setLabel] = useState(said.label);
  const [help, setHelp] = useState(said.help);
  const set = (key: 'label' | 'help', value: string) => {
    (key === 'label' ? setLabel : setHelp)(value);
    say({ type: 'own_field_said', property, key, value: value.trim() === '' ? undefined : value.trim() });
  };
  return (
    <div role="group" aria-label={`Details of ${property}`} className="flex flex-wrap items-start gap-x-4 gap-y-2 px-5 pt-0.5 pb-2.5">
      <Labelled text="Label in forms">
        <TextField value={label} placeholder={property} onChange={(event) => set('label', event.target.value)} className="h-7" />
      </Labelled>
      <Labelled text="Help below the field">
        <TextField value={help} onChange={(event) => set('help', event.target.value)} className="h-7" />
      </Labelled>
      {kind === 'choice' && (
        <div className="flex w-56 flex-col gap-1">
          <span aria-hidden="true" className="text-fg-2">
            Choices, one on each line
          </span>
          <ChoicesField label={`Choices of ${property}, one on each line`} choices={choices} onChange={(value) => say({ type: 'own_field_said', property, key: 'choices', value: [...value] })} />
        </div>
      )}
      <label className="mt-5.5 flex h-7 items-center gap-2">
        <input
          type="checkbox"
          checked={required}
          onChange={(event) => say({ type: 'own_field_said', property, key: 'required', value: event.target.checked ? true : undefined })}
          className="size-4 accent-accent-fill"
        />
        Required
      </label>
    </div>
  );
}

function Labelled({ text, children }: { text: string; children: ReactNode }) {
  return (
    <label className="flex w-56 flex-col gap-1">
      <span className="text-fg-2">{text}</span>
      {children}
    </label>
  );
}
