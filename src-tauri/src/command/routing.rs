//! Routing of requests to tools.

use nova_app::{App, Confusion, ConfusionKind};
use nova_protocol::{Commands as _, Nothing, SkillRef, SkillState, UserError};
use serde_json::json;

use super::lists::table;
use crate::print;

pub(super) async fn route(app: &App, text: &str, limit: u32, as_json: bool) -> Result<u8, UserError> {
    let ranked = app.route(text, limit).await?;
    let tools = app.list_tools(Nothing {}).await?;
    let rows = ranked.into_iter().map(|row| {
        let unfit = tools.iter().find(|tool| row.tool.as_ref() == Some(&tool.name));
        let unfit = unfit.filter(|tool| tool.state != SkillState::Available);
        (row, unfit.map(|tool| (tool.state, tool.reason.clone().unwrap_or_default())))
    });
    if as_json {
        let rows = rows.map(|(row, unfit)| {
            let (state, reason) = unfit.map_or((SkillState::Available, None), |(state, why)| (state, Some(why)));
            json!({"tool": row.tool, "skill": row.skill, "score": row.score, "state": state, "reason": reason})
        });
        print::json(&rows.collect::<Vec<_>>());
    } else if rows.len() == 0 {
        print::line("no tool matches");
    } else {
        let rows = rows.map(|(row, unfit)| {
            let reason = unfit.map(|(_, reason)| reason).unwrap_or_default();
            [format!("{:.2}", row.score), row.tool.unwrap_or(row.skill), reason]
        });
        table(["score", "tool", "remedy"], rows);
    }
    Ok(print::DONE)
}

pub(super) async fn test(app: &App, as_json: bool) -> Result<u8, UserError> {
    let confusions = app.test_routing().await?;
    if as_json {
        let rows = confusions.iter().map(|confusion| {
            json!({
                "skill": confusion.skill,
                "tool": confusion.tool,
                "kind": kind(confusion),
                "text": confusion.text,
                "won": winner(confusion),
                "missing": confusion.missing.iter().map(ToString::to_string).collect::<Vec<_>>(),
            })
        });
        print::json(&rows.collect::<Vec<_>>());
    } else {
        for confusion in &confusions {
            let went = winner(confusion).unwrap_or_else(|| "nowhere".into());
            let what = kind(confusion).replace('_', " ");
            print::line(&print::visible(&format!(
                "{}: \"{}\" ({what}) goes to {went}",
                confusion.skill, confusion.text
            )));
            for hint in &confusion.missing {
                print::line(&print::visible(&format!("    {hint}")));
            }
        }
        if confusions.is_empty() {
            print::line("every example finds its skill, and no near miss takes it");
        }
    }
    Ok(if confusions.is_empty() { print::DONE } else { print::FAILED })
}

/// Prints which requests would be misrouted; the user decides whether to continue.
pub(super) async fn warn_before_enabling(app: &App, skill: &str) -> Result<(), UserError> {
    for taken in app.taken_by_skill(SkillRef { skill: skill.to_owned() }).await? {
        print::note(&print::visible(&format!("\"{}\" of {} will go to {skill}.", taken.text, taken.skill)));
        for hint in &taken.missing {
            print::note(&print::visible(&format!("    {hint}")));
        }
    }
    Ok(())
}

fn kind(confusion: &Confusion) -> &'static str {
    match confusion.kind {
        ConfusionKind::Example => "example",
        ConfusionKind::NearMiss => "near_miss",
    }
}

fn winner(confusion: &Confusion) -> Option<String> {
    let won = confusion.won.as_ref()?;
    Some(match &won.tool {
        Some(tool) => format!("{}.{tool}", won.skill),
        None => won.skill.clone(),
    })
}
