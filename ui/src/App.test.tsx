import { act, fireEvent, screen, waitFor, within } from '@testing-library/react';
import userEvent from '@testing-library/user-event';
import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest';

import { App } from './App';
import type { EventBody } from './ipc';
import { FakeBackend } from './testing/fake-backend';
import { setWindow } from './testing/media';
import { renderInApp } from './testing/render';
import { interruptedSet, sampleNow, sampleWorld } from './testing/sample';
import { sampleAnswer, samplePanels } from './testing/sample-panels';
import { openChat, showApp } from './testing/whole-app';

beforeEach(() => setWindow({}));
afterEach(() => vi.unstubAllGlobals());

describe('the header', () => {
  test('names the chat, the model and where it runs, and the active skills', async () => {
    await openChat(await showApp());
    expect(screen.getByRole('heading', { level: 1 })).toHaveTextContent('Harborline signed');
    await waitFor(() => expect(screen.getByTestId('model-menu')).toHaveAccessibleName('Model: qwen3:14b, on this machine'));
    const skills = within(screen.getByRole('list', { name: 'Active skills' })).getAllByRole('listitem');
    expect(skills.map((skill) => skill.textContent)).toEqual(['CRM', 'Screener', 'Mailthis turn']);
  });

  test('another model can be chosen for this chat', async () => {
    const rendered = await showApp();
    await openChat(rendered);
    await rendered.user.click(screen.getByTestId('model-menu'));
    await rendered.user.click(await screen.findByRole('menuitemcheckbox', { name: /gpt-5.2 asks before it sends/ }));
    await waitFor(() =>
      expect(screen.getByTestId('model-menu')).toHaveAccessibleName('Model: gpt-5.2, remote, api.openai.com'),
    );
    expect(rendered.backend.asked('set_model')).toEqual([{ session: 'harborline', model: 'openai/gpt-5.2' }]);
  });

  test('a provider that does not respond says so in its place', async () => {
    const { user } = await showApp();
    await user.click(screen.getByTestId('model-menu'));
    expect(await screen.findByRole('menuitem', { name: 'models.lab.example did not answer.' })).toHaveAttribute('data-disabled');
  });
});

describe('width', () => {
  test('list and panel are beside the conversation if there is room', async () => {
    const rendered = await showApp();
    await openChat(rendered);
    act(() => rendered.store.actions.togglePanel());
    expect(screen.getByTestId('chat-list')).toBeInTheDocument();
    expect(screen.getByRole('complementary', { name: 'Panel' })).toBeInTheDocument();
    expect(await screen.findByRole('tab', { name: /Changes\s*2/ })).toBeInTheDocument();
    expect(screen.queryByRole('dialog')).not.toBeInTheDocument();
  });

  test('below 1100 the list is a rail; it opens over the chat and closes on a choice', async () => {
    setWindow({ width: 900 });
    const rendered = await showApp();
    await openChat(rendered);
    expect(screen.queryByTestId('chat-list')).not.toBeInTheDocument();
    await rendered.user.click(screen.getByRole('button', { name: 'Show list, a chat waits for your answer' }));
    const sheet = screen.getByRole('dialog', { name: 'Chats' });
    await rendered.user.click(within(sheet).getByRole('button', { name: /^Import bank CSV/ }));
    await waitFor(() => expect(screen.queryByRole('dialog')).not.toBeInTheDocument());
    expect(rendered.app().open).toBe('bank');
  });

  test('below 1100 the changes open over the chat from the header; Esc closes them', async () => {
    setWindow({ width: 900 });
    const rendered = await showApp();
    await openChat(rendered);
    const button = await screen.findByRole('button', { name: '2 changes' });
    await rendered.user.click(button);
    expect(screen.getByRole('dialog', { name: 'Panel' })).toBeInTheDocument();
    await rendered.user.keyboard('{Escape}');
    expect(screen.queryByRole('dialog')).not.toBeInTheDocument();
    expect(rendered.app().panel.open).toBe(false);
  });

  test('zoomed in below 900 the rail is a button of the header', async () => {
    setWindow({ width: 720 });
    const rendered = await showApp();
    await openChat(rendered);
    expect(screen.getAllByTestId('show-list')).toHaveLength(1);
    expect(screen.queryByRole('navigation', { name: 'Chats' })).toBeNull();
    await rendered.user.click(within(screen.getByRole('heading', { level: 1 }).parentElement!).getByTestId('show-list'));
    expect(screen.getByRole('dialog', { name: 'Chats' })).toBeInTheDocument();
    await rendered.user.keyboard('{Escape}');
    // Without the chat header, the rail has the button.
    await act(() => rendered.store.actions.show({ kind: 'trash' }));
    expect(screen.getByRole('navigation', { name: 'Chats' })).toBeInTheDocument();
  });

  test('Ctrl plus, minus and 0 change the zoom, also on the first start', async () => {
    const { user, app } = await showApp((world) => void (world.status = { ...world.status, first_run: true, vault: null }));
    await user.keyboard('{Control>}[Equal][Equal]{/Control}');
    expect(app().zoom).toBe(125);
    await user.keyboard('{Control>}[Minus]{/Control}');
    expect(app().zoom).toBe(110);
    await user.keyboard('{Control>}0{/Control}');
    expect(app().zoom).toBe(100);
    fireEvent.wheel(window, { ctrlKey: true, deltaY: -100 });
    expect(app().zoom).toBe(110);
  });

  test('the edge of the panel moves with the arrow keys, within its limits', async () => {
    const rendered = await showApp();
    act(() => rendered.store.actions.togglePanel());
    const edge = screen.getByRole('separator', { name: 'Width of the panel' });
    edge.focus();
    await rendered.user.keyboard('{ArrowLeft}');
    expect(rendered.app().panel.width).toBe(376);
    await rendered.user.keyboard('{ArrowRight}'.repeat(9));
    expect(edge).toHaveAttribute('aria-valuenow', '320');
  });
});

describe('a waiting question', () => {
  const card = () => screen.findByTestId('approval-card');

  test.each<[string, (rendered: Awaited<ReturnType<typeof showApp>>) => void]>([
    ['the settings', ({ store }) => store.actions.show({ kind: 'settings', page: 'models' })],
    ['the deleted chats', ({ store }) => store.actions.show({ kind: 'trash' })],
    ['a tool to run', ({ store }) => store.actions.show({ kind: 'run-tool', tool: null })],
    ['another chat', ({ store }) => void store.actions.openSession('lisbon')],
    ['a new chat', ({ store }) => store.actions.newChat()],
    ['a wide panel', ({ store }) => store.actions.setPanel({ open: true, tab: 'skill:crm', wide: true })],
  ])('is opened from %s', async (_where, leave) => {
    const rendered = await showApp();
    rendered.backend.on('list_panels', () => samplePanels).on('call_tool', (call) => sampleAnswer(call) ?? rendered.backend.call_tool());
    await act(() => rendered.store.actions.loadSkillPanels());
    await openChat(rendered);
    await act(async () => leave(rendered));
    expect(screen.queryByTestId('approval-card')).toBeNull();
    await rendered.user.keyboard('{Control>}{Shift>}a{/Shift}{/Control}');
    const shown = await card();
    await waitFor(() => expect(shown).toHaveFocus());
    expect(rendered.app().open).toBe('harborline');
  });

  test('closes the panel that covers it in a narrow window', async () => {
    setWindow({ width: 900 });
    const rendered = await showApp();
    await openChat(rendered);
    await rendered.user.click(await screen.findByRole('button', { name: '2 changes' }));
    await rendered.user.keyboard('{Control>}{Shift>}a{/Shift}{/Control}');
    const shown = await card();
    await waitFor(() => expect(shown).toHaveFocus());
    expect(screen.queryByRole('dialog')).toBeNull();
  });

  test('keeps the panel in a narrow window if nothing waits', async () => {
    setWindow({ width: 900 });
    const rendered = await showApp();
    await openChat(rendered, 'lisbon');
    act(() => {
      rendered.store.actions.setPanel({ open: true });
      rendered.backend.emit({ type: 'turn_cancelled', unknown: [] }, { session: 'harborline', turn: 't1' });
    });
    await rendered.user.keyboard('{Control>}{Shift>}a{/Shift}{/Control}');
    await act(async () => void (await new Promise((done) => setTimeout(done, 50))));
    expect(screen.getByRole('dialog', { name: 'Panel' })).toBeInTheDocument();
  });

  test('is marked in the row of its chat until answered', async () => {
    const { backend } = await showApp();
    const row = () => within(screen.getByTestId('chat-list')).getByRole('button', { name: /^Trip costs, Lisbon offsite/ });
    const of = { session: 'lisbon', turn: 't7' };
    act(() => void backend.emit({ type: 'approval_requested', call: 'c', args: {}, decisions: ['once', 'deny'], question: 'Change 1 note?', editable: false, diff: null, host: null, revision: 1, mid_run: false }, of));
    expect(row()).toHaveAccessibleName(/waits for your answer/);
    act(() => void backend.emit({ type: 'approval_decided', call: 'c', decision: 'once', by: 'user', reason: null }, of));
    expect(row()).not.toHaveAccessibleName(/waits for your answer/);
  });

  test('is announced anywhere in the window', async () => {
    const rendered = await showApp();
    await openChat(rendered);
    act(() => rendered.store.actions.show({ kind: 'settings', page: 'skills' }));
    act(() => void rendered.backend.emit({ type: 'turn_failed', code: 'provider_timeout', message: 'No answer.', hint: '' }, { session: 'harborline', turn: 't1' }));
    expect(screen.getByTestId('announce-assertive')).toHaveTextContent('No answer.');
  });
});

describe('composer below a wide panel', () => {
  async function ask(session: string | null = 'harborline') {
    const rendered = await showApp();
    rendered.backend.on('list_panels', () => samplePanels).on('call_tool', (call) => sampleAnswer(call) ?? rendered.backend.call_tool());
    rendered.backend.on('send_message', () => ({ turn: 't9' }) as never);
    await act(() => rendered.store.actions.loadSkillPanels());
    if (session) await openChat(rendered, session);
    act(() => rendered.store.actions.setPanel({ open: true, tab: 'skill:crm', wide: true }));
    return { ...rendered, field: screen.getByRole('textbox', { name: 'Ask CRM' }) };
  }

  test('a message being sent is announced in an existing live region', async () => {
    const { backend, user, field } = await ask('lisbon');
    backend.on('send_message', () => new Promise(() => {}));
    const composer = within(field.closest<HTMLElement>('[data-region=composer]')!);
    const region = composer.getByRole('status');
    expect(region).toBeEmptyDOMElement();
    await user.type(field, 'Who waits?{Enter}');
    expect(await composer.findByTestId('on-its-way')).toHaveTextContent('Who waits?Being sent…');
    expect(region).toContainElement(composer.getByTestId('on-its-way'));
  });

  test('a message during a turn is queued and shown; Stop is available', async () => {
    const { backend, user, field } = await ask();
    await user.type(field, 'Who waits?{Enter}');
    expect(backend.asked('send_message')).toEqual([]);
    expect(screen.getByTestId('queued')).toHaveTextContent('Who waits?');
    expect(field).toHaveValue('');
    await user.click(screen.getByTestId('stop'));
    expect(backend.asked('stop_turn')).toEqual([{ session: 'harborline' }]);
  });

  test('attachments are shown, and the chosen skills stay', async () => {
    const { backend, user, field, store } = await ask(null);
    act(() => store.actions.setDraft({ skills: ['portfolio'], tool: 'crm.move_deal', files: [{ name: 'a.csv', text: 'a' }] }));
    expect(screen.getByTestId('draft-chips')).toHaveTextContent('crm.move_dealPortfolioa.csv');
    await user.type(field, 'Compare{Enter}');
    await waitFor(() => expect(backend.asked('send_message')).toMatchObject([{ skills: ['portfolio', 'crm'], tool: 'crm.move_deal' }]));
  });

  test('the lines of a message stay when it is edited further', async () => {
    const { backend, user, field, store } = await ask(null);
    act(() => store.actions.setDraft({ text: 'Compare:\n- Jane' }, true));
    await user.type(field, '{Shift>}{Enter}{/Shift}- Ben');
    expect(field).toHaveValue('Compare:\n- Jane\n- Ben');
    await user.keyboard('{Enter}');
    await waitFor(() => expect(backend.asked('send_message')).toMatchObject([{ text: 'Compare:\n- Jane\n- Ben' }]));
  });

  test('a slash opens the picker; a tool of another skill is sent with the message', async () => {
    const { backend, user, field } = await ask(null);
    await user.type(field, '/month_s');
    const picker = await screen.findByTestId('picker');
    expect(field.closest('[data-region=composer]')).toContainElement(picker);
    const marked = await waitFor(() => within(picker).getAllByRole('option', { selected: true })[0]!);
    expect(field).toHaveAttribute('aria-controls', expect.stringContaining(marked.closest('[role=listbox]')!.id));
    await user.keyboard('{Enter}');
    expect(screen.queryByTestId('picker')).toBeNull();
    const chip = screen.getByTestId('draft-chips').textContent;
    expect(chip).toBe('budget.month_summary');
    await user.clear(field);
    await user.type(field, 'Arden{Enter}');
    await waitFor(() => expect(backend.asked('send_message')).toMatchObject([{ text: 'Arden', skills: ['crm'], tool: chip }]));
  });

  test('two brackets name a note, and Esc only closes the list', async () => {
    const { backend, user, field } = await ask();
    await user.type(field, 'See [[[[ja');
    await screen.findByRole('option', { name: /Jane Doe/ });
    await user.keyboard('{Enter}');
    expect(field).toHaveValue('See [[Jane Doe]] ');
    await user.clear(field);
    await user.type(field, '/');
    await screen.findByTestId('picker');
    await user.keyboard('{Escape}');
    expect(screen.queryByTestId('picker')).toBeNull();
    expect(field).toHaveValue('/');
    expect(backend.asked('stop_turn')).toEqual([]);
  });

  test('files are chosen and pasted; content that is also text is pasted as text', async () => {
    const { field } = await ask(null);
    const picture = new File([new Uint8Array([0x89])], 'image.png', { type: 'image/png' });
    const paste = (text: string) => fireEvent.paste(field, { clipboardData: { files: [picture], types: ['Files'], getData: () => text } });
    expect(paste('May\t3')).toBe(true);
    expect(paste('')).toBe(false);
    fireEvent.change(screen.getByTestId('file-chooser'), { target: { files: [new File(['a,b'], 'list.csv', { type: 'text/csv' })] } });
    expect(await screen.findByTestId('draft-file')).toHaveTextContent('list.csv');
    expect(await screen.findAllByTestId('draft-image')).toHaveLength(1);
  });

  test('arrow up edits the queued message, else the last sent one in place', async () => {
    const { backend, user, field } = await ask();
    await user.type(field, 'Who waits?{Enter}');
    await user.keyboard('{ArrowUp}');
    expect(field).toHaveValue('Who waits?');
    await user.clear(field);
    // While the turn runs no sent message can be edited.
    await user.keyboard('{ArrowUp}');
    expect(screen.getByTestId('wide-panel')).toBeInTheDocument();
    act(() => void backend.emit({ type: 'turn_cancelled', unknown: [] }, { session: 'harborline', turn: 't1' }));
    await user.keyboard('{ArrowUp}');
    const edited = within(await screen.findByTestId('edit-form')).getByRole('textbox', { name: 'Message' });
    expect(edited).toHaveFocus();
    expect(screen.queryByTestId('wide-panel')).toBeNull();
  });

  test('arrow up does nothing before the first message', async () => {
    const { user, field } = await ask(null);
    await user.click(field);
    await user.keyboard('{ArrowUp}');
    expect(screen.getByTestId('wide-panel')).toBeInTheDocument();
  });

  test('the message’s destination is shown, in amber if it is remote', async () => {
    const { store, user } = await ask(null);
    const place = () => screen.findByTestId('docked-place');
    expect(await place()).toHaveTextContent('on this machine');
    expect(await place()).not.toHaveClass('text-warn');
    await act(() => store.actions.setModel('openai/gpt-5.2'));
    await waitFor(async () => expect(await place()).toHaveTextContent('to api.openai.com'));
    expect(await place()).toHaveClass('text-warn');
    await user.hover(within(await place()).getByRole('button'));
    expect(await screen.findByRole('tooltip')).toHaveTextContent('gpt-5.2: messages and notes go to api.openai.com');
  });

  test('the chat’s question is shown and one click away', async () => {
    const { user } = await ask();
    await user.click(screen.getByTestId('show-question'));
    expect(await screen.findByTestId('approval-card')).toBeInTheDocument();
  });

  test('Ctrl F shows the chat that it searches', async () => {
    const { user } = await ask();
    await user.keyboard('{Control>}f{/Control}');
    await waitFor(() => expect(screen.getByTestId('find-field')).toHaveFocus());
    expect(screen.queryByTestId('wide-panel')).toBeNull();
  });
});

describe('full-window views', () => {
  test('settings fill the window, running a tool keeps the list', async () => {
    const { store, user } = await showApp();
    await user.click(screen.getByTestId('nav-run-tool'));
    expect(screen.getByTestId('nav-run-tool')).toHaveAttribute('aria-current', 'page');
    expect(store.get().app.view).toEqual({ kind: 'run-tool', tool: null });
    await user.click(screen.getByTestId('nav-settings'));
    expect(screen.queryByTestId('chat-list')).not.toBeInTheDocument();
  });

  test('the first start shows no list', async () => {
    await showApp((world) => {
      world.status = { ...world.status, first_run: true, vault: null };
    });
    expect(screen.queryByTestId('chat-list')).not.toBeInTheDocument();
  });

  test('an unresponsive backend is reported until it responds', async () => {
    const backend = new FakeBackend(sampleWorld()).fail('app_status', { message: 'Nothing answers.', hint: 'Start Nova again.' });
    const { store } = renderInApp(<App />, { backend, app: { status: null } });
    await act(() => store.actions.start());
    expect(screen.getByRole('alert')).toHaveTextContent('Nothing answers.Start Nova again.');
    backend.on('app_status', () => backend.world.status);
    await userEvent.click(screen.getByRole('button', { name: 'Try again' }));
    expect(await screen.findByTestId('chat-list')).toBeInTheDocument();
  });
});

describe('banners', () => {
  const gone = { code: 'vault_unavailable', message: 'The vault folder is gone: ~/Documents/Work vault.', hint: '' } as const;
  const config = { file: '/home/mara/.config/nova/nova.config.json', line: 12, message: 'A comma is missing.' };

  test('are shown one at a time, the vault before the settings', async () => {
    await showApp((world) => {
      world.status = { ...world.status, vault_problem: gone, config_problem: config };
    });
    expect(screen.getAllByTestId('banner')).toHaveLength(1);
    expect(screen.getByRole('alert')).toHaveTextContent('The vault folder is gone: ~/Documents/Work vault.');
  });

  test('a missing vault can be located again', async () => {
    const { backend, user } = await showApp((world) => {
      world.status = { ...world.status, vault: null, vault_problem: gone };
    });
    backend.on('pick_folder', () => ({ path: '/mnt/Work vault', shown: '/mnt/Work vault', notes: 412 }));
    backend.on('open_vault', (params) => {
      backend.world.status = { ...backend.world.status, vault_problem: null };
      return backend.open_vault(params);
    });
    await user.click(screen.getByRole('button', { name: 'Find it' }));
    await waitFor(() => expect(screen.queryByTestId('banner')).not.toBeInTheDocument());
    expect(backend.asked('open_vault')).toEqual([
      { choice: { kind: 'folder', path: '/mnt/Work vault' }, model: 'ollama/qwen3:14b' },
    ]);
  });

  describe('a vault that disappears while Nova runs', () => {
    const message = 'The vault folder is gone: /home/mara/Documents/Work vault.';
    const vaultGone: EventBody = { type: 'vault_gone', root: null, message, hint: 'Nothing is written until it is back.' };

    test('shows remedies at once, a red dot and one notice in the chat, until it is back', async () => {
      const rendered = await showApp();
      await openChat(rendered);
      const { backend } = rendered;
      act(() => void backend.emit(vaultGone));
      const banner = await screen.findByRole('alert');
      expect(banner).toHaveTextContent(`${message} Nothing is written until it is back.`);
      expect(within(banner).getAllByRole('button').map((button) => button.textContent)).toEqual(['Find it', 'Open another']);
      expect(screen.getByTestId('vault-status')).toHaveTextContent('Folder gone');
      expect(screen.queryByText('412 notes, watching')).not.toBeInTheDocument();
      act(() => void backend.emit(vaultGone));
      expect(within(screen.getByRole('log')).getAllByText(message)).toHaveLength(1);

      act(() => void backend.emit({ type: 'vault_back', root: null, message: 'The vault folder is back. 3 notes changed meanwhile.' }));
      expect(await within(screen.getByRole('log')).findByText('The vault folder is back. 3 notes changed meanwhile.')).toBeVisible();
      expect(screen.queryByTestId('banner')).not.toBeInTheDocument();
      expect(await screen.findByText('412 notes, watching')).toBeVisible();
    });

    test('another of the machine’s vaults can be opened instead', async () => {
      const { backend, user } = await showApp();
      act(() => void backend.emit(vaultGone));
      backend.on('open_vault', (params) => backend.open_vault(params));
      await user.click(await screen.findByRole('button', { name: 'Open another' }));
      await user.click(await screen.findByRole('menuitem', { name: /Notes/ }));
      await waitFor(() => expect(backend.asked('open_vault')).toEqual([{ choice: { kind: 'folder', path: '/home/mara/Notes' }, model: 'ollama/qwen3:14b' }]));
    });

    test('a missing root is named, and the vault stays open', async () => {
      const { backend } = await showApp();
      const gone = 'The folder that "Team" links to is gone: /srv/team.';
      act(() => void backend.emit({ type: 'vault_gone', root: 'Team', message: gone, hint: 'Mount the disk that the notes are on.' }));
      const banner = await screen.findByTestId('banner');
      expect(banner).toHaveTextContent(`${gone} Mount the disk that the notes are on.`);
      expect(within(banner).queryByRole('button', { name: 'Find it' })).not.toBeInTheDocument();
      expect(screen.getByText('412 notes, watching')).toBeVisible();
      act(() => void backend.emit({ type: 'vault_back', root: 'Team', message: 'The folder that "Team" links to is back.' }));
      await waitFor(() => expect(screen.queryByTestId('banner')).not.toBeInTheDocument());
    });
  });

  test('a broken config names file and line, and is one click away', async () => {
    const { backend, user } = await showApp((world) => {
      world.status = { ...world.status, config_problem: config };
    });
    expect(screen.getByTestId('banner')).toHaveTextContent(
      'nova.config.json, line 12: last good settings in use. A comma is missing.',
    );
    await user.click(screen.getByRole('button', { name: 'Open' }));
    expect(backend.asked('show_config_file')).toHaveLength(1);
  });
});

describe('an interrupted change', () => {
  test('is reported at the start with its notes; Finish shows the result in the panel', async () => {
    const { backend, user } = await showApp((world) => {
      world.changes = [interruptedSet(41)];
    });
    const banner = await screen.findByTestId('banner');
    expect(banner).toHaveTextContent('Nova was interrupted while it changed 41 notes: finish or undo.');
    expect(within(banner).getAllByRole('button').map((button) => button.textContent)).toEqual([
      ...[1, 2, 3, 4, 5, 6].map((at) => `Contact ${at}`),
      '35 more',
      'Finish',
      'Undo',
    ]);
    expect(backend.asked('finish_changes')).toEqual([]);
    await user.click(within(banner).getByRole('button', { name: 'Finish' }));
    expect(backend.asked('finish_changes')).toEqual([{ change_set: 'cut' }]);
    const panel = within(screen.getByRole('complementary', { name: 'Panel' }));
    expect(await panel.findByText('Tag the contacts by region: 41 notes finished')).toBeVisible();
    expect(screen.queryByTestId('banner')).not.toBeInTheDocument();
  });

  test('is reverted by Undo in the banner', async () => {
    const { backend, user } = await showApp((world) => {
      world.changes = [interruptedSet(2)];
    });
    await user.click(await screen.findByTestId('banner-undo'));
    expect(backend.asked('undo_changes')).toEqual([{ change_set: 'cut' }]);
    expect(await screen.findByText('Tag the contacts by region: 2 notes undone')).toBeVisible();
  });

  test('with several, the banner opens the panel with a choice for each', async () => {
    const { store, user } = await showApp((world) => {
      world.changes = [interruptedSet(2), interruptedSet(3, { id: 'other' })];
    });
    act(() => store.actions.show({ kind: 'run-tool', tool: null }));
    expect(await screen.findByTestId('banner')).toHaveTextContent('while it changed 3 notes');
    await user.click(screen.getByTestId('banner-show'));
    expect(await screen.findAllByTestId('interrupted-change')).toHaveLength(2);
  });
});

describe('the status line', () => {
  const watched = (watching: string) =>
    showApp((world) => {
      world.status = { ...world.status, vault: world.status.vault && { ...world.status.vault, watching } };
    });
  const polling = 'polled every few seconds (8192 watches are in use; raise max_user_watches)';

  test('the number of problems opens their list from anywhere', async () => {
    const { store, user } = await showApp();
    act(() => store.actions.show({ kind: 'run-tool', tool: null }));
    await user.click(await screen.findByRole('button', { name: '3 problems' }));
    const panel = within(screen.getByRole('complementary', { name: 'Panel' }));
    expect(panel.getByRole('tab', { name: /Problems\s*3/ })).toHaveAttribute('aria-selected', 'true');
    expect(panel.getByRole('article', { name: 'Arden fit-out' })).toBeVisible();
  });

  test('the panel tabs are words, and icons when another page needs the room', async () => {
    const backend = new FakeBackend(sampleWorld());
    backend.on('list_panels', () => samplePanels.slice(0, 3)).on('call_tool', (call) => sampleAnswer(call) ?? backend.call_tool());
    const { store } = renderInApp(<App now={() => sampleNow} />, { backend });
    await act(() => store.actions.start());
    act(() => store.actions.setPanel({ open: true, tab: 'changes', wide: false }));
    const words = async () => {
      const tabs = within(await screen.findByRole('tablist', { name: 'Panel' })).getAllByRole('tab');
      return tabs.filter((tab) => tab.querySelector('svg') === null).map((tab) => tab.textContent?.replaceAll(/\d/g, ''));
    };
    expect(await words()).toEqual(['Changes', 'Activity']);
    act(() => store.actions.setPanel({ tab: 'skill:crm' }));
    expect(await words()).toEqual(['CRM']);
    expect(screen.getByRole('tab', { name: 'Activity' })).toBeVisible();
    act(() => store.actions.setPanel({ tab: 'problems' }));
    expect(await words()).toEqual(['Problems']);
  });

  test('without problems there is neither number nor tab', async () => {
    const { store } = await showApp((world) => {
      world.problems = [];
    });
    await waitFor(() => expect(store.get().app.problems.rows).toEqual([]));
    act(() => store.actions.togglePanel());
    expect(screen.queryByTestId('show-problems')).not.toBeInTheDocument();
    expect(screen.queryByRole('tab', { name: /Problems/ })).not.toBeInTheDocument();
  });

  test('in the rail it is an icon with the same name', async () => {
    setWindow({ width: 900 });
    const { user } = await watched(polling);
    expect(screen.getByRole('img', { name: `Work vault: 412 notes, polled every few seconds: 8192 watches are in use; raise max_user_watches` })).toBeInTheDocument();
    await user.click(await screen.findByRole('button', { name: '3 problems' }));
    expect(await screen.findByRole('dialog', { name: 'Panel' })).toBeInTheDocument();
  });

  test('a polled vault shows the reason on focus, and no banner', async () => {
    await watched(polling);
    const status = screen.getByTestId('vault-status');
    expect(status).toHaveTextContent('412 notes, polled every few seconds');
    act(() => status.focus());
    expect(await screen.findByRole('tooltip')).toHaveTextContent('8192 watches are in use; raise max_user_watches');
    expect(screen.queryByTestId('banner')).not.toBeInTheDocument();
  });

  test('a network vault shows that it is polled and why, without a warning', async () => {
    await watched('watching, and polled every few seconds (the vault is on NFS)');
    const status = screen.getByTestId('vault-status');
    expect(status).toHaveTextContent('412 notes, watching, and polled every few seconds');
    expect(status).not.toHaveClass('text-warn');
    act(() => status.focus());
    expect(await screen.findByRole('tooltip')).toHaveTextContent('the vault is on NFS');
    expect(screen.queryByTestId('banner')).not.toBeInTheDocument();
  });

  test('an unwatched vault also shows a banner', async () => {
    await watched('not watched (the folder cannot be read; put it back)');
    expect(screen.getByTestId('banner')).toHaveTextContent('Changes in Obsidian are not detected: the folder cannot be read; put it back');
    expect(screen.getByTestId('vault-status')).toHaveTextContent('412 notes, not watched');
  });
});

describe('appearance', () => {
  const themed = (theme: 'system' | 'light' | 'dark', text_size = 14) =>
    showApp((world) => {
      world.status.appearance = { ...world.status.appearance, theme, text_size };
    });

  test.each([
    ['dark', false, 'dark'],
    ['light', true, 'light'],
    ['system', true, 'dark'],
    ['system', false, 'light'],
  ] as const)('%s, system dark %s: %s', async (theme, dark, shown) => {
    setWindow({ dark });
    await themed(theme);
    expect(document.documentElement.dataset.theme).toBe(shown);
  });

  test('the text size scales everything', async () => {
    await themed('light', 18);
    expect(Number.parseFloat(document.documentElement.style.fontSize)).toBeCloseTo((16 * 18) / 14);
  });
});

test('due items are reloaded when the window is shown on another day', async () => {
  const { backend } = await showApp();
  const before = backend.asked('list_glances').length;
  const look = () => act(async () => void window.dispatchEvent(new Event('focus')));
  await look();
  expect(backend.asked('list_glances')).toHaveLength(before);
  vi.useFakeTimers({ toFake: ['Date'], now: Date.now() + 86_400_000 });
  await look();
  await look();
  vi.useRealTimers();
  expect(backend.asked('list_glances')).toHaveLength(before + 1);
});
