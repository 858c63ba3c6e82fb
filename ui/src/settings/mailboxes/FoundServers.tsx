// The servers detected for an address: their source, and what to check. Nothing is stored yet.

import type { FoundMailServers } from '../../ipc';
import { Icon } from '../../shared';
import { Revealed } from '../../shared/Revealed';
import { encryptionOf } from './editing';

export function FoundServers({ asked }: { asked: FoundMailServers }) {
  const { domain, found, without } = asked;
  return (
    <div role="status" data-testid="found-servers" className="flex flex-col gap-1 rounded-card bg-surface-sunken px-3 py-2">
      {found === null ? (
        <p>
          No servers found for <Revealed text={domain} />. Enter those that your provider gives.
        </p>
      ) : (
        <>
          <p>
            {found.provider !== null && (
              <>
                <span className="font-medium">
                  <Revealed text={found.provider} />
                </span>
                ,{' '}
              </>
            )}
            named by <Revealed text={found.from} />
            {found.from_database && ', Thunderbird’s list of mail providers'}. Nothing is stored yet.
          </p>
          <ul>
            <li>
              <span className="font-mono">
                <Revealed text={found.imap} />
              </span>{' '}
              for reading (IMAP), {encryptionOf(found, 'imap')}
            </li>
            <li>
              {found.smtp === '' ? (
                'No server for sending'
              ) : (
                <>
                  <span className="font-mono">
                    <Revealed text={found.smtp} />
                  </span>{' '}
                  for sending (SMTP), {encryptionOf(found, 'smtp')}
                </>
              )}
            </li>
          </ul>
          {found.elsewhere.length > 0 && (
            <p className="flex gap-2 text-warn" data-testid="found-elsewhere">
              <Icon name="warn" size={12} className="mt-0.75 shrink-0" />
              <span className="min-w-0 break-words">
                <Revealed text={`${found.elsewhere.join(' and ')} ${found.elsewhere.length > 1 ? 'are' : 'is'} not at ${domain}.${found.sign_in === null ? ' Your password goes there.' : ''}`} />
              </span>
            </p>
          )}
        </>
      )}
      <Reasons lines={[...(found?.left_out ?? []), ...without.map(({ host, reason }) => `${host}: ${reason}`)]} />
    </div>
  );
}

function Reasons({ lines }: { lines: readonly string[] }) {
  if (lines.length === 0) return null;
  return (
    <details>
      <summary className="w-fit cursor-pointer text-fg-3 hover:text-fg-2">What was not used</summary>
      <ul className="selectable mt-1 text-fg-2">
        {lines.map((line) => (
          <li key={line} className="break-words">
            <Revealed text={line} />
          </li>
        ))}
      </ul>
    </details>
  );
}
