// Notes by name, over the window.

import { type KeyboardEvent, useId, useState } from 'react';

import { useRpc } from '../state/hooks';
import { noteName } from './format';
import { Icon } from './Icon';
import { matchName } from './letters';
import { Marked } from './Marked';
import { Over } from './Over';

/** `onChoose` gets the path of the chosen note; the list is closed by then. */
export function NoteFinder({ label, onChoose, onClose }: { label: string; onChoose: (path: string) => void; onClose: () => void }) {
  const [query, setQuery] = useState('');
  const [at, setAt] = useState(0);
  const id = useId();
  const text = query.trim();
  const { data, error, loading } = useRpc('suggest_notes', { text, skill: '' });
  // While the next names are read nothing can be chosen that is about to go.
  const notes = data ?? [];
  const marked = Math.min(at, notes.length - 1);
  const choose = (path: string) => {
    onClose();
    onChoose(path);
  };
  const onKeyDown = (event: KeyboardEvent) => {
    if (event.nativeEvent.isComposing) return;
    const step = { ArrowDown: 1, ArrowUp: -1 }[event.key];
    const note = notes[marked];
    if (step !== undefined) setAt(Math.max(0, Math.min(notes.length - 1, marked + step)));
    else if (event.key === 'Enter' && note) choose(note.path);
    else return;
    event.preventDefault();
  };
  return (
    <Over label={label} onClose={onClose}>
      <label className="flex h-12 shrink-0 items-center gap-3 border-b border-line px-4">
        <Icon name="search" className="text-fg-2" />
        <input
          autoFocus
          type="text"
          role="combobox"
          aria-label="Name of the note"
          aria-expanded="true"
          aria-autocomplete="list"
          aria-controls={`${id}-list`}
          aria-activedescendant={notes.length > 0 ? `${id}-${marked}` : undefined}
          data-testid="note-finder-field"
          placeholder="Name of the note"
          value={query}
          onChange={(event) => {
            setQuery(event.target.value);
            setAt(0);
          }}
          onKeyDown={onKeyDown}
          className="selectable w-full bg-transparent text-body outline-none"
        />
      </label>
      <div id={`${id}-list`} role="listbox" aria-label="Notes" data-testid="note-finder" className="min-h-0 overflow-y-auto p-1.5">
        {notes.map(({ name, path, record_type }, index) => (
          <div
            key={path}
            id={`${id}-${index}`}
            role="option"
            aria-selected={index === marked}
            onMouseMove={() => index !== marked && setAt(index)}
            onClick={() => choose(path)}
            className={`flex h-8 items-center gap-2.5 rounded-control px-2 ${index === marked ? 'bg-selected text-fg [&_.quiet]:text-fg-2' : ''}`}
          >
            <Icon name="note" size={14} className="text-fg-2" />
            <span className="cut flex-1">
              <Marked text={name} ranges={matchName(text, name)?.ranges ?? []} />
            </span>
            <span className="quiet cut max-w-60 text-small text-fg-3">{[record_type, noteName(path).folder].filter(Boolean).join(', ')}</span>
          </div>
        ))}
      </div>
      {notes.length === 0 && !loading && (
        <p role="status" className="px-4 py-3 text-small text-fg-3">
          {error ? `${error.message} ${error.hint}` : `No note named “${text}”.`}
        </p>
      )}
    </Over>
  );
}
