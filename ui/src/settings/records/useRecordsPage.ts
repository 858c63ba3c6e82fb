// Previews edited record settings over the vault, applies them, and reverts that.

import { useCallback, useEffect, useReducer, useRef, useState, type Dispatch } from 'react';

import { useBackend, userError, type JsonValue, type RecordsPreview, type UserError } from '../../ipc';
import { useAttempt } from '../../shared/useAttempt';
import { empty, reduceDraft, withoutType, type Draft, type DraftEvent, type Own } from './draft';

/** Debounce of previews, ms. */
const PAUSE_MS = 150;

/** Settings applied while the page is open. */
export interface InUse {
  /** RFC 3339 */
  readonly at: string;
  /** The skill's configuration before. */
  readonly before: JsonValue;
}

export interface RecordsPageState {
  readonly draft: Draft;
  readonly say: Dispatch<DraftEvent>;
  readonly error: UserError | null;
  /** Time of the last preview, RFC 3339. */
  readonly readAt: string | null;
  readonly busy: boolean;
  readonly problem: UserError | null;
  readonly inUse: InUse | null;
  /** The rules' matches, when the user has to confirm them. */
  readonly asked: string | null;
  readAgain(): void;
  /** Applies the draft; `agreed` confirms rules that match nearly every note. */
  apply(agreed?: boolean): void;
  /** Dismisses the question. */
  leave(): void;
  takeBack(): void;
}

/** `begun` is a type just defined and not applied yet. */
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
  /** The first preview reports its own rules. */
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
            // The rules it reports need no second preview.
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
      // The settings may have changed since the last preview.
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
      // The state before the page was opened is unknown: revert to the skill's own settings.
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
