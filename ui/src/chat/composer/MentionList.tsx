// Notes and resources on the left, a preview of the marked one on the right. The field keeps the focus.

import { useEffect, useRef } from 'react';

import type { ResourceSuggestion } from '../../ipc';
import { Icon, Loading, noteName } from '../../shared';
import { revealed } from '../../shared/invisible';
import { NotePreview } from '../../shared/NotePreview';
import { Revealed } from '../../shared/Revealed';
import type { MentionPicker } from './useMention';

export function MentionList({ picker }: { picker: MentionPicker }) {
  const { id, notes, resources, marked, query, loading, problem } = picker;
  const list = useRef<HTMLDivElement>(null);
  useEffect(() => {
    list.current?.querySelector('[aria-selected=true]')?.scrollIntoView({ block: 'nearest' });
  }, [marked]);
  const note = notes[marked];
  const resource = resources[marked - notes.length];
  const options = notes.length + resources.length;
  return (
    <div
      data-testid="note-picker"
      onMouseDown={(event) => event.preventDefault()}
      className="absolute bottom-full left-1/2 z-30 mb-3.5 flex h-80 w-190 max-w-[calc(100%+2.5rem)] -translate-x-1/2 animate-pop overflow-hidden rounded-pop border border-line-strong bg-surface-raised text-ui text-fg shadow-2 short:h-64"
    >
      <div ref={list} role="listbox" id={`${id}-notes`} aria-label={resources.length > 0 ? 'Notes and resources' : 'Notes'} className="w-80 max-w-[50%] shrink-0 overflow-y-auto border-r border-line bg-surface-side p-1.5">
        {loading && <Loading lines={4} label="Looking for notes" />}
        {problem && <p className="p-2 text-small text-danger">{problem.message}</p>}
        {!loading && !problem && options === 0 && (
          <p className="px-2 py-1.5 text-small text-fg-3">{query === '' ? 'No notes yet.' : `No note for “${query}”.`}</p>
        )}
        {notes.map(({ name, path }, index) => (
          <div
            key={path}
            role="option"
            id={`${id}-note-${index}`}
            aria-selected={index === marked}
            onMouseMove={() => index !== marked && picker.point(index)}
            onClick={() => picker.pick(index)}
            className={`flex h-8 items-center gap-2 rounded-control px-2 ${index === marked ? 'bg-selected' : ''}`}
          >
            <Icon name="note" size={14} className="text-fg-2" />
            <span className="cut min-w-0 flex-auto">{name}</span>
            <span className="cut max-w-28 min-w-0 shrink-4 text-meta text-fg-3">{noteName(path).folder}</span>
          </div>
        ))}
        {resources.map(({ uri, tool, name, server }, at) => {
          const index = notes.length + at;
          return (
            <div
              key={`${tool} ${uri}`}
              role="option"
              id={`${id}-note-${index}`}
              data-testid="resource-option"
              aria-selected={index === marked}
              onMouseMove={() => index !== marked && picker.point(index)}
              onClick={() => picker.pick(index)}
              className={`flex h-8 items-center gap-2 rounded-control px-2 ${index === marked ? 'bg-selected' : ''}`}
            >
              <Icon name="plug" size={14} className="text-fg-2" />
              <span className="cut min-w-0 flex-auto">
                <Revealed text={name} />
              </span>
              <span className="cut max-w-28 min-w-0 shrink-4 text-meta text-fg-3">{revealed(server)}</span>
            </div>
          );
        })}
      </div>
      <div className="min-w-0 flex-1 overflow-y-auto p-3.5">
        {note && <NotePreview key={note.path} asked={note.path} />}
        {resource && <ResourcePreview resource={resource} />}
      </div>
      <p className="sr-only" aria-live="polite">
        {(note ?? resource) ? `${note?.name ?? `${resource?.name ?? ''}, resource of ${resource?.server ?? ''}`}, ${marked + 1} of ${options}` : ''}
      </p>
    </div>
  );
}

function ResourcePreview({ resource: { name, server, uri, description, media_type } }: { resource: ResourceSuggestion }) {
  return (
    <div className="flex flex-col gap-1.5 text-small text-fg-2" data-testid="resource-preview">
      <p className="text-ui font-semibold text-fg">
        <Revealed text={name} />
      </p>
      {description !== '' && (
        <p>
          <Revealed text={description} />
        </p>
      )}
      <p className="font-mono break-all">
        <Revealed text={uri} />
      </p>
      <p>
        {media_type !== null && <>{revealed(media_type)}, </>}a resource of {revealed(server)}. It is read when the message is sent.
      </p>
    </div>
  );
}
