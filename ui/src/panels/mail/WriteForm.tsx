import { useId, useState, type ReactNode } from 'react';

import { Button, IconButton, keyText, LinkButton, mainModifier, Segments } from '../../shared';
import { NoteFinder } from '../../shared/NoteFinder';
import { Revealed } from '../../shared/Revealed';
import { useActions } from '../../state/hooks';
import { useReads } from '../skill/useReads';
import { useMail } from './context';
import { personIn, readIn, type Message } from './messages';
import type { Writing } from './state';
import { quotedSubject, subjectText } from './words';
import { useWritten } from './useWritten';
import { draftArgs, missingIn, sendArgs, type Written } from './writing';

const fieldLook = 'selectable w-full min-w-0 bg-transparent text-ui text-fg outline-none';

/** A new mail or a reply. Its content is shown again on the approval card. */
export function WriteForm({ writing }: { writing: Writing }) {
  const { mailboxes, has, acts, dispatch } = useMail();
  const { show } = useActions();
  const senders = mailboxes.map(({ name }) => name);
  const { written, set: change, forget } = useWritten(writing, writing.kind === 'reply' ? writing.to.mailbox : (writing.mailbox ?? senders[0] ?? ''));
  const [busy, setBusy] = useState(false);
  const [told, setTold] = useState('');
  const isReply = writing.kind === 'reply';
  const mailbox = mailboxes.find(({ name }) => name === written.mailbox);
  const set = (part: Partial<Written>) => {
    change(part);
    setTold('');
  };
  const close = () => dispatch({ type: 'written' });
  const sends = mailbox?.sends === true && has(isReply ? 'reply' : 'send');
  const subject = isReply ? subjectText(writing.to.subject) : written.subject;
  const run = async (label: string, tool: string, args: ReturnType<typeof sendArgs>) => {
    setBusy(true);
    const { ok, error } = await acts.write(label, tool, args);
    setBusy(false);
    if (!ok) {
      if (error?.draft !== undefined) change({ draft: error.draft });
      return;
    }
    forget();
    close();
  };
  const send = () => {
    const missing = missingIn(written, writing);
    setTold(missing);
    if (missing === '' && sends && !busy) void run(`Send ${quotedSubject(isReply ? `Re: ${subject}` : subject)}`, isReply ? 'reply' : 'send', sendArgs(written, writing));
  };
  return (
    <form
      aria-label={isReply ? `Reply to ${writing.to.from.name}` : 'New mail'}
      data-testid="mail-write"
      className="flex min-h-0 flex-1 flex-col"
      onSubmit={(event) => {
        event.preventDefault();
        send();
      }}
      onKeyDown={(event) => {
        const closes = event.key === 'Escape' && !event.defaultPrevented;
        if (!closes && (event.key !== 'Enter' || !mainModifier(event))) return;
        event.preventDefault();
        event.stopPropagation();
        if (closes) close();
        else send();
      }}
    >
      <header className="flex min-h-12 shrink-0 items-center gap-2 border-b border-line py-2 pr-3 pl-5">
        <h2 className="min-w-0 flex-1 truncate text-body font-semibold">{isReply ? <Revealed text={`Re: ${subject}`} /> : 'New mail'}</h2>
        <IconButton icon="x" label="Close" keys="Esc" onClick={close} />
      </header>
      <div className="flex min-h-0 flex-1 flex-col overflow-y-auto px-5">
        <Addresses writing={writing} written={written} set={set} senders={senders} />
        <textarea aria-label="Text" data-testid="mail-write-text" autoFocus={isReply} className="selectable min-h-40 w-full flex-1 resize-none bg-transparent py-3 text-body outline-none" value={written.text} onChange={(event) => set({ text: event.target.value })} />
        <Attachments paths={written.attachments} onPaths={(attachments) => set({ attachments })} />
      </div>
      <footer className="flex shrink-0 flex-wrap items-center gap-2 border-t border-line px-5 py-2.5 text-small">
        {has(isReply ? 'reply' : 'send') && (
          <Button variant="primary" icon="send" type="submit" keys={keyText('Ctrl ↵')} disabled={busy || !sends}>
            {written.draft === null ? 'Send…' : 'Send again…'}
          </Button>
        )}
        {has('draft') && (
          <Button disabled={busy} onClick={() => void run(`Save the draft ${quotedSubject(subjectText(subject))}`, 'draft', draftArgs(written, writing))}>
            Save draft
          </Button>
        )}
        {told !== '' && (
          <span role="alert" className="text-danger">
            {told}
          </span>
        )}
        {has(isReply ? 'reply' : 'send') && mailbox && !mailbox.sends && (
          <span className="text-fg-2">
            Sending is off for <Revealed text={mailbox.name} />. <LinkButton onClick={() => show({ kind: 'settings', page: 'skills', skill: 'mail' })}>Settings</LinkButton>
          </span>
        )}
      </footer>
    </form>
  );
}

interface FieldsProps {
  readonly writing: Writing;
  readonly written: Written;
  readonly set: (part: Partial<Written>) => void;
  readonly senders: readonly string[];
}

function Addresses({ writing, written, set, senders }: FieldsProps) {
  const [copies, setCopies] = useState(false);
  if (writing.kind === 'reply') return <ReplyTo message={writing.to} all={written.all} onAll={(all) => set({ all })} />;
  return (
    <>
      {senders.length > 1 && (
        <Line label="From">
          <Segments label="From" value={written.mailbox} options={senders.map((name) => ({ value: name, label: <Revealed text={name} /> }))} onChange={(mailbox) => set({ mailbox, draft: null })} />
        </Line>
      )}
      <TextLine label="To" value={written.to} focused onText={(to) => set({ to })}>
        {!copies && <LinkButton onClick={() => setCopies(true)}>Cc, Bcc</LinkButton>}
      </TextLine>
      {copies && <TextLine label="Cc" value={written.cc} onText={(cc) => set({ cc })} />}
      {copies && <TextLine label="Bcc" value={written.bcc} onText={(bcc) => set({ bcc })} />}
      <TextLine label="Subject" value={written.subject} onText={(subject) => set({ subject })} />
    </>
  );
}

/** The reply's recipient: the sender may have set another address. */
function ReplyTo({ message: { id, from }, all, onAll }: { message: Message; all: boolean; onAll: (all: boolean) => void }) {
  const { nameOf } = useMail();
  const asked = { tool: nameOf('read'), args: { id, links: true } };
  const replyTo = readIn(useReads([asked], 'elsewhere').of(asked)?.result?.value)?.replyTo ?? '';
  const elsewhere = replyTo !== '' && personIn(replyTo).address !== from.address;
  return (
    <Line label="To">
      <span className={`selectable min-w-0 flex-1 break-words ${elsewhere ? 'text-warn' : ''}`} data-testid="mail-reply-to">
        <Revealed text={elsewhere ? replyTo : from.name === from.address ? from.address : `${from.name} <${from.address}>`} />
        {all && ' and all others'}
      </span>
      <label className="flex items-center gap-1.5 text-fg-2">
        <input type="checkbox" checked={all} onChange={(event) => onAll(event.target.checked)} /> To all
      </label>
    </Line>
  );
}

function Line({ label, children }: { label: string; children: ReactNode }) {
  return (
    <div className="flex min-h-9 shrink-0 items-center gap-2 border-b border-line py-1 text-small">
      <span className="w-14 shrink-0 text-fg-3">{label}</span>
      {children}
    </div>
  );
}

function TextLine({ label, value, focused = false, onText, children }: { label: string; value: string; focused?: boolean; onText: (text: string) => void; children?: ReactNode }) {
  const id = useId();
  return (
    <div className="flex min-h-9 shrink-0 items-center gap-2 border-b border-line py-1 text-small">
      <label htmlFor={id} className="w-14 shrink-0 text-fg-3">
        {label}
      </label>
      <input id={id} autoFocus={focused} autoComplete="off" spellCheck={false} className={fieldLook} value={value} onChange={(event) => onText(event.target.value)} />
      {children}
    </div>
  );
}

/** Files of the vault by path, notes chosen by name. */
function Attachments({ paths, onPaths }: { paths: string; onPaths: (paths: string) => void }) {
  const [open, setOpen] = useState(false);
  const [choosing, setChoosing] = useState(false);
  const id = useId();
  if (!open) {
    return (
      <div className="pb-3">
        <Button size="s" icon="clip" onClick={() => setOpen(true)}>
          Attach a file
        </Button>
      </div>
    );
  }
  return (
    <div className="flex flex-col gap-1 pb-3 text-small">
      <label htmlFor={id} className="text-fg-3">
        Attachments: paths in the vault, one on each line
      </label>
      <textarea id={id} rows={2} autoFocus spellCheck={false} className="selectable w-full resize-y rounded-control border border-line-control bg-surface-raised px-2 py-1 font-mono outline-none focus:border-accent" value={paths} onChange={(event) => onPaths(event.target.value)} />
      <div>
        <LinkButton onClick={() => setChoosing(true)}>Choose a note</LinkButton>
      </div>
      {choosing && <NoteFinder label="Attach a note" onChoose={(path) => onPaths(paths.trim() === '' ? path : `${paths.trimEnd()}\n${path}`)} onClose={() => setChoosing(false)} />}
    </div>
  );
}
