import { act, fireEvent, screen, waitFor, within } from '@testing-library/react';
import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest';

import { setWindow } from './testing/media';
import { sampleWorld } from './testing/sample';
import { sampleAnswer, samplePanels } from './testing/sample-panels';
import { openChat, showApp } from './testing/whole-app';

beforeEach(() => setWindow({}));
afterEach(() => vi.unstubAllGlobals());

describe('keys', () => {
  test('Ctrl N, Ctrl comma, Esc, Ctrl B, Ctrl period', async () => {
    const rendered = await showApp();
    await openChat(rendered);
    const { user, app } = rendered;
    await user.keyboard('{Control>}n{/Control}');
    expect(app().open).toBeNull();
    await user.keyboard('{Control>},{/Control}');
    expect(app().view).toEqual({ kind: 'settings', page: 'skills' });
    await user.keyboard('{Escape}');
    expect(app().view).toEqual({ kind: 'chat' });
    await user.keyboard('{Control>}b{/Control}');
    expect(app().list.folded).toBe(true);
    await user.keyboard('{Control>}.{/Control}');
    expect(app().panel.open).toBe(true);
  });

  test('Ctrl and a digit open the panels of skills, Ctrl Shift period makes one wide', async () => {
    const { user, app, backend, store } = await showApp();
    backend.on('list_panels', () => samplePanels).on('call_tool', (call) => sampleAnswer(call) ?? backend.call_tool());
    await act(() => store.actions.loadSkillPanels());
    await user.keyboard('{Control>}2{/Control}');
    expect(app().panel).toMatchObject({ open: true, tab: 'skill:portfolio', wide: false });
    expect(screen.getByTestId('composer-input')).toBeInTheDocument();
    await user.keyboard('{Control>}{Shift>}[Period]{/Shift}{/Control}');
    expect(screen.getByTestId('wide-panel')).toBeInTheDocument();
    // It covers the list, too.
    expect(screen.queryByTestId('chat-list')).not.toBeInTheDocument();
    expect(screen.getByRole('button', { name: 'Portfolio' })).toHaveAttribute('aria-pressed', 'true');
    await user.keyboard('{Control>}1{/Control}');
    expect(app().panel.tab).toBe('skill:crm');
    // The same key closes it.
    await user.keyboard('{Control>}1{/Control}');
    expect(app().panel.open).toBe(false);
  });

  test('a question below a wide panel goes to the chat with the skill', async () => {
    const { user, app, backend, store } = await showApp();
    backend.on('list_panels', () => samplePanels).on('call_tool', (call) => sampleAnswer(call) ?? backend.call_tool());
    backend.on('send_message', () => ({ turn: 't9' }) as never);
    await act(() => store.actions.loadSkillPanels());
    act(() => store.actions.setPanel({ open: true, tab: 'skill:crm', wide: true }));
    await user.type(screen.getByRole('textbox', { name: 'Ask CRM' }), 'Who waits?{Enter}');
    await waitFor(() => expect(backend.asked('send_message')).toMatchObject([{ text: 'Who waits?', skills: ['crm'] }]));
    await waitFor(() => expect(app().panel.wide).toBe(false));
  });

  test('Ctrl K opens the palette: a chat by its name, a command, a skill', async () => {
    const { user, app } = await showApp();
    const find = async (words: string) => {
      await user.keyboard('{Control>}k{/Control}');
      await user.type(screen.getByTestId('palette-field'), `${words}{Enter}`);
      expect(screen.queryByTestId('palette')).toBeNull();
    };
    await find('lisb');
    expect(app().open).toBe('lisbon');
    await find('show act');
    expect(app().panel).toMatchObject({ open: true, tab: 'activity' });
    await find('crm');
    expect(app().drafts['lisbon']?.skills).toEqual(['crm']);
    await find('settings: mod');
    expect(app().view).toEqual({ kind: 'settings', page: 'models' });
  });

  test('Ctrl K lists mentions in the folder of the open note, before any becomes a link', async () => {
    const { user, app, backend, store } = await showApp();
    backend.on('list_tools', () => sampleWorld().tools.slice(0, 1).map((tool) => ({ ...tool, name: 'vault.suggest_links' })));
    act(() => store.actions.openNote('Meetings/Offsite.md'));
    await user.keyboard('{Control>}k{/Control}');
    await user.type(screen.getByTestId('palette-field'), 'suggest meet');
    await waitFor(() => expect(screen.getByRole('option', { selected: true })).toHaveTextContent('Suggest links in Meetings'));
    await user.keyboard('{Enter}');
    expect(app().view).toEqual({ kind: 'run-tool', tool: 'vault.suggest_links', args: { path: 'Meetings', dry_run: true } });
  });

  test('Ctrl K finds a note, a tool and a panel by name, and lists them first next time', async () => {
    const { user, app, backend, store } = await showApp();
    backend.on('list_panels', () => samplePanels).on('call_tool', (call) => sampleAnswer(call) ?? backend.call_tool());
    await act(() => store.actions.loadSkillPanels());
    const openPalette = () => user.keyboard('{Control>}k{/Control}');
    const find = async (words: string, found: RegExp) => {
      await openPalette();
      await user.type(screen.getByTestId('palette-field'), words);
      await waitFor(() => expect(screen.getByRole('option', { selected: true })).toHaveTextContent(found));
      await user.keyboard('{Enter}');
    };
    await find('brandvik', /^Ilse Brandvik/);
    expect(app().panel.note).toBe('CRM/People/Ilse Brandvik.md');
    await find('move_deal', /^crm.move_deal/);
    expect(app().view).toEqual({ kind: 'run-tool', tool: 'crm.move_deal' });
    // The skill with that name comes first.
    await find('portf{ArrowDown}', /^Portfoliopanel/);
    expect(app().panel.tab).toBe('skill:portfolio');
    await openPalette();
    const recent = within(screen.getByRole('group', { name: 'Recent' })).getAllByRole('option').map(({ textContent }) => textContent);
    expect(recent.map((label) => /^(Portfolio|crm.move_deal|Ilse Brandvik)/.exec(label ?? '')?.[0])).toEqual(['Portfolio', 'crm.move_deal', 'Ilse Brandvik']);
  });

  test('Ctrl O opens a note by name', async () => {
    const { user, app } = await showApp();
    await user.keyboard('{Control>}o{/Control}');
    await user.type(screen.getByRole('combobox', { name: 'Name of the note' }), 'jane');
    await screen.findByRole('option', { name: /^Jane Doe/, selected: true });
    await user.keyboard('{Enter}');
    expect(app().panel.note).toBe('CRM/People/Jane Doe.md');
  });

  test('Run a tool focuses its search, also from the page of a tool', async () => {
    const { user, app, store } = await showApp();
    act(() => store.actions.show({ kind: 'run-tool', tool: 'crm.move_deal' }));
    await user.keyboard('{Control>}k{/Control}');
    await user.type(screen.getByTestId('palette-field'), 'run a tool{Enter}');
    const search = await screen.findByRole('textbox', { name: 'Find a tool' });
    await waitFor(() => expect(search).toHaveFocus());
    await user.keyboard('add_con{Enter}');
    expect(app().view).toEqual({ kind: 'run-tool', tool: 'crm.add_contact' });
    await waitFor(() => expect(screen.getByLabelText(/^Name/)).toHaveFocus());
  });

  test('the palette offers the commands of its context; the list of keys has all', async () => {
    const rendered = await showApp();
    const { user, app, store } = rendered;
    const offered = async (words: string) => {
      await user.keyboard('{Control>}k{/Control}');
      await user.type(screen.getByTestId('palette-field'), words);
      const labels = screen.queryAllByRole('option').map(({ textContent }) => textContent ?? '');
      await user.keyboard('{Escape}');
      return labels.filter((label) => label.toLowerCase().startsWith(words));
    };
    const commands = ['find in this chat', 'show or hide the chat list', 'show or hide the right panel', 'go to the waiting approval', 'widen the panel'];
    const able = async () => {
      const found = [];
      for (const words of commands) if ((await offered(words)).length > 0) found.push(words);
      return found;
    };
    act(() => store.actions.show({ kind: 'settings', page: 'models' }));
    expect(await able()).toEqual([]);
    expect(app().view.kind).toBe('settings');
    act(() => store.actions.show({ kind: 'chat' }));
    expect(await able(), 'nothing waits, and no skill has a panel').toEqual(commands.slice(0, 3));
    await openChat(rendered);
    expect(await able()).toEqual(commands.slice(0, 4));
    act(() => store.actions.setOver('keys'));
    for (const words of commands) expect(screen.getByTestId('key-sheet').parentElement).toHaveTextContent(new RegExp(words, 'i'));
  });

  test('? lists the keys, Esc closes the list and restores the focus', async () => {
    const { user } = await showApp();
    screen.getByTestId('new-chat').focus();
    await user.keyboard('?');
    expect(screen.getByRole('dialog', { name: 'Keys' })).toHaveTextContent('Search chats and commands');
    await user.keyboard('{Escape}');
    expect(screen.queryByRole('dialog')).toBeNull();
    expect(screen.getByTestId('new-chat')).toHaveFocus();
  });

  test('in a message ? is a question mark', async () => {
    const { user } = await showApp();
    await user.type(screen.getByTestId('composer-input'), 'Who?');
    expect(screen.queryByRole('dialog')).toBeNull();
  });

  test('keys can be changed, are saved, and an invalid one is refused with the reason', async () => {
    const { user, app, store } = await showApp();
    act(() => store.actions.show({ kind: 'settings', page: 'keyboard' }));
    await user.click(screen.getByTestId('keys-palette'));
    await user.keyboard('{Control>}n{/Control}');
    expect(screen.getByRole('alert')).toHaveTextContent('Ctrl N is “New chat”.');
    expect(app().view.kind).toBe('settings');
    await user.keyboard('{Control>}p{/Control}');
    expect(app().keys).toEqual({ palette: 'Ctrl P' });
    await user.keyboard('{Control>}k{/Control}');
    expect(screen.queryByTestId('palette')).toBeNull();
    await user.keyboard('{Control>}p{/Control}');
    expect(screen.getByTestId('palette')).toBeVisible();
  });

  test('a non-Latin keyboard has the same keys, also changed ones', async () => {
    const { user, app, store } = await showApp();
    fireEvent.keyDown(document.body, { key: 'л', code: 'KeyK', ctrlKey: true });
    expect(screen.getByTestId('palette')).toBeVisible();
    act(() => store.actions.setOver(null));
    act(() => store.actions.show({ kind: 'settings', page: 'keyboard' }));
    await user.click(screen.getByTestId('keys-palette'));
    fireEvent.keyDown(screen.getByTestId('keys-palette'), { key: 'с', code: 'KeyC', ctrlKey: true });
    expect(screen.getByRole('alert')).toHaveTextContent('Ctrl C is reserved for editing text.');
    fireEvent.keyDown(screen.getByTestId('keys-palette'), { key: 'з', code: 'KeyP', ctrlKey: true });
    expect(app().keys).toEqual({ palette: 'Ctrl P' });
  });

  test('changed keys replace the old ones wherever they are shown', async () => {
    const { store } = await showApp();
    const changed = { list: 'Ctrl 8', 'new-chat': 'Ctrl D', settings: 'Ctrl E', composer: 'Ctrl M' };
    act(() => Object.entries(changed).forEach(([action, keys]) => store.actions.setKeys(action, keys)));
    expect(screen.getByTestId('new-chat')).toHaveTextContent('Ctrl D');
    expect(screen.getByTestId('chat-list')).not.toHaveTextContent('Ctrl K');
    screen.getByTestId('nav-settings').focus();
    expect(await screen.findByRole('tooltip')).toHaveTextContent('Ctrl E');
  });

  test('F6 cycles through the regions, Shift F6 backwards', async () => {
    const { user, store } = await showApp();
    act(() => store.actions.togglePanel());
    const region = () => document.activeElement?.closest('[data-region]')?.getAttribute('data-region');
    screen.getByTestId('new-chat').focus();
    await user.keyboard('{F6}');
    expect(region()).toBe('header');
    await user.keyboard('{Shift>}{F6}{/Shift}');
    expect(region()).toBe('list');
    await user.keyboard('{Shift>}{F6}{/Shift}');
    expect(region()).toBe('panel');
  });
});

describe('lists', () => {
  const firstStop = (list: HTMLElement) => list.querySelector<HTMLElement>('[data-note-path] button, button[data-note-path], [data-list-item] button, button[data-list-item]')!;
  const panels = async (rendered: Awaited<ReturnType<typeof showApp>>) => {
    rendered.backend.on('list_panels', () => samplePanels).on('call_tool', (call) => sampleAnswer(call) ?? rendered.backend.call_tool());
    await act(() => rendered.store.actions.loadSkillPanels());
  };
  type Rendered = Awaited<ReturnType<typeof showApp>>;
  const lists: [name: string, go: (rendered: Rendered) => unknown, list: () => Promise<HTMLElement>, notes: boolean][] = [
    ['the changes of a chat', async (r) => { await openChat(r); r.store.actions.showPanel('changes'); }, async () => (await screen.findAllByTestId('change-note'))[0]!.closest<HTMLElement>('[data-list]')!, true],
    ['a table of a panel', async (r) => { await panels(r); r.store.actions.setPanel({ open: true, tab: 'skill:portfolio', wide: true }); }, async () => (await screen.findAllByRole('row'))[1]!.closest<HTMLElement>('[data-list]')!, true],
    ['the deleted chats', async (r) => { await r.store.actions.deleteSession('lisbon'); await r.store.actions.deleteSession('bank'); r.store.actions.show({ kind: 'trash' }); }, async () => (await screen.findAllByTestId('trash-row'))[0]!.closest<HTMLElement>('[data-list]')!, false],
    ['the skills', (r) => r.store.actions.show({ kind: 'settings', page: 'skills' }), async () => (await screen.findAllByTestId('skill-row'))[0]!.closest<HTMLElement>('[data-list]')!, false],
    ['the models', (r) => r.store.actions.show({ kind: 'settings', page: 'models' }), async () => (await screen.findAllByRole('list', { name: /^Models of/ }))[0]!, false],
  ];
  test.each(lists)('J and K move in %s, O opens a note in Obsidian', async (_name, go, list, notes) => {
    const rendered = await showApp();
    await act(async () => void (await go(rendered)));
    const first = firstStop(await list());
    act(() => first.focus());
    const item = () => document.activeElement?.closest('[data-list-item]');
    const before = item();
    await rendered.user.keyboard('j');
    expect(item()).not.toBe(before);
    await rendered.user.keyboard('k');
    expect(item()).toBe(before);
    const path = before?.closest<HTMLElement>('[data-note-path]')?.dataset['notePath'];
    await rendered.user.keyboard('o');
    expect(rendered.backend.asked('open_note')).toEqual(notes ? [{ path }] : []);
    expect(path === undefined).toBe(!notes);
  });

  test('O opens the note of a board card', async () => {
    const rendered = await showApp();
    await panels(rendered);
    act(() => rendered.store.actions.setPanel({ open: true, tab: 'skill:crm', wide: true }));
    await waitFor(() => expect(document.querySelector('[data-card]')).not.toBeNull());
    const card = document.querySelector<HTMLElement>('[data-card]')!;
    act(() => card.focus());
    await rendered.user.keyboard('o');
    expect(rendered.backend.asked('open_note')).toEqual([{ path: card.dataset['row'] }]);
  });

  const russian = (key: 'о' | 'л' | 'щ') => fireEvent.keyDown(document.activeElement!, { key, code: { о: 'KeyJ', л: 'KeyK', щ: 'KeyO' }[key] });

  test('J, K and O keep their positions on a non-Latin keyboard', async () => {
    const rendered = await showApp();
    await openChat(rendered);
    act(() => rendered.store.actions.showPanel('changes'));
    const list = (await screen.findAllByTestId('change-note'))[0]!.closest<HTMLElement>('[data-list]')!;
    act(() => firstStop(list).focus());
    const item = () => document.activeElement?.closest<HTMLElement>('[data-list-item]');
    const before = item();
    russian('о');
    expect(item()).not.toBe(before);
    russian('л');
    expect(item()).toBe(before);
    russian('щ');
    expect(rendered.backend.asked('open_note')).toEqual([{ path: before!.closest<HTMLElement>('[data-note-path]')!.dataset['notePath'] }]);
  });

  test('the same on a board and in the tool list', async () => {
    const rendered = await showApp();
    await panels(rendered);
    act(() => rendered.store.actions.setPanel({ open: true, tab: 'skill:crm', wide: true }));
    await waitFor(() => expect(document.querySelectorAll('[data-card]').length).toBeGreaterThan(1));
    const card = document.querySelector<HTMLElement>('[data-card]')!;
    act(() => card.focus());
    russian('о');
    expect(card).not.toHaveFocus();
    russian('л');
    expect(card).toHaveFocus();
    act(() => rendered.store.actions.show({ kind: 'run-tool', tool: null }));
    await waitFor(() => expect(document.querySelectorAll('button[data-tool]').length).toBeGreaterThan(1));
    const [tool, next] = [...document.querySelectorAll<HTMLElement>('button[data-tool]')];
    act(() => tool!.focus());
    russian('о');
    expect(next).toHaveFocus();
  });

  test('they type letters in a field of a list', async () => {
    const { user, backend } = await showApp();
    await user.type(screen.getByRole('textbox', { name: 'Search chats' }), 'jok');
    expect(screen.getByRole('textbox', { name: 'Search chats' })).toHaveValue('jok');
    expect(backend.asked('open_note')).toEqual([]);
  });
});
