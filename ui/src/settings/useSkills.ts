// The rows of the skills page with optimistic updates, and the actions on them.

import { useCallback, useEffect, useRef, useState } from 'react';

import { nothing, useBackend, userError, type Params, type SkillRow, type TakenExample, type UserError } from '../ipc';
import { useActions, useApp, useRpc } from '../state/hooks';

/** Where the user acted, which is where messages are shown. */
export type Place = 'row' | 'detail';

/** Requests that would be misrouted if the skill were on. */
export interface Misrouting {
  readonly skill: string;
  readonly place: Place;
  readonly taken: readonly TakenExample[];
}

export interface Refused {
  readonly skill: string;
  readonly place: Place;
  readonly error: UserError;
}

export type Change = Omit<Params<'set_skill'>, 'skill'>;

export interface Skills {
  readonly rows: readonly SkillRow[];
  readonly loading: boolean;
  readonly error: UserError | null;
  readonly reload: () => void;
  /** Why the last change was refused. */
  readonly refused: Refused | null;
  readonly misrouting: Misrouting | null;
  /** Enabling first checks whether the skill takes requests from others. */
  readonly switchSkill: (skill: string, on: boolean, place: Place) => void;
  readonly switchOnAnyway: () => void;
  readonly leaveOff: () => void;
  /** On failure, `refused` has the reason. */
  readonly set: (skill: string, change: Change, place: Place) => void;
  readonly showFiles: (skill: string, place: Place) => void;
  /** Like `set`, for callers that show the error themselves. */
  readonly attempt: (skill: string, change: Change) => Promise<UserError | null>;
}

/** A pending change, already shown in the row. */
interface Moved {
  readonly id: number;
  readonly skill: string;
  readonly to: Partial<SkillRow>;
}

export function useSkills(): Skills {
  const backend = useBackend();
  const { registryChanged } = useActions();
  const revision = useApp(({ revisions }) => revisions.registry);
  const listed = useRpc('list_skills', nothing, revision);
  const [moved, setMoved] = useState<readonly Moved[]>([]);
  const [answer, setAnswer] = useState<{ after: readonly SkillRow[] | null; rows: readonly SkillRow[] } | null>(null);
  const [refused, setRefused] = useState<Refused | null>(null);
  const [misrouting, setMisrouting] = useState<Misrouting | null>(null);
  const number = useRef(0);
  /** The last switch by skill; only that one may still ask. */
  const lastSwitch = useRef(new Map<string, number>());
  /** Changes are serialised, or two clicks could arrive in reverse order. */
  const queue = useRef<Promise<unknown>>(Promise.resolve());

  const { data } = listed;
  const latest = useRef(data);
  useEffect(() => {
    latest.current = data;
  }, [data]);
  const change = useCallback(
    async (skill: string, to: Partial<SkillRow>, make: (id: number) => Promise<readonly SkillRow[] | null>) => {
      const id = ++number.current;
      setRefused(null);
      setMoved((old) => [...old, { id, skill, to }]);
      const made = queue.current.then(() => make(id));
      queue.current = made.catch(() => undefined);
      try {
        const rows = await made;
        if (rows !== null) {
          setAnswer({ after: latest.current, rows });
          registryChanged();
        }
        return null;
      } catch (thrown) {
        return userError(thrown);
      } finally {
        setMoved((old) => old.filter((one) => one.id !== id));
      }
    },
    [registryChanged],
  );

  const enable = useCallback(
    async (skill: string, on: boolean, place: Place, anyway: boolean) => {
      setMisrouting(null);
      const to: Partial<SkillRow> = { state: on ? 'starting' : 'disabled', reason: null };
      const error = await change(skill, to, async (id) => {
        if (on && !anyway) {
          // If the check fails, the switch works anyway.
          const taken = await backend.rpc('taken_by_skill', { skill }).catch(() => []);
          if (lastSwitch.current.get(skill) !== id) return null;
          if (taken.length > 0) {
            setMisrouting({ skill, place, taken });
            return null;
          }
        }
        return backend.rpc('enable_skill', { skill, enabled: on });
      });
      if (error) setRefused({ skill, place, error });
    },
    [backend, change],
  );
  const switchSkill = useCallback(
    (skill: string, on: boolean, place: Place, anyway = false) => {
      lastSwitch.current.set(skill, number.current + 1);
      void enable(skill, on, place, anyway);
    },
    [enable],
  );
  const attempt = useCallback(
    (skill: string, asked: Change) => {
      const { tool: _tool, config: _config, ...to } = asked;
      return change(skill, to, () => backend.rpc('set_skill', { skill, ...asked }));
    },
    [backend, change],
  );

  // The response counts until the list is reloaded.
  const current = answer && answer.after === data ? answer.rows : (data ?? []);
  const rows = current.map((row) =>
    moved.filter(({ skill }) => skill === row.id).reduce((was, { to }) => ({ ...was, ...to }), row),
  );
  return {
    rows,
    loading: listed.loading,
    error: listed.error,
    reload: listed.reload,
    refused,
    misrouting,
    switchSkill,
    switchOnAnyway: () => misrouting && switchSkill(misrouting.skill, true, misrouting.place, true),
    leaveOff: () => setMisrouting(null),
    showFiles: (skill, place) => {
      setRefused(null);
      backend.rpc('show_skill_files', { skill }).catch((thrown: unknown) => setRefused({ skill, place, error: userError(thrown) }));
    },
    attempt,
    set: (skill, asked, place) =>
      void attempt(skill, asked).then((error) => error && setRefused({ skill, place, error })),
  };
}
