// Links of an answer to pages that were read become numbers that name their page.

/** A page that text may cite. */
export interface CitedPage {
  readonly number: number;
  /** "Price list 2026, quillon.example, dated 2 Nov". */
  readonly label: string;
}

/** Once or more for each time the HTML is set. `pages`: by address without the place in the page. */
export function markCitations(root: HTMLElement, pages: ReadonlyMap<string, CitedPage>): void {
  for (const link of root.querySelectorAll<HTMLAnchorElement>('a[href]:not(.nova-cite, [data-note], [data-image])')) {
    const page = pages.get(link.href.replace(/#.*$/, ''));
    if (page === undefined || link.nextElementSibling?.classList.contains('nova-cite')) continue;
    // A model writes a number of its own, which says nothing beside the one of the page.
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
