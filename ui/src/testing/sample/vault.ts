// Notes, and their problems.
import type { NoteView, ProblemView, VaultPage } from '../../ipc';

export const problems: ProblemView[] = [
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

function note(path: string, properties: [string, string][], html: string): [string, NoteView] {
  return [path, { path, name: path.slice(path.lastIndexOf('/') + 1, -3), properties, html, broken: null }];
}

export const notes: Record<string, NoteView> = Object.fromEntries([
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

export const vaultPage: VaultPage = {
  open: {
    path: '/home/mara/Documents/Work vault',
    shown: '~/Documents/Work vault',
    records: [
      { record_type: 'contact', notes: 38 },
      { record_type: 'deal', notes: 13 },
    ],
    one_step: true,
    history: {
      changes: 1284,
      bytes: 212_000_000,
      oldest: '2026-10-24T09:12:00Z',
      days: 30,
      most_bytes: 1_000_000_000,
      at_least: 50,
      older: [
        { days: 14, changes: 402, bytes: 96_000_000 },
        { days: 7, changes: 811, bytes: 150_000_000 },
        { days: 1, changes: 1180, bytes: 201_000_000 },
        { days: 0, changes: 1234, bytes: 208_000_000 },
      ],
    },
  },
  recent: [
    { path: '/home/mara/Nova sample', shown: '~/Nova sample', name: 'Nova sample', notes: 23, opened: '2026-11-12T10:00:00Z', missing_since: null },
    { path: '/home/mara/Documents/House', shown: '~/Documents/House', name: 'House', notes: 96, opened: '2026-11-02T10:00:00Z', missing_since: null },
    { path: '/media/backup/Archive 2024', shown: '/media/backup/Archive 2024', name: 'Archive 2024', notes: null, opened: '2026-11-01T10:00:00Z', missing_since: '2026-11-03T10:00:00Z' },
  ],
  private: [
    { entry: 'Health', is_note: false, notes: 14 },
    { entry: 'CRM/Contracts', is_note: false, notes: 9 },
  ],
  own_private: [{ path: 'Private/Salary 2026.md', unreadable: false }],
  private_notes: 24,
  roots: [
    { path: '/home/mara/Documents/Invoices', shown: '~/Documents/Invoices', links: ['Invoices'], found: true },
    { path: '/home/mara/Code/site', shown: '~/Code/site', links: [], found: true },
  ],
};
