import { useId, useRef, useState } from 'react';

import { Button, Popover, TextField } from '../../shared';
import { useScreener } from './context';

/** Saves symbols as a list, which becomes the universe; starts with those of the hits. */
export function SaveList() {
  const { saveList, universes, hits } = useScreener();
  const [open, setOpen] = useState(false);
  const [text, setText] = useState('');
  const [symbols, setSymbols] = useState('');
  const button = useRef<HTMLButtonElement>(null);
  const label = useId();
  if (saveList === null) return null;
  const name = text.trim();
  const taken = universes.some((one) => one.name.toLowerCase() === name.toLowerCase());
  const isReady = name !== '' && !taken && symbols.trim() !== '';
  return (
    <Popover
      label="Save list"
      open={open}
      onOpenChange={(now) => {
        setOpen(now);
        setText('');
        setSymbols(now ? hits.map(({ symbol }) => symbol).join('\n') : '');
      }}
      returnTo={() => button.current}
      trigger={
        <Button ref={button} size="s" className="self-start">
          Save list…
        </Button>
      }
    >
      <form
        className="flex w-72 flex-col gap-2 text-small"
        onSubmit={(event) => {
          event.preventDefault();
          if (!isReady) return;
          setOpen(false);
          saveList(name, symbols);
        }}
      >
        <TextField aria-label="Name of the list" placeholder="Name, such as Mid caps" data-first-focus="" invalid={taken} value={text} onChange={(event) => setText(event.target.value)} />
        {taken && (
          <p role="alert" className="text-danger">
            There is a list {name}. Choose another name.
          </p>
        )}
        <label htmlFor={label} className="text-fg-3">
          Symbols, one on each line, or CSV
        </label>
        <textarea
          id={label}
          rows={6}
          spellCheck={false}
          className="selectable w-full resize-y rounded-control border border-line-control bg-surface-raised px-2 py-1 font-mono outline-none focus:border-accent"
          value={symbols}
          onChange={(event) => setSymbols(event.target.value)}
        />
        <Button type="submit" className="self-end" disabled={!isReady}>
          Save
        </Button>
      </form>
    </Popover>
  );
}
