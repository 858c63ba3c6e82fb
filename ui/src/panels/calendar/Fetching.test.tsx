import { act, screen, waitFor } from '@testing-library/react';
import userEvent from '@testing-library/user-event';
import { afterEach, beforeEach, expect, test, vi } from 'vitest';

import type { CredentialRow, Result, TriedVerdict } from '../../ipc';
import { answer } from '../../testing/panels';
import { sampleWorld } from '../../testing/sample';
import { NOTES, open, setNow, TEAM, unsetNow } from './fixture';

beforeEach(setNow);
afterEach(() => {
  vi.restoreAllMocks();
  unsetNow();
});

const FRESH = '2026-11-23T14:35:30Z';

/** Opens with a server's calendar that was fetched at `fetched`; a fetch updates it. */
async function openWith({ refresh, fetched = '2026-11-23T10:20:00Z', verdict = 'run', credentials = [] as Partial<CredentialRow>[] }: { refresh?: () => Promise<Result<'call_tool'>>; fetched?: string | null; verdict?: TriedVerdict; credentials?: Partial<CredentialRow>[] }) {
  let at = fetched;
  const world = sampleWorld();
  const rows = credentials.map((row) => ({ name: 'calendar/work', state: 'kept', reason: null, sign_in: false, host: null, server: null, wanted_by: ['skill:calendar'], grants: [], ...row }) as CredentialRow);
  const answers = {
    'calendar.calendars': () => answer({ calendars: [NOTES, { ...TEAM, fetched: at }] }),
    'calendar.refresh_calendars': refresh ?? (() => {
      at = FRESH;
      return answer({ calendars: [{ calendar: 'Team', fetched: at, changed: false }] });
    }),
  };
  return open(answers, [], { ...world, credentials: { kept_in: 'file', problem: null, credentials: rows } }, (backend) =>
    backend.on('try_rule', ({ tool }) => ({ tool, effect: 'external', verdict, decisions: [], rule: null, policy: null, reason: '' })),
  );
}

test('a click refreshes remote calendars, whose age is always shown', async () => {
  const { asked } = await openWith({ fetched: '2026-11-23T14:30:00Z' });
  expect(screen.getByRole('button', { name: 'Team, 6 min old' })).toBeVisible();
  expect(asked('refresh_calendars')).toEqual([]);
  await userEvent.click(screen.getByRole('button', { name: 'Refresh calendars' }));
  expect(await screen.findByRole('button', { name: 'Team, just fetched' })).toBeVisible();
  expect(asked('refresh_calendars')).toEqual([{}]);
});

test('opening the panel refreshes outdated calendars once, without a bar', async () => {
  const { asked } = await openWith({});
  expect(await screen.findByRole('button', { name: 'Team, just fetched' })).toBeVisible();
  expect(asked('refresh_calendars')).toEqual([{}]);
  expect(screen.queryByText(/Fetched calendars/)).toBeNull();
});

test('an open panel refreshes again after 15 minutes', async () => {
  vi.useFakeTimers({ now: new Date('2026-11-23T14:36:00Z') });
  const { asked } = await openWith({ fetched: FRESH });
  await act(() => vi.advanceTimersByTimeAsync(14 * 60_000));
  expect(asked('refresh_calendars')).toEqual([]);
  await act(() => vi.advanceTimersByTimeAsync(2 * 60_000));
  expect(asked('refresh_calendars')).toEqual([{}]);
});

test.each<[string, Parameters<typeof openWith>[0]]>([
  ['a rule asks', { verdict: 'ask' }],
  ['a rule denies it', { verdict: 'deny' }],
  ['a credential is not granted', { credentials: [{}] }],
  ['a grant is no longer in force', { credentials: [{ grants: [{ consumer: 'skill:calendar', destination: 'dav.example', in_force: false }] }] }],
  ['a credential is missing', { credentials: [{ state: 'missing', grants: [{ consumer: 'skill:calendar', destination: 'dav.example', in_force: true }] }] }],
])('nothing is refreshed without a click if %s', async (_, given) => {
  const { asked, backend } = await openWith(given);
  await waitFor(() => expect(backend.asked('try_rule')).toHaveLength(1));
  await act(async () => {});
  expect(asked('refresh_calendars')).toEqual([]);
  expect(screen.getByRole('button', { name: 'Team, 4 h old' })).toBeVisible();
});

test('a granted credential does not prevent a refresh', async () => {
  const { asked } = await openWith({ credentials: [{ grants: [{ consumer: 'skill:calendar', destination: 'dav.example', in_force: true }] }, { name: 'mail/home', wanted_by: ['skill:mail'] }] });
  await waitFor(() => expect(asked('refresh_calendars')).toEqual([{}]));
});

test('a question that an automatic refresh meets is withdrawn', async () => {
  const { asked, backend } = await openWith({ refresh: () => new Promise(() => {}) });
  await waitFor(() => expect(asked('refresh_calendars')).toHaveLength(1));
  const { run } = backend.asked('call_tool').find(({ tool }) => tool === 'calendar.refresh_calendars')!;
  const of = { session: run! };
  act(() => {
    backend.emit({ type: 'tool_call_started', call: 'q', tool: 'calendar.refresh_calendars', args: {}, effect: 'external', principal: { kind: 'user', name: 'you' } }, of);
    backend.emit({ type: 'approval_requested', call: 'q', args: {}, decisions: ['once', 'deny'], question: 'Let it contact b.example?', editable: false, diff: null, host: 'b.example', revision: 1, mid_run: true }, of);
  });
  await waitFor(() => expect(backend.asked('stop_tool')).toEqual([{ run }]));
  expect(screen.queryByTestId('approval-card')).toBeNull();
});

test('offline, nothing is refreshed', async () => {
  vi.spyOn(navigator, 'onLine', 'get').mockReturnValue(false);
  const { backend } = await openWith({});
  expect(backend.asked('try_rule')).toEqual([]);
  expect(screen.getByRole('button', { name: 'Refresh calendars' })).toBeDisabled();
});
