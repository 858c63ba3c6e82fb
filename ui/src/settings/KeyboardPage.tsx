import { type KeyboardEvent, useState } from 'react';

import { LinkButton, mainModifier } from '../shared';
import { KeyTable } from '../shared/KeyTable';
import { useActions, useApp } from '../state/hooks';
import { type KeyActionId, pressedKeys, refusal } from '../state/keys';

/** Configurable keys. A key is captured when pressed. */
export function KeyboardPage() {
  return (
    <section aria-label="Keyboard" className="flex min-w-0 flex-1 flex-col">
      <header className="flex h-12 shrink-0 items-center border-b border-line px-4">
        <h1 className="text-body font-semibold">Keyboard</h1>
      </header>
      <div className="min-h-0 flex-1 overflow-y-auto">
        <div className="max-w-180 px-4 py-2">
          <KeyTable edit={(id) => <Edit id={id} />} />
        </div>
      </div>
    </section>
  );
}

function Edit({ id }: { id: KeyActionId }) {
  const chosen = useApp((app) => app.keys);
  const { setKeys } = useActions();
  const [asking, setAsking] = useState(false);
  const [problem, setProblem] = useState<string | null>(null);
  const take = (event: KeyboardEvent) => {
    if (!asking || event.key === 'Tab') return;
    // The captured key must have no other effect.
    event.preventDefault();
    event.stopPropagation();
    event.nativeEvent.stopImmediatePropagation();
    if (event.key === 'Escape') return setAsking(false);
    const { key, code, altKey, shiftKey } = event;
    const keys = pressedKeys({ key, code, altKey, shiftKey, main: mainModifier(event) });
    if (keys === null) return;
    const why = refusal(chosen, id, keys);
    setProblem(why);
    if (why !== null) return;
    setKeys(id, keys);
    setAsking(false);
  };
  return (
    <>
      {problem && (
        <span role="alert" className="text-small text-danger">
          {problem}
        </span>
      )}
      {chosen[id] !== undefined && !asking && (
        <LinkButton className="text-small" onClick={() => setKeys(id, null)}>
          Reset
        </LinkButton>
      )}
      <LinkButton
        className="text-small"
        data-testid={`keys-${id}`}
        onClick={() => {
          setProblem(null);
          setAsking(true);
        }}
        onKeyDown={take}
        onBlur={() => {
          setAsking(false);
          setProblem(null);
        }}
      >
        {asking ? 'Press keys…' : 'Change'}
      </LinkButton>
    </>
  );
}
