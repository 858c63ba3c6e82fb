import { useEffect, useState } from 'react';

import { nothing, type UserError, useBackend } from '../ipc';
import { asSentence, Banner, Button, Coded, Icon, LinkButton, placeIn } from '../shared';
import { beforeOf } from '../state/branches';
import { useActions, useApp, useRpc, useSession } from '../state/hooks';
import type { Turn } from '../state/session';
import { useAgain } from './again';
import { Line } from './NoticeLine';
import { Remedies } from './remedies';

/** How a turn ended if it did not complete, with the remedies. */
export function TurnEnd({ turn, last }: { turn: Turn; last: boolean }) {
  if (turn.status === 'cancelled') return <Line icon="ban">Stopped by you</Line>;
  if (turn.status !== 'failed' || !turn.failure) return null;
  if (turn.failure.code === 'provider_not_agreed') {
    // The decision is shown in the turn after it.
    return last ? <ProviderConsent turn={turn} failure={turn.failure} /> : <Line icon="cloud">Not sent: Nova asked you first</Line>;
  }
  return <TurnFailure turn={turn} failure={turn.failure} last={last} />;
}

/**
 * Sends the turn's message again: in its place, or after it if it called tools, so that the model knows what
 * was done.
 */
function useSendAgain(turn: Turn): () => Promise<void> {
  const before = useSession((state) => beforeOf(state.branches, turn.id) ?? null);
  const { sendAgain } = useActions();
  const acted = turn.items.some((item) => item.kind === 'call');
  return () => sendAgain(turn, acted ? {} : { after: before });
}

function TurnFailure({ turn, failure, last }: { turn: Turn; failure: UserError; last: boolean }) {
  const sendAgain = useSendAgain(turn);
  const again = useAgain(sendAgain);
  return (
    <div data-item tabIndex={-1}>
      <Banner
        tone="danger"
        icon="failed"
        actions={
          last && (
            <>
              {failure.code !== 'no_model' && (turn.text !== '' || turn.images.length > 0) && (
                <LinkButton className="text-small" disabled={again.busy} onClick={again.run} data-testid="try-again">
                  Try again
                </LinkButton>
              )}
              {failure.code === 'context_too_small' && <RaiseContext turn={turn} />}
              <Remedies code={failure.code} />
            </>
          )
        }
      >
        {asSentence(failure.message)}{' '}
        {failure.hint && (
          <span className="text-fg-2">
            <Coded text={failure.hint} />
          </span>
        )}
        {again.problem && <span className="block text-danger">{again.problem.message}</span>}
      </Banner>
    </div>
  );
}

/** Tokens: enough for the tools and a few notes with a local model. */
const ENOUGH = 32_768;

/** Raises the user's context size for a local model if it is too small. */
function RaiseContext({ turn }: { turn: Turn }) {
  const backend = useBackend();
  const revision = useApp((app) => app.revisions.providers);
  const providers = useRpc('list_providers', nothing, revision);
  const { providersChanged } = useActions();
  const sendAgain = useSendAgain(turn);
  const provider = providers.data?.find((row) => row.id === turn.model.split('/')[0]);
  const again = useAgain(async () => {
    await backend.rpc('set_context', { provider: provider?.id ?? '', context: ENOUGH });
    providersChanged();
    await sendAgain();
  });
  // Only Ollama can be told a context size; for others a larger number would be wrong.
  if (provider?.kind !== 'ollama' || provider.context === undefined || provider.context >= ENOUGH) return null;
  return (
    <>
      {again.problem && <span className="text-small text-danger">{again.problem.message}</span>}
      <LinkButton className="text-small" disabled={again.busy} onClick={again.run} data-testid="raise-context">
        Raise to 32k
      </LinkButton>
    </>
  );
}

/** Asked once per host, before the first note leaves this machine for it. */
function ProviderConsent({ turn, failure }: { turn: Turn; failure: UserError }) {
  const provider = turn.model.split('/')[0] ?? '';
  const revision = useApp((app) => app.revisions.providers);
  const providers = useRpc('list_providers', nothing, revision);
  const place = placeIn(providers.data ?? [], turn.model);
  // Loaded before its server reported that it runs the model elsewhere.
  const outdated = place !== null && place.where !== 'elsewhere';
  const host = place?.host ?? provider;
  const { agreeProvider, sendAgain, providersChanged } = useActions();
  useEffect(() => {
    if (outdated) providersChanged();
  }, [outdated, providersChanged]);
  const [declined, setDeclined] = useState(false);
  const agree = useAgain(async () => {
    await agreeProvider(provider, host);
    await sendAgain(turn);
  });
  // Never ask about another host than the requested one.
  if (outdated) return <TurnFailure turn={turn} failure={failure} last />;
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
        Notes marked private never do. Nova asks once; revoke it in Settings, Models.
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
