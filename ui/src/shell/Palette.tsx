// Chats, commands, panels, notes, tools and skills by what they are called.

import { type KeyboardEvent, useEffect, useId, useRef, useState } from 'react';

import { nothing } from '../ipc';
import { Icon, Kbd, keyText } from '../shared';
import { Marked } from '../shared/Marked';
import { Over } from '../shared/Over';
import { draftOf } from '../state/app';
import { useActions, useApp, useRpc } from '../state/hooks';
import { type KeyActionId, keysOf } from '../state/keys';
import { focusSoon } from './keys';
import { keyOf, type Line, type Offer, offersFor } from './palette';

export function Palette({ run }: { run: (id: KeyActionId) => (() => void) | null }) {
  const sessions = useApp((app) => app.sessions);
  const registry = useApp((app) => app.revisions.registry);
  const skills = useRpc('list_skills', nothing, registry);
  const records = useRpc('list_record_types', nothing, registry);
  const tools = useRpc('list_tools', nothing, registry);
  const panels = useApp((app) => app.skillPanels);
  const recent = useApp((app) => app.recentlyChosen);
  const keys = useApp((app) => app.keys);
  const chosen = useApp((app) => draftOf(app).skills);
  const { setOver, openSession, openNote, openRecordForm, show, showPanel, setDraft, keepChoice, chooseVault } = useActions();
  const [query, setQuery] = useState('');
  const [at, setAt] = useState(0);
  const list = useRef<HTMLDivElement>(null);
  const id = useId();

  const text = query.trim();
  const notes = useRpc('suggest_notes', text === '' ? null : { text, skill: '' });
  const groups = offersFor(query, {
    sessions,
    skills: skills.data ?? [],
    records: records.data ?? [],
    panels,
    tools: tools.data ?? [],
    notes: notes.data ?? [],
    recent,
    can: (id) => run(id) !== null,
  });
  const all = groups.flatMap(({ offers }) => offers);
  const marked = Math.min(at, all.length - 1);
  useEffect(() => {
    list.current?.querySelector('[aria-selected=true]')?.scrollIntoView({ block: 'nearest' });
  }, [marked, query]);

  const act = (line: Line) => {
    setOver(null);
    keepChoice(keyOf(line));
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
  const onKeyDown = (event: KeyboardEvent) => {
    if (event.nativeEvent.isComposing) return;
    const step = { ArrowDown: 1, ArrowUp: -1, PageDown: 8, PageUp: -8 }[event.key];
    const line = all[marked]?.line;
    if (step !== undefined) setAt(Math.max(0, Math.min(all.length - 1, marked + step)));
    else if (event.key === 'Enter' && line) act(line);
    else return;
    event.preventDefault();
  };

  return (
    <Over label="Search chats and commands" onClose={() => setOver(null)}>
      <label className="flex h-12 shrink-0 items-center gap-3 border-b border-line px-4">
        <Icon name="search" className="text-fg-2" />
        <input
          autoFocus
          type="text"
          role="combobox"
          aria-label="Search chats, notes, tools and settings"
          aria-expanded="true"
          aria-autocomplete="list"
          aria-controls={`${id}-list`}
          aria-activedescendant={all.length > 0 ? `${id}-${marked}` : undefined}
          data-testid="palette-field"
          placeholder="Search chats, notes, tools and settings"
          value={query}
          onChange={(event) => {
            setQuery(event.target.value);
            setAt(0);
          }}
          onKeyDown={onKeyDown}
          className="selectable w-full bg-transparent text-body outline-none"
        />
      </label>
      <div ref={list} id={`${id}-list`} role="listbox" aria-label="What is found" data-testid="palette" className="min-h-0 overflow-y-auto p-1.5">
        {groups.map(({ label, offers }) => (
          <div key={label} role="group" aria-label={label} className="pb-1.5">
            <p aria-hidden="true" className="px-2 pt-1.5 pb-1 text-meta font-semibold text-fg-2">
              {label}
            </p>
            {offers.map((offer) => {
              const index = all.indexOf(offer);
              return (
                <div
                  key={index}
                  id={`${id}-${index}`}
                  role="option"
                  aria-selected={index === marked}
                  onMouseMove={() => index !== marked && setAt(index)}
                  onClick={() => act(offer.line)}
                  className={`flex h-8 items-center gap-2.5 rounded-control px-2 ${index === marked ? 'bg-selected text-fg [&_.quiet]:text-fg-2 [&_kbd]:text-fg-2' : ''}`}
                >
                  <Icon name={offer.icon} size={14} className="text-fg-2" />
                  <span className="cut flex-1">
                    <Marked text={offer.label} ranges={offer.ranges} />
                  </span>
                  <Behind offer={offer} keys={offer.line.kind === 'key' ? keysOf(keys, offer.line.id) : ''} />
                </div>
              );
            })}
          </div>
        ))}
      </div>
      {all.length === 0 && !notes.loading && (
        <p role="status" className="px-4 py-3 text-small text-fg-3">
          Nothing is called “{query}”.
        </p>
      )}
    </Over>
  );
}

function Behind({ offer, keys }: { offer: Offer; keys: string }) {
  if (keys !== '') return <Kbd>{keyText(keys)}</Kbd>;
  return offer.note === '' ? null : <span className="quiet cut max-w-60 text-small text-fg-3">{offer.note}</span>;
}
