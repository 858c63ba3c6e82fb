// The mail panel over a scripted skill, for tests.

import { act, fireEvent, screen } from '@testing-library/react';

import type { Params, Result, SkillRow } from '../../ipc';
import { FakeBackend } from '../../testing/fake-backend';
import { setWindow } from '../../testing/media';
import { answer } from '../../testing/panels';
import { renderInApp } from '../../testing/render';
import { sampleWorld } from '../../testing/sample';
import { mailAnswer, mailPanel } from '../../testing/sample/mail-panel';
import { SkillPanel } from '../skill/SkillPanel';

type Call = Params<'call_tool'>;
type Answers = Record<string, (call: Call) => Result<'call_tool'> | Promise<Result<'call_tool'>>>;

export const READING = ['list', 'search', 'read', 'thread', 'folders'];
export const EVERY = [...READING, 'archive', 'delete', 'move', 'mark', 'reply', 'send', 'draft'];

export const CONTACT = { name: 'Ilse Brandvik', path: 'CRM/People/Ilse Brandvik.md', email: 'Ilse@fernhill.example', company: 'Fernhill Dairy' };

export const failure = (message: string, hint = 'Try again later.'): Result<'call_tool'> => ({ ...answer(null), ok: false, error: { code: 'tool_failed', message, hint } });
export const done = ({ args }: Call) => answer({ done: (args as { ids: string[] }).ids.map((id) => ({ id })) });

interface Options {
  readonly answers?: Answers;
  readonly tools?: readonly string[];
  readonly wide?: boolean;
  readonly width?: number;
  readonly skill?: Partial<SkillRow>;
}

export async function open({ answers = {}, tools = READING, wide = true, width = 1440, skill = {} }: Options = {}) {
  setWindow({ width });
  const world = sampleWorld();
  world.skills = world.skills.map((row) => (row.id === 'mail' ? { ...row, state: 'available', tools: tools.map((tool) => `mail.${tool}`), ...skill } : row));
  world.skills = world.skills.map((row) => (row.id === 'crm' ? { ...row, tools: ['crm.list_contacts', 'crm.get_contact', 'crm.log_interaction'] } : row));
  const backend = new FakeBackend(world).on('call_tool', (call) => {
    const own = answers[call.tool];
    if (own) return own(call);
    if (call.tool === 'crm.list_contacts') return answer({ contacts: [CONTACT] });
    if (call.tool === 'crm.get_contact') return answer({ ...CONTACT, stage: 'customer', next_contact: '2020-01-02' });
    return mailAnswer(call) ?? answer(null);
  });
  const rendered = renderInApp(<SkillPanel panel={mailPanel} wide={wide} />, { backend });
  await act(async () => {});
  const asked = (tool: string) => backend.asked('call_tool').filter((call) => call.tool === tool).map(({ args }) => args);
  const panel = screen.getByTestId('skill-panel');
  const press = (key: string, at: Element = document.activeElement === document.body ? panel : (document.activeElement ?? panel), more = {}) => fireEvent.keyDown(at, { key, ...more });
  return { ...rendered, backend, asked, panel, press };
}

export const rows = () => screen.queryAllByTestId('mail-row');
