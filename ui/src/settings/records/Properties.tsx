// The property of each field of the skill, and the meaning of its values.

import type { Dispatch } from 'react';

import type { FieldPreview, RecordsPreview } from '../../ipc';
import { counted, LinkButton } from '../../shared';
import { ConfidenceBadge } from './ConfidenceBadge';
import { faultsAt, meaningOf, propertyOf, type Draft, type DraftEvent } from './draft';
import { Faults, HeadRow, Section } from './Section';
import { Select } from '../../shared/Select';

interface PropertiesProps {
  readonly draft: Draft;
  readonly say: Dispatch<DraftEvent>;
}

const columns = [
  { label: 'Field', className: 'w-34 pl-5' },
  { label: 'In your notes', className: 'w-36' },
  { label: 'Notes', className: 'w-14 text-right' },
  { label: 'Examples', className: 'pl-4' },
  { label: 'Confidence', className: 'w-52 pl-3' },
];

const FILE_NAME = '$file';

export function Properties({ draft, say }: PropertiesProps) {
  const { page } = draft;
  if (page === null || page.fields.length === 0) return null;
  return (
    <Section title="Properties" note="what your notes call each field">
      <table aria-label="Properties" className="w-full table-fixed text-small">
        <HeadRow columns={columns} />
        <tbody>
          {page.fields.map((field) => (
            <Field key={field.field} field={field} page={page} draft={draft} say={say} />
          ))}
        </tbody>
      </table>
      <Faults reasons={page.faults.filter(({ key }) => key === 'names').flatMap(() => faultsAt(draft, 'names'))} />
    </Section>
  );
}

function Field({ field, page, draft, say }: { field: FieldPreview; page: RecordsPreview } & PropertiesProps) {
  const property = propertyOf(draft, field);
  const open = field.values.filter(({ value }) => meaningOf(draft, field.field, value) === undefined);
  const faults = [...faultsAt(draft, `names.${field.field}`), ...faultsAt(draft, `values.${field.field}`)];
  const choose = (chosen: string) => say({ type: 'property_chosen', field: field.field, property: chosen });
  return (
    <>
      <tr className="h-7.5 border-t border-line">
        <th scope="row" className="cut pl-5 text-left font-mono font-normal" data-tip={field.label}>
          {field.field}
        </th>
        <td>
          <Select label={`Property for ${field.label}`} value={property} onChange={choose} mono={property !== FILE_NAME} className="w-31">
            <Options field={field} page={page} property={property} />
          </Select>
        </td>
        <td className="tabular text-right">{field.notes === 0 ? '' : field.notes}</td>
        <td className="selectable cut pl-4 text-fg-2">{field.examples.join(', ')}</td>
        <td className="pr-5 pl-3">
          {field.suggested !== null ? (
            <LinkButton onClick={() => choose(field.suggested ?? property)}>
              Use <span className="font-mono">{field.suggested}</span>
            </LinkButton>
          ) : field.notes === 0 ? (
            <span className="text-fg-3">not in your notes</span>
          ) : (
            <ConfidenceBadge confidence={field.confidence} open={open.length}>
              {reasonOf(field, open.length)}
            </ConfidenceBadge>
          )}
        </td>
      </tr>
      {field.values.length > 0 && <Meanings field={field} draft={draft} say={say} />}
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

function reasonOf({ odd, needs }: FieldPreview, open: number): string {
  if (open > 0) return `${counted(open, 'value')} open`;
  if (odd === 0) return '';
  return `${odd} ${odd === 1 ? 'is' : 'are'} no ${needs.replace(/^an? /, '')}`;
}

function Options({ field, page, property }: { field: FieldPreview; page: RecordsPreview; property: string }) {
  const named = page.properties.map((used) => used.property);
  // Includes the current one, even if no note has it.
  const others = [property, field.field].filter((name, at, all) => name !== FILE_NAME && !named.includes(name) && all.indexOf(name) === at);
  return (
    <>
      {field.may_be_file_name && <option value={FILE_NAME}>file name</option>}
      {[...others, ...named].map((name) => (
        <option key={name} value={name}>
          {name}
        </option>
      ))}
    </>
  );
}

const OPEN = 'open';
const NOTHING = 'nothing';

/** The meanings of a property's values, if the field has choices. */
function Meanings({ field, draft, say }: { field: FieldPreview } & PropertiesProps) {
  const choose = (value: string, chosen: string) =>
    say({ type: 'value_chosen', field: field.field, value, meaning: chosen === OPEN ? undefined : chosen === NOTHING ? null : chosen.slice(1) });
  return (
    <tr>
      <td colSpan={5} className="px-5 pt-1 pb-2">
        <ul aria-label={`Values for ${field.label}`} className="flex flex-wrap gap-x-4 gap-y-1.5">
          {field.values.map(({ value, notes }) => {
            const meaning = meaningOf(draft, field.field, value);
            return (
              <li key={value} className="flex items-center gap-1.5">
                <span className="selectable font-mono">{value}</span>
                <span className="tabular text-fg-3">{notes}</span>
                <span aria-hidden="true" className="text-fg-3">
                  →
                </span>
                <Select
                  label={`${value} stands for`}
                  value={meaning === undefined ? OPEN : meaning === null ? NOTHING : `=${meaning}`}
                  open={meaning === undefined}
                  onChange={(chosen) => choose(value, chosen)}
                  className="w-24"
                >
                  <option value={OPEN}>choose</option>
                  {field.choices.map((choice) => (
                    <option key={choice} value={`=${choice}`}>
                      {choice}
                    </option>
                  ))}
                  <option value={NOTHING}>leave out</option>
                </Select>
              </li>
            );
          })}
        </ul>
      </td>
    </tr>
  );
}
