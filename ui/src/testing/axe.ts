// Runs axe on the page. Without contrast, which needs a browser: the window tests measure it.
import axe, { type AxeResults, type Result } from 'axe-core';

// Axe renders letters to distinguish icon fonts from text. The window has no icon fonts and jsdom renders
// nothing: with zero letters, button names are compared with their text.
axe.configure({ checks: [{ id: 'label-content-name-mismatch', options: { occurrenceThreshold: 0 } }] });
HTMLCanvasElement.prototype.getContext = (() => ({ canvas: null })) as never;
// Used to find overlapping elements. Without a layout there are none.
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

/** Rules without a verdict, for lack of something they need. */
function broken({ incomplete }: AxeResults): Result[] {
  return incomplete.filter(({ nodes }) => nodes.some(({ none }) => none.some(({ id }) => id === 'error-occurred')));
}
