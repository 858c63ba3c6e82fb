// The target of a sign-in, shown before the browser opens.

import { Button, ErrorBox, Icon, LinkButton, Loading } from '../../shared';
import { revealed } from '../../shared/invisible';
import { PassphraseForm, wantsPassphrase } from '../../shared/SecretForm';
import { useRpc } from '../../state/hooks';

interface SignInBoxProps {
  readonly server: string;
  readonly onOpen: (host: string) => void;
  readonly onClose: () => void;
}

export function SignInBox({ server, onOpen, onClose }: SignInBoxProps) {
  const found = useRpc('server_sign_in', { server });
  const host = found.data?.host;
  return (
    <section data-testid="server-sign-in-box" aria-label={`Sign in for ${server}`} className="mx-4 mt-3 flex flex-col gap-2 rounded-message border border-accent-line px-3.5 py-3">
      {found.error &&
        (wantsPassphrase(found.error) ? (
          <PassphraseForm problem={found.error} onOpen={found.reload} />
        ) : (
          <ErrorBox error={found.error} actions={<LinkButton onClick={found.reload}>Try again</LinkButton>} />
        ))}
      {host === undefined && !found.error && <Loading lines={1} label="Asking the server where to sign in" />}
      {host !== undefined && (
        <>
          <p className="flex gap-2 font-semibold">
            <Icon name="globe" size={14} className="mt-0.75 text-accent" />
            Sign in at {revealed(host)}?
          </p>
          <p className="text-small text-fg-2">
            {revealed(server)} names this host. Your browser opens there, and nothing is sent before you sign in.
          </p>
        </>
      )}
      <div className="flex gap-2">
        {host !== undefined && (
          <Button variant="primary" data-testid="server-sign-in-open" data-host={host} onClick={() => onOpen(host)}>
            Open browser
          </Button>
        )}
        <Button onClick={onClose}>Cancel</Button>
      </div>
    </section>
  );
}
