import { Tabs } from 'radix-ui';
import { useState, type ReactNode } from 'react';

import { Badge, Button, IconButton, TextField } from '../../shared';
import type { IconButtonProps } from '../../shared/Button';
import { Revealed } from '../../shared/Revealed';
import { revealed } from '../../shared/invisible';
import { Header } from '../skill/PanelHead';
import { useSymbol } from './context';
import type { Tab } from './state';

/** The symbol, the search, and its actions. */
export function SymbolHead({ name, icon }: { name: string; icon: ReactNode }) {
  const { wide, roomy, symbol, quote, quoteRead, fetchPrice } = useSymbol();
  const place = [quote?.exchange, quote?.currency].filter((part) => part != null && part !== '').join(', ');
  const fields = (
    <>
      {!roomy && symbol !== null && <TabList />}
      <span className="flex-1" />
      <Search />
      {symbol !== null && (
        <Act icon={quoteRead?.run != null ? 'spinner' : 'refresh'} label="Fetch price" data-testid="fetch-price" disabled={quoteRead?.run != null} onClick={fetchPrice} />
      )}
      <Watch />
    </>
  );
  const about = (
    <>
      {quote?.name != null && (
        <span className="cut text-fg-2 max-medium:hidden">
          <Revealed text={quote.name} />
        </span>
      )}
      {place !== '' && (
        <span className={wide ? 'max-medium:hidden' : ''}>
          <Badge tone="outline">
            <Revealed text={place} />
          </Badge>
        </span>
      )}
    </>
  );
  if (wide) {
    return (
      <Header name={symbol === null ? name : revealed(symbol)} icon={icon}>
        {about}
        {fields}
      </Header>
    );
  }
  return (
    <div className="flex shrink-0 flex-wrap items-center gap-2 border-b border-line px-3.5 py-2">
      {symbol !== null && (
        <h2 className="text-body font-semibold">
          <Revealed text={symbol} />
        </h2>
      )}
      {about}
      {fields}
    </div>
  );
}

const tabs: readonly { readonly tab: Tab; readonly title: string }[] = [
  { tab: 'chart', title: 'Chart' },
  { tab: 'figures', title: 'Figures' },
  { tab: 'notes', title: 'Your notes' },
  { tab: 'filings', title: 'Filings, news' },
];

function TabList() {
  const { notes } = useSymbol();
  return (
    <Tabs.List aria-label="Views" className="inline-flex h-7 max-w-full shrink-0 overflow-x-auto rounded-control border border-line-strong">
      {tabs.map(({ tab, title }) => (
        <Tabs.Trigger
          key={tab}
          value={tab}
          className="min-w-0 border-l border-line-strong px-2.5 text-small whitespace-nowrap text-fg-2 first:rounded-l-[5px] first:border-l-0 last:rounded-r-[5px] hover:bg-hover max-medium:px-1.5 data-[state=active]:bg-selected data-[state=active]:font-medium data-[state=active]:text-fg"
        >
          {title} {tab === 'notes' && notes.count > 0 ? notes.count : ''}
        </Tabs.Trigger>
      ))}
    </Tabs.List>
  );
}

/** Nothing is sent before Enter. */
function Search() {
  const { name, wide, symbol } = useSymbol();
  const [text, setText] = useState('');
  return (
    <form
      role="search"
      data-symbol-search=""
      onSubmit={(event) => {
        event.preventDefault();
        if (text.trim() === '') return;
        name(text);
        setText('');
        // From here on the panel's keys apply.
        event.currentTarget.closest<HTMLElement>('[data-testid=skill-panel]')?.focus();
      }}
    >
      <TextField
        icon="search"
        frame="line"
        type="search"
        aria-label="Symbol or company"
        placeholder="Symbol or company"
        keys={text === '' && wide ? '/' : ''}
        className={`${wide ? 'w-55' : 'w-40'} ${symbol !== null && wide && text === '' ? 'max-medium:not-focus-within:w-7 max-medium:not-focus-within:px-1.5 max-medium:not-focus-within:[&_kbd]:hidden' : ''}`}
        value={text}
        onChange={(event) => setText(event.target.value)}
        onKeyDown={(event) => {
          if (event.key !== 'Escape' || text === '') return;
          event.preventDefault();
          event.stopPropagation();
          setText('');
        }}
      />
    </form>
  );
}

function Watch() {
  const { symbol, notes, has, act } = useSymbol();
  if (symbol === null || notes.watchlist === null) return null;
  if (notes.watched === null) {
    return has('portfolio.watch') ? <Act icon="eye" label="Watch" onClick={() => act(`Watch ${revealed(symbol)}`, 'portfolio.watch', { symbol })} /> : null;
  }
  const { symbol: listed } = notes.watched;
  return has('portfolio.unwatch') ? <Act icon="eye-off" label="Unwatch" onClick={() => act(`Unwatch ${revealed(listed)}`, 'portfolio.unwatch', { symbol: listed })} /> : null;
}

/** A button of the head; beside the chat only its icon. */
function Act({ label, ...rest }: Omit<IconButtonProps, 'keys' | 'pressed' | 'iconSize'>) {
  const { wide } = useSymbol();
  return wide ? <Button {...rest}>{label}</Button> : <IconButton label={label} {...rest} />;
}
