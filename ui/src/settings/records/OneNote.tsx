// One of the records as parsed, each value with its position in the note.

import type { NoteAsRead } from '../../ipc';
import { Icon, IconButton, noteName } from '../../shared';
import { NoteLink } from '../../shared/NoteLink';
import { Block } from './Section';

interface OneNoteProps {
  readonly note: NoteAsRead;
  /** Number of records. */
  readonly of: number;
  readonly onMove: (by: 1 | -1) => void;
}

export function OneNote({ note, of, onMove }: OneNoteProps) {
  const { name, folder } = noteName(note.path);
  const step = (by: 1 | -1, label: string, keys: string) => (
    <IconButton
      icon={by < 0 ? 'chevron-left' : 'chevron-right'}
      label={label}
      keys={keys}
      className="size-6"
      disabled={by < 0 ? note.at === 0 : note.at + 1 >= of}
      onClick={() => onMove(by)}
    />
  );
  return (
    <Block
      title="One note as Nova would read it"
      action={
        <span className="-my-1 flex">
          {step(-1, 'Previous note', '←')}
          {step(1, 'Next note', '→')}
        </span>
      }
    >
      <p className="flex min-w-0 items-center gap-1.5">
        <Icon name="note" size={14} className="text-fg-2" />
        <NoteLink note={note.path} className="cut">
          {name}
        </NoteLink>
        <span className="cut text-fg-3">{folder}</span>
        {/* Announces the note when the arrow keys move between notes. */}
        <span role="status" className="sr-only">
          {`Note ${note.at + 1} of ${of}, ${name}. ${note.values.map(({ field, value, understood }) => `${field} ${understood ? value || 'empty' : 'not understood'}`).join(', ')}`}
        </span>
      </p>
      <table aria-label={`${name} as Nova would read it`} className="mt-1 w-full table-fixed">
        <tbody>
          {note.values.map(({ field, value, from, understood }) => (
            <tr key={field} className="h-5 align-baseline">
              <th scope="row" className="cut w-28 text-left font-mono font-normal text-fg-2">
                {field}
              </th>
              <td className={`cut ${understood ? '' : 'text-warn'}`} data-tip={value}>
                {understood ? value : 'not understood'}
              </td>
              <td className="cut pl-2 text-right text-fg-3" data-tip={from}>
                {from}
              </td>
            </tr>
          ))}
        </tbody>
      </table>
    </Block>
  );
}
