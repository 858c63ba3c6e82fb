import { useState } from 'react';

import { LinkButton } from '../shared';
import { Revealed } from '../shared/Revealed';

const FIRST_LINES = 4;

/** A multi-line text, collapsed to its first lines. */
export function LongText({ text }: { readonly text: string }) {
  const [all, setAll] = useState(false);
  const lines = text.split('\n');
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
