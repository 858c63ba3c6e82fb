// Properties that are no field of the skill: the user makes fields of them, changes their kinds, and takes them away.

import { useState, type Dispatch, type FormEvent } from 'react';

import type { OwnFieldPreview } from '../../ipc';
import { Button, Switch, TextField } from '../../shared';
import { faultsAt, kindOf, ownFieldsOf, type Draft, type DraftEvent } from './draft';
import { Faults, HeadRow, Section } from './Section';
import { Select } from './Select';

const columns = [
  { label: 'Property', className: 'w-34 pl-5' },
  { label: 'Kind', className: 'w-36' },
  { label: 'Notes', className: 'w-14 text-right' },
  { label: 'Examples', className: 'pl-4' },
  { label: 'Use as a field', className: 'w-52 pl-3' },
];

/** As a person says them. */
const kinds: readonly (readonly [kind: string, label: string])[] = [
  ['text', 'text'],
  ['date', 'date'],
  ['integer', 'whole number'],
  ['decimal', 'number'],
  ['bool', 'yes or no'],
  ['link', 'link'],
  ['list', 'list'],
  ['currency', 'currency'],
];

export function OwnFields({ draft, say, skill }: { draft: Draft; say: Dispatch<DraftEvent>; skill: string }) {
  const rows = ownFieldsOf(draft);
  return (
    <Section title="Own fields" note={`found in your notes, not part of ${skill}`}>
      {rows.length > 0 && (
        <table aria-label="Own fields" className="w-full table-fixed text-small">
          <HeadRow columns={columns} />
          <tbody>
            {rows.map((row) => (
              <Row key={row.property} row={row} draft={draft} say={say} />
            ))}
          </tbody>
        </table>
      )}
      <AddField say={say} />
    </Section>
  );
}

function Row({ row, draft, say }: { row: OwnFieldPreview; draft: Draft; say: Dispatch<DraftEvent> }) {
  const { property, notes, examples, odd } = row;
  const set = kindOf(draft, property);
  const [found, setFound] = useState(row.kind);
  const kind = set ?? found;
  const faults = faultsAt(draft, `fields.${property}`);
  const choose = (chosen: string) => {
    setFound(chosen);
    if (set !== null) say({ type: 'own_field_set', property, kind: chosen });
  };
  return (
    <>
      <tr className="h-7.5 border-t border-line">
        <th scope="row" className="cut pl-5 text-left font-mono font-normal" data-tip={property}>
          {property}
        </th>
        <td>
          <Select label={`Kind of ${property}`} value={kind} onChange={choose} className="w-31">
            {!kinds.some(([key]) => key === kind) && <option value={kind}>{kind}</option>}
            {kinds.map(([key, label]) => (
              <option key={key} value={key}>
                {label}
              </option>
            ))}
          </Select>
        </td>
        <td className="tabular text-right">{notes}</td>
        <td className="selectable cut pl-4 text-fg-2">{examples.join(', ')}</td>
        <td className="pr-5 pl-3">
          <span className="flex items-center gap-2">
            <Switch checked={set !== null} label={`Use ${property} as a field`} onChange={(on) => say({ type: 'own_field_set', property, kind: on ? kind : null })} />
            <span className="cut text-fg-2">{set === null ? 'kept, not used' : odd > 0 ? `${odd} not understood` : ''}</span>
          </span>
        </td>
      </tr>
      {faults.length > 0 && (
        <tr>
          <td colSpan={5}>
            <Faults reasons={faults} />
          </td>
        </tr>
      )}
    </>
  );
}

function AddField({ say }: { say: Dispatch<DraftEvent> }) {
  const [name, setName] = useState<string | null>(null);
  const [kind, setKind] = useState('text');
  const add = (event: FormEvent) => {
    event.preventDefault();
    const property = name?.trim() ?? '';
    if (property === '') return;
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
    <form onSubmit={add} aria-label="New field" className="flex items-center gap-2 px-5 py-1.5">
      <TextField aria-label="Property" autoFocus placeholder="birthday" value={name} onChange={(event) => setName(event.target.value)} className="h-7 w-40" />
      <Select label="Kind" value={kind} onChange={setKind}>
        {kinds.map(([key, label]) => (
          <option key={key} value={key}>
            {label}
          </option>
        ))}
      </Select>
      <Button type="submit" size="s" disabled={name.trim() === ''}>
        Add
      </Button>
      <Button size="s" variant="quiet" onClick={() => setName(null)}>
        Cancel
      </Button>
    </form>
  );
}
