// Skills in all states, and their tools.
import type { Effect, JsonValue, SkillRow, SkillState, ToolRow } from '../../ipc';
import { local, sampleNow } from './time';

interface SkillSample {
  readonly id: string;
  readonly name: string;
  readonly version: string;
  readonly source?: string;
  readonly state?: SkillState;
  readonly reason?: string;
  readonly description: string;
  readonly tools: string[];
  readonly tokens: [number, number, number];
  readonly calls?: number;
  readonly mode?: string;
  readonly lifetime?: string;
  readonly hints?: string[];
  readonly examples?: string[];
}

function skill(sample: SkillSample): SkillRow {
  const { id, name, version, description, calls = 0 } = sample;
  return {
    id,
    name,
    version,
    description,
    source: sample.source ?? 'native',
    state: sample.state ?? 'available',
    reason: sample.reason ?? null,
    mode: sample.mode ?? 'on_demand',
    lifetime: sample.lifetime ?? 'session',
    pinned: false,
    hidden: false,
    tools: sample.tools.map((tool) => `${id}.${tool}`),
    tokens: { catalog: sample.tokens[0], instructions: sample.tokens[1], schemas: sample.tokens[2] },
    active_in: 0,
    usage: {
      activations: Math.ceil(calls / 6),
      calls,
      errors: calls > 100 ? 1 : 0,
      mean_ms: calls > 0 ? 31 : null,
      last_used: calls > 0 ? local('14:31') : null,
      tokens: calls * 42,
      days: daysOf(calls),
    },
    tags: [],
    hints: sample.hints ?? [],
    examples: sample.examples ?? [],
  };
}

/** Calls distributed over the last days like work: none on Sundays, more midweek. */
function daysOf(calls: number): SkillRow['usage']['days'] {
  const shares = [2, 5, 3, 8, 4, 0, 1, 4, 9, 6, 3, 0, 2, 5];
  const whole = shares.reduce((sum, share) => sum + share, 0);
  const each = shares.map((share, at): [string, number] => [
    new Date(sampleNow.getTime() - (13 - at) * 86_400_000).toISOString().slice(0, 10),
    Math.round((calls / 2) * (share / whole)),
  ]);
  return Object.fromEntries(each.filter(([, number]) => number > 0));
}

export const skills: SkillRow[] = [
  skill({
    id: 'crm',
    name: 'CRM',
    version: '1.4.0',
    state: 'active',
    description: 'Contacts, companies, deals with stages, follow-ups and the interaction log, kept as notes under CRM.',
    tools: ['list_contacts', 'get_contact', 'add_contact', 'update_contact', 'log_interaction', 'list_deals', 'add_deal', 'move_deal', 'pipeline', 'follow_ups'],
    tokens: [92, 780, 1340],
    calls: 214,
    hints: ['a person, a company or a deal in the notes is named'],
    examples: ['who should I call this week', 'what did we agree with Fernhill'],
  }),
  skill({ id: 'portfolio', name: 'Portfolio', version: '1.2.1', description: 'Positions, trades, quotes and gains.', tools: ['positions', 'gains', 'quote'], tokens: [88, 760, 1340], calls: 61 }),
  skill({ id: 'budget', name: 'Budget', version: '1.3.0', description: 'Incomes, expenses, limits and rules.', tools: ['list', 'add_expense', 'month_summary'], tokens: [80, 560, 1084], calls: 40 }),
  skill({ id: 'vault', name: 'Vault', version: '1.4.0', mode: 'always', description: 'Reads, searches and changes the notes themselves.', tools: ['query', 'search', 'set_properties', 'delete_note'], tokens: [70, 640, 1350], calls: 512 }),
  skill({ id: 'mail', name: 'Mail', version: '1.1.0', lifetime: 'turn', description: 'Finds, drafts and sends mail.', tools: ['list', 'search', 'send'], tokens: [78, 900, 1231], calls: 33 }),
  skill({ id: 'lookup', name: 'Lookup', version: '1.0.2', state: 'unavailable', reason: 'Set FINNHUB_API_KEY.', description: 'Facts about companies and symbols.', tools: ['pull_up_symbol'], tokens: [60, 210, 346] }),
  skill({ id: 'calendar', name: 'Calendar', version: '1.2.0', state: 'needs_sign_in', reason: 'Sign-in expired 3 days ago.', description: 'Events and free time.', tools: ['events'], tokens: [64, 250, 377], calls: 12 }),
  skill({ id: 'github', name: 'GitHub', version: '0.9.1', source: 'mcp', state: 'failed', reason: 'npx not found.', description: 'Issues and pull requests.', tools: [], tokens: [74, 0, 3900] }),
  skill({ id: 'weather', name: 'Weather', version: '', source: 'dynamic', state: 'broken', reason: 'weather.ts line 14, name missing.', description: '', tools: [], tokens: [40, 60, 60] }),
  skill({ id: 'screener', name: 'Screener', version: '1.0.4', state: 'active', description: 'Scans a universe of symbols.', tools: ['scan_universe'], tokens: [62, 480, 700], calls: 9 }),
  skill({ id: 'release-management', name: 'Release management', version: '2.1', source: 'folder', state: 'disabled', description: 'Release notes and deployments.', tools: [], tokens: [54, 830, 0] }),
];

function tool(skillId: string, name: string, effect: Effect, description: string, properties: Record<string, JsonValue>, required: string[] = []): ToolRow {
  const owner = skills.find(({ id }) => id === skillId);
  return {
    wire_name: `${skillId}__${name}`,
    name: `${skillId}.${name}`,
    skill: skillId,
    effect,
    description,
    input_schema: { type: 'object', properties, required, additionalProperties: false },
    state: owner?.state ?? 'available',
    reason: owner?.reason ?? null,
  };
}

const text = (description: string): JsonValue => ({ type: 'string', description });
const date = (description: string): JsonValue => ({ type: ['string', 'null'], format: 'date', description });

export const tools: ToolRow[] = [
  tool(
    'budget',
    'add_expense',
    'write',
    'Adds an expense as a note.',
    {
      date: { type: 'string', format: 'date', description: 'Day of the expense' },
      amount: { type: 'string', format: 'decimal', description: 'Amount, positive' },
      category: text('Category'),
      payee: text('Paid to'),
      recurring: { type: 'string', enum: ['none', 'weekly', 'monthly', 'yearly'], description: 'How often it returns' },
    },
    ['date', 'amount'],
  ),
  tool('budget', 'list', 'read', 'Incomes and expenses in a period, newest first.', {
    from: date('First day'),
    to: date('Last day'),
    category: { type: ['string', 'null'], description: 'Only this category' },
  }),
  tool('budget', 'month_summary', 'read', 'Sums of a month by category.', { month: text('Month, YYYY-MM') }, ['month']),
  tool(
    'crm',
    'add_contact',
    'write',
    'Adds a contact as a note.',
    {
      name: text('Full name'),
      company: text('Company'),
      email: { type: 'string', format: 'email', description: 'Mail address' },
      tags: { type: 'array', items: { type: 'string' }, description: 'Tags' },
      stage: { type: 'string', enum: ['lead', 'contacted', 'qualified', 'proposal', 'won', 'lost'], description: 'Stage' },
      next_contact: { type: 'string', format: 'date', description: 'When to get in touch next' },
    },
    ['name'],
  ),
  tool('crm', 'follow_ups', 'read', 'Who to get in touch with.', { until: date('Until this day') }),
  tool('crm', 'list_deals', 'read', 'Deals, by stage or contact.', { stage: text('Stage'), contact: text('Contact') }),
  tool('crm', 'move_deal', 'write', 'Moves a deal to another stage.', { title: text('Deal'), stage: text('Stage') }, ['title', 'stage']),
  tool('crm', 'pipeline', 'read', 'Open deals by stage.', {}),
  tool('portfolio', 'gains', 'read', 'Realised and unrealised gains.', {
    symbol: text('Symbol'),
    method: { type: 'string', enum: ['fifo', 'average'], default: 'fifo', description: 'Cost method' },
  }),
  tool('portfolio', 'quote', 'external', 'Last prices.', { symbols: { type: 'array', items: { type: 'string' }, description: 'Symbols' } }, ['symbols']),
  tool(
    'vault',
    'query',
    'read',
    'Notes by their properties.',
    {
      type: text('Value of type'),
      where: { type: 'array', items: { type: 'string' }, description: 'KEY OP VALUE, all must hold' },
      limit: { type: 'integer', minimum: 1, maximum: 500, default: 50, description: 'At most so many' },
    },
    [],
  ),
  tool('vault', 'set_properties', 'write', 'Sets properties of a note.', { path: text('Note'), properties: { type: 'object', additionalProperties: true } }, ['path', 'properties']),
  tool('vault', 'delete_note', 'destructive', 'Moves a note to the trash.', { path: text('Note') }, ['path']),
  tool('lookup', 'pull_up_symbol', 'external', 'Facts about a symbol.', { symbol: text('Symbol') }, ['symbol']),
];

/** Tools from files, in every state. */
export function sampleFileTools(): { skill: SkillRow; tools: ToolRow[] } {
  const older = 'rates.ts, line 10: the brace is not closed. The last good version stays in use.';
  const row = skill({
    id: 'dynamic',
    name: 'Dynamic',
    version: '',
    source: 'dynamic',
    reason: older,
    description: 'Tools that are single files of yours.',
    tools: ['packing', 'rates'],
    tokens: [24, 0, 410],
    calls: 18,
  });
  const own = (name: string, effect: Effect, description: string, more: Partial<ToolRow> = {}): ToolRow => ({
    ...tool('dynamic', name, effect, description, { place: text('Place') }),
    state: 'available',
    reason: null,
    ...more,
  });
  return {
    skill: row,
    tools: [
      own('packing', 'read', 'What to pack for a trip.'),
      own('rates', 'external', 'Exchange rate of two currencies.', { reason: older }),
      own('invoices', 'undeclared', '', { state: 'broken', reason: 'invoices.ts, line 14, column 3: name is missing.' }),
      own('trains', 'undeclared', '', { state: 'starting', reason: null }),
    ],
  };
}
