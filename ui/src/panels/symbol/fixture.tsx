// The symbol panel over a scripted skill, for tests.

import { act, fireEvent, screen } from '@testing-library/react';
import userEvent from '@testing-library/user-event';

import type { ErrorCode, Params, Result } from '../../ipc';
import { FakeBackend, type World } from '../../testing/fake-backend';
import { setWindow } from '../../testing/media';
import { answer } from '../../testing/panels';
import { renderInApp } from '../../testing/render';
import { sampleWorld } from '../../testing/sample';
import { symbolAnswer, symbolPanel, symbolPosition } from '../../testing/sample/symbol-panel';
import { SkillPanel } from '../skill/SkillPanel';

type Call = Params<'call_tool'>;
type Answers = Record<string, (call: Call) => Result<'call_tool'> | Promise<Result<'call_tool'>>>;

export const LOOKUP = ['pull_up_symbol', 'compare', 'fundamentals', 'filings', 'news', 'search_symbol'];
export const PORTFOLIO = ['positions', 'list_trades', 'watchlist', 'watch', 'unwatch', 'add_trade'];

export const failure = (message: string, hint = '', code: ErrorCode = 'tool_failed'): Result<'call_tool'> => ({ ...answer(null), ok: false, error: { code, message, hint } });

interface Options {
  readonly answers?: Answers;
  readonly portfolio?: readonly string[];
  readonly wide?: boolean;
  readonly width?: number;
  readonly backend?: FakeBackend;
  readonly world?: World;
}

export async function open({ answers = {}, portfolio = PORTFOLIO, wide = true, width = 1440, backend: given, world = sampleWorld() }: Options = {}) {
  setWindow({ width });
  const tools: Record<string, readonly string[]> = { lookup: LOOKUP, portfolio, vault: ['links', 'read_note'] };
  world.skills = world.skills.map((row) => (tools[row.id] ? { ...row, state: 'available', tools: (tools[row.id] ?? []).map((tool) => `${row.id}.${tool}`) } : row));
  const backend = given ?? new FakeBackend(world);
  backend.on('call_tool', (call) => {
    const own = answers[call.tool];
    if (own) return own(call);
    if (call.tool === 'portfolio.positions') return answer({ positions: [symbolPosition] });
    if (call.tool === 'portfolio.watchlist') return answer({ watched: [{ symbol: 'BWOP', target: '105', target_currency: 'EUR', path: 'Portfolio/Watchlist.md' }] });
    return symbolAnswer(call) ?? answer(null);
  });
  const rendered = renderInApp(<SkillPanel panel={symbolPanel} wide={wide} />, { backend });
  await act(async () => {});
  const asked = (tool: string) => backend.asked('call_tool').filter((call) => call.tool === tool).map(({ args }) => args);
  const panel = () => screen.getByTestId('skill-panel');
  const press = (key: string, at: Element = panel()) => fireEvent.keyDown(at, { key });
  return { ...rendered, backend, asked, panel, press };
}

/** Looks up a symbol in the search, as a user does. */
export async function lookUp(text: string): Promise<void> {
  await userEvent.type(screen.getByRole('searchbox', { name: 'Symbol or company' }), `${text}{Enter}`);
  await act(async () => {});
}
