// What the settings would do: notes taken, left out and not understood, one note as it is read, and where new ones go.

import { useState, type Dispatch } from 'react';

import type { NoteGroup, RecordsPreview } from '../../ipc';
import { Coded, count, counted, LinkButton, noteName } from '../../shared';
import { NoteLink } from '../../shared/NoteLink';
import { leftOut, notUnderstood, type Draft, type DraftEvent } from './draft';
import { NewNotes } from './NewNotes';
import { OneNote } from './OneNote';
import { Block } from './Section';

interface ResultProps {
  readonly draft: Draft;
  readonly say: Dispatch<DraftEvent>;
}

export function Result({ draft, say }: ResultProps) {
  const { page } = draft;
  if (page === null) return null;
  const name = page.label.toLowerCase();
  return (
    <div className="selectable text-small">
      <Figures page={page} />
      <Groups title="Not understood" groups={page.not_understood} />
      <Groups title="Left out" groups={page.left_out} />
      <Groups title={`Also another record than ${name}`} groups={page.shared} />
      {page.note ? (
        <OneNote note={page.note} of={page.taken} onMove={(by) => say({ type: 'note_moved', by })} />
      ) : (
        <Block title={`No note looks like a ${name}`}>
          <p className="text-fg-2">
            New ones go to <span className="font-mono">{page.new_notes.folder}</span>.
          </p>
        </Block>
      )}
      <NewNotes draft={draft} say={say} />
    </div>
  );
}

function Figures({ page }: { page: RecordsPreview }) {
  const values = notUnderstood(page);
  const figures = [
    { key: 'taken', of: page.taken, label: 'taken', dot: 'bg-accent-fill', text: '' },
    { key: 'left', of: leftOut(page), label: 'left out', dot: 'bg-line-control', text: '' },
    { key: 'values', of: values, label: 'values not understood', dot: 'bg-warn', text: values > 0 ? 'text-warn' : '' },
  ];
  const all = Math.max(1, figures.reduce((sum, { of }) => sum + of, 0));
  return (
    <section aria-label="Notes" className="border-b border-line px-5 py-3.5">
      <dl className="flex justify-between gap-3">
        {figures.map(({ key, of, label, dot, text }) => (
          <div key={key} className="flex flex-col-reverse">
            <dt className="flex items-center gap-1.5 text-fg-2">
              <span aria-hidden="true" className={`size-2 shrink-0 rounded-xs ${dot}`} />
              {label}
            </dt>
            <dd className={`tabular text-title font-semibold ${text}`}>{count(of)}</dd>
          </div>
        ))}
      </dl>
      <div aria-hidden="true" className="mt-2 flex h-1.5 overflow-hidden rounded-full bg-surface-sunken">
        {figures.map(({ key, of, dot }) => (
          // What is left out comes last.
          <span key={key} className={`${dot} ${key === 'left' ? 'order-last' : ''}`} style={{ width: `${(of / all) * 100}%` }} />
        ))}
      </div>
      {values > 0 && <p className="mt-2 text-fg-2">{values === 1 ? 'The note is taken, the value stays empty until it is clear.' : `The ${counted(values, 'note')} are taken, the value stays empty until it is clear.`}</p>}
    </section>
  );
}

function Groups({ title, groups }: { title: string; groups: readonly NoteGroup[] }) {
  if (groups.length === 0) return null;
  return (
    <Block title={title}>
      <ul className="flex flex-col gap-1">
        {groups.map((group) => (
          <Group key={group.what} group={group} />
        ))}
      </ul>
    </Block>
  );
}

function Group({ group: { what, values, notes, paths } }: { group: NoteGroup }) {
  const [shown, setShown] = useState(false);
  const said = values.map((value) => `“${value}”`).join(', ');
  return (
    <li>
      <div className="flex items-baseline gap-2">
        <span className="tabular w-7 shrink-0 text-right">{count(notes)}</span>
        <span className="min-w-0 flex-1 break-words text-fg-2">
          <Coded text={said === '' ? what : `${what}: ${said}`} />
        </span>
        <LinkButton aria-expanded={shown} aria-label={`${shown ? 'Hide' : 'Show'} notes: ${what}`} onClick={() => setShown(!shown)}>
          {shown ? 'Hide' : 'Show'}
        </LinkButton>
      </div>
      {shown && (
        <ul className="mt-1 mb-1.5 ml-9 flex flex-col gap-0.5">
          {paths.map((path) => (
            <li key={path} className="flex min-w-0 gap-2">
              <NoteLink note={path} className="cut">
                {noteName(path).name}
              </NoteLink>
              <span className="cut text-fg-3">{noteName(path).folder}</span>
            </li>
          ))}
          {notes > paths.length && <li className="text-fg-3">and {count(notes - paths.length)} more</li>}
        </ul>
      )}
    </li>
  );
}
