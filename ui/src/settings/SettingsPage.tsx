// The settings: navigation on the left, the chosen page beside it. Changes apply at once, without a Save
// button.

import { nothing } from '../ipc';
import { Badge, counted, Icon, ViewBoundary, type IconName } from '../shared';
import type { SettingsPageName } from '../state/app';
import { useActions, useApp, useRpc } from '../state/hooks';
import { AppearancePage } from './AppearancePage';
import { CredentialsPage } from './CredentialsPage';
import { KeyboardPage } from './KeyboardPage';
import { ModelsPage } from './ModelsPage';
import { NotificationsPage } from './NotificationsPage';
import { PermissionsPage } from './PermissionsPage';
import { RecordsSettings } from './records/RecordsSettings';
import { RoutinesPage } from './routines/RoutinesPage';
import { needsAttention as serverNeedsAttention } from './servers/server-rows';
import { ServersPage } from './servers/ServersPage';
import { needsAttention } from './skill-rows';
import { SkillsPage } from './SkillsPage';
import { VaultPage } from './VaultPage';
import { useWaitingTools } from './WaitingTools';

const pages: { page: SettingsPageName; label: string; icon: IconName }[] = [
  { page: 'skills', label: 'Skills', icon: 'cube' },
  { page: 'models', label: 'Models', icon: 'bolt' },
  { page: 'permissions', label: 'Permissions', icon: 'question' },
  { page: 'credentials', label: 'Credentials', icon: 'key' },
  { page: 'servers', label: 'MCP servers', icon: 'plug' },
  { page: 'routines', label: 'Routines', icon: 'clock' },
  { page: 'vault', label: 'Vault', icon: 'book' },
  { page: 'notifications', label: 'Notifications', icon: 'bell' },
  { page: 'keyboard', label: 'Keyboard', icon: 'list' },
  { page: 'appearance', label: 'Appearance', icon: 'sun' },
];

export function SettingsPage() {
  const page = useApp(({ view }) => (view.kind === 'settings' ? view.page : 'skills'));
  const records = useApp(({ view }) => view.kind === 'settings' && view.records !== undefined);
  const { show } = useActions();
  const toFix = useToFix();
  const serversToFix = useServersToFix();
  const notes = useApp((app) => app.status?.vault?.notes ?? null);
  const waiting = useWaitingTools().data?.length ?? 0;

  return (
    <div className="flex h-full bg-surface" data-testid={`settings-${page}`}>
      <nav
        aria-label="Settings"
        data-region="list"
        tabIndex={-1}
        className="flex w-50 shrink-0 flex-col border-r border-line bg-surface-side px-2 max-medium:w-40"
      >
        <button
          type="button"
          onClick={() => show({ kind: 'chat' })}
          className="flex h-12 items-center gap-2 rounded-control px-1.5 text-ui font-medium text-fg-2 hover:text-fg"
        >
          <Icon name="chevron-left" />
          Settings
        </button>
        {pages.map(({ page: name, label, icon }) => (
          <button
            key={name}
            type="button"
            aria-current={name === page ? 'page' : undefined}
            data-testid={`settings-nav-${name}`}
            onClick={() => show({ kind: 'settings', page: name })}
            className={`flex h-7.5 items-center gap-2.5 rounded-control px-2 text-ui ${name === page ? 'bg-selected font-medium' : 'text-fg-2 hover:bg-hover'}`}
          >
            <Icon name={icon} />
            <span className="flex-1 text-left">{label}</span>
            {name === 'skills' && waiting > 0 && (
              <Badge tone="accent" title={`${counted(waiting, 'tool')} written by the assistant`}>
                <span data-testid="waiting-count">{waiting}</span>
                <span className="sr-only">{waiting === 1 ? 'tool waits for you' : 'tools wait for you'}</span>
              </Badge>
            )}
            {name === 'skills' && toFix > 0 && (
              <span className="text-meta text-fg-3 max-medium:hidden">{toFix} to fix</span>
            )}
            {name === 'servers' && serversToFix > 0 && (
              <span className="text-meta text-fg-3 max-medium:hidden">{serversToFix} to fix</span>
            )}
            {name === 'vault' && notes !== null && (
              <span className="tabular text-meta text-fg-3 max-medium:hidden">{counted(notes, 'note')}</span>
            )}
          </button>
        ))}
      </nav>
      <main className="flex min-w-0 flex-1" data-region="settings" tabIndex={-1}>
        <ViewBoundary subject={page}>
          {page === 'skills' && (records ? <RecordsSettings /> : <SkillsPage />)}
          {page === 'models' && <ModelsPage />}
          {page === 'permissions' && <PermissionsPage />}
          {page === 'credentials' && <CredentialsPage />}
          {page === 'servers' && <ServersPage />}
          {page === 'routines' && <RoutinesPage />}
          {page === 'vault' && <VaultPage />}
          {page === 'notifications' && <NotificationsPage />}
          {page === 'keyboard' && <KeyboardPage />}
          {page === 'appearance' && <AppearancePage />}
        </ViewBoundary>
      </main>
    </div>
  );
}

function useServersToFix(): number {
  const revision = useApp(({ revisions }) => revisions.registry);
  const view = useRpc('list_servers', nothing, revision).data;
  return (view?.servers ?? []).filter(serverNeedsAttention).length + (view?.broken.length ?? 0);
}

function useToFix(): number {
  const revision = useApp(({ revisions }) => revisions.registry);
  const skills = useRpc('list_skills', nothing, revision);
  return (skills.data ?? []).filter(needsAttention).length;
}
