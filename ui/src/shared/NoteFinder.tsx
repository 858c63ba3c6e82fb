// Finds notes by name, over the window.

import { useState } from 'react';

import { useRpc } from '../state/hooks';
import { Finder } from './Finder';
import { noteName } from './format';
import { Icon } from './Icon';
import { matchName } from './letters';
import { Marked } from './Marked';

/** `onChoose` receives the path of the chosen note, after the list was closed. */
export function NoteFinder({ label, onChoose, onClose }: { label: string; onChoose: (path: string) => void; onClose: () => void }) {
  const [query, setQuery] = useState('');
  const text = query.trim();
  const { data, error, loading } = useRpc('suggest_notes', { text, skill: '' });
  return (
    <Finder
      label={label}
      fieldLabel="Name of the note"
      listLabel="Notes"
      testId="note-finder"
      query={query}
      onQuery={setQuery}
      // While loading, outdated results cannot be chosen.
      groups={[{ items: data ?? [] }]}
      row={({ name, path, record_type }) => (
        <>
          <Icon name="note" size={14} className="text-fg-2" />
          <span className="cut flex-1">
            <Marked text={name} ranges={matchName(text, name)?.ranges ?? []} />
          </span>
          <span className="quiet cut max-w-60 text-small text-fg-3">{[record_type, noteName(path).folder].filter(Boolean).join(', ')}</span>
        </>
      )}
      nothing={loading ? null : error ? `${error.message} ${error.hint}` : `No note named “${text}”.`}
      onChoose={({ path }) => {
        onClose();
        onChoose(path);
      }}
      onClose={onClose}
    />
  );
}
