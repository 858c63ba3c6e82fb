// Properties without a field of the skill: the user makes them custom fields, edits and removes them.

import { useState, type Dispatch, type FormEvent } from 'react';

import { Button, TextField } from '../../shared';
import { clash, ownFieldsOf, type Draft, type DraftEvent } from './draft';
import { KindSelect } from './KindSelect';
import { OwnFieldRow } from './OwnFieldRow';
import { Faults, HeadRow, Section } from './Section';

interface OwnFieldsProps {
  readonly draft: Draft;
  readonly say: Dispatch<DraftEvent>;
  /** The skill's name. */
  readonly skill: string;
}

const columns = [
  { label: 'Property', className: 'w-34 pl-5' },
  { label: 'Kind', className: 'w-36' },
  { label: 'Notes', className: 'w-14 text-right' },
  { label: 'Examples', className: 'pl-4' },
  { label: 'Use as a field', className: 'w-52 pl-3' },
];

export function OwnFields({ draft, say, skill }: OwnFieldsProps) {
  const [added, setAdded] = useState<string | null>(null);
  const rows = ownFieldsOf(draft);
  const isOwn = draft.page?.is_own ?? false;
  return (
    <Section title={isOwn ? 'Fields' : 'Own fields'} note={isOwn ? 'of this type, and properties of its notes' : `found in your notes, not part of ${skill}`}>
      {rows.length > 0 && (
        <table aria-label={isOwn ? 'Fields' : 'Own fields'} className="w-full table-fixed text-small">
          <HeadRow columns={columns} />
          <tbody>
            {rows.map((row) => (
              <OwnFieldRow key={row.property} row={row} draft={draft} say={say} isNew={row.property === added} />
            ))}
          </tbody>
        </table>
      )}
      <AddField draft={draft} say={say} skill={skill} onAdded={setAdded} />
    </Section>
  );
}

function AddField({ draft, say, skill, onAdded }: OwnFieldsProps & { onAdded: (property: string) => void }) {
  const [name, setName] = useState<string | null>(null);
  const [kind, setKind] = useState('text');
  const property = name?.trim() ?? '';
  const problem = property === '' ? null : clash(draft, property, skill);
  const add = (event: FormEvent) => {
    event.preventDefault();
    if (property === '' || problem !== null) return;
    onAdded(property);
    say({ type: 'own_field_set', property, kind });
    setName(null);
  };
  if (name === null)
    return (
      <div className="px-3 py-1">
        <Button size="s" variant="quiet" icon="plus" data-testid="add-field" onClick={() => setName('')}>
          Add field
        </Button>
      </div>
    );
  return (
    <form onSubmit={add} aria-label="New field" className="flex flex-wrap items-center gap-2 px-5 py-1.5">
      <TextField
        aria-label="Property"
        autoFocus
        placeholder="birthday"
        value={name}
        invalid={problem !== null}
        onChange={(event) => setName(event.target.value)}
        className="h-7 w-40"
      />
      <KindSelect label="Kind" value={kind} onChange={setKind} />
      <Button type="submit" size="s" disabled={property === '' || problem !== null}>
        Add
      </Button>
      <Button size="s" variant="quiet" onClick={() => setName(null)}>
        Cancel
      </Button>
      <div className="-mx-5 w-full">
        <Faults reasons={problem === null ? [] : [problem]} />
      </div>
    </form>
  );
}
