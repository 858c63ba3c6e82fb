// Reads the vault with settings of records as they are edited, puts them in force, and takes them back.

import { useCallback, useEffect, useReducer, useRef, useState, type Dispatch } from 'react';

import { useBackend, userError, type JsonValue, type RecordsPreview, type UserError } from '../../ipc';
import { useAttempt } from '../../shared/useAttempt';
import { empty, reduceDraft, withoutType, type Draft, type DraftEvent, type Own } from './draft';

/** Changes in quick succession are read once. */
const PAUSE_MS = 150;

/** The settings that were put in force while the page is open. */
export interface InUse {
  /** RFC 3339 */
  readonly at: string;
  /** The skill's configuration until then. */
  readonly before: JsonValue;
}

export interface RecordsPageState {
  readonly draft: Draft;
  readonly say: Dispatch<DraftEvent>;
  readonly error: UserError | null;
  /** RFC 3339, of the last reading. */
  readonly readAt: string | null;
  readonly busy: boolean;
  readonly problem: UserError | null;
  readonly inUse: InUse | null;
  /** What the rules would take, where the user is asked whether they mean it. */
  readonly asked: string | null;
  readAgain(): void;
  /** Puts the draft in force; `agreed` where its rules take nearly every note. */
  apply(agreed?: boolean): void;
  /** Leaves the question unanswered. */
  leave(): void;
  takeBack(): void;
}

/** `begun` is a type that the user has just named and not put in use. */
export function useRecordsPage(skill: string, type: string, begun: Own | null = null): RecordsPageState {
  const backend = useBackend();
  const [draft, say] = useReducer(reduceDraft, empty);
  const [error, setError] = useState<UserError | null>(null);
  const [readAt, setReadAt] = useState<string | null>(null);
  const [again, setAgain] = useState(0);
  const [inUse, setInUse] = useState<InUse | null>(null);
  const [asked, setAsked] = useState<string | null>(null);
  const { busy, problem, attempt } = useAttempt();
  const { own, rules, note } = draft;
  /** The first reading says itself what it was made with. */
  const isFirst = rules === null;
  const params = JSON.stringify(!isFirst ? { own, rules, note } : begun === null ? {} : { own: begun });
  const last = useRef<string | null>(null);

  const read = useCallback(
    (settings: string) => backend.rpc('preview_records', { skill, record_type: type, ...(JSON.parse(settings) as object) }),
    [backend, skill, type],
  );
  useEffect(() => {
    const key = `${params} ${again}`;
    if (last.current === key) return;
    let current = true;
    const timer = setTimeout(
      () =>
        void read(params).then(
          (page: RecordsPreview) => {
            if (!current) return;
            // What it was made with needs no second reading.
            last.current = isFirst ? `${JSON.stringify({ own: page.own, rules: page.rules.map(({ entry }) => entry), note: page.note?.at ?? 0 })} ${again}` : key;
            setError(null);
            setReadAt(new Date().toISOString());
            say({ type: 'read', page });
          },
          (thrown: unknown) => current && setError(userError(thrown)),
        ),
      isFirst ? 0 : PAUSE_MS,
    );
    return () => {
      current = false;
      clearTimeout(timer);
    };
  }, [read, params, again, isFirst]);

  const set = async (config: JsonValue, agreed: boolean) => {
    await backend.rpc('set_skill', { skill, config, ...(agreed ? { nearly_all: true } : {}) });
    setAsked(null);
    setAgain((count) => count + 1);
  };
  const apply = (agreed = false) =>
    void attempt(async () => {
      // The settings may have changed since the last reading.
      const page = await read(params);
      say({ type: 'read', page });
      if (page.faults.length > 0) return;
      if (page.takes_nearly_all !== null && !agreed) return setAsked(page.takes_nearly_all);
      const { own_config } = await backend.rpc('skill_detail', { skill });
      await set(page.config as JsonValue, agreed);
      setInUse({ at: new Date().toISOString(), before: own_config });
    });
  const takeBack = () =>
    void attempt(async () => {
      // What was in force before the page was opened is known no more: then the skill's own settings count.
      const before = inUse?.before ?? withoutType((await backend.rpc('skill_detail', { skill })).own_config, type);
      await set(before, true);
      setInUse(null);
    });
  return {
    draft, say, error, readAt, busy, problem, inUse, asked, apply, takeBack,
    leave: () => setAsked(null),
    readAgain: () => setAgain((count) => count + 1),
  };
}
