import { useEffect, useMemo, useState } from 'react';

import type { Asked } from '../skill/state';
import { useReads } from '../skill/useReads';
import { checksIn, type Check } from './answers';

/** Pause in typing after which a line is checked, ms. */
const PAUSE = 200;

/** Checks conditions written as lines while they are typed, by their text. `tool`: null if the skill has none. */
export function useChecks(tool: string | null, lines: readonly string[]): ReadonlyMap<string, Check> {
  const typed = JSON.stringify(lines);
  const [settled, settle] = useState(typed);
  useEffect(() => {
    const timer = setTimeout(() => settle(typed), PAUSE);
    return () => clearTimeout(timer);
  }, [typed]);
  const conditions = JSON.parse(settled) as string[];
  const asked: Asked | null = tool === null || conditions.length === 0 ? null : { tool, args: { conditions } };
  const reads = useReads(asked === null ? [] : [asked], 'asked');
  const value = asked === null ? undefined : reads.of(asked)?.result?.value;
  return useMemo(() => new Map(checksIn(value).map((check) => [check.text, check])), [value]);
}
