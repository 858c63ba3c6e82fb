import { type ReactNode, type RefObject, useEffect, useRef, useState } from 'react';

import type { AttachedFile, ImageView } from '../ipc';
import { Icon, IconButton, LinkButton } from '../shared';
import { revealed } from '../shared/invisible';
import { Revealed } from '../shared/Revealed';
import { sizeOf, sizeText } from '../state/attachments';
import { useApp, useRpc } from '../state/hooks';

/** A message's corner buttons, shown on hover or focus. */
export function Corner({ className, children }: { className: string; children: ReactNode }) {
  return <span className={`absolute top-1 right-1 flex gap-1 rounded-control bg-surface-raised opacity-0 select-none ${className}`}>{children}</span>;
}

export function CopyButton({ text, label }: { text: () => string; label: string }) {
  const [said, setSaid] = useState<'Copied' | 'Not copied' | null>(null);
  useEffect(() => {
    if (said === null) return;
    const timer = setTimeout(() => setSaid(null), 1500);
    return () => clearTimeout(timer);
  }, [said]);
  const copy = () =>
    navigator.clipboard.writeText(text()).then(
      () => setSaid('Copied'),
      () => setSaid('Not copied'),
    );
  return (
    <>
      <IconButton icon={said === 'Copied' ? 'check' : 'copy'} iconSize={14} label={said ?? label} data-testid="copy-message" className="border border-line" onClick={() => void copy()} />
      <span className="sr-only" aria-live="polite">
        {said}
      </span>
    </>
  );
}

/** A sent text file: its name, and on request its content. */
export function SentFile({ file }: { file: AttachedFile }) {
  if (file.uri !== undefined) {
    return (
      <p data-testid="sent-resource" className="flex h-7 items-center gap-2 rounded-card border border-line bg-surface-raised px-2 text-small">
        <Icon name="plug" size={14} className="text-fg-2" />
        <span className="cut">
          <Revealed text={file.name} />
        </span>
        <span className="cut text-fg-3">
          <Revealed text={file.uri} />
        </span>
      </p>
    );
  }
  return (
    <details data-testid="sent-file" className="rounded-card border border-line bg-surface-raised text-small">
      <summary className="flex h-7 cursor-default items-center gap-2 px-2">
        <Icon name={file.from === undefined ? 'clip' : 'plug'} size={14} className="text-fg-2" />
        <span className="cut">
          <Revealed text={file.name} />
        </span>
        <span className="text-fg-3">{sizeText(sizeOf(file.text))}</span>
        {file.from !== undefined && <span className="cut text-fg-3">from {revealed(file.from.split('.')[0] ?? '')}</span>}
      </summary>
      <pre className="max-h-60 overflow-auto border-t border-line px-2.5 py-1.5 font-mono text-small whitespace-pre-wrap" tabIndex={0}>
        {file.text}
      </pre>
    </details>
  );
}

/** Maximum size on the page, in px. */
const SHOWN = { width: 320, height: 240 };

/** A sent image. Its space is reserved from the start, and it is loaded once visible. */
export function SentImage({ image: { id, name, width, height } }: { image: ImageView }) {
  const session = useApp((app) => app.open);
  const place = useRef<HTMLDivElement>(null);
  const seen = useSeen(place);
  const read = useRpc('read_image', seen && session !== null ? { session, id } : null);
  const scale = Math.min(1, SHOWN.width / Math.max(1, width), SHOWN.height / Math.max(1, height));
  return (
    <div
      ref={place}
      data-testid="sent-image"
      data-tip={name}
      style={{ width: Math.max(24, Math.round(width * scale)), aspectRatio: `${Math.max(1, width)} / ${Math.max(1, height)}` }}
      className="flex min-h-6 max-w-full items-center justify-center overflow-hidden rounded-card border border-line bg-surface-raised text-small text-fg-3 select-none"
    >
      {read.data ? (
        <img src={`data:${read.data.media_type};base64,${read.data.data}`} alt={name} className="size-full object-contain" />
      ) : read.error ? (
        <LinkButton data-tip={read.error.message} onClick={read.reload}>
          {name} cannot be shown. Try again
        </LinkButton>
      ) : (
        <span className="sr-only">{name}</span>
      )}
    </div>
  );
}

/** Whether the element has ever been visible. */
function useSeen(element: RefObject<Element | null>): boolean {
  const [seen, setSeen] = useState(typeof IntersectionObserver === 'undefined');
  useEffect(() => {
    if (seen || !element.current) return;
    const observer = new IntersectionObserver((entries) => entries.some(({ isIntersecting }) => isIntersecting) && setSeen(true));
    observer.observe(element.current);
    return () => observer.disconnect();
  }, [seen, element]);
  return seen;
}
