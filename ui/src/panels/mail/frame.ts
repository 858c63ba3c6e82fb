// The document in which the HTML of a mail is drawn. The backend sanitised it; this adds a policy that loads
// nothing, and styles that keep hosts of links readable.

/** Narrows the window's own policy, which the frame inherits. */
const POLICY = "default-src 'none'; img-src data:; style-src 'unsafe-inline'";

/** Whatever a mail sets around it, the host of a link looks the same. */
const HOST =
  'all:initial!important;unicode-bidi:isolate!important;font:12px/18px system-ui,sans-serif!important;color:var(--text-3)!important;background:var(--surface)!important';

const STYLE = [
  'html{background:var(--surface);color:var(--text);overflow:auto hidden}',
  'body{margin:0;padding:4px 0;font:14px/22px system-ui,sans-serif;overflow-wrap:break-word}',
  'html.paper body{padding:12px 14px}',
  'p{margin:0 0 10px}',
  'a{color:var(--accent)}',
  'img{max-width:100%!important}',
  'img:not([height]){height:auto}',
  'pre{white-space:pre-wrap}',
  'blockquote{margin:0 0 0 2px;padding-left:10px;border-left:2px solid var(--line-strong)}',
  `.host{${HOST}}`,
].join('');

/** Colours of the window that a mail without its own is drawn in. */
export const COLOURS = ['--surface', '--text', '--text-3', '--accent', '--line-strong'] as const;

/** White paper, for mails that set colours: they expect it. */
export const PAPER: Readonly<Record<(typeof COLOURS)[number], string>> = {
  '--surface': '#ffffff',
  '--text': '#1f1e1b',
  '--text-3': '#66645d',
  '--accent': '#2456c7',
  '--line-strong': '#d2d1cb',
};

export function frameDocument(html: string, paper: boolean): string {
  return `<!doctype html><html${paper ? ' class="paper"' : ''}><head><meta charset="utf-8"><meta http-equiv="Content-Security-Policy" content="${POLICY}"><style>${STYLE}</style></head><body>${html}</body></html>`;
}

/** Whether a blocked navigation, of which only the origin may be reported, was to this link. */
export function isBlocked(link: string, blocked: string): boolean {
  try {
    return new URL(link).origin === new URL(blocked).origin;
  } catch {
    return false;
  }
}
