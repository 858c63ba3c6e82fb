import { useState } from 'react';

import { nothing } from '../../ipc';
import { useActions, useApp, useRpc } from '../../state/hooks';
import type { Own } from './draft';
import { NewTypePage } from './NewTypePage';
import { RecordsPage } from './RecordsPage';

/** The page of the record type chosen in the settings. */
export function RecordsSettings() {
  const skill = useApp(({ view }) => (view.kind === 'settings' ? (view.skill ?? '') : ''));
  const type = useApp(({ view }) => (view.kind === 'settings' ? (view.records ?? '') : ''));
  const revision = useApp(({ revisions }) => revisions.registry);
  const name = useRpc('list_skills', nothing, revision).data?.find(({ id }) => id === skill)?.name ?? skill;
  const { show } = useActions();
  const [adding, setAdding] = useState(false);
  /** A type just defined, until another one is shown. */
  const [begun, setBegun] = useState<{ readonly type: string; readonly own: Own } | null>(null);
  const open = (records: string, of = skill, own: Own | null = null) => {
    setBegun(own && { type: records, own });
    show({ kind: 'settings', page: 'skills', skill: of, records });
  };
  if (adding)
    return (
      <NewTypePage
        skill={skill}
        name={name}
        onClose={() => setAdding(false)}
        onBegin={(record_type, own) => {
          setAdding(false);
          open(record_type, skill, own);
        }}
      />
    );
  return (
    <RecordsPage
      key={`${skill} ${type}`}
      skill={skill}
      name={name}
      type={type}
      begun={begun?.type === type ? begun.own : null}
      onType={open}
      onOther={(of, record_type) => open(record_type, of)}
      onNew={() => setAdding(true)}
      onClose={() => show({ kind: 'settings', page: 'skills', skill })}
    />
  );
}
