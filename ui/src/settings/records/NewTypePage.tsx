// Defines a custom record type: its folder and fields. It has no effect until applied on its page.

import { useEffect, useState, type FormEvent, type ReactNode } from 'react';

import { nothing, useBackend } from '../../ipc';
import { Button, Coded, ErrorBox, Icon, IconButton, TextField } from '../../shared';
import { useAttempt } from '../../shared/useAttempt';
import { useRpc } from '../../state/hooks';
import type { Own } from './draft';
import { begin, ownOf, problemsIn, problemsOf, type NewField, type NewType, type Problems } from './new-type';
import { NewTypeFields } from './NewTypeFields';
import { Faults, Section } from './Section';

interface NewTypePageProps {
  readonly skill: string;
  readonly name: string;
  readonly onClose: () => void;
  readonly onBegin: (type: string, own: Own) => void;
}

export function NewTypePage({ skill, name, onClose, onBegin }: NewTypePageProps) {
  const backend = useBackend();
  const { data: types } = useRpc('list_record_types', nothing, 0);
  const { data: skills } = useRpc('list_skills', nothing, 0);
  const [type, setType] = useState<NewType>(begin);
  const [problems, setProblems] = useState<Problems>({});
  const { busy, problem, attempt } = useAttempt();
  const set = (change: Partial<NewType>) => {
    setProblems({});
    setType({ ...type, ...change });
  };
  const go = (event: FormEvent) => {
    event.preventDefault();
    const found = problemsOf(type, types ?? [], (id) => skills?.find((row) => row.id === id)?.name ?? id);
    setProblems(found);
    if (Object.keys(found).length > 0) return;
    void attempt(async () => {
      const [record_type, own] = [type.name.trim(), ownOf(type)];
      const page = await backend.rpc('preview_records', { skill, record_type, own });
      if (page.faults.length > 0) return setProblems(problemsIn(page.faults));
      onBegin(record_type, own);
    });
  };
  useEscape(onClose);
  return (
    <form onSubmit={go} aria-label={`New record type of ${name}`} data-testid="new-type" className="flex h-full min-w-0 flex-1 flex-col">
      <header className="flex h-12 shrink-0 items-center gap-2.5 border-b border-line px-4">
        <IconButton icon="chevron-left" label="Back to records" className="-ml-2" onClick={onClose} />
        <h1 className="text-body font-semibold">New record type of {name}</h1>
      </header>
      <div className="min-h-0 flex-1 overflow-y-auto">
        <Section title="Type" note="each record is a note">
          <div className="flex flex-wrap items-start gap-4 px-5 py-2 text-small">
            <Named label="Name" note="singular, the value of `type:` in its notes" problem={problems['name']}>
              <TextField autoFocus placeholder="supplier" value={type.name} invalid={'name' in problems} onChange={(event) => set({ name: event.target.value })} />
            </Named>
            <Named label="Folder of new notes" note="records are found in any folder" problem={problems['folder']}>
              <TextField placeholder="CRM/Suppliers" value={type.folder} invalid={'folder' in problems} onChange={(event) => set({ folder: event.target.value })} />
            </Named>
          </div>
        </Section>
        <NewTypeFields fields={type.fields} problems={problems} onChange={(fields: readonly NewField[]) => set({ fields })} />
      </div>
      <footer className="shrink-0 border-t border-line bg-surface text-small">
        {problem && (
          <div className="px-5 pt-2">
            <ErrorBox error={problem} />
          </div>
        )}
        <div className="flex h-14 items-center gap-2.5 px-5">
          <Icon name="shield" className="text-ok" />
          <p className="cut min-w-0 flex-1 text-fg-2">Next you see which notes it would take.</p>
          <Button onClick={onClose}>Cancel</Button>
          <Button type="submit" variant="primary" disabled={busy || types === null} data-testid="new-type-next">
            Next
          </Button>
        </div>
      </footer>
    </form>
  );
}

function Named({ label, note, problem, children }: { label: string; note: string; problem: string | undefined; children: ReactNode }) {
  return (
    <div className="flex w-72 flex-col gap-1">
      <label className="flex flex-col gap-1">
        <span className="font-medium">{label}</span>
        {children}
      </label>
      {problem === undefined ? (
        <span className="text-fg-3">
          <Coded text={note} />
        </span>
      ) : (
        <div className="-mx-5">
          <Faults reasons={[problem]} />
        </div>
      )}
    </div>
  );
}

/** Within a field Esc leaves the field. */
function useEscape(onClose: () => void) {
  useEffect(() => {
    const onKeyDown = (event: KeyboardEvent) => {
      if (event.key !== 'Escape' || event.defaultPrevented) return;
      const field = event.target instanceof HTMLElement ? event.target.closest<HTMLElement>('input, select, textarea') : null;
      if (field) field.blur();
      else onClose();
      event.preventDefault();
      event.stopPropagation();
    };
    window.addEventListener('keydown', onKeyDown, true);
    return () => window.removeEventListener('keydown', onKeyDown, true);
  }, [onClose]);
}
