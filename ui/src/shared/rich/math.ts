// Formulas in messages, rendered by KaTeX with its own fonts.

import { lazy, remembered } from './lazy';

/** Characters. */
const MOST = 5000;

export const typesetter = lazy(() =>
  Promise.all([import('katex'), import('katex/dist/katex.min.css')]).then(([library]) => library.default),
);

/** Renders the formulas below `root`. False if the library is not loaded yet. */
export function setFormulas(root: HTMLElement): boolean {
  const formulas = [...root.querySelectorAll<HTMLElement>('span.math:not([data-set])')];
  if (formulas.length === 0) return true;
  if (!typesetter.now()) return false;
  for (const element of formulas) {
    const formula = element.textContent ?? '';
    const set = formula.length > MOST ? null : typeset(formula, element.classList.contains('math-display') ? 'display' : 'inline');
    if (!set) continue;
    element.replaceChildren(set);
    element.dataset['set'] = '';
    element.dataset['tip'] = formula.trim();
  }
  return true;
}

const typeset = remembered((formula, kind) => {
  const made = document.createElement('span');
  typesetter.now()?.render(formula, made, {
    displayMode: kind === 'display',
    throwOnError: false,
    errorColor: 'var(--danger)',
    // Untrusted input: no links, no loading, bounded expansion.
    trust: false,
    strict: 'ignore',
    maxSize: 20,
    maxExpand: 300,
  });
  return made;
});
