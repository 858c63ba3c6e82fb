// A file dropped on nothing that accepts it is offered to the panel that imports such files.

import { createContext, useCallback, useContext, useEffect, useMemo, useState, type ReactNode } from 'react';

import type { GivenFileView, PanelView } from '../../ipc';
import { Button, Icon, IconButton } from '../../shared';
import { useActions, useApp } from '../../state/hooks';
import { importOf } from './action';

interface Dropped {
  readonly skill: string;
  readonly file: File | GivenFileView;
}

interface Dropping {
  /** The file that a panel imports as soon as it is shown. */
  readonly dropped: Dropped | null;
  /** Shows a skill's panel with its import sheet for this file. */
  offer(dropped: Dropped): void;
  take(): void;
}

const Context = createContext<Dropping>({ dropped: null, offer: () => undefined, take: () => undefined });

/** The file waiting for a skill's panel. */
export function useDropping(): Dropping {
  return useContext(Context);
}

export function DropProvider({ children }: { children: ReactNode }) {
  const [lost, setLost] = useState<File | null>(null);
  const [dropped, setDropped] = useState<Dropped | null>(null);
  useEffect(() => {
    const isOfFiles = (event: DragEvent) => event.dataTransfer?.types.includes('Files') === true;
    // Otherwise the web view would navigate to the file.
    const over = (event: DragEvent) => {
      if (isOfFiles(event)) event.preventDefault();
    };
    const drop = (event: DragEvent) => {
      if (event.defaultPrevented || !isOfFiles(event)) return;
      event.preventDefault();
      setLost(event.dataTransfer?.files[0] ?? null);
    };
    window.addEventListener('dragover', over);
    window.addEventListener('drop', drop);
    return () => {
      window.removeEventListener('dragover', over);
      window.removeEventListener('drop', drop);
    };
  }, []);
  const { showPanel } = useActions();
  const offer = useCallback(
    (next: Dropped) => {
      setDropped(next);
      showPanel(`skill:${next.skill}`);
    },
    [showPanel],
  );
  const value = useMemo(() => ({ dropped, offer, take: () => setDropped(null) }), [dropped, offer]);
  return (
    <Context value={value}>
      {children}
      {lost !== null && <Offer file={lost} onHide={() => setLost(null)} onImport={(skill) => offer({ skill, file: lost })} />}
    </Context>
  );
}

function Offer({ file, onHide, onImport }: { file: File; onHide: () => void; onImport: (skill: string) => void }) {
  const panels = useApp(({ skillPanels }) => skillPanels).filter((one) => importOf(one) !== null);
  const offers = panels.length > 0 && /\.(csv|tsv|txt|tab|pdf|xlsx?|ofx|qif)$/i.test(file.name);
  const open = ({ skill }: PanelView) => {
    onImport(skill);
    onHide();
  };
  return (
    <div
      role="alert"
      data-testid="drop-offer"
      className="fixed bottom-4 left-1/2 z-40 flex max-w-[90vw] -translate-x-1/2 items-center gap-3 rounded-pop border border-line bg-surface-raised py-2 pr-2 pl-3.5 text-ui shadow-2"
    >
      <Icon name="note" className="text-fg-2" />
      <span className="cut">
        {file.name} cannot be dropped here.{offers ? '' : ' Drop text or images on a chat.'}
      </span>
      {offers &&
        panels.map((panel, at) => (
          <Button key={panel.skill} autoFocus={at === 0} onClick={() => open(panel)}>
            Import into {panel.name}
          </Button>
        ))}
      <IconButton icon="x" iconSize={12} label="Hide" onClick={onHide} />
    </div>
  );
}
