// A search field over the window, with grouped results below.

import { type KeyboardEvent, type ReactNode, useEffect, useId, useRef, useState } from 'react';

import { Icon } from './Icon';
import { Over } from './Over';

interface FinderProps<Item> {
  readonly label: string;
  readonly fieldLabel: string;
  readonly listLabel: string;
  /** For the list; the field's ends in `-field`. */
  readonly testId: string;
  readonly query: string;
  readonly onQuery: (query: string) => void;
  /** A group without a label must be the only one. */
  readonly groups: readonly { readonly label?: string; readonly items: readonly Item[] }[];
  readonly row: (item: Item) => ReactNode;
  /** Shown without results. */
  readonly nothing: string | null;
  readonly onChoose: (item: Item) => void;
  readonly onClose: () => void;
}

export function Finder<Item>({ label, fieldLabel, listLabel, testId, query, onQuery, groups, row, nothing, onChoose, onClose }: FinderProps<Item>) {
  const [at, setAt] = useState(0);
  const list = useRef<HTMLDivElement>(null);
  const id = useId();
  const all = groups.flatMap(({ items }) => items);
  const marked = Math.min(at, all.length - 1);
  useEffect(() => {
    list.current?.querySelector('[aria-selected=true]')?.scrollIntoView({ block: 'nearest' });
  }, [marked, query]);
  const onKeyDown = (event: KeyboardEvent) => {
    if (event.nativeEvent.isComposing) return;
    const step = { ArrowDown: 1, ArrowUp: -1, PageDown: 8, PageUp: -8 }[event.key];
    const item = all[marked];
    if (step !== undefined) setAt(Math.max(0, Math.min(all.length - 1, marked + step)));
    else if (event.key === 'Enter' && item) onChoose(item);
    else return;
    event.preventDefault();
  };
  const option = (item: Item) => {
    const index = all.indexOf(item);
    return (
      <div
        key={index}
        id={`${id}-${index}`}
        role="option"
        aria-selected={index === marked}
        onMouseMove={() => index !== marked && setAt(index)}
        onClick={() => onChoose(item)}
        className={`flex h-8 items-center gap-2.5 rounded-control px-2 ${index === marked ? 'bg-selected text-fg [&_.quiet]:text-fg-2 [&_kbd]:text-fg-2' : ''}`}
      >
        {row(item)}
      </div>
    );
  };

  return (
    <Over label={label} onClose={onClose}>
      <label className="flex h-12 shrink-0 items-center gap-3 border-b border-line px-4">
        <Icon name="search" className="text-fg-2" />
        <input
          autoFocus
          type="text"
          role="combobox"
          aria-label={fieldLabel}
          aria-expanded="true"
          aria-autocomplete="list"
          aria-controls={`${id}-list`}
          aria-activedescendant={all.length > 0 ? `${id}-${marked}` : undefined}
          data-testid={`${testId}-field`}
          placeholder={fieldLabel}
          value={query}
          onChange={(event) => {
            onQuery(event.target.value);
            setAt(0);
          }}
          onKeyDown={onKeyDown}
          className="selectable w-full bg-transparent text-body outline-none"
        />
      </label>
      <div ref={list} id={`${id}-list`} role="listbox" aria-label={listLabel} data-testid={testId} className="min-h-0 overflow-y-auto p-1.5">
        {groups.map(({ label, items }) =>
          label === undefined ? (
            items.map(option)
          ) : (
            <div key={label} role="group" aria-label={label} className="pb-1.5">
              <p aria-hidden="true" className="px-2 pt-1.5 pb-1 text-meta font-semibold text-fg-2">
                {label}
              </p>
              {items.map(option)}
            </div>
          ),
        )}
      </div>
      {all.length === 0 && nothing !== null && (
        <p role="status" className="px-4 py-3 text-small text-fg-3">
          {nothing}
        </p>
      )}
    </Over>
  );
}
