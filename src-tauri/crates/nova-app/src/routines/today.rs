//! The routine runs of a day, as a section of the day page.

use nova_protocol::{GlanceView, PanelFormat, RoutineEnd, RoutineRow, TodayRow, TodaySide, TodayView};
use nova_skill::Date;

use super::SKILL;
use crate::app::App;

/// After the sections of skills.
const ORDER: u32 = 100;

impl App {
    /// The runs started on the day; `None` if there are none, or they are unreadable, which the routines page
    /// reports.
    pub(crate) async fn routines_of(&self, day: Date) -> Option<TodayView> {
        let rows = self.list_routines(nova_protocol::Nothing {}).await.ok()?;
        let mut rows: Vec<TodayRow> = rows.iter().filter_map(|row| self.routine_line(row, day)).collect();
        rows.sort_by(|one, other| one.at.cmp(&other.at));
        (!rows.is_empty()).then(|| TodayView {
            title: "Routines".into(),
            skill: SKILL.into(),
            icon: Some("clock".into()),
            side: TodaySide::Right,
            order: ORDER,
            rows,
            overdue: 0,
            total: Vec::new(),
            fetched: Vec::new(),
            panel: false,
            problem: None,
        })
    }

    /// The same as a glance, beside those of skills.
    pub(crate) async fn routines_at_a_glance(&self, today: Date) -> Option<GlanceView> {
        let view = self.routines_of(today).await?;
        Some(GlanceView {
            skill: SKILL.into(),
            name: view.title.clone(),
            icon: view.icon.clone(),
            late: false,
            ask: None,
            says: Vec::new(),
            badge: Vec::new(),
            today: Some(view),
        })
    }

    fn routine_line(&self, row: &RoutineRow, day: Date) -> Option<TodayRow> {
        let last = row.last.as_ref()?;
        let started: jiff::Timestamp = last.started.parse().ok()?;
        let started = started.to_zoned(self.inner.options.clock.zone());
        (started.date() == day).then(|| TodayRow {
            text: row.name.clone(),
            detail: match last.end {
                RoutineEnd::Running => "running".into(),
                RoutineEnd::Waiting => format!("waits for your answer: {}", last.said),
                RoutineEnd::Completed => last.said.clone(),
                RoutineEnd::Failed => format!("failed: {}", last.said),
                RoutineEnd::Stopped => format!("stopped. {}", last.said).trim().to_owned(),
                RoutineEnd::CutOff => "cut off, Nova ended during this run".into(),
            },
            path: Some(row.path.clone()),
            at: started.strftime("%FT%H:%M").to_string(),
            until: String::new(),
            overdue: false,
            value: String::new(),
            format: PanelFormat::default(),
            unit: String::new(),
            mark: String::new(),
            tick: None,
        })
    }
}
