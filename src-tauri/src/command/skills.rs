//! Third-party skills, and checks of skill folders.

use std::io::IsTerminal as _;
use std::path::Path;

use nova_app::{App, SkillFinding};
use nova_protocol::{
    AcceptSkill, Commands as _, Confidence, FieldProposal, FileChange, ReviewState, SetSkill, SkillRef,
    SkillReview, SkillRow, SkillState, UnreadableField, UserError,
};
use serde_json::json;

use super::lists;
use crate::print::{self, line, visible};

/// One line about the change of a skill, and why it is still unavailable, if it is.
pub(super) fn changed(app: &App, rows: &[SkillRow], id: &str, what: &str) {
    let snapshot = app.registry().snapshot();
    let id = snapshot.listed(id).map_or(id, |skill| &skill.id);
    let row = rows.iter().find(|row| row.id == id);
    let not_ready = row.filter(|row| !matches!(row.state, SkillState::Available | SkillState::Disabled));
    let why =
        not_ready.and_then(|row| row.reason.as_deref()).map(|why| format!(", and cannot run now: {why}"));
    line(&visible(&format!("{id} {what}{}", why.unwrap_or_default())).replace('\n', " "));
}

pub(super) async fn review(
    app: &App,
    id: &str,
    accept: bool,
    fingerprint: Option<&str>,
    json: bool,
) -> Result<u8, UserError> {
    let review = app.review_skill(SkillRef { skill: id.to_owned() }).await?;
    if !json {
        print_review(&review);
    }
    if accept {
        super::routing::warn_before_enabling(app, &review.skill).await?;
        let fingerprint = fingerprint.unwrap_or(&review.fingerprint).to_owned();
        app.accept_skill(AcceptSkill { skill: review.skill.clone(), fingerprint }).await?;
        if json {
            print::json(&json!({"ok": true, "skill": review.skill, "fingerprint": review.fingerprint}));
        } else {
            line(&visible(&format!("{} is accepted in its current state and enabled", review.skill)));
        }
    } else if json {
        print::json(&review);
    }
    Ok(print::DONE)
}

/// Notes that could be records of the skill; `apply` makes them records.
pub(super) async fn fields(app: &App, id: &str, apply: bool, json: bool) -> Result<u8, UserError> {
    let proposal = app.propose_fields(SkillRef { skill: id.to_owned() }).await?;
    let something = !proposal.types.is_empty();
    if !json {
        print_fields(&proposal);
    }
    if apply && something {
        let config = Some(proposal.config.clone());
        app.set_skill(SetSkill { skill: proposal.skill.clone(), config, ..SetSkill::default() }).await?;
    }
    if json {
        let mut printed = serde_json::to_value(&proposal).unwrap_or_default();
        printed["applied"] = json!(apply && something);
        print::json(&printed);
    } else if apply && something {
        line(&visible(&format!("{} now uses these names", proposal.skill)));
    } else if something {
        line(&visible(&format!(
            "Nothing was changed. To use these names: nova skill fields {} --apply",
            proposal.skill
        )));
    }
    Ok(print::DONE)
}

/// A template file: an empty record, or a table of all of them.
pub(super) fn template(
    app: &App,
    id: &str,
    record_type: &str,
    base: bool,
    json: bool,
) -> Result<u8, UserError> {
    let text = if base { app.record_base(id, record_type)? } else { app.record_template(id, record_type)? };
    if json {
        print::json(&json!({"skill": id, "type": record_type, "text": text}));
    } else if std::io::stdout().is_terminal() {
        print::part(&visible(&text));
    } else {
        // May be redirected to a file.
        print::part(&text);
    }
    Ok(print::DONE)
}

fn print_fields(proposal: &FieldProposal) {
    if proposal.types.is_empty() {
        line(&visible(&format!(
            "Nothing to propose: no other notes look like records of {}.",
            proposal.skill
        )));
    }
    for found in &proposal.types {
        line(&visible(&found.summary));
        for path in &found.examples {
            line(&visible(&format!("    {path}")));
        }
        let rules = found.rules.iter().map(|rule| {
            let how = match (rule.confidence, rule.used) {
                (Confidence::Sure, true) => "sure",
                (Confidence::Likely, true) => "likely",
                _ => "not used",
            };
            [
                rule.rule.clone(),
                rule.notes.to_string(),
                rule.more.to_string(),
                how.into(),
                rule.reason.clone(),
            ]
        });
        table_of(["recognised by", "notes", "more", "", "because"], rules);
        let fields = found.fields.iter().map(|field| {
            let examples = field.examples.join(", ");
            [&field.field, &field.property, &field.notes.to_string(), &examples, &field.because]
                .map(Clone::clone)
        });
        table_of(["field", "property", "notes", "such as", "because"], fields);
        let left_out = found.left_out.iter().map(|left| [left.what.clone(), left.notes.to_string()]);
        table_of(["left out: notes with", "notes"], left_out);
        let odd = found.not_understood.iter().map(|odd| {
            let examples = odd.examples.join(", ");
            [odd.property.clone(), odd.notes.to_string(), odd.needs.clone(), examples, odd.field.clone()]
        });
        table_of(["not understood", "notes", "needed", "such as", "stays empty"], odd);
        for lacking in &found.unreadable {
            let UnreadableField { field, notes, needs, example, .. } = lacking;
            let instead = example.as_ref().map(|said| format!(", but \"{said}\"")).unwrap_or_default();
            line(&visible(&format!(
                "  {field}: {notes} of {} notes do not have {needs}{instead}; they stay unreadable",
                found.notes
            )));
        }
    }
}

fn print_review(review: &SkillReview) {
    let state = match review.state {
        ReviewState::New => "not accepted",
        ReviewState::Changed => "changed since you accepted it",
        ReviewState::Agreed => "accepted",
    };
    line(&visible(&format!("{}: {state}", review.skill)));
    line(&visible(&format!("  {}", review.description)));
    line(&visible(&format!("  folder: {}", review.folder)));
    line(&format!("  fingerprint: {}", review.fingerprint));
    line("  files:");
    for file in &review.files {
        let change = match file.change {
            None => "",
            Some(FileChange::Added) => " (new)",
            Some(FileChange::Changed) => " (changed)",
        };
        line(&visible(&format!("    {} {} bytes{change}", file.path, file.bytes)));
    }
    for path in &review.removed {
        line(&visible(&format!("    {path} (removed)")));
    }
    for tool in &review.tools {
        match (&tool.definition, &tool.problem) {
            (Some(defined), _) => {
                line(&visible(&format!("  tool {}.{}: {}", review.skill, defined.tool, defined.description)));
                line(&format!("    declares: {}; each call asks", lists::word(&defined.effect)));
            }
            (None, problem) => {
                let why = problem.as_ref().map(|problem| problem.message.clone()).unwrap_or_default();
                line(&visible(&format!("  tool file {}: broken: {why}", tool.file)));
            }
        }
    }
    let list = |words: &[String]| if words.is_empty() { "none".to_owned() } else { words.join(", ") };
    line(&visible(&format!("  hosts: {}", list(&review.hosts))));
    line(&visible(&format!("  credentials: {}", list(&review.credentials))));
    if !review.env.is_empty() {
        line(&visible(&format!(
            "  values it needs, taken from Nova's environment if set: {}",
            list(&review.env)
        )));
    }
    if let Some(allowed) = &review.allowed_tools {
        line(&visible(&format!("  wants to use without asking, not granted: {allowed}")));
    }
    line("  instructions:");
    for text in review.instructions.lines() {
        line(&format!("    {}", visible(text)));
    }
    if review.state != ReviewState::Agreed {
        line(&visible(&format!("nova skill review {} --accept accepts and enables it", review.skill)));
    }
}

pub(super) async fn check(app: &App, path: &Path, json: bool) -> Result<u8, UserError> {
    let findings = app.check_skill(path).await?;
    if json {
        print::json(&findings);
    } else {
        for SkillFinding { severity, file, line: at, message } in &findings {
            let at = at.map(|at| format!(":{at}")).unwrap_or_default();
            line(&visible(&format!("{severity}: {file}{at}: {message}")));
        }
        if findings.is_empty() {
            line("no problems found");
        }
    }
    let is_broken = findings.iter().any(|finding| finding.severity == "error");
    Ok(if is_broken { print::FAILED } else { print::DONE })
}

/// An indented table; nothing without rows.
fn table_of<const N: usize>(head: [&str; N], rows: impl ExactSizeIterator<Item = [String; N]>) {
    if rows.len() > 0 {
        line("");
        lists::table(head, rows);
    }
}
