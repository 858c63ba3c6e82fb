import { expect, test } from 'vitest';

import { leavingOf, type TurnActivity } from './activity';

test('unsent notes are found quickly, even in a vault of 100,000 notes', () => {
  const read = Array.from({ length: 100_000 }, (_, at) => `CRM/People/${at}.md`);
  const sent = read.slice(0, -1);
  const activity = { host: 'ollama.com', read, sent } as unknown as TurnActivity;
  const begun = performance.now();
  expect(leavingOf(activity, null).kept).toEqual(['CRM/People/99999.md']);
  // Linear look-ups in a list would take many seconds.
  expect(performance.now() - begun).toBeLessThan(2_000);
});
