import { render, screen } from '@testing-library/react';
import userEvent from '@testing-library/user-event';
import { expect, test, vi } from 'vitest';

import { figure } from '../testing/panels';
import { renderInApp } from '../testing/render';
import { figuresOf } from './figures';
import { Html } from './Html';

const numbers = {
  figures: figuresOf(
    'crm.pipeline',
    [figure('/open', 'Open pipeline', '137900', 'EUR', { formula: 'Σ value' })],
    [
      { kind: 'note', path: 'CRM/Deals/A.md' },
      { kind: 'note', path: 'CRM/Deals/B.md' },
    ],
  ),
  said: new Set<string>(),
};

test('a figure in a message opens its derivation and its notes', async () => {
  const onNote = vi.fn();
  renderInApp(<Html html="<p>The pipeline is <b>€137,900</b>.</p>" numbers={numbers} onNote={onNote} onLink={() => {}} />);
  await userEvent.click(screen.getByRole('button', { name: '€137,900, 2 notes' }));
  const behind = await screen.findByRole('dialog', { name: 'Sources of Open pipeline' });
  expect(behind).toHaveTextContent('Σ value, computed');
  expect(behind).toHaveTextContent('crm.pipeline');
  await userEvent.click(screen.getByRole('button', { name: 'Open the 2 notes' }));
  await userEvent.click(screen.getByRole('button', { name: 'B' }));
  expect(onNote).toHaveBeenCalledWith('CRM/Deals/B.md', expect.any(HTMLElement));
});

test('an amount without a tool is marked as without source; code and links are not', () => {
  const { container } = renderInApp(
    <Html html="<p>About €5 or <code>€6</code> or <a href='https://x.example'>€7</a></p>" numbers={numbers} onNote={() => {}} onLink={() => {}} />,
  );
  const marks = [...container.querySelectorAll('.nova-no-source')];
  expect(marks.map((mark) => mark.textContent)).toEqual(['€5 (no source)']);
  expect(marks[0]).toHaveAttribute('data-tip', 'no source');
});

test('a figure is marked once its source is known', () => {
  const html = '<p>It is €137,900.</p>';
  const view = (known?: typeof numbers) => <Html html={html} numbers={known} onNote={() => {}} onLink={() => {}} />;
  const { container, rerender } = render(view());
  expect(container.querySelector('.nova-figure')).toBeNull();
  rerender(view(numbers));
  expect(container.querySelectorAll('.nova-figure')).toHaveLength(1);
});

test('text that looks like markup stays text', () => {
  const { container } = renderInApp(
    <Html html={'<p>€137,900 &lt;img src=x onerror=alert(1)&gt;</p>'} numbers={numbers} onNote={() => {}} onLink={() => {}} />,
  );
  expect(container.querySelector('img')).toBeNull();
  expect(container).toHaveTextContent('<img src=x onerror=alert(1)>');
});
