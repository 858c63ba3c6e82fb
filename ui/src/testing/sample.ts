// Invented people and figures: the sample that the pictures of the window show.

import type {
  ChangeSetView,
  CredentialsView,
  Effect,
  Envelope,
  EventBody,
  JsonValue,
  NoteDiffView,
  NoteView,
  PendingToolRow,
  ProblemView,
  SessionRow,
  SkillRow,
  SkillState,
  ToolRow,
} from '../ipc';
import type { World } from './fake-backend';

const day = '2026-11-20';

/** The sample's now: Friday 20 November 2026, 14:33 local time. */
export const sampleNow = new Date(`${day}T14:33:00`);

const local = (time: string, date = day) => new Date(`${date}T${time}:00`).toISOString();

export function sampleWorld(): World {
  return {
    status: {
      version: '0.1.0',
      platform: 'linux',
      first_run: false,
      vault: { name: 'Work vault', path: '/home/mara/Documents/Work vault', notes: 412, watching: 'watching', problems: [] },
      vault_problem: null,
      config_problem: null,
      model: 'ollama/qwen3:14b',
      appearance: { theme: 'light', text_size: 14, activity_line: true },
      today: day,
    },
    sessions,
    events: { harborline: chatEvents() },
    providers: [
      { id: 'ollama', kind: 'ollama', local: true, host: '127.0.0.1:11434', agreed: true, models: ['qwen3:14b', 'qwen3:4b'], without_tools: [], problem: null, key: { credential: 'ollama/key', state: 'none' }, favourites: [], prices: [], health: null },
      { id: 'openai', kind: 'openai', local: false, host: 'api.openai.com', agreed: false, models: ['gpt-5.2', 'gpt-5.2-mini'], without_tools: [], problem: null, key: { credential: 'openai/key', state: 'granted' }, favourites: [], prices: [], health: null },
      {
        id: 'lab',
        kind: 'openai',
        local: false,
        host: 'models.lab.example',
        agreed: true,
        models: [],
        without_tools: [],
        problem: { code: 'provider_unreachable', message: 'models.lab.example did not answer.', hint: 'Check that it runs.' },
        key: { credential: 'lab/key', state: 'none' },
        favourites: [],
        prices: [],
        health: null,
      },
    ],
    skills,
    tools,
    pendingTools: [],
    credentials: sampleCredentials(),
    changes,
    problems,
    notes,
    firstRun: {
      found: [
        { path: '/home/mara/Documents/Work vault', name: 'Work vault', notes: 412 },
        { path: '/home/mara/Notes', name: 'Notes', notes: 0 },
      ],
      sample_target: '/home/mara/Documents/Nova sample',
      sample_notes: 64,
      local_models: [
        {
          provider: 'ollama',
          host: '127.0.0.1:11434',
          models: ['qwen3:14b', 'qwen3:8b', 'qwen3:4b'],
          without_tools: [],
        },
      ],
      looked_at: ['127.0.0.1:11434', '127.0.0.1:1234', '127.0.0.1:8080'],
    },
  };
}

function row(id: string, title: string, updated_at: string, running = false): SessionRow {
  return { id, title, updated_at, created_at: updated_at, running, model: null, pinned: false, archived: false };
}

const sessions: SessionRow[] = [
  row('harborline', 'Harborline signed', local('14:33'), true),
  row('groceries', 'November groceries over limit', local('11:20')),
  row('bank', 'Import bank CSV, October', local('09:05')),
  row('dividends', 'Dividend calendar for Q1', local('16:40', '2026-11-19')),
  row('quillon', 'Rewrite the Quillon proposal', local('12:10', '2026-11-19')),
  row('solvane', 'Who knows someone at Solvane?', local('09:30', '2026-11-19')),
  row('lisbon', 'Trip costs, Lisbon offsite', local('10:00', '2026-11-17')),
  row('watchlist', 'Watchlist clean-up', local('10:00', '2026-11-16')),
  row('designer', 'Onboard the new designer', local('10:00', '2026-11-15')),
];

/** Gives bodies the envelopes of one session and turn, a second apart unless they say when. */
export function envelopes(session: string, turn: string, bodies: readonly (EventBody & { at?: string })[]): Envelope[] {
  let at = Date.parse(local('14:30'));
  return bodies.map((body, index) => {
    at = body.at === undefined ? at + 1000 : Date.parse(body.at);
    return { ...body, v: 1, seq: index + 1, at: new Date(at).toISOString(), session, turn } as Envelope;
  });
}

const user = { kind: 'user', name: 'you' } as const;

function started(call: string, tool: string, effect: Effect, args: JsonValue): EventBody {
  return { type: 'tool_call_started', call, tool, effect, args, principal: user };
}

function completed(call: string, output: JsonValue, ms: number, more: object = {}): EventBody {
  return { type: 'tool_call_completed', call, ok: true, output, sources: [], ms, changes: [], change_set: null, merged: [], ...more } as EventBody;
}

const moveDeal: NoteDiffView = {
  path: 'CRM/Deals/Harborline rollout.md',
  kind: 'modified',
  properties: [{ key: 'stage', line: 5, before: 'lead', after: 'won' }],
  hunks: [],
  tail_skipped: 0,
  summary: '1 property, nothing else in the note',
};

export function chatEvents(): Envelope[] {
  return envelopes('harborline', 't1', [
    { type: 'skill_activated', skill: 'crm', by: 'pin', lifetime: 'session' },
    { type: 'skill_activated', skill: 'screener', by: 'user', lifetime: 'session' },
    {
      type: 'turn_started',
      text: 'Harborline signed today. Log the call with Mara, move the deal to won, then tell me who to follow up with this week. And run the mid-cap screen.',
      model: 'ollama/qwen3:14b',
      skills: ['screener'],
      tool: 'crm.move_deal',
    },
    { type: 'step_started', tools: [], prefix_kept: true, bytes: 28000 },
    { type: 'skill_activated', skill: 'mail', by: 'model', lifetime: 'turn' },
    started('c1', 'crm.log_interaction', 'write', { name: 'Mara Lindholt', text: 'Signed by phone' }),
    completed('c1', { path: 'CRM/People/Mara Lindholt.md' }, 22, {
      changes: [
        { path: 'CRM/People/Mara Lindholt.md', kind: 'modified' },
        { path: 'Daily/2026-11-20.md', kind: 'modified' },
      ],
      change_set: 'set3',
    }),
    started('c2', 'crm.follow_ups', 'read', { until: '2026-11-27' }),
    completed(
      'c2',
      [
        { name: 'Ilse Brandvik', company: 'Fernhill Dairy', due: '2026-11-17', overdue: true },
        { name: 'Tomasz Wirek', company: 'Brightwater Optics', due: '2026-11-19', overdue: true },
        { name: 'Jane Doe', company: 'Quillon Labs', due: '2026-11-24', overdue: false },
        { name: 'Odile Farrow', company: 'Pinecrest Clinics', due: '2026-11-26', overdue: false },
      ],
      38,
      { sources: [{ kind: 'note', path: 'CRM/People/Ilse Brandvik.md' }] },
    ),
    started('c3', 'screener.scan_universe', 'external', { universe: 'mid-cap' }),
    {
      type: 'tool_call_progress',
      call: 'c3',
      fraction: 412 / 1200,
      message: '412/1,200, 9 hits so far',
      partial: [
        { symbol: 'NGTL', name: 'Northgate Tooling', price: '42.18', 'p/e': '11.4', score: 87 },
        { symbol: 'BWOP', name: 'Brightwater Optics', price: '118.60', 'p/e': '16.9', score: 84 },
      ],
    },
    {
      type: 'message_block',
      message: 'm1',
      index: 0,
      html: '<p>The call is in Mara’s log. <strong>Four follow-ups</strong> fall due by 27 November, two of them are overdue:</p>',
      done: true,
    },
    {
      type: 'message_block',
      message: 'm1',
      index: 1,
      html: '<ol><li><a data-note="Ilse Brandvik">Ilse Brandvik</a>, Fernhill Dairy: overdue since 17 Nov, waits for the revised quote</li><li><a data-note="Tomasz Wirek">Tomasz Wirek</a>, Brightwater Optics: overdue since 19 Nov</li><li><a data-note="Jane Doe">Jane Doe</a>, Quillon Labs: Tuesday 24 Nov, moved today in Obsidian</li><li><a data-note="Odile Farrow">Odile Farrow</a>, Pinecrest Clinics: Thursday 26 Nov</li></ol>',
      done: true,
    },
    { type: 'message_block', message: 'm1', index: 2, html: '<p>After the move, the open pipeline is €137,900 and this quarter’s wins are €86,300.</p>', done: true },
    { type: 'notes_changed_outside', paths: ['CRM/People/Jane Doe.md'], at: local('14:32') },
    { type: 'usage', input: 11800, cached: 8378, output: 240 },
    started('c4', 'crm.move_deal', 'write', { title: 'Harborline rollout', stage: 'won' }),
    {
      type: 'approval_requested',
      call: 'c4',
      args: { title: 'Harborline rollout', stage: 'won' },
      decisions: ['once', 'session', 'always', 'deny'],
      question: 'Change 1 note?',
      editable: true,
      diff: [moveDeal],
      host: null,
      revision: 1,
      mid_run: false,
    },
  ]);
}

const line = (kind: 'context' | 'added' | 'removed', old: number | null, next: number | null, ...words: (string | [string])[]) => ({
  kind,
  old,
  new: next,
  words: words.map((word) => (typeof word === 'string' ? { text: word, changed: false } : { text: word[0], changed: true })),
});

const changes: ChangeSetView[] = [
  {
    id: 'set3',
    kind: 'turn',
    at: local('14:31'),
    author: 'by you',
    label: 'Log the call with Mara',
    state: 'open',
    session: 'harborline',
    undone_at: null,
    notes: [
      {
        path: 'CRM/People/Mara Lindholt.md',
        kind: 'modified',
        call: 'c1',
        undone: false,
        edited_since: false,
        diff: {
          path: 'CRM/People/Mara Lindholt.md',
          kind: 'modified',
          properties: [{ key: 'last_contact', line: 7, before: '2026-11-04', after: '2026-11-20' }],
          hunks: [
            {
              skipped: 13,
              lines: [
                line('context', 22, 22, '## Log'),
                line('added', null, 23, ['- 2026-11-20 Signed by phone, starts in January. See [[Harborline rollout]]']),
              ],
            },
          ],
          tail_skipped: 4,
          summary: '1 property, 1 line added',
        },
      },
      {
        path: 'Daily/2026-11-20.md',
        kind: 'modified',
        call: 'c1',
        undone: false,
        edited_since: true,
        diff: {
          path: 'Daily/2026-11-20.md',
          kind: 'modified',
          properties: [],
          hunks: [
            {
              skipped: 8,
              lines: [line('context', 9, 9, '## Calls'), line('added', null, 10, ['- [[Mara Lindholt]]: Harborline signed'])],
            },
          ],
          tail_skipped: 0,
          summary: '1 line added',
        },
      },
    ],
  },
  {
    id: 'set2',
    kind: 'turn',
    at: local('13:58'),
    author: 'by you',
    label: 'Set next contact for Odile Farrow',
    state: 'committed',
    session: 'harborline',
    undone_at: null,
    notes: [
      {
        path: 'CRM/People/Odile Farrow.md',
        kind: 'modified',
        call: 'c0',
        undone: false,
        edited_since: false,
        diff: {
          path: 'CRM/People/Odile Farrow.md',
          kind: 'modified',
          properties: [{ key: 'next_contact', line: 8, before: null, after: '2026-11-26' }],
          hunks: [],
          tail_skipped: 0,
          summary: '1 property, nothing else in the note',
        },
      },
    ],
  },
  {
    id: 'set1',
    kind: 'turn',
    at: local('13:40'),
    author: 'by you',
    label: 'Set close date of Solvane survey',
    state: 'undone',
    session: 'harborline',
    undone_at: local('13:41'),
    notes: [
      {
        path: 'CRM/Deals/Solvane survey.md',
        kind: 'modified',
        call: 'b9',
        undone: true,
        edited_since: false,
        diff: {
          path: 'CRM/Deals/Solvane survey.md',
          kind: 'modified',
          properties: [{ key: 'close_date', line: 9, before: '2026-12-01', after: '2026-12-15' }],
          hunks: [],
          tail_skipped: 0,
          summary: '1 property, nothing else in the note',
        },
      },
    ],
  },
];

const problems: ProblemView[] = [
  {
    path: 'CRM/Deals/Arden fit-out.md',
    line: 4,
    problem: 'Stage “nego” is not one of the stages.',
    remedy: 'Choose one of lead, contacted, qualified, proposal, won, lost.',
  },
  { path: 'CRM/Deals/Arden fit-out.md', line: 7, problem: 'A tab cannot indent.', remedy: 'Use spaces.' },
  {
    path: 'Daily/2026-11-19.sync-conflict-20261119-181203-K3PLQ7A.md',
    line: 1,
    problem: 'This is a copy that a sync program made of Daily/2026-11-19.md.',
    remedy: 'Keep what is right in the note and delete the copy.',
  },
];

/** A change set that was cut off while it changed so many notes. */
export function interruptedSet(count: number, more: Partial<ChangeSetView> = {}): ChangeSetView {
  return {
    id: 'cut',
    kind: 'turn',
    at: local('14:20'),
    author: 'by you',
    label: 'Tag the contacts by region',
    state: 'interrupted',
    session: 'dividends',
    undone_at: null,
    notes: Array.from({ length: count }, (_, at) => {
      const path = `CRM/People/Contact ${at + 1}.md`;
      const diff: NoteDiffView = { path, kind: 'modified', properties: [], hunks: [], tail_skipped: 0, summary: '' };
      return { path, kind: 'modified', call: 'c1', undone: false, edited_since: false, diff };
    }),
    ...more,
  };
}

function note(path: string, properties: [string, string][], html: string): [string, NoteView] {
  return [path, { path, name: path.slice(path.lastIndexOf('/') + 1, -3), properties, html, broken: null }];
}

const notes: Record<string, NoteView> = Object.fromEntries([
  note(
    'CRM/People/Jane Doe.md',
    [
      ['type', 'contact'],
      ['name', 'Jane Doe'],
      ['company', 'Quillon Labs'],
      ['email', 'jane@quillon.example'],
      ['stage', 'proposal'],
      ['last_contact', '2026-11-12'],
      ['next_contact', '2026-11-24'],
    ],
    '<h2>Log</h2><ul><li>2026-11-12 Asked for the revised proposal, see <a data-note="Quillon proposal">Quillon proposal</a></li><li>2026-10-30 First call</li></ul>',
  ),
  note(
    'CRM/People/Ilse Brandvik.md',
    [
      ['type', 'contact'],
      ['name', 'Ilse Brandvik'],
      ['company', 'Fernhill Dairy'],
      ['next_contact', '2026-11-17'],
    ],
    '<h2>Log</h2><ul><li>2026-11-03 Wants the quote with cooling units</li></ul>',
  ),
  note(
    'CRM/People/Mara Lindholt.md',
    [
      ['type', 'contact'],
      ['name', 'Mara Lindholt'],
      ['company', 'Harborline'],
      ['stage', 'customer'],
      ['last_contact', '2026-11-20'],
    ],
    '<h2>Log</h2><ul><li>2026-11-20 Signed by phone, starts in January. See <a data-note="Harborline rollout">Harborline rollout</a></li></ul>',
  ),
]);

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

/** Calls spread over the last days as people work: not on Sundays, more in the middle of the week. */
function daysOf(calls: number): SkillRow['usage']['days'] {
  const shares = [2, 5, 3, 8, 4, 0, 1, 4, 9, 6, 3, 0, 2, 5];
  const whole = shares.reduce((sum, share) => sum + share, 0);
  const each = shares.map((share, at): [string, number] => [
    new Date(sampleNow.getTime() - (13 - at) * 86_400_000).toISOString().slice(0, 10),
    Math.round((calls / 2) * (share / whole)),
  ]);
  return Object.fromEntries(each.filter(([, number]) => number > 0));
}

const skills: SkillRow[] = [
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

const tools: ToolRow[] = [
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

/** What the assistant wrote: a new tool, a new version of one, and one that does not load. */
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

/** Tools from files in each state that such a tool can be in. */
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

/** One that is used, one that a tool lacks, one that has to be signed in for again. */
export function sampleCredentials(): CredentialsView {
  return {
    kept_in: 'keychain',
    problem: null,
    credentials: [
      {
        name: 'mail/login',
        state: 'needs_sign_in',
        reason: 'login.example.com refused to renew it (invalid_grant)',
        sign_in: true,
        wanted_by: [],
        grants: [],
      },
      {
        name: 'openai/key',
        state: 'kept',
        reason: null,
        sign_in: false,
        wanted_by: ['provider:openai', 'tool:dynamic.draw'],
        grants: [
          { consumer: 'provider:openai', destination: 'https://api.openai.com:443', in_force: true },
          { consumer: 'tool:dynamic.draw', destination: 'images.example.com', in_force: false },
        ],
      },
      { name: 'weather/key', state: 'missing', reason: null, sign_in: false, wanted_by: ['tool:dynamic.weather'], grants: [] },
    ],
  };
}
