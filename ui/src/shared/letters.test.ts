import { describe, expect, test } from 'vitest';

import { matchName, matchSentence } from './letters';

/** "[up]date" for the matching letters, after the kind of match. */
function check(query: string, name: string, expected: string | null, match = matchName) {
  const found = match(query, name);
  let shown = name;
  for (const [start, end] of [...(found?.ranges ?? [])].reverse()) shown = `${shown.slice(0, start)}[${shown.slice(start, end)}]${shown.slice(end)}`;
  expect(found && `${found.kind} ${shown}`).toBe(expected);
}

test('prefix, word start, substring, and subsequence', () => {
  check('up', 'update_contact', 'prefix [up]date_contact');
  check('up', 'follow_ups', 'word follow_[up]s');
  check('up', 'Lookup', 'inside Look[up]');
  check('uc', 'update_contact', 'apart [u]pdate_[c]ontact');
  check('xy', 'update_contact', null);
});

test('the best position counts, not the first', () => {
  check('con', 'second_contact', 'word second_[con]tact');
});

test('a subsequence is matched as closely as possible', () => {
  check('lc', 'list_all_contacts', 'apart list_al[l]_[c]ontacts');
  expect(matchName('lc', 'list_all_contacts')?.gaps).toBe(1);
});

describe('letters are the same', () => {
  test('ignoring case, accents and width', () => {
    check('CRM', 'crm', 'prefix [crm]');
    check('resume', 'Résumé', 'prefix [Résumé]');
    check('crm', 'ＣＲＭ', 'prefix [ＣＲＭ]');
  });

  test('and a ligature is marked as a whole', () => {
    check('fi', 'ﬁnd', 'prefix [ﬁ]nd');
  });

  test('and _ equals -', () => {
    check('move-deal', 'move_deal', 'prefix [move_deal]');
  });
});

test('a capital starts a word in a name without separators', () => {
  check('issue', 'createIssue', 'word create[Issue]');
});

test('a single letter only matches a word start', () => {
  check('u', 'follow_ups', 'word follow_[u]ps');
  check('o', 'follow_ups', null);
});

test('a sentence only matches at word starts', () => {
  check('quote', 'Last quotes of symbols', 'word Last [quote]s of symbols', matchSentence);
  check('uote', 'Last quotes of symbols', null, matchSentence);
  check('l', 'Last quotes', null, matchSentence);
});

test('an empty name, and a query longer than the name', () => {
  check('', 'crm', null);
  check('crm', '', null);
  check('crmm', 'crm', null);
  check('💡', '💡 ideas', 'prefix [💡] ideas');
});
