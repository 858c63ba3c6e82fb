import { useState } from 'react';

import { nothing } from '../ipc';
import { Button, Icon, IconButton, skillIcon } from '../shared';
import { revealed } from '../shared/invisible';
import { Revealed } from '../shared/Revealed';
import { CredentialForm, SignInButton } from '../shared/SecretForm';
import { skillName } from '../state/app';
import { useApp, useRpc } from '../state/hooks';

interface CredentialCardProps {
  /** `service`, or `service/key` */
  readonly credential: string;
  /** `tool:skill.tool` or `skill:id` */
  readonly consumer: string;
}

/**
 * A missing credential or an ended sign-in: which one, for whom, and the form that stores it. The typed value
 * goes to the store and never into the chat.
 */
export function CredentialCard({ credential, consumer }: CredentialCardProps) {
  const command = commandFor(credential);
  const [step, setStep] = useState<'told' | 'typing' | 'kept'>('told');
  const known = useRpc('list_credentials', command === null ? null : nothing);
  const signsIn = known.data?.credentials.some((row) => row.name === credential && row.sign_in) ?? false;
  return (
    <section
      data-testid="credential-needed"
      data-credential={credential}
      data-item
      tabIndex={-1}
      role="group"
      aria-label={`A credential is needed: ${revealed(credential)}`}
      className="flex flex-col gap-2 rounded-message border border-line bg-surface-raised px-3.5 py-2.5"
    >
      <h2 className="flex min-w-0 items-center gap-2.5 text-body font-medium">
        <Icon name="key" className="text-warn" />
        <span className="min-w-0 break-words">
          <Consumer consumer={consumer} /> needs the credential{' '}
          <span className="font-mono text-ui">
            <Revealed text={credential} />
          </span>
        </span>
      </h2>
      {command === null ? (
        <p className="pl-6.5 text-small text-fg-2">Invalid credential name. The tool must ask for another one.</p>
      ) : (
        <div className="flex flex-col gap-1.5 pl-6.5 text-small text-fg-2">
          {step === 'kept' ? (
            <p role="status" className="flex items-center gap-2 text-fg">
              <Icon name="check" size={14} className="text-ok" /> Saved. Ask again.
            </p>
          ) : signsIn ? (
            <SignInButton name={credential} onDone={() => setStep('kept')} />
          ) : step === 'typing' ? (
            <CredentialForm name={credential} onKept={() => setStep('kept')} onClose={() => setStep('told')} />
          ) : (
            <>
              <p>
                <Button size="s" icon="key" onClick={() => setStep('typing')} data-testid="credential-type">
                  Enter it here
                </Button>
              </p>
              <p>
                Or save it with this command in a terminal
                {!credential.includes('/') && ', with the key’s name instead of KEY'}, then ask again. It asks for the
                secret; never write one into the chat.
              </p>
              <Command text={command} />
            </>
          )}
        </div>
      )}
    </section>
  );
}

/**
 * `nova credential set finnhub/key`; `KEY` stands for an unnamed key. None for a name that a shell could
 * interpret: it comes from a tool's file, and users copy the line.
 */
export function commandFor(credential: string): string | null {
  if (!/^[A-Za-z0-9_][\w.-]*(\/[A-Za-z0-9_][\w.-]*)?$/.test(credential)) return null;
  return `nova credential set ${credential}${credential.includes('/') ? '' : '/KEY'}`;
}

function Consumer({ consumer }: { consumer: string }) {
  const at = consumer.indexOf(':');
  const [kind, name] = [consumer.slice(0, at), consumer.slice(at + 1)];
  const shown = useApp((app) => (kind === 'skill' ? skillName(app, name) : null));
  if (shown !== null) return shown;
  return (
    <span className="font-mono text-ui">
      <Icon name={skillIcon(name.split('.')[0] ?? '', 'dynamic')} size={14} className="mr-1.5 inline align-[-0.125em] text-fg-2" />
      <Revealed text={name} />
    </span>
  );
}

function Command({ text }: { text: string }) {
  const [copied, setCopied] = useState<'copied' | 'refused' | null>(null);
  const copy = () =>
    navigator.clipboard.writeText(text).then(
      () => setCopied('copied'),
      () => setCopied('refused'),
    );
  return (
    <div className="flex items-center gap-2">
      <code className="selectable min-w-0 flex-1 rounded-control bg-surface-sunken px-2.5 py-1 font-mono break-words text-fg">{text}</code>
      <span role="status" className="empty:hidden">
        {copied === 'copied' ? 'Copied' : copied === 'refused' ? 'Not copied. Select the line and copy it' : ''}
      </span>
      <IconButton
        icon={copied === 'copied' ? 'check' : 'copy'}
        iconSize={14}
        label="Copy the command"
        onClick={() => void copy()}
        onBlur={() => setCopied(null)}
      />
    </div>
  );
}
