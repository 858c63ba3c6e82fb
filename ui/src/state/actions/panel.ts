// The panel on the right, and the skills' panels that may take the conversation's place.
import { clampWidth, shownSkillPanel, widePanel, type Panel, type PanelTab } from '../app';
import type { Tools } from './access';

/** `showChat` leaves whatever page has the window: the panel stands beside the conversation. */
export function panelActions({ get, setApp }: Tools, showChat: () => void) {
  const setPanel = (part: Partial<Panel>) => setApp((app) => ({ ...app, panel: { ...app.panel, ...part } }));
  return {
    /** Opens the preview of a note beside the conversation. */
    openNote(note: string): void {
      // Over a wide panel, which stays where it is.
      setPanel(widePanel(get().app) ? { peek: true, note } : { open: true, tab: 'note', note });
    },

    setPanel,

    /** A page of the panel, beside the conversation. */
    showPanel(tab: PanelTab): void {
      setPanel({ open: true, tab });
      showChat();
    },

    /** What the sub-agent of a call does, beside the conversation. */
    showTask(call: string): void {
      setPanel({ open: true, tab: 'subagents', task: call });
      showChat();
    },

    togglePanel(): void {
      setPanel({ open: !get().app.panel.open, peek: false });
    },

    /** Opens a skill's panel, as wide as panels were last; closes it where it is shown. */
    toggleSkillPanel(skill: string): void {
      const shown = shownSkillPanel(get().app)?.skill === skill && get().app.view.kind === 'chat';
      setPanel(shown ? { open: false, peek: false } : { open: true, tab: `skill:${skill}`, peek: false });
      showChat();
    },

    /** A skill's panel takes the conversation's place, or goes back beside it; the first one where none is shown. */
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
