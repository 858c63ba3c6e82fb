import { render, screen } from '@testing-library/react';
import userEvent from '@testing-library/user-event';
import { useState } from 'react';
import { expect, test } from 'vitest';

import { Sheet } from './Sheet';

function Opened() {
  const [open, setOpen] = useState(false);
  return (
    <>
      <button type="button">Other</button>
      <button type="button" onClick={() => setOpen(true)}>
        Open
      </button>
      {open && (
        <Sheet side="right" width={400} label="Sheet" onClose={() => setOpen(false)}>
          <input aria-label="First" />
        </Sheet>
      )}
    </>
  );
}

test('Esc closes a sheet and returns the focus to the opener', async () => {
  render(<Opened />);
  const user = userEvent.setup();
  await user.click(screen.getByRole('button', { name: 'Open' }));
  expect(screen.getByRole('textbox', { name: 'First' })).toHaveFocus();
  await user.keyboard('{Escape}');
  expect(screen.queryByRole('dialog')).toBeNull();
  expect(screen.getByRole('button', { name: 'Open' })).toHaveFocus();
});
