// Settings and information in the detail of a skill.

import { act, screen, waitFor, within } from '@testing-library/react';
import userEvent from '@testing-library/user-event';
import { describe, expect, it } from 'vitest';

import type { JsonValue, SkillDetail, SkillRow } from '../ipc';
import { FakeBackend } from '../testing/fake-backend';
import { renderInApp } from '../testing/render';
import { sampleWorld } from '../testing/sample';
import { skillRow as row, unused } from '../testing/skill-row';
import { SettingsPage } from './SettingsPage';

async function setup(part: Partial<SkillRow> = {}, more: Partial<SkillDetail> = {}, prepare: (backend: FakeBackend) => void = () => undefined) {
  const skill = row('mail', { name: 'Mail', tools: ['mail.list', 'mail.send'], ...part });
  const backend = new FakeBackend({ ...sampleWorld(), skills: [skill], details: { mail: more } });
  prepare(backend);
  const rendered = renderInApp(<SettingsPage />, { backend, app: { view: { kind: 'settings', page: 'skills', skill: 'mail' } } });
  const detail = within(await screen.findByTestId('skill-detail'));
  return { ...rendered, backend, user: userEvent.setup(), detail };
}

it('saves loading mode and duration at once', async () => {
  const { backend, user, detail } = await setup();
  await user.click(detail.getByRole('radio', { name: 'This turn' }));
  expect(detail.getByRole('radio', { name: 'This turn' })).toBeChecked();
  await user.click(detail.getByRole('radio', { name: 'Always' }));
  expect(detail.getByRole('radio', { name: 'Always' })).toBeChecked();
  // An always loaded skill has no duration.
  expect(detail.queryByRole('group', { name: 'Stays for' })).toBeNull();
  expect(detail.getByText('3,210 tokens in every request')).toBeVisible();
  await waitFor(() =>
    expect(backend.asked('set_skill')).toEqual([
      { skill: 'mail', lifetime: 'turn' },
      { skill: 'mail', mode: 'always' },
    ]),
  );
});

it('has its mailboxes section instead of their list in the form', async () => {
  const list = { type: 'array', title: 'Mailboxes', items: { type: 'string' } };
  const alone = await setup({}, { config_schema: { type: 'object', properties: { mailboxes: list } }, config_problem: 'The file is wrong.' });
  expect(await alone.detail.findByRole('region', { name: 'Mailboxes' })).toHaveTextContent('The file is wrong.');
  expect(alone.detail.queryByRole('region', { name: 'Configuration' })).toBeNull();
  alone.unmount();

  const both = await setup({}, { config_schema: { type: 'object', properties: { mailboxes: list, signature: { type: 'string', title: 'Signature' } } } });
  const form = within(await both.detail.findByRole('region', { name: 'Configuration' }));
  expect(form.getByLabelText(/Signature/)).toBeVisible();
  expect(form.queryByText('Mailboxes')).toBeNull();
  both.unmount();

  const { detail } = await setup({ source: 'folder' });
  await detail.findByText('From');
  expect(detail.queryByRole('region', { name: 'Mailboxes' })).toBeNull();
});

it('shows a refusal at the top, and the actual state', async () => {
  const { backend, user, detail } = await setup();
  backend.fail('set_skill', { message: 'nova.config.json cannot be written.', hint: 'Make room.' });
  await user.click(detail.getByRole('radio', { name: 'Always' }));
  expect(await detail.findByRole('alert')).toHaveTextContent('nova.config.json cannot be written.Make room.');
  expect(detail.getByRole('radio', { name: 'On demand' })).toBeChecked();
});

describe('its purpose', () => {
  const description = 'The people that the user knows, and deals. Use when the user asks about somebody.';

  it("describes the skill by its manifest, with the model's text a click away", async () => {
    const { user, detail } = await setup({ description, summary: 'Contacts, deals and follow-ups' });
    expect(detail.getByText('Contacts, deals and follow-ups.')).toBeVisible();
    expect(detail.getByText(description)).not.toBeVisible();
    await user.click(detail.getByText('What the model sees'));
    expect(detail.getByText(description)).toBeVisible();
  });

  it('is the first sentence of the description without a manifest summary', async () => {
    const { detail } = await setup({ description });
    expect(detail.getByText('The people that the user knows, and deals.')).toBeVisible();
  });

  it('has no expansion if the description is one sentence', async () => {
    const { detail } = await setup({ description: 'Contacts and deals.' });
    expect(detail.getByText('Contacts and deals.')).toBeVisible();
    expect(detail.queryByText('What the model sees')).toBeNull();
  });

  it('is shown completely if it needs approval', async () => {
    const { detail } = await setup({ description, foreign: true, state: 'needs_review' });
    expect(detail.getByText(description)).toBeVisible();
  });
});

it('lists when it is meant, and what goes to another skill or none', async () => {
  const { detail } = await setup({ hints: ['a mail is to be written', 'Not for: pull up UBER (use lookup)', 'Not for: small talk'] });
  const hints = within(detail.getByRole('region', { name: 'Hints' })).getAllByRole('listitem');
  expect(hints.map(({ textContent }) => textContent)).toEqual([
    'a mail is to be written',
    'Not for “pull up UBER” but for lookup',
    'Not for “small talk”',
  ]);
});

it('offers a new record of each type of the skill', async () => {
  const { store, user, detail } = await setup({}, {}, (backend) =>
    backend.on('list_record_types', () => [
      { skill: 'mail', record_type: 'filter', label: 'Filter', folder: 'Mail/Filters', title: null },
      { skill: 'mail', record_type: 'signature', label: 'Signature', folder: 'Mail', title: null },
      { skill: 'crm', record_type: 'deal', label: 'Deal', folder: 'CRM/Deals', title: 'title' },
    ]),
  );
  const records = within(await detail.findByRole('list', { name: 'Records of Mail' }));
  expect(records.getAllByRole('button').map(({ textContent }) => textContent)).toEqual(['New filter', 'New signature']);
  await user.click(records.getByRole('button', { name: 'New signature' }));
  expect(store.get().app.recordForm).toEqual({ skill: 'mail', type: 'signature', path: null });
});

describe('its tools', () => {
  it('are disabled and enabled at once', async () => {
    const { backend, user, detail } = await setup();
    const send = await detail.findByRole('switch', { name: 'send on' });
    await user.click(send);
    expect(send).not.toBeChecked();
    expect(backend.asked('set_skill')).toEqual([{ skill: 'mail', tool: { tool: 'send', on: false } }]);
    expect(await detail.findByText('1 of 2 on. A switched-off tool is hidden from every model.')).toBeVisible();
    // A disabled tool cannot be run.
    expect(detail.getByRole('button', { name: 'send' })).toBeDisabled();
    send.focus();
    await user.keyboard(' ');
    await waitFor(() => expect(backend.world.details?.mail?.tools?.every(({ on }) => on)).toBe(true));
    await waitFor(() => expect(detail.getByRole('switch', { name: 'send on' })).toBeChecked());
    expect(detail.getByRole('button', { name: 'send' })).toBeEnabled();
  });

  it('restore their switch if a change is refused, and say why', async () => {
    const { backend, user, detail } = await setup();
    backend.fail('set_skill', { message: 'The disk is full.' });
    const send = await detail.findByRole('switch', { name: 'send on' });
    await user.click(send);
    expect(await detail.findByRole('alert')).toHaveTextContent('The disk is full.');
    expect(send).toBeChecked();
  });

  it('stay listed when disabled, although no model gets them', async () => {
    const off = { name: 'mail.purge', tool: 'purge', on: false, calls: 3, errors: 2, mean_ms: 8 };
    const { detail } = await setup({ tools: [] }, { tools: [off] });
    expect(await detail.findByRole('switch', { name: 'purge on' })).not.toBeChecked();
    expect(detail.getByTestId('skill-tool')).toHaveTextContent('purge2 errors');
  });
});

describe('its routing examples', () => {
  const examples = ['what did Mara write', 'send this -> send', 'pull up UBER'];
  const answers: Record<string, [string, number]> = {
    'what did Mara write': ['mail.list', 0.91],
    'send this': ['mail.list', 0.5],
    'pull up UBER': ['lookup.pull_up_symbol', 0.64],
  };
  const routing = (backend: FakeBackend) =>
    backend.on('suggest_tools', ({ text }) => {
      const [tool, score] = answers[text] ?? ['', 0];
      return tool === '' ? [] : [{ tool, skill: tool.split('.')[0] ?? '', score }];
    });

  it('excludes a tested example and names what took the others', async () => {
    const { backend, detail } = await setup({ examples }, {}, routing);
    expect(await detail.findByText('1 of 3 reach Mail, tested offline')).toBeVisible();
    expect(backend.asked('suggest_tools')).toContainEqual({ text: 'send this', limit: 1, example: true });
    const lines = detail.getAllByTestId('routing-example');
    expect(lines.map(({ dataset }) => dataset.reached)).toEqual(['true', 'false', 'false']);
    expect(lines.map(({ textContent }) => textContent)).toEqual([
      '“what did Mara write”reaches mail.list 0.91',
      '“send this”goes elsewhere: mail.list 0.50, not send',
      '“pull up UBER”goes elsewhere: lookup.pull_up_symbol 0.64',
    ]);
  });

  it('can be run again', async () => {
    const { backend, user, detail } = await setup({ examples: ['pull up UBER'] }, {}, routing);
    await detail.findByText('0 of 1 reach Mail, tested offline');
    backend.on('suggest_tools', () => [{ tool: 'mail.list', skill: 'mail', score: 1 }]);
    await user.click(detail.getByRole('button', { name: 'Run again' }));
    expect(await detail.findByText('1 of 1 reach Mail, tested offline')).toBeVisible();
  });

  it('reach nothing without a match', async () => {
    const { detail } = await setup({ examples: ['hello'] });
    expect(await detail.findByText('nothing')).toBeVisible();
  });

  it('are not tested while it is unreachable', async () => {
    const { backend, detail } = await setup({ examples, state: 'disabled' });
    expect(detail.getByText('available only while the skill is')).toBeVisible();
    expect(backend.asked('suggest_tools')).toEqual([]);
    expect(detail.queryByRole('button', { name: 'Run again' })).toBeNull();
  });

  it('say why they could not be tested', async () => {
    const { detail } = await setup({ examples }, {}, (backend) => backend.fail('suggest_tools', { message: 'The index is being built.' }));
    expect(await detail.findByRole('alert')).toHaveTextContent('The index is being built.');
  });
});

describe('its configuration', () => {
  const schema: JsonValue = {
    type: 'object',
    properties: {
      signature: { type: 'string', description: 'Below every mail' },
      most: { type: 'integer', minimum: 1 },
      quiet: { type: 'boolean' },
    },
  };
  const config = { signature: 'Yours', most: 20, quiet: false };
  const configured = (more: Partial<SkillDetail> = {}, prepare?: (backend: FakeBackend) => void) =>
    setup({}, { config_schema: schema, config, ...more }, prepare);
  const setTo = (backend: FakeBackend) => backend.asked('set_skill').map(({ config }) => config);

  it('shows the effective values without writing anything', async () => {
    const { backend, detail, unmount } = await configured();
    expect(await detail.findByLabelText(/Signature/)).toHaveValue('Yours');
    expect(detail.getByLabelText(/Most/)).toHaveValue('20');
    expect(detail.queryByRole('button', { name: 'Restore defaults' })).toBeNull();
    unmount();
    expect(backend.asked('set_skill')).toEqual([]);
  });

  it('saves a changed field on blur, and only that', async () => {
    const { backend, user, detail } = await configured();
    const most = await detail.findByLabelText(/Most/);
    await user.clear(most);
    await user.type(most, '5');
    await user.tab();
    await waitFor(() => expect(setTo(backend)).toEqual([{ most: 5 }]));
    expect(await detail.findByText('Saved.')).toBeVisible();
    expect(await detail.findByRole('button', { name: 'Restore defaults' })).toBeVisible();
    expect(detail.getByLabelText(/Signature/)).toHaveValue('Yours');
  });

  it('also saves during a pause in typing', async () => {
    const { backend, user, detail } = await configured();
    await user.type(await detail.findByLabelText(/Signature/), ', M.');
    expect(detail.getByLabelText(/Signature/)).toHaveFocus();
    await waitFor(() => expect(setTo(backend).at(-1)).toEqual({ signature: 'Yours, M.' }));
    // The reload happens while the user types.
    expect(await detail.findByText('Saved.')).toBeVisible();
    expect(detail.getByLabelText(/Signature/)).toHaveFocus();
    await user.keyboard(' Lind');
    expect(detail.getByLabelText(/Signature/)).toHaveValue('Yours, M. Lind');
  });

  it('saves pending input when the page is left', async () => {
    const { backend, user, detail, unmount } = await configured();
    await user.type(await detail.findByLabelText(/Signature/), '!');
    unmount();
    await waitFor(() => expect(setTo(backend)).toEqual([{ signature: 'Yours!' }]));
  });

  it('shows an error beside its field without saving it', async () => {
    const { backend, user, detail } = await configured();
    const most = await detail.findByLabelText(/Most/);
    await user.clear(most);
    await user.type(most, '0');
    await user.tab();
    expect(await detail.findByRole('alert')).toBeVisible();
    expect(most).toHaveAttribute('aria-invalid', 'true');
    expect(detail.getByText('Not saved: correct the field above.')).toBeVisible();
    expect(backend.asked('set_skill')).toEqual([]);
    await user.clear(most);
    await user.type(most, '3');
    await user.tab();
    await waitFor(() => expect(setTo(backend)).toEqual([{ most: 3 }]));
  });

  it('keeps refused input, and says why', async () => {
    const { backend, user, detail } = await configured();
    backend.fail('set_skill', { message: 'That does not fit the configuration of mail. signature: too long.', hint: 'Correct the values named.' });
    await user.type(await detail.findByLabelText(/Signature/), ' and more');
    await user.tab();
    expect(await detail.findByRole('alert')).toHaveTextContent('signature: too long.Correct the values named.');
    expect(detail.getByLabelText(/Signature/)).toHaveValue('Yours and more');
    expect(detail.queryByText('Saved.')).toBeNull();
  });

  it('resets to the defaults, with Undo', async () => {
    const { backend, user, detail } = await configured();
    await user.click(await detail.findByRole('switch', { name: 'Quiet' }));
    await waitFor(() => expect(backend.world.details?.mail?.own_config).toEqual({ quiet: true }));
    await user.click(await detail.findByRole('button', { name: 'Restore defaults' }));
    await waitFor(() => expect(detail.getByRole('switch', { name: 'Quiet' })).not.toBeChecked());
    expect(backend.world.details?.mail?.own_config).toBeNull();
    await user.click(detail.getByRole('button', { name: 'Undo' }));
    await waitFor(() => expect(detail.getByRole('switch', { name: 'Quiet' })).toBeChecked());
    expect(backend.world.details?.mail?.own_config).toEqual({ quiet: true });
  });

  it('shows the default in an emptied field', async () => {
    const { backend, user, detail } = await configured();
    const signature = await detail.findByLabelText(/Signature/);
    await user.clear(signature);
    await user.type(signature, 'Best');
    await user.tab();
    await waitFor(() => expect(backend.world.details?.mail?.own_config).toEqual({ signature: 'Best' }));
    await user.clear(signature);
    await user.click(document.body);
    await waitFor(() => expect(signature).toHaveValue('Yours'));
    expect(setTo(backend).at(-1)).toBeNull();
  });

  it('follows changes of the file while nobody types', async () => {
    const { backend, detail } = await configured();
    await detail.findByLabelText(/Most/);
    const was = backend.world.details?.mail;
    backend.world.details = { mail: { ...was, config: { ...config, most: 7 }, own_config: { most: 7 } } };
    act(() => void backend.emit({ type: 'registry_changed', added: [], removed: [], changed: ['mail'] }));
    await waitFor(() => expect(detail.getByLabelText(/Most/)).toHaveValue('7'));
    expect(backend.asked('set_skill')).toEqual([]);
  });

  it('shows problems of the values in the file', async () => {
    const { detail } = await configured({ config_problem: 'skills.mail.config.most: 0 is too small. The last good configuration of mail stays in use.' });
    expect(await detail.findByText(/The last good configuration of mail stays in use/)).toBeVisible();
  });
});

it('shows its statistics, and the last error with its time', async () => {
  const { detail } = await setup(
    { usage: { ...unused, activations: 2, calls: 12, errors: 1, mean_ms: 31, tokens: 4200, last_used: '2020-03-02T12:00:00Z' } },
    { last_error: { at: '2020-03-02T12:00:00Z', tool: 'send', message: 'No answer from\u202e the server.' } },
  );
  const health = within(detail.getByRole('region', { name: 'Health' }));
  expect(health.getByText('4,200')).toBeVisible();
  expect(health.getByText('last used 2 Mar 2020')).toBeVisible();
  const error = await health.findByTestId('skill-last-error');
  expect(error).toHaveTextContent('2 Mar 2020 send: No answer fromU+202E the server.');
});

it('reports a failed load, and reloads', async () => {
  const { backend, user, detail } = await setup({}, {}, (backend) => backend.fail('skill_detail', { message: 'The store is locked.' }));
  expect(await detail.findByRole('alert')).toHaveTextContent('The store is locked.');
  backend.on('skill_detail', ({ skill }) => ({
    skill,
    tools: [{ name: 'mail.send', tool: 'send', on: true, calls: 0, errors: 0, mean_ms: null }],
    config_schema: null,
    config: {},
    own_config: null,
    config_problem: null,
    last_error: null,
  }));
  await user.click(detail.getByRole('button', { name: 'Try again' }));
  expect(await detail.findByRole('switch', { name: 'send on' })).toBeVisible();
});
