import { Fragment } from 'react';

import type { DetailView } from '../ipc';
import { Icon } from '../shared';
import { Revealed } from '../shared/Revealed';
import { LongText } from './LongText';

/** The effects of a call, one line each, such as a recipient; replaces its arguments. */
export function Details({ details }: { readonly details: readonly DetailView[] }) {
  return details.map((detail, at) => (
    // The lines of a question never change order.
    <Fragment key={at}>
      {/* Lines with the same label show it once. */}
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
