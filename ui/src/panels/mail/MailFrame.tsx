import { useEffect, useEffectEvent, useRef, useState } from 'react';

import { useActions } from '../../state/hooks';
import { COLOURS, frameDocument, isBlocked, PAPER } from './frame';
import type { MailPage } from './messages';

/** Longer mails scroll within their frame, px. */
const MOST_HEIGHT = 20_000;

/**
 * A mail's HTML in a frame that runs no script, loads nothing and leads nowhere. Links open in the browser.
 */
export function MailFrame({ page, title }: { page: MailPage; title: string }) {
  const frame = useRef<HTMLIFrameElement>(null);
  const [height, setHeight] = useState(48);
  const { openLink } = useActions();
  const { html, colours } = page;

  const fit = () => {
    const body = frame.current?.contentDocument?.body;
    // A bar for wide tables takes room as well.
    if (body) setHeight(Math.min(MOST_HEIGHT, body.offsetHeight + (body.scrollWidth > body.clientWidth ? 16 : 0)));
  };
  const paint = () => {
    const root = frame.current?.contentDocument?.documentElement;
    const own = getComputedStyle(document.documentElement);
    for (const name of COLOURS) root?.style.setProperty(name, colours ? PAPER[name] : own.getPropertyValue(name));
  };
  const follow = (event: Event) => {
    event.preventDefault();
    const url = linkAt(event.target as Node | null);
    if (url !== null) openLink(url);
  };
  const blocked = useEffectEvent(({ effectiveDirective, blockedURI }: SecurityPolicyViolationEvent) => {
    // Another mail may be drawn beside it.
    const isHere = document.activeElement === frame.current;
    const url = linkAt(frame.current?.contentDocument?.activeElement ?? null);
    if (isHere && effectiveDirective === 'frame-src' && url !== null && isBlocked(url, blockedURI)) openLink(url);
  });
  const latest = useRef({ fit, paint });
  useEffect(() => void (latest.current = { fit, paint }));

  useEffect(() => {
    const element = frame.current;
    if (!element) return;
    const resized = new ResizeObserver(() => latest.current.fit());
    resized.observe(element);
    const themed = new MutationObserver(() => latest.current.paint());
    themed.observe(document.documentElement, { attributeFilter: ['data-theme'] });
    // WebKit delivers no events of a frame without scripts. There, the policy blocks where a link leads, and the
    // window is told.
    document.addEventListener('securitypolicyviolation', blocked);
    return () => {
      resized.disconnect();
      themed.disconnect();
      document.removeEventListener('securitypolicyviolation', blocked);
    };
  }, []);

  const loaded = () => {
    frame.current?.contentDocument?.addEventListener('click', follow);
    paint();
    fit();
  };
  return (
    <iframe
      ref={frame}
      aria-label={title}
      data-testid="mail-page"
      sandbox="allow-same-origin"
      srcDoc={frameDocument(html, colours)}
      onLoad={loaded}
      style={{ height }}
      className={`w-full ${colours ? 'rounded-control border border-line' : ''}`}
    />
  );
}

/** The address of the link that contains a node of the frame. */
function linkAt(node: Node | null): string | null {
  // The frame has classes of its own, so `instanceof` does not hold.
  const element = node?.nodeType === Node.ELEMENT_NODE ? (node as Element) : node?.parentElement;
  return element?.closest('a[href]')?.getAttribute('href') ?? null;
}
