import { Button, IconButton, TextField } from '../../shared';
import { ChoicesField } from './ChoicesField';
import { KindSelect } from './KindSelect';
import type { NewField, Problems } from './new-type';
import { Faults, Section } from './Section';

interface NewTypeFieldsProps {
  readonly fields: readonly NewField[];
  readonly problems: Problems;
  readonly onChange: (fields: readonly NewField[]) => void;
}

export function NewTypeFields({ fields, problems, onChange }: NewTypeFieldsProps) {
  const set = (at: number, change: Partial<NewField>) => onChange(fields.map((field, place) => (place === at ? { ...field, ...change } : field)));
  return (
    <Section title="Fields" note="the first one names the note">
      <ul aria-label="Fields" className="flex flex-col gap-2 px-5 py-2 text-small">
        {fields.map((field, at) => {
          const problem = problems[`fields.${field.name.trim()}`];
          return (
            // Fields are identified by index until they are named.
            <li key={at} className={`flex flex-wrap gap-2 ${field.kind === 'choice' ? 'items-start' : 'items-center'}`}>
              <TextField
                aria-label={`Field ${at + 1}`}
                value={field.name}
                placeholder={at === 0 ? 'name' : 'since'}
                invalid={problem !== undefined}
                onChange={(event) => set(at, { name: event.target.value })}
                className="h-7 w-56"
              />
              <KindSelect label={`Kind of field ${at + 1}`} value={field.kind} onChange={(kind) => set(at, { kind })} />
              {field.kind === 'choice' && (
                <div className="w-56">
                  <ChoicesField label={`Choices of field ${at + 1}, one on each line`} choices={field.choices} onChange={(choices) => set(at, { choices })} />
                </div>
              )}
              {fields.length > 1 && <IconButton icon="x" iconSize={12} label={`Remove field ${at + 1}`} className="size-6" onClick={() => onChange(fields.filter((_, place) => place !== at))} />}
              {problem !== undefined && (
                <div className="-mx-5 w-full">
                  <Faults reasons={[problem]} />
                </div>
              )}
            </li>
          );
        })}
      </ul>
      <Faults reasons={'fields' in problems ? [problems['fields'] ?? ''] : []} />
      <div className="px-3 py-1">
        <Button size="s" variant="quiet" icon="plus" onClick={() => onChange([...fields, { name: '', kind: 'text', choices: [] }])}>
          Add field
        </Button>
      </div>
    </Section>
  );
}
