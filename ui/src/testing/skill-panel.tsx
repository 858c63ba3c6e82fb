import { act } from '@testing-library/react';

import type { JsonValue, PanelView, Params, Result } from '../ipc';
import { SkillPanel } from '../panels/skill/SkillPanel';
import { FakeBackend } from './fake-backend';
import { setWindow } from './media';
import { answer, panelOf } from './panels';
import { renderInApp } from './render';
import { sampleWorld } from './sample';
import { crmPanel, sampleAnswer } from './sample-panels';

export type Answers = Record<string, (call: Params<'call_tool'>) => Result<'call_tool'> | Promise<Result<'call_tool'>>>;

/** Shows the panel with the output of the sample skills, and the given output. */
export async function showPanel({ panel = crmPanel, answers = {}, width = 1440 }: { panel?: PanelView; answers?: Answers; width?: number } = {}) {
  setWindow({ width });
  const backend = new FakeBackend(sampleWorld()).on('call_tool', (call) => answers[call.tool]?.(call) ?? sampleAnswer(call) ?? answer(null));
  const rendered = renderInApp(<SkillPanel panel={panel} wide />, { backend });
  await act(async () => {});
  const asked = (tool: string) => backend.asked('call_tool').filter((call) => call.tool === tool).map(({ args }) => args);
  return { ...rendered, asked };
}

export const table = (more: Record<string, JsonValue> = {}) =>
  panelOf('x', 'X', [
    {
      parts: [
        {
          kind: 'table',
          tool: 'list',
          title: 'Rows',
          rows: '/rows',
          columns: [
            { field: 'name', label: 'Name' },
            { field: 'value', label: 'Value', format: 'money', unit: 'currency' },
          ],
          ...more,
        },
      ],
    },
  ]);
export const rows = (...named: readonly [string, string, string?][]) => ({
  rows: named.map(([name, value, currency = 'EUR']) => ({ name, value, currency, path: `${name}.md` })),
});
export const failure = (message: string): Result<'call_tool'> => ({
  ...answer(null),
  ok: false,
  error: { code: 'tool_failed', message, hint: 'Look at it.' },
});
