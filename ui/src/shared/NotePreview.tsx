import { useState, type ReactNode } from 'react';

import { useBackend, userError, type NoteView, type UserError } from '../ipc';
import type { AppState } from '../state/app';
import { useActions, useApp, useRpc } from '../state/hooks';
import { Badge } from './Badge';
import { ErrorBox, Loading } from './Banner';
import { Button, LinkButton } from './Button';
import { clockTime, noteName } from './format';
import { Html } from './Html';
import { Icon } from './Icon';
import { useClock } from './useClock';

/** Duration of a change mark, ms. */
const FRESH = 60_000;

/** A note as it is on disk, reloaded on changes. `asked`: a path, or a name as in a link. */
export function NotePreview({
  asked,
  actions,
  onNote,
}: {
  asked: string;
  /** Shown beside "Open in Obsidian". */
  actions?: ReactNode;
  /** Follows a link in the note; by default the panel does. */
  onNote?: (note: string) => void;
}) {
  const { openNote } = useActions();
  const revision = useApp((app) => changesOf(app.noteChanges, asked));
  const { data, error, loading, reload } = useRpc('read_note', { path: asked }, revision);

  return (
    <div data-testid="note-preview" className={`flex flex-col gap-3 ${data && loading ? 'opacity-60' : ''}`}>
      {!data && loading && <Loading lines={5} label="Reading the note" />}
      {error && <ErrorBox error={error} actions={<LinkButton onClick={reload}>Try again</LinkButton>} />}
      {data && !error && <Note note={data} actions={actions} onNote={onNote ?? openNote} />}
    </div>
  );
}

/** Number of observed changes. A name matches all notes of that name. */
function changesOf(changes: AppState['noteChanges'], asked: string): number {
  const [target = asked] = asked.split('#');
  const name = noteName(target).name.toLowerCase();
  return Object.entries(changes).reduce((sum, [path, { count }]) => (noteName(path).name.toLowerCase() === name ? sum + count : sum), 0);
}

function Note({ note, actions, onNote }: { note: NoteView; actions: ReactNode; onNote: (note: string) => void }) {
  const { openLink, openRecordForm } = useActions();
  const { record } = note;
  const backend = useBackend();
  const [problem, setProblem] = useState<UserError | null>(null);
  const { folder } = noteName(note.path);
  const open = async () => {
    setProblem(null);
    try {
      await backend.rpc('open_note', { path: note.path });
    } catch (thrown) {
      setProblem(userError(thrown));
    }
  };
  return (
    <>
      <div className="flex items-start gap-2">
        <Icon name="note" size={14} className="mt-0.75 shrink-0 text-fg-2" />
        <div className="min-w-0 flex-1">
          <h2 className="selectable text-body font-semibold break-words">{note.name}</h2>
          <p className="flex flex-wrap items-center gap-x-2 text-small text-fg-3">
            {folder}
            <ChangedMark path={note.path} />
          </p>
        </div>
        {actions}
        {record && (
          <Button
            size="s"
            icon="pencil"
            aria-label={`Edit ${record.label.toLowerCase()}`}
            data-testid="edit-record"
            onClick={() => openRecordForm({ skill: record.skill, type: record.record_type, path: note.path })}
          >
            Edit
          </Button>
        )}
        <Button size="s" onClick={() => void open()} data-testid="open-in-obsidian">
          Open in Obsidian
        </Button>
      </div>
      {problem && <ErrorBox error={problem} />}
      {note.broken && (
        <p className="selectable flex gap-2 rounded-card bg-warn-soft px-2.5 py-1.5 text-small">
          <Icon name="warn" size={14} className="mt-0.5 shrink-0 text-warn" />
          <span>
            Line {note.broken.line}: {note.broken.problem} <span className="text-fg-2">{note.broken.remedy}</span>
          </span>
        </p>
      )}
      {note.properties.length > 0 && (
        <dl aria-label="Properties" className="grid grid-cols-[minmax(5rem,max-content)_minmax(0,1fr)] gap-x-4 gap-y-1 border-b border-line pb-3 text-small">
          {note.properties.map(([key, value]) => (
            <div key={key} className="contents">
              <dt className="cut max-w-36 font-mono text-fg-3">{key}</dt>
              <dd className="selectable break-words text-fg">
                <PropertyValue value={value} onNote={onNote} />
              </dd>
            </div>
          ))}
        </dl>
      )}
      <div className="text-ui">
        <Html html={note.html} onNote={(name) => onNote(name)} onLink={openLink} />
      </div>
    </>
  );
}

/** A value with note links. */
function PropertyValue({ value, onNote }: { value: string; onNote: (note: string) => void }) {
  if (value === '') return <span className="text-fg-3">empty</span>;
  return value.split(/(\[\[[^\]\n]+\]\])/).map((part, index) => {
    const link = /^\[\[([^\]|#]+)(?:#[^\]|]*)?(?:\|([^\]]*))?\]\]$/.exec(part);
    const target = link?.[1];
    if (!target) return part;
    return (
      <LinkButton key={index} className="font-normal" onClick={() => onNote(target)}>
        {link[2] ?? target}
      </LinkButton>
    );
  });
}

/** "changed 14:32", for a minute after the note changed. */
function ChangedMark({ path }: { path: string }) {
  const change = useApp((app) => app.noteChanges[path]);
  const now = useClock(change !== undefined);
  if (!change || now - Date.parse(change.at) >= FRESH) return null;
  return (
    <Badge tone="accent" {...(change.summary ? { title: change.summary } : {})}>
      changed {clockTime(change.at)}
    </Badge>
  );
}
