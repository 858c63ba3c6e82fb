import { act, fireEvent, render, screen, waitFor } from '@testing-library/react';
import { expect, test } from 'vitest';

import { ValueView } from '../shared';
import { Html } from '../shared/Html';
import { draftOf } from '../state/app';
import { renderInApp } from '../testing/render';
import { quotation } from './quotation';
import { useQuote } from './Quote';

/** Removes `¦` from the page's text and returns its position. */
function take(root: HTMLElement): { node: Text; at: number } | null {
  const walker = document.createTreeWalker(root, NodeFilter.SHOW_TEXT);
  for (let node = walker.nextNode(); node !== null; node = walker.nextNode()) {
    const text = node as Text;
    const at = text.data.indexOf('¦');
    if (at < 0) continue;
    text.deleteData(at, 1);
    return { node: text, at };
  }
  return null;
}

/** The quotation of a message: between two `¦`, else all of it. */
function quoted(root: HTMLElement): string {
  const range = document.createRange();
  const [start, end] = [take(root), take(root)];
  if (start && end) {
    range.setStart(start.node, start.at);
    range.setEnd(end.node, end.at);
  } else range.selectNodeContents(root);
  return quotation(range);
}

/** An answer as rendered in the conversation. */
function answer(...blocks: string[]): HTMLElement {
  return render(
    <div>
      {blocks.map((html) => (
        <Html key={html} html={html} onNote={() => {}} onLink={() => {}} />
      ))}
    </div>,
  ).container;
}

const table =
  '<table><thead><tr><th>Month</th><th>Sum</th></tr></thead><tbody>\n<tr><td>May</td><td style="text-align: right">3</td></tr>\n<tr><td></td><td><a data-note="x">7</a></td></tr></tbody></table>';

test.each<[what: string, blocks: string[], quoted: string]>([
  ['paragraphs', ['<p>One\n<em>two</em>.</p>', '<p>Three</p>'], '> One two.\n>\n> Three'],
  ['a part of two paragraphs', ['<p>One t¦wo.</p>', '<p>Th¦ree</p>'], '> wo.\n>\n> Th'],
  ['inline code and links', ['<p>Call <code>x()</code>, see <a href="https://a.example">this</a></p>'], '> Call x(), see this'],
  ['a line that is broken', ['<p>a<br>b</p>'], '> a\n> b'],
  ['a title', ['<h2>Plan</h2>', '<p>a</p>'], '> Plan\n>\n> a'],
  ['code', ['<pre><code class="language-rust">let x = 1;\n\n  let y = 2;\n</code></pre>'], '> ```rust\n> let x = 1;\n>\n>   let y = 2;\n> ```'],
  ['code between words', ['<p>a</p>', '<pre><code>x\n</code></pre>', '<p>b</p>'], '> a\n>\n> ```\n> x\n> ```\n>\n> b'],
  ['a part of code', ['<pre><code class="language-c">a¦b\ncd¦e\n</code></pre>'], '> ```c\n> b\n> cd\n> ```'],
  ['code with a fence in it', ['<pre><code>```\nx\n```\n</code></pre>'], '> ````\n> ```\n> x\n> ```\n> ````'],
  ['a table', [table], '> Month | Sum\n> May | 3\n> | 7'],
  ['a part of a table', [table.replace('Sum', 'S¦um').replace('May', 'Ma¦y')], '> um\n> Ma'],
  ['a list', ['<ul>\n<li>a</li>\n<li>b\n<ul>\n<li>c</li>\n</ul>\n</li>\n</ul>', '<p>d</p>'], '> - a\n> - b\n>   - c\n>\n> d'],
  ['a list with numbers', ['<ol start="3">\n<li>\n<p>a</p>\n</li>\n<li>\n<p>b</p>\n<p>c</p>\n</li>\n</ol>'], '> 3. a\n> 4. b\n>    c'],
  ['a part of an item', ['<ul><li>one t¦wo th¦ree</li></ul>'], '> wo th'],
  ['tasks', ['<ul><li><input type="checkbox" disabled checked> a</li><li><input type="checkbox" disabled> b</li></ul>'], '> - [x] a\n> - [ ] b'],
  ['code in a list', ['<ul><li>a<pre><code>x\ny</code></pre></li></ul>'], '> - a\n>   ```\n>   x\n>   y\n>   ```'],
  ['a quotation', ['<p>a</p>', '<blockquote>\n<p>b</p>\n<p>c</p>\n</blockquote>'], '> a\n>\n> > b\n> >\n> > c'],
  ['a footnote', ['<p>x<sup><a data-footnote-ref="1">1</a></sup></p>', '<div data-footnote="1"><sup>1</sup><p>Why</p></div>'], '> x[^1]\n>\n> [^1]: Why'],
  ['a line across', ['<p>a</p>', '<hr>', '<p>b</p>'], '> a\n>\n> ---\n>\n> b'],
])('%s', (_what, blocks, expected) => expect(quoted(answer(...blocks))).toBe(expected));

const formula = (tex: string, kind = 'inline') => `<span class="math math-${kind}">${tex}</span>`;

test('a formula is quoted as its source, once, before and after rendering', async () => {
  const root = answer(`<p>It is ${formula('a^2 &lt; b')}.</p>`, `<p>${formula('\n\\sum_i x_i\n', 'display')}</p>`, `<p>${formula('a\\\\\nb', 'display')}</p>`);
  const expected = '> It is $a^2 < b$.\n>\n> $$\\sum_i x_i$$\n>\n> $$\n> a\\\\\n> b\n> $$';
  expect(quoted(root)).toBe(expected);
  await waitFor(() => expect(root.querySelectorAll('.katex')).toHaveLength(3));
  expect(quoted(root)).toBe(expected);
  // One letter of the rendered formula.
  const range = document.createRange();
  range.selectNodeContents(root.querySelector('.katex-html .mord')!.firstChild!);
  expect(quotation(range)).toBe('> $a^2 < b$');
});

test('highlighted code is quoted as written, without the bar above it', async () => {
  const root = answer('<pre><code class="language-rust">let x = "a";\n</code></pre>');
  await waitFor(() => expect(root.querySelector('[data-coloured]')).not.toBeNull());
  expect(root.textContent).toBe('rustCopylet x = "a";\n');
  expect(quoted(root)).toBe('> ```rust\n> let x = "a";\n> ```');
});

test('the table of a card is quoted as rows', () => {
  const { container } = render(<ValueView value={[{ symbol: 'NGTL', price: '42.18' }, { symbol: 'BWOP', price: null }]} label="Rows" />);
  expect(quoted(container)).toBe('> NGTL | 42.18\n> BWOP | none');
});

test('a quotation omits chips, buttons, hidden text and collapsed files', () => {
  const { container } = render(
    <div>
      <div className="selectable">
        <p>
          €5<span className="nova-figure-word">6 notes</span>
          <span className="sr-only"> (no source)</span> left
        </p>
        <span className="select-none">chip</span>
        <button type="button">Copy</button>
        <details>
          <summary>a.csv</summary>
          <pre>a,b</pre>
        </details>
      </div>
      <p>Undo</p>
    </div>,
  );
  expect(quoted(container)).toBe('> €5 left');
  container.querySelector('details')!.open = true;
  expect(quoted(container)).toBe('> €5 left\n>\n> ```\n> a,b\n> ```');
});

test('the lines of a sent message are preserved', () => {
  const { container } = render(<div className="selectable whitespace-pre-wrap">{'one\n  two\n\nthree'}</div>);
  expect(quoted(container)).toBe('> one\n>   two\n>\n> three');
});

test('Quote appends to the draft, and does nothing without quotable text', () => {
  const QuoteNow = () => <button type="button" onClick={useQuote()}>Now</button>;
  const { store } = renderInApp(
    <>
      <div role="log" data-testid="log">
        <Html html={'<pre><code class="language-rust">let x = 1;\n</code></pre>'} onNote={() => {}} onLink={() => {}} />
      </div>
      <QuoteNow />
    </>,
  );
  act(() => store.actions.setDraft({ text: 'Is that so?' }));
  const quote = (part: Element) => {
    document.getSelection()?.selectAllChildren(part);
    fireEvent.click(screen.getByText('Now'));
    return draftOf(store.get().app).text;
  };
  expect(quote(screen.getByText('Copy'))).toBe('Is that so?');
  expect(quote(screen.getByTestId('log'))).toBe('Is that so?\n\n> ```rust\n> let x = 1;\n> ```\n\n');
});

test('nothing is quoted outside the conversation’s text', () => {
  const { container } = render(<button type="button">Copy</button>);
  expect(quoted(container.querySelector('button')!)).toBe('');
});
