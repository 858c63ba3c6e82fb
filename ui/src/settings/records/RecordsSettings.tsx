import { nothing } from '../../ipc';
import { useActions, useApp, useRpc } from '../../state/hooks';
import { RecordsPage } from './RecordsPage';

/** The page of the record type that the settings name. */
export function RecordsSettings() {
  const skill = useApp(({ view }) => (view.kind === 'settings' ? (view.skill ?? '') : ''));
  const type = useApp(({ view }) => (view.kind === 'settings' ? (view.records ?? '') : ''));
  const revision = useApp(({ revisions }) => revisions.registry);
  const name = useRpc('list_skills', nothing, revision).data?.find(({ id }) => id === skill)?.name ?? skill;
  const { show } = useActions();
  return (
    <RecordsPage
      key={`${skill} ${type}`}
      skill={skill}
      name={name}
      type={type}
      onType={(records) => show({ kind: 'settings', page: 'skills', skill, records })}
      onClose={() => show({ kind: 'settings', page: 'skills', skill })}
    />
  );
}
