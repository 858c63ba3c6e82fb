// The state of one form: what is typed, what is wrong with it, and the arguments it stands for.

import { useCallback, useMemo, useState } from 'react';

import type { JsonValue } from '../../ipc';
import { argsOf, check, draftOf, filled, withField, without, type Draft, type ObjectField, type Problem } from './plan';
import { withKnown, type ValuesByField } from './known';
import { planOf, started, type Reader } from './schema';
import type { Starts } from './useStarts';

export interface SchemaFormState {
  readonly plan: ObjectField;
  readonly draft: Draft;
  /** What would be sent; fields with a problem are left out. */
  readonly args: JsonValue;
  /** All problems, also of fields nobody has been in. */
  readonly problems: readonly Problem[];
  /** The problems people are shown: of fields they have left, or all after a try to send, and what they were told. */
  readonly shown: readonly Problem[];
  /** A shown problem has to be fixed first. A reported one need not: its fix may be in another field. */
  readonly blocked: boolean;
  /** Something differs from what the form began with. */
  readonly changed: boolean;
  setDraft(draft: Draft): void;
  /** Writes the field at the end of a row of keys. */
  setField(keys: readonly string[], draft: Draft): void;
  /** Checks the field from now on, until it is written in again. */
  leave(path: string): void;
  /** Stops showing a field's problem while it is written in. */
  enter(path: string): void;
  /** The arguments, or `null` after showing every problem. */
  submit(): JsonValue | null;
  /** Shows the problems that the backend found, until anything is written: the fix may be in another field. */
  tell(problems: readonly Problem[]): void;
  clear(): void;
}

/**
 * Begins with `initial`, or the presets of the schema and what its fields start with. Another tool needs another
 * form: give the component a `key`.
 */
export function useSchemaForm(schema: JsonValue, initial?: JsonValue, { starts, values, reader }: FormOptions = {}): SchemaFormState {
  const plan = useMemo(() => {
    const plan = planOf(schema, initial, reader);
    return starts ? started(plan, starts) : plan;
  }, [schema, initial, starts, reader]);
  const knowing = useMemo(() => (values ? withKnown(plan, values) : plan), [plan, values]);
  return usePlanForm(knowing, initial);
}

interface FormOptions {
  readonly starts?: Starts | undefined;
  /** The values in the vault that its fields offer; none until they are read. */
  readonly values?: ValuesByField | undefined;
  readonly reader?: Reader | undefined;
}

const none: readonly Problem[] = [];

/** The form of fields that are read from a schema already. */
export function usePlanForm(plan: ObjectField, initial?: JsonValue): SchemaFormState {
  const [draft, setDraft] = useState<Draft>(() => draftOf(plan, initial));
  const [left, setLeft] = useState<ReadonlySet<string>>(new Set());
  const [told, setTold] = useState<readonly Problem[]>(none);

  const problems = useMemo(() => check(plan, draft), [plan, draft]);
  const args = useMemo(() => argsOf(plan, without(draft, problems)) ?? {}, [plan, draft, problems]);
  const begun = useMemo(() => text(draftOf(plan, initial)), [plan, initial]);

  const leave = useCallback((path: string) => setLeft((old) => new Set(old).add(path)), []);
  const enter = useCallback((path: string) => setLeft((old) => new Set([...old].filter((one) => one !== path))), []);
  const write = useCallback(
    (next: Draft) => {
      setDraft(next);
      if (text(next) !== text(draft)) setTold(none);
    },
    [draft],
  );
  const setField = useCallback(
    (keys: readonly string[], next: Draft) => {
      // Two fields may be written between two renderings: one that is left and one that is entered.
      setDraft((now) => withField(now, keys, next));
      if (text(withField(draft, keys, next)) !== text(draft)) setTold(none);
    },
    [draft],
  );
  const clear = useCallback(() => {
    write(draftOf(plan, undefined));
    setLeft(new Set());
  }, [plan, write]);
  const own = problems.filter(({ path }) => left.has(path) || left.has(path.replace(/\.\d+$/, '')));

  return {
    plan,
    draft,
    args,
    problems,
    shown: [...own, ...told.filter(({ path }) => !own.some((problem) => problem.path === path))],
    blocked: own.length > 0,
    changed: text(draft) !== begun,
    setDraft: write,
    setField,
    leave,
    enter,
    submit: () => {
      if (problems.length === 0) return args;
      setLeft(new Set(problems.map(({ path }) => path)));
      return null;
    },
    tell: setTold,
    clear,
  };
}

/** What is in a draft, to be compared. */
function text(draft: Draft): string {
  return JSON.stringify(filled(draft)) ?? '';
}
