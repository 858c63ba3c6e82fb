import { screen, within } from '@testing-library/react';
import userEvent from '@testing-library/user-event';
import { expect, test } from 'vitest';

import type { EventBody, NoteDiffView } from '../ipc';
import { Conversation } from './Conversation';
import { asked, completed, failed, openChat, started, startedWithin, turnStarted } from './fixture';

const SOURCE = "for (const name of names) {\n  await tools.crm.update_contact({ name, stage: 'won' })\n}\n";

const diff = (name: string): NoteDiffView => ({
  path: `CRM/People/${name}.md`,
  kind: 'modified',
  properties: [{ key: 'stage', line: 5, before: 'lead', after: 'won' }],
  hunks: [],
  tail_skipped: 0,
  summary: '1 property, nothing else in the note',
});

const script = (): EventBody[] => [turnStarted(), started('c', 'core.run_code', 'write', { source: SOURCE })];

const inner = (id: string, tool: string, effect: 'read' | 'write' | 'external', output: unknown = []): EventBody[] => [
  startedWithin('c', id, tool, effect, { stage: 'won' }),
  completed(id, output as never),
];

const question = (decisions: ('once' | 'session' | 'deny')[] = ['once', 'session', 'deny']) =>
  asked('c', { args: { source: SOURCE }, decisions, editable: false, question: 'Change 2 notes?', diff: [diff('Jane Doe'), diff('Mara Lindholt')] });

const rows = () => screen.getAllByTestId('script-call').map((row) => row.textContent);

test('the card lists the script’s calls with their decisions', async () => {
  await openChat(<Conversation />, [
    ...script(),
    ...inner('c.1', 'crm.list_deals', 'read', [{}, {}]),
    ...inner('c.2', 'crm.update_contact', 'write', {}),
    ...inner('c.3', 'crm.update_contact', 'write', {}),
    startedWithin('c', 'c.4', 'mail.list', 'external'),
    failed('c.4', 'denied_by_rule'),
    question(),
  ]);
  expect(rows()).toEqual([
    'crm.list_dealsstage won: 2 dealsreads runread',
    'crm.update_contact2 times, as one draftasks herewrite',
    'mail.listrefused by a ruleShow ruleexternal',
  ]);
  const card = screen.getByTestId('approval-card');
  expect(card).toHaveTextContent('script of 3 lines, made 4 calls, each by its own rule');
  expect(card).toHaveTextContent('2 notesCRM/People1 property each, nothing else');
  expect(within(card).queryByTestId('approval-always')).toBeNull();
  expect(screen.queryAllByTestId('tool-card')).toEqual([]);
});

test('the script and each diff open on request', async () => {
  await openChat(<Conversation />, [...script(), question()]);
  const user = userEvent.setup();
  expect(screen.queryByTestId('script-source')).toBeNull();
  await user.click(screen.getByTestId('show-script'));
  expect(screen.getByTestId('script-source')).toHaveTextContent('await tools.crm.update_contact');
  await user.click(screen.getByRole('button', { name: /Jane Doe/ }));
  expect(screen.getByRole('group', { name: 'Changes in CRM/People/Jane Doe.md' })).toBeVisible();
});

test('a call of the script that asks has its own card', async () => {
  await openChat(<Conversation />, [
    ...script(),
    startedWithin('c', 'c.1', 'portfolio.quote', 'external'),
    asked('c.1', { question: 'Send this to quotes.example?', host: 'quotes.example', args: {} }),
  ]);
  expect(screen.getByTestId('approval-card')).toHaveTextContent('Send this to quotes.example?');
  expect(screen.getByTestId('tool-card')).toHaveAttribute('data-tool', 'core.run_code');
});

test('the card of a finished script shows its calls and its source', async () => {
  await openChat(<Conversation />, [...script(), ...inner('c.1', 'crm.list_deals', 'read', [{}]), completed('c', 12)]);
  const [card, ...others] = screen.getAllByTestId('tool-card');
  expect(others).toEqual([]);
  expect(card).toHaveTextContent('script of 3 lines: 12');
  await userEvent.setup().click(within(card!).getByRole('button', { name: /core.run_code/ }));
  expect(rows()).toEqual(['crm.list_dealsstage won: 1 dealreads runread']);
  expect(screen.getByTestId('script-source')).toHaveTextContent('for (const name of names)');
});

test('a repeated call replaces the first', async () => {
  await openChat(<Conversation />, [...script(), ...inner('c.1', 'crm.list_deals', 'read', [{}]), ...inner('c.1', 'crm.list_deals', 'read', [{}, {}]), question()]);
  expect(rows()).toEqual(['crm.list_dealsstage won: 2 dealsreads runread']);
});
