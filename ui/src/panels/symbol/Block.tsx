import type { ReactNode } from 'react';

import type { JsonValue } from '../../ipc';
import { ErrorBox, LinkButton, Loading } from '../../shared';
import { Revealed } from '../../shared/Revealed';
import { Asking } from '../skill/Region';
import type { Read } from '../skill/state';
import { useSymbol } from './context';
import { settingsLabel } from './words';

interface BlockProps {
  readonly label: string;
  readonly read: Read | null;
  /** Why its tool cannot be called, so that nothing is requested. */
  readonly notReady?: string | null;
  readonly lines?: number;
  readonly className?: string;
  readonly onAgain: () => void;
  /** Beside the name: source, day, "All 38". */
  readonly head: (value: JsonValue | undefined) => ReactNode;
  readonly children: (value: JsonValue) => ReactNode;
}

/**
 * The data of one source, with its own question, error and placeholders; the rest of the panel keeps working.
 */
export function Block({ label, read, notReady = null, lines = 4, className = '', onAgain, head, children }: BlockProps) {
  const { openSettings } = useSymbol();
  const value = read?.result?.value ?? undefined;
  return (
    <section aria-label={label} className={`min-w-0 py-3 ${className}`}>
      <header className="flex min-h-6 flex-wrap items-baseline gap-x-2.5 px-5 pb-1">
        <h2 className="shrink-0 text-ui font-semibold">{label}</h2>
        {head(value)}
      </header>
      {read?.error && read.run === null && (
        <div className="px-5 py-1">
          <Failure read={read} onAgain={onAgain} />
        </div>
      )}
      {read?.run && <Asking run={read.run} />}
      {notReady !== null ? (
        <p className="selectable px-5 py-1 text-small text-fg-2">
          <Revealed text={notReady} /> <LinkButton onClick={openSettings}>Settings</LinkButton>
        </p>
      ) : read === null || (value === undefined && !read.error) ? (
        <div className="px-5 py-1">
          <Loading lines={lines} label={`Reading ${label.toLowerCase()}`} />
        </div>
      ) : (
        value !== undefined && (
          <div aria-busy={read.run !== null} className={read.run === null ? '' : 'opacity-60'}>
            {children(value)}
          </div>
        )
      )}
    </section>
  );
}

/** The error of a load, with its remedies. */
export function Failure({ read: { error }, onAgain, actions }: { read: Pick<Read, 'error'>; onAgain: () => void; actions?: ReactNode }) {
  const { openSettings } = useSymbol();
  if (error === null) return null;
  const settings = settingsLabel(`${error.message} ${error.hint}`);
  const links = (
    <>
      <LinkButton onClick={onAgain}>Try again</LinkButton>
      {settings !== null && <LinkButton onClick={openSettings}>{settings}</LinkButton>}
      {actions}
    </>
  );
  return <ErrorBox error={error} actions={links} />;
}
