// A chat in which a deal is moved.
import type { Effect, Envelope, EventBody, JsonValue, NoteDiffView } from '../../ipc';
import { local } from './time';

/** Wraps event bodies in envelopes of one session and turn, one second apart unless they have a time. */
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
