import { screen, within } from '@testing-library/react';
import userEvent from '@testing-library/user-event';
import { expect, it } from 'vitest';

import type { FirstRunOptions, Method, ProviderRow } from '../ipc';
import { FakeBackend } from '../testing/fake-backend';
import { renderInApp } from '../testing/render';
import { sampleWorld } from '../testing/sample';
import { FirstRun } from './FirstRun';

const bare: FirstRunOptions = {
  found: [],
  sample_target: '~/Documents/Nova sample',
  sample_notes: 64,
  local_models: [],
  looked_at: ['127.0.0.1:11434', '127.0.0.1:1234'],
};
const ollama = { provider: 'ollama', host: '127.0.0.1:11434', models: ['qwen3:14b', 'qwen3:4b'], without_tools: [] as string[] };
const studio = { ...ollama, provider: 'lm-studio', host: '127.0.0.1:1234', models: ['gemma'] };
const openai: ProviderRow = {
  id: 'openai',
  kind: 'openai',
  local: false,
  host: 'api.openai.com',
  agreed: false,
  without_tools: [],
  models: ['gpt-5.2'],
  problem: null,
  key: { credential: 'openai/key', state: 'none' },
  favourites: [],
  prices: [],
  health: null,
};
const work = { path: '/home/mara/Documents/Work vault', shown: '~/Documents/Work vault', name: 'Work vault', notes: 412 };
const empty = { path: '/home/mara/Empty', shown: '~/Empty', name: 'Empty', notes: 0 };

async function setup(options: Partial<FirstRunOptions> = {}, providers: ProviderRow[] = []) {
  const world = sampleWorld();
  const backend = new FakeBackend({
    ...world,
    status: { ...world.status, first_run: true, vault: null, model: null },
    firstRun: { ...bare, ...options },
    providers,
  });
  const rendered = renderInApp(<FirstRun />, { backend });
  await screen.findByRole('button', { name: /Open Nova/ });
  const chosen = () =>
    screen.getAllByRole<HTMLInputElement>('radio', { checked: true }).map((radio) => radio.getAttribute('aria-label'));
  const leaves = (what: string) => screen.getByText(what, { selector: 'aside *' }).closest('li')?.textContent;
  const open = async () => {
    await userEvent.click(screen.getByTestId('first-run-open'));
    return backend.asked('open_vault');
  };
  return { ...rendered, user: userEvent.setup(), chosen, leaves, open };
}

it.each<[string, Partial<FirstRunOptions>, string]>([
  ['a found vault with notes', { found: [empty, work] }, 'Work vault'],
  ['the only vault', { found: [work] }, 'Your Obsidian vault'],
  ['the sample, where the found vault is empty', { found: [empty] }, 'Sample vault'],
  ['the sample, where none is found', {}, 'Sample vault'],
])('begins with %s', async (_, options, expected) => {
  const { chosen } = await setup(options);
  expect(chosen()[0]).toBe(expected);
});

it('opens the found vault with the local model', async () => {
  const { open } = await setup({ found: [work], local_models: [ollama] });
  expect(await open()).toEqual([{ choice: { kind: 'folder', path: work.path }, model: 'ollama/qwen3:14b' }]);
});

it('opens the sample without a model', async () => {
  const { open, user } = await setup({ found: [work], local_models: [ollama] });
  await user.click(screen.getByTestId('first-run-sample'));
  await user.click(screen.getByTestId('first-run-no-model'));
  expect(await open()).toEqual([{ choice: { kind: 'sample' }, model: null }]);
});

it('opens another folder, and keeps the choice if the dialog is cancelled', async () => {
  const { backend, chosen, open, user } = await setup({ found: [work] });
  await user.click(screen.getByRole('button', { name: 'Choose another folder…' }));
  expect(chosen()[0]).toBe('Your Obsidian vault');
  backend.on('pick_folder', () => ({ path: '/home/mara/Notes', shown: '~/Notes', notes: 7 }));
  await user.click(screen.getByRole('button', { name: 'Choose another folder…' }));
  expect(chosen()[0]).toBe('Your folder');
  expect(screen.getByText('~/Notes: 7 notes. Opening changes no file.')).toBeVisible();
  expect(await open()).toEqual([{ choice: { kind: 'folder', path: '/home/mara/Notes' }, model: null }]);
});

it('writes nothing before Open Nova', async () => {
  const { backend, user } = await setup({ found: [work], local_models: [ollama] }, [openai]);
  for (const choice of ['first-run-sample', 'first-run-cloud', 'first-run-new', 'first-run-no-model', 'first-run-vault'])
    await user.click(screen.getByTestId(choice));
  const asks: Method[] = ['first_run_options', 'list_providers'];
  expect([...new Set(backend.calls.map(({ method }) => method))].toSorted()).toEqual(asks);
});

it('never chooses a remote model by itself', async () => {
  const { chosen } = await setup({}, [openai]);
  expect(chosen()[1]).toBe('Continue without a model');
});

it('shows the destination of messages for each choice', async () => {
  const { leaves, user } = await setup({ found: [work], local_models: [ollama] }, [openai]);
  expect(leaves('Your messages')).toMatch(/^Your messagesstay hereAnswered by Ollama at 127.0.0.1:11434\./);
  expect(leaves('Your notes')).toBe('Your notesstay hereRead where they are. Nothing is copied or uploaded.');
  await user.click(screen.getByTestId('first-run-cloud'));
  expect(leaves('Your messages')).toMatch(/^Your messagesgo to OpenAIAnswered by gpt-5.2 at api.openai.com\./);
  await user.click(screen.getByTestId('first-run-no-model'));
  expect(leaves('Your messages')).toMatch(/^Your messagesstay here/);
  await user.click(screen.getByTestId('first-run-sample'));
  expect(leaves('Your notes')).toBe('Your notesstay hereThe sample is copied once. Nothing is uploaded.');
  expect(leaves('Quotes, mail, calendar, web')).toMatch(/asks first/);
});

it('does not claim that messages stay local if the local server passes them on', async () => {
  const cloud = {
    ...ollama,
    models: ['gpt-oss:120b-cloud', 'qwen3:14b'],
    passed_on: [{ model: 'gpt-oss:120b-cloud', host: 'ollama.com', agreed: false }],
  };
  const { chosen, leaves, user } = await setup({ found: [work], local_models: [cloud] });
  // It is listed first and not chosen by default.
  expect(chosen()[1]).toBe('On this machine: qwen3:14b');
  expect(leaves('Your messages')).toMatch(/^Your messagesstay here/);
  await user.click(screen.getByTestId('first-run-cloud'));
  expect(leaves('Your messages')).toMatch(
    /^Your messagesgo to ollama.comOllama at 127.0.0.1:11434 passes them on to gpt-oss:120b-cloud at ollama.com\./,
  );
  expect(leaves('Your notes')).toMatch(/sent as neededNotes read for an answer go to ollama.com\./);
});

it('allows choosing another local model', async () => {
  const { open, user } = await setup({ local_models: [ollama] });
  await user.selectOptions(screen.getByLabelText('Model on this machine'), 'qwen3:4b');
  expect(await open()).toEqual([{ choice: { kind: 'sample' }, model: 'ollama/qwen3:4b' }]);
});

it('says where it looked for a model, and looks again', async () => {
  const { backend, user } = await setup();
  expect(screen.getByText(/No model server answered at 127.0.0.1:11434, 127.0.0.1:1234\./)).toBeVisible();
  backend.world.firstRun = { ...bare, local_models: [ollama] };
  await user.click(screen.getByRole('button', { name: 'Refresh' }));
  expect(await screen.findByRole('radio', { name: 'On this machine: qwen3:14b' })).toBeChecked();
});

it('says why a folder cannot be opened, and continues', async () => {
  const { backend, open } = await setup({ found: [work] });
  backend.fail('open_vault', { message: 'The folder cannot be read.', hint: 'Choose another folder.' });
  await open();
  expect(await screen.findByRole('alert')).toHaveTextContent('The folder cannot be read.Choose another folder.');
  expect(screen.getByTestId('first-run-open')).toBeEnabled();
});

it('continues without the list of providers', async () => {
  const world = sampleWorld();
  const backend = new FakeBackend({ ...world, firstRun: bare }).fail('list_providers');
  renderInApp(<FirstRun />, { backend });
  expect(await screen.findByRole('radio', { name: 'Sample vault' })).toBeChecked();
  expect(within(screen.getByRole('radiogroup', { name: 'Which model?' })).getAllByRole('radio')).toHaveLength(2);
});

it('names every detected server and distinguishes their models', async () => {
  const { open, user } = await setup({ local_models: [ollama, studio] });
  expect(screen.getByText('Ollama and LM Studio found')).toBeVisible();
  await user.selectOptions(screen.getByLabelText('Model on this machine'), 'LM Studio: gemma');
  expect(await open()).toEqual([{ choice: { kind: 'sample' }, model: 'lm-studio/gemma' }]);
});

it('skips a model that cannot call tools, and says so', async () => {
  const { chosen } = await setup({ local_models: [{ ...ollama, without_tools: ['qwen3:14b'] }] });
  expect(chosen()[1]).toBe('On this machine: qwen3:4b');
  expect(screen.getByRole('option', { name: 'qwen3:14b (cannot call tools)' })).toBeDisabled();
});

it('does not offer a machine without any model that can call tools', async () => {
  const { chosen } = await setup({ local_models: [{ ...studio, without_tools: ['gemma'] }] });
  expect(chosen()[1]).toBe('Continue without a model');
  expect(screen.getByRole('radio', { name: 'On this machine: gemma' })).toBeDisabled();
  expect(screen.getByText(/It cannot call tools/)).toBeVisible();
});

/** Pastes a key for OpenAI. */
async function paste(user: ReturnType<typeof userEvent.setup>, key = 'sk-canary') {
  await user.selectOptions(screen.getByLabelText('Provider'), 'OpenAI');
  await user.type(screen.getByLabelText('Key'), key);
}

it('tests a pasted key before Open Nova stores it', async () => {
  const { backend, leaves, open, user } = await setup({ local_models: [ollama] });
  await paste(user);
  expect(leaves('Your messages')).toMatch(/^Your messagesgo to OpenAI.*at api.openai.com\./);
  await user.click(screen.getByTestId('new-provider-check'));
  expect(await screen.findByText('api.openai.com answers')).toBeVisible();
  await user.selectOptions(screen.getByLabelText('Model of the new provider'), 'gpt-5.2-mini');
  expect(backend.asked('open_vault')).toEqual([]);

  const provider = { id: 'openai', kind: 'openai', key: 'sk-canary' };
  expect(backend.asked('check_provider')).toEqual([provider]);
  expect(await open()).toEqual([{ choice: { kind: 'sample' }, model: 'openai/gpt-5.2-mini', provider }]);
});

it.each([
  ['Gemini', 'gemini', 'gemini', 'generativelanguage.googleapis.com'],
  ['OpenAI Responses', 'openai-responses', 'openai_responses', 'api.openai.com'],
])('fills in the address of %s', async (name, id, kind, host) => {
  const { backend, leaves, user } = await setup();
  await user.selectOptions(screen.getByLabelText('Provider'), name);
  await user.type(screen.getByLabelText('Key'), 'canary');
  expect(screen.getByText(new RegExp(`^${host} gets a one-word test request`))).toBeVisible();
  await user.click(screen.getByTestId('new-provider-check'));
  expect(backend.asked('check_provider')).toEqual([{ id, kind, key: 'canary' }]);
  expect(leaves('Your messages')).toContain(`go to ${name}`);
});

it('tests an unchecked key on Open Nova, and stays if it is refused', async () => {
  const { backend, open, user } = await setup();
  backend.fail('check_provider', { message: 'openai refused the key', hint: 'Copy the key again.' });
  await paste(user, 'wrong');
  await open();
  expect(await screen.findByRole('alert')).toHaveTextContent('openai refused the keyCopy the key again.');
  expect(backend.asked('open_vault')).toEqual([]);
  expect(screen.getByTestId('first-run-open')).toBeEnabled();
});

it('applies a test result to the tested entry, not to later edits', async () => {
  const { backend, user } = await setup();
  let answer = () => {};
  backend.on('check_provider', () => new Promise((done) => (answer = () => done({ host: 'api.openai.com', local: false, models: ['old'], without_tools: [] }))));
  await paste(user);
  await user.click(screen.getByTestId('new-provider-check'));
  await user.type(screen.getByLabelText('Key'), 'x');
  answer();
  expect(await screen.findByRole('button', { name: 'Check' })).toBeEnabled();
  expect(screen.queryByText('api.openai.com answers')).toBeNull();
});

it('says what a new provider lacks', async () => {
  const { user } = await setup();
  await user.click(screen.getByTestId('new-provider-check'));
  expect(screen.getByRole('alert')).toHaveTextContent('Choose a provider.');
  await user.selectOptions(screen.getByLabelText('Provider'), 'Anthropic');
  await user.type(screen.getByLabelText('Key'), '{Enter}');
  expect(screen.getByRole('alert')).toHaveTextContent('Paste the key.');
  await user.selectOptions(screen.getByLabelText('Provider'), 'Another');
  await user.type(screen.getByLabelText('Address'), 'nowhere{Enter}');
  expect(screen.getByRole('alert')).toHaveTextContent('Enter the address as https://host/v1.');
});

it('adds a server at another address without a key', async () => {
  const { backend, user } = await setup();
  await user.selectOptions(screen.getByLabelText('Provider'), 'Another');
  await user.type(screen.getByLabelText('Address'), 'https://api.groq.example/v1{Enter}');
  await screen.findByText('api.openai.com answers');
  expect(backend.asked('check_provider')).toEqual([{ id: 'groq', kind: 'openai', base_url: 'https://api.groq.example/v1' }]);
});

it('unlocks credentials in place and continues', async () => {
  const { backend, open, user } = await setup();
  await paste(user);
  backend.fail('open_vault', { code: 'passphrase_needed', message: 'The file is locked.', hint: '' });
  await open();
  await user.type(await screen.findByTestId('passphrase'), 'correct horse');
  await user.click(screen.getByRole('button', { name: 'Open' }));
  expect(backend.asked('open_vault')).toHaveLength(2);
});
