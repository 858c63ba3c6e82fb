import { act, screen, within } from '@testing-library/react';
import userEvent from '@testing-library/user-event';
import { describe, expect, it } from 'vitest';

import type { PermissionsView } from '../ipc';
import { renderInApp } from '../testing/render';
import { SettingsPage } from './SettingsPage';

const permissions = (): PermissionsView => ({
  file: '/home/mara/.config/nova/permissions.yaml',
  problem: null,
  rules: [
    { answer: 'deny', pattern: '*__delete_*', line: 3, note: null },
    { answer: 'ask', pattern: 'mail__send(*)', line: 5, note: 'No current tool has this name.' },
    { answer: 'allow', pattern: 'crm__move_deal', line: 4, note: null },
  ],
  policies: [
    {
      name: 'limit external tools for unknown senders',
      who: 'relationship unknown',
      rules: [{ answer: 'deny', pattern: 'core__web_fetch', line: 9, note: null }],
    },
  ],
  tools: [
    { tool: 'dynamic.weather', always: true, state: 'as_approved', hosts: ['api.example.com', 'cdn.example.com'] },
    { tool: 'dynamic.stocks', always: false, state: 'changed', hosts: [] },
  ],
});

const setup = (view: PermissionsView = permissions()) => {
  const rendered = renderInApp(<SettingsPage />, {
    app: { view: { kind: 'settings', page: 'permissions' } },
    world: { permissions: view },
  });
  return { ...rendered, user: userEvent.setup() };
};

const row = async (pattern: string) => {
  const text = await screen.findByText(pattern);
  const found = text.closest('li');
  if (!found) throw new Error(`no row for ${pattern}`);
  return within(found);
};

describe('Permissions', () => {
  it('shows each rule with its decision, its location and warnings', async () => {
    setup();
    expect((await row('*__delete_*')).getByText('deny')).toBeVisible();
    expect((await row('*__delete_*')).getByText('line 3')).toBeVisible();
    expect((await row('mail__send(*)')).getByText('No current tool has this name.')).toBeVisible();
    expect(screen.getByText('/home/mara/.config/nova/permissions.yaml')).toBeVisible();
  });

  it('removes a rule at once, without asking', async () => {
    const { backend, user } = setup();
    await user.click(await screen.findByRole('button', { name: 'Remove allow crm__move_deal' }));
    expect(backend.asked('remove_rule')).toEqual([{ pattern: 'crm__move_deal' }]);
    expect(screen.queryByText('crm__move_deal')).toBeNull();
    expect(screen.getByText('Rule removed: crm__move_deal')).toBeInTheDocument();
  });

  it('adds a rule and keeps the text if it is refused', async () => {
    const { backend, user } = setup();
    await user.click(await screen.findByRole('radio', { name: 'Allow' }));
    const field = screen.getByRole('textbox', { name: 'Pattern' });
    await user.type(field, 'crm__add_*{Enter}');
    expect(backend.asked('add_rule')).toEqual([{ answer: 'allow', pattern: 'crm__add_*' }]);
    expect((await row('crm__add_*')).getByText('allow')).toBeVisible();
    expect(field).toHaveValue('');

    backend.fail('add_rule', { message: '"mail send" is no pattern.', hint: 'Write skill__tool.' });
    await user.type(field, 'mail send');
    await user.click(screen.getByTestId('rule-add'));
    expect(await screen.findByRole('alert')).toHaveTextContent('"mail send" is no pattern.');
    expect(field).toHaveValue('mail send');
  });

  it('adds a rule once on a double click', async () => {
    const { backend, user } = setup();
    let answer: (view: PermissionsView) => void = () => undefined;
    backend.on('add_rule', () => new Promise((resolve) => (answer = resolve)));
    await user.type(await screen.findByRole('textbox', { name: 'Pattern' }), 'x__y');
    await user.dblClick(screen.getByTestId('rule-add'));
    expect(backend.asked('add_rule')).toHaveLength(1);
    act(() => answer(permissions()));
  });

  it('policies are read-only', async () => {
    setup();
    const policy = within(await screen.findByRole('article', { name: 'limit external tools for unknown senders' }));
    expect(policy.getByText('for relationship unknown')).toBeVisible();
    expect(policy.getByText('core__web_fetch')).toBeVisible();
    expect(policy.queryByRole('button')).toBeNull();
  });

  it('revokes the approval of a file', async () => {
    const { backend, user } = setup();
    expect((await row('dynamic.weather')).getByText('every call')).toBeVisible();
    expect((await row('dynamic.stocks')).getByText('changed since, asks again')).toBeVisible();
    await user.click(screen.getByRole('button', { name: 'Remove dynamic.weather' }));
    expect(backend.asked('revoke_tool')).toEqual([{ tool: 'dynamic.weather' }]);
    expect(screen.queryByText('dynamic.weather')).toBeNull();
  });

  it('revokes one host of a tool and keeps the other', async () => {
    const { backend, user } = setup();
    await user.click(await screen.findByRole('button', { name: 'Remove api.example.com of dynamic.weather' }));
    expect(backend.asked('revoke_host')).toEqual([{ tool: 'dynamic.weather', host: 'api.example.com' }]);
    expect(screen.queryByText('api.example.com')).toBeNull();
    expect((await row('dynamic.weather')).getByText(/cdn\.example\.com/)).toBeVisible();
  });

  it('tests a call and repeats the test when rules change', async () => {
    const { backend, user } = setup();
    let verdict: 'ask' | 'deny' = 'ask';
    backend.on('try_rule', ({ tool }) => ({
      tool,
      effect: 'write',
      verdict,
      decisions: verdict === 'ask' ? ['once', 'session', 'always', 'deny'] : [],
      rule: null,
      policy: null,
      reason: 'No rule applies: a tool that changes notes asks.',
    }));
    await user.type(await screen.findByRole('textbox', { name: 'Tool' }), 'crm.add_contact');
    await user.click(screen.getByRole('textbox', { name: 'Arguments, optional' }));
    await user.paste('{"name": "Jane"}');
    await user.click(screen.getByTestId('rule-try'));
    expect(backend.asked('try_rule')).toEqual([{ tool: 'crm.add_contact', args: { name: 'Jane' }, relationship: null }]);
    expect(await screen.findByTestId('rule-tried')).toHaveTextContent('Offered: once, for this chat, always, deny');

    verdict = 'deny';
    act(() => void backend.emit({ type: 'rules_changed' }));
    expect(await screen.findByText('is denied', { exact: false })).toBeVisible();
  });

  it('tests nothing for arguments that are no object', async () => {
    const { backend, user } = setup();
    await user.type(await screen.findByRole('textbox', { name: 'Tool' }), 'crm.add_contact');
    await user.type(screen.getByRole('textbox', { name: 'Arguments, optional' }), '[[1]');
    await user.click(screen.getByTestId('rule-try'));
    expect(screen.getByRole('alert')).toHaveTextContent('The arguments are not a JSON object.');
    expect(backend.asked('try_rule')).toEqual([]);
  });

  it('reloads rules changed by another program', async () => {
    const { backend } = setup();
    await screen.findByText('crm__move_deal');
    backend.world.permissions = { ...permissions(), rules: [] };
    act(() => void backend.emit({ type: 'rules_changed' }));
    expect(await screen.findByText(/No rules yet/)).toBeVisible();
  });

  it('reports a broken file with its line', async () => {
    const file = permissions().file;
    setup({ ...permissions(), problem: { file, line: 4, message: 'unknown field `alow`. The last good rules stay in use.' } });
    expect(await screen.findByTestId('banner')).toHaveTextContent('permissions.yaml, line 4: unknown field `alow`.');
  });

  it('shows invisible characters', async () => {
    const rules = [{ answer: 'allow' as const, pattern: 'crm\u200b__add', line: 1, note: null }];
    setup({ ...permissions(), rules });
    expect(await screen.findByText('U+200B')).toBeVisible();
  });
});
