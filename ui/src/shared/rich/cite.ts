// Turns an answer's links to source pages into numbers that show the page.

/** A citable page. */
export interface CitedPage {
  readonly number: number;
  /** "Price list 2026, quillon.example, dated 2 Nov". */
  readonly label: string;
}

/** May run repeatedly on the same HTML. `pages`: by address without its fragment. */
export function markCitations(root: HTMLElement, pages: ReadonlyMap<string, CitedPage>): void {
  for (const link of root.querySelectorAll<HTMLAnchorElement>('a[href]:not(.nova-cite, [data-note], [data-image])')) {
    const page = pages.get(link.href.replace(/#.*$/, ''));
    if (page === undefined || link.nextElementSibling?.classList.contains('nova-cite')) continue;
    // A number written by the model itself conflicts with the page's number.
    if (/^[[(]?\d+[\])]?$/.test((link.textContent ?? '').trim())) asNumber(link, page);
    else link.after(asNumber(document.createElement('a'), page, link.href));
  }
}

function asNumber(link: HTMLAnchorElement, { number, label }: CitedPage, address?: string): HTMLAnchorElement {
  if (address !== undefined) link.href = address;
  link.className = 'nova-cite';
  link.textContent = String(number);
  link.setAttribute('aria-label', `Source ${number}: ${label}`);
  link.dataset['tip'] = label;
  return link;
}
