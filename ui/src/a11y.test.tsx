// Runs axe on every screen: roles, names, order, everything that needs no layout. Contrast is tested in the
// real window.
import { act, screen } from '@testing-library/react';
import userEvent from '@testing-library/user-event';
import { beforeEach, expect, test } from 'vitest';

import { App } from './App';
import type { AppState, SettingsPageName } from './state/app';
import type { Store } from './state/store';
import { violations } from './testing/axe';
import { FakeBackend, type World } from './testing/fake-backend';
import { setWindow } from './testing/media';
import { contactForm, newContactForm } from './testing/record-form';
import { renderInApp } from './testing/render';
import { interruptedSet, sampleNow, samplePendingTools, sampleWorld } from './testing/sample';
import { sampleToday } from './testing/sample/today';
import { sampleAnswer, samplePanels } from './testing/sample-panels';

beforeEach(() => setWindow({}));

const pages: SettingsPageName[] = ['skills', 'models', 'permissions', 'credentials', 'servers', 'routines', 'vault', 'notifications', 'keyboard', 'appearance'];

type Screen = [name: string, go: (store: Store) => unknown, change?: (world: World) => void, app?: Partial<AppState>];

const chat = (store: Store) => store.actions.openSession('harborline');

/** Types the text and waits for the list it opens; `[[` is one `[` for user-event. */
async function typed(text: string, opens: string) {
  await userEvent.type(screen.getByTestId('composer-input'), text);
  await screen.findAllByTestId(opens);
}

const screens: Screen[] = [
  ['a new chat', () => undefined],
  ['a new chat with a day', (store) => act(() => store.actions.loadGlances()), (world) => void (world.glances = sampleToday(sampleNow))],
  ['no model', () => undefined, (world) => void (world.status.model = null)],
  ['a chat with an approval', chat],
  ['the changes beside it', (store) => chat(store).then(() => store.actions.showPanel('changes'))],
  ['the activity', (store) => chat(store).then(() => store.actions.showPanel('activity'))],
  ['the problems', (store) => store.actions.showPanel('problems')],
  ['the records of a skill', async (store) => {
    store.actions.show({ kind: 'settings', page: 'skills', skill: 'crm', records: 'contact' });
    await screen.findByRole('table', { name: 'Properties' });
  }],
  ['a note', (store) => store.actions.openNote('Jane Doe')],
  ['find', (store) => chat(store).then(() => store.actions.setFind('stage'))],
  ['a waiting message and a file', (store) => chat(store).then(() => {
    store.actions.setDraft({ text: 'next', tool: 'crm.move_deal' });
    store.actions.queueDraft();
    store.actions.setDraft({ text: 'more', skills: ['crm'], files: [{ name: 'a.csv', text: 'a' }] });
  })],
  ['the picker of tools', () => typed('/', 'picker-skill')],
  ['the list of notes', () => typed('[[[[Ja', 'note-picker')],
  ['an edited message', async (store) => {
    await chat(store);
    (await screen.findAllByTestId('edit-message')).at(-1)?.click();
  }],
  ['the palette', (store) => store.actions.setOver('palette')],
  ['the notes by name', (store) => store.actions.setOver('notes')],
  ['the keys', (store) => store.actions.setOver('keys')],
  ['an interrupted change', chat, (world) => void world.changes.unshift(interruptedSet(3))],
  ['running a tool', (store) => store.actions.show({ kind: 'run-tool', tool: 'crm.move_deal' })],
  ['a record', (store) => store.actions.openRecordForm({ skill: 'crm', type: 'contact', path: contactForm.path })],
  ['a vault to be opened while a chat runs', (store) => store.actions.askVault('/home/mara/House')],
  ['the first start', () => undefined, (world) => void (world.status = { ...world.status, first_run: true, vault: null, model: null })],
  ['a vault that is gone', () => undefined, (world) => void (world.status.vault_problem = { code: 'no_vault', message: 'The vault folder is gone.', hint: '' })],
  ...samplePanels.map(({ skill }): Screen => [`the panel of ${skill}`, (store) => chat(store).then(() => store.actions.setPanel({ open: true, tab: `skill:${skill}`, wide: true }))]),
  ['the picker of tools below a panel', async (store) => {
    await chat(store);
    store.actions.setPanel({ open: true, tab: 'skill:crm', wide: true });
    await screen.findByTestId('wide-panel');
    await typed('/', 'picker-skill');
  }],
  ...pages.map((page): Screen => [`settings, ${page}`, (store) => store.actions.show({ kind: 'settings', page })]),
];

// A message has lines, so it needs a textarea; while a list is open it is a combobox. Screen readers announce
// the list by that role, although HTML does not allow it for a textarea.
const combobox = [expect.stringMatching(/^aria-allowed-role: <textarea [^]*role="combobox"/) as string];
const known: Record<string, string[]> = { 'the picker of tools': combobox, 'the list of notes': combobox, 'the picker of tools below a panel': combobox };

test.each(screens)('%s', async (name, go, change) => {
  const world = { ...sampleWorld(), recordForms: [contactForm, newContactForm], pendingTools: samplePendingTools() };
  change?.(world);
  const backend = new FakeBackend(world);
  backend.on('list_panels', () => samplePanels).on('call_tool', (call) => sampleAnswer(call) ?? backend.call_tool());
  const { store } = renderInApp(<App now={() => sampleNow} />, { backend });
  await act(() => store.actions.start());
  await go(store);
  // Wait for the data that a screen loads when it opens.
  await act(async () => void (await new Promise((done) => setTimeout(done))));
  expect(screen.queryAllByRole('button', { hidden: true }).length).toBeGreaterThan(0);
  expect(await violations()).toEqual(known[name] ?? []);
});
