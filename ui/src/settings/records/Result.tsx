// The preview of the settings: notes matched, excluded and unreadable, one parsed note, and the place of new
// ones.

import type { Dispatch, ReactNode } from 'react';

import type { NoteGroup, ProblemView, RecordsPreview } from '../../ipc';
import { Coded, count, counted, noteName } from '../../shared';
import { NoteLink } from '../../shared/NoteLink';
import { leftOut, notUnderstood, type Draft, type DraftEvent } from './draft';
import { Group } from './Group';
import { NewNotes } from './NewNotes';
import { OneNote } from './OneNote';
import { Shared } from './Shared';
import { Block } from './Section';

interface ResultProps {
  readonly draft: Draft;
  readonly say: Dispatch<DraftEvent>;
  /** Opens the page of another type, of this skill or another. */
  readonly onOther: (skill: string, type: string) => void;
}

export function Result({ draft, say, onOther }: ResultProps) {
  const { page } = draft;
  if (page === null) return null;
  const name = page.label.toLowerCase();
  return (
    <div className="selectable text-small">
      <Figures page={page} />
      <Groups title="Not understood" groups={page.not_understood} />
      <Broken notes={page.broken} />
      <Groups title="Left out" groups={page.left_out} />
      <Shared draft={draft} say={say} onOther={onOther} />
      <Groups title="Private" groups={page.private}>
        Taken and shown to you; a remote model does not see them.
      </Groups>
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
          // Excluded notes come last.
          <span key={key} className={`${dot} ${key === 'left' ? 'order-last' : ''}`} style={{ width: `${(of / all) * 100}%` }} />
        ))}
      </div>
      {values > 0 && <p className="mt-2 text-fg-2">{values === 1 ? 'The note is taken, the value stays empty until it is clear.' : `The ${counted(values, 'note')} are taken, the value stays empty until it is clear.`}</p>}
    </section>
  );
}

/** Notes with unreadable properties, which no rule matches. */
function Broken({ notes }: { notes: readonly ProblemView[] }) {
  if (notes.length === 0) return null;
  return (
    <Block title="Cannot be read">
      <p className="mb-1 text-fg-2">Taken once their front matter is corrected.</p>
      <ul className="flex flex-col gap-1">
        {notes.map(({ path, line, problem }) => (
          <li key={`${path} ${line}`} className="flex min-w-0 flex-col">
            <span className="flex min-w-0 gap-2">
              <NoteLink note={path} className="cut">
                {noteName(path).name}
              </NoteLink>
              <span className="tabular shrink-0 text-fg-3">line {line}</span>
              <span className="cut text-fg-3">{noteName(path).folder}</span>
            </span>
            <span className="break-words text-warn">
              <Coded text={problem} />
            </span>
          </li>
        ))}
      </ul>
    </Block>
  );
}

function Groups({ title, groups, children }: { title: string; groups: readonly NoteGroup[]; children?: ReactNode }) {
  if (groups.length === 0) return null;
  return (
    <Block title={title}>
      {children !== undefined && <p className="mb-1 text-fg-2">{children}</p>}
      <ul className="flex flex-col gap-1">
        {groups.map((group) => (
          <Group key={group.what} group={group} />
        ))}
      </ul>
    </Block>
  );
}
