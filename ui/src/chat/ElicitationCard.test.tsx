// Questions of a server during a call.
import { act, fireEvent, screen } from '@testing-library/react';
import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest';

import type { EventBody } from '../ipc';
import { Conversation } from './Conversation';
import { openChat, started, turnStarted } from './fixture';

const schema = {
  type: 'object',
  properties: {
    name: { type: 'string', title: 'Name on the parcel', default: 'Joe' },
    size: { type: 'string', oneOf: [{ const: 's', title: 'Small' }, { const: 'l', title: 'Large' }] },
    weight: { type: 'integer', minimum: 1 },
  },
  required: ['name', 'weight'],
};

const asks = (more: object = {}): EventBody => ({
  type: 'elicitation_requested',
  call: 'c',
  schema,
  from: 'parcel',
  message: 'Where to?\u202e',
  decisions: ['once', 'deny', 'cancel'],
  revision: 2,
  ...more,
});

beforeEach(() => vi.useFakeTimers({ shouldAdvanceTime: true }));
afterEach(() => {
  vi.useRealTimers();
});
const wait = (ms: number) => act(() => vi.advanceTimersByTimeAsync(ms));

async function waiting(...events: EventBody[]) {
  const app = await openChat(<Conversation />, [turnStarted(), started('c', 'parcel.send', 'undeclared'), ...events]);
  await wait(400);
  return app;
}

const answers = (app: Awaited<ReturnType<typeof waiting>>) => app.backend.asked('decide_approval');

describe('a form', () => {
  test('shows the server, has its defaults, and sends nothing by itself', async () => {
    const app = await waiting(asks());
    expect(screen.getByRole('heading', { name: 'parcel asks you' })).toBeVisible();
    expect(screen.getByTestId('elicitation-message')).toHaveTextContent('Where to?U+202E');
    expect(screen.getByLabelText(/Name on the parcel/)).toHaveValue('Joe');
    act(() => screen.getByTestId('composer-input').focus());
    fireEvent.keyDown(screen.getByTestId('composer-input'), { key: 'Enter', ctrlKey: true });
    fireEvent.click(screen.getByTestId('elicitation-send'));
    await wait(0);
    expect(screen.getByText('Fill in weight')).toBeVisible();
    expect(answers(app)).toEqual([]);
  });

  test('sends typed values and unchanged defaults', async () => {
    const app = await waiting(asks());
    fireEvent.change(screen.getByLabelText(/Weight/), { target: { value: '7' } });
    fireEvent.click(screen.getByTestId('elicitation-send'));
    await wait(0);
    expect(answers(app)).toEqual([{ session: app.session, call: 'c', decision: 'once', revision: 2, args: { name: 'Joe', weight: 7 } }]);
    await app.say({ type: 'approval_decided', call: 'c', decision: 'once', by: 'you', reason: null });
    expect(screen.queryByTestId('elicitation-send')).toBeNull();
    expect(screen.getByText(/asked: answered/)).toHaveTextContent('parcel asked: answered by you');
  });

  test('can be declined and closed without values', async () => {
    for (const [button, decision] of [['elicitation-decline', 'deny'], ['elicitation-close', 'cancel']] as const) {
      const app = await waiting(asks());
      fireEvent.click(screen.getByTestId(button));
      await wait(0);
      expect(answers(app)).toEqual([{ session: app.session, call: 'c', decision, revision: 2 }]);
      app.unmount();
    }
  });

  test('refused values stay in the form with the reason', async () => {
    const app = await waiting(asks());
    fireEvent.change(screen.getByLabelText(/Weight/), { target: { value: '7' } });
    await app.say({ type: 'tool_call_progress', call: 'c', fraction: null, message: 'Not sent: /weight: 7 is too much.', partial: null });
    await app.say(asks({ revision: 3 }));
    expect(screen.getByRole('alert')).toHaveTextContent('7 is too much');
    expect(screen.getByLabelText(/Weight/)).toHaveValue('7');
  });
});

describe('a page', () => {
  const visit = () => asks({ schema: null, url: 'https://shop.example/pay?id=1', host: 'shop.example' });

  test('shows its address and opens only on click', async () => {
    const app = await waiting(visit());
    expect(screen.getByTestId('elicitation-url')).toHaveTextContent('https://shop.example/pay?id=1');
    expect(app.backend.asked('open_link')).toEqual([]);
    fireEvent.click(screen.getByRole('button', { name: 'Open shop.example' }));
    await wait(0);
    expect(app.backend.asked('open_link')).toEqual([{ url: 'https://shop.example/pay?id=1' }]);
    expect(answers(app)).toEqual([{ session: app.session, call: 'c', decision: 'once', revision: 2 }]);
  });

  test('does not open when declined', async () => {
    const app = await waiting(visit());
    fireEvent.click(screen.getByTestId('elicitation-decline'));
    await wait(0);
    expect(app.backend.asked('open_link')).toEqual([]);
  });
});
