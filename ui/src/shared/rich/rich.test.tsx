import { render, screen, waitFor } from '@testing-library/react';
import userEvent from '@testing-library/user-event';
import { expect, test, vi } from 'vitest';

import { Html } from '../Html';

const show = (html: string, more = {}) => render(<Html html={html} onNote={() => {}} onLink={() => {}} {...more} />).container;

test('code is highlighted, shows its language and is copied as written', async () => {
  const user = userEvent.setup();
  const root = show('<pre><code class="language-rust">fn x() {\n  "&lt;img src=x onerror=alert(1)&gt;"\n}\n</code></pre>');
  await waitFor(() => expect(root.querySelector('.hljs-keyword')?.textContent).toBe('fn'));
  expect(root.querySelector('img')).toBeNull();
  expect(screen.getByRole('group', { name: 'Code, rust' })).toBeVisible();
  await user.click(screen.getByRole('button', { name: 'Copy code' }));
  expect(await navigator.clipboard.readText()).toBe('fn x() {\n  "<img src=x onerror=alert(1)>"\n}');
});

test('code in an unknown language is unchanged', async () => {
  const root = show('<pre><code class="language-rust">fn</code></pre><pre><code class="language-xyz">a &lt;b&gt;</code></pre>');
  await waitFor(() => expect(root.querySelector('[data-coloured]')).not.toBeNull());
  expect(root.querySelector('.language-xyz')?.innerHTML).toBe('a &lt;b&gt;');
});

test('a formula is rendered, and neither links nor loads', async () => {
  const root = show(
    '<p><span class="math math-inline">a^2</span> <span class="math math-inline">\\href{javascript:alert(1)}{x} \\includegraphics{https://evil.example/x.png} \\htmlStyle{position:fixed}{y}</span></p>',
  );
  await waitFor(() => expect(root.querySelectorAll('[data-set]')).toHaveLength(2));
  expect(root.querySelector('[data-set] .katex-mathml annotation')?.textContent).toBe('a^2');
  expect(root.querySelector('a, img')).toBeNull();
  expect(root.querySelector('[style*="fixed"]')).toBeNull();
});

test('an invalid formula shows its source; an endless one terminates', async () => {
  const root = show('<p><span class="math math-inline">\\frac{1</span> <span class="math math-display">\\def\\a{\\a\\a}\\a</span></p>');
  await waitFor(() => expect(root.querySelectorAll('[data-set]')).toHaveLength(2));
  expect(root).toHaveTextContent('\\frac{1');
});

test('a footnote is found in a later block; a remote image is only a link', async () => {
  const onLink = vi.fn();
  const other = { onNote: () => {}, onLink };
  const { container } = render(
    <div>
      <Html html='<p>x<sup><a data-footnote-ref="1">1</a></sup> <a href="https://example.org/c.png" data-image="">chart</a></p>' {...other} />
      <Html html='<div data-footnote="1"><sup>1</sup><p>Why</p></div>' {...other} />
    </div>,
  );
  await userEvent.click(screen.getByRole('link', { name: 'Footnote 1' }));
  expect(container.querySelector('[data-footnote]')).toHaveFocus();
  await userEvent.click(screen.getByText('chart'));
  expect(onLink).toHaveBeenCalledWith('https://example.org/c.png');
});
