import { act, fireEvent, render, screen } from '@testing-library/react';
import { afterEach, beforeEach, expect, test, vi } from 'vitest';

import type { ConflictSide, UserError } from '../ipc';
import { ConflictCard } from './ConflictCard';

beforeEach(() => vi.useFakeTimers());
afterEach(() => vi.useRealTimers());

const note = 'CRM/Deals/Rollout.md';

function show(onChoose: (keep: ConflictSide) => Promise<{ again: boolean }>, of = note) {
  const card = (theirs: string, decided: { keep: ConflictSide; at: string } | null = null) => (
    <ConflictCard
      note={of}
      what={[]}
      mine={'---\nstage: won\n---\n'}
      theirs={theirs}
      mineLabel="Nova, this turn"
      theirsLabel="In Obsidian, 14:33"
      useMine="Use Nova’s"
      decided={decided}
      onChoose={onChoose}
      onOpen={() => {}}
    />
  );
  const { rerender } = render(card('---\nstage: proposal\n---\n'));
  return {
    edit: (theirs: string) => rerender(card(theirs)),
    decide: (keep: ConflictSide) => rerender(card('', { keep, at: '2026-11-20T14:34:00Z' })),
  };
}

const click = (name: string) => act(async () => void fireEvent.click(screen.getByRole('button', { name })));
const use = () => screen.getByRole('button', { name: 'Use Nova’s' });

test('shows what both changed, and both sides of it', () => {
  show(async () => ({ again: false }));
  expect(screen.getByRole('region', { name: 'Both of you changed stage' })).toHaveTextContent('Rollout, line 2');
  expect(screen.getByRole('group', { name: 'In Obsidian, 14:33' })).toHaveTextContent('stage: proposal');
  expect(screen.getByRole('group', { name: 'Nova, this turn' })).toHaveTextContent('stage: won');
});

test.each([
  ['Keep Obsidian’s', 'theirs', /^Rollout stays as it is, nothing was written, by you/],
  ['Use Nova’s', 'mine', /^Nova’s side is written to Rollout, by you/],
] as const)('%s keeps %s, and the card shows the decision in place', async (button, keep, said) => {
  const choose = vi.fn(async () => ({ again: false }));
  const { decide } = show(choose);
  screen.getByRole('button', { name: button }).focus();
  await click(button);
  expect(choose).toHaveBeenCalledExactlyOnceWith(keep);
  decide(keep);
  expect(screen.getByRole('status')).toHaveTextContent(said);
  expect(screen.queryByRole('button')).toBeNull();
  // A keyboard user keeps the position in the window.
  expect(document.activeElement).toContainElement(screen.getByRole('status'));
});

test('a file outside of the vault is not labelled as Obsidian’s', () => {
  show(async () => ({ again: false }), '/home/user/code/main.rs');
  expect(screen.getAllByRole('button').map((button) => button.textContent)).toEqual(['Keep the file’s', 'Use Nova’s']);
});

test('a note edited again is shown again before a new choice', async () => {
  const choose = vi.fn(async () => ({ again: true }));
  const { edit } = show(choose);
  await click('Use Nova’s');
  edit('---\nstage: lost\n---\n');
  expect(screen.getByRole('alert')).toHaveTextContent('Edited again, so nothing was written. Check it again.');
  expect(screen.getByRole('group', { name: 'In Obsidian, 14:33' })).toHaveTextContent('stage: lost');
  expect(use()).toBeDisabled();
  await act(() => vi.advanceTimersByTimeAsync(400));
  expect(use()).toBeEnabled();
});

test('one choice at a time; a failed one says why and can be retried', async () => {
  let fail: (error: UserError) => void = () => {};
  const choose = vi.fn(() => new Promise<{ again: boolean }>((_, reject) => (fail = reject)));
  show(choose);
  await click('Use Nova’s');
  expect(use()).toBeDisabled();
  expect(screen.getByRole('button', { name: 'Keep Obsidian’s' })).toBeDisabled();
  await act(async () => fail({ code: 'io', message: 'The disk is full.', hint: 'Make room.' }));
  expect(screen.getByRole('alert')).toHaveTextContent('The disk is full. Make room.');
  expect(use()).toBeEnabled();
});
