import { Fragment } from 'react';

import { noteIn } from './note-in';
import { NoteLink } from './NoteLink';
import { Revealed } from './Revealed';

/**
 * Text with its notes as links: lines that are paths, and wikilinks anywhere. Several texts are handled
 * individually.
 */
export function Linked({ text }: { text: string | readonly string[] }) {
  if (typeof text === 'string') return <One text={text} />;
  return text.map((one, at) => (
    <Fragment key={at}>
      {at > 0 && ', '}
      <One text={one} />
    </Fragment>
  ));
}

function One({ text }: { text: string }) {
  const parts = text.split(/(\n)/).flatMap((line) => (noteIn(line) ? [line] : line.split(/(\[\[[^\]]+\]\])/)));
  return parts.map((part, at) => {
    const found = noteIn(part);
    if (found === null) return <Revealed key={at} text={part} />;
    return (
      <NoteLink key={at} note={found.note} className="text-left font-normal">
        <Revealed text={found.label} />
      </NoteLink>
    );
  });
}
