// Validates and fixes `YYYY-MM-DD` dates, and offers shortcuts for a field. Never reads the clock.

interface Wrong {
  message: string;
  fix?: { label: string; draft: string };
}

export const MONTHS = [
  'January',
  'February',
  'March',
  'April',
  'May',
  'June',
  'July',
  'August',
  'September',
  'October',
  'November',
  'December',
];

export function checkDate(text: string): Wrong | null {
  const typed = text.trim();
  const iso = /^(\d{4})-(\d{2})-(\d{2})$/.exec(typed);
  if (iso === null) {
    const meant = otherSpelling(typed);
    return meant === null
      ? { message: 'Write the date as 2026-11-30' }
      : { message: 'Write the year first.', fix: fixTo(meant) };
  }
  const [year, month, day] = [Number(iso[1]), Number(iso[2]), Number(iso[3])];
  if (month < 1 || month > 12) return { message: `There is no month ${month}` };
  const days = daysIn(year, month);
  if (day < 1) return { message: 'There is no day 0.', fix: fixTo(dateText(year, month, 1)) };
  if (day > days) {
    const when = month === 2 ? `February ${year}` : MONTHS[month - 1];
    return { message: `${when} has ${days} days.`, fix: fixTo(dateText(year, month, days)) };
  }
  return null;
}

/** Useful dates for a field, by its name. */
export function dateShortcuts(key: string, today: string): { label: string; date: string }[] {
  if (checkDate(today) !== null) return [];
  const year = Number(today.slice(0, 4));
  const month = Number(today.slice(5, 7));
  if (/^(from|start|since|after)/.test(key)) {
    const [lastYear, lastMonth] = month === 1 ? [year - 1, 12] : [year, month - 1];
    return [
      { label: 'This month', date: dateText(year, month, 1) },
      { label: 'Last month', date: dateText(lastYear, lastMonth, 1) },
      { label: 'This year', date: dateText(year, 1, 1) },
    ];
  }
  if (/^(to|until|end|before|close|due|next)/.test(key)) {
    return [
      { label: 'Today', date: today },
      { label: 'In a week', date: addDays(today, 7) },
      { label: 'End of month', date: dateText(year, month, daysIn(year, month)) },
    ];
  }
  return [
    { label: 'Today', date: today },
    { label: 'Yesterday', date: addDays(today, -1) },
  ];
}

export function addDays(date: string, days: number): string {
  const time = Date.UTC(Number(date.slice(0, 4)), Number(date.slice(5, 7)) - 1, Number(date.slice(8, 10)) + days);
  return new Date(time).toISOString().slice(0, 10);
}

/** "20.11.2026", "2026/11/5", "20 Nov 2026" → `YYYY-MM-DD`; `null` if ambiguous. */
export function otherSpelling(text: string): string | null {
  const yearFirst = /^(\d{4})[-./ ](\d{1,2})[-./ ](\d{1,2})$/.exec(text);
  if (yearFirst) return real(Number(yearFirst[1]), Number(yearFirst[2]), Number(yearFirst[3]));
  const dotted = /^(\d{1,2})\.\s?(\d{1,2})\.\s?(\d{4})$/.exec(text);
  if (dotted) return real(Number(dotted[3]), Number(dotted[2]), Number(dotted[1]));
  const named = /^(\d{1,2})\.? ([A-Za-z]{3,9})\.? (\d{4})$/.exec(text);
  if (named) {
    const month = MONTHS.findIndex((name) => name.toLowerCase().startsWith((named[2] ?? '').toLowerCase()));
    return real(Number(named[3]), month + 1, Number(named[1]));
  }
  return null;
}

function real(year: number, month: number, day: number): string | null {
  if (month < 1 || month > 12 || day < 1 || day > daysIn(year, month)) return null;
  return dateText(year, month, day);
}

export function daysIn(year: number, month: number): number {
  return new Date(Date.UTC(year, month, 0)).getUTCDate();
}

export function dateText(year: number, month: number, day: number): string {
  return `${String(year).padStart(4, '0')}-${String(month).padStart(2, '0')}-${String(day).padStart(2, '0')}`;
}

function fixTo(draft: string) {
  return { label: `Use ${draft}`, draft };
}
