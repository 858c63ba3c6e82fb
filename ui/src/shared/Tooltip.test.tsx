import { render, screen } from '@testing-library/react';
import userEvent from '@testing-library/user-event';
import { expect, it, vi } from 'vitest';

import { Sheet } from './Sheet';
import { Tooltip, TooltipProvider } from './Tooltip';

it('one Esc closes the sheet below a tooltip', async () => {
  const close = vi.fn();
  render(
    <TooltipProvider>
      <Sheet side="right" width={400} label="Sheet" onClose={close}>
        <input aria-label="First" />
        <Tooltip label="Closes it">
          <button type="button">x</button>
        </Tooltip>
      </Sheet>
    </TooltipProvider>,
  );
  const user = userEvent.setup();
  await user.tab();
  expect(await screen.findByRole('tooltip')).toHaveTextContent('Closes it');
  await user.keyboard('{Escape}');
  expect(close).toHaveBeenCalledOnce();
});
