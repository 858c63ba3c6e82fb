// Imports files into a panel: its button, dropped files, the sheet and the bar with the result.

import { useState, type DragEvent, type ReactNode } from 'react';

import { userError, type UserError } from '../../ipc';
import { Button, counted, Icon, LinkButton } from '../../shared';
import { useActions } from '../../state/hooks';
import { isRow, textOf } from '../skill/answer';
import { useDropping } from './DropOffer';
import { ImportSheet } from './ImportSheet';
import type { Imported } from './useImport';

export interface PanelImport {
  open(): void;
  /** For the panel's root element; none if the panel imports nothing. */
  readonly handlers: { onDragOver?: (event: DragEvent) => void; onDrop?: (event: DragEvent) => void };
  readonly sheet: ReactNode;
  /** The last result, until the next import. */
  readonly bar: ReactNode;
}

/** `tool` is the full name of the import tool. `onFilter` shows only entries with a text. */
export function usePanelImport(skill: string, tool: string | null, onDone: () => void, onFilter: (text: string) => void): PanelImport {
  const dropping = useDropping();
  const [open, setOpen] = useState(false);
  const [file, setFile] = useState<File | null>(null);
  const [imported, setImported] = useState<Imported | null>(null);
  const start = (next: File | null) => {
    setImported(null);
    setFile(next);
    setOpen(true);
  };
  const offered = dropping.dropped?.skill === skill ? dropping.dropped.file : null;
  const close = () => {
    setOpen(false);
    dropping.take();
  };

  const handlers: PanelImport['handlers'] =
    tool === null
      ? {}
      : {
          onDragOver: (event) => {
            if (event.dataTransfer.types.includes('Files')) event.preventDefault();
          },
          onDrop: (event) => {
            const [first] = event.dataTransfer.files;
            if (!first) return;
            event.preventDefault();
            start(first);
          },
        };
  return {
    open: () => start(null),
    handlers,
    sheet: (open || offered !== null) && tool !== null && (
      <ImportSheet
        tool={tool}
        dropped={offered ?? file}
        onDone={(done) => {
          close();
          setImported(done);
          onDone();
        }}
        onClose={close}
      />
    ),
    bar: imported && <ImportedBar imported={imported} onFilter={onFilter} />,
  };
}

function ImportedBar({ imported: { result }, onFilter }: { imported: Imported; onFilter: (text: string) => void }) {
  const { undo } = useActions();
  const [undone, setUndone] = useState(false);
  const [problem, setProblem] = useState<UserError | null>(null);
  const number = (key: string) => (isRow(result.value) && typeof result.value[key] === 'number' ? result.value[key] : 0);
  const rest = [
    [number('left_out'), 'left out'],
    [number('joined'), 'joined'],
    [number('already_there'), 'in your notes already'],
  ] as const;
  const without = number('without_a_category');
  const note = isRow(result.value) ? textOf(result.value['note']) : '';
  const takeBack = () => {
    if (result.change_set === null) return;
    undo({ change_set: result.change_set }).then(
      ({ conflicts }) => (conflicts.length === 0 ? setUndone(true) : setProblem(editedSince(conflicts.length))),
      (thrown: unknown) => setProblem(userError(thrown)),
    );
  };
  return (
    <div role="status" data-testid="imported-bar" className="mx-5 my-2 flex min-h-9 shrink-0 items-center gap-2.5 rounded-card bg-ok-soft px-3 text-small">
      <Icon name={undone ? 'undo' : 'check'} size={14} className={undone ? 'text-fg-2' : 'text-ok'} />
      <span className="selectable flex-1">
        <span className="font-semibold">Imported {number('imported')}</span>
        {rest.filter(([count]) => count > 0).map(([count, word]) => `, ${count} ${word}`)}
        {undone && ', undone'}
        {!undone && note !== '' && <span className="text-fg-2">. {note}</span>}
        {problem !== null && (
          <span className="text-danger">
            {' '}
            {problem.message} {problem.hint}
          </span>
        )}
      </span>
      {!undone && without > 0 && <LinkButton onClick={() => onFilter('uncategorised')}>{without} without a category</LinkButton>}
      {!undone && result.change_set !== null && (
        <Button size="s" icon="undo" data-testid="undo-import" onClick={takeBack}>
          Undo
        </Button>
      )}
    </div>
  );
}

function editedSince(notes: number): UserError {
  return { code: 'conflict', message: `${counted(notes, 'note was', 'notes were')} edited since.`, hint: 'Changes shows both versions.' };
}
