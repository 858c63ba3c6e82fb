import { screen, waitFor } from '@testing-library/react';
import userEvent from '@testing-library/user-event';
import { expect, test } from 'vitest';

import type { RoutineRow, RoutineRun } from '../../ipc';
import { renderInApp } from '../../testing/render';
import { sampleWorld } from '../../testing/sample';
import { Today } from './Today';

const chat = sampleWorld().sessions[0]?.id ?? '';
const run: RoutineRun = { session: chat, due: '2026-11-23T07:30:00Z', started: '2026-11-23T07:30:10Z', ended: null, late: 0, end: 'waiting', said: 'Change 1 note?', seen: false };
const routine = (name: string, last: RoutineRun | null): RoutineRow => ({ path: `Routines/${name}.md`, name, when: ['daily 07:30'], zone: '', enabled: true, allow: [], message: 'What is due?', tool: '', args: '', skills: [], model: '', problem: null, next: null, last });
const page = (routines: RoutineRow[]) => renderInApp(<Today empty="Nothing due today." />, { app: { glances: [] }, world: { routines } });

test('waiting routines come first, and Answer opens their chat', async () => {
  const { backend, store } = page([routine('Morning', run), routine('Fine', { ...run, end: 'completed' }), routine('New', null)]);
  const line = await screen.findByTestId('waiting-routine');
  expect(line).toHaveTextContent(/Morning.*Waits for your answer .*Change 1 note\?/);
  await userEvent.click(screen.getByRole('button', { name: 'Answer: Morning' }));
  expect(backend.asked('see_routine')).toEqual([{ path: 'Routines/Morning.md' }]);
  expect(store.get().app.open).toBe(chat);
});

test('a failure can be dismissed; without any the box is absent', async () => {
  page([routine('Morning', { ...run, end: 'failed', said: 'No model is configured.' })]);
  await userEvent.click(await screen.findByRole('button', { name: 'Dismiss: Morning' }));
  await waitFor(() => expect(screen.queryByRole('region', { name: 'Waits for you' })).toBeNull());
  expect(screen.getByText('Nothing due today.')).toBeVisible();
});
