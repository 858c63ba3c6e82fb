import { useState } from 'react';

import { LinkButton } from '../shared';
import { Revealed } from '../shared/Revealed';

const FIRST_LINES = 4;
/** Longer texts scroll, code units. */
const FIRST_LENGTH = 600;

interface LongTextProps {
  readonly text: string;
  /** Never collapsed: a person will receive it. A long one scrolls. */
  readonly whole?: boolean;
}

/** A multi-line text, collapsed to its first lines. */
export function LongText({ text, whole = false }: LongTextProps) {
  const [all, setAll] = useState(false);
  const lines = text.split('\n');
  if (whole) {
    if (lines.length <= FIRST_LINES + 1 && text.length <= FIRST_LENGTH) {
      return (
        <span className="break-words whitespace-pre-wrap">
          <Revealed text={text} />
        </span>
      );
    }
    return (
      <div role="group" aria-label="Full text" tabIndex={0} data-testid="whole-text" className="max-h-[40vh] overflow-y-auto rounded-control bg-surface-sunken px-2 py-1 break-words whitespace-pre-wrap">
        <Revealed text={text} />
      </div>
    );
  }
  const cut = !all && lines.length > FIRST_LINES + 1;
  return (
    <span className="break-words whitespace-pre-wrap">
      <Revealed text={cut ? lines.slice(0, FIRST_LINES).join('\n') : text} />
      {cut && (
        <>
          {'\n'}
          <LinkButton onClick={() => setAll(true)}>Show all {lines.length} lines</LinkButton>
        </>
      )}
    </span>
  );
}
