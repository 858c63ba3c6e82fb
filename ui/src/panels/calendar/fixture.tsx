// The calendar panel over a scripted skill: a week of November 2026.

import { act, fireEvent, screen } from '@testing-library/react';
import { vi } from 'vitest';

import type { JsonValue, Params, Result } from '../../ipc';
import { FakeBackend } from '../../testing/fake-backend';
import { setWindow } from '../../testing/media';
import { answer, panelOf } from '../../testing/panels';
import { renderInApp } from '../../testing/render';
import { sampleWorld } from '../../testing/sample';
import { SkillPanel } from '../skill/SkillPanel';

export const NOTES = { calendar: 'vault', kind: 'notes', read_only: false, events: 3, fetched: null, problems: [] };
export const TEAM = { calendar: 'Team', kind: 'address', read_only: true, events: 1, fetched: '2026-11-23T10:20:00Z', problems: [] };

export const EVENTS: Record<string, string | boolean>[] = [
  { title: 'Quarter close', start: '2026-11-23', end: '2026-11-25', whole_day: true, event: 'Events/Close.md', calendar: 'vault' },
  { title: 'Team stand-up', start: '2026-11-23T08:30', end: '2026-11-23T09:15', event: 'Team/a@team', calendar: 'Team', recurs: true },
  { title: 'Brightwater line 2', start: '2026-11-23T10:00', end: '2026-11-23T11:30', event: 'Events/Brightwater.md', calendar: 'vault', location: 'Room 2' },
  { title: 'Interview', start: '2026-11-23T10:30', end: '2026-11-23T11:30', event: 'Events/Interview.md', calendar: 'vault' },
  { title: 'Quillon renewal terms', start: '2026-11-23T14:00', end: '2026-11-23T15:00', event: 'Events/Quillon.md', calendar: 'vault', recurs: true },
  { title: 'Dentist', start: '2026-11-25T09:30', end: '2026-11-25T10:15', event: 'Events/Dentist.md', calendar: 'vault' },
];

type Call = Params<'call_tool'>;
type Answers = Record<string, (call: Call) => Result<'call_tool'> | Promise<Result<'call_tool'>>>;

export const listed = (events: JsonValue = EVENTS, more: Record<string, JsonValue> = {}) => answer({ zone: 'Europe/Lisbon', events, ...more });
export const written = { ...answer({ event: 'Events/Dentist.md' }), change_set: 'set-1' };
export const failure = (message: string): Result<'call_tool'> => ({ ...answer(null), ok: false, error: { code: 'tool_failed', message, hint: 'Look at it.' } });

export async function open(answers: Answers = {}, calendars: readonly JsonValue[] = [NOTES, TEAM], world = sampleWorld(), prepare: (backend: FakeBackend) => void = () => undefined) {
  const backend = new FakeBackend(world).on('call_tool', (call) => {
    const own = answers[call.tool];
    if (own) return own(call);
    if (call.tool === 'calendar.calendars') return answer({ calendars: [...calendars] });
    if (call.tool === 'calendar.list_events') return listed((call.args as { from: string }).from === '2026-11-23' ? EVENTS : []);
    return call.tool === 'calendar.get_event' ? answer({ fields: { attendees: ['Jane Doe'] } }) : written;
  });
  prepare(backend);
  const panel = panelOf('calendar', 'Calendar', [{ parts: [{ kind: 'calendar', tool: 'list_events', args: {} }] }]);
  const rendered = renderInApp(<SkillPanel panel={panel} wide={false} />, { backend });
  await act(async () => {});
  const asked = (tool: string) => backend.asked('call_tool').filter((call) => call.tool === `calendar.${tool}`).map(({ args }) => args);
  const panelElement = screen.getByTestId('skill-panel');
  const press = (key: string, at: HTMLElement = panelElement, more = {}) => fireEvent.keyDown(at, { key, ...more });
  return { ...rendered, backend, asked, press, panel: panelElement };
}

export const box = (name: RegExp) => screen.getByRole('button', { name });

/** Monday 23 November 2026, 14:36. */
export function setNow() {
  vi.useFakeTimers({ toFake: ['Date'] });
  vi.setSystemTime('2026-11-23T14:36:00Z');
  setWindow({ width: 1440 });
}

export function unsetNow() {
  vi.useRealTimers();
  vi.unstubAllGlobals();
}
