import { fireEvent, render, screen } from '@testing-library/react';
import userEvent, { type UserEvent } from '@testing-library/user-event';
import { expect, it, vi } from 'vitest';

import type { JsonValue } from '../../ipc';
import { SchemaForm } from './SchemaForm';
import { useSchemaForm } from './useSchemaForm';

const schema: JsonValue = {
  type: 'object',
  properties: {
    name: { type: 'string', description: 'As in the note' },
    to: { type: 'string', format: 'date' },
    amount: { type: 'string', format: 'decimal' },
    kind: { enum: ['buy', 'sell'] },
    stage: { enum: ['lead', 'contacted', 'qualified', 'won', 'lost'] },
    regex: { type: 'boolean' },
    tags: { type: 'array', items: { type: 'string' } },
    days: { type: 'array', items: { enum: ['mon', 'tue'] } },
    extra: {},
    address: { type: 'object', properties: { city: { type: 'string' } } },
  },
  required: ['name'],
};

function TestForm({
  sent,
  initial,
  given = schema,
  values,
}: {
  sent: (args: JsonValue) => void;
  initial?: JsonValue;
  given?: JsonValue;
  values?: Record<string, string[]> | undefined;
}) {
  const form = useSchemaForm(given, initial, { values });
  const send = () => {
    const args = form.submit();
    if (args !== null) sent(args);
  };
  return (
    <>
      <SchemaForm form={form} label="crm.add_contact" today="2026-11-21" onSubmit={send}>
        <button type="submit">Run</button>
        <button type="button" onClick={form.clear}>
          Clear
        </button>
      </SchemaForm>
      <output>{JSON.stringify(form.args)}</output>
    </>
  );
}

function setup(initial?: JsonValue, given?: JsonValue, values?: Record<string, string[]>) {
  const sent = vi.fn<(args: JsonValue) => void>();
  render(
    <TestForm
      sent={sent}
      values={values}
      {...(initial === undefined ? {} : { initial })}
      {...(given === undefined ? {} : { given })}
    />,
  );
  return { sent, user: userEvent.setup() };
}

/** Pastes: one change instead of one per letter. */
async function fill(user: UserEvent, field: HTMLElement, text: string) {
  await user.click(field);
  await user.paste(text);
}

it('sends the entered values with their types, and nothing else', async () => {
  const { sent, user } = setup();
  await fill(user, screen.getByLabelText(/^Name/), 'Jane Doe');
  await fill(user, screen.getByLabelText(/^Amount/), '1250.50');
  await user.click(screen.getByRole('radio', { name: 'sell' }));
  await user.selectOptions(screen.getByLabelText(/^Stage/), 'won');
  await user.click(screen.getByRole('switch', { name: 'Regex' }));
  await user.click(screen.getByRole('button', { name: 'tue' }));
  await fill(user, screen.getByLabelText(/^City/), 'Ulm');
  await user.click(screen.getByRole('button', { name: 'Run' }));
  expect(sent.mock.calls).toEqual([
    [
      {
        name: 'Jane Doe',
        amount: '1250.50',
        kind: 'sell',
        stage: 'won',
        regex: true,
        days: ['tue'],
        address: { city: 'Ulm' },
      },
    ],
  ]);
});

it('reports problems on blur, not before, and fixes them with one click', async () => {
  const { user } = setup();
  const to = screen.getByLabelText(/^To/);
  await fill(user, to, '2026-11-31');
  expect(screen.queryByRole('alert')).toBeNull();
  await user.tab();
  expect(await screen.findByRole('alert')).toHaveTextContent('November has 30 days. Use 2026-11-30');
  expect(to).toBeInvalid();
  await user.click(screen.getByRole('button', { name: 'Use 2026-11-30' }));
  expect(to).toHaveValue('2026-11-30');
  expect(screen.queryByRole('alert')).toBeNull();
});

it('omits fields with problems from the shown arguments', async () => {
  const { user } = setup();
  await fill(user, screen.getByLabelText(/^Name/), 'Jane');
  await fill(user, screen.getByLabelText(/^To/), '2026-11-31');
  expect(screen.getByRole('status')).toHaveTextContent('{"name":"Jane"}');
});

it('sends nothing while a value is missing, says so and focuses it', async () => {
  const { sent, user } = setup();
  await user.click(screen.getByRole('button', { name: 'Run' }));
  expect(sent).not.toHaveBeenCalled();
  expect(screen.getByRole('alert')).toHaveTextContent('Fill in name');
  expect(screen.getByLabelText(/^Name/)).toHaveFocus();
});

it('is sent by Ctrl Enter, including an unfinished list row', async () => {
  const { sent, user } = setup({ name: 'Jane' });
  await user.type(screen.getByLabelText('Tags'), 'vip{Enter}customer{Control>}{Enter}{/Control}');
  expect(sent.mock.calls).toEqual([[{ name: 'Jane', tags: ['vip', 'customer'] }]]);
});

it('removes a list row by its × and by Backspace', async () => {
  const { sent, user } = setup({ name: 'Jane', tags: ['a', 'b', 'c'] });
  await user.click(screen.getByRole('button', { name: 'Remove b' }));
  await user.type(screen.getByLabelText('Tags'), '{Backspace}');
  await user.click(screen.getByRole('button', { name: 'Run' }));
  expect(sent.mock.calls).toEqual([[{ name: 'Jane', tags: ['a'] }]]);
});

it('offers common dates by one click', async () => {
  const { user } = setup();
  await user.click(screen.getByRole('button', { name: 'End of month' }));
  expect(screen.getByLabelText(/^To/)).toHaveValue('2026-11-30');
});

it('keeps invalid JSON and reports the position of the error', async () => {
  const { sent, user } = setup({ name: 'Jane' });
  const extra = screen.getByLabelText(/^Extra/);
  await fill(user, extra, '{"a": }');
  await user.tab();
  expect(await screen.findByRole('alert')).toHaveTextContent(/^Not JSON: /);
  expect(extra).toHaveValue('{"a": }');
  await user.clear(extra);
  await fill(user, extra, '{"a": [1]}');
  await user.click(screen.getByRole('button', { name: 'Run' }));
  expect(sent.mock.calls).toEqual([[{ name: 'Jane', extra: { a: [1] } }]]);
});

it('begins with the arguments of a call, including those not in the schema', () => {
  setup({ name: 'Jane', kind: 'buy', speed: 3 });
  expect(screen.getByLabelText(/^Name/)).toHaveValue('Jane');
  expect(screen.getByRole('radio', { name: 'buy' })).toBeChecked();
  expect(screen.getByLabelText(/^Speed/)).toHaveValue('3');
});

it('clears an optional choice when it is chosen again', async () => {
  const { sent, user } = setup({ name: 'Jane', kind: 'buy' });
  await user.click(screen.getByRole('radio', { name: 'buy' }));
  await user.click(screen.getByRole('button', { name: 'Run' }));
  expect(sent.mock.calls).toEqual([[{ name: 'Jane' }]]);
});

it('is empty again after Clear', async () => {
  const { user } = setup({ name: 'Jane', tags: ['a'] });
  await user.click(screen.getByRole('button', { name: 'Clear' }));
  expect(screen.getByLabelText(/^Name/)).toHaveValue('');
  expect(screen.getByRole('status')).toHaveTextContent('{}');
});

it('shows the kind of value beside each label', () => {
  setup();
  const form = screen.getByTestId('tool-form');
  const labels = [...form.querySelectorAll('label')].map((label) => label.textContent);
  expect(labels).toEqual([
    'Name',
    'To date, optional',
    'Amount number, optional',
    'Kind optional',
    'Stage one of 5, optional',
    'Regex optional',
    'Tags list, optional',
    'Days list, optional',
    'Extra JSON, optional',
    'City optional',
  ]);
});

it('compiles no code', async () => {
  const compile = vi.spyOn(globalThis, 'Function');
  const { user } = setup({ name: 'Jane' });
  await fill(user, screen.getByLabelText(/^Extra/), '3');
  await user.click(screen.getByRole('button', { name: 'Run' }));
  expect(compile).not.toHaveBeenCalled();
  compile.mockRestore();
});

it('does not take the focus back after an invalid field', async () => {
  const { user } = setup({ name: 'Jane' });
  await fill(user, screen.getByLabelText(/^To/), '2026-11-31');
  await user.tab();
  expect(await screen.findByRole('alert')).toHaveTextContent('November has 30 days.');
  expect(screen.getByLabelText(/^Amount/)).toHaveFocus();
  await user.keyboard('12');
  expect(screen.getByLabelText(/^Amount/)).toHaveValue('12');
  expect(screen.getByLabelText(/^To/)).toHaveValue('2026-11-31');
});

it.each([
  ['To', '2026-02-30'],
  ['Amount', '1,5x'],
])('validates %s only after the focus has moved', async (label, text) => {
  const { user } = setup();
  const field = screen.getByLabelText(new RegExp(`^${label}`));
  await user.type(field, text);
  // Nothing may be mounted or unmounted while the focus moves: a dialog would take it.
  fireEvent.blur(field);
  expect(screen.queryByRole('alert')).toBeNull();
  expect(await screen.findByRole('alert')).toBeVisible();
});

it('accepts dates in words and shows their day', async () => {
  const { sent, user } = setup({ name: 'Jane' });
  const to = screen.getByLabelText(/^To/);
  await user.type(to, 'next friday');
  expect(screen.getByText('= Fri 27 Nov')).toBeInTheDocument();
  await user.tab();
  expect(to).toHaveValue('2026-11-27');
  await user.clear(to);
  await user.type(to, 'in 2 weeks{Control>}{Enter}{/Control}');
  expect(sent.mock.calls).toEqual([[{ name: 'Jane', to: '2026-12-05' }]]);
});

it('selects a day in the calendar by keys', async () => {
  const { user } = setup({ name: 'Jane' });
  const to = screen.getByLabelText(/^To/);
  await user.click(to);
  await user.keyboard('{Alt>}{ArrowDown}{/Alt}');
  expect(screen.getByRole('grid', { name: 'November 2026' })).toBeInTheDocument();
  await user.keyboard('{ArrowDown}{ArrowRight}{Enter}');
  expect(to).toHaveValue('2026-11-29');
  expect(to).toHaveFocus();
});

it('parses numbers as panels format them', async () => {
  const { sent, user } = setup({ name: 'Jane' });
  const amount = screen.getByLabelText(/^Amount/);
  await user.type(amount, '12,500');
  expect(screen.getByText('= 12,500')).toBeInTheDocument();
  await user.tab();
  expect(amount).toHaveValue('12500');
  await user.click(screen.getByRole('button', { name: 'Run' }));
  expect(sent.mock.calls).toEqual([[{ name: 'Jane', amount: '12500' }]]);
});

it('shows help for users and none for the model', () => {
  setup(undefined, {
    type: 'object',
    properties: { stage: { type: 'string', description: 'For the model only.', 'x-label': 'Phase', 'x-help': 'Where they are' } },
  });
  const field = screen.getByLabelText(/^Phase/);
  expect(field).toHaveAccessibleDescription('Where they are');
  expect(screen.queryByText(/For the model/)).toBeNull();
});

const stages: JsonValue = {
  type: 'object',
  properties: {
    stage: { type: 'string', 'x-values-from': ['deal.stage'], 'x-values': 'only' },
    category: { type: 'string', 'x-values-from': ['expense.category'] },
  },
};

it('offers used values, refuses a typo and marks new ones', async () => {
  const { sent, user } = setup(undefined, stages, { 'deal.stage': ['lead', 'won'], 'expense.category': ['Travel', 'Groceries'] });
  const stage = screen.getByLabelText(/^Stage/);
  await user.type(stage, 'led');
  await user.tab();
  expect(await screen.findByRole('alert')).toHaveTextContent('led is not a stage. Use lead?');
  const category = screen.getByLabelText(/^Category/);
  expect(category).toHaveFocus();
  await user.keyboard('{ArrowDown}');
  expect(screen.getAllByRole('option').map((option) => option.textContent)).toEqual(['Travel', 'Groceries']);
  await user.keyboard('{ArrowDown}{Enter}');
  expect(category).toHaveValue('Travel');
  expect(screen.queryByText(/New category/)).toBeNull();
  await user.type(category, 's by sea');
  expect(screen.getByText('New category')).toBeInTheDocument();
  await user.click(screen.getByRole('button', { name: 'Run' }));
  expect(sent).not.toHaveBeenCalled();
  await user.click(screen.getByRole('button', { name: 'Use lead?' }));
  await user.click(screen.getByRole('button', { name: 'Run' }));
  expect(sent.mock.calls).toEqual([[{ stage: 'lead', category: 'Travels by sea' }]]);
});
