// The records page for a vault that marks people by category.

import type { FieldPreview, JsonValue, RecordsPreview, RulePreview } from '../../ipc';

const rule = (entry: { [key: string]: string }, words: string, more: Partial<RulePreview>): RulePreview => ({
  entry, words, used: false, notes: 0, more: 0, examples: [], confidence: 'sure', reason: '', fault: null, ...more,
});

const field = (name: string, property: string, notes: number, examples: string[], more: Partial<FieldPreview> = {}): FieldPreview => ({
  field: name, label: name.charAt(0).toUpperCase() + name.slice(1).replace('_', ' '), property, may_be_file_name: name === 'name', suggested: null,
  notes, examples, odd: 0, needs: 'a text', confidence: 'sure', choices: [], values: [], ...more,
});

export function sampleRecordsPage(): RecordsPreview {
  const match: JsonValue = [{ where: 'categories contains [[People]]' }, { folder: 'People' }];
  const own = { match, folder: 'People', template: 'Templates/Person.md', names: { name: '$file', company: 'org', email: 'mail' }, fields: { birthday: { kind: 'date' } }, values: { stage: { active: 'customer', dormant: null } } };
  return {
    skill: 'crm', record_type: 'contact', label: 'Contact', is_own: false, read: 412,
    types: [{ record_type: 'contact', label: 'Contact', notes: 184 }, { record_type: 'company', label: 'Company', notes: 61 }, { record_type: 'deal', label: 'Deal', notes: 0 }],
    own, in_force: null, config: { records: { contact: own } }, faults: [],
    rules: [
      rule({ where: 'categories contains [[People]]' }, 'categories contains [[People]]', { used: true, notes: 176, more: 176, examples: ['Ilse Brandvik.md', 'Odile Farrow.md'], reason: '158 have email' }),
      rule({ folder: 'People' }, 'in People/', { used: true, notes: 158, more: 8, confidence: 'likely', reason: '8 have no category yet' }),
      rule({ tag: 'person' }, '#person', { notes: 15, more: 6, confidence: 'unlikely', reason: '6 have no property of its fields' }),
    ],
    fields: [
      field('name', '$file', 184, ['Ilse Brandvik', 'Odile Farrow']),
      field('company', 'org', 161, ['[[Fernhill Dairy]]', '[[Quillon Labs]]'], { needs: 'a link' }),
      field('email', 'mail', 158, ['ilse@fernhill.example']),
      field('phone', 'phone', 0, [], { suggested: 'tel' }),
      field('last_contact', 'last', 121, ['2026-11-16', 'spring'], { odd: 7, needs: 'a date', confidence: 'likely' }),
      field('stage', 'status', 88, ['active', 'dormant', 'warm?'], {
        odd: 2, needs: 'one of lead, customer', choices: ['lead', 'customer'],
        values: [
          { value: 'active', notes: 41, meaning: { kind: 'choice', choice: 'customer' } },
          { value: 'dormant', notes: 15, meaning: { kind: 'nothing' } },
          { value: 'warm?', notes: 2, meaning: { kind: 'open' } },
        ],
      }),
    ],
    properties: ['org', 'mail', 'last', 'status', 'tel', 'birthday', 'met_at'].map((property, at) => ({ property, notes: 100 - at })),
    own_fields: [
      { property: 'birthday', kind: 'date', used: true, notes: 64, examples: ['1984-03-02', '12 May'], odd: 2, values: [] },
      { property: 'met_at', kind: 'link', used: false, notes: 22, examples: ['[[Lisbon offsite]]'], odd: 0, values: [] },
      { property: 'mood', kind: 'text', used: false, notes: 9, examples: ['merry', 'calm'], odd: 0, values: ['merry', 'calm'] },
    ],
    taken: 184,
    left_out: [{ what: '#person', field: null, values: [], notes: 6, paths: ['Meetings/Monday.md'] }, { what: 'in the templates folder', field: null, values: [], notes: 4, paths: ['Templates/Person.md'] }],
    not_understood: [
      { what: '`last` is not a date', field: 'last_contact', values: ['spring', 'Q3'], notes: 7, paths: ['People/Odile Farrow.md'] },
      { what: '`status` is not one of lead, customer', field: 'stage', values: ['warm?'], notes: 2, paths: ['People/Pia Lund.md'] },
    ],
    shared: [],
    broken: [],
    private: [],
    note: {
      at: 0, path: 'People/Ilse Brandvik.md',
      values: [
        { field: 'name', value: 'Ilse Brandvik', from: 'file name', understood: true },
        { field: 'company', value: 'Fernhill Dairy', from: 'org, line 4', understood: true },
        { field: 'last_contact', value: '', from: 'last: spring, line 7', understood: false },
      ],
    },
    new_notes: { folder: 'People', mark: 'categories: [[People]]', template: 'Templates/Person.md' },
    takes_nearly_all: null,
  };
}
