import { type ReactNode, useState } from 'react';

import type { SandboxView } from '../ipc';
import { LinkButton } from '../shared';
import { Revealed } from '../shared/Revealed';
import type { CallItem } from '../state/session';
import { commandEnd, commandOf, guardText, hostsOf, outputOf } from './command';
import { CommandNetwork } from './CommandNetwork';

/** A command and its access: identical before it starts, while it runs, and afterwards. */
export function CommandFacts({ call, sandbox }: { call: CallItem; sandbox: SandboxView }) {
  const { args } = call;
  const { command, background } = commandOf(args);
  const hosts = hostsOf(call, sandbox);
  const folders = [...sandbox.writes, ...sandbox.reads.map((name) => `${name} (read only)`)];
  return (
    <dl className="grid grid-cols-[4.25rem_minmax(0,1fr)] gap-y-1 text-small">
      <Row label="Command">
        <span className="selectable font-mono break-words whitespace-pre-wrap">
          <Revealed text={command} />
        </span>
      </Row>
      <Row label="Folder">
        <Revealed text={sandbox.folder} />
      </Row>
      {folders.length > 0 && (
        <Row label="Also">
          <Revealed text={folders.join(', ')} />
        </Row>
      )}
      <Row label="Network">
        <Revealed text={hosts.length > 0 ? hosts.join(', ') : 'none'} />
      </Row>
      <Row label="Guard">
        <span className="text-ok">on</span>, {guardText(sandbox, args)}
      </Row>
      {background && <Row label="Runs">in the background, also after this answer</Row>}
    </dl>
  );
}

/** The last lines of the output, and on request all that is stored. */
export function CommandOutput({ call }: { call: CallItem }) {
  const [all, setAll] = useState(false);
  const { text, lines } = outputOf(call);
  if (text === '') return null;
  const held = text.replace(/\n$/, '').split('\n');
  const shown = all ? held : held.slice(-LAST_LINES);
  const running = call.state === 'running';
  return (
    <div className="flex flex-col gap-1">
      <pre
        data-testid="command-output"
        role="log"
        aria-label="Output"
        aria-live="off"
        tabIndex={0}
        className="selectable max-h-80 overflow-auto rounded-control border border-line bg-surface-sunken px-2.5 py-1.5 font-mono text-small break-words whitespace-pre-wrap"
      >
        <Revealed text={shown.join('\n')} />
        {running && <span aria-hidden className="ml-px inline-block h-3.5 w-1.5 translate-y-0.5 bg-accent-fill" />}
      </pre>
      {held.length > LAST_LINES && (
        <p className="text-fg-3">
          <LinkButton data-testid="command-all" onClick={() => setAll(!all)}>
            {all ? `Show the last ${LAST_LINES} lines` : `Show all ${lines.toLocaleString('en')} lines`}
          </LinkButton>
        </p>
      )}
    </div>
  );
}

const LAST_LINES = 5;

/** The open card of a command. */
export function CommandDetails({ call, sandbox }: { call: CallItem; sandbox: SandboxView }) {
  const { reason, file, leftOut } = commandEnd(call);
  return (
    <>
      <CommandFacts call={call} sandbox={sandbox} />
      <CommandOutput call={call} />
      <CommandNetwork call={call} />
      {reason !== null && (
        <p className="selectable text-warn">
          <Revealed text={reason} />
        </p>
      )}
      {file !== null && (
        <p className="selectable text-fg-2">
          The whole output is in <Revealed text={file} />.
        </p>
      )}
      {leftOut !== null && (
        <p className="selectable text-fg-2">
          Not given to it: <Revealed text={leftOut} />.
        </p>
      )}
    </>
  );
}

function Row({ label, children }: { label: string; children: ReactNode }) {
  return (
    <>
      <dt className="text-fg-3">{label}</dt>
      <dd className="min-w-0">{children}</dd>
    </>
  );
}
