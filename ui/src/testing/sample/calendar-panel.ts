// The sample's calendar: notes, and a team's calendar that was fetched this morning.

import type { Params, Result } from '../../ipc';
import { answer, panelOf } from '../panels';
import { day, local } from './time';

export const calendarPanel = panelOf('calendar', 'Calendar', [{ parts: [{ kind: 'calendar', tool: 'list_events', args: {} }] }], { icon: 'calendar' });

const note = (title: string, from: string, to: string, more: Record<string, string | boolean> = {}) => ({
  title,
  start: `${day}T${from}`,
  end: `${day}T${to}`,
  event: `Events/${title}.md`,
  calendar: 'vault',
  ...more,
});
const team = (title: string, from: string, to: string) => note(title, from, to, { calendar: 'Team', event: `Team/${title}` });

const events = [
  { title: 'Quarter close', start: day, end: '2026-11-22', whole_day: true, event: 'Events/Quarter close.md', calendar: 'vault' },
  { title: 'Odile Farrow, birthday', start: day, end: day, whole_day: true, event: 'Events/Odile.md', calendar: 'vault' },
  team('Team stand-up', '08:30', '09:15'),
  note('Brightwater line 2', '10:00', '11:30', { location: 'Room 2' }),
  team('Interview', '10:30', '11:30'),
  note('Dentist', '11:00', '12:00', { location: 'Rua Nova 12' }),
  note('Lunch with Ravi Penhale', '12:45', '13:45', { location: 'Tessel Robotics' }),
  note('Quillon renewal terms', '14:00', '15:00', { location: 'meet.example.org/quillon', recurs: true }),
  note('Fernhill revised quote', '15:30', '16:30'),
  note('Pick up Leo', '17:15', '18:00'),
];

export function calendarAnswer({ tool, args }: Params<'call_tool'>): Result<'call_tool'> | null {
  switch (tool) {
    case 'calendar.calendars':
      return answer({
        calendars: [
          { calendar: 'vault', kind: 'notes', read_only: false, events: 8, fetched: null, problems: [] },
          { calendar: 'Team', kind: 'address', read_only: true, events: 2, fetched: local('11:20'), problems: [] },
        ],
      });
    case 'calendar.list_events':
      return answer({ zone: null, events: (args as { from?: string }).from === '2026-11-16' ? events : [] });
    case 'calendar.get_event':
      return answer({ fields: { attendees: ['Jane Doe', 'P. Ambrose'] } });
    case 'calendar.refresh_calendars':
      return answer({ calendars: [{ calendar: 'Team', problem: 'The server of Team answers with status 503.', fetched: local('11:20') }] });
    case 'calendar.update_event':
    case 'calendar.create_event':
      return answer({ event: 'Events/Dentist.md' });
    default:
      return null;
  }
}
