// Find in the conversation: searches the rendered page, so that it finds what the user sees, and highlights
// without changing it.

import { useEffect, useMemo, useRef, useState } from 'react';

import { IconButton } from '../shared';
import { useActions, useApp, useSession } from '../state/hooks';
import { bringIntoView, found, unfold } from './found';

export function Find({ mountAll }: { mountAll: () => void }) {
  const sought = useApp((app) => app.find);
  return sought === null ? null : <FindBar sought={sought} mountAll={mountAll} />;
}

/** Milliseconds. The page changes constantly while a message streams. */
const SETTLED = 120;

function FindBar({ sought, mountAll }: { sought: string; mountAll: () => void }) {
  const { setFind } = useActions();
  const { turns } = useSession();
  const field = useRef<HTMLInputElement>(null);
  const [at, setAt] = useState(0);
  const [ranges, setRanges] = useState<readonly Range[]>([]);
  const [read, setRead] = useState('');
  const unfolded = useRef<readonly HTMLDetailsElement[]>([]);

  const settled = useSettled(turns);
  useEffect(() => {
    // Outside of the effect, since earlier turns are mounted synchronously.
    const timer = setTimeout(() => {
      mountAll();
      const log = document.querySelector<HTMLElement>('[role=log]');
      setRanges(log ? found(log, sought) : []);
      setRead(sought);
    });
    return () => clearTimeout(timer);
    // eslint-disable-next-line react-hooks/exhaustive-deps -- a new function each time, which does the same
  }, [sought, settled]);

  const current = ranges.length === 0 ? 0 : Math.min(at, ranges.length - 1);
  const shown = ranges[current];
  useEffect(() => {
    mark(ranges, shown);
    return () => mark([], undefined);
  }, [ranges, shown]);
  useEffect(() => {
    // Collapse what was opened for another match, which may share this one's beginning.
    for (const details of unfolded.current) if (!shown || !details.contains(shown.startContainer)) details.open = false;
    if (!shown) return;
    unfolded.current = [...unfolded.current.filter(({ open }) => open), ...unfold(shown)];
    bringIntoView(shown);
    // Once more after the newly visible content is laid out.
    const frame = requestAnimationFrame(() => bringIntoView(shown));
    return () => cancelAnimationFrame(frame);
    // Only for another match: content that streams below must not scroll the view.
    // eslint-disable-next-line react-hooks/exhaustive-deps -- `shown` is a new range each time the page is read
  }, [current, read]);

  const go = (by: number) => setAt(ranges.length === 0 ? 0 : (current + by + ranges.length) % ranges.length);
  const close = () => {
    const item = shown?.startContainer.parentElement?.closest<HTMLElement>('[data-item]');
    setFind(null);
    (item ?? document.querySelector<HTMLElement>('[data-testid=composer-input]'))?.focus({ preventScroll: true });
  };
  const count = useMemo(() => (sought === '' ? '' : ranges.length === 0 ? 'None' : `${current + 1} of ${ranges.length}`), [sought, ranges, current]);
  return (
    <div
      role="search"
      aria-label="Find in this chat"
      data-testid="find"
      className="absolute top-2 right-4 z-20 flex h-9 items-center gap-1 rounded-card border border-line-strong bg-surface-raised pr-1 pl-3 shadow-2"
      onKeyDown={(event) => {
        if (event.key === 'Escape') close();
        else if (event.key === 'Enter' && event.target === field.current) go(event.shiftKey ? -1 : 1);
        else return;
        event.preventDefault();
        event.stopPropagation();
      }}
    >
      <input
        ref={field}
        type="text"
        autoFocus
        aria-label="Find in this chat"
        placeholder="Find in this chat"
        data-testid="find-field"
        value={sought}
        onFocus={(event) => event.currentTarget.select()}
        onChange={(event) => {
          setAt(0);
          setFind(event.target.value);
        }}
        className="selectable w-48 bg-transparent text-ui outline-none"
      />
      <span aria-live="polite" data-testid="find-count" className="tabular min-w-14 text-right text-small text-fg-3">
        {count}
      </span>
      <IconButton icon="chevron-up" label="Previous" keys="Shift ↵" className="size-6" disabled={ranges.length === 0} onClick={() => go(-1)} />
      <IconButton icon="chevron-down" label="Next" keys="↵" className="size-6" disabled={ranges.length === 0} onClick={() => go(1)} />
      <IconButton icon="x" iconSize={12} label="Close" keys="Esc" className="size-6" onClick={close} />
    </div>
  );
}

/** The value, debounced. */
function useSettled<T>(value: T): T {
  const [settled, setSettled] = useState(value);
  useEffect(() => {
    const timer = setTimeout(() => setSettled(value), SETTLED);
    return () => clearTimeout(timer);
  }, [value]);
  return settled;
}

/** Paints the matches with the CSS highlight API, which changes no element. */
function mark(ranges: readonly Range[], current: Range | undefined): void {
  if (typeof Highlight === 'undefined') return;
  CSS.highlights.set('found', new Highlight(...ranges));
  CSS.highlights.set('found-now', new Highlight(...(current ? [current] : [])));
}
