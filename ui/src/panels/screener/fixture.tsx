// The screener panel on a scripted skill, for tests.

import { act, fireEvent, screen, within } from '@testing-library/react';
import userEvent from '@testing-library/user-event';

import type { ErrorCode, EventBody, JsonValue, Params, Result } from '../../ipc';
import { FakeBackend, type World } from '../../testing/fake-backend';
import { setWindow } from '../../testing/media';
import { answer } from '../../testing/panels';
import { renderInApp } from '../../testing/render';
import { sampleWorld } from '../../testing/sample';
import { screenerAnswer, screenerPanel } from '../../testing/sample/screener-panel';
import { symbolPanel } from '../../testing/sample/symbol-panel';
import { SCREENER } from '../../testing/screener';
import { SkillPanel } from '../skill/SkillPanel';

type Call = Params<'call_tool'>;
export type Answers = Record<string, (call: Call) => Result<'call_tool'> | Promise<Result<'call_tool'>>>;

export const failure = (message: string, hint = '', code: ErrorCode = 'tool_failed', soFar?: JsonValue): Result<'call_tool'> => ({
  ...answer(null),
  ok: false,
  error: { code, message, hint },
  ...(soFar === undefined ? {} : { so_far: soFar }),
});

interface Options {
  readonly answers?: Answers;
  readonly portfolio?: readonly string[];
  readonly wide?: boolean;
  readonly width?: number;
  readonly backend?: FakeBackend;
  readonly world?: World;
}

export async function open({ answers = {}, portfolio = ['watch'], wide = true, width = 1440, backend: given, world = sampleWorld() }: Options = {}) {
  setWindow({ width });
  const tools: Record<string, readonly string[]> = { screener: SCREENER, portfolio };
  world.skills = world.skills.map((row) => (tools[row.id] ? { ...row, state: 'available', tools: (tools[row.id] ?? []).map((tool) => `${row.id}.${tool}`) } : row));
  const backend = given ?? new FakeBackend(world);
  if (!given) backend.on('call_tool', (call) => answers[call.tool]?.(call) ?? screenerAnswer(call) ?? answer(null));
  const rendered = renderInApp(<SkillPanel panel={screenerPanel} wide={wide} />, { backend, app: { skillPanels: [screenerPanel, symbolPanel] } });
  await act(async () => {});
  const asked = (tool: string) => backend.asked('call_tool').filter((call) => call.tool === tool).map(({ args }) => args);
  const panel = () => screen.getByTestId('skill-panel');
  const press = (key: string, at: Element = panel(), more: object = {}) => fireEvent.keyDown(at, { key, ...more });
  return { ...rendered, backend, asked, panel, press };
}

/** A tool whose calls run until the test ends them. */
export function slow(tool: string) {
  const ends: ((result: Result<'call_tool'>) => void)[] = [];
  const answers: Answers = { [tool]: () => new Promise((resolve) => void ends.push(resolve)) };
  /** Ends call number `at`, the newest by default. */
  const end = (result: Result<'call_tool'>, at = ends.length - 1) => act(async () => ends[at]?.(result));
  const runs = (backend: FakeBackend) => backend.asked('call_tool').filter((call) => call.tool === tool).map(({ run }) => run ?? '');
  /** Emits events of its newest call. */
  const say = (backend: FakeBackend, ...events: EventBody[]) => act(() => events.forEach((event) => void backend.emit(event, { session: runs(backend).at(-1) ?? '' })));
  const begun: EventBody = { type: 'tool_call_started', call: 'c', tool, args: {}, effect: 'external', principal: { kind: 'user', name: 'you' } };
  const progress = (partial: JsonValue | null, fraction: number | null = null, message: string | null = null): EventBody => ({ type: 'tool_call_progress', call: 'c', fraction, message, partial });
  return { answers, end, runs, say, begun, progress };
}

export const button = (name: string | RegExp) => screen.getByRole('button', { name });

export async function click(name: string | RegExp): Promise<void> {
  await userEvent.click(button(name));
  await act(async () => {});
}

/** Types a limit and leaves the field. */
export async function limit(name: string, value: string): Promise<void> {
  const field = screen.getByRole('textbox', { name: `Limit of ${name}` });
  await userEvent.clear(field);
  if (value !== '') await userEvent.type(field, value);
  await userEvent.tab();
  await act(async () => void (await new Promise((done) => setTimeout(done))));
}

/** Starts the first scan with the button in the empty list of hits. */
export async function scan(): Promise<void> {
  await userEvent.click(within(screen.getByRole('region', { name: 'Hits' })).getByRole('button', { name: 'Scan' }));
  await act(async () => {});
}
