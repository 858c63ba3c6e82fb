// Writes src-tauri/crates/nova-vault/src/tests/recurrence.tsv: what the plugin Tasks makes of a rule and a date.
//
// Rules are read and expanded by npm's rrule 2.8.1, which the plugin uses; around it stands what the plugin
// does with months and years of unequal length (its src/Task/Recurrence.ts), in UTC.
//
//   npm install --no-save rrule@2.8.1 && node .ci/oracles/tasks.mjs > src-tauri/crates/nova-vault/src/tests/recurrence.tsv
import { createRequire } from 'node:module';

const require = createRequire(`${process.cwd()}/`);
const { RRule } = require('rrule');

const DAY = 86_400_000;
const startOf = (day) => new Date(`${day}T00:00:00Z`);
const text = (date) => date.toISOString().slice(0, 10);
const months = (date) => date.getUTCFullYear() * 12 + date.getUTCMonth();

function next(rule, reference, today) {
  const match = rule.match(/^([a-zA-Z0-9, !]+?)( when done)?$/i);
  if (match === null) return 'unreadable';
  let options;
  try {
    options = RRule.parseText(match[1].trim());
  } catch {
    return 'unreadable';
  }
  if (options === null) return 'unreadable';
  const base = startOf(match[2] === undefined ? reference : today);
  const expand = (from, after) => new RRule({ ...options, dtstart: from }).after(after);
  const said = new RRule({ ...options, dtstart: base }).toText();
  let after = new Date(base.getTime() + DAY - 1);
  let found = expand(base, after);
  const earlier = (tooFar) => {
    while (found !== null && tooFar()) {
      after = startOf(text(new Date(after.getTime() - DAY)));
      found = expand(after, after);
    }
  };
  const month = said.match(/every( \d+)? month(s)?(.*)?/);
  if (month !== null && !said.includes(' on ')) {
    const step = Number.parseInt(month[1]?.trim() ?? '1', 10);
    earlier(() => months(found) - months(after) > step);
  }
  const year = said.match(/every( \d+)? year(s)?(.*)?/);
  if (year !== null) {
    const step = Number.parseInt(year[1]?.trim() ?? '1', 10);
    earlier(() => found.getUTCFullYear() - after.getUTCFullYear() > step);
  }
  return found === null ? 'over' : text(found);
}

const RULES = `
every day
every 3 days
every 10 days when done
every day when done
every weekday
every weekdays
every 2 weekdays
every week
every 2 weeks
every 2 weeks when done
every week on Sunday
every week on Tuesday, Friday
every 3 weeks on Friday
every 2 weeks on Monday and Thursday
every Sunday
every Mon, Wed and Fri
every tue
every Monday on the 1st
every month
every month when done
every 2 months
every 3 months
every 11 months
every 13 months
every month on the 1st
every month on the 31st
every month on the 15th and 30th
every month on the last
every month on the 2nd last
every month on the last Friday
every month on the 2nd last Friday
every month on the first Monday
every month on the third Tuesday when done
every month on Monday
every month on weekdays
every month in January
every 6 months on the 2nd Wednesday
every January
every January on the 15th
every January and July
every February on the last
every April and December on the 1st and 24th
every November on the 4th Thursday
every year
every 2 years
every year when done
every year on the 1st
every year on the last Friday
every year on January the 5th
every 2 years on the 31st
every year in week 20
every day at 5
every hour
every 36 hours
every 90 minutes
every month for 3 times
every day for 1 time
every week for 2 times
every week until January 1, 2027
every day until 1 March 2024
every month until December 31 2030
Every Week
EVERY MONTH ON THE LAST
every  week
every weekend
every other day
every second day
every week on
every month on the
every
week
jeden Tag
every day.
every two weeks
every week foo
every month on the 400th
every month on the 30th in February
!
`.trim().split('\n');

const DATES = ['2021-10-31', '2022-01-30', '2022-01-31', '2022-02-28', '2023-12-31', '2024-02-28', '2024-02-29', '2024-12-30', '2026-11-26', '2027-01-01'];

process.stdout.write('# rule\treference\ttoday\tnext; by .ci/oracles/tasks.mjs\n');
for (const rule of RULES) {
  for (const [at, date] of DATES.entries()) {
    const today = DATES[(at + 3) % DATES.length];
    process.stdout.write(`${rule}\t${date}\t${today}\t${next(rule, date, today)}\n`);
  }
}
