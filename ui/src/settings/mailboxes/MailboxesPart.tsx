// The mailboxes in the detail of the skill Mail, in place of the form's list.

import { useState } from 'react';

import { Button, ErrorBox, Icon, LinkButton, Loading } from '../../shared';
import { Part } from '../Part';
import { MailboxForm } from './MailboxForm';
import { MailboxLine } from './MailboxLine';
import { useMailboxes } from './useMailboxes';

/** `problem`: an error of the configuration file. */
export function MailboxesPart({ problem }: { problem: string | null }) {
  const mailboxes = useMailboxes();
  /** The name of the edited mailbox; null for a new one. */
  const [form, setForm] = useState<{ readonly of: string | null } | null>(null);
  const rows = mailboxes.view?.mailboxes ?? [];
  const close = () => setForm(null);
  const saved = () => {
    close();
    mailboxes.reload();
  };
  return (
    <Part
      title="Mailboxes"
      action={
        form?.of !== null && (
          <Button size="s" icon="plus" onClick={() => setForm({ of: null })} data-testid="mailbox-add">
            Add mailbox
          </Button>
        )
      }
    >
      {problem && (
        <p role="status" className="mb-2.5 flex gap-2 rounded-card bg-warn-soft px-3 py-2">
          <Icon name="warn" size={14} className="mt-0.5 text-warn" />
          <span className="min-w-0 break-words">{problem}</span>
        </p>
      )}
      {form?.of === null && <MailboxForm onClose={close} onSaved={saved} />}
      {mailboxes.error && (
        <ErrorBox error={mailboxes.error} actions={<LinkButton onClick={mailboxes.reload}>Try again</LinkButton>} />
      )}
      {!mailboxes.view && mailboxes.loading && <Loading lines={2} />}
      {mailboxes.view && rows.length === 0 && form === null && (
        <p className="text-fg-2">No mailboxes yet. Without one, the assistant is not offered this skill.</p>
      )}
      <ul aria-label="Mailboxes">
        {rows.map((row) =>
          form?.of === row.mailbox.name ? (
            <li key={row.mailbox.name}>
              <MailboxForm entry={row.mailbox} onClose={close} onSaved={saved} />
            </li>
          ) : (
            <MailboxLine key={row.mailbox.name} row={row} mailboxes={mailboxes} onEdit={() => setForm({ of: row.mailbox.name })} />
          ),
        )}
      </ul>
    </Part>
  );
}
