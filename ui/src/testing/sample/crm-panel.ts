// The panel of the sample's CRM, with the people and deals of the screenshots; all invented.

import type { PanelView, Params, Result } from '../../ipc';
import { answer, figure, panelOf } from '../panels';

export const crmPanel: PanelView = panelOf('crm', 'CRM', [
  {
    title: 'Pipeline',
    actions: [{ label: 'New deal', icon: 'plus', record: 'deal' }],
    parts: [
      {
        kind: 'summary',
        tool: 'pipeline',
        items: [
          { label: 'Open pipeline', at: '/open', format: 'money' },
          { label: 'Weighted by stage', at: '/weighted', format: 'money' },
          { label: 'Won this quarter', at: '/won', format: 'money' },
          { label: 'Follow-ups due', at: '/due', format: 'number', detail: '/overdue' },
        ],
      },
      {
        kind: 'board',
        tool: 'pipeline',
        columns: '/stages',
        rows: '/deals',
        column: 'stage',
        one: 'deal',
        many: 'deals',
        folded: ['lost'],
        title: 'title',
        detail: ['contact', 'company'],
        value: 'value',
        unit: 'currency',
        date: 'close_date',
        drop: { label: 'Move', tool: 'move_deal', args: { title: '{path}', stage: '{column}' } },
        actions: [{ label: 'Edit', icon: 'pencil', record: 'deal' }],
        empty: { text: 'No deals yet. A deal is a note in CRM/Deals.', action: { label: 'New deal', record: 'deal' } },
      },
      {
        kind: 'list',
        tool: 'follow_ups',
        place: 'side',
        heading: 'Follow-ups',
        rows: '/follow_ups',
        title: 'name',
        detail: ['company', 'about'],
        date: 'next_contact',
        group: 'group',
        groups: [
          { value: 'overdue', label: 'Overdue', late: true },
          { value: 'this_week', label: 'This week' },
          { value: 'later', label: 'Later' },
        ],
        sorts: [
          { label: 'Due first', by: 'next_contact' },
          { label: 'By name', by: 'name' },
        ],
        rest: { at: '/without_date', one: 'person without a date', many: 'people without a date', tab: 'People' },
        actions: [
          { label: 'Log contact', icon: 'check', tool: 'log_interaction', args: { name: '{path}' }, ask: true },
          { label: 'Move date', icon: 'calendar', tool: 'update_contact', args: { name: '{path}', next_contact: '{next_contact}' }, ask: true },
        ],
      },
    ],
  },
  {
    title: 'People',
    count: { tool: 'list_contacts', at: '/count' },
    actions: [{ label: 'New contact', icon: 'plus', record: 'contact' }],
    parts: [
      {
        kind: 'table',
        tool: 'list_contacts',
        rows: '/contacts',
        sort: 'name',
        columns: [
          { field: 'name', label: 'Name' },
          { field: 'company', label: 'Company', format: 'note' },
          { field: 'stage', label: 'Stage' },
          { field: 'email', label: 'E-mail' },
          { field: 'tags', label: 'Tags', format: 'tags' },
          { field: 'next_contact', label: 'Next contact', format: 'date' },
        ],
        actions: [
          { label: 'Log contact', icon: 'check', tool: 'log_interaction', args: { name: '{path}' }, ask: true },
          { label: 'Edit', icon: 'pencil', record: 'contact' },
        ],
      },
    ],
  },
]);

const deal = (title: string, stage: string, value: string, contact: string, company: string, close: string, late = false) => ({
  title,
  stage,
  value,
  currency: 'EUR',
  contact,
  company,
  close_date: close === '' ? null : close,
  ...(late ? { late } : {}),
  path: `CRM/Deals/${title}.md`,
});

const deals = [
  deal('Northgate retrofit', 'lead', '22000', '', 'Northgate Tooling', '2027-01-15'),
  deal('Solvane site survey', 'lead', '9400', '', 'Solvane Energy', ''),
  deal('Quillon licence renewal', 'contacted', '18500', 'Jane Doe', 'Quillon Labs', '2026-12-31'),
  deal('Brightwater line 2', 'qualified', '36000', 'Tomasz Wirek', 'Brightwater', '2027-02-28'),
  deal('Fernhill revised quote', 'proposal', '28000', 'Ilse Brandvik', 'Fernhill Dairy', '2026-11-17', true),
  deal('Pinecrest second clinic', 'proposal', '24000', 'Odile Farrow', 'Pinecrest', '2026-12-20'),
  deal('Harborline rollout', 'won', '48500', 'Mara Lindholt', 'Harborline', '2026-11-20'),
  deal('Pinecrest booking desk', 'won', '17800', 'Odile Farrow', 'Pinecrest', '2026-11-06'),
  deal('Tessel pilot', 'won', '12000', '', 'Tessel Robotics', '2026-10-22'),
  deal('Fernhill cold-chain audit', 'won', '8000', 'Ilse Brandvik', 'Fernhill Dairy', '2026-10-09'),
  deal('Solvane pilot', 'lost', '6200', '', 'Solvane Energy', '2026-09-30'),
  deal('Tessel second arm', 'lost', '9000', '', 'Tessel Robotics', '2026-08-12'),
];

const eur = (amount: string) => [{ amount, currency: 'EUR' }];
const dealNotes = deals.map(({ path }) => path);
const openNotes = [0, 1, 2, 3, 4, 5];

/** The pipeline with these deals; its totals are hard-coded for the sample. */
const pipeline = answer(
  {
    stages: [
      { stage: 'lead', count: 2, total: eur('31400') },
      { stage: 'contacted', count: 1, total: eur('18500') },
      { stage: 'qualified', count: 1, total: eur('36000') },
      { stage: 'proposal', count: 2, total: eur('52000') },
      { stage: 'won', count: 4, total: eur('86300') },
      { stage: 'lost', count: 2, total: eur('15200') },
    ],
    deals,
    open: eur('137900'),
    weighted: eur('52440'),
    won: eur('86300'),
    due: 4,
    overdue: '2 overdue',
    problems: [
      {
        path: 'CRM/Deals/Arden fit-out.md',
        line: 4,
        problem: 'Arden fit-out is not on the board: stage “nego” is not one of the stages',
        remedy: 'Choose a stage.',
      },
    ],
  },
  dealNotes,
  [
    figure('/open/0/amount', 'Open pipeline', '137900', 'EUR', {
      formula: 'Σ value of the deals that are neither won nor lost',
      parts: ['lead 31400', 'contacted 18500', 'qualified 36000', 'proposal 52000'].map((text) => {
        const [label = '', value = ''] = text.split(' ');
        return { label, value, unit: 'EUR', caution: null };
      }),
      sources: openNotes,
    }),
    figure('/weighted/0/amount', 'Weighted by stage', '52440', 'EUR', { formula: 'Σ value × probability', sources: openNotes }),
    figure('/won/0/amount', 'Won this quarter', '86300', 'EUR', { sources: [6, 7, 8, 9] }),
  ],
);

const person = (name: string, company: string, about: string, next_contact: string, group: string) => ({
  name,
  company,
  about,
  next_contact,
  group,
  path: `CRM/People/${name}.md`,
});

const followUps = [
  person('Ilse Brandvik', 'Fernhill Dairy', 'revised quote', '2026-11-17', 'overdue'),
  person('Tomasz Wirek', 'Brightwater Optics', 'site visit', '2026-11-19', 'overdue'),
  person('Jane Doe', 'Quillon Labs', 'renewal terms', '2026-11-24', 'this_week'),
  person('Odile Farrow', 'Pinecrest Clinics', 'floor plan', '2026-11-26', 'this_week'),
  person('Mara Lindholt', 'Harborline Logistics', 'kick-off', '2026-12-01', 'later'),
  person('Ravi Penhale', 'Tessel Robotics', 'pilot review', '2026-12-03', 'later'),
  person('Noor Castellane', 'Solvane Energy', 'no deal yet', '2026-12-08', 'later'),
];

const contacts = followUps.map(({ name, company, next_contact, path }, at) => ({
  name,
  company: `[[${company}]]`,
  stage: ['customer', 'lead', 'customer', 'customer', 'customer', 'customer', 'lead'][at] ?? '',
  email: `${name.toLowerCase().replace(' ', '.')}@example.net`,
  tags: at % 3 === 0 ? ['food', 'north'] : ['north'],
  next_contact,
  path,
}));

/** The output of CRM's tools; nothing for other tools. */
export function crmAnswer({ tool }: Params<'call_tool'>): Result<'call_tool'> | null {
  switch (tool) {
    case 'crm.pipeline':
      return pipeline;
    case 'crm.follow_ups':
      return answer({ follow_ups: followUps, without_date: 31 }, followUps.map(({ path }) => path));
    case 'crm.list_contacts':
      return answer({ contacts, count: contacts.length }, contacts.map(({ path }) => path));
    case 'crm.move_deal':
      return { ...answer({ stage: 'won' }), changes: [{ path: 'CRM/Deals/Pinecrest second clinic.md', kind: 'modified' }], change_set: 'set9' };
    default:
      return null;
  }
}
