import { screen, waitFor } from '@testing-library/react';
import userEvent from '@testing-library/user-event';
import { expect, test } from 'vitest';

import type { ServerPrompt } from '../../ipc';
import { FakeBackend } from '../../testing/fake-backend';
import { renderInApp } from '../../testing/render';
import { sampleWorld } from '../../testing/sample';
import { Conversation } from '../Conversation';

const field = () => screen.getByTestId<HTMLTextAreaElement>('composer-input');
const user = userEvent.setup();

function prompt(change: Partial<ServerPrompt> = {}): ServerPrompt {
  const input_schema = { type: 'object', properties: { file: { type: 'string' }, tone: { type: 'string' } }, required: ['file'] };
  return { server: 'CRM server', skill: 'crm', name: 'review', title: 'Review', description: 'Reviews a file.', input_schema, completes: false, ...change };
}

function open(prompts: ServerPrompt[]) {
  const backend = new FakeBackend({ ...sampleWorld(), prompts });
  backend.on('fill_server_prompt', () => ({ name: 'prompt review', text: 'Review it.', from: 'crm.review' }));
  renderInApp(<Conversation />, { backend, app: { skillNames: { crm: 'CRM' } } });
  return backend;
}

async function pick(query: string) {
  await user.type(field(), query);
  await screen.findAllByTestId('picker-skill');
  await user.keyboard('{Enter}');
  return screen.findByTestId('prompt-form');
}

test('a prompt is picked like a tool, filled in as a form, and sent with the message', async () => {
  const backend = open([prompt()]);
  const form = await pick('/review');
  expect(field()).toHaveValue('');
  expect(form).toHaveTextContent('prompt of CRM server');
  await user.click(screen.getByTestId('prompt-fill'));
  expect(backend.asked('fill_server_prompt')).toEqual([]);
  await user.type(screen.getAllByRole('textbox').find((one) => form.contains(one)) as HTMLElement, 'main.rs{Enter}');
  await waitFor(() => expect(screen.queryByTestId('prompt-form')).toBeNull());
  expect(backend.asked('fill_server_prompt')).toEqual([{ server: 'CRM server', prompt: 'review', args: { file: 'main.rs' } }]);
  expect(screen.getByTestId('draft-chips')).toHaveTextContent('prompt review 10 B from crm');
  await user.type(field(), 'Please.{Enter}');
  await waitFor(() => expect(backend.asked('send_message')).toHaveLength(1));
  expect(backend.asked('send_message')[0]).toMatchObject({ text: 'Please.', outside: [{ name: 'prompt review', text: 'Review it.', from: 'crm.review' }] });
});

test('Esc closes the form and restores the focus', async () => {
  open([prompt()]);
  await pick('/review');
  await user.keyboard('{Escape}');
  expect(screen.queryByTestId('prompt-form')).toBeNull();
  await waitFor(() => expect(field()).toHaveFocus());
  expect(screen.queryByTestId('draft-chips')).toBeNull();
});

test('a server’s refusal is shown in the form', async () => {
  const backend = open([prompt({ input_schema: { type: 'object', properties: {}, required: [] } })]);
  backend.fail('fill_server_prompt', { message: 'CRM server refused it: no such file.' });
  await pick('/review');
  await user.click(screen.getByTestId('prompt-fill'));
  expect(await screen.findByRole('alert')).toHaveTextContent('no such file');
});

test('a server suggests values if it can', async () => {
  const backend = open([prompt({ completes: true })]);
  backend.on('complete_server_prompt', ({ text }) => [`${text}.rs`]);
  const form = await pick('/review');
  const [line] = screen.getAllByRole('combobox').filter((one) => form.contains(one));
  await user.type(line as HTMLElement, 'main');
  await user.click(await screen.findByRole('option', { name: 'main.rs' }));
  expect(line).toHaveValue('main.rs');
});
