import { Tabs } from 'radix-ui';
import type { ReactNode } from 'react';

import { Icon, IconButton, keyText, ViewBoundary, type IconName } from '../shared';
import { shownSkillPanel, type PanelTab } from '../state/app';
import { useActions, useApp } from '../state/hooks';
import { keysOf } from '../state/keys';

export interface PanelPage {
  readonly tab: PanelTab;
  readonly label: string;
  /** Grey, behind the label. */
  readonly count?: number;
  /** Stands for the label where it is not the chosen one: there may be many. */
  readonly icon?: IconName;
  /** Its label is shown beside those of its kind; another page needs the room for its own. */
  readonly keepsLabel?: boolean;
  readonly content: ReactNode;
}

/** The frame of the right panel: its tabs, and the page of the chosen one. */
export function RightPanel({ pages }: { pages: readonly PanelPage[] }) {
  const chosen = useApp((app) => app.panel.tab);
  const skill = useApp(shownSkillPanel);
  const keys = useApp((app) => app.keys);
  const { setPanel, toggleWide } = useActions();
  const shown = pages.find((page) => page.tab === chosen) ?? pages[0];
  const tab = shown?.tab;
  const labels = shown?.keepsLabel === true;
  return (
    <Tabs.Root
      value={tab ?? ''}
      onValueChange={(next) => setPanel({ tab: next as PanelTab })}
      className="flex h-full min-h-0 w-full flex-col bg-surface-side"
    >
      <div className="flex h-12 shrink-0 items-center gap-1 border-b border-line pr-2.5 pl-2.5">
        <Tabs.List aria-label="Panel" className="flex min-w-0 flex-1 items-center gap-1">
          {pages.map((page) => (
            <Tabs.Trigger
              key={page.tab}
              value={page.tab}
              className="flex h-7 min-w-0 items-center gap-1.5 rounded-control px-2 text-ui data-[state=active]:shrink-0 text-fg-2 hover:bg-hover data-[state=active]:bg-selected data-[state=active]:font-medium data-[state=active]:text-fg"
            >
              {page.icon && page.tab !== tab && !(page.keepsLabel && labels) ? (
                <span data-tip={page.label} className="flex">
                  <Icon name={page.icon} />
                  <span className="sr-only">{page.label}</span>
                </span>
              ) : (
                <span className="cut">{page.label}</span>
              )}
              {page.count ? <span className="text-small font-normal text-fg-3">{page.count}</span> : null}
            </Tabs.Trigger>
          ))}
        </Tabs.List>
        {skill && (
          <IconButton icon="expand" label="Widen panel" keys={keyText(keysOf(keys, 'wide'))} data-testid="widen-panel" onClick={toggleWide} />
        )}
        <IconButton icon="x" label="Close panel" keys={keyText(keysOf(keys, 'panel'))} onClick={() => setPanel({ open: false })} />
      </div>
      {pages.map((page) => (
        <Tabs.Content key={page.tab} value={page.tab} className="min-h-0 flex-1 overflow-y-auto outline-offset-[-2px]">
          <ViewBoundary>{page.content}</ViewBoundary>
        </Tabs.Content>
      ))}
    </Tabs.Root>
  );
}
