// A message's attachments, and where they go: into the vault, or another skill's import.

import { useState } from 'react';

import { useBackend } from '../../ipc';
import { Button, count, Icon, LinkButton } from '../../shared';
import { noteName } from '../../shared/format';
import { revealed } from '../../shared/invisible';
import { Revealed } from '../../shared/Revealed';
import { useActions, useApp } from '../../state/hooks';
import { BANK_FILES, importOf } from '../import/action';
import { useDropping } from '../import/DropOffer';
import { AttachedPicture, isPicture } from './AttachedPicture';
import { useMail } from './context';
import type { Message, ReadMessage } from './messages';
import { attachmentKey } from './state';
import { useAddToCalendar } from './useAddToCalendar';
import { kindText, sizeText } from './words';

export function Attachments({ read, message }: { read: ReadMessage; message: Message }) {
  return (
    <ul aria-label="Attachments" className="flex flex-col gap-1.5 pt-1">
      {read.attachments.map((_, at) => (
        <AttachmentRow key={at} read={read} at={at} message={message} />
      ))}
      {read.moreAttachments > 0 && <li className="text-small text-fg-3">{read.moreAttachments} more are not listed.</li>}
    </ul>
  );
}

function AttachmentRow({ read: { attachments }, at, message }: { read: ReadMessage; at: number; message: Message }) {
  const { has, acts, state } = useMail();
  const importing = useImporting();
  const addToCalendar = useAddToCalendar();
  const [busy, setBusy] = useState(false);
  const [shown, setShown] = useState(false);
  const attachment = attachments[at];
  if (attachment === undefined) return null;
  const { name, bytes, event } = attachment;
  const saved = state.saved[attachmentKey(message, at)] ?? null;
  const facts = [sizeText(bytes), kindText(attachment), event !== null && event.more > 0 ? `${count(event.more + 1)} events` : ''].filter((part) => part !== '').join(', ');
  const save = async () => {
    if (saved !== null || busy) return saved;
    setBusy(true);
    return acts.save(message, attachments, at).finally(() => setBusy(false));
  };
  const importInto = async (panel: (typeof importing)[number]) => {
    const path = await save();
    if (path !== null) panel.open({ path, name: noteName(path).name, folder: null, size: bytes });
  };
  const isBankFile = BANK_FILES.some((ending) => name.toLowerCase().endsWith(`.${ending}`));
  return (
    <li className="flex min-h-8 flex-wrap items-center gap-x-2 gap-y-1 rounded-control border border-line px-2.5 py-1 text-small">
      <Icon name={attachment.kind === 'calendar' ? 'calendar' : 'clip'} size={14} className="text-fg-2" />
      <span className="selectable min-w-0 flex-1 break-words">
        <span className="font-medium">
          <Revealed text={name || 'Without a name'} />
        </span>{' '}
        <span className="text-fg-3">{facts}</span>
      </span>
      {isPicture(attachment) && (
        <Button size="s" aria-expanded={shown} aria-label={`${shown ? 'Hide' : 'Preview'} ${revealed(name)}`} onClick={() => setShown(!shown)}>
          {shown ? 'Hide' : 'Preview'}
        </Button>
      )}
      {event !== null && addToCalendar !== null && (
        <Button size="s" icon="calendar" aria-label={`Add ${revealed(event.title || name)} to calendar`} onClick={() => void addToCalendar(event)}>
          {event.more > 0 ? 'Add the first event to calendar' : 'Add to calendar'}
        </Button>
      )}
      {has('save_attachment') &&
        isBankFile &&
        importing.map((panel) => (
          <Button key={panel.name} size="s" icon="import" disabled={busy} aria-label={`Import ${revealed(name)} into ${panel.name}`} onClick={() => void importInto(panel)}>
            Import into {panel.name}
          </Button>
        ))}
      {saved !== null && <SavedAs path={saved} />}
      {has('save_attachment') && saved === null && name !== '' && (
        <Button size="s" icon="book" data-mail-save="" disabled={busy} aria-label={`Save ${revealed(name)} to vault`} onClick={() => void save()}>
          Save to vault
        </Button>
      )}
      {shown && (
        <div className="basis-full">
          <AttachedPicture message={message} at={at} name={name} />
        </div>
      )}
    </li>
  );
}

/** A link that opens the file in Obsidian. */
function SavedAs({ path }: { path: string }) {
  const backend = useBackend();
  const { report } = useActions();
  return (
    <span role="status" data-testid="mail-saved" className="flex min-w-0 items-baseline gap-1 text-fg-2">
      <span>Saved as</span>{' '}
      <LinkButton data-tip="Open in Obsidian" className="min-w-0 break-all" onClick={() => void backend.rpc('open_note', { path }).catch(report)}>
        <Revealed text={path} />
      </LinkButton>
    </span>
  );
}

/** The panels that import files of banks and brokers. */
function useImporting() {
  const panels = useApp(({ skillPanels }) => skillPanels).filter((one) => importOf(one) !== null);
  const { offer } = useDropping();
  return panels.map((panel) => ({ name: panel.name, open: (file: Parameters<typeof offer>[0]['file']) => offer({ skill: panel.skill, file }) }));
}
