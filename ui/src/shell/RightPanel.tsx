import { Tabs } from 'radix-ui';
import { useEffect, useRef, type ReactNode } from 'react';

import { Icon, IconButton, keyText, ViewBoundary, type IconName } from '../shared';
import { shownSkillPanel, type PanelTab } from '../state/app';
import { useActions, useApp } from '../state/hooks';
import { keysOf } from '../state/keys';
import { labelled } from './panel-tabs';

export interface PanelPage {
  readonly tab: PanelTab;
  readonly label: string;
  /** Grey, after the label. */
  readonly count?: number;
  /** Replaces the label if there is no room. */
  readonly icon: IconName;
  /** Keeps its label as long as there is room. */
  readonly keepsLabel?: boolean;
  readonly content: ReactNode;
}

/** Pixels: an icon button with its gap, and the tab bar's padding with the panel's border. */
const ICON_BUTTON = 32;
const PADDING = 21;

/** The right panel, `width` px wide: its tabs, and the chosen page. */
export function RightPanel({ pages, width }: { pages: readonly PanelPage[]; readonly width: number }) {
  const chosen = useApp((app) => app.panel.tab);
  const skill = useApp(shownSkillPanel);
  const keys = useApp((app) => app.keys);
  const { setPanel, toggleWide } = useActions();
  const shown = pages.find((page) => page.tab === chosen) ?? pages[0];
  const tab = shown?.tab;
  const withLabel = labelled(pages, tab, width - (skill ? 2 : 1) * ICON_BUTTON - PADDING);
  const list = useRef<HTMLDivElement>(null);
  useEffect(() => list.current?.querySelector('[data-state=active]')?.scrollIntoView?.({ inline: 'nearest', block: 'nearest' }), [tab]);
  return (
    <Tabs.Root
      value={tab ?? ''}
      onValueChange={(next) => setPanel({ tab: next as PanelTab })}
      className="flex h-full min-h-0 w-full flex-col bg-surface-side"
    >
      <div className="flex h-12 shrink-0 items-center gap-1 border-b border-line pr-2.5 pl-2.5">
        <Tabs.List ref={list} aria-label="Panel" className="nova-no-bar flex min-w-0 flex-1 items-center gap-1 overflow-x-auto">
          {pages.map((page) => (
            <Tabs.Trigger
              key={page.tab}
              value={page.tab}
              className="flex h-7 shrink-0 items-center gap-1.5 rounded-control px-2 text-ui text-fg-2 outline-offset-[-2px] hover:bg-hover data-[state=active]:bg-selected data-[state=active]:font-medium data-[state=active]:text-fg"
            >
              {withLabel.has(page.tab) ? (
                <span className="cut max-w-32">{page.label}</span>
              ) : (
                <span data-tip={page.label} className="flex">
                  <Icon name={page.icon} />
                  <span className="sr-only">{page.label}</span>
                </span>
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
