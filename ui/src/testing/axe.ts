// axe over what is on the page. Without contrast, which needs a browser: the window test measures it.
import axe from 'axe-core';

export async function violations(): Promise<string[]> {
  const { violations: found } = await axe.run(document.documentElement, {
    runOnly: ['wcag2a', 'wcag2aa', 'wcag21a', 'wcag21aa', 'wcag22aa', 'best-practice'],
    rules: { 'color-contrast': { enabled: false }, 'html-has-lang': { enabled: false }, 'document-title': { enabled: false } },
  });
  return found.flatMap(({ id, nodes }) => nodes.map(({ html, failureSummary }) => `${id}: ${html.slice(0, 300)}\n${failureSummary ?? ''}`));
}
