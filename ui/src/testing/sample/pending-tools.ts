import type { PendingToolRow } from '../../ipc';
import { line } from './changes';

const weatherSource = `import { defineTool, fetchJson, credential } from "nova";

export default defineTool({
  description: "Forecast for a place, up to seven days.",
  effect: "external",
  hosts: ["api.weather.com"],
  credentials: ["weather/key"],
  input: {
    type: "object",
    properties: {
      city: { type: "string", description: "Name of the place" },
      days: { type: "integer", minimum: 1, maximum: 7, default: 3 },
    },
    required: ["city"],
  },
  async run({ city, days }) {
    const key = await credential("weather/key");
    const place = await fetchJson("https://geo.weather.com/find?q=" + encodeURIComponent(city));
    const url = "https://api.weather.com/v3/forecast?at=" + place.id + "&days=" + days;
    return fetchJson(url, { headers: { Authorization: "Bearer " + key } });
  },
});
`;

const ratesSource = `import { defineTool, fetchJson } from "nova";

export default defineTool({
  description: "Exchange rate of two currencies, of the last bank day.",
  effect: "external",
  hosts: ["api.rates.example"],
  input: { type: "object", properties: { from: { type: "string" }, to: { type: "string" } }, required: ["from", "to"] },
  async run({ from, to }) {
    const { rates, day } = await fetchJson("https://api.rates.example/v2/latest?base=" + from);
    return { rate: rates[to], day };
  },
});
`;

const tidesSource = `import { defineTool } from "nova";

export default defineTool({
  description: "High and low tide of a harbour.",
  effect: "read",
  input: { type: "object", properties: { harbour: { type: "string" } } },
  async run({ harbour }) {
    const table = {
      Kiel: ["03:12", "15:40",
    };
    return table[harbour];
  },
});
`;

/** Pending tools: a new one, a new version, and one that does not load. */
export function samplePendingTools(): PendingToolRow[] {
  return [
    {
      name: 'weather',
      file: 'weather.ts',
      source: weatherSource,
      hash: 'weather-1',
      definition: {
        tool: 'weather',
        description: 'Forecast for a place, up to seven days.',
        input_schema: {
          type: 'object',
          properties: {
            city: { type: 'string', description: 'Name of the place' },
            days: { type: 'integer', minimum: 1, maximum: 7, default: 3, description: 'How many days' },
          },
          required: ['city'],
          additionalProperties: false,
        },
        effect: 'external',
        hosts: ['api.weather.com'],
        proposed_hosts: ['geo.weather.com'],
        credentials: ['weather/key'],
        vault: null,
      },
      problem: null,
      replaces: null,
    },
    {
      name: 'rates',
      file: 'rates.ts',
      source: ratesSource,
      hash: 'rates-2',
      definition: {
        tool: 'rates',
        description: 'Exchange rate of two currencies, of the last bank day.',
        input_schema: {
          type: 'object',
          properties: { from: { type: 'string' }, to: { type: 'string' } },
          required: ['from', 'to'],
        },
        effect: 'external',
        hosts: ['api.rates.example'],
        proposed_hosts: [],
        credentials: [],
        vault: null,
      },
      problem: null,
      replaces: {
        file: 'rates.ts',
        diff: {
          path: 'rates.ts',
          kind: 'modified',
          properties: [],
          hunks: [
            {
              skipped: 3,
              lines: [
                line('removed', 4, null, 'description: "Exchange rate of two currencies', ['.'], '",'),
                line('added', null, 4, 'description: "Exchange rate of two currencies', [', of the last bank day.'], '",'),
                line('context', 5, 5, 'effect: "external",'),
              ],
            },
            {
              skipped: 3,
              lines: [
                line('context', 9, 9, '  async run({ from, to }) {'),
                line('removed', 10, null, '    const { rates } = await fetchJson("https://api.rates.example/', ['v1'], '/latest?base=" + from);'),
                line('removed', 11, null, ['    return rates[to];']),
                line('added', null, 10, '    const { rates, day } = await fetchJson("https://api.rates.example/', ['v2'], '/latest?base=" + from);'),
                line('added', null, 11, ['    return { rate: rates[to], day };']),
                line('context', 12, 12, '  },'),
              ],
            },
          ],
          tail_skipped: 1,
          summary: '3 lines changed',
        },
      },
    },
    {
      name: 'tides',
      file: 'tides.ts',
      source: tidesSource,
      hash: 'tides-1',
      definition: null,
      problem: { file: 'tides.ts', line: 10, column: 5, message: "Expected ',', got '}'." },
      replaces: null,
    },
  ];
}
