// Servers for tests and the dev page.

import type { OfferedServer, ServerDetail, ServerRow, ServerReviewView } from '../../ipc';

export function sampleServer(change: Partial<ServerRow> = {}): ServerRow {
  return {
    name: 'github',
    id: 'github',
    state: 'ready',
    changed: false,
    reason: null,
    version: '0.9.1',
    protocol: '2025-11-25',
    runs: 'npx -y octo-github-mcp',
    host: null,
    tools: { listed: 8, on: 8, changed: 0, new: 0, changed_since: null, tokens: 2882 },
    active_in: 0,
    reaches_vault: false,
    start: null,
    failures: 0,
    next_try: null,
    last_lines: [],
    ...change,
  };
}

export function sampleServerDetail(change: Partial<ServerDetail> = {}, review: Partial<ServerReviewView> = {}): ServerDetail {
  return {
    server: 'github',
    review: {
      fingerprint: 'f1',
      agreed: true,
      agreed_at: '2026-11-09T08:00:00Z',
      changed: false,
      program: '/usr/bin/npx',
      runs: 'npx -y octo-github-mcp',
      host: null,
      folder: null,
      variables: ['GITHUB_TOKEN'],
      credentials: ['github/token'],
      changes: [],
      ...review,
    },
    tools: [
      { tool: 'list_issues', description: 'List the issues of a repository.', effect: null, hints: ['only reads'], tokens: 412, on: true, blocked: false, reason: null },
      { tool: 'delete_branch', description: 'Deletes.', effect: 'destructive', hints: [], tokens: 239, on: false, blocked: false, reason: null },
    ],
    last_lines: [],
    calls: 38,
    errors: 2,
    mean_ms: 410,
    ...change,
  };
}

export function offeredServer(change: Partial<OfferedServer> = {}): OfferedServer {
  return { name: 'parcel', runs: 'npx -y parcel-mcp', program: '/usr/bin/npx', host: null, secrets: [], taken: false, problem: null, ...change };
}
