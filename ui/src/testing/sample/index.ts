// Invented people and figures: the sample shown in the screenshots.

import type { CredentialsView, SessionRow } from '../../ipc';
import type { World } from '../fake-backend';
import { changes } from './changes';
import { chatEvents } from './chat';
import { sampleServer } from './servers';
import { skills, tools } from './skills';
import { day, local } from './time';
import { notes, problems, vaultPage } from './vault';

export { interruptedSet } from './changes';
export { envelopes } from './chat';
export { samplePendingTools } from './pending-tools';
export { sampleFileTools } from './skills';
export { sampleNow } from './time';

export function sampleWorld(): World {
  return {
    status: {
      version: '0.1.0',
      platform: 'linux',
      first_run: false,
      vault: { name: 'Work vault', path: '/home/mara/Documents/Work vault', notes: 412, watching: 'watching', problems: [] },
      vault_problem: null,
      gone_roots: [],
      config_problem: null,
      model: 'ollama/qwen3:14b',
      appearance: { theme: 'light', text_size: 14, activity_line: true },
      reminders: { events: null, morning: null },
      background: { keep_running: false },
      today: day,
    },
    sessions,
    events: { harborline: chatEvents() },
    providers: [
      { id: 'ollama', kind: 'ollama', local: true, host: '127.0.0.1:11434', agreed: true, models: ['qwen3:14b', 'qwen3:4b'], without_tools: [], problem: null, key: { credential: 'ollama/key', state: 'none' }, favourites: [], prices: [], health: null },
      { id: 'openai', kind: 'openai', local: false, host: 'api.openai.com', agreed: false, models: ['gpt-5.2', 'gpt-5.2-mini'], without_tools: [], problem: null, key: { credential: 'openai/key', state: 'granted' }, favourites: [], prices: [], health: null },
      {
        id: 'lab',
        kind: 'openai',
        local: false,
        host: 'models.lab.example',
        agreed: true,
        models: [],
        without_tools: [],
        problem: { code: 'provider_unreachable', message: 'models.lab.example did not answer.', hint: 'Check that it runs.' },
        key: { credential: 'lab/key', state: 'none' },
        favourites: [],
        prices: [],
        health: null,
      },
    ],
    skills,
    tools,
    pendingTools: [],
    credentials: sampleCredentials(),
    servers: { servers: [sampleServer()], broken: [] },
    changes,
    problems,
    notes,
    vaultPage: structuredClone(vaultPage),
    firstRun: {
      found: [
        { path: '/home/mara/Documents/Work vault', shown: '~/Documents/Work vault', name: 'Work vault', notes: 412 },
        { path: '/home/mara/Notes', shown: '~/Notes', name: 'Notes', notes: 0 },
      ],
      sample_target: '~/Documents/Nova sample',
      sample_notes: 64,
      local_models: [
        {
          provider: 'ollama',
          host: '127.0.0.1:11434',
          models: ['qwen3:14b', 'qwen3:8b', 'qwen3:4b'],
          without_tools: [],
        },
      ],
      looked_at: ['127.0.0.1:11434', '127.0.0.1:1234', '127.0.0.1:8080'],
    },
  };
}

function row(id: string, title: string, updated_at: string, running = false): SessionRow {
  return { id, title, updated_at, created_at: updated_at, running, model: null, pinned: false, archived: false };
}

const sessions: SessionRow[] = [
  row('harborline', 'Harborline signed', local('14:33'), true),
  row('groceries', 'November groceries over limit', local('11:20')),
  row('bank', 'Import bank CSV, October', local('09:05')),
  row('dividends', 'Dividend calendar for Q1', local('16:40', '2026-11-19')),
  row('quillon', 'Rewrite the Quillon proposal', local('12:10', '2026-11-19')),
  row('solvane', 'Who knows someone at Solvane?', local('09:30', '2026-11-19')),
  row('lisbon', 'Trip costs, Lisbon offsite', local('10:00', '2026-11-17')),
  row('watchlist', 'Watchlist clean-up', local('10:00', '2026-11-16')),
  row('designer', 'Onboard the new designer', local('10:00', '2026-11-15')),
];

/** One in use, one missing for a tool, one with an ended sign-in. */
export function sampleCredentials(): CredentialsView {
  return {
    kept_in: 'keychain',
    problem: null,
    credentials: [
      {
        name: 'mail/login',
        state: 'needs_sign_in',
        reason: 'login.example.com refused to renew it (invalid_grant)',
        sign_in: true,
        host: 'login.example.com',
        server: null,
        wanted_by: [],
        grants: [],
      },
      {
        name: 'openai/key',
        state: 'kept',
        reason: null,
        sign_in: false,
        host: null,
        server: null,
        wanted_by: ['provider:openai', 'tool:dynamic.draw'],
        grants: [
          { consumer: 'provider:openai', destination: 'https://api.openai.com:443', in_force: true },
          { consumer: 'tool:dynamic.draw', destination: 'images.example.com', in_force: false },
        ],
      },
      { name: 'weather/key', state: 'missing', reason: null, sign_in: false, host: null, server: null, wanted_by: ['tool:dynamic.weather'], grants: [] },
    ],
  };
}
