import { memo, type KeyboardEvent, type MouseEvent, useLayoutEffect, useRef } from 'react';

import './html.css';

/**
 * Text that the backend rendered from Markdown and sanitised: the one place of the window that sets
 * HTML. A link to a note opens the note; any other link leads nowhere by itself.
 */
export const Html = memo(function Html({
  html,
  streaming = false,
  onNote,
}: {
  html: string;
  /** More of it is coming: ends in a caret. */
  streaming?: boolean;
  onNote: (note: string) => void;
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
    if (note) onNote(note);
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
