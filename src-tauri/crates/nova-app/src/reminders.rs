//! Notifications for upcoming events, and a summary of the day in the morning.

use std::time::Duration;

use jiff::civil::{Date, DateTime};
use jiff::tz::TimeZone;
use jiff::{SignedDuration, Timestamp, ToSpan as _};
use nova_protocol::{DayView, RequestedPage, TodayRow, UserError};

use crate::App;
use crate::config::RemindersConfig;

/// Polling interval.
const PAUSE: Duration = Duration::from_secs(20);
/// Events that began longer ago are not announced, for example after the machine was asleep.
const LATE: SignedDuration = SignedDuration::from_mins(5);
/// Maximum number of notifications per poll.
const MOST: usize = 5;

#[derive(Debug, Clone, PartialEq, Eq)]
struct Notice {
    title: String,
    text: String,
}

impl App {
    /// Sends reminders for as long as Nova runs.
    pub(crate) fn remind(&self) {
        let app = self.clone();
        tokio::spawn(async move {
            let mut since = app.inner.options.clock.now();
            loop {
                tokio::time::sleep(PAUSE).await;
                since = app.remind_since(since).await;
            }
        });
    }

    /// Sends the reminders that became due after `since`, as configured. Returns the time up to which all are
    /// sent: `since` if the day could not be read.
    pub async fn remind_since(&self, since: Timestamp) -> Timestamp {
        let RemindersConfig { events, morning } = {
            let settings = self.inner.settings.read().unwrap_or_else(std::sync::PoisonError::into_inner);
            settings.config.reminders.clone()
        };
        let clock = &self.inner.options.clock;
        let (now, zone) = (clock.now(), clock.zone());
        let passed = Passed { since, now, zone };
        let mut notices = Vec::new();
        if let Some(time) = morning.filter(|time| passed.includes(passed.today().to_datetime(*time))) {
            tracing::debug!(%time, "summarizing the day");
            match self.today(None).await {
                Ok(day) => notices.extend(summary(&day)),
                Err(error) => return put_off(&error, since),
            }
        }
        if let Some(minutes) = events {
            let before = SignedDuration::from_mins(minutes.into());
            for day in passed.days(before) {
                match self.reminded_of(day).await {
                    Ok(view) => notices.extend(begins(&view, day, &passed, before)),
                    Err(error) => return put_off(&error, since),
                }
            }
        }
        for Notice { title, text } in &notices {
            self.inner.options.desktop.notify(title, text, RequestedPage::Today {});
        }
        now
    }
}

fn put_off(error: &UserError, since: Timestamp) -> Timestamp {
    tracing::debug!(%error, "cannot collect reminders");
    since
}

/// The interval between two polls, in the user's local time.
struct Passed {
    since: Timestamp,
    now: Timestamp,
    zone: TimeZone,
}

impl Passed {
    fn today(&self) -> Date {
        self.now.to_zoned(self.zone.clone()).date()
    }

    fn instant(&self, at: DateTime) -> Option<Timestamp> {
        Some(at.to_zoned(self.zone.clone()).ok()?.timestamp())
    }

    fn includes(&self, at: DateTime) -> bool {
        self.instant(at).is_some_and(|at| self.since < at && at <= self.now)
    }

    /// The days whose events may become due: today, and tomorrow close to midnight.
    fn days(&self, before: SignedDuration) -> Vec<Date> {
        let today = self.today();
        let last = self.now.saturating_add(before).map_or(today, |at| at.to_zoned(self.zone.clone()).date());
        std::iter::successors(Some(today), |day| day.checked_add(1.day()).ok())
            .take_while(|day| *day <= last)
            .collect()
    }
}

/// One notice per event that is about to begin.
fn begins(view: &DayView, day: Date, passed: &Passed, before: SignedDuration) -> Vec<Notice> {
    let rows = view.sections.iter().flat_map(|section| &section.rows);
    let due = rows.filter(|row| {
        let at = row.at.parse::<DateTime>().ok().filter(|at| row.at.contains('T') && at.date() == day);
        let Some(at) = at.and_then(|at| passed.instant(at)) else { return false };
        let due = at.checked_sub(before).unwrap_or(at);
        passed.since < due && due <= passed.now && passed.now.duration_since(at) < LATE
    });
    let mut notices: Vec<Notice> = due.map(notice).collect();
    if let Some(more) = notices.len().checked_sub(MOST).filter(|more| *more > 0) {
        notices.truncate(MOST);
        notices.push(Notice { title: format!("{more} more events begin"), text: String::new() });
    }
    notices
}

fn notice(row: &TodayRow) -> Notice {
    let time = |at: &str| at.split_once('T').map(|(_, time)| time.to_owned());
    let same_day = row.until.get(..10) == row.at.get(..10);
    let until = time(&row.until).filter(|_| same_day && row.until != row.at);
    let when = match (time(&row.at).unwrap_or_default(), until) {
        (from, Some(until)) => format!("{from} to {until}"),
        (from, None) => from,
    };
    let text = if row.detail.is_empty() { when } else { format!("{when}, {}", row.detail) };
    Notice { title: row.text.clone(), text }
}

/// The numbers of today's events and due items; `None` on an empty day.
fn summary(day: &DayView) -> Option<Notice> {
    let counted = day.sections.iter().filter(|section| !section.rows.is_empty()).map(|section| {
        let overdue = match section.overdue {
            0 => String::new(),
            overdue => format!(" ({overdue} overdue)"),
        };
        format!("{}: {}{overdue}", section.title, section.rows.len())
    });
    let text = counted.collect::<Vec<_>>().join("\n");
    (!text.is_empty()).then(|| Notice { title: "Today".into(), text })
}
