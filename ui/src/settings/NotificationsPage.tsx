// Desktop notifications while Nova runs, and whether it does after its window is closed.

import { Segments, Switch } from '../shared';
import { useActions, useApp } from '../state/hooks';
import { Select } from '../shared/Select';
import { Setting } from './Setting';

const minutes = [0, 5, 10, 15, 30, 60, 120, 1440];
const usualMorning = '08:00';

export function NotificationsPage() {
  const reminders = useApp(({ status }) => status?.reminders ?? null);
  const background = useApp(({ status }) => status?.background ?? null);
  const { setReminders, setBackground } = useActions();
  if (!reminders || !background) return null;
  const { events, morning } = reminders;
  const offered = events === null || minutes.includes(events) ? minutes : [...minutes, events].sort((a, b) => a - b);
  return (
    <section aria-label="Notifications" className="flex min-w-0 flex-1 flex-col">
      <header className="flex h-12 shrink-0 items-center border-b border-line px-4">
        <h1 className="text-body font-semibold">Notifications</h1>
      </header>
      <div className="min-h-0 flex-1 overflow-y-auto">
        <div className="max-w-180 px-4">
          <Setting
            name="When the window is closed"
            note="Keep running: reminders and routines go on. Start Nova again, or use its tray icon, to show the window."
          >
            <Segments
              label="When the window is closed"
              value={background.keep_running ? 'keep' : 'quit'}
              options={[
                { value: 'quit', label: 'Quit' },
                { value: 'keep', label: 'Keep running' },
              ]}
              onChange={(chosen) => void setBackground({ keep_running: chosen === 'keep' })}
            />
          </Setting>
          <Setting name="Events" note="Title, time and place, from all your calendars, while Nova runs.">
            <Select
              label="Events"
              value={events === null ? '' : String(events)}
              onChange={(chosen) => void setReminders({ events: chosen === '' ? null : Number(chosen) })}
              className="w-48"
            >
              <option value="">Never</option>
              {offered.map((before) => (
                <option key={before} value={before}>
                  {wordsOf(before)}
                </option>
              ))}
            </Select>
          </Setting>
          <Setting name="Morning" note="How much is on and due today, once a day, while Nova runs.">
            {morning !== null && (
              <input
                type="time"
                aria-label="Time of the morning notification"
                required
                value={morning}
                onChange={({ target }) => target.value !== '' && void setReminders({ morning: target.value.slice(0, 5) })}
                className="tabular h-6 rounded-control border border-line-control bg-surface-raised px-2 text-small"
              />
            )}
            <Switch
              checked={morning !== null}
              onChange={(on) => void setReminders({ morning: on ? usualMorning : null })}
              label="Morning notification"
              testId="morning-switch"
            />
          </Setting>
        </div>
      </div>
    </section>
  );
}

function wordsOf(minutes: number): string {
  if (minutes === 0) return 'When they begin';
  if (minutes === 1440) return '1 day before';
  if (minutes % 60 === 0) return `${minutes / 60} h before`;
  return `${minutes} min before`;
}
