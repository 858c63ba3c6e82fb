// Notes claimed by two types. They belong to both until the user assigns them.

import type { Dispatch } from 'react';

import type { JsonValue, SharedNotes } from '../../ipc';
import { LinkButton } from '../../shared';
import { exceptOf, faultsAt, type Draft, type DraftEvent } from './draft';
import { Group } from './Group';
import { Block, Faults } from './Section';
import { Select } from '../../shared/Select';

interface SharedProps {
  readonly draft: Draft;
  readonly say: Dispatch<DraftEvent>;
  /** Opens the page of another type. */
  readonly onOther: (skill: string, type: string) => void;
}

export function Shared({ draft, say, onOther }: SharedProps) {
  const { page } = draft;
  const except = exceptOf(draft);
  if (page === null || (page.shared.length === 0 && except.length === 0)) return null;
  const name = page.label.toLowerCase();
  return (
    <Block title={page.shared.length > 0 ? `Also another record than ${name}` : 'Left to other types'}>
      <ul className="flex flex-col gap-1.5">
        {page.shared.map((shared) => (
          <Group key={`${shared.skill} ${shared.record_type}`} group={shared.group}>
            <Choice shared={shared} name={name} say={say} onOther={onOther} />
          </Group>
        ))}
      </ul>
      {except.length > 0 && <Except entries={except} name={name} say={say} />}
      <div className="-mx-5">
        <Faults reasons={faultsAt(draft, 'except')} />
      </div>
    </Block>
  );
}

interface ChoiceProps {
  readonly shared: SharedNotes;
  readonly name: string;
  readonly say: Dispatch<DraftEvent>;
  readonly onOther: (skill: string, type: string) => void;
}

function Choice({ shared: { group, skill, record_type, except }, name, say, onOther }: ChoiceProps) {
  const choose = (chosen: string) => {
    if (chosen === 'other') say({ type: 'except_set', entries: except, on: true });
    if (chosen === 'this') onOther(skill, record_type);
  };
  return (
    <span className="ml-9 flex items-center gap-2 pt-0.5">
      <span className="text-fg-2">Choose</span>
      <Select label={`Notes that are ${name} and ${group.what}`} value="both" onChange={choose} className="w-56">
        <option value="both">
          both: {name} and {group.what}
        </option>
        {except.length > 0 && <option value="other">{group.what} only</option>}
        <option value="this">{name} only: leave them out of {group.what}…</option>
      </Select>
    </span>
  );
}

/** Notes assigned to other types, which can be reverted. */
function Except({ entries, name, say }: { entries: readonly JsonValue[]; name: string; say: Dispatch<DraftEvent> }) {
  return (
    <ul aria-label={`No ${name}`} className="mt-1 flex flex-col gap-0.5">
      {entries.map((entry) => (
        <li key={JSON.stringify(entry)} className="flex items-baseline gap-2">
          <span className="min-w-0 flex-1 break-words text-fg-2">
            no {name}: <span className="font-mono">{wordsOf(entry)}</span>
          </span>
          <LinkButton aria-label={`Take back: ${wordsOf(entry)}`} onClick={() => say({ type: 'except_set', entries: [entry], on: false })}>
            Take back
          </LinkButton>
        </li>
      ))}
    </ul>
  );
}

/** `{"type": "company"}` as "type: company". */
function wordsOf(entry: JsonValue): string {
  if (typeof entry !== 'object' || entry === null || Array.isArray(entry)) return JSON.stringify(entry);
  return Object.entries(entry).map(([key, value]) => (key === 'where' ? String(value) : `${key}: ${String(value)}`)).join(', ');
}
