import { memo, type KeyboardEvent, type MouseEvent, useLayoutEffect, useRef } from 'react';

import './html.css';

/**
 * Text that the backend rendered from Markdown and sanitised: the one place of the window that sets
 * HTML. A link to a note opens the note, a web address is handed out; nothing leads away by itself.
 */
export const Html = memo(function Html({
  html,
  streaming = false,
  onNote,
  onLink,
}: {
  html: string;
  /** More of it is coming: ends in a caret. */
  streaming?: boolean;
  onNote: (note: string) => void;
  onLink: (url: string) => void;
}) {
  const root = useRef<HTMLDivElement>(null);

  useLayoutEffect(() => {
    for (const link of root.current?.querySelectorAll<HTMLElement>('a[data-note]:not([href])') ?? []) {
      link.tabIndex = 0;
      link.setAttribute('role', 'link');
    }
  }, [html]);

  const follow = (event: MouseEvent | KeyboardEvent) => {
    const link = (event.target as Element).closest('a');
    if (!link) return;
    event.preventDefault();
    const note = link.dataset['note'];
    const url = link.getAttribute('href');
    if (note) onNote(note);
    else if (url) onLink(url);
  };

  return (
    <div
      ref={root}
      className={`nova-html selectable ${streaming ? 'nova-html-streaming' : ''}`}
      onClick={follow}
      onAuxClick={(event) => event.preventDefault()}
      onKeyDown={(event) => event.key === 'Enter' && follow(event)}
      dangerouslySetInnerHTML={{ __html: html }}
    />
  );
});
