import { act, screen, waitFor } from '@testing-library/react';
import userEvent from '@testing-library/user-event';
import { afterEach, expect, test, vi } from 'vitest';

import { Conversation } from './Conversation';
import { block, completed, openChat, started, turnStarted } from './fixture';

afterEach(() => vi.restoreAllMocks());

const file = (name: string, text: string) => `Attached file: ${name}\n\n\`\`\`\n${text}\n\`\`\``;
const message = `Compare May\n\n${file('a.csv', 'June,1')}\n\n${file('b.csv', 'May,2\nJuly,3')}`;

async function find(words: string, ...more: Parameters<typeof openChat>[1]) {
  const app = await openChat(<Conversation />, [turnStarted(message), ...more]);
  act(() => app.store.actions.setFind(''));
  await userEvent.type(screen.getByTestId('find-field'), words);
  return app;
}

const count = (text: string) => waitFor(() => expect(screen.getByTestId('find-count')).toHaveTextContent(text));
const open = () => screen.getAllByTestId<HTMLDetailsElement>('sent-file').map((details) => details.open);

test('going to a match in a collapsed file opens it', async () => {
  await find('may', block('m', 0, '<p>May it be.</p>'));
  await count('1 of 3');
  expect(open()).toEqual([false, false]);
  await userEvent.keyboard('{Enter}');
  await count('2 of 3');
  expect(open()).toEqual([false, true]);
  await userEvent.keyboard('{Enter}');
  await count('3 of 3');
  expect(open()).toEqual([false, false]);
  await userEvent.keyboard('{Shift>}{Enter}{/Shift}');
  await count('2 of 3');
  // It stays open after the search is closed there.
  await userEvent.keyboard('{Escape}');
  expect(screen.queryByTestId('find')).toBeNull();
  expect(open()).toEqual([false, true]);
});

test('a match in a collapsed file is shown at once; a partial one is not', async () => {
  const scrolled = vi.spyOn(Element.prototype, 'scrollIntoView');
  await find('july');
  await count('1 of 1');
  expect(open()).toEqual([false, true]);
  expect(scrolled.mock.contexts.at(-1)).toBe(screen.getByText(/July,3/));
});

test('the content of a closed card is not rendered, and not counted', async () => {
  await find('harborline', started('c', 'crm.get_contact', 'read', {}), completed('c', { name: 'x', city: 'Harborline' }));
  await count('None');
});
