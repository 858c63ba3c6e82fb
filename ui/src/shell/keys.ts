// Global keys of the window.

import { useCallback, useEffect } from 'react';

import { useBackend } from '../ipc';
import { mainModifier, useMedia } from '../shared';
import { noteForO } from '../shared/list-keys';
import { wheelSteps } from '../shared/wheel';
import { useActions, useApp } from '../state/hooks';
import { actionFor, type KeyActionId, pressedKeys } from '../state/keys';
import { type AppState, widePanel } from '../state/app';
import type { Actions } from '../state/store';

/** `quote` inserts the text selected in the conversation into the message. */
export function useKeys(roomForList: boolean, quote: () => void): void {
  const run = useAction(roomForList, quote);
  const actions = useActions();
  const backend = useBackend();
  const keys = useApp((app) => app.keys);
  const view = useApp((app) => app.view);
  const panels = useApp((app) => app.skillPanels);
  const firstRun = useApp((app) => app.status?.first_run !== false);

  useEffect(() => {
    const onKey = (event: KeyboardEvent) => {
      if (event.defaultPrevented) return;
      if (firstRun) {
        const id = actionFor(keys, pressedKeys({ ...picked(event), main: mainModifier(event) }) ?? '');
        if (!id?.startsWith('zoom-')) return;
      }
      const note = noteForO(event);
      const inObsidian = () => void backend.rpc('open_note', { path: note ?? '' }).catch(actions.report);
      const act = note === null ? actionOf(event, keys, run, actions, view, panels) : inObsidian;
      if (!act) return;
      event.preventDefault();
      act();
    };
    window.addEventListener('keydown', onKey);
    return () => window.removeEventListener('keydown', onKey);
  }, [actions, backend, keys, run, view, panels, firstRun]);

  useEffect(() => {
    const turned = wheelSteps();
    const onWheel = (event: WheelEvent) => {
      if (!mainModifier(event) || event.deltaY === 0) return;
      event.preventDefault();
      const steps = turned(event);
      for (let step = 0; step < Math.abs(steps); step += 1) actions.zoom(steps < 0 ? 1 : -1);
    };
    window.addEventListener('wheel', onWheel, { passive: false });
    return () => window.removeEventListener('wheel', onWheel);
  }, [actions]);
}

/** The effect of a key or palette command; null if it currently has none. */
export function useAction(roomForList: boolean, quote: () => void): (id: KeyActionId) => (() => void) | null {
  const actions = useActions();
  const view = useApp((app) => app.view.kind);
  const wide = useApp((app) => widePanel(app) !== null);
  const hasPanels = useApp((app) => app.skillPanels.length > 0);
  const asking = useApp((app) => Object.keys(app.asking).length > 0);
  // Without room beside it, the panel covers the conversation.
  const roomForPanel = useMedia('(min-width: 1100px)');
  return useCallback(
    (id) => {
      const inChat = (act: () => void) => () => {
        if (view !== 'chat') actions.show({ kind: 'chat' });
        act();
      };
      switch (id) {
        case 'palette':
          return () => actions.setOver('palette');
        case 'open-note':
          return () => actions.setOver('notes');
        case 'new-chat':
          return () => {
            actions.newChat();
            focusSoon('[data-testid=composer-input]');
          };
        case 'composer':
          return inChat(() => focusSoon('[data-testid=composer-input]'));
        case 'find':
          return view === 'chat'
            ? () => {
                if (wide) actions.setPanel({ wide: false, peek: false });
                actions.setFind(document.querySelector<HTMLInputElement>('[data-testid=find-field]')?.value ?? '');
                focusSoon('[data-testid=find-field]');
              }
            : null;
        case 'quote':
          return view === 'chat' ? quote : null;
        case 'list':
          // The settings fill the window.
          return view === 'settings' ? null : () => actions.toggleList(roomForList);
        case 'panel':
          return view === 'chat' ? () => actions.togglePanel() : null;
        case 'wide':
          return view === 'chat' && hasPanels ? () => actions.toggleWide() : null;
        case 'approval':
          return asking ? () => void goToApproval(actions, roomForPanel) : null;
        case 'settings':
          return () => actions.show({ kind: 'settings', page: 'skills' });
        case 'zoom-in':
          return () => actions.zoom(1);
        case 'zoom-out':
          return () => actions.zoom(-1);
        case 'zoom-reset':
          return () => actions.zoom(0);
        case 'next-region':
          return () => focusRegion(1);
        case 'previous-region':
          return () => focusRegion(-1);
      }
    },
    [actions, view, wide, hasPanels, asking, roomForList, roomForPanel, quote],
  );
}

function actionOf(
  event: KeyboardEvent,
  keys: AppState['keys'],
  run: (id: KeyActionId) => (() => void) | null,
  actions: Actions,
  view: AppState['view'],
  panels: AppState['skillPanels'],
): (() => void) | null {
  if (event.key === 'Escape' && view.kind === 'settings') return () => actions.show({ kind: 'chat' });
  if (event.key === '?' && !mainModifier(event) && !isField(event.target)) return () => actions.setOver('keys');
  const pressed = pressedKeys({ ...picked(event), main: mainModifier(event) });
  const id = pressed === null ? null : actionFor(keys, pressed);
  if (id !== null) return run(id);
  const panel = /^Ctrl ([1-9])$/.exec(pressed ?? '')?.[1];
  const chosen = panel === undefined ? undefined : panels[Number(panel) - 1];
  return chosen ? () => actions.toggleSkillPanel(chosen.skill) : null;
}

function picked({ key, code, altKey, shiftKey }: KeyboardEvent) {
  return { key, code, altKey, shiftKey };
}

function isField(target: EventTarget | null): boolean {
  return target instanceof Element && target.closest('input, textarea, select, [contenteditable=true]') !== null;
}

/** Focuses an element of the next render. */
export function focusSoon(selector: string): void {
  requestAnimationFrame(() => document.querySelector<HTMLElement>(selector)?.focus());
}

/** Regions in page order: list, header, conversation, composer, panel. */
function focusRegion(by: 1 | -1): void {
  const regions = [...document.querySelectorAll<HTMLElement>('[data-region]')].filter(
    (region) => region.closest('[aria-hidden=true]') === null,
  );
  const at = regions.findIndex((region) => region.contains(document.activeElement));
  const next = at < 0 ? (by > 0 ? 0 : regions.length - 1) : (at + by + regions.length) % regions.length;
  const region = regions[next];
  (region?.querySelector<HTMLElement>('[data-testid=composer-input]') ?? region)?.focus();
}

/** Goes to the waiting approval after the focused one, in any chat. */
async function goToApproval(actions: Actions, roomForPanel: boolean): Promise<void> {
  const cards = approvalCards();
  const next = cards[cards.findIndex((card) => card.contains(document.activeElement)) + 1];
  // Without enough room, the panel covers them.
  const makeWay = () => !roomForPanel && actions.setPanel({ open: false });
  if (next) {
    makeWay();
    return whenDrawn(() => next, focusCard);
  }
  const other = await actions.showAsking();
  if (other || cards.length > 0) makeWay();
  whenDrawn(() => approvalCards()[0], focusCard, other ? DRAWN_IN : 0);
}

function approvalCards(): HTMLElement[] {
  return [...document.querySelectorAll<HTMLElement>('[data-testid=approval-card]')];
}

function focusCard(card: HTMLElement): void {
  card.scrollIntoView({ block: 'nearest' });
  card.focus();
}

/** Frames to wait for a loaded chat to be rendered. */
const DRAWN_IN = 60;

function whenDrawn<T>(find: () => T | undefined, act: (found: T) => void, frames = DRAWN_IN): void {
  requestAnimationFrame(() => {
    const found = find();
    if (found !== undefined) act(found);
    else if (frames > 0) whenDrawn(find, act, frames - 1);
  });
}
