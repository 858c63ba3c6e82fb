import { useState } from 'react';

import { type ErrorCode, nothing, type UserError } from '../ipc';
import { Banner, Button, Icon, LinkButton, placeIn } from '../shared';
import { useActions, useApp, useRpc } from '../state/hooks';
import type { Turn } from '../state/session';
import { useAgain } from './again';
import { Line } from './NoticeLine';

/** How a turn ended where it did not end well, with what to do about it. */
export function TurnEnd({ turn, last }: { turn: Turn; last: boolean }) {
  if (turn.status === 'cancelled') return <Line icon="ban">Stopped by you</Line>;
  if (turn.status !== 'failed' || !turn.failure) return null;
  if (last && turn.failure.code === 'provider_not_agreed') return <ProviderConsent turn={turn} />;
  return <TurnFailure turn={turn} failure={turn.failure} last={last} />;
}

function TurnFailure({ turn, failure, last }: { turn: Turn; failure: UserError; last: boolean }) {
  const { sendAgain, show } = useActions();
  const again = useAgain(() => sendAgain(turn));
  return (
    <div data-item tabIndex={-1}>
      <Banner
        tone="danger"
        icon="failed"
        actions={
          last && (
            <>
              {failure.code !== 'no_model' && turn.text !== '' && (
                <LinkButton className="text-small" disabled={again.busy} onClick={again.run} data-testid="try-again">
                  Try again
                </LinkButton>
              )}
              {aboutModel.has(failure.code) && (
                <LinkButton className="text-small" onClick={() => show({ kind: 'settings', page: 'models' })}>
                  {failure.code === 'no_model' ? 'Choose a model' : 'Switch model'}
                </LinkButton>
              )}
            </>
          )
        }
      >
        {failure.message} {failure.hint && <span className="text-fg-2">{failure.hint}</span>}
        {again.problem && <span className="block text-danger">{again.problem.message}</span>}
      </Banner>
    </div>
  );
}

/** Asked once for each host, before the first note leaves this machine for it. */
function ProviderConsent({ turn }: { turn: Turn }) {
  const provider = turn.model.split('/')[0] ?? '';
  const revision = useApp((app) => app.revisions.providers);
  const providers = useRpc('list_providers', nothing, revision);
  const place = placeIn(providers.data ?? [], turn.model);
  const host = place?.host ?? provider;
  const { agreeProvider, sendAgain } = useActions();
  const [declined, setDeclined] = useState(false);
  const agree = useAgain(async () => {
    await agreeProvider(provider, host);
    await sendAgain(turn);
  });
  if (declined) return <Line icon="cloud">Not sent: {host} may not see your notes</Line>;
  return (
    <section
      data-testid="provider-consent"
      data-item
      tabIndex={-1}
      role="group"
      aria-label={`Send notes to ${host}?`}
      className="flex flex-col gap-2.5 rounded-message border border-warn-line bg-surface-raised p-3.5"
    >
      <h2 className="flex items-center gap-2.5 text-body font-semibold">
        <Icon name="cloud" className="text-warn" /> Send notes to {host}?
      </h2>
      <p className="selectable text-small text-fg-2">
        <span className="font-mono text-fg">{turn.model}</span> does not run on this machine. Your messages, the notes and
        results that tools read for them, and the list of your skills go to <span className="font-medium text-warn">{host}</span>.
        Notes marked private never do. This is asked once; take it back in Settings, Models.
      </p>
      {agree.problem && (
        <p role="alert" className="text-small text-danger">
          {agree.problem.message} {agree.problem.hint}
        </p>
      )}
      <div className="flex flex-wrap gap-2">
        <Button variant="primary" disabled={agree.busy || place === null} onClick={agree.run} data-testid="provider-agree">
          Send notes to {host}
        </Button>
        <Button onClick={() => setDeclined(true)} data-testid="provider-decline">
          Not now
        </Button>
      </div>
    </section>
  );
}

const aboutModel = new Set<ErrorCode>([
  'no_model',
  'unknown_model',
  'provider_not_agreed',
  'provider_unreachable',
  'provider_refused_key',
  'provider_rate_limited',
  'provider_timeout',
  'provider_truncated',
  'provider_bad_response',
  'model_without_images',
  'provider_failed',
]);
