import { useState, type Dispatch } from 'react';

import type { OwnFieldPreview } from '../../ipc';
import { IconButton, Switch } from '../../shared';
import { faultsAt, kindOf, type Draft, type DraftEvent } from './draft';
import { FieldDetails } from './FieldDetails';
import { KindSelect } from './KindSelect';
import { Faults } from './Section';

interface OwnFieldRowProps {
  readonly row: OwnFieldPreview;
  readonly draft: Draft;
  readonly say: Dispatch<DraftEvent>;
  /** Just added by the user. */
  readonly isNew: boolean;
}

export function OwnFieldRow({ row, draft, say, isNew }: OwnFieldRowProps) {
  const { property, notes, examples, odd, values } = row;
  const set = kindOf(draft, property);
  const [found, setFound] = useState(row.kind);
  const [open, setOpen] = useState(isNew);
  const kind = set ?? found;
  const faults = faultsAt(draft, `fields.${property}`);
  const take = (chosen: string) => {
    say({ type: 'own_field_set', property, kind: chosen, choices: values });
    // A choice field needs choices.
    if (chosen === 'choice') setOpen(true);
  };
  const choose = (chosen: string) => {
    setFound(chosen);
    if (set !== null) take(chosen);
  };
  return (
    <>
      <tr className="h-7.5 border-t border-line">
        <th scope="row" className="cut pl-5 text-left font-mono font-normal" data-tip={property}>
          {property}
        </th>
        <td>
          <KindSelect label={`Kind of ${property}`} value={kind} onChange={choose} className="w-31" />
        </td>
        <td className="tabular text-right">{notes}</td>
        <td className="selectable cut pl-4 text-fg-2">{examples.join(', ')}</td>
        <td className="pr-5 pl-3">
          <span className="flex items-center gap-2">
            <Switch
              checked={set !== null}
              label={`Use ${property} as a field`}
              onChange={(on) => (on ? take(kind) : say({ type: 'own_field_set', property, kind: null }))}
            />
            <span className="cut min-w-0 flex-1 text-fg-2">{set === null ? 'kept, not used' : odd > 0 ? `${odd} not understood` : ''}</span>
            {set !== null && (
              <IconButton
                icon={open ? 'chevron-up' : 'chevron-down'}
                iconSize={12}
                label={`Details of ${property}`}
                aria-expanded={open}
                className="size-6"
                onClick={() => setOpen(!open)}
              />
            )}
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
      {open && set !== null && (
        <tr>
          <td colSpan={5}>
            <FieldDetails key={kind} property={property} kind={kind} draft={draft} say={say} />
          </td>
        </tr>
      )}
    </>
  );
}
