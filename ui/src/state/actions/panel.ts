// The right panel, and skill panels that may replace the conversation.
import { clampWidth, shownSkillPanel, widePanel, type CalendarRequest, type Panel, type PanelTab } from '../app';
import type { Tools } from './access';

/** `showChat` leaves a full-window page, since the panel belongs beside the conversation. */
export function panelActions({ get, setApp }: Tools, showChat: () => void) {
  const setPanel = (part: Partial<Panel>) => setApp((app) => ({ ...app, panel: { ...app.panel, ...part } }));
  return {
    /** Opens a note's preview beside the conversation. */
    openNote(note: string): void {
      // Above a wide panel, which stays in place.
      setPanel(widePanel(get().app) ? { peek: true, note } : { open: true, tab: 'note', note });
    },

    setPanel,

    /** Shows a page of the panel, beside the conversation. */
    showPanel(tab: PanelTab): void {
      setPanel({ open: true, tab });
      showChat();
    },

    /** Shows a day, an event or a new event in a skill's calendar, beside the conversation. */
    showInCalendar(skill: string, calendar: CalendarRequest): void {
      setPanel({ open: true, tab: `skill:${skill}`, calendar });
      showChat();
    },

    /** Shows the sub-agent of a call, beside the conversation. */
    showTask(call: string): void {
      setPanel({ open: true, tab: 'subagents', task: call });
      showChat();
    },

    togglePanel(): void {
      setPanel({ open: !get().app.panel.open, peek: false });
    },

    /** Toggles a skill's panel, with the last used width. */
    toggleSkillPanel(skill: string): void {
      const shown = shownSkillPanel(get().app)?.skill === skill && get().app.view.kind === 'chat';
      setPanel(shown ? { open: false, peek: false } : { open: true, tab: `skill:${skill}`, peek: false });
      showChat();
    },

    /**
     * Toggles a skill's panel between beside and in place of the conversation; opens the first one if none is
     * shown.
     */
    toggleWide(): void {
      const { skillPanels, panel } = get().app;
      if (shownSkillPanel(get().app)) return setPanel({ wide: !panel.wide, peek: false });
      const [first] = skillPanels;
      if (first) setPanel({ open: true, tab: `skill:${first.skill}`, wide: true, peek: false });
    },

    setPanelWidth(width: number): void {
      setPanel({ width: clampWidth('panel', width) });
    },
  };
}
