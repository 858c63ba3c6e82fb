import { counted, Icon, LinkButton } from '../../shared';
import { Revealed } from '../../shared/Revealed';
import { useActions } from '../../state/hooks';
import { paragraphsOf, type Paragraph, type Piece } from './body';
import type { ReadMessage } from './messages';

/** A message's text: always rendered as text, without loading anything. */
export function MailText({ read }: { read: ReadMessage }) {
  const { imagesNotLoaded, linesLeftOut, isCut } = read;
  const paragraphs = paragraphsOf(read.text, read.links);
  return (
    <>
      {imagesNotLoaded > 0 && (
        <p className="flex items-center gap-2 rounded-control bg-surface-sunken px-2.5 py-1 text-small text-fg-2">
          <Icon name="eye-off" size={14} />
          {counted(imagesNotLoaded, 'remote image')} not loaded. Loading would tell the sender that this was read.
        </p>
      )}
      <div className="selectable flex max-w-180 flex-col gap-2.5 text-body break-words" data-testid="mail-text">
        {paragraphs.map((paragraph, at) => (
          <ParagraphView key={at} paragraph={paragraph} />
        ))}
        {paragraphs.length === 0 && <p className="text-small text-fg-3">No text.</p>}
      </div>
      {(isCut || linesLeftOut > 0) && (
        <p className="text-small text-fg-3">
          {isCut && 'The rest of the text is not shown. '}
          {linesLeftOut > 0 && `${counted(linesLeftOut, 'line')} of earlier mails left out.`}
        </p>
      )}
    </>
  );
}

function ParagraphView({ paragraph }: { paragraph: Paragraph }) {
  const quoted = paragraph.every((line) => line.quoted);
  return (
    <p className={quoted ? 'border-l-2 border-line-strong pl-2.5 text-fg-2' : ''}>
      {paragraph.map((line, at) => (
        <span key={at}>
          {at > 0 && <br />}
          {line.quoted && !quoted && <span className="text-fg-3">&gt; </span>}
          {line.pieces.map((piece, index) => (
            <PieceView key={index} piece={piece} />
          ))}
        </span>
      ))}
    </p>
  );
}

/** A link opens in the browser; its target host is always visible. */
function PieceView({ piece: { text, url, host } }: { piece: Piece }) {
  const { openLink } = useActions();
  if (url === null) return <Revealed text={text} />;
  return (
    <>
      <LinkButton className="text-left font-normal" data-tip={url} onClick={() => openLink(url)}>
        <Revealed text={text} />
      </LinkButton>
      {host !== '' && <span className="text-fg-3"> {host}</span>}
    </>
  );
}
