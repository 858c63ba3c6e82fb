import { Revealed } from '../shared/Revealed';
import type { CallItem } from '../state/session';
import { networkOf, trafficText } from './command';

/** A command's requests by host, and what was refused. */
export function CommandNetwork({ call }: { call: CallItem }) {
  const { hosts, leftOut } = networkOf(call);
  if (hosts.length === 0) return null;
  return (
    <ul data-testid="command-network" aria-label="Network" className="flex flex-col gap-0.5 text-small">
      {hosts.map((traffic) => (
        <li key={`${traffic.host} ${traffic.refused}`} className="selectable break-words">
          <span className="font-mono">
            <Revealed text={traffic.host} />
          </span>{' '}
          <span className={traffic.refused === null ? 'text-fg-2' : 'text-warn'}>{trafficText(traffic)}</span>
          {traffic.refused !== null && (
            <span className="block text-fg-3">
              <Revealed text={traffic.refused} />
            </span>
          )}
        </li>
      ))}
      {leftOut > 0 && <li className="text-fg-3">{leftOut.toLocaleString('en')} more requests</li>}
    </ul>
  );
}
