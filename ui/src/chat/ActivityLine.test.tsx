import { act, screen, waitFor, within } from '@testing-library/react';
import userEvent from '@testing-library/user-event';
import { describe, expect, test } from 'vitest';

import type { EventBody, ProviderRow } from '../ipc';
import { sampleWorld } from '../testing/sample';
import { ActivityLine } from './ActivityLine';
import { openChat, turnStarted } from './fixture';

const request: EventBody[] = [
  turnStarted(),
  {
    type: 'step_started',
    tools: [],
    prefix_kept: true,
    bytes: 10_000,
    context: { used: 11_800, limit: 32_000, cached: 8_400, parts: { system: 2_140, skills: 4_006, history: 1_200, outputs: 4_454 } },
  },
  { type: 'usage', input: 11_800, cached: 8_378, output: 14 },
];

test('the model’s location stays when the figures are hidden', async () => {
  const { status } = sampleWorld();
  await openChat(<ActivityLine />, request, { status: { ...status, appearance: { ...status.appearance, activity_line: false } } });
  expect(await screen.findByTestId('status-model')).toHaveTextContent('qwen3:14b runs on this machine');
  expect(screen.queryByText(/in the catalog/)).toBeNull();
});

test('names the host of a model that a local server passes on', async () => {
  const world = sampleWorld();
  const passed_on = [{ model: 'gpt-oss:120b-cloud', host: 'ollama.com', agreed: true }];
  const providers = world.providers.map((row) => (row.id === 'ollama' ? { ...row, models: [...row.models, 'gpt-oss:120b-cloud'], passed_on } : row));
  const status = (model: string) => ({ providers, status: { ...world.status, model } });
  const cloud = await openChat(<ActivityLine />, [], status('ollama/gpt-oss:120b-cloud'));
  expect(await screen.findByText('gpt-oss:120b-cloud: messages and notes go to ollama.com')).toBeVisible();
  cloud.unmount();
  await openChat(<ActivityLine />, [], status('ollama/qwen3:14b'));
  expect(await screen.findByText('qwen3:14b runs on this machine, at 127.0.0.1:11434')).toBeVisible();
});

describe('a local server that reports only later where its model runs', () => {
  const model = 'ollama/gpt-oss:120b-cloud';
  const world = sampleWorld();
  const status = { ...world.status, model };
  const ollama = (change: Partial<ProviderRow>) => world.providers.map((row) => (row.id === 'ollama' ? { ...row, ...change } : row));
  const passedOn = ollama({ passed_on: [{ model: 'gpt-oss:120b-cloud', host: 'ollama.com', agreed: true }] });
  const step: EventBody = { type: 'step_started', tools: [], prefix_kept: true, bytes: 10_000, host: 'ollama.com' };
  const goes = () => screen.findByText('gpt-oss:120b-cloud: messages and notes go to ollama.com');

  test('is not assumed to run it locally, and is asked again once it responds', async () => {
    const problem = { code: 'provider_unreachable', message: 'Nothing answers.', hint: '' } as const;
    const { backend, say } = await openChat(<ActivityLine />, [turnStarted('Who?', model)], { status, providers: ollama({ models: [], problem }) });
    expect(await screen.findByText('gpt-oss:120b-cloud: unknown host, 127.0.0.1:11434 does not say where it runs')).toBeVisible();
    backend.world.providers = passedOn;
    await say({ type: 'provider_health', provider: 'ollama', health: { state: 'answered', at: '2026-11-22T10:02:00Z', message: null } });
    expect(await goes()).toBeVisible();
  });

  test('is asked again when a request went to another host, once per host', async () => {
    const { backend, say } = await openChat(<ActivityLine />, [turnStarted('Who?', model)], { status });
    expect(await screen.findByText('gpt-oss:120b-cloud runs on this machine, at 127.0.0.1:11434')).toBeVisible();
    await say(step);
    await waitFor(() => expect(backend.asked('list_providers')).toHaveLength(2));
    backend.world.providers = passedOn;
    await say(step);
    expect(await goes()).toBeVisible();
    await say(step);
    expect(backend.asked('list_providers')).toHaveLength(3);
  });
});

test('the parts of a request are shown with Tab, without a mouse', async () => {
  await openChat(<ActivityLine />, request);
  const figure = await screen.findByRole('button', { name: /^11.8k of 32k tokens, 71 % cached/ });
  expect(screen.queryByRole('tooltip')).toBeNull();
  await userEvent.tab();
  expect(figure).toHaveFocus();
  const told = await screen.findByRole('tooltip');
  expect(told).toHaveTextContent('Every chat: 2.1k Active skills: 4k Messages: 1.2k Tool results: 4.5k');
  expect(figure).toHaveAccessibleDescription('Every chat: 2.1k\nActive skills: 4k\nMessages: 1.2k\nTool results: 4.5k');
  await userEvent.keyboard('{Escape}');
  expect(screen.queryByRole('tooltip')).toBeNull();
});

describe('after another model is chosen', () => {
  const world = sampleWorld();
  const price = (model: string, input: string) => ({ model, input, cached: null, output: '0', currency: 'USD' });
  const prices: Record<string, ProviderRow['prices']> = { ollama: [price('qwen3:14b', '1')], openai: [price('gpt-5.2', '100')] };
  const providers = world.providers.map((row) => ({ ...row, prices: prices[row.id] ?? [] }));
  const context = { used: 20_000, limit: 400_000, cached: 0, parts: { system: 1, skills: 1, history: 1, outputs: 1 } };
  const figures = () => screen.getByTestId('activity-figures').textContent;

  test('the last request keeps its limit, price and model until the next is counted', async () => {
    const { store, say } = await openChat(<ActivityLine />, [...request, { type: 'turn_completed', text: '' }], { providers });
    await waitFor(() => expect(figures()).toMatch(/11\.8k of 32k tokens, 71 % cached, \$0\.0118$/));
    await act(() => store.actions.setModel('openai/gpt-5.2'));
    expect(await screen.findByText(/^gpt-5.2: messages and notes go to/)).toBeVisible();
    expect(figures()).toMatch(/11\.8k of 32k tokens, 71 % cached, \$0\.0118, by qwen3:14b$/);
    await say(turnStarted('And now?', 'openai/gpt-5.2'));
    await say({ type: 'step_started', tools: [], prefix_kept: true, bytes: 10, context });
    expect(figures(), 'nobody has counted it yet').toMatch(/11\.8k of 32k tokens, .*, by qwen3:14b$/);
    await say({ type: 'usage', input: 20_000, cached: 0, output: 0 });
    expect(figures()).toMatch(/20k of 400k tokens, 0 % cached, \$2\.00$/);
  });
});

test('a low window hides the figures, but not the model’s location and state', async () => {
  const { status } = sampleWorld();
  const { say } = await openChat(<ActivityLine />, request, { status });
  await say({ type: 'provider_health', provider: 'ollama', health: { state: 'unreachable', at: '2026-11-22T10:02:00Z', message: null } });
  const place = await screen.findByTestId('status-model');
  expect(place).toHaveTextContent('qwen3:14b runs on this machine, at 127.0.0.1:11434');
  expect(within(place).getByRole('status')).toHaveTextContent(/not answering since/);
  // This class hides an element below a height of 700.
  expect(place.closest('.short\\:hidden')).toBeNull();
  expect(screen.getByText(/11.8k of 32k tokens/).closest('.short\\:hidden')).not.toBeNull();
});
