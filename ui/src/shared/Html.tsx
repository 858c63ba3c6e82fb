import { memo, type KeyboardEvent, type MouseEvent, useLayoutEffect, useMemo, useRef, useState } from 'react';

import { FigurePopover, markFigures, type Figure, type Known } from './figures';
import { chipWord } from './figures/behind';
import { type CitedPage, markCitations } from './rich/cite';
import { colourCode, highlighter } from './rich/code';
import { copied, decorate } from './rich/decorate';
import { setFormulas, typesetter } from './rich/math';

import './html.css';

/** The known figures, and numbers that need no source. */
export interface Numbers {
  readonly figures: readonly Figure[];
  readonly said: Known['said'];
}

/**
 * Text that the backend rendered from Markdown and sanitised: the only place in the window that sets HTML. A
 * note link opens the note, web addresses are passed to the backend; nothing navigates the page.
 */
export const Html = memo(function Html({
  html,
  streaming = false,
  numbers,
  pages,
  onNote,
  onLink,
}: {
  html: string;
  /** More is coming: show a caret at the end. */
  streaming?: boolean;
  /** If set, its figures can be opened and amounts without a source are marked. */
  numbers?: Numbers | undefined;
  /** Citable pages, by address. */
  pages?: ReadonlyMap<string, CitedPage> | undefined;
  /** `at`: the clicked link. */
  onNote: (note: string, at: HTMLElement) => void;
  onLink: (url: string) => void;
}) {
  const root = useRef<HTMLDivElement>(null);
  const [opened, setOpened] = useState<{ figure: Figure; element: HTMLElement } | null>(null);
  // Marks are added after the HTML is set, so changed figures require setting it again.
  const key = useMemo(() => JSON.stringify([numbers?.figures, [...(numbers?.said ?? [])], [...(pages ?? [])]]), [numbers, pages]);

  useLayoutEffect(() => {
    if (!root.current || !numbers) return;
    const { figures, said } = numbers;
    markFigures(root.current, { figures: figures.map(({ view }) => view), said }, (at) => (figures[at] ? chipWord(figures[at]) : ''));
  }, [html, key]); // eslint-disable-line react-hooks/exhaustive-deps -- `key` stands for the numbers

  useLayoutEffect(() => {
    const element = root.current;
    if (!element) return;
    decorate(element);
    if (pages) markCitations(element, pages);
    // In the same frame if the library is loaded, which avoids flicker; otherwise once it is.
    let current = true;
    if (!colourCode(element, streaming)) void highlighter.load().then(() => current && colourCode(element, streaming), ignored);
    if (!setFormulas(element)) void typesetter.load().then(() => current && setFormulas(element), ignored);
    return () => {
      current = false;
    };
  }, [html, key, streaming]); // eslint-disable-line react-hooks/exhaustive-deps -- `key` stands for the pages

  const follow = (event: MouseEvent | KeyboardEvent) => {
    const element = (event.target as Element).closest<HTMLElement>('[data-figure]');
    const figure = numbers?.figures[Number(element?.dataset['figure'])];
    if (element && figure) {
      event.preventDefault();
      setOpened({ figure, element });
      return;
    }
    const copy = event.type === 'click' ? copied(event.target as Element) : null;
    if (copy) {
      void navigator.clipboard.writeText(copy.text).then(
        () => said(copy.button, 'Copied'),
        () => said(copy.button, 'Not copied'),
      );
      return;
    }
    const link = (event.target as Element).closest('a');
    if (!link) return;
    event.preventDefault();
    const { note, footnoteRef } = link.dataset;
    const url = link.getAttribute('href');
    if (note) onNote(note, link);
    else if (footnoteRef) showFootnote(root.current, footnoteRef);
    else if (url) onLink(url);
  };

  return (
    <>
      <div
        key={key}
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
          onNote={(note) => onNote(note, opened.element)}
          onClose={() => setOpened(null)}
        />
      )}
    </>
  );
});

/** The footnote may be in a later block of the same text. */
function showFootnote(root: HTMLElement | null, number: string): void {
  const footnote = root?.parentElement?.querySelector<HTMLElement>(`[data-footnote="${CSS.escape(number)}"]`);
  if (!footnote) return;
  footnote.tabIndex = -1;
  footnote.scrollIntoView({ block: 'nearest' });
  footnote.focus({ preventScroll: true });
}

/** Shows a word on the button for a moment. */
function said(button: HTMLElement, word: string): void {
  button.textContent = word;
  setTimeout(() => (button.textContent = 'Copy'), 1500);
}

/** A library that fails to load is ignored: code stays uncoloured and formulas stay source text. */
function ignored(): void {}

function isFigure(target: EventTarget): boolean {
  return (target as Element).closest('[data-figure]') !== null;
}
