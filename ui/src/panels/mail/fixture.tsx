// The mail panel over a scripted skill, for tests.

import { act, fireEvent, screen } from '@testing-library/react';

import type { PanelView, Params, Result, SkillRow } from '../../ipc';
import { shownSkillPanel } from '../../state/app';
import { useApp } from '../../state/hooks';
import { FakeBackend } from '../../testing/fake-backend';
import { setWindow } from '../../testing/media';
import { answer } from '../../testing/panels';
import { renderInApp } from '../../testing/render';
import { sampleWorld } from '../../testing/sample';
import { mailAnswer, mailPanel } from '../../testing/sample/mail-panel';
import { DropProvider } from '../import/DropOffer';
import { SkillPanel } from '../skill/SkillPanel';

type Call = Params<'call_tool'>;
type Answers = Record<string, (call: Call) => Result<'call_tool'> | Promise<Result<'call_tool'>>>;

export const READING = ['list', 'search', 'read', 'thread', 'folders'];
export const EVERY = [...READING, 'archive', 'delete', 'move', 'mark', 'reply', 'send', 'draft', 'save_attachment'];

export const CONTACT = { name: 'Ilse Brandvik', path: 'CRM/People/Ilse Brandvik.md', email: 'Ilse@fernhill.example', company: 'Fernhill Dairy' };

export const failure = (message: string, hint = 'Try again later.'): Result<'call_tool'> => ({ ...answer(null), ok: false, error: { code: 'tool_failed', message, hint } });
export const done = ({ args }: Call) => answer({ done: (args as { ids: string[] }).ids.map((id) => ({ id })) });

interface Options {
  readonly answers?: Answers;
  readonly tools?: readonly string[];
  readonly wide?: boolean;
  readonly width?: number;
  readonly skill?: Partial<SkillRow>;
  /** Panels of other skills, one of which is shown. */
  readonly beside?: readonly PanelView[];
}

function Shown({ wide }: { readonly wide: boolean }) {
  const panel = useApp(shownSkillPanel);
  return panel && <SkillPanel key={panel.skill} panel={panel} wide={wide} />;
}

export async function open({ answers = {}, tools = READING, wide = true, width = 1440, skill = {}, beside = [] }: Options = {}) {
  setWindow({ width });
  const world = sampleWorld();
  world.skills = world.skills.map((row) => (row.id === 'mail' ? { ...row, state: 'available', tools: tools.map((tool) => `mail.${tool}`), ...skill } : row));
  world.skills = world.skills.map((row) => (row.id === 'crm' ? { ...row, tools: ['crm.list_contacts', 'crm.get_contact', 'crm.log_interaction', 'crm.list_deals'] } : row));
  const backend = new FakeBackend(world).on('call_tool', (call) => {
    const own = answers[call.tool];
    if (own) return own(call);
    if (call.tool === 'crm.list_contacts') return answer({ contacts: [CONTACT] });
    if (call.tool === 'crm.get_contact') return answer({ ...CONTACT, stage: 'customer', next_contact: '2020-01-02' });
    if (call.tool === 'crm.list_deals') return answer({ deals: [], count: 0, total: [] });
    return mailAnswer(call) ?? answer(null);
  });
  const rendered = renderInApp(
    <DropProvider>
      <Shown wide={wide} />
    </DropProvider>,
    { backend, app: { skillPanels: [mailPanel, ...beside], panel: { open: true, tab: 'skill:mail', width: 360, note: null, task: null, calendar: null, wide, peek: false } } },
  );
  await act(async () => {});
  const asked = (tool: string) => backend.asked('call_tool').filter((call) => call.tool === tool).map(({ args }) => args);
  const panel = screen.getByTestId('skill-panel');
  const press = (key: string, at: Element = document.activeElement === document.body ? panel : (document.activeElement ?? panel), more = {}) => fireEvent.keyDown(at, { key, ...more });
  return { ...rendered, backend, asked, panel, press };
}

export const rows = () => screen.queryAllByTestId('mail-row');
