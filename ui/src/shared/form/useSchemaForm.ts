// The state of one form: what is typed, what is wrong with it, and the arguments it stands for.

import { useCallback, useMemo, useState } from 'react';

import type { JsonValue } from '../../ipc';
import { argsOf, check, draftOf, filled, without, type Draft, type ObjectField, type Problem } from './plan';
import { planOf, started } from './schema';
import type { Starts } from './useStarts';

export interface SchemaFormState {
  readonly plan: ObjectField;
  readonly draft: Draft;
  /** What would be sent; fields with a problem are left out. */
  readonly args: JsonValue;
  /** All problems, also of fields nobody has been in. */
  readonly problems: readonly Problem[];
  /** The problems people are shown: of fields they have left, or all after a try to send. */
  readonly shown: readonly Problem[];
  /** Something differs from what the form began with. */
  readonly changed: boolean;
  setDraft(draft: Draft): void;
  /** Checks the field from now on, until it is written in again. */
  leave(path: string): void;
  /** Stops showing a field's problem while it is written in. */
  enter(path: string): void;
  /** The arguments, or `null` after showing every problem. */
  submit(): JsonValue | null;
  /** Shows what somebody else found wrong; each until its field is written in. */
  tell(problems: readonly Problem[]): void;
  clear(): void;
}

/**
 * Begins with `initial`, or the presets of the schema and what its fields start with. Another tool needs another
 * form: give the component a `key`.
 */
export function useSchemaForm(schema: JsonValue, initial?: JsonValue, starts?: Starts): SchemaFormState {
  const plan = useMemo(() => {
    const plan = planOf(schema, initial);
    return starts ? started(plan, starts) : plan;
  }, [schema, initial, starts]);
  return usePlanForm(plan, initial);
}

/** The form of fields that are read from a schema already. */
export function usePlanForm(plan: ObjectField, initial?: JsonValue): SchemaFormState {
  const [draft, setDraft] = useState<Draft>(() => draftOf(plan, initial));
  const [left, setLeft] = useState<ReadonlySet<string>>(new Set());

  const [told, setTold] = useState<readonly Problem[]>([]);

  const problems = useMemo(() => {
    const own = check(plan, draft);
    return [...own, ...told.filter(({ path }) => !own.some((problem) => problem.path === path))];
  }, [plan, draft, told]);
  const args = useMemo(() => argsOf(plan, without(draft, problems)) ?? {}, [plan, draft, problems]);
  const begun = useMemo(() => JSON.stringify(filled(draftOf(plan, initial))), [plan, initial]);

  const leave = useCallback((path: string) => setLeft((old) => new Set(old).add(path)), []);
  const enter = useCallback((path: string) => {
    setLeft((old) => new Set([...old].filter((one) => one !== path)));
    setTold((old) => (old.some((problem) => problem.path === path) ? old.filter((problem) => problem.path !== path) : old));
  }, []);
  const clear = useCallback(() => {
    setDraft(draftOf(plan, undefined));
    setLeft(new Set());
    setTold([]);
  }, [plan]);

  return {
    plan,
    draft,
    args,
    problems,
    shown: problems.filter(({ path }) => left.has(path) || left.has(path.replace(/\.\d+$/, ''))),
    changed: JSON.stringify(filled(draft)) !== begun,
    setDraft,
    leave,
    enter,
    submit: () => {
      if (problems.length === 0) return args;
      setLeft(new Set(problems.map(({ path }) => path)));
      return null;
    },
    tell: (problems) => {
      setTold(problems);
      setLeft((old) => new Set([...old, ...problems.map(({ path }) => path)]));
    },
    clear,
  };
}
