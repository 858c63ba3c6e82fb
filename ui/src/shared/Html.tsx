import { memo, type KeyboardEvent, type MouseEvent, useLayoutEffect, useMemo, useRef, useState } from 'react';

import { FigurePopover, markFigures, type Figure, type Known } from './figures';
import { chipWord } from './figures/behind';

import './html.css';

/** The figures that text may speak of, and the numbers that need none. */
export interface Numbers {
  readonly figures: readonly Figure[];
  readonly said: Known['said'];
}

/**
 * Text that the backend rendered from Markdown and sanitised: the one place of the window that sets
 * HTML. A link to a note opens the note, a web address is handed out; nothing leads away by itself.
 */
export const Html = memo(function Html({
  html,
  streaming = false,
  numbers,
  onNote,
  onLink,
}: {
  html: string;
  /** More of it is coming: ends in a caret. */
  streaming?: boolean;
  /** Where given, its figures can be opened and amounts without a source are marked. */
  numbers?: Numbers | undefined;
  onNote: (note: string) => void;
  onLink: (url: string) => void;
}) {
  const root = useRef<HTMLDivElement>(null);
  const [opened, setOpened] = useState<{ figure: Figure; element: HTMLElement } | null>(null);
  // Marks are put into the text after it is set: other figures mean that it is set anew.
  const set = useMemo(() => ({ html, numbers, key: JSON.stringify([numbers?.figures, [...(numbers?.said ?? [])]]) }), [html, numbers]);

  useLayoutEffect(() => {
    if (!root.current || !set.numbers) return;
    const { figures, said } = set.numbers;
    markFigures(root.current, { figures: figures.map(({ view }) => view), said }, (at) => (figures[at] ? chipWord(figures[at]) : ''));
  }, [set.html, set.key]); // eslint-disable-line react-hooks/exhaustive-deps -- `key` stands for the numbers

  useLayoutEffect(() => {
    for (const link of root.current?.querySelectorAll<HTMLElement>('a[data-note]:not([href])') ?? []) {
      link.tabIndex = 0;
      link.setAttribute('role', 'link');
    }
  }, [html]);

  const follow = (event: MouseEvent | KeyboardEvent) => {
    const element = (event.target as Element).closest<HTMLElement>('[data-figure]');
    const figure = numbers?.figures[Number(element?.dataset['figure'])];
    if (element && figure) {
      event.preventDefault();
      setOpened({ figure, element });
      return;
    }
    const link = (event.target as Element).closest('a');
    if (!link) return;
    event.preventDefault();
    const note = link.dataset['note'];
    const url = link.getAttribute('href');
    if (note) onNote(note);
    else if (url) onLink(url);
  };

  return (
    <>
      <div
        key={set.key}
        ref={root}
        className={`nova-html selectable ${streaming ? 'nova-html-streaming' : ''}`}
        onClick={follow}
        onAuxClick={(event) => event.preventDefault()}
        onKeyDown={(event) => (event.key === 'Enter' || (event.key === ' ' && isFigure(event.target))) && follow(event)}
        dangerouslySetInnerHTML={{ __html: html }}
      />
      {opened && (
        <FigurePopover
          figure={opened.figure}
          anchor={{ current: opened.element }}
          onNote={onNote}
          onClose={() => setOpened(null)}
        />
      )}
    </>
  );
});

function isFigure(target: EventTarget): boolean {
  return (target as Element).closest('[data-figure]') !== null;
}
