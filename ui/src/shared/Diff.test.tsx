import { render, screen } from '@testing-library/react';
import userEvent from '@testing-library/user-event';
import { expect, test } from 'vitest';

import type { DiffLineKind, DiffLineView, NoteDiffView } from '../ipc';
import { Diff } from './Diff';

const diff = (more: Partial<NoteDiffView>): NoteDiffView => ({
  path: 'CRM/Deals/Rollout.md',
  kind: 'modified',
  properties: [],
  hunks: [],
  tail_skipped: 0,
  summary: '',
  ...more,
});

const line = (kind: DiffLineKind, old: number | null, now: number | null, ...words: string[]): DiffLineView => ({
  kind,
  old,
  new: now,
  // Words in asterisks are marked as changed.
  words: words.map((text) => ({ text: text.replaceAll('*', ''), changed: text.startsWith('*') })),
});

/** One string per row. */
function rows(): string[] {
  const [body] = screen.getByTestId('diff').getElementsByClassName('font-mono');
  return [...(body?.children ?? [])].map((row) => [...row.children].map((cell) => cell.textContent).filter(Boolean).join(' '));
}

test('a property is one line: number, key, before and after', () => {
  render(<Diff diff={diff({ properties: [{ key: 'stage', line: 5, before: 'lead', after: 'won' }] })} />);
  expect(rows()).toEqual(['5 stage: lead→won']);
  expect(screen.getByText('lead').tagName).toBe('DEL');
  expect(screen.getByText('won').tagName).toBe('INS');
});

test('an added or removed property is an added or removed line', () => {
  render(
    <Diff
      diff={diff({
        properties: [
          { key: 'next_contact', line: 8, before: null, after: '2026-11-26' },
          { key: 'email', line: 4, before: 'a@b', after: null },
          { key: 'phone', line: 6, before: '', after: '12' },
        ],
      })}
    />,
  );
  expect(rows()).toEqual(['8 + next_contact: 2026-11-26', '4 − email: a@b', '6 phone: empty→12']);
});

test('the body shows changed lines with numbers, and counts of the others', () => {
  render(
    <Diff
      diff={diff({
        hunks: [
          { skipped: 13, lines: [line('context', 21, 22, '## Log'), line('removed', 22, null, '- ', '*old*', ' end'), line('added', null, 23, '- ', '*new*', ' end')] },
          { skipped: 1, lines: [line('added', null, 30, '*all new*')] },
        ],
        tail_skipped: 4,
      })}
    />,
  );
  expect(rows()).toEqual(['⋯ 13 lines unchanged', '22 ## Log', '22 − - old end', '23 + - new end', '⋯ 1 line unchanged', '30 + all new', '⋯ 4 lines unchanged']);
  expect(screen.getByText('old')).toHaveClass('bg-danger-strong');
  expect(screen.getByText('new')).toHaveClass('bg-ok-strong');
  expect(screen.getByText('all new')).not.toHaveClass('bg-ok-strong');
});

test('over 40 lines it is collapsed, with a count of hidden lines', async () => {
  const lines = Array.from({ length: 41 }, (_, index) => line(index < 40 ? 'added' : 'removed', index + 1, index + 1, `line ${index + 1}`));
  render(<Diff diff={diff({ hunks: [{ skipped: 0, lines }] })} />);
  expect(rows()).toHaveLength(12);
  await userEvent.click(screen.getByRole('button', { name: 'Show 29 more lines (+28 −1)' }));
  expect(rows()).toHaveLength(41);
});

test('40 lines are not collapsed', () => {
  const lines = Array.from({ length: 40 }, (_, index) => line('added', null, index + 1, `line ${index + 1}`));
  render(<Diff diff={diff({ kind: 'created', hunks: [{ skipped: 0, lines }] })} />);
  expect(rows()).toHaveLength(40);
});

test('invisible characters are shown', () => {
  render(<Diff diff={diff({ properties: [{ key: 'email', line: 3, before: 'a', after: 'a\u200b' }] })} />);
  expect(screen.getByTestId('diff')).toHaveTextContent('aU+200B');
});
