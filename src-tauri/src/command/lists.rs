//! Human-readable output of commands.

use nova_app::{Branches, Links, QueryRow, SearchHit, is_same_model};
use nova_protocol::{
    ChangeSetView, Event, NoteChangeView, PassedOn, PendingToolRow, ProblemView, ProviderRow, SessionRow,
    SessionView, SkillRow, ToolRow, UndoResult,
};
use serde::Serialize;
use serde_json::{Value, json};

use crate::approve::diff_lines;
use crate::print::{line, marked_lines, visible};

pub(crate) fn skills(rows: &[SkillRow]) {
    let rows = rows.iter().map(|row| {
        let reason = row.reason.as_deref().map(|reason| format!(": {reason}")).unwrap_or_default();
        [
            row.id.clone(),
            row.version.clone(),
            row.source.clone(),
            short(&format!("{}{reason}", word(&row.state))),
            short(&row.description),
        ]
    });
    table(["skill", "version", "source", "state", "description"], rows);
}

/// Maximum width of a column in the list of skills, in characters.
const WIDEST: usize = 100;

fn short(text: &str) -> String {
    match text.char_indices().nth(WIDEST) {
        None => text.to_owned(),
        Some(_) => text.chars().take(WIDEST - 1).chain(['…']).collect(),
    }
}

pub(crate) fn tools(rows: &[ToolRow]) {
    let rows = rows.iter().map(|row| {
        let reason = row.reason.as_deref().map(|reason| format!(": {reason}")).unwrap_or_default();
        let state = format!("{}{reason}", word(&row.state));
        [row.name.clone(), word(&row.effect), state, row.description.clone()]
    });
    table(["tool", "effect", "state", "description"], rows);
}

pub(crate) fn pending_tools(rows: &[PendingToolRow]) {
    for row in rows {
        pending_tool(row);
        line("");
        for text in row.source.lines() {
            line(&format!("    {}", visible(text)));
        }
        line("");
    }
    if rows.is_empty() {
        line("no pending tools");
    } else {
        line("nova tool promote NAME enables one, nova tool discard NAME deletes it");
    }
}

/// The declaration of a pending tool, and what it would replace.
pub(crate) fn pending_tool(row: &PendingToolRow) {
    line(&visible(&format!("{} ({})", row.name, row.hash)));
    if let Some(problem) = &row.problem {
        let at = problem.line.map(|at| format!(" line {at}:")).unwrap_or_default();
        line(&visible(&format!("  broken:{at} {}", problem.message)));
    }
    if let Some(defined) = &row.definition {
        let list = |words: &[String]| if words.is_empty() { "none".to_owned() } else { words.join(", ") };
        line(&visible(&format!("  tool: dynamic.{}: {}", defined.tool, defined.description)));
        line(&format!("  effect: {}", word(&defined.effect)));
        line(&visible(&format!("  hosts: {}", list(&defined.hosts))));
        if !defined.proposed_hosts.is_empty() {
            line(&visible(&format!("  hosts in its source: {}", list(&defined.proposed_hosts))));
        }
        line(&visible(&format!("  credentials: {}", list(&defined.credentials))));
        line(&visible(&format!("  notes: {}", defined.vault.as_deref().unwrap_or("none"))));
    }
    if let Some(replaced) = &row.replaces {
        line(&visible(&format!("  replaces {}:", replaced.file)));
        for text in diff_lines(&replaced.diff) {
            line(&visible(&format!("  {text}")));
        }
    }
}

pub(crate) fn providers(rows: &[ProviderRow]) {
    let rows = rows.iter().map(|row| {
        let place = if row.local { "local" } else { "remote" };
        let agreed = if row.agreed { "agreed" } else { "not agreed" };
        let models = match &row.problem {
            Some(problem) => format!("{} {}", problem.message, problem.hint).trim_end().to_owned(),
            None => {
                let models = row.models.iter().map(|model| {
                    let elsewhere =
                        row.passed_on.iter().find(|passed_on| is_same_model(&passed_on.model, model));
                    match elsewhere {
                        Some(PassedOn { host, agreed: true, .. }) => format!("{model} (at {host}, agreed)"),
                        Some(PassedOn { host, .. }) => format!("{model} (at {host}, not agreed)"),
                        None => model.clone(),
                    }
                });
                models.collect::<Vec<_>>().join(", ")
            }
        };
        [row.id.clone(), place.to_owned(), row.host.clone(), agreed.to_owned(), models]
    });
    table(["provider", "place", "host", "agreed", "models"], rows);
}

pub(crate) fn sessions(rows: &[SessionRow]) {
    table(
        ["session", "updated", "title"],
        rows.iter().map(|row| [row.id.clone(), row.updated_at.clone(), row.title.clone()]),
    );
}

/// The active branch of a conversation as text.
pub(crate) fn session(view: &SessionView) {
    line(&format!("# {}", visible(&view.row.title)));
    let mut branches = Branches::default();
    view.events.iter().for_each(|envelope| branches.observe(envelope));
    let in_force = branches.in_force();
    let is_told = |turn: &str| in_force.contains(&turn);
    for envelope in view.events.iter().filter(|envelope| envelope.turn.as_deref().is_none_or(is_told)) {
        match &envelope.event {
            Event::TurnStarted { text, images, .. } => {
                let images: String = images.iter().map(|image| format!(" [{}]", image.name)).collect();
                line(&format!("\nyou> {}\n", visible(&format!("{text}{images}"))));
            }
            Event::MessageCompleted { text, .. } => line(&visible(text)),
            Event::ToolCallStarted { tool, args, .. } => {
                line(&format!("· {tool} {}", visible(&args.to_string())))
            }
            Event::TurnFailed { message, .. } => line(&format!("failed: {}", visible(message))),
            _ => {}
        }
    }
}

/// `path:line: text`, like other search tools; printed at once, because there may be many.
pub(crate) fn hits(rows: &[SearchHit]) {
    let lines: Vec<_> =
        rows.iter().map(|hit| visible(&format!("{}:{}: {}", hit.path, hit.line, hit.text))).collect();
    match rows {
        [] => line("nothing found"),
        _ => line(&lines.join("\n")),
    }
}

/// One line per note: its path, then its properties.
pub(crate) fn notes(rows: &[QueryRow]) {
    for row in rows {
        let properties: Vec<_> = row
            .document
            .properties()
            .iter()
            .map(|(key, property)| format!("{key}: {}", property.value.display()))
            .collect();
        line(&visible(&format!("{}  {}", row.path, properties.join(" · "))));
    }
    if rows.is_empty() {
        line("no notes");
    }
}

pub(crate) fn links(links: &Links) {
    for out in &links.out {
        line(&visible(&format!("→ {} (line {})", out.path, out.line)));
    }
    for back in &links.back {
        line(&visible(&format!("← {}:{}: {}", back.path, back.line, back.text)));
    }
    for unresolved in &links.unresolved {
        line(&visible(&format!("? {} (line {})", unresolved.target, unresolved.line)));
    }
    if links.out.is_empty() && links.back.is_empty() && links.unresolved.is_empty() {
        line("no links");
    }
}

pub(crate) fn problems(rows: &[ProblemView]) {
    for row in rows {
        line(&visible(&format!(
            "{}:{}: {}. {}",
            row.path,
            row.line,
            row.problem.trim_end_matches('.'),
            row.remedy
        )));
    }
    if rows.is_empty() {
        line("no problems");
    }
}

/// A change set in the form of `nova changes list --json`.
pub(crate) fn change_set_row(set: &ChangeSetView) -> Value {
    let notes: Vec<Value> = set
        .notes
        .iter()
        .map(|note| match &note.from {
            Some(from) => json!({"path": note.path, "kind": note.kind, "from": from}),
            None => json!({"path": note.path, "kind": note.kind}),
        })
        .collect();
    json!({
        "id": set.id, "kind": set.kind, "at": set.at, "author": set.author, "label": set.label,
        "state": set.state, "notes": notes,
    })
}

pub(crate) fn changes(sets: &[ChangeSetView]) {
    let rows = sets.iter().map(|set| {
        let notes: Vec<&str> = set.notes.iter().map(|note| note.path.as_str()).collect();
        [set.id.clone(), set.at.clone(), word(&set.kind), word(&set.state), notes.join(", ")]
    });
    table(["change set", "at", "kind", "state", "notes"], rows);
}

pub(crate) fn change_set(set: &ChangeSetView) {
    line(&format!("{} {} {} {}", set.id, word(&set.kind), set.at, word(&set.state)));
    for note in &set.notes {
        for text in diff_lines(&note.diff) {
            line(&visible(&text));
        }
    }
}

pub(crate) fn undone(result: &UndoResult) {
    for path in &result.undone {
        let how = if result.merged.contains(path) { " (merged with later edits)" } else { "" };
        line(&visible(&format!("undone {path}{how}")));
    }
    for conflict in &result.conflicts {
        let how = if conflict.unreadable { "unreadable" } else { "conflict" };
        line(&visible(&format!("{how} {}: {}", conflict.path, conflict.what.join(", "))));
    }
    if result.undone.is_empty() && result.conflicts.is_empty() {
        line("nothing to undo");
    }
}

/// A tool's result; a list of objects is printed as a table.
pub(crate) fn value(value: &Value, changes: &[NoteChangeView]) {
    match value {
        Value::Array(items) if !items.is_empty() && items.iter().all(Value::is_object) => rows(items),
        Value::String(text) => line(&marked_lines(text)),
        other => object(other),
    }
    for change in changes {
        line(&visible(&format!("{} {}", word(&change.kind), change.path)));
    }
}

pub(crate) fn object(value: &Value) {
    match value {
        Value::Object(map) => {
            for (key, value) in map {
                line(&marked_lines(&format!("{key}: {}", cell(value))));
            }
        }
        Value::Null => {}
        other => line(&marked_lines(&cell(other))),
    }
}

pub(crate) fn count(number: usize, noun: &str) -> String {
    if number == 1 { format!("1 {noun}") } else { format!("{number} {noun}s") }
}

fn rows(items: &[Value]) {
    let mut columns: Vec<&str> = Vec::new();
    for key in items.iter().filter_map(Value::as_object).flat_map(|object| object.keys()) {
        if !columns.contains(&key.as_str()) {
            columns.push(key);
        }
    }
    let body: Vec<Vec<String>> =
        items.iter().map(|item| columns.iter().map(|column| cell(&item[*column])).collect()).collect();
    print_table(&columns, &body);
}

pub(crate) fn table<const N: usize>(head: [&str; N], rows: impl Iterator<Item = [String; N]>) {
    let body: Vec<Vec<String>> = rows.map(|row| row.to_vec()).collect();
    print_table(&head, &body);
}

fn print_table(head: &[&str], body: &[Vec<String>]) {
    let body: Vec<Vec<String>> =
        body.iter().map(|row| row.iter().map(|text| visible(text).replace('\n', " ")).collect()).collect();
    let width = |column: usize| {
        let cells = body.iter().filter_map(|row| row.get(column)).map(|text| text.chars().count());
        cells.chain([head[column].chars().count()]).max().unwrap_or_default()
    };
    let widths: Vec<usize> = (0..head.len()).map(width).collect();
    let print = |cells: &mut dyn Iterator<Item = &str>| {
        let padded: Vec<String> = cells
            .zip(&widths)
            .map(|(text, width)| format!("{text}{}", " ".repeat(width.saturating_sub(text.chars().count()))))
            .collect();
        line(padded.join("  ").trim_end());
    };
    print(&mut head.iter().copied());
    for row in &body {
        print(&mut row.iter().map(String::as_str));
    }
}

fn cell(value: &Value) -> String {
    match value {
        Value::Null => String::new(),
        Value::String(text) => text.clone(),
        Value::Array(items) => items.iter().map(cell).collect::<Vec<_>>().join(", "),
        other => other.to_string(),
    }
}

/// The serialised name of a value.
pub(crate) fn word<T: Serialize>(value: &T) -> String {
    match serde_json::to_value(value) {
        Ok(Value::String(text)) => text,
        _ => String::new(),
    }
}
