// The day's page, with the sections of the built-in skills.
import type { GlanceView, TodayRow, TodayView } from '../../ipc';

type Given = Partial<TodayRow> & { text: string };

function day(today: Partial<TodayView> & { title: string; skill: string; rows?: never }, rows: readonly Given[]): GlanceView {
  const bare: TodayRow = { text: '', detail: '', path: null, at: '', until: '', overdue: false, value: '', format: 'text', unit: '', mark: '', tick: null };
  const view = { icon: null, side: 'left' as const, order: 1, overdue: 0, total: [], fetched: [], panel: false, problem: null, ...today };
  return { skill: view.skill, name: view.skill, icon: view.icon, late: false, ask: null, says: [], badge: [], today: { ...view, rows: rows.map((row) => ({ ...bare, ...row })) } };
}

/** `now` is the day of the sections. */
export function sampleToday(now: Date): GlanceView[] {
  const on = (days: number, time = '') => {
    const date = new Date(now.getFullYear(), now.getMonth(), now.getDate() + days, 12);
    return date.toISOString().slice(0, 10) + time;
  };
  const task = (text: string, path: string, days: number): Given => ({
    text,
    path,
    at: on(days),
    overdue: days < 0,
    tick: { tool: 'vault.complete_task', args: { path, text, line: 3 } },
  });
  return [
    day({ title: 'Events', skill: 'calendar', icon: 'calendar', panel: true }, [
      { text: 'Quarter close', at: on(0), until: on(2), mark: 'Work', path: 'Events/Quarter close.md' },
      { text: 'Fernhill revised quote', at: on(0, 'T22:30'), until: on(0, 'T23:15'), mark: 'Work' },
    ]),
    day({ title: 'Tasks', skill: 'vault', icon: 'task', order: 2 }, [
      task('Send the revised quote', 'Projects/Fernhill revised quote.md', -6),
      task('Call the site manager', 'Projects/Brightwater line 2.md', -4),
      task('Sign the lease renewal', 'Office.md', 0),
    ]),
    day({ title: 'Birthdays', skill: 'crm', icon: 'sun', order: 3 }, [{ text: 'Odile Farrow', detail: 'Pinecrest Clinics', path: 'CRM/People/Odile Farrow.md', at: on(0) }]),
    day({ title: 'Follow-ups', skill: 'crm', icon: 'people', side: 'right', panel: true }, [
      { text: 'Ilse Brandvik', detail: 'Fernhill Dairy, revised quote', path: 'CRM/People/Ilse Brandvik.md', at: on(-6), overdue: true },
      { text: 'Jane Doe', detail: 'Quillon Labs, renewal terms', path: 'CRM/People/Jane Doe.md', at: on(1) },
    ]),
    day({ title: 'Bills, next 14 days', skill: 'budget', icon: 'wallet', side: 'right', order: 2, total: [{ value: '884.60', unit: 'EUR' }] }, [
      { text: 'Electricity', path: 'Budget/Electricity.md', at: on(3), value: '64.60', unit: 'EUR', format: 'money' },
      { text: 'Office rent', detail: 'monthly', path: 'Budget/Rent.md', at: on(8), value: '820.00', unit: 'EUR', format: 'money' },
    ]),
    day({ title: 'Watchlist', skill: 'portfolio', icon: 'chart', side: 'right', order: 3, problem: 'A rule denies portfolio.watchlist. Change it in Settings, Permissions.' }, []),
  ];
}
