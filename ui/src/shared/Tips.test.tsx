import { act, fireEvent, render, screen } from '@testing-library/react';
import userEvent from '@testing-library/user-event';
import { afterEach, expect, test, vi } from 'vitest';

import { IconButton } from './Button';
import { Sheet } from './Sheet';
import { Tips } from './Tips';

afterEach(() => vi.useRealTimers());

test('a hovered element shows its tip after a delay, until it is left', () => {
  vi.useFakeTimers();
  render(
    <>
      <p data-tip="CRM/Jane Doe.md">Jane</p>
      <p>Other</p>
      <Tips />
    </>,
  );
  fireEvent.pointerOver(screen.getByText('Jane'));
  act(() => void vi.advanceTimersByTime(400));
  expect(screen.queryByRole('tooltip')).toBeNull();
  act(() => void vi.advanceTimersByTime(100));
  expect(screen.getByRole('tooltip')).toHaveTextContent('CRM/Jane Doe.md');
  expect(screen.getByText('Jane')).toHaveAccessibleDescription('CRM/Jane Doe.md');
  fireEvent.pointerOver(screen.getByText('Other'));
  expect(screen.queryByRole('tooltip')).toBeNull();
});

test('one Esc closes the sheet below a tooltip', async () => {
  const close = vi.fn();
  render(
    <>
      <Sheet side="right" width={400} label="Sheet" onClose={close}>
        <input aria-label="First" />
        <button type="button" data-tip="Closes it">
          x
        </button>
      </Sheet>
      <Tips />
    </>,
  );
  const user = userEvent.setup();
  await user.tab();
  expect(await screen.findByRole('tooltip')).toHaveTextContent('Closes it');
  await user.keyboard('{Escape}');
  expect(close).toHaveBeenCalledOnce();
  expect(screen.queryByRole('tooltip')).toBeNull();
});

test('an element that moves under the pointer takes no tip from the focused one', async () => {
  render(
    <>
      <IconButton icon="x" label="Close" />
      <p>Slides in</p>
      <Tips />
    </>,
  );
  await userEvent.tab();
  expect(await screen.findByRole('tooltip')).toHaveTextContent('Close');
  fireEvent.pointerOver(screen.getByText('Slides in'));
  expect(screen.getByRole('tooltip')).toHaveTextContent('Close');
  fireEvent.pointerDown(screen.getByText('Slides in'));
  expect(screen.queryByRole('tooltip')).toBeNull();
});

test('keys are shown beside the name, which is not its own description', async () => {
  render(
    <>
      <IconButton icon="x" label="Close" keys="Ctrl W" />
      <Tips />
    </>,
  );
  await userEvent.tab();
  expect(await screen.findByRole('tooltip')).toHaveTextContent('CloseCtrl W');
  expect(screen.getByRole('button')).not.toHaveAttribute('aria-describedby');
});

test('no element of the window has a native tooltip', () => {
  const sources = import.meta.glob<string>('../**/*.tsx', { query: '?raw', import: 'default', eager: true });
  const native = Object.entries(sources)
    .filter(([file]) => !file.includes('.test.'))
    .flatMap(([file, text]) => [...text.matchAll(/<[a-z]\w*\b[^<>]*?\stitle=/g)].map(([found]) => `${file}: ${found}`));
  expect(native).toEqual([]);
});
