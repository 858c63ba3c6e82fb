// axe over what is on the page. Without contrast, which needs a browser: the window test measures it.
import axe, { type AxeResults, type Result } from 'axe-core';

// Axe draws letters, to tell icons that are made of a font from words. The window has no such font, and nothing is
// drawn here: with no letter looked at, the names of buttons are held against their words.
axe.configure({ checks: [{ id: 'label-content-name-mismatch', options: { occurrenceThreshold: 0 } }] });
HTMLCanvasElement.prototype.getContext = (() => ({ canvas: null })) as never;
// It looks for what lies over the rest of the page. Without a layout nothing does.
document.elementFromPoint ??= () => null;

export async function violations(): Promise<string[]> {
  const results = await axe.run(document.documentElement, {
    runOnly: ['wcag2a', 'wcag2aa', 'wcag21a', 'wcag21aa', 'wcag22aa', 'best-practice'],
    rules: { 'color-contrast': { enabled: false }, 'html-has-lang': { enabled: false }, 'document-title': { enabled: false } },
  });
  return [...results.violations, ...broken(results)].flatMap(({ id, nodes }) =>
    nodes.map(({ html, failureSummary }) => `${id}: ${html.slice(0, 300)}\n${failureSummary ?? ''}`),
  );
}

/** Rules that have judged nothing, as something is missing that they need. */
function broken({ incomplete }: AxeResults): Result[] {
  return incomplete.filter(({ nodes }) => nodes.some(({ none }) => none.some(({ id }) => id === 'error-occurred')));
}
