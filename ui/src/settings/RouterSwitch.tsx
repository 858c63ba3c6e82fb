import { useState } from 'react';

import { nothing, useBackend, userError, type UserError } from '../ipc';
import { ErrorBox, Switch } from '../shared';
import { useRpc } from '../state/hooks';
import { Setting } from './Setting';

/** Whether a message may activate a skill before the model answers. */
export function RouterSwitch() {
  const backend = useBackend();
  const { data, reload } = useRpc('router', nothing);
  const [error, setError] = useState<UserError | null>(null);
  if (!data) return null;
  const set = (on: boolean) => {
    setError(null);
    backend.rpc('set_router', { on }).then(reload, (thrown: unknown) => setError(userError(thrown)));
  };
  return (
    <div className="px-4" data-testid="router">
      <Setting
        name="Activate skills by your message"
        note={
          data.on
            ? 'A message that is plainly about one skill activates it before the assistant answers, which saves a request. Skills from elsewhere are never activated this way.'
            : 'The assistant decides by itself which skill to load, which takes one more request.'
        }
      >
        <Switch checked={data.on} onChange={set} label="Activate skills by your message" testId="router-switch" />
      </Setting>
      {error && <ErrorBox error={error} />}
    </div>
  );
}
