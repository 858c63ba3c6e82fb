import { Popover as Radix } from 'radix-ui';
import { useState, type ReactNode, type RefObject } from 'react';

import { unitText } from '../amount';
import { Button, LinkButton } from '../Button';
import { counted, noteName } from '../format';
import { Icon } from '../Icon';
import { revealed } from '../invisible';
import { Revealed } from '../Revealed';
import { signOf } from '../decimal';
import { chipWord, copyText, notesOf, webLines, type Figure } from './behind';

interface FigureChipProps {
  readonly figure: Figure;
  readonly onNote: (path: string) => void;
  /** Content before the word, inside the chip: the value, unless it is shown beside it. */
  readonly children?: ReactNode;
  /** Replaces "6 notes": the name of the only source. */
  readonly word?: string;
}

/** "6 notes" beside a value: opens its derivation. Amber for unreliable figures. */
export function FigureChip({ figure, onNote, children, word = chipWord(figure) }: FigureChipProps) {
  const [open, setOpen] = useState(false);
  const tone = figure.view.caution ? 'bg-warn-soft text-warn' : 'bg-accent-soft text-accent';
  return (
    <Radix.Root open={open} onOpenChange={setOpen}>
      <Radix.Trigger asChild>
        <button
          type="button"
          data-testid="figure-chip"
          aria-label={revealed(`${figure.view.label}, ${unitText(figure.view.value, figure.view.unit)}: ${word}`)}
          className={`relative inline-flex h-4.5 shrink-0 items-center gap-1.5 rounded-badge px-1.5 text-meta font-medium whitespace-nowrap after:absolute after:-inset-1 hover:brightness-95 data-[state=open]:bg-accent-fill data-[state=open]:text-on-accent ${tone}`}
        >
          {children}
          <Revealed text={word} />
        </button>
      </Radix.Trigger>
      <Behind figure={figure} onNote={onNote} />
    </Radix.Root>
  );
}

/** The same popover at an element outside of React, such as a number in a message. */
export function FigurePopover({
  figure,
  anchor,
  onNote,
  onClose,
}: {
  figure: Figure;
  anchor: RefObject<HTMLElement>;
  onNote: (path: string) => void;
  onClose: () => void;
}) {
  return (
    <Radix.Root open onOpenChange={(open) => !open && onClose()}>
      <Radix.Anchor virtualRef={anchor} />
      <Behind figure={figure} onNote={onNote} onCloseAutoFocus={() => anchor.current.focus()} />
    </Radix.Root>
  );
}

function Behind({ figure, onNote, onCloseAutoFocus }: { figure: Figure; onNote: (path: string) => void; onCloseAutoFocus?: () => void }) {
  return (
    <Radix.Portal>
      <Radix.Content
        align="end"
        sideOffset={6}
        collisionPadding={12}
        aria-label={`Sources of ${revealed(figure.view.label)}`}
        {...(onCloseAutoFocus
          ? {
              onCloseAutoFocus: (event: Event) => {
                event.preventDefault();
                onCloseAutoFocus();
              },
            }
          : {})}
        className="z-40 w-160 max-w-[calc(100vw-24px)] animate-pop rounded-pop border border-line-strong bg-surface-raised p-3.5 text-small text-fg shadow-2 outline-none"
      >
        <Explanation figure={figure} onNote={onNote} />
      </Radix.Content>
    </Radix.Portal>
  );
}

function Explanation({ figure, onNote }: { figure: Figure; onNote: (path: string) => void }) {
  const { view } = figure;
  const notes = notesOf(figure);
  const now = new Date();
  const web = webLines(figure.sources, now);
  const [listed, setListed] = useState(false);
  const [copied, setCopied] = useState<'copied' | 'refused' | null>(null);
  const copy = () =>
    navigator.clipboard.writeText(copyText(figure, now)).then(
      () => setCopied('copied'),
      () => setCopied('refused'),
    );
  const open = () => {
    const [only] = notes;
    if (notes.length === 1 && only !== undefined) onNote(only);
    else setListed(!listed);
  };
  return (
    <>
      <header className="flex items-baseline gap-2 border-b border-line pb-2.5">
        <h3 className="font-semibold">
          <Revealed text={view.label} />
        </h3>
        {view.formula && (
          <span className="selectable min-w-0 flex-1 text-fg-2">
            <Revealed text={view.formula} />, computed
          </span>
        )}
        {!view.formula && <span className="flex-1 text-fg-3">computed</span>}
        <code className="shrink-0 font-mono text-fg-2">
          <Revealed text={figure.tool} />
        </code>
      </header>
      <div className="flex flex-wrap gap-x-6 gap-y-2 py-2.5">
        <dl className="selectable grid min-w-60 flex-[3] grid-cols-[1fr_auto] gap-x-4">
          {view.parts.map((part, at) => (
            <div key={at} className="contents">
              <dt className="py-0.5">
                <Revealed text={part.label} />
                {part.caution && (
                  <span className="text-warn">
                    {' '}
                    <Revealed text={part.caution} />
                  </span>
                )}
              </dt>
              <dd className="tabular py-0.5 text-right">
                <Revealed text={unitText(part.value, part.unit)} />
              </dd>
            </div>
          ))}
          <div className="col-span-2 grid grid-cols-subgrid border-t border-line pt-1 font-semibold first:border-t-0 first:pt-0">
            <dt>
              <Revealed text={view.label} />
            </dt>
            <dd className={`tabular text-right ${view.parts.length > 0 && signOf(view.value) < 0 ? 'text-danger' : ''}`}>
              <Revealed text={unitText(view.value, view.unit)} />
            </dd>
          </div>
        </dl>
        <dl className="grid min-w-50 flex-[2] auto-rows-min grid-cols-[1fr_auto] gap-x-4">
          {view.caution && (
            <div className="col-span-2 flex items-center gap-1.5 py-0.5 text-warn">
              <Icon name="warn" size={12} />
              <Revealed text={view.caution} />
            </div>
          )}
          {web.map(({ host, line, when }) => (
            <div key={host} className="contents">
              <dt className="py-0.5 text-fg-2">
                <Revealed text={line} />
              </dt>
              <dd className="tabular py-0.5 text-right">{when}</dd>
            </div>
          ))}
          {notes.length > 0 && (
            <div className="contents">
              <dt className="py-0.5 text-fg-2">In your vault</dt>
              <dd className="py-0.5 text-right">{counted(notes.length, 'note')}</dd>
            </div>
          )}
          {figure.sources.length === 0 && <p className="col-span-2 py-0.5 text-fg-3">No source.</p>}
        </dl>
      </div>
      {listed && (
        <ul aria-label="Notes" className="mb-2.5 grid max-h-40 grid-cols-2 gap-x-4 gap-y-0.5 overflow-y-auto border-t border-line pt-2">
          {notes.map((path) => (
            <li key={path} className="flex min-w-0">
              <LinkButton className="cut font-normal" data-tip={revealed(path)} onClick={() => onNote(path)}>
                <Revealed text={noteName(path).name} />
              </LinkButton>
            </li>
          ))}
        </ul>
      )}
      <footer className="flex gap-2">
        {notes.length > 0 && (
          <Button size="s" icon="note" aria-expanded={notes.length > 1 ? listed : undefined} onClick={open}>
            {notes.length === 1 ? 'Open the note' : `Open the ${notes.length} notes`}
          </Button>
        )}
        <Button size="s" icon={copied === 'copied' ? 'check' : 'copy'} onClick={() => void copy()} onBlur={() => setCopied(null)}>
          Copy with sources
        </Button>
        <span role="status" className="self-center text-fg-3">
          {copied === 'copied' ? 'Copied' : copied === 'refused' ? 'Not copied. Select the text and copy it' : ''}
        </span>
      </footer>
    </>
  );
}
