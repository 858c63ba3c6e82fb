import { Fragment } from 'react';

import type { JsonValue } from '../ipc';
import { Diff } from '../shared/Diff';
import { Revealed } from '../shared/Revealed';
import type { CallItem } from '../state/session';
import { CommandFacts } from './CommandCard';
import { Details, RemoveRecipient } from './Details';
import { LongText } from './LongText';
import { NoteCaption } from './NoteCaption';
import { addressList, withoutRecipient } from './recipients';
import { isObject } from './wording';

interface PayloadProps {
  readonly calls: readonly CallItem[];
  /** Asks again with other arguments; `null` if they cannot be changed. */
  readonly onRevise?: ((args: JsonValue) => void) | null;
}

/** Everything that will run or be sent, exactly: tool, arguments, host, and for notes the diff. */
export function Payload({ calls, onRevise = null }: PayloadProps) {
  const removalIn = ({ args, effect }: CallItem) => (label: string, person: string) => {
    const rest = onRevise && effect === 'send' ? withoutRecipient(args, label, person) : null;
    return rest === null || onRevise === null ? null : () => onRevise(rest);
  };
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
              {call.approval?.details ? <Details details={call.approval.details} sent={call.effect === 'send'} removal={removalIn(call)} /> : call.effect === 'send' && <Rows args={call.args} removal={removalIn(call)} />}
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

/** Content that a person will receive, one argument per row, recipients one per line. */
function Rows({ args, removal }: { args: JsonValue; removal: (label: string, person: string) => (() => void) | null }) {
  if (!isObject(args)) return null;
  return Object.entries(args).map(([key, value]) => (
    <Fragment key={key}>
      <dt className="text-fg-3 first-letter:uppercase">
        <Revealed text={key.replaceAll('_', ' ')} />
      </dt>
      <dd className="selectable min-w-0">
        {addressList(value)?.map((person, at) => {
          const remove = removal(key, person);
          return (
            <div key={at} className="break-words">
              <Revealed text={person} />
              {remove && <RemoveRecipient person={person} onRemove={remove} />}
            </div>
          );
        }) ?? <LongText whole text={typeof value === 'string' ? value : Array.isArray(value) && value.every((v) => typeof v === 'string') ? value.join(', ') : JSON.stringify(value, null, 2)} />}
      </dd>
    </Fragment>
  ));
}
