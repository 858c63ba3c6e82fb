// Routines: what Nova runs by itself, as defined by notes of the type routine.

import { useState } from 'react';

import { nothing, useBackend, userError, type UserError } from '../../ipc';
import { Button, Empty, ErrorBox, LinkButton, Loading } from '../../shared';
import { listKeys } from '../../shared/list-keys';
import { useActions, useApp, useRpc } from '../../state/hooks';
import { RoutineForm } from './RoutineForm';
import { RoutineLine } from './RoutineLine';
import { WithoutNova } from './WithoutNova';

export function RoutinesPage() {
  const backend = useBackend();
  const { openSession, show } = useActions();
  const background = useApp(({ status }) => status?.background);
  const revision = useApp(({ revisions }) => revisions.routines);
  const { data, error, loading, reload } = useRpc('list_routines', nothing, revision);
  /** The path of the routine that is edited; '' for a new one. */
  const [form, setForm] = useState<string | null>(null);
  const adding = form === '';
  const close = () => setForm(null);
  const [refused, setRefused] = useState<{ path: string; error: UserError } | null>(null);
  const attempt = async (path: string, work: () => Promise<unknown>) => {
    setRefused(null);
    try {
      await work();
    } catch (thrown) {
      setRefused({ path, error: userError(thrown) });
    } finally {
      reload();
    }
  };
  const openChat = (path: string, session: string) => {
    void backend.rpc('see_routine', { path }).catch(() => null);
    void openSession(session);
  };
  const now = new Date();
  return (
    <section aria-label="Routines" className="flex min-w-0 flex-1 flex-col">
      <header className="flex h-12 shrink-0 items-center gap-2.5 border-b border-line px-4">
        <h1 className="text-body font-semibold">Routines</h1>
        <span className="tabular text-small text-fg-3">{data !== null && data.length > 0 && data.length}</span>
        <span className="flex-1" />
        <Button icon="plus" disabled={adding} onClick={() => setForm('')} data-testid="routine-add">
          New routine
        </Button>
      </header>
      <div className="min-h-0 flex-1 overflow-y-auto">
        <p className="px-4 pt-3 text-small text-fg-3">
          Routines run while Nova runs{background?.keep_running === true ? ', also after its window is closed' : ''}.{' '}
          <LinkButton onClick={() => show({ kind: 'settings', page: 'notifications' })}>When the window is closed</LinkButton>
        </p>
        <WithoutNova />
        {adding && <RoutineForm onClose={close} />}
        {error && (
          <div className="px-4 pt-3">
            <ErrorBox error={error} actions={<LinkButton onClick={reload}>Try again</LinkButton>} />
          </div>
        )}
        {data === null && loading && (
          <div className="p-4">
            <Loading lines={4} />
          </div>
        )}
        {data?.length === 0 && !adding && (
          <Empty action={<Button onClick={() => setForm('')}>New routine</Button>}>
            No routines yet. One sends a message or runs a tool at its time, such as every weekday at 07:30.
          </Empty>
        )}
        <ul data-list onKeyDown={listKeys} aria-label="Routines">
          {data?.map((row) =>
            form === row.path ? (
              <li key={row.path}>
                <RoutineForm row={row} onClose={close} />
              </li>
            ) : (
              <RoutineLine
                key={row.path}
                row={row}
                now={now}
                refused={refused?.path === row.path ? refused.error : null}
                onEdit={() => setForm(row.path)}
                onSwitch={(enabled) => void attempt(row.path, () => backend.rpc('switch_routine', { path: row.path, enabled }))}
                onRun={() => void attempt(row.path, () => backend.rpc('run_routine', { path: row.path }))}
                onOpenChat={(session) => openChat(row.path, session)}
              />
            ),
          )}
        </ul>
      </div>
    </section>
  );
}
