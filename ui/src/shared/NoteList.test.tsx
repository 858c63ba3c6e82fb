import { render, screen } from '@testing-library/react';
import { expect, test, vi } from 'vitest';

import { NoteList } from './NoteList';

test('a note is a link, and another file is its name', () => {
  const onNote = vi.fn();
  render(<NoteList notes={['Trips/Lisbon.md', 'Trips/Plan.csv', 'Map.canvas']} onNote={onNote} />);
  expect(screen.getAllByRole('button').map((button) => button.textContent)).toEqual(['Lisbon']);
  expect(screen.getByText('Plan.csv')).toHaveAttribute('data-tip', 'Trips/Plan.csv');
  expect(screen.getByText('Map.canvas')).toBeVisible();
  screen.getByRole('button', { name: 'Lisbon' }).click();
  expect(onNote).toHaveBeenCalledWith('Trips/Lisbon.md');
});
