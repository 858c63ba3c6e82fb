import { render, screen, within } from '@testing-library/react';
import userEvent from '@testing-library/user-event';
import { expect, test } from 'vitest';

import type { JsonValue } from '../ipc';
import { renderInApp } from '../testing/render';
import { shapeOf, ValueView } from './Value';

test.each<[JsonValue, string]>([
  [[{ a: 1 }, { b: 2 }], 'table'],
  [{ a: 1 }, 'pairs'],
  [[], 'json'],
  [[1, 2], 'json'],
  [[{ a: 1 }, 2], 'json'],
  [{}, 'json'],
  [null, 'json'],
  ['text', 'json'],
])('%j is shown as %s', (value, shape) => {
  expect(shapeOf(value)).toBe(shape);
});

const deals: JsonValue = [
  { title: 'Harborline', close_date: '2026-12-01', value: '86300', tags: ['a', 'b'], won: true },
  { title: 'Arden', close_date: null, value: '9000', tags: [], won: false },
];

const column = (at: number) => screen.getAllByRole('row').slice(1).map((row) => within(row).getAllByRole('cell')[at]?.textContent);

test('a list of objects has a column per key and marks missing values', () => {
  render(<ValueView value={deals} label="Deals" />);
  expect(screen.getAllByRole('columnheader').map((head) => head.textContent)).toEqual(['Title', 'Close date', 'Value', 'Tags', 'Won']);
  expect(column(1)).toEqual(['2026-12-01', 'none']);
  expect(column(3)).toEqual(['a, b', '']);
  expect(column(4)).toEqual(['yes', 'no']);
});

test('figures sort by size, text alphabetically', async () => {
  render(<ValueView value={deals} label="Deals" />);
  await userEvent.click(screen.getByRole('button', { name: 'Value' }));
  expect(column(2)).toEqual(['9000', '86300']);
  await userEvent.click(screen.getByRole('button', { name: 'Value' }));
  expect(column(2)).toEqual(['86300', '9000']);
  expect(screen.getByRole('columnheader', { name: 'Value' })).toHaveAttribute('aria-sort', 'descending');
});

test('50 rows, then more on demand', async () => {
  const rows = Array.from({ length: 70 }, (_, at) => ({ at }));
  render(<ValueView value={rows} label="Many" />);
  expect(column(0)).toHaveLength(50);
  await userEvent.click(screen.getByRole('button', { name: 'Show 20 more' }));
  expect(column(0)).toHaveLength(70);
});

test('an object is a list of names and values, with its lists as tables', () => {
  render(<ValueView value={{ open_total: '137900', deals }} label="Pipeline" />);
  expect(screen.getByText('Open total').nextSibling).toHaveTextContent('137900');
  expect(screen.getByRole('table', { name: 'Deals' })).toBeInTheDocument();
});

test('signed percentages are figures and sort by size', async () => {
  const grown: JsonValue = [{ growth: '+9.5 %' }, { growth: '+14.2 %' }, { growth: '−3 %' }];
  render(<ValueView value={grown} label="Growth" />);
  await userEvent.click(screen.getByRole('button', { name: 'Growth' }));
  expect(column(0)).toEqual(['−3 %', '+9.5 %', '+14.2 %']);
  expect(screen.getByRole('columnheader', { name: 'Growth' })).toHaveClass('text-right');
});

test('a path or a wikilink in a result previews its note', async () => {
  const { backend } = renderInApp(<ValueView value={[{ deal: '[[Harborline]]', path: 'CRM/Deals/Arden.md' }]} label="Deals" />);
  await userEvent.click(screen.getByRole('button', { name: 'Arden' }));
  expect(await screen.findByTestId('note-popover')).toBeVisible();
  expect(backend.asked('read_note')).toEqual([{ path: 'CRM/Deals/Arden.md' }]);
  expect(screen.getByText('Harborline')).toHaveProperty('tagName', 'BUTTON');
});

test('notes in a list or a sentence preview their note', async () => {
  const value: JsonValue = [{ people: ['[[Jane Doe]]', '[[Tomasz Wirek|Tomasz]]'], files: ['CRM/Deals/Arden.md'], said: 'Ask [[Ilse Brandvik]] first.' }];
  const { backend } = renderInApp(<ValueView value={value} label="Deals" />);
  const cells = screen.getAllByRole('cell').map(({ textContent }) => textContent);
  expect(cells).toEqual(['Jane Doe, Tomasz', 'Arden', 'Ask Ilse Brandvik first.']);
  for (const name of ['Tomasz', 'Arden', 'Ilse Brandvik']) {
    await userEvent.click(screen.getByRole('button', { name }));
    expect(await screen.findByTestId('note-popover')).toBeVisible();
    await userEvent.keyboard('{Escape}');
    expect(screen.getByRole('button', { name })).toHaveFocus();
  }
  expect(backend.asked('read_note').map(({ path }) => path)).toEqual(['Tomasz Wirek', 'CRM/Deals/Arden.md', 'Ilse Brandvik']);
});

test('text with numbers is sorted naturally', async () => {
  render(<ValueView value={[{ name: 'Note 10' }, { name: 'Note 2' }]} label="Notes" />);
  await userEvent.click(screen.getByRole('button', { name: 'Name' }));
  expect(column(0)).toEqual(['Note 2', 'Note 10']);
});
