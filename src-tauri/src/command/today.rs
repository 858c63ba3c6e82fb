//! Events and due items of a day.

use nova_app::App;
use nova_protocol::{TodayRow, TodayView, UserError};

use crate::print::{self, line, one_line};

pub(super) async fn run(app: &App, date: Option<&str>, json: bool) -> Result<u8, UserError> {
    let day = app.today(date).await?;
    if json {
        print::json(&day);
        return Ok(print::DONE);
    }
    if day.sections.is_empty() {
        line(&format!("nothing is due on {}", day.date));
    }
    for (at, section) in day.sections.iter().enumerate() {
        if at > 0 {
            line("");
        }
        show(section, &day.date);
    }
    Ok(print::DONE)
}

fn show(section: &TodayView, day: &str) {
    let overdue = match section.overdue {
        0 => String::new(),
        overdue => format!(", {overdue} overdue"),
    };
    if let Some(problem) = &section.problem {
        line(&one_line(&format!("{}: {problem}", section.title)));
        return;
    }
    let total: Vec<String> =
        section.total.iter().map(|sum| format!("{} {}", sum.value, sum.unit).trim().to_owned()).collect();
    let total = if total.is_empty() { String::new() } else { format!(", {}", total.join(" + ")) };
    line(&one_line(&format!("{} ({}{overdue}{total})", section.title, section.rows.len())));
    for row in &section.rows {
        line(&one_line(&format!("  {}", text(row, day))));
    }
    for fetched in &section.fetched {
        line(&one_line(&format!("  {} as of {}", fetched.name, fetched.at)));
    }
}

/// "2026-11-17  Send the quote, Fernhill Dairy", "15:30       Dentist" on the day itself.
fn text(row: &TodayRow, day: &str) -> String {
    let time = row.at.strip_prefix(day).and_then(|time| time.strip_prefix('T'));
    let when = time.unwrap_or(&row.at);
    let amount = format!("{} {}", row.value, row.unit);
    let parts = [row.text.as_str(), &row.detail, amount.trim()];
    let said: Vec<&str> = parts.into_iter().filter(|part| !part.is_empty()).collect();
    let late = if row.overdue { " (overdue)" } else { "" };
    format!("{when:<10}  {}{late}", said.join(", "))
}
