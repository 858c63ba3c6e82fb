import type { ReactNode } from 'react';

import { useApp } from '../state/hooks';
import { fixedKeys, type KeyActionId, keyActions, keysOf } from '../state/keys';
import { Kbd } from './Kbd';
import { keyText } from './platform';

/** All keys with their actions, configurable ones first. `edit` follows each of those. */
export function KeyTable({ edit }: { edit?: (id: KeyActionId) => ReactNode }) {
  const chosen = useApp((app) => app.keys);
  return (
    <>
      <dl data-testid="keys" className="flex flex-col">
        {keyActions.map(({ id, label }) => (
          <Row key={id} keys={keysOf(chosen, id)} label={label} wide={edit !== undefined}>
            {edit?.(id)}
          </Row>
        ))}
      </dl>
      <h2 className="pt-4 pb-1 text-small font-semibold text-fg-2">Always</h2>
      <dl className="flex flex-col">
        {fixedKeys.map(({ keys, label }) => (
          <Row key={keys} keys={keys} label={label} wide={edit !== undefined} />
        ))}
      </dl>
    </>
  );
}

/** `wide`: with a column for the edit control, even if it is empty. */
function Row({ keys, label, wide, children }: { keys: string; label: string; wide: boolean; children?: ReactNode }) {
  return (
    <div className="flex min-h-8 items-center gap-3 border-b border-line py-0.5">
      <dt className="min-w-0 flex-1 text-ui">{label}</dt>
      <dd className="flex items-center gap-2">
        <span className="w-24 shrink-0">
          <span className="sr-only">{keys}</span>
          <Kbd>{keyText(keys)}</Kbd>
        </span>
        {wide && <span className="flex min-w-26 items-center justify-end gap-2.5">{children}</span>}
      </dd>
    </div>
  );
}
