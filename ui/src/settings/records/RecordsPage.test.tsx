import { screen, within } from '@testing-library/react';
import userEvent from '@testing-library/user-event';
import { beforeEach, expect, it, vi } from 'vitest';

import type { RecordsPreview, SkillDetail } from '../../ipc';
import { FakeBackend } from '../../testing/fake-backend';
import { setWindow } from '../../testing/media';
import { renderInApp } from '../../testing/render';
import { sampleWorld } from '../../testing/sample';
import { sampleRecordsPage } from '../../testing/sample/records';
import { RecordsPage } from './RecordsPage';

const detail: SkillDetail = { skill: 'crm', tools: [], config_schema: null, config: {}, own_config: { currency: 'EUR' }, config_problem: null, last_error: null };

beforeEach(() => setWindow({}));

function setup(change: Partial<RecordsPreview> = {}) {
  const backend = new FakeBackend({ ...sampleWorld(), recordsPage: { ...sampleRecordsPage(), ...change } });
  backend.on('skill_detail', () => detail);
  backend.on('set_skill', ({ config }) => {
    backend.world.recordsPage = { ...backend.world.recordsPage!, in_force: ((config as { records?: { contact?: unknown } }).records?.contact ?? null) as RecordsPreview['in_force'] };
    return [];
  });
  const [onType, onOther, onNew, onClose] = [vi.fn(), vi.fn(), vi.fn(), vi.fn()];
  const rendered = renderInApp(<RecordsPage skill="crm" name="CRM" type="contact" onType={onType} onOther={onOther} onNew={onNew} onClose={onClose} />, { backend });
  return { ...rendered, backend, user: userEvent.setup(), onType, onOther, onNew, onClose };
}

it('shows rules, properties and custom fields as tables, and the matching notes', async () => {
  setup();
  const rules = await screen.findByRole('table', { name: 'Rules for contact' });
  expect(within(rules).getByRole('row', { name: /where categories contains \[\[People\]\] 176 Ilse Brandvik, Odile Farrow sure 158 have email/ })).toBeVisible();
  expect(within(rules).getByRole('row', { name: /with tag #person 15 6 more than above unlikely/ })).toBeVisible();
  const properties = screen.getByRole('table', { name: 'Properties' });
  expect(within(properties).getByRole('row', { name: /^last_contact .* 121 2026-11-16, spring likely 7 are no date/ })).toBeVisible();
  expect(within(properties).getByRole('row', { name: /^stage .* needs a look 1 value open/ })).toBeVisible();
  expect(screen.getByRole('row', { name: /^birthday .* 64 1984-03-02, 12 May/ })).toBeVisible();
  const result = within(screen.getByRole('complementary', { name: 'Result' }));
  expect(result.getByText('values not understood')).toBeVisible();
  expect(result.getByText('The 9 notes are taken, the value stays empty until it is clear.')).toBeVisible();
  expect(screen.getByRole('radio', { name: 'Deal, none found' })).toBeVisible();
});

it('reloads the preview with changed settings', async () => {
  const { backend, user } = setup();
  await user.click(await screen.findByRole('checkbox', { name: '#person' }));
  await user.selectOptions(screen.getByRole('combobox', { name: 'Property for Phone' }), 'tel');
  await user.selectOptions(screen.getByRole('combobox', { name: 'warm? stands for' }), 'lead');
  const { match } = sampleRecordsPage().own as { match: object[] };
  await expect.poll(() => backend.asked('preview_records').at(-1)?.own).toMatchObject({
    match: [...match, { tag: 'person' }],
    names: { phone: 'tel' },
    values: { stage: { active: 'customer', dormant: null, 'warm?': 'lead' } },
  });
  expect(backend.asked('set_skill')).toEqual([]);
});

it('applies the settings with one confirmation and reverts them', async () => {
  const { backend, user } = setup();
  await screen.findByRole('table', { name: 'Properties' });
  await user.keyboard('{Control>}{Enter}{/Control}');
  expect(await screen.findByText(/^In use since/)).toBeVisible();
  await user.click(screen.getByTestId('records-take-back'));
  expect(await screen.findByText('No note is changed.')).toBeVisible();
  expect(backend.asked('set_skill')).toEqual([
    { skill: 'crm', config: { records: { contact: sampleRecordsPage().own } } },
    { skill: 'crm', config: { currency: 'EUR' }, nearly_all: true },
  ]);
});

it('asks before applying rules that match nearly every note', async () => {
  const { backend, user } = setup({ takes_nearly_all: 'By in Notes/, 190 of 200 notes are records of contact' });
  await user.click(await screen.findByTestId('use-records'));
  const question = await screen.findByRole('alertdialog');
  expect(question).toHaveTextContent('190 of 200 notes are records of contact. Do you mean that?');
  expect(within(question).getByRole('button', { name: 'Change the rules' })).toHaveFocus();
  await user.click(screen.getByRole('button', { name: 'Change the rules' }));
  expect(backend.asked('set_skill')).toEqual([]);
  await user.click(screen.getByTestId('use-records'));
  await user.click(await screen.findByRole('button', { name: 'Use them anyway' }));
  await expect.poll(() => backend.asked('set_skill')).toMatchObject([{ nearly_all: true }]);
});

it('adds a rule, and shows a faulty condition at its place', async () => {
  const page = sampleRecordsPage();
  const faulty = { ...page.rules[0]!, entry: { where: 'stage is' }, words: 'stage is', notes: 0, fault: 'the condition `stage is`: `is` is not an operator' };
  const { backend, user } = setup({ rules: [...page.rules, faulty] });
  await user.click(await screen.findByTestId('add-rule'));
  await user.selectOptions(screen.getByRole('combobox', { name: 'Kind of rule' }), 'with tag');
  await user.type(screen.getByRole('textbox', { name: 'Rule' }), 'friend{Enter}');
  await expect.poll(() => backend.asked('preview_records').at(-1)?.rules).toContainEqual({ tag: 'friend' });
  expect(screen.getByText(/is not an operator/)).toBeVisible();
  await user.click(screen.getByRole('button', { name: 'Remove stage is' }));
  await expect.poll(() => backend.asked('preview_records').at(-1)?.rules).not.toContainEqual({ where: 'stage is' });
});

it('adds, changes and removes a custom field', async () => {
  const { backend, user } = setup();
  const fields = () => (backend.asked('preview_records').at(-1)?.own as { fields?: object } | undefined)?.fields;
  await user.click(await screen.findByTestId('add-field'));
  await user.type(screen.getByRole('textbox', { name: 'Property' }), 'spouse{Enter}');
  await user.selectOptions(await screen.findByRole('combobox', { name: 'Kind of spouse' }), 'link');
  await user.click(screen.getByRole('switch', { name: 'Use birthday as a field' }));
  await expect.poll(fields).toEqual({ spouse: { kind: 'link' } });
});

it('moves between notes with the arrow keys, and announces each', async () => {
  const { backend, user } = setup();
  const result = within(await screen.findByRole('complementary', { name: 'Result' }));
  await user.keyboard('{ArrowRight}');
  expect(await result.findByText(/^Note 2 of 184, Ilse Brandvik\. name Ilse Brandvik, .*last_contact not understood$/)).toHaveAttribute('role', 'status');
  await user.keyboard('{ArrowLeft}');
  await expect.poll(() => backend.asked('preview_records').at(-1)?.note).toBe(0);
});

it('shows excluded and unreadable notes', async () => {
  const { user } = setup();
  await user.click(await screen.findByRole('button', { name: 'Show notes: #person' }));
  expect(screen.getByRole('button', { name: 'Monday' })).toBeVisible();
});

it('sets the folder and the template of new notes', async () => {
  const { backend, user } = setup();
  await user.click(await screen.findByTestId('change-new-notes'));
  const template = screen.getByRole('textbox', { name: /^Template/ });
  await user.clear(template);
  await user.type(template, 'Templates/Friend{Enter}');
  await expect.poll(() => backend.asked('preview_records').at(-1)?.own).toMatchObject({ folder: 'People', template: 'Templates/Friend' });
});

it('shows errors where they were set, and applies nothing', async () => {
  setup({ faults: [{ key: 'template', reason: 'must be a note of the vault, such as Templates/Contact.md.' }] });
  expect(await screen.findByText(/must be a note of the vault/)).toBeVisible();
  expect(screen.getByTestId('use-records')).toBeDisabled();
});

it('shows the sections as tabs below 1280, with the footer', async () => {
  setWindow({ width: 900 });
  const { user } = setup();
  expect(await screen.findByRole('radio', { name: 'Recognised by 2' })).toBeChecked();
  expect(screen.queryByRole('table', { name: 'Properties' })).toBeNull();
  await user.click(screen.getByRole('button', { name: '9 not understood' }));
  expect(screen.getByRole('complementary', { name: 'Result' })).toBeVisible();
  expect(screen.getByTestId('use-records')).toBeEnabled();
});

it('links to another type and back', async () => {
  const { user, onType, onClose } = setup();
  await user.click(await screen.findByRole('radio', { name: 'Company 61' }));
  expect(onType).toHaveBeenCalledWith('company');
  await user.click(screen.getByRole('heading', { name: 'Records' }));
  await user.keyboard('{Escape}');
  expect(onClose).toHaveBeenCalledOnce();
});

const said = (backend: FakeBackend) => (backend.asked('preview_records').at(-1)?.own as { fields?: { [name: string]: unknown } } | undefined)?.fields;

it('edits a field: label, help, required', async () => {
  const { backend, user } = setup();
  await user.click(await screen.findByRole('button', { name: 'Details of birthday' }));
  const details = within(screen.getByRole('group', { name: 'Details of birthday' }));
  await user.type(details.getByRole('textbox', { name: 'Label in forms' }), 'Date of birth ');
  await user.type(details.getByRole('textbox', { name: 'Help below the field' }), 'As in the passport');
  await user.click(details.getByRole('checkbox', { name: 'Required' }));
  await expect.poll(() => said(backend)?.['birthday']).toEqual({ kind: 'date', label: 'Date of birth', help: 'As in the passport', required: true });
});

it('offers values in notes as choices', async () => {
  const { backend, user } = setup();
  await user.click(await screen.findByRole('switch', { name: 'Use mood as a field' }));
  await user.selectOptions(screen.getByRole('combobox', { name: 'Kind of mood' }), 'choice');
  const choices = screen.getByRole('textbox', { name: 'Choices of mood, one on each line' });
  expect(choices).toHaveValue('merry\ncalm');
  await user.type(choices, '\ngrim, at times ');
  await expect.poll(() => said(backend)?.['mood']).toEqual({ kind: 'choice', choices: ['merry', 'calm', 'grim, at times'] });
  await user.selectOptions(screen.getByRole('combobox', { name: 'Kind of mood' }), 'text');
  await expect.poll(() => said(backend)?.['mood']).toEqual({ kind: 'text' });
});

it('refuses the name of a field of the skill', async () => {
  const { user } = setup();
  await user.click(await screen.findByTestId('add-field'));
  await user.type(screen.getByRole('textbox', { name: 'Property' }), 'Last_Contact');
  expect(screen.getByRole('alert')).toHaveTextContent('last_contact is a field of CRM already: a date. Choose another name.');
  expect(screen.getByRole('button', { name: 'Add' })).toBeDisabled();
  await user.clear(screen.getByRole('textbox', { name: 'Property' }));
  await user.type(screen.getByRole('textbox', { name: 'Property' }), '<script>{Enter}');
  expect(await screen.findByRole('rowheader', { name: '<script>' })).toBeVisible();
});

it('shows the error of a custom field in its line', async () => {
  setup({ faults: [{ key: 'fields.birthday', reason: 'is a text of this skill already (birthday); choose another name.' }] });
  const row = await screen.findByRole('row', { name: /^birthday/ });
  expect(row.nextElementSibling).toHaveTextContent('It is a text of this skill already (birthday); choose another name.');
});

it('shows unreadable notes, and private ones with the reason', async () => {
  const { user } = setup({
    broken: [{ path: 'People/Torn.md', line: 3, problem: 'the list is not closed', remedy: '' }],
    private: [{ what: 'listed as `Journal`', field: null, values: [], notes: 2, paths: ['Journal/Bea.md'] }],
  });
  const broken = within(await screen.findByRole('region', { name: 'Cannot be read' }));
  expect(broken.getByText('line 3')).toBeVisible();
  expect(broken.getByText('the list is not closed')).toBeVisible();
  const hidden = within(screen.getByRole('region', { name: 'Private' }));
  await user.click(hidden.getByRole('button', { name: 'Show notes: listed as `Journal`' }));
  expect(hidden.getByRole('button', { name: 'Bea' })).toBeVisible();
});

it('assigns notes of two types to one', async () => {
  const group = { what: 'company', field: null, values: [], notes: 3, paths: ['Firms/Acme.md'] };
  const { backend, user, onOther } = setup({ shared: [{ group, skill: 'crm', record_type: 'company', except: [{ type: 'company' }] }] });
  const choice = await screen.findByRole('combobox', { name: 'Notes that are contact and company' });
  await user.selectOptions(choice, 'company only');
  await expect.poll(() => backend.asked('preview_records').at(-1)?.own).toMatchObject({ except: [{ type: 'company' }] });
  await user.click(screen.getByRole('button', { name: 'Take back: type: company' }));
  await expect.poll(() => backend.asked('preview_records').at(-1)?.own).not.toHaveProperty('except');
  await user.selectOptions(choice, 'contact only: leave them out of company…');
  expect(onOther).toHaveBeenCalledWith('crm', 'company');
});

it('removes a custom type', async () => {
  const own = sampleRecordsPage().own;
  const { backend, user } = setup({ is_own: true, in_force: own });
  backend.on('skill_detail', () => ({ ...detail, own_config: { currency: 'EUR', records: { contact: own as object, lead: {} } } as SkillDetail['own_config'] }));
  await user.click(await screen.findByRole('button', { name: 'Remove this type' }));
  await expect.poll(() => backend.asked('set_skill').at(-1)?.config).toEqual({ currency: 'EUR', records: { lead: {} } });
});
