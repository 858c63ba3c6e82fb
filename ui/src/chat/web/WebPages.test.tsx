import { screen, within } from '@testing-library/react';
import userEvent from '@testing-library/user-event';
import { expect, test } from 'vitest';

import { Conversation } from '../Conversation';
import { block, completed, openChat, started, turnStarted } from '../fixture';

const PRICES = 'https://quillon.example/prices';

const answer = `<p>The licence is €1,480 a year <a href="${PRICES}#list">7</a>, as the <a href="${PRICES}">price list</a> says, not the <a href="https://other.example/">blog</a>.</p>`;

const events = [
  turnStarted('What does Quillon cost?'),
  started('a', 'core.web_fetch', 'external', { url: PRICES }),
  completed('a', { url: PRICES, title: 'Price list 2026', kind: 'page', words: 1840, text: 'The licence costs 1,480 euros.' }, {
    sources: [{ kind: 'web', url: PRICES, at: '2026-11-24T14:31:00', title: 'Price list 2026', date: '2026-11-02' }],
  }),
  block('m', 0, answer),
];

test('the card of a page is open and shows its name, date and taint', async () => {
  const { backend } = await openChat(<Conversation />, events);
  const card = screen.getByTestId('tool-card');
  expect(card).toHaveTextContent('quillon.example, main text of 1,840 words');
  const pages = within(card).getByTestId('web-pages');
  expect(pages).toHaveTextContent(/1\s*Price list 2026 quillon\.example, dated 2 Nov.*read 14:31/);
  expect(pages).toHaveTextContent('Text from the web. Mail and web ask each time for the rest of this turn.');
  await userEvent.click(within(pages).getByRole('button', { name: 'Price list 2026' }));
  expect(backend.asked('open_link')).toEqual([{ url: PRICES }]);
  await userEvent.click(within(pages).getByRole('button', { name: 'Show the text' }));
  expect(within(pages).getByLabelText('Text of the page')).toHaveTextContent('The licence costs 1,480 euros.');
});

test('the answer cites the page by its number, and no other page', async () => {
  const { backend } = await openChat(<Conversation />, events);
  const message = screen.getByTestId('message');
  const cited = within(message).getAllByRole('link', { name: /^Source 1: Price list 2026, quillon\.example, dated 2 Nov/ });
  expect(cited.map((link) => link.textContent)).toEqual(['1', '1']);
  expect(message).toHaveTextContent('€1,480 a year 1, as the price list1 says, not the blog.');
  await userEvent.click(cited[0]!);
  expect(backend.asked('open_link')).toEqual([{ url: `${PRICES}#list` }]);
});

test('pages found by a search are links with their excerpt', async () => {
  const { backend } = await openChat(<Conversation />, [
    turnStarted(),
    started('a', 'core.web_search', 'external', { query: 'heat pumps' }),
    completed('a', { searched: 'SearXNG', results: [{ title: 'Heat pumps', url: 'https://a.example/p', snippet: 'They pay off.', date: '2026-10-01' }] }),
  ]);
  const found = screen.getByRole('list', { name: 'Pages found' });
  expect(found).toHaveTextContent(/Heat pumps a\.example, 1 Oct.*They pay off\./);
  await userEvent.click(within(found).getByRole('button', { name: 'Heat pumps' }));
  expect(backend.asked('open_link')).toEqual([{ url: 'https://a.example/p' }]);
});
