import { useState } from 'react';

import { Button, Menu } from '../../shared';
import { draftOf } from '../../state/app';
import { useActions, useApp } from '../../state/hooks';
import { useCalendar } from './context';
import type { CalendarEvent } from './events';
import type { Contact } from './attendees';
import { dayOf } from './time';
import { aboutText } from './words';

/** Actions on an event: its note, an entry in a contact's log, a question. */
export function EventActions({ event, contacts }: { event: CalendarEvent; contacts: readonly Contact[] }) {
  const { writing, today } = useCalendar();
  const { openNote } = useActions();
  const [made, setMade] = useState(false);
  const ask = useAsk();
  const makeNote = async () => {
    const note = await writing.makeNote(event);
    if (note === null) return;
    // A new one stays beside its Undo.
    if (!note.isNew) openNote(note.path);
    setMade(true);
  };
  const [first] = contacts;
  return (
    <div className="flex flex-wrap gap-1.5 pt-1.5">
      <Button size="s" icon="note" onClick={() => void makeNote()}>
        {made ? 'Open meeting note' : 'Make meeting note'}
      </Button>
      {/* An upcoming event cannot be logged. */}
      {first && dayOf(event.start) <= today && (contacts.length === 1 ? (
        <Button size="s" icon="check" onClick={() => writing.log(event, first)}>
          Log with {first.name}
        </Button>
      ) : (
        <Menu groups={[{ items: contacts.map((contact) => ({ label: contact.name, onSelect: () => writing.log(event, contact) })) }]}>
          <Button size="s" icon="check">
            Log with…
          </Button>
        </Menu>
      ))}
      <span className="flex-1" />
      <Button size="s" variant="quiet" onClick={() => ask(event)}>
        Ask about it
      </Button>
    </div>
  );
}

/** Appends an event to the composer's text, for a question about it. */
function useAsk(): (event: CalendarEvent) => void {
  const { setDraft, setPanel } = useActions();
  const draft = useApp(draftOf);
  return (event) => {
    const before = draft.text.trimEnd();
    setDraft({ text: `${before}${before === '' ? '' : '\n'}${aboutText(event)}`, skills: [...new Set([...draft.skills, 'calendar'])] }, true);
    setPanel({ wide: false, peek: false });
    requestAnimationFrame(() => document.querySelector<HTMLElement>('[data-testid=composer-input]')?.focus());
  };
}
