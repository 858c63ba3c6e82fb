import { fireEvent, screen } from '@testing-library/react';
import { expect, test } from 'vitest';

import { FakeBackend } from '../testing/fake-backend';
import { renderInApp } from '../testing/render';
import { sampleWorld } from '../testing/sample';
import { mediaIn, ToolMedia } from './ToolMedia';

const image = { left_out: 'image', type: 'image/png', bytes: 3, media: 'm1' };
const sound = { left_out: 'audio', type: 'audio/wav', bytes: 2_000, media: 'm2' };

test('files are found in an answer, beside its text and its structured content', () => {
  expect(mediaIn([image, { text: 'a' }, sound]).map(({ id }) => id)).toEqual(['m1', 'm2']);
  expect(mediaIn({ result: 1, content: [image] })).toHaveLength(1);
  expect(mediaIn({ ...image })).toHaveLength(1);
  // A file too large to be stored is only named.
  expect(mediaIn([{ left_out: 'image', type: 'image/png', bytes: 3 }])).toEqual([]);
  expect(mediaIn('text')).toEqual([]);
});

test('an image is rendered from its bytes, audio is shown as a file', async () => {
  const backend = new FakeBackend(sampleWorld());
  backend.on('read_server_media', () => ({ media_type: 'image/png', data: 'AAAA' })).on('show_server_media', () => ({}));
  renderInApp(<ToolMedia parts={mediaIn([image, sound])} />, { backend });
  const shown = await screen.findByTestId('tool-image');
  expect(shown.getAttribute('src')).toBe('data:image/png;base64,AAAA');
  expect(screen.getByTestId('tool-file').textContent).toContain('Sound audio/wav, 2 kB');
  fireEvent.click(screen.getByText('Show file'));
  expect(backend.calls.at(-1)).toEqual({ method: 'show_server_media', params: { id: 'm2' } });
});

test('content that is not an image is never rendered as one', async () => {
  const backend = new FakeBackend(sampleWorld()).fail('read_server_media', { message: 'It is no longer available.' });
  renderInApp(<ToolMedia parts={[{ id: 'm3', type: 'image/svg+xml', bytes: 10 }, { id: 'm1', type: 'image/png', bytes: 3 }]} />, { backend });
  expect(await screen.findByText('no longer available')).toBeTruthy();
  expect(screen.queryByRole('img')).toBeNull();
});
