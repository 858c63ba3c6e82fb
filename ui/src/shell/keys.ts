// The keys that work everywhere in the window.

import { useEffect } from 'react';

import { mainModifier } from '../shared';
import { useActions, useApp } from '../state/hooks';
import type { AppState } from '../state/app';
import type { Actions } from '../state/store';

export function useKeys(roomForList: boolean): void {
  const actions = useActions();
  const view = useApp((app) => app.view);
  const panels = useApp((app) => app.skillPanels);
  const firstRun = useApp((app) => app.status?.first_run !== false);

  useEffect(() => {
    if (firstRun) return;
    const onKey = (event: KeyboardEvent) => {
      if (event.defaultPrevented) return;
      const act = actionOf(event, actions, view, roomForList, panels);
      if (!act) return;
      event.preventDefault();
      act();
    };
    window.addEventListener('keydown', onKey);
    return () => window.removeEventListener('keydown', onKey);
  }, [actions, view, roomForList, panels, firstRun]);
}

function actionOf(
  event: KeyboardEvent,
  actions: Actions,
  view: AppState['view'],
  roomForList: boolean,
  panels: AppState['skillPanels'],
): (() => void) | null {
  if (event.key === 'F6') return () => focusRegion(event.shiftKey ? -1 : 1);
  if (event.key === 'Escape' && view.kind === 'settings') return () => actions.show({ kind: 'chat' });
  if (!mainModifier(event) || event.altKey) return null;
  if (event.shiftKey) {
    if (event.code === 'Period' && view.kind === 'chat') return () => actions.toggleWide();
    return event.code === 'KeyA' ? focusNextApproval : null;
  }
  const panel = /^[1-9]$/.test(event.key) ? panels[Number(event.key) - 1] : undefined;
  if (panel) return () => actions.toggleSkillPanel(panel.skill);
  switch (event.key.toLowerCase()) {
    case 'n':
      return () => {
        actions.newChat();
        focusSoon('[data-testid=composer-input]');
      };
    case 'k':
      return () => {
        if (view.kind === 'settings') actions.show({ kind: 'chat' });
        actions.showList(roomForList);
        focusSoon('[data-list-search] input');
      };
    case 'l':
      return () => {
        if (view.kind !== 'chat') actions.show({ kind: 'chat' });
        focusSoon('[data-testid=composer-input]');
      };
    case 'b':
      return () => actions.toggleList(roomForList);
    case '.':
      return view.kind === 'chat' ? () => actions.togglePanel() : null;
    case ',':
      return () => actions.show({ kind: 'settings', page: 'skills' });
    default:
      return null;
  }
}

/** Focuses what the coming render shows. */
export function focusSoon(selector: string): void {
  requestAnimationFrame(() => document.querySelector<HTMLElement>(selector)?.focus());
}

/** Regions in their order on the page: list, header, conversation, composer, panel. */
function focusRegion(by: 1 | -1): void {
  const regions = [...document.querySelectorAll<HTMLElement>('[data-region]')].filter(
    (region) => region.closest('[aria-hidden=true]') === null,
  );
  const at = regions.findIndex((region) => region.contains(document.activeElement));
  const next = at < 0 ? (by > 0 ? 0 : regions.length - 1) : (at + by + regions.length) % regions.length;
  const region = regions[next];
  (region?.querySelector<HTMLElement>('[data-testid=composer-input]') ?? region)?.focus();
}

/** The waiting approval after the one that has the focus. */
function focusNextApproval(): void {
  const cards = [...document.querySelectorAll<HTMLElement>('[data-testid=approval-card]')];
  const at = cards.findIndex((card) => card.contains(document.activeElement));
  const card = cards[(at + 1) % cards.length];
  card?.scrollIntoView({ block: 'nearest' });
  card?.focus();
}
