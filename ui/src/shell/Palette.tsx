// Finds chats, commands, panels, notes, tools and skills by name.

import { useState } from 'react';

import { nothing } from '../ipc';
import { Icon, Kbd, keyText } from '../shared';
import { Finder } from '../shared/Finder';
import { Marked } from '../shared/Marked';
import { useSuggestLinks } from '../shared/useSuggestLinks';
import { draftOf } from '../state/app';
import { useActions, useApp, useRpc } from '../state/hooks';
import { type KeyActionId, keysOf } from '../state/keys';
import { focusSoon } from './keys';
import { foldersOf, keyOf, type Line, type Offer, offersFor } from './offers';

/** The current effect of a key action; null if it has none. */
type Run = (id: KeyActionId) => (() => void) | null;

export function Palette({ run }: { run: Run }) {
  const [query, setQuery] = useState('');
  const keys = useApp((app) => app.keys);
  const { setOver } = useActions();
  const { groups, loading } = useOffers(query, run);
  const act = useAct(run);
  return (
    <Finder
      label="Search chats and commands"
      fieldLabel="Search chats, notes, tools and settings"
      listLabel="Results"
      testId="palette"
      query={query}
      onQuery={setQuery}
      groups={groups.map(({ label, offers }) => ({ label, items: offers }))}
      row={(offer) => (
        <>
          <Icon name={offer.icon} size={14} className="text-fg-2" />
          <span className="cut flex-1">
            <Marked text={offer.label} ranges={offer.ranges} />
          </span>
          <Behind offer={offer} keys={offer.line.kind === 'key' ? keysOf(keys, offer.line.id) : ''} />
        </>
      )}
      nothing={loading ? null : `Nothing found for “${query}”.`}
      onChoose={({ line }) => act(line)}
      onClose={() => setOver(null)}
    />
  );
}

function useOffers(query: string, run: Run) {
  const sessions = useApp((app) => app.sessions);
  const registry = useApp((app) => app.revisions.registry);
  const skills = useRpc('list_skills', nothing, registry);
  const records = useRpc('list_record_types', nothing, registry);
  const tools = useRpc('list_tools', nothing, registry);
  const panels = useApp((app) => app.skillPanels);
  const recent = useApp((app) => app.recentlyChosen);
  const text = query.trim();
  const notes = useRpc('suggest_notes', text === '' ? null : { text, skill: '' });
  const open = useApp((app) => app.panel.note);
  const suggestsLinks = useSuggestLinks() !== null;
  const groups = offersFor(query, {
    sessions,
    skills: skills.data ?? [],
    records: records.data ?? [],
    panels,
    tools: tools.data ?? [],
    notes: notes.data ?? [],
    folders: suggestsLinks ? foldersOf(open, notes.data ?? [], records.data ?? []) : [],
    recent,
    can: (id) => run(id) !== null,
  });
  return { groups, loading: notes.loading };
}

/** Closes the palette and runs the chosen row. */
function useAct(run: Run) {
  const chosen = useApp((app) => draftOf(app).skills);
  const suggestLinks = useSuggestLinks();
  const { setOver, openSession, openNote, openRecordForm, show, showPanel, setDraft, rememberChoice, chooseVault } = useActions();
  return (line: Line) => {
    setOver(null);
    rememberChoice(keyOf(line));
    switch (line.kind) {
      case 'key':
        return run(line.id)?.();
      case 'page':
        return show({ kind: 'settings', page: line.page });
      case 'run-tool':
        return show({ kind: 'run-tool', tool: line.tool });
      case 'panel':
        return showPanel(`skill:${line.skill}`);
      case 'note':
        show({ kind: 'chat' });
        return openNote(line.path);
      case 'suggest-links':
        return suggestLinks?.(line.folder);
      case 'open-vault':
        return void chooseVault();
      case 'trash':
        return show({ kind: 'trash' });
      case 'activity':
        return showPanel('activity');
      case 'keys':
        return setOver('keys');
      case 'chat':
        void openSession(line.session);
        return focusSoon('[data-testid=composer-input]');
      case 'record':
        return openRecordForm({ skill: line.skill, type: line.type, path: null });
      case 'skill':
        if (!line.able) return show({ kind: 'settings', page: 'skills', skill: line.skill });
        show({ kind: 'chat' });
        setDraft({ skills: [...new Set([...chosen, line.skill])] });
        return focusSoon('[data-testid=composer-input]');
    }
  };
}

function Behind({ offer, keys }: { offer: Offer; keys: string }) {
  if (keys !== '') return <Kbd>{keyText(keys)}</Kbd>;
  return offer.note === '' ? null : <span className="quiet cut max-w-60 text-small text-fg-3">{offer.note}</span>;
}
