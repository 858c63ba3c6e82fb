import { expect, test } from 'vitest';

import { found } from './found';

function places(html: string, words: string): string[] {
  const root = document.createElement('div');
  root.innerHTML = html;
  return found(root, words).map((range) => range.toString());
}

test.each([
  ['<p>Jane and JANE</p>', 'jane', ['Jane', 'JANE']],
  ['<p>The <b>open</b> pipeline</p>', 'open pipeline', ['open pipeline']],
  ['<p>one</p><p>two</p>', 'onetwo', []],
  ['<p>a<span class="sr-only"> (no source)</span></p>', 'source', []],
  ['<p>aaaa</p>', 'aa', ['aa', 'aa']],
  ['<p>x</p>', '  ', []],
  ['<p>a &lt;b&gt; c</p>', '<b>', ['<b>']],
])('%s: %s', (html, words, expected) => expect(places(html, words)).toEqual(expected));
