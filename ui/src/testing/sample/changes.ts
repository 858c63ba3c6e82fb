// Sample changes of notes.
import type { ChangeSetView, NoteDiffView } from '../../ipc';
import { local } from './time';

export const line = (kind: 'context' | 'added' | 'removed', old: number | null, next: number | null, ...words: (string | [string])[]) => ({
  kind,
  old,
  new: next,
  words: words.map((word) => (typeof word === 'string' ? { text: word, changed: false } : { text: word[0], changed: true })),
});

export const changes: ChangeSetView[] = [
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

/** A change set interrupted while it changed this many notes. */
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
