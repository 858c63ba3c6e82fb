import { act, fireEvent, screen, within } from '@testing-library/react';
import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest';

import type { EventBody, NoteDiffView } from '../ipc';
import { Conversation } from './Conversation';
import { asked, openChat, started, turnStarted } from './fixture';

const diff = (path: string, after = 'won'): NoteDiffView => ({
  path,
  kind: 'modified',
  properties: [{ key: 'stage', line: 5, before: 'lead', after }],
  hunks: [],
  tail_skipped: 0,
  summary: '1 property, nothing else in the note',
});

beforeEach(() => {
  vi.useFakeTimers();
});
afterEach(() => {
  vi.useRealTimers();
});

/** Like a mouse click, which also focuses the button. */
const press = (button: HTMLElement) => {
  act(() => button.focus());
  fireEvent.click(button);
};

const wait = (ms: number) => act(() => vi.advanceTimersByTimeAsync(ms));

/** Opens a chat that asks, and waits until answers are accepted. */
async function waiting(...events: EventBody[]) {
  const app = await openChat(<Conversation />, [turnStarted(), ...events]);
  app.backend.on('revise_approval', () => ({}));
  return app;
}

const move = (more: Parameters<typeof asked>[1] = {}) => [
  started('c', 'crm.move_deal', 'write', { title: 'Rollout', stage: 'won' }),
  asked('c', { diff: [diff('CRM/Deals/Rollout.md')], ...more }),
];

describe('arming', () => {
  test('clicks and keys of the first 400 ms answer nothing', async () => {
    const { backend, session } = await waiting(...move());
    await wait(399);
    fireEvent.click(screen.getByTestId('approval-once'));
    fireEvent.keyDown(screen.getByTestId('approval-card'), { key: 'Enter', ctrlKey: true });
    fireEvent.click(screen.getByTestId('approval-deny'));
    await wait(0);
    expect(backend.asked('decide_approval')).toEqual([]);
    expect(screen.queryByTestId('approval-deny-send')).toBeNull();
    await wait(1);
    fireEvent.click(screen.getByTestId('approval-once'));
    await wait(0);
    expect(backend.asked('decide_approval')).toEqual([{ session, call: 'c', decision: 'once', revision: 1 }]);
  });

  test('Ctrl Enter in an empty composer answers the first card', async () => {
    const { backend, session } = await waiting(...move());
    const composer = screen.getByTestId('composer-input');
    act(() => composer.focus());
    fireEvent.keyDown(composer, { key: 'Enter', ctrlKey: true });
    await wait(400);
    expect(backend.asked('decide_approval')).toEqual([]);
    fireEvent.change(composer, { target: { value: 'Wait' } });
    await wait(0);
    fireEvent.keyDown(composer, { key: 'Enter', ctrlKey: true });
    await wait(0);
    expect(backend.asked('decide_approval')).toEqual([]);
    fireEvent.change(composer, { target: { value: '' } });
    await wait(0);
    fireEvent.keyDown(composer, { key: 'Enter', ctrlKey: true });
    await wait(0);
    expect(backend.asked('decide_approval')).toEqual([{ session, call: 'c', decision: 'once', revision: 1 }]);
  });

  test('a renewed diff is armed again, and the answer refers to it', async () => {
    const { backend, say } = await waiting(...move());
    await wait(400);
    await say(asked('c', { revision: 2, diff: [diff('CRM/Deals/Rollout.md', 'lost')] }));
    expect(screen.getByText(/Diff updated, look again/)).toBeVisible();
    expect(screen.getByTestId('approval-once')).toBeDisabled();
    await wait(400);
    expect(screen.getByTestId('approval-once')).toBeEnabled();
    fireEvent.click(screen.getByTestId('approval-session'));
    await wait(0);
    expect(backend.asked('decide_approval')).toEqual([expect.objectContaining({ decision: 'session', revision: 2 })]);
  });

  test('two clicks are one answer', async () => {
    const { backend } = await waiting(...move());
    await wait(400);
    fireEvent.click(screen.getByTestId('approval-once'));
    fireEvent.click(screen.getByTestId('approval-once'));
    await wait(0);
    expect(backend.asked('decide_approval')).toHaveLength(1);
  });
});

describe('a note to be moved', () => {
  test('shows its old path', async () => {
    const moved: NoteDiffView = { ...diff('Friends/Jane Doe.md'), kind: 'renamed', from: 'CRM/People/Jane Doe.md', properties: [], summary: 'moved' };
    await waiting(...move({ diff: [moved] }));
    expect(screen.getByText('moved from', { exact: false })).toHaveTextContent('moved from CRM/People/Jane Doe.md');
    expect(screen.getByText('Only the name changed.')).toBeVisible();
  });
});

describe('answers', () => {
  test('Ctrl Enter inside the card allows once', async () => {
    const { backend } = await waiting(...move());
    await wait(400);
    fireEvent.keyDown(screen.getByTestId('approval-card'), { key: 'Enter', ctrlKey: true });
    await wait(0);
    expect(backend.asked('decide_approval')).toEqual([expect.objectContaining({ decision: 'once' })]);
  });

  test('Deny asks for a reason in one line; Esc goes back, Enter sends', async () => {
    const { backend } = await waiting(...move());
    await wait(400);
    press(screen.getByTestId('approval-deny'));
    const reason = screen.getByLabelText('Reason, optional');
    expect(reason).toHaveFocus();
    fireEvent.keyDown(reason, { key: 'Escape' });
    expect(screen.getByTestId('approval-once')).toBeVisible();
    expect(backend.asked('stop_turn')).toEqual([]);
    expect(screen.getByTestId('approval-deny')).toHaveFocus();
    press(screen.getByTestId('approval-deny'));
    press(screen.getByRole('button', { name: 'Back' }));
    expect(screen.getByTestId('approval-deny')).toHaveFocus();
    press(screen.getByTestId('approval-deny'));
    fireEvent.change(screen.getByLabelText('Reason, optional'), { target: { value: ' keep it ' } });
    fireEvent.submit(screen.getByLabelText('Reason, optional'));
    await wait(0);
    expect(backend.asked('decide_approval')).toEqual([expect.objectContaining({ decision: 'deny', reason: 'keep it' })]);
  });

  test('Always shows the rule before it is written', async () => {
    const { backend } = await waiting(...move());
    await wait(400);
    fireEvent.click(screen.getByTestId('approval-always'));
    await wait(200);
    expect(screen.getByRole('dialog')).toHaveTextContent('allow crm__move_deal');
    expect(backend.asked('decide_approval')).toEqual([]);
    fireEvent.click(screen.getByTestId('approval-always-confirm'));
    await wait(0);
    expect(backend.asked('decide_approval')).toEqual([expect.objectContaining({ decision: 'always' })]);
  });

  test('only offered answers can be given', async () => {
    await waiting(started('c', 'mail.send', 'send'), asked('c', { question: 'Send 1 mail?', decisions: ['once', 'deny'], editable: false }));
    const buttons = within(screen.getByTestId('approval-card')).getAllByRole('button').map((button) => button.dataset['testid']);
    expect(buttons).toEqual(['approval-once', 'approval-deny']);
    expect(screen.getByTestId('approval-once')).toHaveTextContent(/^Send(?! once)/);
  });

  test('a refused answer can be repeated', async () => {
    const { backend } = await waiting(...move());
    await wait(400);
    backend.fail('decide_approval', { message: 'The note changed while you looked.', hint: 'Look again.' });
    fireEvent.click(screen.getByTestId('approval-once'));
    await wait(0);
    expect(screen.getByText(/The note changed while you looked/)).toBeVisible();
    expect(screen.getByTestId('approval-once')).toBeEnabled();
  });

  test('an allowed call leaves one line and its card, a denied one its card', async () => {
    const { say } = await waiting(...move());
    await say({ type: 'approval_decided', call: 'c', decision: 'once', by: 'you', reason: null });
    expect(screen.queryByTestId('approval-card')).toBeNull();
    expect(screen.getByTestId('notice')).toHaveTextContent(/^Allowed once by you, \d\d:\d\d$/);
    expect(screen.getByTestId('tool-card').dataset['state']).toBe('running');
  });

  test('a focus inside the card moves to the composer with it', async () => {
    const { say } = await waiting(...move());
    screen.getByTestId('approval-once').focus();
    await say({ type: 'approval_decided', call: 'c', decision: 'once', by: 'you', reason: null });
    expect(screen.getByTestId('composer-input')).toHaveFocus();
  });
});

describe('payload', () => {
  test('tool, full arguments and the diff of a note', async () => {
    await waiting(...move());
    const card = screen.getByRole('group', { name: 'Change 1 note?' });
    expect(card).toHaveTextContent('Toolcrm.move_deal title "Rollout" stage "won"');
    expect(within(card).getByTestId('diff')).toHaveTextContent('RolloutCRM/Deals1 property, nothing else in the note5stage: lead→won');
    expect(card).toHaveTextContent('on your behalf');
  });

  test('content that a person will receive, line by line, with nothing hidden', async () => {
    const body = Array.from({ length: 14 }, (_, index) => `line ${index + 1}`).join('\n');
    await waiting(
      started('c', 'mail.send', 'send'),
      asked('c', { args: { to: 'mara@harborline.example', subject: 'Welcome\u200b', body }, question: 'Send 1 mail?', decisions: ['once', 'deny'] }),
    );
    const card = screen.getByTestId('approval-card');
    expect(card).toHaveTextContent('tomara@harborline.examplesubjectWelcomeU+200B');
    expect(screen.getByTestId('whole-text')).toHaveTextContent('line 14');
    expect(screen.queryByText(/Show all/)).toBeNull();
    expect(screen.getByTestId('approval-deny')).toHaveTextContent('Don’t send');
  });

  test('Remove asks again without that recipient', async () => {
    const args = { to: ['noor@x.example', 'ali@x.example'], subject: 'Lunch', text: 'At noon?' };
    const details = [
      { label: 'From', value: 'ali@x.example' },
      { label: 'To', value: 'noor@x.example' },
      { label: 'To', value: 'ali@x.example' },
    ];
    const { backend, session, say } = await waiting(started('c', 'mail.send', 'send', args), asked('c', { args, details, decisions: ['once', 'deny'] }));
    await wait(400);
    expect(screen.getAllByRole('button', { name: 'Remove ali@x.example' })).toHaveLength(1);
    fireEvent.click(screen.getByRole('button', { name: 'Remove ali@x.example' }));
    await wait(0);
    expect(backend.asked('revise_approval')).toEqual([{ session, call: 'c', args: { ...args, to: ['noor@x.example'] } }]);
    await say(asked('c', { revision: 2, args: { ...args, to: ['noor@x.example'] }, details: details.slice(0, 2), decisions: ['once', 'deny'] }));
    await wait(400);
    expect(screen.queryByRole('button', { name: /^Remove/ })).toBeNull();
  });

  test('a tool’s own description of its call replaces the arguments', async () => {
    const { say } = await waiting(
      started('c', 'mail.send', 'send'),
      asked('c', {
        args: { to: ['noor@x.example', 'ali@x.example'], subject: 'Lunch' },
        question: 'Send 1 mail to 2 people?',
        details: [
          { label: 'From', value: 'jane@home.example', note: 'mailbox Home' },
          { label: 'To', value: 'noor@x.example', note: '14 mails since March 2024' },
          { label: 'To', value: 'ali@x.example\u200b', note: 'never written to before', caution: true },
          { label: 'Text', value: 'At noon?' },
        ],
        decisions: ['once', 'deny'],
      }),
    );
    const card = screen.getByTestId('approval-card');
    const lines = within(card).getAllByTestId('approval-line').map((line) => line.textContent);
    expect(lines).toEqual([
      'jane@home.examplemailbox Home',
      'noor@x.example14 mails since March 2024',
      'ali@x.exampleU+200Bnever written to before',
      'At noon?',
    ]);
    expect(within(card).getByText('never written to before').parentElement).toHaveClass('text-warn');
    expect(within(card).getByText('14 mails since March 2024').parentElement).not.toHaveClass('text-warn');
    expect(card).not.toHaveTextContent('subject');
    await say({ ...asked('c', { question: 'Send 1 mail?', details: [{ label: 'To', value: 'bea@x.example' }], decisions: ['once', 'deny'] }), revision: 2 } as EventBody);
    expect(within(card).getAllByTestId('approval-line').map((line) => line.textContent)).toEqual(['bea@x.example']);
  });

  test('several cards are counted; a batch of one tool is one card', async () => {
    const { backend } = await waiting(
      started('a', 'crm.update_contact', 'write'),
      asked('a', { args: { name: 'Jane Doe' }, diff: [diff('CRM/People/Jane Doe.md')] }),
      started('b', 'crm.update_contact', 'write'),
      asked('b', { args: { name: 'John Roe' }, diff: [diff('CRM/People/John Roe.md')], revision: 3 }),
      started('m', 'core.web_fetch', 'external'),
      asked('m', { args: {}, question: 'Fetch 1 web page?', host: 'quillon.example' }),
    );
    await wait(400);
    const [batch, fetch] = screen.getAllByTestId('approval-card');
    expect(batch).toHaveTextContent('Change 2 notes?1 of 2');
    expect(fetch).toHaveTextContent('Fetch 1 web page?2 of 2');
    expect(fetch).toHaveTextContent('Hostquillon.example');
    fireEvent.click(screen.getAllByTestId('approval-once')[0] as HTMLElement);
    await wait(0);
    expect(backend.asked('decide_approval').map(({ call, revision }) => `${call} ${revision}`)).toEqual(['a 1', 'b 3']);
  });
});

describe('Edit arguments', () => {
  test('the edited call is shown again and must be armed before it can be allowed', async () => {
    const { backend, say, session } = await waiting(...move());
    await wait(400);
    press(screen.getByTestId('approval-edit'));
    await wait(0);
    expect(screen.queryByTestId('approval-once')).toBeNull();
    fireEvent.change(screen.getByDisplayValue('won'), { target: { value: 'lost' } });
    press(screen.getByTestId('approval-edit-done'));
    await wait(0);
    expect(backend.asked('revise_approval')).toEqual([{ session, call: 'c', args: { title: 'Rollout', stage: 'lost' } }]);
    expect(screen.getByTestId('approval-card')).toHaveFocus();
    expect(backend.asked('decide_approval')).toEqual([]);

    await say(asked('c', { revision: 2, args: { title: 'Rollout', stage: 'lost' }, diff: [diff('CRM/Deals/Rollout.md', 'lost')] }));
    expect(screen.getByTestId('approval-card')).toHaveTextContent('stage "lost"');
    await wait(400);
    press(screen.getByTestId('approval-once'));
    await wait(0);
    expect(backend.asked('decide_approval')).toEqual([expect.objectContaining({ decision: 'once', revision: 2 })]);
  });

  test('Esc leaves an untouched form, and asks before dropping edits', async () => {
    await waiting(...move());
    await wait(400);
    press(screen.getByTestId('approval-edit'));
    await wait(0);
    // The button is gone, so its form has the focus.
    expect(screen.getByTestId('tool-form')).toContainElement(document.activeElement as HTMLElement);
    fireEvent.keyDown(screen.getByDisplayValue('won'), { key: 'Escape' });
    expect(screen.getByTestId('approval-once')).toBeVisible();
    expect(screen.getByTestId('approval-edit')).toHaveFocus();

    press(screen.getByTestId('approval-edit'));
    await wait(0);
    fireEvent.change(screen.getByDisplayValue('won'), { target: { value: 'lost' } });
    fireEvent.keyDown(screen.getByDisplayValue('lost'), { key: 'Escape' });
    expect(screen.getByDisplayValue('lost')).toBeVisible();
    press(screen.getByText('Keep editing'));
    act(() => screen.getByTestId('approval-edit-back').focus());
    press(screen.getByTestId('approval-edit-back'));
    expect(screen.getByText('Keep editing')).toHaveFocus();
    press(screen.getByText('Discard'));
    expect(screen.getByTestId('approval-edit')).toHaveFocus();
    expect(screen.getByTestId('approval-card')).toHaveTextContent('stage "won"');
  });
});

describe('a host requested while the call runs', () => {
  const host = (name: string, revision: number) =>
    asked('c', {
      args: { city: 'Kiel' },
      decisions: ['once', 'session', 'deny'],
      question: `Let dynamic.weather send to ${name}?`,
      editable: false,
      host: name,
      revision,
      mid_run: true,
    });
  const running = started('c', 'dynamic.weather', 'read', { city: 'Kiel' });
  const decided = (decision: 'once' | 'deny', reason: string | null = null) =>
    ({ type: 'approval_decided', call: 'c', decision, by: 'user', reason }) as const;
  const buttons = () => within(screen.getByTestId('approval-card')).getAllByRole('button').map(({ dataset }) => dataset['testid']);

  test('reopens the card with the arguments and the offered answers', async () => {
    const { say } = await waiting(running);
    expect(screen.getByTestId('tool-card').dataset['state']).toBe('running');
    await say(host('api.weather.com', 1));
    const card = screen.getByRole('group', { name: 'Let dynamic.weather send to api.weather.com?' });
    expect(card).toHaveTextContent('external');
    expect(card).toHaveTextContent('It is running and waits for your answer.');
    expect(card).toHaveTextContent('Tooldynamic.weather city "Kiel"');
    expect(card).toHaveTextContent('Hostapi.weather.com');
    expect(buttons()).toEqual(['approval-once', 'approval-session', 'approval-deny']);
  });

  test('is asked again for a second host, as a separate question', async () => {
    const { backend, session } = await waiting(running, host('geo.weather.com', 1));
    await wait(400);
    fireEvent.click(screen.getByTestId('approval-once'));
    await wait(0);
    // Both arrive in one render.
    act(() => {
      backend.emit(decided('once'), { session, turn: 't1' });
      backend.emit(host('api.weather.com', 2), { session, turn: 't1' });
    });
    expect(screen.getByTestId('approval-card')).toHaveTextContent('api.weather.com');
    expect(screen.getByTestId('notice')).toHaveTextContent(/^geo.weather.com allowed once by you, \d\d:\d\d$/);
    expect(screen.queryByText(/look again/)).toBeNull();
    expect(screen.getByTestId('approval-once')).toBeEnabled();
    // Was aimed at the earlier question.
    fireEvent.click(screen.getByTestId('approval-once'));
    await wait(400);
    fireEvent.click(screen.getByTestId('approval-session'));
    await wait(0);
    expect(backend.asked('decide_approval')).toEqual([
      { session, call: 'c', decision: 'once', revision: 1 },
      { session, call: 'c', decision: 'session', revision: 2 },
    ]);
  });

  test('leaves one line if denied, and the call continues', async () => {
    const { say } = await waiting(running, host('geo.weather.com', 1));
    await say(decided('deny', 'not there'));
    expect(screen.getByTestId('tool-card').dataset['state']).toBe('running');
    expect(screen.getByTestId('notice')).toHaveTextContent(/^geo.weather.com denied by you: “not there”, \d\d:\d\d$/);
  });

  test('of two calls is two questions, never one answer for both', async () => {
    const write = (call: string) => [started(call, 'dynamic.log', 'write'), { ...host('api.weather.com', 1), call }];
    await waiting(...write('a'), ...write('b'));
    expect(screen.getAllByTestId('approval-card')).toHaveLength(2);
  });
});

test('Always for a credential says who gets it for which host, and where to revoke it', async () => {
  await waiting(
    started('c', 'lookup.quote', 'external'),
    asked('c', {
      question: 'Let lookup.quote use the credential finnhub/key and send it to finnhub.io?',
      decisions: ['once', 'always', 'deny'],
      editable: false,
      host: 'finnhub.io',
      credentials: ['finnhub/key'],
    }),
  );
  await wait(400);
  expect(screen.queryByTestId('approval-session')).toBeNull();
  fireEvent.click(screen.getByTestId('approval-always'));
  await wait(200);
  const dialog = screen.getByRole('dialog');
  expect(dialog).toHaveTextContent('lookup.quote, in this version, may use finnhub/key for finnhub.io in every chat without asking.');
  expect(dialog).not.toHaveTextContent('permissions.yaml');
});

describe('the first call of a tool file', () => {
  const first = (tool: string) => [
    started('c', tool, 'external'),
    asked('c', {
      question: `Run ${tool} for the first time? Effect: external. Hosts: a.example, b.example. Credentials: weather/key\u200b.`,
      editable: false,
      host: 'a.example, b.example',
    }),
  ];

  test('shows everything that the file declares, with no invisible characters', async () => {
    await waiting(...first('dynamic.weather'));
    const card = screen.getByRole('group', { name: 'Run dynamic.weather for the first time?' });
    expect(within(card).getByTestId('approval-detail')).toHaveTextContent(
      /^Effect: external. Hosts: a.example, b.example. Credentials: weather\/keyU\+200B.$/,
    );
    expect(card).toHaveTextContent('Hostsa.exampleb.example');
  });

  test.each([
    ['dynamic.weather', 'Revoke it in Settings, Permissions.'],
    ['mail.list', 'Revoke it in Settings, Permissions.'],
  ])('Always for %s says where to revoke it', async (tool, where) => {
    await waiting(...first(tool));
    await wait(400);
    fireEvent.click(screen.getByTestId('approval-always'));
    await wait(200);
    expect(screen.getByRole('dialog')).toHaveTextContent(where);
  });
});
