// The approval of a server's start: the whole command or the host, and the secrets it gets.

import { useState } from 'react';

import type { ServerReviewView } from '../../ipc';
import { Button, Icon } from '../../shared';
import { Revealed } from '../../shared/Revealed';
import { useArmed } from '../../shared/useArmed';

interface StartReviewProps {
  readonly name: string;
  readonly review: ServerReviewView;
  readonly onAgree: () => Promise<boolean>;
}

export function StartReview({ name, review, onAgree }: StartReviewProps) {
  // A click aimed at earlier content must not approve this one.
  const armed = useArmed(review.fingerprint);
  const [busy, setBusy] = useState(false);
  const isAddress = review.host !== null;
  const agree = async () => {
    setBusy(true);
    await onAgree();
    setBusy(false);
  };
  return (
    <section
      data-testid="server-review"
      aria-label={`Start ${name}`}
      className="mx-4 mt-3 flex flex-col gap-2 rounded-message border border-warn-line px-3.5 py-3"
    >
      <p className="flex gap-2 font-semibold">
        <Icon name="warn" size={14} className="mt-0.75 text-warn" />
        <span className="flex-1">{isAddress ? `Contact ${review.host}?` : 'Start this program?'}</span>
        {review.changed && <span className="font-normal text-fg-3">not what you agreed to before</span>}
      </p>
      <pre className="selectable rounded-control border border-line bg-surface-sunken px-2.5 py-1.5 font-mono text-small break-all whitespace-pre-wrap">
        <Revealed text={review.runs} />
      </pre>
      <dl className="grid grid-cols-[84px_minmax(0,1fr)] gap-x-4 gap-y-1 text-small">
        {!isAddress && (
          <Fact name="Program" value={review.program ?? 'not found on this machine'} warn={review.program === null} />
        )}
        {review.folder && <Fact name="Folder" value={review.folder} />}
        <Fact name={isAddress ? 'Headers' : 'Variables'} value={review.variables.join(', ') || 'none'} />
        <Fact name="Secrets" value={review.credentials.join(', ') || 'none'} />
      </dl>
      <p className="text-small text-fg-2">
        {isAddress
          ? 'It receives the arguments of its tools. Each call asks.'
          : 'It runs with your rights: it can read and change your files, and reach the network. Each call of its tools asks.'}
      </p>
      <div className="flex gap-2">
        <Button variant="primary" disabled={!armed || busy} onClick={() => void agree()} data-testid="server-agree" data-armed={armed}>
          {isAddress ? 'Agree and connect' : 'Agree and start'}
        </Button>
      </div>
    </section>
  );
}

function Fact({ name, value, warn = false }: { name: string; value: string; warn?: boolean }) {
  return (
    <div className="contents">
      <dt className="text-fg-2">{name}</dt>
      <dd className={`selectable font-mono break-all ${warn ? 'text-warn' : ''}`}>
        <Revealed text={value} />
      </dd>
    </div>
  );
}
