import { expect, test, vi } from 'vitest';

import { bringIntoView, found, unfold } from './found';

function places(html: string, words: string): string[] {
  const root = document.createElement('div');
  root.innerHTML = html;
  return found(root, words).map((range) => range.toString());
}

test.each([
  ['<p>Jane and JANE</p>', 'jane', ['Jane', 'JANE']],
  ['<p>The <b>open</b> pipeline</p>', 'open pipeline', ['open pipeline']],
  ['<p>one</p><p>two</p>', 'onetwo', []],
  ['<p>one</p><textarea>one</textarea><p hidden>one</p>', 'one', ['one']],
  ['<p>a<span class="sr-only"> (no source)</span></p>', 'source', []],
  ['<p>aaaa</p>', 'aa', ['aa', 'aa']],
  ['<p>x</p>', '  ', []],
  ['<p>a &lt;b&gt; c</p>', '<b>', ['<b>']],
])('%s: %s', (html, words, expected) => expect(places(html, words)).toEqual(expected));

test('only the elements that hide the match are expanded', () => {
  const root = document.createElement('div');
  root.innerHTML = '<details id="a"><summary>s</summary><details id="b"><pre>one</pre></details></details><details id="c"><pre>two</pre></details>';
  const [place] = found(root, 'one');
  expect(unfold(place!).map(({ id }) => id)).toEqual(['b', 'a']);
  expect([...root.querySelectorAll('details')].map(({ id, open }) => `${id} ${open}`)).toEqual(['a true', 'b true', 'c false']);
  expect(unfold(place!)).toEqual([]);
});

test('a line of a long text is scrolled to the middle', () => {
  const root = document.createElement('div');
  root.innerHTML = '<pre style="overflow-y: auto">many lines, one</pre>';
  document.body.append(root);
  const pre = root.firstElementChild as HTMLElement;
  Object.defineProperties(pre, { scrollHeight: { value: 2000 }, clientHeight: { value: 100 } });
  vi.spyOn(pre, 'getBoundingClientRect').mockReturnValue(new DOMRect(0, 40, 300, 100));
  const [place] = found(root, 'one');
  vi.spyOn(place!, 'getBoundingClientRect').mockReturnValue(new DOMRect(0, 1000, 20, 20));
  bringIntoView(place!);
  expect(pre.scrollTop).toBe(1010 - 90);
  root.remove();
});
