//! What skills say without being asked: beside their names, and where a new chat begins.

use std::sync::Arc;
use std::time::Duration;

use nova_calls::NoApprover;
use nova_protocol::{Effect, Glance, GlanceValue, GlanceView, GlanceWords, PanelFormat};
use nova_registry::SkillEntry;
use nova_vault::ChangeSetKind;
use serde_json::Value;
use tokio_util::sync::CancellationToken;

use crate::app::App;
use crate::tool_runs::ToolRun;

/// Nobody waits for what is said beside: a tool that takes longer is left out this time.
const LIMIT: Duration = Duration::from_secs(3);

impl App {
    /// One for each entry of each available skill, in the order of the skills, with what it says now.
    pub(crate) async fn glances(&self) -> Vec<GlanceView> {
        let snapshot = self.inner.registry.snapshot();
        let declared: Vec<(Arc<SkillEntry>, Glance)> = snapshot
            .available()
            // What a skill from elsewhere says about itself does not make it run.
            .filter(|skill| !skill.foreign)
            .flat_map(|skill| declared(skill).into_iter().map(|one| (skill.clone(), one)))
            .collect();
        let read = declared.iter().map(|(skill, glance)| self.glance(skill, glance));
        futures::future::join_all(read).await
    }

    async fn glance(&self, skill: &SkillEntry, glance: &Glance) -> GlanceView {
        let cancel = CancellationToken::new();
        let run = ToolRun {
            run: format!("glance-{}", self.inner.options.ids.next()),
            tool: nova_registry::shown_name(&skill.id, &glance.tool),
            args: Value::Object(glance.args.clone()),
            kind: ChangeSetKind::Form,
            approver: Arc::new(NoApprover),
            by_hand: false,
            cancel: cancel.clone(),
        };
        let answer = tokio::time::timeout(LIMIT, self.run_unheard(run)).await;
        cancel.cancel();
        // Why it has none is told where the tool is asked for by somebody: in the panel, or in a chat.
        let value = answer.ok().and_then(|result| result.value).unwrap_or_default();
        let said = |words: &[GlanceWords]| words.iter().filter_map(|words| said(&value, words)).collect();
        GlanceView {
            skill: skill.id.clone(),
            name: skill.name.clone(),
            icon: skill.manifest.icon.clone(),
            ask: glance.ask.clone(),
            says: said(&glance.says),
            badge: said(&glance.badge),
        }
    }
}

/// What a skill declares and may be asked by itself. A wrong declaration says nothing; the skill works
/// without it.
fn declared(skill: &SkillEntry) -> Vec<Glance> {
    let Some(declared) = &skill.manifest.glance else { return Vec::new() };
    match Glance::read(declared) {
        Ok(glances) => glances.into_iter().filter(|glance| only_reads(skill, glance)).collect(),
        Err(problem) => {
            tracing::warn!("{}, manifest.yaml, glance: {problem}", skill.id);
            Vec::new()
        }
    }
}

fn only_reads(skill: &SkillEntry, glance: &Glance) -> bool {
    let tool = skill.tools.iter().find(|tool| tool.id == glance.tool);
    tool.is_some_and(|tool| nova_calls::effect_view(tool.effect()) == Effect::Read)
}

/// The value that the words point to, where it is something.
fn said(answer: &Value, words: &GlanceWords) -> Option<GlanceValue> {
    let value = answer.pointer(&words.at)?;
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
    let unit = words.unit.as_deref().and_then(|unit| answer.pointer(unit)).and_then(Value::as_str);
    let one = words.one.as_ref().filter(|_| number == Some(1.0));
    Some(GlanceValue {
        value: value.clone(),
        format: words.format,
        unit: unit.unwrap_or_default().to_owned(),
        words: one.unwrap_or(&words.many).clone(),
    })
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[track_caller]
    fn check(words: Value, expected: Option<(Value, &str, &str)>) {
        let answer = json!({
            "overdue": 2, "late": 1, "none": 0, "left": "719.55", "zero": "0.00", "currency": "EUR",
            "prices": "2 of 6 prices are old", "all_fresh": "", "several": [{"amount": "5", "currency": "USD"}], "nothing": [],
        });
        let words: GlanceWords = serde_json::from_value(words).unwrap();
        let found = said(&answer, &words).map(|said| (said.value, said.unit, said.words));
        let expected = expected.map(|(value, unit, words)| (value, unit.to_owned(), words.to_owned()));
        assert_eq!(found, expected, "{words:?}");
    }

    #[test]
    fn a_number_is_said_with_its_words_and_nothing_is_not_said() {
        check(json!({"at": "/overdue", "many": "overdue"}), Some((json!(2), "", "overdue")));
        check(json!({"at": "/late", "one": "person", "many": "people"}), Some((json!(1), "", "person")));
        check(json!({"at": "/late", "many": "overdue"}), Some((json!(1), "", "overdue")));
        check(json!({"at": "/none", "many": "overdue"}), None);
        check(json!({"at": "/not/there", "many": "overdue"}), None);
    }

    #[test]
    fn an_amount_has_its_currency_and_a_text_stands_as_it_is() {
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
    fn an_entry_that_would_be_shown_nowhere_is_wrong() {
        let problem = Glance::read(&json!([{"tool": "follow_ups"}])).unwrap_err();
        assert_eq!(problem, "the entry of `follow_ups` has neither `ask` nor `badge`");
    }
}
