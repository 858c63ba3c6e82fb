// The state of one form: drafts, problems, and the resulting arguments.

import { useCallback, useMemo, useState } from 'react';

import type { JsonValue } from '../../ipc';
import { argsOf, check, draftOf, filled, withField, without, type Draft, type ObjectField, type Problem } from './plan';
import { withKnown, type ValuesByField } from './known';
import { planOf, started, type Reader } from './schema';
import type { Starts } from './useStarts';

export interface SchemaFormState {
  readonly plan: ObjectField;
  readonly draft: Draft;
  /** The arguments to send; fields with a problem are omitted. */
  readonly args: JsonValue;
  /** All problems, including those of untouched fields. */
  readonly problems: readonly Problem[];
  /** The visible problems: of fields that were left, or all after a submit, and reported ones. */
  readonly shown: readonly Problem[];
  /** A visible problem must be fixed first. A reported one need not: its fix may be in another field. */
  readonly blocked: boolean;
  /** Whether anything differs from the initial values. */
  readonly changed: boolean;
  setDraft(draft: Draft): void;
  /** Sets the field at a path. */
  setField(keys: readonly string[], draft: Draft): void;
  /** Validates the field from now on, until it is edited again. */
  leave(path: string): void;
  /** Hides a field's problem while it is edited. */
  enter(path: string): void;
  /** The arguments, or `null` after showing every problem. */
  submit(): JsonValue | null;
  /** Shows problems found by the backend until any edit, since the fix may be in another field. */
  tell(problems: readonly Problem[]): void;
  clear(): void;
}

/**
 * Starts with `initial`, or with the presets of the schema and its initial values. Set a `key` on the
 * component, since another tool needs another form.
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
  /** The values in the vault that its fields offer; none until loaded. */
  readonly values?: ValuesByField | undefined;
  readonly reader?: Reader | undefined;
}

const none: readonly Problem[] = [];

/** The form of an existing plan. */
export function usePlanForm(plan: ObjectField, initial?: JsonValue): SchemaFormState {
  const [draft, setDraft] = useState<Draft>(() => draftOf(plan, initial));
  const [left, setLeft] = useState<ReadonlySet<string>>(new Set());
  const [reported, setReported] = useState<readonly Problem[]>(none);

  const problems = useMemo(() => check(plan, draft), [plan, draft]);
  const args = useMemo(() => argsOf(plan, without(draft, problems)) ?? {}, [plan, draft, problems]);
  const begun = useMemo(() => text(draftOf(plan, initial)), [plan, initial]);

  const leave = useCallback((path: string) => setLeft((old) => new Set(old).add(path)), []);
  const enter = useCallback((path: string) => setLeft((old) => new Set([...old].filter((one) => one !== path))), []);
  const write = useCallback(
    (next: Draft) => {
      setDraft(next);
      if (text(next) !== text(draft)) setReported(none);
    },
    [draft],
  );
  const setField = useCallback(
    (keys: readonly string[], next: Draft) => {
      // Two fields may change between two renders: the one that is left and the one that is entered.
      setDraft((now) => withField(now, keys, next));
      if (text(withField(draft, keys, next)) !== text(draft)) setReported(none);
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
    shown: [...own, ...reported.filter(({ path }) => !own.some((problem) => problem.path === path))],
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
    tell: setReported,
    clear,
  };
}

/** A canonical form for comparisons. */
function text(draft: Draft): string {
  return JSON.stringify(filled(draft)) ?? '';
}
