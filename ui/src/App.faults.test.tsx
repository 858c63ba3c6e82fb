// A rendering error stays in its view: the rest of the window keeps working, and the view can be reloaded.

import { act, screen, within } from '@testing-library/react';
import userEvent from '@testing-library/user-event';
import { beforeEach, expect, test, vi } from 'vitest';

import { App } from './App';
import { FakeBackend } from './testing/fake-backend';
import { setWindow } from './testing/media';
import { contactForm } from './testing/record-form';
import { renderInApp } from './testing/render';
import { sampleNow, sampleWorld } from './testing/sample';

type View = 'chat' | 'panel' | 'settings' | 'sheet' | 'palette';

const broken = vi.hoisted(() => new Set<string>());

/** Renders the real component, or throws while its view is set to fail. */
const breakable = vi.hoisted(() => (view: string, real: (props: never) => unknown) => (props: never) => {
  if (broken.has(view)) throw new Error(`no ${view} today`);
  return real(props);
});

vi.mock('./chat/Conversation', () => ({ Conversation: breakable('chat', () => <p>the conversation</p>) }));
vi.mock('./panels/ActivityPanel', () => ({ ActivityPanel: breakable('panel', () => <p>the activity</p>) }));
vi.mock('./settings/AppearancePage', () => ({ AppearancePage: breakable('settings', () => <p>the appearance</p>) }));
vi.mock('./shared/form', async (original) => ({
  ...(await original<object>()),
  SchemaForm: breakable('sheet', () => <p>the form</p>),
}));
vi.mock('./shell/Palette', () => ({ Palette: breakable('palette', () => <p>the palette</p>) }));

beforeEach(() => {
  setWindow({});
  broken.clear();
  // React reports each caught error there.
  vi.spyOn(console, 'error').mockImplementation(() => {});
});

async function show(...views: View[]) {
  for (const view of views) broken.add(view);
  const rendered = renderInApp(<App now={() => sampleNow} />, {
    backend: new FakeBackend({ ...sampleWorld(), recordForms: [contactForm] }),
  });
  await act(() => rendered.store.actions.start());
  await act(() => rendered.store.actions.openSession('harborline'));
  return { ...rendered, user: userEvent.setup() };
}

async function expectFault(view: View) {
  const fault = (await screen.findByText(`no ${view} today`)).closest<HTMLElement>('[role=alert]')!;
  expect(fault).toHaveTextContent('This view cannot be shown.');
  return within(fault);
}

test('an error in the chat leaves list, header and panel working', async () => {
  const { user, store } = await show('chat');
  const fault = await expectFault('chat');
  act(() => store.actions.showPanel('activity'));
  expect(screen.getByTestId('chat-list')).toBeInTheDocument();
  expect(screen.getByRole('heading', { level: 1 })).toHaveTextContent('Harborline signed');
  expect(screen.getByText('the activity')).toBeInTheDocument();
  broken.clear();
  await user.click(fault.getByRole('button', { name: 'Reload this view' }));
  expect(screen.getByText('the conversation')).toBeInTheDocument();
  expect(screen.queryByText('This view cannot be shown.')).not.toBeInTheDocument();
});

test('another chat is shown after an error in one', async () => {
  const { store } = await show('chat');
  await expectFault('chat');
  broken.clear();
  await act(() => store.actions.openSession('bank'));
  expect(screen.getByText('the conversation')).toBeInTheDocument();
});

test('an error in a panel leaves the chat and the other tabs working', async () => {
  const { user, store } = await show('panel');
  act(() => store.actions.showPanel('activity'));
  await expectFault('panel');
  expect(screen.getByText('the conversation')).toBeInTheDocument();
  await user.click(screen.getByRole('tab', { name: /Changes/ }));
  expect(screen.queryByText('This view cannot be shown.')).not.toBeInTheDocument();
});

test('an error in a settings page leaves the other pages working', async () => {
  const { user, store } = await show('settings');
  act(() => store.actions.show({ kind: 'settings', page: 'appearance' }));
  await expectFault('settings');
  await user.click(screen.getByTestId('settings-nav-keyboard'));
  expect(await screen.findByRole('heading', { name: 'Keyboard' })).toBeInTheDocument();
});

test('an error in a sheet leaves its frame and the window working', async () => {
  const { user, store } = await show('sheet');
  act(() => store.actions.openRecordForm({ skill: 'crm', type: 'contact', path: contactForm.path }));
  await expectFault('sheet');
  await user.keyboard('{Escape}');
  expect(screen.queryByText('This view cannot be shown.')).not.toBeInTheDocument();
  expect(screen.getByText('the conversation')).toBeInTheDocument();
});

test('an error in the palette is shown over the window and can be closed', async () => {
  const { user, store } = await show('palette');
  act(() => store.actions.setOver('palette'));
  const fault = await expectFault('palette');
  expect(screen.getByText('the conversation')).toBeInTheDocument();
  await user.click(fault.getByRole('button', { name: 'Close' }));
  expect(screen.queryByText('This view cannot be shown.')).not.toBeInTheDocument();
});
