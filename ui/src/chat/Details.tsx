import { Fragment } from 'react';

import type { DetailView } from '../ipc';
import { Icon } from '../shared';
import { Revealed } from '../shared/Revealed';
import { LongText } from './LongText';

/** What a call would do, a line for each part, such as a recipient: shown in place of its arguments. */
export function Details({ details }: { readonly details: readonly DetailView[] }) {
  return details.map((detail, at) => (
    // The lines of one question never change places.
    <Fragment key={at}>
      {/* A name is said once for the lines that share it. */}
      <dt className="text-fg-3">{details[at - 1]?.label === detail.label ? <span className="sr-only">{detail.label}</span> : <Revealed text={detail.label} />}</dt>
      <dd className="selectable min-w-0" data-testid="approval-line">
        <LongText text={detail.value} />
        {detail.note !== undefined && (
          <span className={`ml-2 inline-flex max-w-full items-center gap-1 ${detail.caution ? 'text-warn' : 'text-fg-3'}`}>
            {detail.caution && <Icon name="warn" size={14} className="shrink-0" />}
            <span className="min-w-0 break-words">
              <Revealed text={detail.note} />
            </span>
          </span>
        )}
      </dd>
    </Fragment>
  ));
}
