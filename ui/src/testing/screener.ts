// Scripts the screener of `dev.html`: a running scan, as in the screenshots.

import type { JsonValue, Result } from '../ipc';
import type { FakeBackend, World } from './fake-backend';
import { answer } from './panels';
import { partialScan } from './sample/screener-panel';
import { sampleAnswer } from './sample-panels';

export const SCREENER = ['list_screens', 'check_conditions', 'universes', 'save_universe', 'scan_universe', 'explain_hit', 'save_screen', 'backtest', 'find_trades'];

/** Scans run until stopped, and then return their partial result. */
export function scriptScreener(backend: FakeBackend, world: World): void {
  const tools: Record<string, readonly string[]> = { screener: SCREENER, portfolio: ['watch'] };
  world.skills = world.skills.map((row) => (tools[row.id] ? { ...row, state: 'available', tools: (tools[row.id] ?? []).map((tool) => `${row.id}.${tool}`) } : row));
  const ends = new Map<string, (result: Result<'call_tool'>) => void>();
  backend
    .on('call_tool', (call) => {
      if (call.tool !== 'screener.scan_universe') return sampleAnswer(call) ?? answer(null);
      const run = call.run ?? '';
      setTimeout(() => {
        const of = { session: run };
        backend.emit({ type: 'tool_call_started', call: 'scan', tool: call.tool, args: call.args as JsonValue, effect: 'external', principal: { kind: 'user', name: 'you' } }, of);
        backend.emit({ type: 'tool_call_progress', call: 'scan', fraction: 0.343, message: '412/1,200', partial: partialScan }, of);
      });
      return new Promise((resolve) => ends.set(run, resolve));
    })
    .on('stop_tool', ({ run }) => {
      ends.get(run)?.({ ...answer(null), ok: false, error: { code: 'cancelled', message: 'Stopped by you.', hint: '' }, so_far: partialScan });
      return {};
    });
}
