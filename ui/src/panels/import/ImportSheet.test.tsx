import { act, fireEvent, screen, waitFor, within } from '@testing-library/react';
import userEvent from '@testing-library/user-event';
import { describe, expect, it, vi } from 'vitest';

import type { JsonValue, Params, UserError } from '../../ipc';
import { violations } from '../../testing/axe';
import { FakeBackend } from '../../testing/fake-backend';
import { reviewValue } from '../../testing/import-review';
import { answer } from '../../testing/panels';
import { renderInApp } from '../../testing/render';
import { sampleWorld } from '../../testing/sample';
import { ImportSheet } from './ImportSheet';

type Called = Params<'call_tool'>['args'] & { readonly [key: string]: JsonValue };

const chosen = { path: 'given:1/bank.csv', name: 'bank.csv', folder: '~/Downloads', size: 900 };

function open(review: (args: Called) => JsonValue | UserError = () => reviewValue(), dropped: File | null = null) {
  const backend = new FakeBackend(sampleWorld());
  const onDone = vi.fn();
  const onClose = vi.fn();
  backend.on('choose_file', () => ({ file: chosen }));
  backend.on('give_file', ({ name }) => ({ path: `given:2/${name}`, name, folder: null, size: 5 }));
  backend.on('call_tool', ({ args }) => {
    const called = args as Called;
    const told = called['review'] === true ? review(called) : { imported: 3, left_out: 1, joined: 1, without_a_category: 1 };
    if (typeof told === 'object' && told !== null && 'hint' in told) return { ...answer(null), ok: false, error: told as unknown as UserError };
    return { ...answer(told as JsonValue), change_set: called['review'] === true ? null : 'set1' };
  });
  const result = renderInApp(<ImportSheet tool="budget.import_transactions" dropped={dropped} onDone={onDone} onClose={onClose} />, { backend });
  const drop = (file: File) => fireEvent.drop(document.body, { dataTransfer: { files: [file], types: ['Files'] } });
  const calls = () => backend.asked('call_tool').map(({ args }) => args as Called);
  return { ...result, backend, calls, onDone, onClose, user: userEvent.setup(), drop };
}

const primary = () => screen.getByTestId('import-primary');

describe('the import sheet', () => {
  it('begins with the choice of a file and asks before it imports', async () => {
    const { user, backend, calls, onDone } = open();
    const choose = screen.getByRole('button', { name: 'Choose file…' });
    expect(choose).toHaveFocus();
    await user.keyboard('{Enter}');
    expect(backend.asked('choose_file')).toEqual([{ title: 'Choose a bank file', kind: 'CSV', endings: ['csv', 'txt', 'tsv', 'tab'] }]);

    expect(await screen.findByText('~/Downloads, 5 entries, 2 Nov to 20 Nov')).toBeVisible();
    const question = screen.getByRole('region', { name: 'Is this the same payment?' });
    expect(within(question).getByText('3 days earlier')).toBeVisible();
    expect(within(question).getByText('line 9')).toBeVisible();
    expect(screen.getByRole('button', { name: /Same, leave it out/ })).toHaveFocus();
    expect(primary()).toHaveTextContent('Answer 1 question');

    // The button leads to the question from any focus.
    primary().focus();
    await user.keyboard('{Control>}{Enter}{/Control}');
    expect(screen.getByRole('button', { name: /Same, leave it out/ })).toHaveFocus();
    await user.keyboard('1');
    expect(primary()).toHaveTextContent('Import 3');
    expect(screen.getByText('1 left out by you, 1 without a category')).toBeVisible();

    await user.keyboard('{Control>}{Enter}{/Control}');
    await waitFor(() => expect(onDone).toHaveBeenCalledOnce());
    expect(calls()).toEqual([
      { path: 'given:1/bank.csv', review: true },
      expect.objectContaining({ path: 'given:1/bank.csv', account: 'Giro', currency: 'EUR', lines: [{ line: 9, import: false }] }),
    ]);
  });

  it('shows every entry with its category, and a new category may become a rule', async () => {
    const { user } = open();
    await user.click(screen.getByRole('button', { name: 'Choose file…' }));
    const entries = await screen.findByRole('table', { name: 'Entries to import' });
    const rows = within(entries).getAllByRole('row').slice(1).map((row) => row.textContent);
    expect(rows[0]).toContain('20 NovCorner Market');
    expect(rows[0]).toContain('by rule−54.20');
    expect(rows[2]).toContain('may be a duplicate');
    expect(rows[3]).toContain('Giro  Savings');
    expect(screen.getByText('income €2,400.00, spent €236.20, transfer €150.00')).toBeVisible();

    await user.click(within(entries).getByRole('button', { name: 'Category of Ostler & Finch: Choose' }));
    await user.keyboard('repairs{Enter}');
    expect(within(entries).getByRole('button', { name: 'Category of Ostler & Finch: repairs' })).toBeVisible();
    await user.click(within(entries).getByRole('button', { name: 'Also as a rule' }));
    expect(within(entries).getByRole('button', { name: 'Also as a rule' })).toHaveAttribute('aria-pressed', 'true');

    await user.click(screen.getByRole('radio', { name: 'Transfer 1' }));
    expect(within(entries).getAllByRole('row')).toHaveLength(2);
  });

  it('rereads the file with an answer and with another column', async () => {
    const question = { about: 'date_format', question: 'Which day is 03/04/2026?', choices: [{ value: 'DD/MM/YYYY', label: '3 April 2026' }, { value: 'MM/DD/YYYY', label: '4 March 2026' }] };
    const { user, calls } = open(({ mapping }) => reviewValue({ entries: [], total: 0, ...(mapping === undefined ? { questions: [question] } : {}) }));
    await user.click(screen.getByRole('button', { name: 'Choose file…' }));
    expect(await screen.findByRole('region', { name: 'Which day is 03/04/2026?' })).toBeVisible();
    await user.keyboard('2');
    await waitFor(() => expect(screen.queryByTestId('import-question')).toBeNull());
    expect(calls()[1]).toMatchObject({ mapping: { date_format: 'MM/DD/YYYY' }, review: true });

    await user.click(screen.getByRole('button', { name: /^Columns/ }));
    await user.selectOptions(screen.getByRole('combobox', { name: 'Meaning of Saldo' }), 'Amount, in EUR');
    await waitFor(() => expect(calls()).toHaveLength(3));
    expect(calls()[2]).toMatchObject({ mapping: { amount: 'Saldo' } });
  });

  it('counts the lines of a long file while reading, and can be stopped', async () => {
    const backend = new FakeBackend(sampleWorld());
    backend.on('choose_file', () => ({ file: chosen }));
    backend.on('call_tool', () => new Promise(() => undefined));
    renderInApp(<ImportSheet tool="budget.import_transactions" dropped={null} onDone={vi.fn()} onClose={vi.fn()} />, { backend });
    const user = userEvent.setup();
    await user.click(screen.getByRole('button', { name: 'Choose file…' }));
    expect(await screen.findByText('Reading the file')).toBeVisible();
    const { run } = backend.asked('call_tool').at(-1)!;
    act(() => {
      const say = (event: Parameters<typeof backend.emit>[0]) => void backend.emit(event, { session: run });
      say({ type: 'tool_call_started', call: 'c', tool: 'budget.import_transactions', args: {}, effect: 'write', principal: { kind: 'user', name: 'you' } });
      say({ type: 'tool_call_progress', call: 'c', fraction: null, message: 'Reading 1,200 of 4,800 lines', partial: null });
    });
    expect(screen.getByText('Reading 1,200 of 4,800 lines')).toBeVisible();
    // Announcing each step would be too much.
    expect(screen.getByRole('status')).toHaveTextContent(/^Reading the file$/);
    await user.click(screen.getByRole('button', { name: 'Stop' }));
    expect(backend.asked('stop_tool')).toEqual([{ run }]);
  });

  it('shows an error beside the button', async () => {
    const pdf: UserError = { code: 'tool_failed', message: 'bank.csv is a PDF.', hint: 'Export CSV at your bank, and choose that file.' };
    const { user } = open(() => pdf as unknown as JsonValue);
    await user.click(screen.getByRole('button', { name: 'Choose file…' }));
    expect(await screen.findByTestId('import-error')).toHaveTextContent('bank.csv is a PDF. Export CSV at your bank, and choose that file.');
    expect(primary()).toBeDisabled();
  });

  it('skips an unreadable line by a click', async () => {
    const { user } = open(() => reviewValue({ entries: [], total: 2, problems: [{ line: 31, problem: '"12,5O" is not an amount' }], wrong_lines: 1 }));
    await user.click(screen.getByRole('button', { name: 'Choose file…' }));
    expect(await screen.findByTestId('import-error')).toHaveTextContent('Line 31: "12,5O" is not an amount.');
    await user.click(screen.getByRole('button', { name: 'Leave it out' }));
    expect(primary()).toHaveTextContent('Import 2');
  });

  it('refuses a file of 200 MB without reading it', async () => {
    const large = new File(['x'], 'statement.csv');
    Object.defineProperty(large, 'size', { value: 200 * 1024 * 1024 });
    const { backend } = open(undefined, large);
    expect(await screen.findByTestId('import-error')).toHaveTextContent('statement.csv is 200 MB. The limit is 32 MB. Export a shorter period');
    expect(backend.asked('give_file')).toEqual([]);
  });

  it('asks before a second file replaces answers', async () => {
    const { user, backend, drop } = open(undefined, new File(['first'], 'first.csv'));
    await screen.findByRole('region', { name: 'Is this the same payment?' });
    expect(backend.asked('give_file')).toEqual([{ name: 'first.csv', data: btoa('first') }]);
    await user.keyboard('1');
    drop(new File(['other'], 'other.csv'));
    expect(await screen.findByTestId('second-file')).toHaveTextContent('Import other.csv instead? Your answers are for first.csv.');
    await user.click(screen.getByRole('button', { name: 'Keep first.csv' }));
    expect(primary()).toHaveTextContent('Import 3');

    drop(new File(['third'], 'third.csv'));
    await user.click(await screen.findByRole('button', { name: 'Use third.csv' }));
    await waitFor(() => expect(primary()).toHaveTextContent('Answer 1 question'));
    expect(screen.getByText('third.csv')).toBeVisible();
  });

  it('closes at once, and asks only after an answer', async () => {
    const { user, onClose } = open();
    await user.click(screen.getByRole('button', { name: 'Choose file…' }));
    await screen.findByRole('region', { name: 'Is this the same payment?' });
    await user.keyboard('1{Escape}');
    expect(onClose).not.toHaveBeenCalled();
    expect(screen.getByText(/Your answers are discarded/)).toBeVisible();
    await user.click(screen.getByRole('button', { name: 'Discard' }));
    expect(onClose).toHaveBeenCalledOnce();
  });

  it('is accessible', async () => {
    const { user } = open();
    await user.click(screen.getByRole('button', { name: 'Choose file…' }));
    await user.click(await screen.findByRole('button', { name: /^Columns/ }));
    expect(await violations()).toEqual([]);
  });
});
