import { Fragment } from 'react';

import type { JsonValue } from '../ipc';
import { Diff } from '../shared/Diff';
import { Revealed } from '../shared/Revealed';
import type { CallItem } from '../state/session';
import { CommandFacts } from './CommandCard';
import { Details } from './Details';
import { LongText } from './LongText';
import { NoteCaption } from './NoteCaption';
import { isObject } from './wording';

/** Everything that will run or be sent, exactly: tool, arguments, host, and for notes the diff. */
export function Payload({ calls }: { calls: readonly CallItem[] }) {
  return (
    <div
      role="region"
      aria-label="What will run"
      tabIndex={0}
      className="flex max-h-[50vh] flex-col gap-2.5 overflow-y-auto rounded-badge short:max-h-[40vh]"
    >
      {calls.map((call) => (
        <Fragment key={call.call}>
          {call.sandbox && !call.approval?.midRun ? (
            <CommandFacts call={call} sandbox={call.sandbox} />
          ) : (
            <dl className="grid grid-cols-[4.25rem_minmax(0,1fr)] gap-y-1 text-small">
              <dt className="text-fg-3">Tool</dt>
              <dd className="selectable min-w-0 font-mono">
                <Revealed text={call.tool} /> {call.effect !== 'send' && !call.approval?.details && <Inline args={call.args} />}
              </dd>
              {call.approval?.host != null && (
                <>
                  <dt className="text-fg-3">{call.approval.host.includes(', ') ? 'Hosts' : 'Host'}</dt>
                  <dd className="selectable min-w-0 font-mono">
                    {call.approval.host.split(', ').map((host) => (
                      <span key={host} className="block break-all">
                        <Revealed text={host} />
                      </span>
                    ))}
                  </dd>
                </>
              )}
              {call.approval?.details ? <Details details={call.approval.details} /> : call.effect === 'send' && <Rows args={call.args} />}
            </dl>
          )}
          {call.approval?.diff?.map((diff) => (
            <Diff key={diff.path} diff={diff} caption={<NoteCaption diff={diff} />} />
          ))}
        </Fragment>
      ))}
    </div>
  );
}

/** `title "Harborline rollout" stage "won"` */
function Inline({ args }: { args: JsonValue }) {
  if (!isObject(args)) return args === null ? null : <Literal value={args} />;
  return Object.entries(args).map(([key, value]) => (
    <Fragment key={key}>
      <span className="text-fg-3">
        <Revealed text={key} />
      </span>{' '}
      <Literal value={value} />{' '}
    </Fragment>
  ));
}

function Literal({ value }: { value: JsonValue }) {
  return (
    <span className="break-words whitespace-pre-wrap">
      {typeof value === 'string' ? (
        <>
          "<Revealed text={value} />"
        </>
      ) : (
        <Revealed text={JSON.stringify(value)} />
      )}
    </span>
  );
}

/** Content that a person will receive, one argument per row. */
function Rows({ args }: { args: JsonValue }) {
  if (!isObject(args)) return null;
  return Object.entries(args).map(([key, value]) => (
    <Fragment key={key}>
      <dt className="text-fg-3 first-letter:uppercase">
        <Revealed text={key.replaceAll('_', ' ')} />
      </dt>
      <dd className="selectable min-w-0">
        <LongText text={typeof value === 'string' ? value : Array.isArray(value) && value.every((v) => typeof v === 'string') ? value.join(', ') : JSON.stringify(value, null, 2)} />
      </dd>
    </Fragment>
  ));
}
