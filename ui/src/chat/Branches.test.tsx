import { act, screen, waitFor } from '@testing-library/react';
import userEvent from '@testing-library/user-event';
import { expect, test } from 'vitest';

import type { FakeBackend } from '../testing/fake-backend';
import { renderInApp } from '../testing/render';
import { Conversation } from './Conversation';

const composer = () => screen.getByTestId<HTMLTextAreaElement>('composer-input');
const messages = () => screen.getAllByTestId('user-message').map((message) => message.textContent);
const turnOf = (backend: FakeBackend, at: number) => {
  const message = screen.getAllByTestId('user-message')[at];
  return { session: backend.asked('send_message')[0]?.session ?? '', turn: message?.closest<HTMLElement>('[data-turn]')?.dataset['turn'] ?? '' };
};

/** A chat in which these messages were sent and answered. */
async function chat(...texts: string[]) {
  const { backend } = renderInApp(<Conversation />);
  const answered = async (at: number) => {
    await waitFor(() => expect(screen.getAllByTestId('user-message').length).toBeGreaterThan(at));
    const of = turnOf(backend, at);
    act(() => {
      backend.emit({ type: 'message_completed', message: of.turn, text: `Answer to ${of.turn}` }, of);
      backend.emit({ type: 'turn_completed', text: '' }, of);
    });
    await screen.findByTestId('send');
    return of.turn;
  };
  const turns: string[] = [];
  for (const [at, text] of texts.entries()) {
    await userEvent.type(composer(), `${text}{Enter}`);
    turns.push(await answered(at));
  }
  return { backend, turns, answered };
}

test('an edited message begins a branch, and the arrows switch back', async () => {
  const { backend, turns, answered } = await chat('One', 'Two', 'Three');
  await userEvent.click(screen.getAllByTestId('edit-message')[1] as HTMLElement);
  expect(screen.getByTestId('edit-form')).toHaveTextContent('Later changes to notes stay');
  await userEvent.keyboard(', please{Enter}');
  expect(backend.asked('send_message').at(-1)).toMatchObject({ text: 'Two, please', after: turns[0] });
  await answered(1);
  expect(messages()).toEqual(['One', 'Two, please']);
  expect(screen.getByTestId('versions')).toHaveTextContent('2/2');
  expect(screen.getByRole('button', { name: 'Later version' })).toBeDisabled();

  await userEvent.click(screen.getByRole('button', { name: 'Earlier version' }));
  expect(backend.asked('choose_branch')).toEqual([{ session: expect.any(String), turn: turns[1] }]);
  await waitFor(() => expect(messages()).toEqual(['One', 'Two', 'Three']));
  expect(screen.getByLabelText('Version 1 of 2')).toBeInTheDocument();
});

test('the first message can be edited, too', async () => {
  const { backend } = await chat('One');
  await userEvent.click(screen.getByTestId('edit-message'));
  await userEvent.keyboard('!{Enter}');
  expect(backend.asked('send_message').at(-1)).toMatchObject({ text: 'One!', after: null });
});

test('files of an edited message are chips that can be removed', async () => {
  const { backend, turns, answered } = await chat('One');
  const images = [{ name: 'plan.png', media_type: 'image/png', data: 'iVBORw==' }];
  backend.on('read_image', () => ({ media_type: 'image/png', data: 'iVBORw==' }));
  const of = { ...turnOf(backend, 0), turn: 'withfile' };
  const text = 'Look\n\nAttached file: list.csv\n\n```\na,b\n```';
  act(() => {
    backend.emit({ type: 'turn_started', text, model: 'm', skills: [], tool: null, images: [{ id: 'i', name: 'plan.png', media_type: 'image/png', width: 1, height: 1 }] }, of);
    backend.emit({ type: 'turn_completed', text: '' }, of);
  });
  await userEvent.click(screen.getAllByTestId('edit-message').at(-1)!);
  expect(document.activeElement).toHaveValue('Look');
  await userEvent.keyboard(' again{Enter}');
  await waitFor(() => expect(backend.asked('send_message').at(-1)).toMatchObject({ text: text.replace('Look', 'Look again'), images, after: turns[0] }));
  await answered(1);

  await userEvent.click(screen.getAllByTestId('edit-message').at(-1)!);
  await userEvent.clear(document.activeElement as HTMLElement);
  await userEvent.click(screen.getByRole('button', { name: 'Remove list.csv' }));
  // An image alone is a message.
  await userEvent.click(screen.getByTestId('send-edited'));
  await waitFor(() => expect(backend.asked('send_message').at(-1)).toMatchObject({ text: '', images }));
});

test('↑ in an empty composer edits the last message; Esc discards the edit', async () => {
  const { backend } = await chat('One', 'Two');
  await userEvent.type(composer(), '{ArrowUp}');
  await waitFor(() => expect(screen.getByTestId('edit-form').querySelector('textarea')).toHaveFocus());
  expect(document.activeElement).toHaveValue('Two');
  await userEvent.keyboard(' more{Escape}');
  expect(messages()).toEqual(['One', 'Two']);
  expect(backend.asked('send_message')).toHaveLength(2);
  await userEvent.type(composer(), 'text{ArrowUp}');
  expect(screen.queryByTestId('edit-form')).toBeNull();
});

test('by keyboard: Enter goes from a message to its pencil, Esc back', async () => {
  await chat('One');
  act(() => screen.getByTestId('user-message').focus());
  await userEvent.keyboard('{Enter}');
  expect(screen.getByTestId('edit-message')).toHaveFocus();
  await userEvent.keyboard('{Escape}');
  expect(screen.getByTestId('user-message')).toHaveFocus();
  await userEvent.keyboard('{Enter}{Enter} more{Escape}');
  await waitFor(() => expect(screen.getByTestId('edit-message')).toHaveFocus());
});

test('a repeated answer becomes another version', async () => {
  const { backend, turns, answered } = await chat('One', 'Two');
  await userEvent.click(screen.getAllByTestId('answer-again').at(-1) as HTMLElement);
  expect(backend.asked('send_message').at(-1)).toMatchObject({ text: 'Two', after: turns[0] });
  await answered(1);
  expect(messages()).toEqual(['One', 'Two']);
  expect(screen.getByTestId('versions')).toHaveTextContent('2/2');
});

test('during a turn no edit is possible, and an unsent edit stays in its field', async () => {
  const { backend } = await chat('One');
  backend.fail('send_message', { message: 'This chat is busy.' });
  await userEvent.click(screen.getByTestId('edit-message'));
  await userEvent.keyboard('!{Enter}');
  expect(await screen.findByRole('alert')).toHaveTextContent('This chat is busy.');
  expect(document.querySelector('[data-testid=edit-form] textarea')).toHaveValue('One!');
  await userEvent.click(screen.getByRole('button', { name: 'Cancel' }));

  act(() => void backend.emit({ type: 'turn_started', text: 'Elsewhere', model: 'm', skills: [], tool: null }, { ...turnOf(backend, 0), turn: 'new' }));
  for (const pencil of screen.getAllByTestId('edit-message')) expect(pencil).toBeDisabled();
  for (const again of screen.getAllByTestId('answer-again')) expect(again).toBeDisabled();
});
