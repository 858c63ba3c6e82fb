import type { SkillRow } from '../ipc';

export const unused: SkillRow['usage'] = { activations: 0, calls: 0, errors: 0, mean_ms: null, last_used: null, tokens: 0, days: {} };

/** A working skill with one tool, never used. */
export function skillRow(id: string, part: Partial<SkillRow> = {}): SkillRow {
  return {
    id,
    name: id,
    version: '1.0',
    source: 'native',
    state: 'available',
    reason: null,
    description: '',
    mode: 'on_demand',
    lifetime: 'session',
    pinned: false,
    hidden: false,
    tools: [`${id}.run`],
    tokens: { catalog: 10, instructions: 200, schemas: 3000 },
    active_in: 0,
    usage: unused,
    tags: [],
    hints: [],
    examples: [],
    ...part,
  };
}
