import { useState } from 'react';

import { counted, ErrorBox, Icon, LinkButton } from '../../shared';
import { Revealed } from '../../shared/Revealed';
import { Asking } from '../skill/Region';
import type { Asked } from '../skill/state';
import { useReads } from '../skill/useReads';
import { MailFrame } from './MailFrame';
import { MailText } from './MailText';
import { readIn, type MailPage, type ReadMessage } from './messages';
import { hostsText } from './words';

/**
 * What a mail says: its HTML if it has one, its text a click away. `asked`: the call that read it.
 */
export function MailBody({ read, asked }: { read: ReadMessage; asked: Asked }) {
  const [asText, setAsText] = useState(false);
  if (read.page === null) return <MailText read={read} />;
  return (
    <>
      {asText ? <MailText read={read} /> : <Drawn page={read.page} title={`Mail from ${read.from.name}`} asked={asked} />}
      <p className="text-small text-fg-3">
        {read.page.cut && !asText && 'It is shown simplified or cut off. '}
        <LinkButton onClick={() => setAsText(!asText)}>{asText ? 'Show as HTML' : 'Show as text'}</LinkButton>
      </p>
    </>
  );
}

function Drawn({ page, title, asked }: { page: MailPage; title: string; asked: Asked }) {
  // Neither stored nor reloaded: it holds while the mail is open.
  const [from, setFrom] = useState<readonly string[] | null>(null);
  const once: Asked = { tool: asked.tool, args: { ...asked.args, pictures_from: [...(from ?? [])] } };
  const reads = useReads(from === null ? [] : [once], 'asked');
  const { result = null, run = null, error = null } = reads.of(once) ?? {};
  const shown = readIn(result?.value)?.page ?? page;
  const load = () => (from === null ? setFrom(page.hosts) : reads.reread(once));
  return (
    <>
      {result === null && page.picturesNotLoaded > 0 && (
        <p className="flex flex-wrap items-center gap-x-2 rounded-control bg-surface-sunken px-2.5 py-1 text-small text-fg-2" data-testid="mail-pictures">
          <Icon name="eye-off" size={14} />
          <span className="min-w-0 flex-1 break-words">
            {counted(page.picturesNotLoaded, 'remote image')} not loaded. Loading tells <Revealed text={hostsText(page.hosts)} /> that this was read.
          </span>
          <LinkButton disabled={run !== null} onClick={load}>
            Load once
          </LinkButton>
        </p>
      )}
      {result !== null && shown.picturesNotLoaded > 0 && (
        <p className="text-small text-fg-3">{counted(shown.picturesNotLoaded, 'remote image')} still not loaded.</p>
      )}
      {run !== null && <Asking run={run} />}
      {error && <ErrorBox error={error} />}
      {shown.failed.length > 0 && (
        <p className="text-small text-fg-3">
          Some images were not loaded. <Revealed text={shown.failed.join(' ')} />
        </p>
      )}
      <MailFrame page={shown} title={title} />
    </>
  );
}
