import { act, fireEvent, screen, waitFor, within } from '@testing-library/react';
import userEvent from '@testing-library/user-event';
import { beforeEach, describe, expect, test } from 'vitest';

import { FakeBackend } from '../../testing/fake-backend';
import { renderInApp } from '../../testing/render';
import { sampleWorld } from '../../testing/sample';
import { Conversation } from '../Conversation';
import { completed, openChat, started, turnStarted } from '../fixture';

const field = () => screen.getByTestId<HTMLTextAreaElement>('composer-input');
const picker = () => screen.queryByTestId('picker');
const skills = () => screen.getAllByTestId('picker-skill').map((row) => row.dataset['skill']);
const toolRow = (name: string) => screen.getAllByTestId('picker-tool').find((row) => row.dataset['tool'] === name) as HTMLElement;
const chips = () => within(screen.getByRole('list', { name: 'Attached' })).getAllByRole('listitem').map((chip) => chip.textContent);
const selected = () => field().value.slice(field().selectionStart, field().selectionEnd);
/** The active descendant, while the focus stays in the field. */
const active = () => document.getElementById(field().getAttribute('aria-activedescendant') ?? '');
const user = userEvent.setup();

/** Types into the composer and waits for the lists. */
async function type(text: string) {
  await user.type(field(), text);
  await screen.findAllByTestId('picker-skill');
}

describe('in a new chat', () => {
  let app: ReturnType<typeof renderInApp>;
  beforeEach(() => {
    app = renderInApp(<Conversation />, { app: { skillNames: { crm: 'CRM', mail: 'Mail' } } });
  });

  test('/ opens it with every skill; letters filter it and are highlighted', async () => {
    await type('/');
    expect(skills()).toContain('vault');
    await user.type(field(), 'follow');
    expect(skills()).toEqual(['crm']);
    expect(within(toolRow('crm.follow_ups')).getByText('follow').tagName).toBe('MARK');
    expect(screen.getByText('1 of 5 match')).toBeVisible();
    expect(screen.getByText('Other tools')).toBeVisible();
    expect(screen.getByTestId('picker-announcement')).toHaveTextContent('1 skill, 1 tool, in the tools of CRM');
  });

  test('the field keeps the focus and names the marked option', async () => {
    await type('/follow');
    expect(field()).toHaveFocus();
    expect(field()).toHaveAttribute('role', 'combobox');
    expect(field()).toHaveAttribute('aria-expanded', 'true');
    for (const id of field().getAttribute('aria-controls')?.split(' ') ?? ['none']) {
      expect(document.getElementById(id)).toHaveAttribute('role', 'listbox');
    }
    expect(active()).toBe(toolRow('crm.follow_ups'));
    expect(active()).toHaveAttribute('aria-selected', 'true');
    await user.keyboard('{ArrowDown}');
    expect(active()).toBe(toolRow('crm.add_contact'));
    await user.keyboard('{ArrowLeft}');
    expect(active()).toHaveTextContent('CRM');
    await user.keyboard('{Escape}');
    expect(field()).not.toHaveAttribute('aria-activedescendant');
    expect(screen.getByRole('textbox', { name: 'Message' })).toBe(field());
  });

  test('Enter inserts the chip and a starting prompt with its first placeholder selected', async () => {
    await type('/move_d');
    expect(screen.getByTestId('picker-preview')).toHaveTextContent('Starts with “Move the deal title: stage”');
    await user.keyboard('{Enter}');
    expect(picker()).toBeNull();
    expect(chips()).toEqual(['crm.move_deal']);
    expect(field()).toHaveValue('Move the deal [title]: [stage]');
    expect(selected()).toBe('[title]');
    await user.keyboard('Rollout');
    expect(field()).toHaveValue('Move the deal Rollout: [stage]');
    expect(app.backend.asked('send_message')).toEqual([]);
  });

  test('Tab moves between placeholders, then out of the field', async () => {
    await type('/move_d');
    await user.keyboard('{Enter}Rollout{Tab}');
    expect(selected()).toBe('[stage]');
    await user.keyboard('won');
    expect(field()).toHaveValue('Move the deal Rollout: won');
    await user.tab();
    expect(field()).not.toHaveFocus();
  });

  test('Enter while the tools load neither picks nor sends', async () => {
    let answer = () => {};
    app.backend.on('list_tools', () => new Promise((done) => {
      answer = () => done(app.backend.list_tools());
    }));
    await user.type(field(), '/pipeline{Enter}');
    expect(field()).toHaveValue('/pipeline');
    await act(async () => answer());
    await user.keyboard('{Enter}');
    expect(chips()).toEqual(['crm.pipeline']);
  });

  test('a partial word is not sent while the picker is open', async () => {
    await type('/pipeline');
    expect(screen.getByTestId('send')).toBeDisabled();
    await user.keyboard('{Escape}');
    expect(screen.getByTestId('send')).toBeEnabled();
  });

  test('the message is sent and shown with its chips', async () => {
    await type('/pipeline');
    await user.keyboard('{Enter}');
    await type(' /mail');
    await user.keyboard('{Shift>}{Enter}{/Shift}');
    expect(chips()).toEqual(['crm.pipeline', 'Mail']);
    await user.keyboard('{Enter}');
    const message = await screen.findByTestId('user-message');
    expect(app.backend.asked('send_message')).toEqual([
      { session: expect.any(String), text: 'Open deals by stage. ', skills: ['mail'], tool: 'crm.pipeline', turn: expect.any(String) as string },
    ]);
    expect(message).toHaveTextContent('crm.pipelineMailOpen deals by stage.');
    expect(within(message).queryByRole('button', { name: /^Remove/ })).toBeNull();
    expect(screen.queryByTestId('draft-chips')).toBeNull();
  });

  test('an unsent message gets its chips back', async () => {
    app.backend.fail('send_message', { message: 'This chat is busy.' });
    await type('/pipeline');
    await user.keyboard('{Enter}{Enter}');
    expect(await screen.findByRole('alert')).toHaveTextContent('This chat is busy.');
    expect(field()).toHaveValue('Open deals by stage.');
    expect(chips()).toEqual(['crm.pipeline']);
  });

  test('an existing message keeps its text', async () => {
    await user.type(field(), 'Harborline signed. ');
    await type('/move_d');
    await user.keyboard('{Enter}');
    expect(field()).toHaveValue('Harborline signed. ');
    expect(chips()).toEqual(['crm.move_deal']);
  });

  test('another tool replaces the first; a skill is added once', async () => {
    await type('/pipeline');
    await user.keyboard('{Enter}');
    for (const word of [' /list_d', ' /crm']) {
      await type(word);
      await user.keyboard('{Enter}');
    }
    await type(' /crm');
    await user.keyboard('{Enter}');
    expect(chips()).toEqual(['crm.list_deals', 'CRM']);
  });

  test('Backspace before the text removes the last chip, × a particular one', async () => {
    await type('/pipeline');
    await user.keyboard('{Enter}');
    await type(' /mail');
    await user.keyboard('{Shift>}{Enter}{/Shift}');
    await user.keyboard('{Home}{Backspace}');
    expect(chips()).toEqual(['crm.pipeline']);
    await user.click(screen.getByRole('button', { name: 'Remove crm.pipeline' }));
    expect(screen.queryByTestId('draft-chips')).toBeNull();
    expect(field()).toHaveValue('Open deals by stage. ');
  });

  test('Backspace with a selection removes only the selection', async () => {
    await type('/pipeline');
    await user.keyboard('{Enter}');
    field().setSelectionRange(0, field().value.length);
    await user.keyboard('{Backspace}');
    expect(field()).toHaveValue('');
    expect(chips()).toEqual(['crm.pipeline']);
  });

  test('Ctrl A and Backspace remove the tool with the text', async () => {
    await type('/pipeline');
    await user.keyboard('{Enter}{Control>}a{/Control}');
    field().setSelectionRange(0, field().value.length);
    await user.keyboard('{Backspace}');
    expect(field()).toHaveValue('');
    expect(screen.queryByTestId('draft-chips')).toBeNull();
  });

  test('Tab completes the name and leaves the picker open', async () => {
    await type('/foll');
    await user.tab();
    expect(field()).toHaveValue('/crm.follow_ups');
    expect(active()).toBe(toolRow('crm.follow_ups'));
    expect(field()).toHaveFocus();
    await user.clear(field());
    await type('/portf');
    await user.tab();
    expect(field()).toHaveValue('/portfolio.');
    expect(active()?.dataset['tool']).toBe('portfolio.gains');
  });

  test('Ctrl Enter opens the tool’s form and removes the partial word', async () => {
    await user.type(field(), 'Later: ');
    await type('/follow');
    await user.keyboard('{Control>}{Enter}{/Control}');
    const { view, drafts } = app.store.get().app;
    expect(view).toEqual({ kind: 'run-tool', tool: 'crm.follow_ups' });
    expect(drafts['']?.text).toBe('Later: ');
  });

  test('Esc closes it, keeps the text, and it stays closed', async () => {
    await type('/fol');
    await user.keyboard('{Escape}');
    expect(picker()).toBeNull();
    expect(field()).toHaveValue('/fol');
    await user.keyboard('l');
    expect(picker()).toBeNull();
  });

  test('a space, a second slash and leaving the word close it', async () => {
    for (const rest of [' ', '/', '{Home}']) {
      await user.clear(field());
      await type('/fol');
      await user.type(field(), rest, { skipClick: true });
      expect(picker(), rest).toBeNull();
    }
  });

  test('typing over a selection opens it as well', async () => {
    await user.type(field(), 'something old');
    field().setSelectionRange(0, field().value.length);
    await user.keyboard('/fol');
    await screen.findAllByTestId('picker-skill');
    expect(field()).toHaveValue('/fol');
  });

  test('neither a pasted path nor a typed address opens it', async () => {
    await user.click(field());
    await user.paste('/usr/local/share');
    expect(picker()).toBeNull();
    await user.clear(field());
    await user.paste('/');
    expect(picker()).toBeNull();
    await user.clear(field());
    await user.type(field(), 'https://example.org/crm and/or 1/2');
    expect(picker()).toBeNull();
  });

  test('without a match it says so, and Enter sends the text', async () => {
    await user.type(field(), '/zzqx');
    expect(await screen.findByText('No skill or tool for “zzqx”.')).toBeVisible();
    await user.keyboard('{Enter}');
    await screen.findByTestId('user-message');
    expect(app.backend.asked('send_message')).toEqual([{ session: expect.any(String), text: '/zzqx', skills: [], turn: expect.any(String) as string }]);
  });

  test('an unavailable tool shows its reason; Enter opens the remedy', async () => {
    await type('/pull');
    const row = screen.getAllByTestId('picker-skill').find(({ dataset }) => dataset['skill'] === 'lookup') as HTMLElement;
    expect(row).toHaveTextContent('needs FINNHUB_API_KEY');
    expect(screen.getByTestId('picker-remedy')).toHaveTextContent('Lookup: needs FINNHUB_API_KEY.');
    await user.keyboard('{Enter}');
    expect(app.store.get().app.view).toEqual({ kind: 'settings', page: 'skills', skill: 'lookup' });
    expect(app.store.get().app.drafts['']?.tool ?? null).toBeNull();
  });

  test('hovering marks a skill, clicking picks a tool, and the focus stays', async () => {
    await type('/');
    await user.click(screen.getAllByTestId('picker-skill').find(({ dataset }) => dataset['skill'] === 'budget') as HTMLElement);
    expect(field()).toHaveFocus();
    await user.click(toolRow('budget.month_summary'));
    expect(picker()).toBeNull();
    expect(chips()).toEqual(['budget.month_summary']);
    expect(selected()).toBe('[month]');
  });

  test('the button opens and closes it', async () => {
    await user.type(field(), 'call');
    await user.click(screen.getByTestId('open-picker'));
    expect(field()).toHaveValue('call /');
    expect(field()).toHaveFocus();
    await screen.findAllByTestId('picker-skill');
    await user.click(screen.getByTestId('open-picker'));
    expect(picker()).toBeNull();
  });

  test('moving the focus closes it', async () => {
    await type('/fol');
    act(() => field().blur());
    expect(picker()).toBeNull();
  });

  test('keys during IME composition are ignored', async () => {
    await type('/follow');
    fireEvent.keyDown(field(), { key: 'Enter', isComposing: true });
    expect(picker()).not.toBeNull();
    expect(screen.queryByTestId('draft-chips')).toBeNull();
  });
});

describe('by meaning', () => {
  const meant = (backend: FakeBackend) =>
    backend.on('suggest_tools', () => [
      { tool: 'crm.pipeline', skill: 'crm', score: 3 },
      { tool: 'mail.send', skill: 'mail', score: 2 },
    ]);

  test('from three letters on, after the literal matches', async () => {
    const { backend } = renderInApp(<Conversation />);
    meant(backend);
    await type('/pi');
    expect(skills()).not.toContain('mail');
    await user.type(field(), 'peline');
    const group = await screen.findByRole('group', { name: 'By meaning' });
    expect(within(group).getAllByTestId('picker-skill').map((row) => row.dataset['skill'])).toEqual(['mail']);
    expect(backend.asked('suggest_tools').at(-1)).toEqual({ text: 'pipeline', limit: 8 });
    expect(active()).toBe(toolRow('crm.pipeline'));
  });

  test('a response for an earlier query is not shown', async () => {
    const { backend } = renderInApp(<Conversation />);
    const answers: (() => void)[] = [];
    backend.on('suggest_tools', ({ text }) => new Promise((done) => {
      answers.push(() => done([{ tool: 'x', skill: text === 'zzz' ? 'mail' : 'budget', score: 1 }]));
    }));
    await user.type(field(), '/zzz');
    await waitFor(() => expect(answers).toHaveLength(1));
    await user.type(field(), 'y');
    await waitFor(() => expect(answers).toHaveLength(2));
    await act(async () => answers.forEach((answer) => answer()));
    const group = await screen.findByRole('group', { name: 'By meaning' });
    expect(within(group).getAllByTestId('picker-skill').map((row) => row.dataset['skill'])).toEqual(['budget']);
  });

  test('literal matches still work if it fails, and it says so', async () => {
    const { backend } = renderInApp(<Conversation />);
    backend.fail('suggest_tools', { message: 'The index is being built.' });
    await type('/pipeline');
    expect(await screen.findByText('Not searched by meaning: The index is being built.')).toBeVisible();
    expect(active()).toBe(toolRow('crm.pipeline'));
  });
});

test('lists that cannot be loaded show the reason', async () => {
  const { backend } = renderInApp(<Conversation />);
  backend.fail('list_tools', { message: 'The registry is broken.', hint: 'Start Nova again.' });
  await user.type(field(), '/');
  expect(await screen.findByRole('alert')).toHaveTextContent('The registry is broken. Start Nova again.');
});

test('a thousand tools are searched, not rendered', async () => {
  const world = sampleWorld();
  const [like] = world.tools as [(typeof world.tools)[number]];
  const tools = Array.from({ length: 1000 }, (_, at) => ({ ...like, name: `budget.tool_${at}`, skill: 'budget' }));
  renderInApp(<Conversation />, { world: { tools } });
  await type('/budget');
  expect(screen.getAllByTestId('picker-tool')).toHaveLength(100);
  expect(screen.getByText('900 more tools. Keep typing to find them.')).toBeVisible();
  await user.keyboard('{ArrowRight}{ArrowUp}');
  expect(active()?.dataset['tool']).toBe('budget.tool_999');
});

describe('while a turn runs', () => {
  test('Esc closes the picker without stopping the turn', async () => {
    const { backend } = await openChat(<Conversation />, [turnStarted()]);
    await type('/fol');
    await user.keyboard('{Escape}');
    expect(picker()).toBeNull();
    expect(backend.asked('stop_turn')).toEqual([]);
  });

  test('equal tools are sorted by their last call in this chat', async () => {
    await openChat(<Conversation />, [turnStarted(), started('c', 'crm.pipeline', 'read'), completed('c', [])]);
    await type('/crm.');
    expect(screen.getAllByTestId('picker-tool')[0]?.dataset['tool']).toBe('crm.pipeline');
  });
});

test('each chat keeps its own draft, even after a form was opened', async () => {
  const { store, unmount } = renderInApp(<Conversation />);
  await user.type(field(), 'For the new chat ');
  await type('/mail');
  await user.keyboard('{Shift>}{Enter}{/Shift}');
  await act(() => store.actions.openSession('groceries'));
  expect(field()).toHaveValue('');
  expect(screen.queryByTestId('draft-chips')).toBeNull();
  await user.type(field(), 'For the groceries');
  act(() => store.actions.newChat());
  expect(field()).toHaveValue('For the new chat ');
  expect(chips()).toEqual(['Mail']);
  await act(() => store.actions.openSession('groceries'));
  expect(field()).toHaveValue('For the groceries');
  unmount();
  expect(store.get().app.drafts['groceries']?.text).toBe('For the groceries');
});
