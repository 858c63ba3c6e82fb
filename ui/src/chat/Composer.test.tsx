import { act, fireEvent, screen, waitFor, within } from '@testing-library/react';
import userEvent from '@testing-library/user-event';
import { describe, expect, test } from 'vitest';

import { renderInApp } from '../testing/render';
import { Conversation } from './Conversation';
import { openChat, turnStarted } from './fixture';

const composer = () => screen.getByLabelText<HTMLTextAreaElement>('Message', { selector: 'textarea' });
const queued = () => screen.queryAllByTestId('queued').map((row) => row.querySelector('[data-tip]')?.textContent);
const turn = expect.any(String) as string;
const done = { type: 'turn_completed', text: '' } as const;

const open = () => openChat(<Conversation />, [turnStarted()]);

describe('a message during a turn', () => {
  test('is queued above the composer and sent when the session is free, in order', async () => {
    const { backend, say, session } = await open();
    await userEvent.type(composer(), 'first{Enter}second{Enter}');
    expect(queued()).toEqual(['first', 'second']);
    expect(composer()).toHaveValue('');
    expect(composer()).toHaveFocus();
    await say(done);
    expect(backend.asked('send_message')).toEqual([]);
    await say({ type: 'session_changed', id: session });
    await waitFor(() => expect(backend.asked('send_message')).toEqual([{ session, text: 'first', skills: [], turn }]));
    await waitFor(() => expect(queued()).toEqual(['second']));
    // One at a time: only another idle session sends the next.
    backend.emit({ ...turnStarted('first') }, { session, turn: 't2' });
    backend.emit({ type: 'session_changed', id: session });
    expect(backend.asked('send_message')).toHaveLength(1);
  });

  test('stays queued and says so after a failed turn, until sent by hand', async () => {
    const { backend, say, session } = await open();
    await userEvent.type(composer(), 'next{Enter}');
    await say({ type: 'turn_failed', code: 'provider_timeout', message: 'No answer.', hint: '' });
    await say({ type: 'session_changed', id: session });
    expect(screen.getByTestId('queue-held')).toHaveTextContent('Not sent: the turn failed.');
    expect(backend.asked('send_message')).toEqual([]);
    await userEvent.click(screen.getByTestId('queued-send'));
    expect(backend.asked('send_message')).toEqual([{ session, text: 'next', skills: [], turn }]);
    await waitFor(() => expect(queued()).toEqual([]));
  });

  test('"Stop and send" stops the turn and goes before the others', async () => {
    const { backend, say, session } = await open();
    await userEvent.type(composer(), 'first{Enter}now{Enter}');
    await userEvent.click(screen.getAllByTestId('queued-send')[1]!);
    expect(backend.asked('stop_turn')).toEqual([{ session }]);
    await say({ type: 'turn_cancelled', unknown: [] });
    await say({ type: 'session_changed', id: session });
    await waitFor(() => expect(backend.asked('send_message').map(({ text }) => text)).toEqual(['now']));
  });

  test('shows that it is being sent, without buttons; the others keep theirs', async () => {
    const { backend, say, session } = await open();
    backend.on('send_message', () => new Promise(() => {}));
    await userEvent.type(composer(), 'first{Enter}second{Enter}');
    await say(done);
    await say({ type: 'session_changed', id: session });
    const [first, second] = screen.getAllByTestId('queued');
    expect(first).toHaveTextContent('Being sent…');
    expect(within(first!).queryAllByRole('button')).toEqual([]);
    expect(within(second!).getAllByRole('button').map((button) => button.getAttribute('aria-label') ?? button.textContent)).toEqual([
      'Edit',
      'Stop and send',
      'Remove the queued message',
    ]);
    await userEvent.click(within(second!).getByTestId('queued-send'));
    expect(backend.asked('stop_turn')).toEqual([{ session }]);
    expect(screen.getAllByTestId('queued')[0]).toHaveTextContent('secondEditStopping…');
  });

  test('is held back by a plain Stop', async () => {
    const { backend, say, session } = await open();
    await userEvent.type(composer(), 'next{Enter}');
    await say({ type: 'turn_cancelled', unknown: [] });
    await say({ type: 'session_changed', id: session });
    expect(screen.getByTestId('queue-held')).toHaveTextContent('you stopped the turn');
    expect(backend.asked('send_message')).toEqual([]);
  });

  test('stays first with the reason if it could not be sent', async () => {
    const { backend, say, session } = await open();
    await userEvent.type(composer(), 'next{Enter}');
    backend.fail('send_message', { message: 'No model.' });
    await say(done);
    await say({ type: 'session_changed', id: session });
    await waitFor(() => expect(screen.getByTestId('queue-held')).toHaveTextContent('No model.'));
    expect(queued()).toEqual(['next']);
  });

  test('can be edited with its chips: Edit, and ↑ in an empty composer takes the last', async () => {
    const { store } = await open();
    store.actions.setDraft({ tool: 'crm.move_deal', skills: ['mail'] });
    await userEvent.type(composer(), 'first{Enter}');
    await userEvent.type(composer(), 'second{Enter}');
    await userEvent.type(composer(), '{ArrowUp}');
    expect(composer()).toHaveValue('second');
    expect(queued()).toEqual(['crm.move_dealfirst']);
    await userEvent.click(screen.getByTestId('queued-edit'));
    expect(composer()).toHaveValue('first\n\nsecond');
    expect(screen.getByTestId('draft-chips')).toHaveTextContent('crm.move_deal');
    expect(screen.queryByTestId('queue')).toBeNull();
  });

  test('can be removed', async () => {
    await open();
    await userEvent.type(composer(), 'first{Enter}');
    await userEvent.click(screen.getByLabelText('Remove the queued message'));
    expect(screen.queryByTestId('queue')).toBeNull();
  });
});

describe('files', () => {
  const text = new File(['a,b\n1,2\n'], 'list.csv', { type: 'text/csv' });

  test('text is sent in a fence; other files are refused with the reason', async () => {
    const { backend, say, session } = await open();
    await say(done);
    const chooser = screen.getByTestId('file-chooser');
    const photo = new File([new Uint8Array([1])], 'plan.heic', { type: 'image/heic' });
    const scan = new File([new Uint8Array(5_200_000)], 'scan.png', { type: 'image/png' });
    const zip = new File([new Uint8Array([0xff, 0xfe, 0])], 'x.zip');
    const large = new File(['x'.repeat(100_001)], 'large.txt');
    fireEvent.change(chooser, { target: { files: [text, photo, scan, zip, large] } });
    expect(await screen.findByTestId('draft-file')).toHaveTextContent('list.csv');
    expect(within(screen.getByTestId('files-refused')).getAllByRole('listitem').map((row) => row.textContent)).toEqual([
      'Models cannot read the image format of plan.heic. Save it as PNG or JPEG.',
      'scan.png is 5.2 MB; the limit for images is 3.9 MB. Make it smaller, or save it as JPEG.',
      'x.zip is not a text file.',
      'large.txt is 100 kB; the limit is 100 kB. Add it to the vault and ask about it.',
    ]);
    await userEvent.type(composer(), 'Read this{Enter}');
    expect(backend.asked('send_message')).toEqual([
      { session, text: 'Read this\n\nAttached file: list.csv\n\n```\na,b\n1,2\n```', skills: [], turn },
    ]);
    expect(screen.queryByTestId('draft-file')).toBeNull();
  });

  test('an image lost from the draft is reported until dismissed', async () => {
    renderInApp(<Conversation />, { app: { lostImages: { '': ['plan.png'] } } });
    expect(screen.getByRole('alert')).toHaveTextContent('plan.png is missing. Attach it again.');
    await userEvent.click(screen.getByRole('button', { name: 'Hide' }));
    expect(screen.queryByTestId('files-refused')).toBeNull();
  });

  const image = new File([new Uint8Array([0x89, 0x50, 0x4e, 0x47])], 'plan.png', { type: 'image/png' });
  const sent = { name: 'plan.png', media_type: 'image/png', data: 'iVBORw==' };

  test('a pasted image is previewed in the composer and in the sent message', async () => {
    const { backend, say, session } = await open();
    await say(done);
    fireEvent.paste(composer(), { clipboardData: { files: [image], types: ['Files'] } });
    const chip = await screen.findByTestId('draft-image');
    expect(chip).toHaveTextContent('plan.png');
    expect(chip.parentElement?.parentElement?.querySelector('img')).toHaveAttribute('src', 'data:image/png;base64,iVBORw==');
    await userEvent.type(composer(), 'What is it?{Enter}');
    expect(backend.asked('send_message')).toEqual([{ session, text: 'What is it?', skills: [], images: [sent], turn }]);
    expect(screen.queryByTestId('draft-image')).toBeNull();
    const shown = await screen.findByRole('img', { name: 'plan.png' });
    expect(shown).toHaveAttribute('src', 'data:image/png;base64,iVBORw==');
    expect(shown.closest('[data-testid=user-message]')).toHaveTextContent('What is it?');
  });

  test('content pasted as text and as its picture is text', async () => {
    await open();
    const clipboard = (text: string, ...files: File[]) => ({ clipboardData: { files, types: ['Files'], getData: (kind: string) => (kind === 'text/plain' ? text : '') } });
    const picture = new File([new Uint8Array([0x89])], 'image.png', { type: 'image/png' });
    // The browser inserts the text unless the event is prevented.
    expect(fireEvent.paste(composer(), clipboard('May\t3', picture))).toBe(true);
    expect(fireEvent.paste(composer(), clipboard('', picture))).toBe(false);
    expect(await screen.findAllByTestId('draft-image')).toHaveLength(1);
    expect(fireEvent.paste(composer(), clipboard('plan.png', image))).toBe(false);
    await waitFor(() => expect(screen.getAllByTestId('draft-image').map((chip) => chip.textContent)).toEqual(['image.png', 'plan.png']));
  });

  test('an image is queued with its message, returns for an edit, and can be removed', async () => {
    const { backend, say, session } = await open();
    fireEvent.drop(composer(), { dataTransfer: { types: ['Files'], files: [image] } });
    fireEvent.drop(composer(), { dataTransfer: { types: ['Files'], files: [new File([new Uint8Array([1])], 'b.gif', { type: 'image/gif' })] } });
    await waitFor(() => expect(screen.getAllByTestId('draft-image')).toHaveLength(2));
    await userEvent.click(screen.getByTestId('queue-message'));
    expect(queued()).toEqual(['plan.png, b.gif']);
    await userEvent.click(screen.getByTestId('queued-edit'));
    await userEvent.click(screen.getByLabelText('Remove b.gif'));
    await userEvent.click(screen.getByTestId('queue-message'));
    await say(done);
    await say({ type: 'session_changed', id: session });
    await waitFor(() => expect(backend.asked('send_message')).toEqual([{ session, text: '', skills: [], images: [sent], turn }]));
  });

  test('an unsent message with an image is restored completely', async () => {
    const { backend, say } = await open();
    await say(done);
    backend.fail('send_message', { code: 'model_without_images', message: 'qwen3 cannot read images.', hint: 'Choose another model.' });
    fireEvent.drop(composer(), { dataTransfer: { types: ['Files'], files: [image] } });
    await screen.findByTestId('draft-image');
    await userEvent.type(composer(), 'What is it?{Enter}');
    expect(await screen.findByText(/qwen3 cannot read images/)).toBeVisible();
    expect(composer()).toHaveValue('What is it?');
    expect(screen.getByTestId('draft-image')).toHaveTextContent('plan.png');
  });

  test('an answer is repeated for the same image', async () => {
    const { backend, store, say, session } = await open();
    await say(done);
    fireEvent.drop(composer(), { dataTransfer: { types: ['Files'], files: [image] } });
    await screen.findByTestId('draft-image');
    await userEvent.type(composer(), 'What is it?{Enter}');
    await screen.findByRole('img', { name: 'plan.png' });
    const turn = store.get().streams[session]?.turns.at(-1)?.id ?? '';
    act(() => void backend.emit(done, { session, turn }));
    await userEvent.click((await screen.findAllByTestId('answer-again')).at(-1)!);
    await waitFor(() => expect(backend.asked('send_message')).toHaveLength(2));
    expect(backend.asked('send_message')[1]).toMatchObject({ text: 'What is it?', images: [sent] });
  });

  test('two concurrent drops together respect the limit of a message', async () => {
    const { say } = await open();
    await say(done);
    const many = (of: string, number: number) => Array.from({ length: number }, (_, at) => new File([of], `${of} ${at}.txt`));
    for (const files of [many('a', 6), many('b', 4)]) fireEvent.drop(composer(), { dataTransfer: { types: ['Files'], files } });
    const refused = within(await screen.findByTestId('files-refused')).getAllByRole('listitem');
    expect(refused.map((row) => row.textContent)).toEqual([
      'b 2.txt: a message can have at most 8 files.',
      'b 3.txt: a message can have at most 8 files.',
    ]);
    expect(screen.getAllByTestId('draft-file')).toHaveLength(8);
  });

  test('can be dropped anywhere on the conversation', async () => {
    await open();
    fireEvent.drop(screen.getByRole('log'), { dataTransfer: { types: ['Files'], files: [text] } });
    expect(await screen.findByTestId('draft-file')).toHaveTextContent('list.csv');
  });

  test('can be dropped and sent without text', async () => {
    const { backend, say } = await open();
    await say(done);
    fireEvent.drop(composer(), { dataTransfer: { types: ['Files'], files: [text] } });
    await screen.findByTestId('draft-file');
    await userEvent.click(screen.getByTestId('send'));
    expect(backend.asked('send_message')[0]?.text).toMatch(/^Attached file: list\.csv/);
  });

  test('a click on Send empties the field', async () => {
    const { backend, say } = await open();
    await say(done);
    await userEvent.type(composer(), 'Where?');
    await userEvent.click(screen.getByTestId('send'));
    expect(backend.asked('send_message')).toHaveLength(1);
    expect(composer()).toHaveValue('');
  });

  test('are named in the sent message', async () => {
    await openChat(<Conversation />, [turnStarted('Read this\n\nAttached file: list.csv\n\n```\na,b\n```')]);
    const message = screen.getByTestId('user-message');
    expect(within(message).getByTestId('sent-file')).toHaveTextContent('list.csv');
    expect(message.firstChild?.textContent).toBe('Read this');
  });
});

describe('[[', () => {
  test('offers notes with a preview of the marked one, and inserts the link', async () => {
    const { say } = await open();
    await say(done);
    await userEvent.type(composer(), 'See [[[[ja');
    const option = await screen.findByRole('option', { name: /Jane Doe/ });
    expect(option).toHaveAttribute('aria-selected', 'true');
    expect(composer()).toHaveAttribute('aria-activedescendant', option.id);
    await userEvent.keyboard('{Enter}');
    expect(composer()).toHaveValue('See [[Jane Doe]] ');
    expect(screen.queryByTestId('note-picker')).toBeNull();
  });

  test('offers server resources below the notes; a chosen one is sent with the message', async () => {
    const { backend } = await open();
    backend.on('suggest_notes', () => []);
    const build = { server: 'CI', tool: 'ci.read_resource', uri: 'log:///today', name: 'Build log', description: 'Of today.', media_type: 'text/plain' };
    backend.on('suggest_resources', () => [build]);
    await userEvent.type(composer(), 'See [[[[build');
    await screen.findByTestId('resource-option');
    expect(screen.getByTestId('resource-preview')).toHaveTextContent('log:///today');
    await userEvent.keyboard('{Enter}');
    expect(composer()).toHaveValue('See Build log ');
    expect(screen.getByTestId('draft-chips')).toHaveTextContent('Build log from ci');
  });

  test('Esc closes it, keeps the text and does not stop the turn', async () => {
    const { backend } = await open();
    await userEvent.type(composer(), '[[[[ja');
    await screen.findByTestId('note-picker');
    await userEvent.keyboard('{Escape}n');
    expect(screen.queryByTestId('note-picker')).toBeNull();
    expect(composer()).toHaveValue('[[jan');
    expect(backend.asked('stop_turn')).toEqual([]);
  });
});

test('Ctrl A and Backspace remove the text and its chips', async () => {
  const { store } = await open();
  act(() => store.actions.setDraft({ tool: 'crm.add_contact', skills: ['crm'] }));
  await userEvent.type(composer(), 'Add Jane');
  fireEvent.keyDown(composer(), { key: 'a', code: 'KeyA', ctrlKey: true });
  fireEvent.keyDown(composer(), { key: 'Backspace', code: 'Backspace' });
  expect(screen.queryByTestId('draft-chips')).toBeNull();
  act(() => store.actions.setDraft({ tool: 'crm.add_contact' }));
  // Any other selection covers only the text.
  fireEvent.keyDown(composer(), { key: 'Backspace', code: 'Backspace' });
  expect(screen.getByTestId('draft-chips')).toBeVisible();
});
