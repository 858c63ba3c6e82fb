// Notes grouped by what they have in common, collapsed at first.

import { useState, type ReactNode } from 'react';

import type { NoteGroup } from '../../ipc';
import { Coded, count, LinkButton, noteName } from '../../shared';
import { NoteLink } from '../../shared/NoteLink';

export function Group({ group: { what, values, notes, paths }, children }: { group: NoteGroup; children?: ReactNode }) {
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
      {children}
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
