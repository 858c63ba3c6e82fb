import { act, screen, waitFor, within } from '@testing-library/react';
import userEvent from '@testing-library/user-event';
import { describe, expect, it } from 'vitest';

import type { ChangeSetView, NoteDiffView, RecordFormView, SavedRecord, ToolResult } from '../ipc';
import { FakeBackend } from '../testing/fake-backend';
import { contactForm, newContactForm } from '../testing/record-form';
import { renderInApp } from '../testing/render';
import { sampleWorld } from '../testing/sample';
import { RecordSheet } from './RecordSheet';

const saved: SavedRecord = {
  errors: [],
  result: {
    ok: true,
    value: null,
    error: null,
    sources: [],
    figures: [],
    changes: [{ path: 'CRM/People/Jane Doe.md', kind: 'modified' }],
    change_set: 'c7',
    ms: 4,
  },
};

/** Opens the form; `answers` are the successive results of saving. */
async function setup(view: RecordFormView = contactForm, answers: SavedRecord[] = [saved]) {
  const backend = new FakeBackend({ ...sampleWorld(), recordForms: [view] });
  backend.on('save_record', () => answers.shift() ?? saved);
  const { skill, record_type: type, path } = view;
  const rendered = renderInApp(<RecordSheet />, { backend, app: { recordForm: { skill, type, path } } });
  const sheet = within(await screen.findByRole('dialog'));
  return { ...rendered, backend, sheet, user: userEvent.setup(), isOpen: () => screen.queryByRole('dialog') !== null };
}

async function write(field: HTMLElement, text: string) {
  await userEvent.clear(field);
  if (text !== '') {
    await userEvent.click(field);
    await userEvent.paste(text);
  }
}

it('shows the fields of the record with their values', async () => {
  const { sheet } = await setup();
  expect(await sheet.findByRole('textbox', { name: /^Name/ })).toHaveValue('Jane Doe');
  expect(sheet.getByRole('combobox', { name: /^Company/ })).toHaveValue('Quillon Labs');
  expect(sheet.getByRole('radio', { name: 'lead' })).toBeChecked();
  // A decimal is a text field: no spinner and no rounding.
  expect(sheet.getByRole('textbox', { name: /^Value/ })).toHaveValue('1250.50');
  expect(sheet.getByRole('button', { name: 'In a week' })).toBeVisible();
});

it('the requested field is focused', async () => {
  const backend = new FakeBackend({ ...sampleWorld(), recordForms: [contactForm] });
  const { skill, record_type: type, path } = contactForm;
  const { store } = renderInApp(<RecordSheet />, { backend, app: { recordForm: { skill, type, path, field: 'company' } } });
  expect(await screen.findByRole('combobox', { name: /^Company/ })).toHaveFocus();
  act(() => store.actions.openRecordForm({ skill, type, path, field: 'stage' }));
  await waitFor(() => expect(screen.getByRole('radio', { name: 'lead' })).toHaveFocus());
  act(() => store.actions.openRecordForm({ skill, type, path }));
  await waitFor(() => expect(screen.getByRole('textbox', { name: /^Name/ })).toHaveFocus());
});

it('a new record starts with given values, except unknown fields', async () => {
  const backend = new FakeBackend({ ...sampleWorld(), recordForms: [newContactForm] });
  const { skill, record_type: type } = newContactForm;
  renderInApp(<RecordSheet />, { backend, app: { recordForm: { skill, type, path: null, values: { name: 'Ada Byron', shares: '12' } } } });
  const sheet = within(await screen.findByRole('dialog'));
  expect(await sheet.findByRole('textbox', { name: /^Name/ })).toHaveValue('Ada Byron');
  expect(sheet.queryByLabelText(/^Shares/)).toBeNull();
  await userEvent.click(sheet.getByTestId('save-record'));
  const [asked] = backend.asked('save_record');
  expect(asked?.values).toMatchObject({ name: 'Ada Byron' });
  // Unsaved initial values count as changed.
  expect(asked?.before).toEqual(newContactForm.values);
});

it('saves the changes relative to the opened values, then offers Undo', async () => {
  const { backend, sheet, user } = await setup();
  await write(await sheet.findByRole('textbox', { name: /^Email/ }), '');
  await user.click(sheet.getByRole('radio', { name: 'customer' }));
  await user.click(sheet.getByTestId('save-record'));
  expect(await sheet.findByText('Changed Jane Doe')).toBeVisible();
  expect(backend.asked('save_record')).toEqual([
    {
      skill: 'crm',
      record_type: 'contact',
      path: 'CRM/People/Jane Doe.md',
      before: contactForm.values,
      values: {
        name: 'Jane Doe',
        company: 'Quillon Labs',
        stage: 'customer',
        value: '1250.50',
        tags: ['design', 'berlin'],
        next_contact: '2026-11-24',
      },
      run: expect.stringMatching(/^record-/) as string,
    },
  ]);
  backend.on('undo_changes', () => ({ change_set: 'c8', undone: ['CRM/People/Jane Doe.md'], merged: [], conflicts: [] }));
  await user.click(sheet.getByTestId('undo-record'));
  expect(await sheet.findByText(/^undone at/)).toBeVisible();
  expect(backend.asked('undo_changes')).toEqual([{ change_set: 'c7' }]);
});

it('validates a field on blur, with the intended value one click away', async () => {
  const { backend, sheet, user } = await setup();
  const date = await sheet.findByRole('textbox', { name: /^Next contact/ });
  await write(date, '2026-11-31');
  await user.tab();
  await user.click(await sheet.findByRole('button', { name: 'Use 2026-11-30' }));
  expect(date).toHaveValue('2026-11-30');
  expect(date).toHaveFocus();
  await write(date, 'soon');
  await user.click(sheet.getByTestId('save-record'));
  expect(await sheet.findByRole('alert')).toHaveTextContent('Write the date as 2026-11-30');
  expect(backend.asked('save_record')).toEqual([]);
});

it('shows a refusal beside its field until it is edited', async () => {
  const refused: SavedRecord = { errors: [{ field: 'phone', message: 'It is no number. Write digits.' }], result: null };
  const { sheet, user } = await setup(contactForm, [refused]);
  const phone = await sheet.findByRole('textbox', { name: /^Phone/ });
  await write(phone, 'x');
  await user.click(sheet.getByTestId('save-record'));
  expect(await sheet.findByRole('alert')).toHaveTextContent('It is no number. Write digits.');
  expect(phone).toBeInvalid();
  await write(phone, '1');
  expect(sheet.queryByRole('alert')).toBeNull();
  await user.click(sheet.getByTestId('save-record'));
  expect(await sheet.findByText('Changed Jane Doe')).toBeVisible();
});

describe('a refusal with a remedy elsewhere', () => {
  const refused = (): SavedRecord => ({ errors: [{ field: 'next_contact', message: 'It is before the last contact.' }], result: null });
  const told = async () => {
    const opened = await setup(contactForm, [refused()]);
    await write(await opened.sheet.findByRole('textbox', { name: /^Next contact/ }), '2026-11-01');
    await opened.user.click(opened.sheet.getByTestId('save-record'));
    expect(await opened.sheet.findByRole('alert')).toHaveTextContent('It is before the last contact.');
    return opened;
  };

  it('disappears on any edit, and everything entered is saved', async () => {
    const { backend, sheet, user } = await told();
    await write(sheet.getByRole('textbox', { name: /^Phone/ }), '1');
    expect(sheet.queryByRole('alert')).toBeNull();
    await user.click(sheet.getByTestId('save-record'));
    await sheet.findByText('Changed Jane Doe');
    expect(backend.asked('save_record').at(-1)?.values).toMatchObject({ next_contact: '2026-11-01', phone: '1' });
  });

  it('does not prevent saving the form unchanged', async () => {
    const { backend, sheet, user } = await told();
    await user.click(sheet.getByTestId('save-record'));
    await sheet.findByText('Changed Jane Doe');
    expect(backend.asked('save_record').at(-1)?.values).toMatchObject({ next_contact: '2026-11-01' });
  });
});

it('reports the saved record, and below it the notes changed as a consequence', async () => {
  const diff = (summary: string) => ({ ...(sampleWorld().changes[0]?.notes[0]?.diff ?? ({} as NoteDiffView)), summary });
  const note = { call: null, undone: false, edited_since: false, kind: 'modified' } as const;
  const trade = 'Portfolio/Trades/buy.md';
  const position = 'Portfolio/Positions/NGTL.md';
  const both: SavedRecord = {
    errors: [],
    result: { ...(saved.result as ToolResult), value: { path: trade }, changes: [position, trade].map((path) => ({ path, kind: 'modified' })) },
  };
  const { backend, sheet, user } = await setup(contactForm, [both]);
  const [set] = sampleWorld().changes;
  backend.on('list_changes', () => [{ ...(set as ChangeSetView), id: 'c7', notes: [{ ...note, path: position, diff: diff('quantity: 60 → 50') }, { ...note, path: trade, diff: diff('quantity: 40 → 50') }] }]);
  await user.click(await sheet.findByRole('radio', { name: 'customer' }));
  await user.click(sheet.getByTestId('save-record'));
  expect(await sheet.findByText('Changed buy')).toBeVisible();
  expect(sheet.getByRole('region', { name: 'Also changed' })).toHaveTextContent('NGTL');
  expect(sheet.getByRole('region', { name: 'Also changed' })).not.toHaveTextContent('buy');
  await user.click(sheet.getByRole('button', { name: 'Open the note' }));
  expect(await screen.findByTestId('note-popover')).toBeVisible();
  expect(backend.asked('read_note')).toEqual([{ path: trade }]);
});

describe('a field changed in Obsidian meanwhile', () => {
  const conflict: SavedRecord = {
    errors: [{ field: 'stage', message: 'It was changed.', theirs: 'paused' }],
    result: null,
  };

  it('is saved as in the form if the user chooses that', async () => {
    const { backend, sheet, user } = await setup(contactForm, [conflict]);
    await user.click(await sheet.findByRole('radio', { name: 'customer' }));
    await user.click(sheet.getByTestId('save-record'));
    await user.click(await sheet.findByRole('button', { name: 'Keep customer' }));
    await user.click(sheet.getByTestId('save-record'));
    await sheet.findByText('Changed Jane Doe');
    expect(backend.asked('save_record').at(-1)).toMatchObject({ before: { stage: 'paused' }, values: { stage: 'customer' } });
  });

  it('is taken from the note if the user chooses that', async () => {
    const { backend, sheet, user } = await setup(contactForm, [conflict]);
    await user.click(await sheet.findByRole('radio', { name: 'customer' }));
    await user.click(sheet.getByTestId('save-record'));
    await user.click(await sheet.findByRole('button', { name: 'Use paused' }));
    expect(sheet.getByRole('radio', { name: 'paused' })).toBeChecked();
    await user.click(sheet.getByTestId('save-record'));
    await sheet.findByText('Changed Jane Doe');
    expect(backend.asked('save_record').at(-1)).toMatchObject({ before: { stage: 'paused' }, values: { stage: 'paused' } });
  });
});

describe('leaving', () => {
  it('asks only if something was changed', async () => {
    const { sheet, user, isOpen } = await setup();
    await write(await sheet.findByRole('textbox', { name: /^Phone/ }), '1');
    await user.keyboard('{Escape}');
    expect(sheet.getByRole('alertdialog', { name: 'Changes are not saved' })).toBeVisible();
    await user.click(sheet.getByRole('button', { name: 'Keep editing' }));
    expect(sheet.queryByRole('alertdialog')).toBeNull();
    await user.click(sheet.getByRole('button', { name: 'Cancel' }));
    await user.click(sheet.getByRole('button', { name: 'Discard' }));
    expect(isOpen()).toBe(false);
  });

  it('needs one key without changes', async () => {
    const { sheet, user, isOpen } = await setup();
    await sheet.findByRole('textbox', { name: /^Name/ });
    await user.keyboard('{Escape}');
    expect(isOpen()).toBe(false);
  });
});

it('deletes the record through the tool that asks, with Undo', async () => {
  const { backend, sheet, user } = await setup();
  const deleted: ToolResult = { ...saved.result!, value: { path: 'CRM/People/Jane Doe.md' }, changes: [{ path: 'CRM/People/Jane Doe.md', kind: 'deleted' }], change_set: 'c9' };
  backend.on('call_tool', () => deleted);
  backend.on('undo_changes', () => ({ change_set: 'c10', undone: ['CRM/People/Jane Doe.md'], merged: [], conflicts: [] }));
  await user.click(await sheet.findByTestId('delete-record'));
  expect(await sheet.findByText('Deleted Jane Doe')).toBeVisible();
  expect(backend.asked('call_tool')).toMatchObject([{ tool: 'vault.delete_note', args: { path: 'CRM/People/Jane Doe.md' } }]);
  expect(backend.asked('save_record')).toEqual([]);
  expect(sheet.queryByRole('button', { name: 'Open the note' })).toBeNull();
  await user.click(sheet.getByTestId('undo-record'));
  expect(await sheet.findByText(/^undone at/)).toBeVisible();
});

it('keeps the form of a record if its deletion is denied', async () => {
  const { backend, sheet, user } = await setup();
  const problem = { code: 'denied_by_user' as const, message: 'You denied it.', hint: 'Nothing was changed.' };
  backend.on('call_tool', () => ({ ...saved.result!, ok: false, error: problem, changes: [], change_set: null }));
  await user.click(await sheet.findByTestId('delete-record'));
  expect(await sheet.findByText('You denied it.')).toBeVisible();
  expect(sheet.getByTestId('save-record')).toBeEnabled();
});

it('a new record cannot be deleted', async () => {
  const { sheet } = await setup(newContactForm);
  await sheet.findByTestId('save-record');
  expect(sheet.queryByTestId('delete-record')).toBeNull();
});

it('suggests notes for a link by keyboard; Esc closes the list before the form', async () => {
  const { backend, sheet, user, isOpen } = await setup();
  backend.on('suggest_notes', () => [
    { name: 'Fernhill Dairy', path: 'CRM/Companies/Fernhill Dairy.md', record_type: 'company' },
    { name: 'Ferns', path: 'Garden/Ferns.md', record_type: null },
  ]);
  const company = await sheet.findByRole('combobox', { name: /^Company/ });
  await write(company, 'fern');
  expect(within(await sheet.findByRole('listbox')).getAllByRole('option').map(({ textContent }) => textContent)).toEqual([
    'Fernhill Dairycompany',
    'FernsGarden',
  ]);
  expect(backend.asked('suggest_notes').at(-1)).toEqual({ skill: 'crm', field: 'company', text: 'fern' });
  await user.keyboard('{Escape}');
  expect(sheet.queryByRole('listbox')).toBeNull();
  expect(isOpen()).toBe(true);
  await write(company, 'fer');
  await sheet.findByRole('listbox');
  await user.keyboard('{ArrowDown}{Enter}');
  expect(company).toHaveValue('Fernhill Dairy');
});

it('suggests notes for each entry of a list of links', async () => {
  const schema = {
    type: 'object',
    properties: { guests: { type: 'array', title: 'Guests', items: { type: 'string', format: 'note' } } },
  };
  const { backend, sheet, user } = await setup({ ...contactForm, schema, ui_schema: {}, values: {} });
  backend.on('suggest_notes', () => [
    { name: 'Jane Doe', path: 'CRM/People/Jane Doe.md', record_type: 'contact' },
    { name: 'Janet', path: 'Friends/Janet.md', record_type: null },
  ]);
  const guests = await sheet.findByRole('combobox', { name: 'Guests' });
  await user.type(guests, 'jan');
  await sheet.findByRole('listbox');
  expect(backend.asked('suggest_notes').at(-1)).toEqual({ skill: 'crm', field: 'guests', text: 'jan' });
  await user.keyboard('{ArrowDown}{Enter}');
  expect(guests).toHaveValue('');
  expect(sheet.queryByRole('listbox')).toBeNull();
  await user.type(guests, 'jan');
  await user.click(await sheet.findByRole('option', { name: /^Janet/ }));
  // A value that no note has yet.
  await user.type(guests, 'Sam{Enter}');
  await user.click(sheet.getByTestId('save-record'));
  expect(backend.asked('save_record')[0]?.values).toEqual({ guests: ['Jane Doe', 'Janet', 'Sam'] });
});

it('adds a record, and another one after it', async () => {
  const { backend, sheet, user } = await setup(newContactForm);
  await sheet.findByRole('textbox', { name: /^Name/ });
  expect(screen.getByRole('dialog', { name: 'New contact' })).toBeVisible();
  await user.click(await sheet.findByTestId('save-record'));
  expect(await sheet.findByRole('alert')).toHaveTextContent('Fill in name');
  await write(sheet.getByRole('textbox', { name: /^Name/ }), 'Sam Ortega');
  await user.click(sheet.getByTestId('save-record'));
  await sheet.findByRole('button', { name: 'Close' });
  expect(backend.asked('save_record')[0]).toMatchObject({ before: {}, values: { name: 'Sam Ortega' } });
  expect(backend.asked('save_record')[0]).not.toHaveProperty('path');
  await user.click(sheet.getByRole('button', { name: 'Add another' }));
  expect(await screen.findByRole('textbox', { name: /^Name/ })).toHaveValue('');
});

describe('a record that already exists', () => {
  const there: SavedRecord = {
    errors: [],
    same: { path: 'CRM/People/Jane Doe.md', message: 'There is already a contact “Jane Doe”, CRM/People/Jane Doe.md.', is_record: true, free_name: 'Jane Doe 2' },
    result: null,
  };
  const told = async () => {
    const opened = await setup(newContactForm, [there]);
    await write(await opened.sheet.findByRole('textbox', { name: /^Name/ }), 'Jane Doe');
    await opened.user.click(opened.sheet.getByTestId('save-record'));
    expect(await opened.sheet.findByRole('alert')).toHaveTextContent('There is already a contact “Jane Doe”');
    return opened;
  };

  it('is added again under another name if the user confirms', async () => {
    const { backend, sheet, user } = await told();
    await user.click(sheet.getByRole('button', { name: 'Save as “Jane Doe 2”' }));
    await sheet.findByRole('button', { name: 'Close' });
    expect(backend.asked('save_record').map(({ another }) => another)).toEqual([undefined, true]);
  });

  it('is checked again after more edits', async () => {
    const { backend, sheet, user } = await told();
    const name = sheet.getByRole('textbox', { name: /^Name/ });
    await write(name, 'Sam Ortega');
    expect(sheet.queryByTestId('there-already')).toBeNull();
    await user.click(sheet.getByTestId('save-record'));
    await sheet.findByRole('button', { name: 'Close' });
    expect(backend.asked('save_record')[1]).toMatchObject({ values: { name: 'Sam Ortega' } });
    expect(backend.asked('save_record')[1]).not.toHaveProperty('another');
  });

  it('is opened in its own form once the user discards this one', async () => {
    const { sheet, store, user } = await told();
    await user.click(sheet.getByRole('button', { name: 'Edit that note' }));
    await user.click(sheet.getByRole('button', { name: 'Keep editing' }));
    expect(sheet.getByRole('textbox', { name: /^Name/ })).toHaveValue('Jane Doe');
    await user.click(sheet.getByRole('button', { name: 'Edit that note' }));
    await user.click(sheet.getByRole('button', { name: 'Discard' }));
    expect(store.get().app.recordForm).toEqual({ skill: 'crm', type: 'contact', path: 'CRM/People/Jane Doe.md' });
  });

  it('is asked about again if the form is saved unchanged', async () => {
    const { backend, sheet, user } = await told();
    await user.click(sheet.getByTestId('save-record'));
    expect(backend.asked('save_record')[1]).not.toHaveProperty('another');
  });
});

it('shows an unreadable note with line and remedy, and no form', async () => {
  const broken = {
    path: 'CRM/People/Jane Doe.md',
    line: 3,
    problem: 'the bracket is not closed',
    remedy: 'Correct it in Obsidian, then open the form again.',
  };
  const { sheet } = await setup({ ...contactForm, values: {}, broken });
  expect(await sheet.findByRole('alert')).toHaveTextContent(
    'CRM/People/Jane Doe.md, line 3: the bracket is not closedCorrect it in Obsidian, then open the form again.',
  );
  expect(sheet.queryByTestId('save-record')).toBeNull();
});

it('reports problems of the note by line', async () => {
  const problem = { path: 'x', line: 7, problem: '`next_contact` is `soon`, which is not a date', remedy: 'Write it as YYYY-MM-DD.' };
  const { sheet } = await setup({ ...contactForm, problems: [problem] });
  expect(await sheet.findByRole('list', { name: 'Problems in the note' })).toHaveTextContent('Line 7: `next_contact` is `soon`');
});

it('reports a change in Obsidian while the form is open', async () => {
  const { backend, sheet } = await setup();
  await sheet.findByRole('textbox', { name: /^Name/ });
  act(() =>
    backend.emit({ type: 'vault_changed', kind: 'modified', path: 'CRM/People/Jane Doe.md', from: null, by: 'outside', summary: null }),
  );
  await waitFor(() => expect(sheet.getByText(/^Changed in Obsidian at/)).toBeVisible());
});

it('disables Save while the vault folder is missing, and says so', async () => {
  const { backend, sheet } = await setup();
  await sheet.findByRole('textbox', { name: /^Name/ });
  act(() => backend.emit({ type: 'vault_gone', root: null, message: 'The vault folder is gone: /home/mara/Work vault.', hint: '' }));
  await waitFor(() => expect(sheet.getByTestId('save-record')).toBeDisabled());
  expect(sheet.getByText('The vault folder is gone')).toBeVisible();
  act(() => backend.emit({ type: 'vault_back', root: null, message: 'The vault folder is back.' }));
  await waitFor(() => expect(sheet.getByTestId('save-record')).toBeEnabled());
});

it('asks within the form if a rule requires approval', async () => {
  const { backend, sheet, user } = await setup();
  let answer: (saved: SavedRecord) => void = () => undefined;
  backend.on('save_record', () => new Promise((resolve) => (answer = resolve)));
  await user.click(await sheet.findByRole('radio', { name: 'customer' }));
  await user.click(sheet.getByTestId('save-record'));
  const run = backend.asked('save_record')[0]?.run ?? '';
  act(() => {
    const args = { record_type: 'contact' };
    const principal = { kind: 'user', name: 'you' } as const;
    const call = 'k1';
    backend.emit({ type: 'tool_call_started', call, tool: 'crm.save_record', args, effect: 'write', principal }, { session: run });
    backend.emit(
      { type: 'approval_requested', call, args, decisions: ['once', 'deny'], question: 'Change 1 note?', editable: false, diff: null, host: null, revision: 1, mid_run: false },
      { session: run },
    );
  });
  expect(await sheet.findByText('Change 1 note?')).toBeVisible();
  await act(async () => answer(saved));
  expect(await sheet.findByText('Changed Jane Doe')).toBeVisible();
});
