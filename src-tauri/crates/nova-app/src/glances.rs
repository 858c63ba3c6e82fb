//! Glances: brief information of skills beside their names, on the start page of a chat, and on the day page.

use std::sync::Arc;
use std::time::Duration;

use nova_calls::NoApprover;
use nova_calls::today::{self, Ask};
use nova_protocol::{
    DayView, Glance, GlanceValue, GlanceView, GlanceWords, Nothing, PanelFormat, TodaySection, ToolResult,
    UserError,
};
use nova_skill::{Date, date_argument};
use nova_vault::ChangeSetKind;
use serde_json::Value;
use tokio_util::sync::CancellationToken;

use crate::app::App;
use crate::tool_runs::ToolRun;

/// Timeout; a slower tool is omitted this time.
const LIMIT: Duration = Duration::from_secs(3);

/// Timeout for the day page, which is requested explicitly.
const LIMIT_OF_DAY: Duration = Duration::from_secs(30);

impl App {
    /// One view per entry of each available skill, in order, with its current values.
    pub(crate) async fn list_glances(&self, _: Nothing) -> Result<Vec<GlanceView>, UserError> {
        let today = self.inner.options.clock.today();
        let asks = today::asks_of_glances(&self.inner.registry.snapshot(), today);
        let answers = self.ask_all(&asks, LIMIT).await;
        let mut views = Vec::new();
        for (ask, answer) in asks.iter().zip(&answers) {
            views.extend(ask.glances.iter().map(|glance| view(ask, glance, answer.as_ref(), today)));
        }
        views.extend(self.routines_at_a_glance(today).await);
        // Without a vault every section would report that; the window already does.
        if self.vault().is_err() {
            views.iter_mut().for_each(|view| view.today = None);
        }
        Ok(views)
    }

    /// The sections of the day page, by default for today.
    ///
    /// # Errors
    /// When there is no vault, or `day` is not a date `YYYY-MM-DD`.
    pub async fn today(&self, day: Option<&str>) -> Result<DayView, UserError> {
        let read = |day: &str| date_argument("date", day).map_err(UserError::from);
        let day = day.map_or_else(|| Ok(self.inner.options.clock.today()), read)?;
        self.day(day, |_| true).await
    }

    /// The sections of a day that may cause reminders.
    pub(crate) async fn reminded_of(&self, day: Date) -> Result<DayView, UserError> {
        self.day(day, |section| section.remind).await
    }

    async fn day(&self, day: Date, wanted: fn(&TodaySection) -> bool) -> Result<DayView, UserError> {
        self.vault()?;
        let mut asks = today::asks(&self.inner.registry.snapshot(), day);
        for ask in &mut asks {
            ask.glances.retain(|glance| glance.today.as_ref().is_some_and(wanted));
        }
        asks.retain(|ask| !ask.glances.is_empty());
        let answers = self.ask_all(&asks, LIMIT_OF_DAY).await;
        let mut sections = today::sections(
            asks.iter().zip(answers.iter().map(|answer| value_or_problem(answer.as_ref()))),
            day,
        );
        sections.extend(self.routines_of(day).await);
        Ok(DayView { date: day.to_string(), sections })
    }

    /// The results in order; `None` for a timeout.
    async fn ask_all(&self, asks: &[Ask], limit: Duration) -> Vec<Option<ToolResult>> {
        futures::future::join_all(asks.iter().map(|ask| self.ask(ask, limit))).await
    }

    async fn ask(&self, ask: &Ask, limit: Duration) -> Option<ToolResult> {
        let cancel = CancellationToken::new();
        let run = ToolRun {
            run: format!("glance-{}", self.inner.options.ids.next()),
            tool: ask.tool.clone(),
            args: ask.args.clone(),
            kind: ChangeSetKind::Form,
            approver: Arc::new(NoApprover),
            by_hand: false,
            cancel: cancel.clone(),
        };
        let answer = tokio::time::timeout(limit, self.run_silently(run)).await;
        cancel.cancel();
        answer.ok()
    }
}

fn view(ask: &Ask, glance: &Glance, answer: Option<&ToolResult>, day: Date) -> GlanceView {
    // Errors are shown where the user calls the tool: in the panel, in a chat, or in its section.
    let value = answer.and_then(|result| result.value.as_ref()).unwrap_or(&Value::Null);
    let said = |words: &[GlanceWords]| words.iter().flat_map(|words| said(value, words)).collect();
    let section = |declared| today::section(&ask.skill, declared, value_or_problem(answer), day);
    GlanceView {
        skill: ask.skill.id.clone(),
        name: ask.skill.name.clone(),
        icon: ask.skill.manifest.icon.clone(),
        late: answer.is_none(),
        ask: glance.ask.clone(),
        says: said(&glance.says),
        badge: said(&glance.badge),
        today: glance.today.as_ref().map(section),
    }
}

fn value_or_problem(answer: Option<&ToolResult>) -> Result<&Value, String> {
    let Some(answer) = answer else {
        return Err(today::problem("This took too long.", "Open a new chat to try again."));
    };
    match (&answer.value, &answer.error) {
        (Some(value), _) => Ok(value),
        (None, Some(error)) => Err(today::problem(&error.message, &error.hint)),
        (None, None) => Err(today::problem("The tool gave no answer.", "Open a new chat to try again.")),
    }
}

/// The non-empty values at the pointer; limited for answers in several currencies.
fn said(answer: &Value, words: &GlanceWords) -> Vec<GlanceValue> {
    const MOST: usize = 3;
    let Some((list, field)) = words.at.split_once("/*/") else {
        return said_at(answer, words, &words.at, "").into_iter().collect();
    };
    let of = answer.pointer(list).and_then(Value::as_array).map_or(0, Vec::len);
    let entries = (0..of).map(|at| (format!("{list}/{at}/{field}"), at.to_string()));
    entries.filter_map(|(at, entry)| said_at(answer, words, &at, &entry)).take(MOST).collect()
}

fn said_at(answer: &Value, words: &GlanceWords, at: &str, entry: &str) -> Option<GlanceValue> {
    let value = answer.pointer(at)?;
    let number = match value {
        Value::Null | Value::Bool(_) | Value::Object(_) => return None,
        Value::Array(list) if list.is_empty() => return None,
        Value::Array(_) => None,
        Value::String(text) if text.trim().is_empty() => return None,
        Value::String(_) if words.format == PanelFormat::Text => None,
        Value::String(text) => text.parse::<f64>().ok(),
        Value::Number(number) => number.as_f64(),
    };
    if number == Some(0.0) {
        return None;
    }
    let unit = words.unit.as_deref().map(|unit| unit.replace("/*/", &format!("/{entry}/")));
    let unit = unit.and_then(|unit| answer.pointer(&unit)).and_then(Value::as_str);
    let one = words.one.as_ref().filter(|_| number == Some(1.0));
    // Amounts are strings, so that no digit is lost.
    let without_sign = value.as_str().and_then(|text| text.strip_prefix('-'));
    let (value, words_behind) = match (&words.below, without_sign) {
        (Some(below), Some(amount)) => (amount.into(), below),
        _ => (value.clone(), one.unwrap_or(&words.many)),
    };
    Some(GlanceValue {
        value,
        format: words.format,
        unit: unit.unwrap_or_default().to_owned(),
        words: words_behind.clone(),
    })
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[track_caller]
    fn check(words: Value, expected: Option<(Value, &str, &str)>) {
        check_all(words, &expected.into_iter().collect::<Vec<_>>());
    }

    #[track_caller]
    fn check_all(words: Value, expected: &[(Value, &str, &str)]) {
        let answer = json!({
            "overdue": 2, "late": 1, "none": 0, "left": "719.55", "zero": "0.00", "currency": "EUR",
            "prices": "2 of 6 prices are old", "all_fresh": "", "several": [{"amount": "5", "currency": "USD"}], "nothing": [],
            "over": "-1204.00",
            "others": [{"left": "0.00", "currency": "CHF"}, {"left": "12", "currency": "USD"}, {"left": "-3", "currency": "JPY"}],
        });
        let words: GlanceWords = serde_json::from_value(words).expect("an entry's text");
        let said = said(&answer, &words);
        let found: Vec<_> =
            said.iter().map(|said| (said.value.clone(), said.unit.as_str(), said.words.as_str())).collect();
        assert_eq!(found, expected, "{words:?}");
    }

    #[test]
    fn number_is_shown_with_its_words_unless_zero() {
        check(json!({"at": "/overdue", "many": "overdue"}), Some((json!(2), "", "overdue")));
        check(json!({"at": "/late", "one": "person", "many": "people"}), Some((json!(1), "", "person")));
        check(json!({"at": "/late", "many": "overdue"}), Some((json!(1), "", "overdue")));
        check(json!({"at": "/none", "many": "overdue"}), None);
        check(json!({"at": "/not/there", "many": "overdue"}), None);
    }

    #[test]
    fn amount_has_its_currency_and_text_is_verbatim() {
        let left = json!({"at": "/left", "format": "money", "unit": "/currency", "many": "left"});
        check(left, Some((json!("719.55"), "EUR", "left")));
        check(json!({"at": "/zero", "format": "money", "unit": "/currency", "many": "left"}), None);
        let several = json!([{"amount": "5", "currency": "USD"}]);
        check(json!({"at": "/several", "format": "money"}), Some((several, "", "")));
        check(json!({"at": "/nothing", "format": "money"}), None);
        check(json!({"at": "/prices"}), Some((json!("2 of 6 prices are old"), "", "")));
        check(json!({"at": "/all_fresh"}), None);
    }

    #[test]
    fn negative_amount_has_its_own_words_and_no_sign() {
        let left = json!({"at": "/over", "format": "money", "unit": "/currency", "many": "left", "below": "overspent"});
        check(left, Some((json!("1204.00"), "EUR", "overspent")));
        let left = json!({"at": "/over", "format": "money", "unit": "/currency", "many": "left"});
        check(left, Some((json!("-1204.00"), "EUR", "left")));
    }

    #[test]
    fn list_shows_each_non_empty_entry() {
        let left = json!({
            "at": "/others/*/left", "format": "money", "unit": "/others/*/currency", "many": "left", "below": "overspent",
        });
        check_all(left, &[(json!("12"), "USD", "left"), (json!("3"), "JPY", "overspent")]);
        check(json!({"at": "/nothing/*/left", "many": "left"}), None);
        check(json!({"at": "/left/*/left", "many": "left"}), None);
    }

    #[test]
    fn entry_without_a_place_is_an_error() {
        let problem = Glance::read(&json!([{"tool": "follow_ups"}])).expect_err("not shown anywhere");
        assert_eq!(problem, "the entry of `follow_ups` has neither `ask` nor `badge` nor `today`");
    }
}
