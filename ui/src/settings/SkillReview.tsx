// The review of a third-party skill before its approval.

import { useState } from 'react';

import { useBackend, userError, type SkillReview as Review, type TakenExample, type UserError } from '../ipc';
import { Badge, Button, count, counted, EffectBadge, ErrorBox, Icon } from '../shared';
import { Revealed } from '../shared/Revealed';
import { Source } from '../shared/Source';
import { useArmed } from '../shared/useArmed';
import { useActions, useApp, useRpc } from '../state/hooks';
import { TakenRequests } from './Misrouting';
import { mostAccess, noteAccess } from './note-access';

export function SkillReview({ skill, onLeaveOff }: { skill: string; readonly onLeaveOff?: () => void }) {
  const revision = useApp(({ revisions }) => revisions.registry);
  const review = useRpc('review_skill', { skill }, revision);
  // The review is shown even if this check fails.
  const taken = useRpc('taken_by_skill', { skill }, revision).data ?? [];
  if (review.error) return <ErrorBox error={review.error} />;
  if (!review.data) return <p className="text-fg-3">Reading its files…</p>;
  return <Shown review={review.data} taken={taken} onStale={review.reload} {...(onLeaveOff ? { onLeaveOff } : {})} />;
}

function Shown({
  review,
  taken,
  onStale,
  onLeaveOff,
}: {
  review: Review;
  readonly taken: readonly TakenExample[];
  onStale: () => void;
  readonly onLeaveOff?: () => void;
}) {
  const backend = useBackend();
  const { registryChanged } = useActions();
  const [error, setError] = useState<UserError | null>(null);
  const [busy, setBusy] = useState(false);
  // A click aimed at earlier content must not approve this one.
  const armed = useArmed(`${review.fingerprint} ${taken.length}`);

  const accept = async () => {
    setBusy(true);
    setError(null);
    try {
      await backend.rpc('accept_skill', { skill: review.skill, fingerprint: review.fingerprint });
      registryChanged();
    } catch (thrown) {
      setError(userError(thrown));
      onStale();
    } finally {
      setBusy(false);
    }
  };

  return (
    <section data-testid="skill-review" aria-label="What this skill brings" className="mt-3 flex flex-col gap-3">
      <p className="text-fg-2">
        {review.state === 'changed'
          ? 'Its files changed since you agreed. It stays off until you agree again.'
          : 'Written by someone else. It stays off until you agree.'}{' '}
        Folder: <Revealed text={review.folder} />
      </p>
      <ul className="flex flex-col gap-0.5">
        {review.files.map(({ path, bytes, change }) => (
          <li key={path} className="flex items-center gap-2">
            <Icon name="note" size={12} className="text-fg-3" />
            <span className="min-w-0 break-all font-mono">
              <Revealed text={path} />
            </span>
            <span className="text-fg-3">{count(bytes)} bytes</span>
            {change && <Badge tone="warn">{change === 'added' ? 'new' : 'changed'}</Badge>}
          </li>
        ))}
        {review.removed.map((path) => (
          <li key={path} className="flex items-center gap-2">
            <Icon name="note" size={12} className="text-fg-3" />
            <span className="min-w-0 break-all font-mono line-through">
              <Revealed text={path} />
            </span>
            <Badge tone="warn">removed</Badge>
          </li>
        ))}
      </ul>
      {review.tools.map(({ file, definition, problem }) => (
        <div key={file} className="flex flex-col gap-0.5">
          <span className="flex items-center gap-2">
            <span className="font-mono font-medium">
              <Revealed text={definition?.tool ?? file} />
            </span>
            {definition ? <EffectBadge effect={definition.effect} /> : <Badge tone="danger">does not load</Badge>}
            {definition && <span className="text-fg-3">declared by its author; each call asks</span>}
          </span>
          <span className="text-fg-2">
            <Revealed text={definition?.description ?? problem?.message ?? ''} />
          </span>
        </div>
      ))}
      <p>
        <span className="text-fg-2">Hosts:</span> <Revealed text={review.hosts.join(', ') || 'none'} />
        <span className="ml-4 text-fg-2">Credentials:</span> <Revealed text={review.credentials.join(', ') || 'none'} />
        <span className="ml-4 text-fg-2">Notes:</span> {noteAccess(mostAccess(review.tools.map(({ definition }) => definition?.vault ?? null)))}
      </p>
      {review.env.length > 0 && (
        <p>
          <span className="text-fg-2">Environment variables it uses, where set:</span>{' '}
          <Revealed text={review.env.join(', ')} />
        </p>
      )}
      {review.allowed_tools && (
        <p className="text-fg-2">
          Asks for these tools without approval, which Nova does not grant: <Revealed text={review.allowed_tools} />
        </p>
      )}
      <details>
        <summary className="cursor-pointer text-fg-2">Instructions</summary>
        <Source text={review.instructions} label="SKILL.md" />
      </details>
      {taken.length > 0 && (
        <div data-testid="review-taken" className="rounded-card border border-warn-line bg-warn-soft px-3 py-2.5">
          <p role="alert" className="flex gap-2 font-medium">
            <Icon name="warn" size={14} className="mt-0.5 text-warn" />
            Once on, it would take {counted(taken.length, 'request')} meant for other skills.
          </p>
          <TakenRequests taken={taken} nameOf={(id) => id} />
        </div>
      )}
      {error && <ErrorBox error={error} />}
      <div className="flex justify-end gap-2">
        {onLeaveOff && (
          <Button onClick={onLeaveOff} data-testid="skill-leave-off">
            Leave off
          </Button>
        )}
        <Button variant="primary" disabled={!armed || busy} onClick={() => void accept()} data-testid="skill-accept">
          Agree and switch on
        </Button>
      </div>
    </section>
  );
}
