import { describe, expect, it } from 'vitest';

import type { JsonValue } from '../ipc';
import { noteIn } from '../shared/note-in';
import { belowHeadline, headlineOf, sectionsOf } from './result-shape';

/** The layout of a value: one line per section. */
function layout(value: JsonValue, sections = sectionsOf(value)): string[] {
  return sections.map((section) => {
    const title = section.title === '' ? '' : ` "${section.title}"`;
    switch (section.kind) {
      case 'table':
        return `table${title}: ${section.columns.map(({ label, figures }) => (figures ? `${label} #` : label)).join(' | ')}, ${section.rows.length} rows`;
      case 'pairs':
        return `pairs${title}: ${section.pairs.map(([label]) => label).join(' | ')}`;
      case 'text':
        return `text${title}: ${section.text}`;
      case 'json':
        return `json${title}`;
    }
  });
}

describe('the layout of a value', () => {
  it('is a table for a list of objects, with figures on the right', () => {
    const deals: JsonValue = [
      { title: 'Harborline', value: '12400.00', close_date: '2026-12-18', id: '007' },
      { title: 'Arden', value: 900, probability: null, id: '12' },
    ];
    expect(layout(deals)).toEqual(['table: Title | Value # | Close date | Id | Probability, 2 rows']);
  });

  it('has no column for note paths that names link to', () => {
    const contacts: JsonValue = [{ name: 'Jane', stage: 'lead', path: 'CRM/Jane.md' }, { name: 'Mara', path: 'CRM/Mara.md' }];
    expect(layout(contacts)).toEqual(['table: Name | Stage, 2 rows']);
    expect(sectionsOf(contacts)).toMatchObject([{ columns: [{ key: 'name', note: 'path' }, { key: 'stage' }] }]);
    // Except if a path is no note, or nothing names it.
    expect(layout([{ name: 'Jane', path: 'CRM/Jane.md' }, { name: 'A', path: 'a.csv' }])).toEqual(['table: Name | Path, 2 rows']);
    expect(layout([{ line: 3, path: 'CRM/Jane.md' }])).toEqual(['table: Line # | Path, 1 rows']);
  });

  it('has pairs first, then larger values', () => {
    const value = {
      month: '2026-11',
      total: '434.15',
      tags: ['a', 'b'],
      categories: [{ name: 'groceries' }],
      empty: [],
      raw: { a: { b: 1 } },
    };
    expect(layout(value)).toEqual([
      'pairs: Month | Total | Tags',
      'table "Categories": Name, 1 rows',
      'text "Empty": ',
      'json "Raw"',
    ]);
  });

  it('gives a long text its own section', () => {
    expect(layout({ path: 'a.md', content: 'one\ntwo\nthree\nfour\nfive' })).toEqual([
      'pairs: Path',
      'text "Content": one\ntwo\nthree\nfour\nfive',
    ]);
  });

  it.each<[JsonValue, string[]]>([
    ['done', ['text: done']],
    [['a', 'b'], ['text: a\nb']],
    [[{ a: 1 }, 2], ['json']],
    [null, ['text: ']],
  ])('of %j is %j', (value, expected) => expect(layout(value)).toEqual(expected));
});

it.each<[JsonValue, string]>([
  [{ deals: [{ a: 1 }, { a: 2 }], total: 3 }, '2 deals'],
  [{ entries: [{ a: 1 }] }, '1 entry'],
  [[{ a: 1 }], '1 row'],
  [{ contacts: [] }, 'No contacts'],
  [[], '0 results'],
  [{ path: 'a.md' }, 'Done'],
])('the headline of %j is "%s"', (value, expected) => expect(headlineOf(value)).toBe(expected));

it.each<[JsonValue, string | null]>([
  ['CRM/People/Jane Doe.md', 'CRM/People/Jane Doe.md as Jane Doe'],
  ['[[Jane Doe]]', 'Jane Doe as Jane Doe'],
  ['[[CRM/People/Jane Doe#Log|Jane]]', 'CRM/People/Jane Doe as Jane'],
  ['readme', null],
  ['see [[Jane Doe]]', null],
  [12, null],
])('%j names the note %s', (value, expected) => {
  const found = noteIn(value);
  expect(found && `${found.note} as ${found.label}`).toBe(expected);
});

describe('below the headline', () => {
  const below = (value: JsonValue) => layout(value, belowHeadline(sectionsOf(value)));
  const contacts = [{ name: 'Jane' }, { name: 'Mara' }];

  it('omits a count equal to the only table’s rows', () => {
    expect(below({ count: 2, contacts })).toEqual(['table "Contacts": Name, 2 rows']);
    expect(below({ count: 2, stage: 'lead', contacts })).toEqual(['pairs: Stage', 'table "Contacts": Name, 2 rows']);
  });

  it('keeps other counts', () => {
    expect(below({ count: 40, contacts })).toEqual(['pairs: Count', 'table "Contacts": Name, 2 rows']);
    expect(below({ count: 2, contacts, deals: contacts })[0]).toBe('pairs: Count');
    expect(below({ count: 2 })).toEqual(['pairs: Count']);
  });
});
