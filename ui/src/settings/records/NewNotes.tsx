// Folder of new records, what marks them as records, and their template.

import { useState, type Dispatch, type FormEvent } from 'react';

import { Button, LinkButton, noteName, TextField } from '../../shared';
import { NoteLink } from '../../shared/NoteLink';
import { faultsAt, type Draft, type DraftEvent } from './draft';
import { Block, Faults } from './Section';

export function NewNotes({ draft, say }: { draft: Draft; say: Dispatch<DraftEvent> }) {
  const [editing, setEditing] = useState(false);
  const { page, own } = draft;
  if (page === null) return null;
  const { folder, mark, template } = page.new_notes;
  const faults = [...faultsAt(draft, 'folder'), ...faultsAt(draft, 'template')];
  const set = (key: 'folder' | 'template', before: string) => (typeof own[key] === 'string' ? own[key] : before);
  return (
    <Block title={`New ${page.label.toLowerCase()}s`.replace(/ys$/, 'ies')}>
      {editing ? (
        <Edit
          folder={set('folder', folder)}
          template={set('template', template ?? '')}
          onSet={(key, value) => say({ type: 'new_notes_set', key, value })}
          onClose={() => setEditing(false)}
        />
      ) : (
        <p className="text-fg-2">
          go to <span className="font-mono">{folder === '' ? 'the top of the vault' : `${folder}/`}</span>
          {mark !== null && (
            <>
              {' '}
              with <span className="font-mono">{mark}</span>
            </>
          )}
          {template !== null && (
            <>
              , from your template <NoteLink note={template}>{noteName(template).name}</NoteLink>
            </>
          )}
          .{' '}
          <LinkButton data-testid="change-new-notes" onClick={() => setEditing(true)}>
            Change
          </LinkButton>
        </p>
      )}
      <div className="-mx-5">
        <Faults reasons={faults} />
      </div>
    </Block>
  );
}

interface EditProps {
  readonly folder: string;
  readonly template: string;
  readonly onSet: (key: 'folder' | 'template', value: string) => void;
  readonly onClose: () => void;
}

function Edit({ folder, template, onSet, onClose }: EditProps) {
  const [values, setValues] = useState({ folder, template });
  const done = (event: FormEvent) => {
    event.preventDefault();
    if (values.folder !== folder) onSet('folder', values.folder);
    if (values.template !== template) onSet('template', values.template);
    onClose();
  };
  const field = (key: 'folder' | 'template', label: string, placeholder: string) => (
    <label className="flex flex-col gap-1">
      <span className="text-fg-2">{label}</span>
      <TextField value={values[key]} placeholder={placeholder} onChange={(event) => setValues({ ...values, [key]: event.target.value })} className="h-7 font-mono" />
    </label>
  );
  return (
    <form onSubmit={done} aria-label="New notes" className="flex flex-col gap-2">
      {field('folder', 'Folder', 'People')}
      {field('template', 'Template, a note of your vault', 'Templates/Person')}
      <span className="flex gap-2">
        <Button type="submit" size="s">
          Done
        </Button>
        <Button size="s" variant="quiet" onClick={onClose}>
          Cancel
        </Button>
      </span>
    </form>
  );
}
