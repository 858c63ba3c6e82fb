import { useCallback, useEffect, useState } from 'react';

import { Button } from '../shared';
import { draftOf } from '../state/app';
import { useActions, useApp } from '../state/hooks';
import { quotation } from './quotation';

/** Quotes text selected in the conversation; shown above the selection. */
export function Quote() {
  const [place, setPlace] = useState<{ top: number; left: number } | null>(null);
  const quote = useQuote();

  useEffect(() => {
    // The selection is not final while the mouse is pressed.
    let pressed = false;
    const look = () => {
      const range = pressed ? null : selectedInLog();
      const box = range?.getBoundingClientRect();
      setPlace(box && box.width > 0 ? { top: Math.max(8, box.top - 34), left: box.left + box.width / 2 } : null);
    };
    const down = () => {
      pressed = true;
    };
    const up = () => {
      pressed = false;
      look();
    };
    const hide = () => setPlace(null);
    document.addEventListener('selectionchange', look);
    document.addEventListener('pointerdown', down);
    document.addEventListener('pointerup', up);
    document.addEventListener('scroll', hide, true);
    return () => {
      document.removeEventListener('selectionchange', look);
      document.removeEventListener('pointerdown', down);
      document.removeEventListener('pointerup', up);
      document.removeEventListener('scroll', hide, true);
    };
  }, []);

  if (!place) return null;
  return (
    <div style={place} className="fixed z-30 -translate-x-1/2 animate-pop">
      <Button
        size="s"
        icon="quote"
        data-testid="quote"
        className="shadow-2"
        // Keeps the selection until it is read.
        onMouseDown={(event) => event.preventDefault()}
        onPointerDown={(event) => event.stopPropagation()}
        onClick={() => {
          quote();
          setPlace(null);
        }}
      >
        Quote
      </Button>
    </div>
  );
}

/** Inserts the text selected in the conversation into the message as a quotation. */
export function useQuote(): () => void {
  const { setDraft } = useActions();
  const written = useApp((app) => draftOf(app).text);
  return useCallback(() => {
    const range = selectedInLog();
    const quoted = range ? quotation(range) : '';
    if (quoted === '') return;
    setDraft({ text: `${written === '' ? '' : `${written.trimEnd()}\n\n`}${quoted}\n\n` }, true);
    document.getSelection()?.removeAllRanges();
    document.querySelector<HTMLElement>('[data-testid=composer-input]')?.focus();
  }, [setDraft, written]);
}

function selectedInLog(): Range | null {
  const selection = document.getSelection();
  if (!selection || selection.isCollapsed || selection.rangeCount === 0) return null;
  const range = selection.getRangeAt(0);
  const around = range.commonAncestorContainer;
  const element = around instanceof Element ? around : around.parentElement;
  return element?.closest('[role=log]') ? range : null;
}
