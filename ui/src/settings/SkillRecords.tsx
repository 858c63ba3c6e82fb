// A skill's record types, each with a button to add one.

import { nothing, type SkillRow } from '../ipc';
import { Button, LinkButton } from '../shared';
import { useActions, useApp, useRpc } from '../state/hooks';
import { Part } from './Part';

export function SkillRecords({ row }: { row: SkillRow }) {
  const revision = useApp(({ revisions }) => revisions.registry);
  const { data } = useRpc('list_record_types', nothing, revision);
  const { openRecordForm, show } = useActions();
  const own = (data ?? []).filter(({ skill }) => skill === row.id);
  if (own.length === 0) return null;
  return (
    <Part
      title="Records"
      note="each is a note with its own form"
      action={
        <LinkButton data-testid="open-records" onClick={() => show({ kind: 'settings', page: 'skills', skill: row.id, records: own[0]?.record_type ?? '' })}>
          How your notes are read…
        </LinkButton>
      }
    >
      <ul aria-label={`Records of ${row.name}`} className="flex flex-wrap gap-2">
        {own.map(({ record_type, label, folder }) => (
          <li key={record_type} data-tip={folder === '' ? undefined : `in ${folder}`}>
            <Button size="s" icon="plus" onClick={() => openRecordForm({ skill: row.id, type: record_type, path: null })}>
              New {label.toLowerCase()}
            </Button>
          </li>
        ))}
      </ul>
    </Part>
  );
}
