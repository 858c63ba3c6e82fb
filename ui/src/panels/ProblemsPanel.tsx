import { type KeyboardEvent, useState } from 'react';

import { useBackend, userError, type ProblemView, type UserError } from '../ipc';
import { Button, Coded, count, counted, Empty, ErrorBox, Icon, LinkButton, Loading, noteName } from '../shared';
import { listKeys, noteForO } from '../shared/list-keys';
import { useActions, useApp } from '../state/hooks';
import { MarkedRecord, MarkRecord, type Marked } from './MarkRecord';

/** Notes shown at first, and added by each "Show more". */
const PAGE = 50;

/** Content of the vault that could not be fully read: by note, with line, reason and remedy. */
export function ProblemsPanel() {
  const { rows, error } = useApp((app) => app.problems);
  const { loadProblems } = useActions();
  const [pages, setPages] = useState(1);
  const [marked, setMarked] = useState<Marked | null>(null);
  const groups = byNote(rows ?? []);
  const shown = groups.slice(0, pages * PAGE);
  const more = groups.length - shown.length;
  return (
    <div data-testid="problems-panel" data-list onKeyDown={listKeys} className="flex flex-col gap-4 p-3.5">
      {error && <ErrorBox error={error} actions={<LinkButton onClick={() => void loadProblems()}>Try again</LinkButton>} />}
      {marked && <MarkedRecord key={marked.change_set} marked={marked} />}
      {rows === null && !error && <Loading lines={4} label="Reading the problems" />}
      {rows?.length === 0 && !error && <Empty>No problems. Notes that cannot be read in full appear here, with a fix.</Empty>}
      {rows !== null && rows.length > 0 && (
        <h2 className="text-ui font-semibold">
          {counted(rows.length, 'problem')} in {counted(groups.length, 'note')}
        </h2>
      )}
      {shown.map(([path, problems]) => (
        <NoteProblems key={path} path={path} problems={problems} onMarked={setMarked} />
      ))}
      {more > 0 && (
        <LinkButton className="self-start text-small" onClick={() => setPages(pages + 1)}>
          Show {count(Math.min(more, PAGE))} more
        </LinkButton>
      )}
    </div>
  );
}

function NoteProblems({ path, problems, onMarked }: { path: string; problems: readonly ProblemView[]; onMarked: (done: Marked) => void }) {
  const { openNote } = useActions();
  const backend = useBackend();
  const [failed, setFailed] = useState<UserError | null>(null);
  const { name, folder } = noteName(path);
  const open = async () => {
    setFailed(null);
    try {
      await backend.rpc('open_note', { path });
    } catch (thrown) {
      setFailed(userError(thrown));
    }
  };
  /** Errors of the key O are shown here, too. */
  const onKeyDown = (event: KeyboardEvent) => {
    if (noteForO(event) === null) return;
    event.preventDefault();
    void open();
  };
  return (
    <article data-testid="note-problems" data-path={path} data-list-item data-note-path={path} onKeyDown={onKeyDown} aria-label={name} className="flex flex-col gap-1.5">
      <div className="flex items-start gap-2">
        <Icon name="note" size={14} className="mt-1 text-fg-2" />
        {/* Never truncated: a sync copy differs only at the end of its name. */}
        <span className="mt-0.5 min-w-0 flex-1 break-words">
          <button
            type="button"
            onClick={() => openNote(path)}
            className="mr-2 max-w-full rounded-badge text-left text-ui font-medium hover:underline"
          >
            {name}
          </button>
          <span className="text-small text-fg-3">{folder}</span>
        </span>
        <Button size="s" variant="quiet" aria-label={`Open in Obsidian: ${name}`} onClick={() => void open()}>
          Open in Obsidian
        </Button>
      </div>
      <ul className="divide-y divide-line overflow-hidden rounded-control border border-line bg-surface">
        {problems.map(({ line, problem, remedy, mark }, index) => (
          <li key={index} className="selectable grid grid-cols-[3.5rem_minmax(0,1fr)] gap-x-1 px-2.5 py-1.5 text-small break-words">
            <span className="tabular text-fg-3">Line {line}</span>
            <span>
              <Coded text={sentence(problem)} />{' '}
              {remedy && (
                <span className="text-fg-2">
                  <Coded text={remedy} />
                </span>
              )}
              {mark && <MarkRecord path={path} mark={mark} onDone={onMarked} />}
            </span>
          </li>
        ))}
      </ul>
      {failed && <ErrorBox error={failed} />}
    </article>
  );
}

/** Joins the problem, which is a clause, and its remedy. */
function sentence(clause: string): string {
  return `${clause.charAt(0).toUpperCase()}${clause.slice(1)}${/[.!?…]$/.test(clause) ? '' : '.'}`;
}

/** In order of first appearance. */
function byNote(rows: readonly ProblemView[]): [string, ProblemView[]][] {
  const groups = new Map<string, ProblemView[]>();
  for (const row of rows) {
    const group = groups.get(row.path);
    if (group) group.push(row);
    else groups.set(row.path, [row]);
  }
  return [...groups];
}
