// A text area that masks the secrets in its text without changing it.

import { useMemo, useRef, useState, type ReactNode, type Ref, type TextareaHTMLAttributes } from 'react';

import { LinkButton } from './Button';
import { covered, secretsIn, type Span } from './secrets';

interface MaskedAreaProps extends Omit<TextareaHTMLAttributes<HTMLTextAreaElement>, 'value' | 'className'> {
  readonly value: string;
  /** Each line is `NAME=value`. */
  readonly lines?: boolean;
  readonly ref?: Ref<HTMLTextAreaElement>;
}

const face = 'block w-full rounded-control border px-2.5 py-1.5 font-mono text-small';
/** Wraps lines independently of the letters, so that the mask exactly covers the text. */
const wraps = 'nova-no-bar whitespace-pre-wrap [line-break:anywhere]';

export function MaskedArea({ value, lines = false, ...rest }: MaskedAreaProps) {
  const [shown, setShown] = useState(false);
  const cover = useRef<HTMLDivElement>(null);
  const secrets = useMemo(() => secretsIn(value, lines), [value, lines]);
  const isCovered = secrets.length > 0 && !shown;
  return (
    <div className="flex flex-col gap-1">
      <div className="relative">
        <textarea
          spellCheck={false}
          autoComplete="off"
          value={value}
          onScroll={({ currentTarget }) => cover.current?.scrollTo?.(0, currentTarget.scrollTop)}
          className={`${face} ${wraps} selectable resize-y border-line-control bg-surface-raised caret-fg outline-none focus:border-accent focus:outline-1 focus:outline-accent ${isCovered ? 'text-transparent' : 'text-fg'}`}
          {...rest}
        />
        {isCovered && (
          <div ref={cover} aria-hidden="true" data-testid="covered-text" className={`${face} ${wraps} pointer-events-none absolute inset-0 overflow-hidden border-transparent text-fg`}>
            {pieces(value, secrets)}
          </div>
        )}
      </div>
      {secrets.length > 0 && (
        <LinkButton className="self-end text-small" aria-pressed={shown} onClick={() => setShown(!shown)} data-testid="show-secrets">
          {shown ? 'Hide secrets' : 'Show secrets'}
        </LinkButton>
      )}
    </div>
  );
}

function pieces(text: string, secrets: readonly Span[]): readonly ReactNode[] {
  const parts: ReactNode[] = [];
  let at = 0;
  for (const span of secrets) {
    parts.push(
      text.slice(at, span.from),
      <mark key={span.from} className="rounded-badge bg-warn-soft text-warn">
        {covered(text, span)}
      </mark>,
    );
    at = span.to;
  }
  // Matches the text area's height, even with an empty last line.
  return [...parts, text.slice(at), '\n'];
}
