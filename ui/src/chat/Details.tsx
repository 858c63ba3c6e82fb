import { Fragment } from 'react';

import type { DetailView } from '../ipc';
import { Icon, LinkButton } from '../shared';
import { revealed } from '../shared/invisible';
import { Revealed } from '../shared/Revealed';
import { LongText } from './LongText';

interface DetailsProps {
  readonly details: readonly DetailView[];
  /** Whether a person will receive them: nothing is collapsed. */
  readonly sent: boolean;
  /** Removes a line's recipient; `null` for a line without one. */
  readonly removal: (label: string, value: string) => (() => void) | null;
}

/** The effects of a call, one line each, such as a recipient; replaces its arguments. */
export function Details({ details, sent, removal }: DetailsProps) {
  return details.map((detail, at) => {
    const remove = removal(detail.label, detail.value);
    return (
      // The lines of a question never change order.
      <Fragment key={at}>
        {/* Lines with the same label show it once. */}
        <dt className="text-fg-3">{details[at - 1]?.label === detail.label ? <span className="sr-only">{detail.label}</span> : <Revealed text={detail.label} />}</dt>
        <dd className="selectable min-w-0" data-testid="approval-line">
          <LongText text={detail.value} whole={sent} />
          {detail.note !== undefined && (
            <span className={`ml-2 inline-flex max-w-full items-center gap-1 ${detail.caution ? 'text-warn' : 'text-fg-3'}`}>
              {detail.caution && <Icon name="warn" size={14} className="shrink-0" />}
              <span className="min-w-0 break-words">
                <Revealed text={detail.note} />
              </span>
            </span>
          )}
          {remove && <RemoveRecipient person={detail.value} onRemove={remove} />}
        </dd>
      </Fragment>
    );
  });
}

export function RemoveRecipient({ person, onRemove }: { readonly person: string; readonly onRemove: () => void }) {
  return (
    <LinkButton className="ml-2" aria-label={`Remove ${revealed(person)}`} onClick={onRemove}>
      Remove
    </LinkButton>
  );
}
