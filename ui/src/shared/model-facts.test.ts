import { describe, expect, it } from 'vitest';

import type { ModelPrice } from '../ipc';
import { sampleWorld } from '../testing/sample';
import { costText, isInUse, placeIn, priceOf, priceText } from './model-facts';

const price: ModelPrice = { model: 'm', currency: 'USD', input: '1.25', cached: '0.125', output: '10' };

it.each<[string, { input: number; cached: number; output: number }, ModelPrice | undefined, string | null]>([
  // 1,000,000 × 1.25 / 1,000,000 + 100,000 × 10 / 1,000,000
  ['all fresh', { input: 1_000_000, cached: 0, output: 100_000 }, price, '$2.25'],
  // 200,000 × 1.25 + 800,000 × 0.125 + 0
  ['mostly cached', { input: 1_000_000, cached: 800_000, output: 0 }, price, '$0.35'],
  ['cached without a price of its own', { input: 1_000_000, cached: 800_000, output: 0 }, { ...price, cached: null }, '$1.25'],
  ['little', { input: 1_000, cached: 0, output: 100 }, price, '$0.0023'],
  ['next to nothing', { input: 10, cached: 0, output: 0 }, price, '< $0.0001'],
  ['nothing', { input: 0, cached: 0, output: 0 }, price, '$0.00'],
  ['free of charge', { input: 1_000, cached: 0, output: 9 }, { ...price, input: '0', cached: null, output: '0' }, '$0.00'],
  ['in another currency', { input: 1_000_000, cached: 0, output: 0 }, { ...price, currency: 'EUR' }, '€1.25'],
  ['of which no price is known', { input: 1_000, cached: 0, output: 9 }, undefined, null],
])('formats the cost of a request that was %s', (_, used, known, expected) => {
  expect(costText(used, known)).toBe(expected);
});

describe('the location of a model', () => {
  const silent = { code: 'provider_unreachable', message: 'Nothing answers.', hint: '' } as const;
  const passed_on = [
    { model: 'gpt-oss:120b-cloud', host: 'ollama.com', agreed: true },
    { model: 'kimi:latest', host: 'kimi.example', agreed: false },
  ];

  it.each<[string, string | null]>([
    ['ollama/qwen3:14b', 'here 127.0.0.1:11434'],
    ['ollama/gpt-oss:120b-cloud', 'elsewhere ollama.com'],
    ['ollama/GPT-OSS:120b-Cloud', 'elsewhere ollama.com'],
    ['ollama/Kimi', 'elsewhere kimi.example'],
    ['openai/gpt-5.2', 'elsewhere api.openai.com'],
    ['lab/m', 'elsewhere models.lab.example'],
    ['silent/qwen3:14b', 'unknown 127.0.0.1:11434'],
    ['nobody/m', null],
  ])('%s: %s', (model, expected) => {
    const providers = sampleWorld().providers.flatMap((row) =>
      row.id === 'ollama' ? [{ ...row, passed_on }, { ...row, id: 'silent', problem: silent }] : [row],
    );
    const place = placeIn(providers, model);
    expect(place && `${place.where} ${place.host}`).toBe(expected);
  });
});

it('formats a price', () => {
  expect(priceText(price)).toBe('$1.25 in, $10.00 out per million tokens');
});

describe('which of a provider’s models a name refers to', () => {
  const ollama = { id: 'ollama', models: ['qwen3:latest', 'Llama3:8b'] };
  const openai = { id: 'openai', models: ['Big', 'big', 'org/small'] };

  it.each<[typeof ollama, string | null, string[]]>([
    [ollama, 'ollama/qwen3', ['qwen3:latest']],
    [ollama, 'ollama/QWEN3:latest', ['qwen3:latest']],
    [ollama, 'ollama/llama3:8b', ['Llama3:8b']],
    [ollama, 'ollama/llama3', []],
    [ollama, 'openai/qwen3', []],
    [ollama, null, []],
    // Ids that differ only in case are two models: the exact one is meant.
    [openai, 'openai/big', ['big']],
    [openai, 'openai/Big', ['Big']],
    [openai, 'openai/org/small', ['org/small']],
  ])('%j, %s: %j', (provider, model, expected) => {
    expect(provider.models.filter((listed) => isInUse(provider, listed, model))).toEqual(expected);
  });

  it('finds the price configured for its id, else for an equivalent name', () => {
    const priced = (...models: string[]) => ({ models: ['qwen3:latest', 'Big', 'big'], prices: models.map((model) => ({ ...price, model })) });
    expect(priceOf(priced('qwen3'), 'qwen3:latest')?.model).toBe('qwen3');
    expect(priceOf(priced('Qwen3', 'qwen3:latest'), 'qwen3:latest')?.model).toBe('qwen3:latest');
    expect(priceOf(priced('Big'), 'big')).toBeUndefined();
    expect(priceOf(priced('other'), 'big')).toBeUndefined();
  });
});
