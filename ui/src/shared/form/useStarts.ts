// Loads initial values of a tool's form, if its schema requests any.

import { useMemo } from 'react';

import type { JsonValue } from '../../ipc';
import { useApp, useRpc } from '../../state/hooks';
import type { Start } from './plan';
import { startsIn } from './schema';

export type Starts = Readonly<Partial<Record<Start, string>>>;

/** None until loaded; render the form only afterwards. The currency is only loaded if a field needs it. */
export function useStarts(skill: string, schema: JsonValue): Starts | null {
  const today = useApp((app) => app.status?.today ?? '');
  const wants = useMemo(() => startsIn(schema), [schema]);
  const asked = wants.has('currency') ? { skill } : null;
  const usual = useRpc('usual_currency', asked);
  const currency = usual.data?.currency ?? '';
  const waits = asked !== null && usual.data === null && usual.error === null;
  return useMemo(
    () => (waits ? null : { ...(today === '' ? {} : { today }), ...(currency === '' ? {} : { currency }) }),
    [waits, today, currency],
  );
}
