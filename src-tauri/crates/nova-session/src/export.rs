//! Exports a session as Markdown.

use std::collections::{HashMap, HashSet};
use std::fmt::Write as _;

use nova_protocol::{Envelope, Event, FigureView, NoteChangeView, SourceView};
use nova_vault::note::{PropertyEdit, edit_properties};
use serde_json::Value;

use crate::branches::Branches;
use crate::store::SessionInfo;

/// Maximum number of sources named per call.
const MOST_SOURCES: usize = 12;

/// Exports the conversation as a Markdown document: messages, a line per call, and the sources of figures.
/// Includes the current branch, or all turns in log order if `all` is set.
pub fn export(session: &SessionInfo, events: &[Envelope], all: bool) -> String {
    let mut branches = Branches::default();
    events.iter().for_each(|envelope| branches.observe(envelope));
    let in_force: HashSet<&str> = branches.in_force().into_iter().collect();
    let is_told = |envelope: &&Envelope| {
        all || envelope.turn.as_deref().is_none_or(|turn| in_force.contains(turn) || !branches.has(turn))
    };
    let mut document =
        Document { text: String::new(), speaks: None, tools: HashMap::new(), branches: &branches };
    document.front_matter(session, events);
    for envelope in events.iter().filter(is_told) {
        document.add_event(envelope, all);
    }
    document.text
}

/// Adds the property that hides a note from remote models.
pub fn marked_private(document: &str) -> String {
    let mark =
        PropertyEdit::Set { key: "nova".into(), value: nova_vault::note::Value::Text("private".into()) };
    // Unreadable front matter hides a note too.
    edit_properties(document, &[mark]).unwrap_or_else(|_| document.to_owned())
}

struct Document<'a> {
    text: String,
    /// The turn of the last answer written.
    speaks: Option<&'a str>,
    /// Tool names by call id.
    tools: HashMap<&'a str, &'a str>,
    branches: &'a Branches,
}

impl<'a> Document<'a> {
    fn front_matter(&mut self, session: &SessionInfo, events: &[Envelope]) {
        let models = events.iter().filter_map(|envelope| match &envelope.event {
            Event::TurnStarted { model, .. } => Some(model.as_str()),
            _ => None,
        });
        let mut known: Vec<&str> = Vec::new();
        models.for_each(|model| {
            if !known.contains(&model) {
                known.push(model)
            }
        });
        let title = if session.title.is_empty() { "Chat" } else { &session.title };
        let day = |at: &str| at.get(..10).unwrap_or(at).to_owned();
        // A JSON string is a valid YAML string, whatever it contains.
        let quoted = |text: &str| Value::from(text).to_string();
        let _ = writeln!(self.text, "---\ntitle: {}", quoted(title));
        let _ = writeln!(self.text, "created: {}", day(&session.created_at));
        let _ = writeln!(self.text, "updated: {}", day(&session.updated_at));
        match known.as_slice() {
            [] => {}
            [one] => drop(writeln!(self.text, "model: {}", quoted(one))),
            several => {
                let several: Vec<String> = several.iter().map(|model| quoted(model)).collect();
                let _ = writeln!(self.text, "model: [{}]", several.join(", "));
            }
        }
        let _ = writeln!(self.text, "session: {}\n---\n\n# {}", quoted(&session.id), one_line(title));
    }

    fn add_event(&mut self, envelope: &'a Envelope, all: bool) {
        let turn = envelope.turn.as_deref();
        match &envelope.event {
            // There is no user message.
            Event::TurnStarted { by_nova: true, .. } => self.speaks = None,
            Event::TurnStarted { text, skills, tool, images, outside, .. } => {
                self.speaks = None;
                if text.is_empty() && images.is_empty() && outside.is_empty() {
                    return;
                }
                let _ = write!(self.text, "\n## You, {}", minute(&envelope.at));
                if let Some((at, of)) = turn.filter(|_| all).map(|turn| self.branches.place(turn))
                    && of > 1
                {
                    let _ = write!(self.text, " (branch {at} of {of})");
                }
                self.text.push_str("\n\n");
                let pointed: Vec<String> =
                    skills.iter().chain(tool).map(|name| format!("`{}`", one_line(name))).collect();
                if !pointed.is_empty() {
                    let _ = writeln!(self.text, "> {}\n>", pointed.join(" "));
                }
                if !images.is_empty() {
                    let names: Vec<String> =
                        images.iter().map(|image| format!("`{}`", one_line(&image.name))).collect();
                    let end = if text.is_empty() { "" } else { "\n>" };
                    let _ = writeln!(self.text, "> Images: {}{end}", names.join(", "));
                }
                if !outside.is_empty() {
                    let names: Vec<String> =
                        outside.iter().map(|file| format!("`{}`", one_line(&file.name))).collect();
                    let end = if text.is_empty() { "" } else { "\n>" };
                    let _ = writeln!(self.text, "> From servers: {}{end}", names.join(", "));
                }
                // As a quotation, so that no Markdown in it affects the rest.
                for line in text.lines() {
                    let _ = writeln!(self.text, "{}", format!("> {line}").trim_end());
                }
            }
            Event::MessageCompleted { text, .. } => {
                self.nova(turn);
                let _ = writeln!(self.text, "\n{}", closed(text.trim()));
            }
            Event::ToolCallStarted { call, tool, .. } => {
                self.tools.insert(call, tool);
            }
            Event::ToolCallCompleted { call, ok, output, sources, figures, changes, .. } => {
                self.nova(turn);
                let tool = one_line(self.tools.get(call.as_str()).copied().unwrap_or("tool"));
                let result = if *ok { done(output, changes) } else { failed(output) };
                let _ = writeln!(self.text, "\n- `{tool}` → {result}");
                self.sources(sources, figures);
            }
            Event::TurnFailed { message, hint, .. } => {
                self.nova(turn);
                let _ = writeln!(self.text, "\n*Failed: {}*", escaped(&format!("{message} {hint}")));
            }
            Event::TurnCancelled { .. } => {
                self.nova(turn);
                self.text.push_str("\n*Stopped.*\n");
            }
            _ => {}
        }
    }

    /// Adds Nova's heading once per turn.
    fn nova(&mut self, turn: Option<&'a str>) {
        let turn = Some(turn.unwrap_or_default());
        if self.speaks != turn {
            self.speaks = turn;
            self.text.push_str("\n## Nova\n");
        }
    }

    fn sources(&mut self, sources: &[SourceView], figures: &[FigureView]) {
        let links = |sources: &mut dyn Iterator<Item = &SourceView>| {
            let all: Vec<String> = sources.map(link).collect();
            let more = all.len().saturating_sub(MOST_SOURCES);
            let named = all[..all.len() - more].join(", ");
            if more > 0 { format!("{named} and {more} more") } else { named }
        };
        for figure in figures {
            let mut from = figure.sources.iter().filter_map(|at| sources.get(usize::try_from(*at).ok()?));
            let from = links(&mut from);
            let value = format!("{}: {} {}", figure.label, figure.value, figure.unit);
            let from = if from.is_empty() { "no source" } else { &from };
            let _ = writeln!(self.text, "  - {} from {from}", escaped(value.trim()));
        }
        if figures.is_empty() && !sources.is_empty() {
            let _ = writeln!(self.text, "  - from {}", links(&mut sources.iter()));
        }
    }
}

/// The result of a call in a few words, since its output was for the model.
fn done(output: &Value, changes: &[NoteChangeView]) -> String {
    if !changes.is_empty() {
        let notes: Vec<String> = changes.iter().map(|change| note(&change.path)).collect();
        return format!("changed {}", notes.join(", "));
    }
    match output {
        Value::Array(items) if items.len() == 1 => "1 result".into(),
        Value::Array(items) => format!("{} results", items.len()),
        _ => "done".into(),
    }
}

fn failed(output: &Value) -> String {
    let message = output["message"].as_str().or(output.as_str()).unwrap_or("no reason was given");
    format!("failed: {}", escaped(message))
}

fn link(source: &SourceView) -> String {
    match source {
        SourceView::Note { path } => note(path),
        SourceView::Web { url, at, title, .. } => {
            let rest = url.split_once("://").map_or(url.as_str(), |(_, rest)| rest);
            let host = rest.split(['/', '?', '#']).next().unwrap_or(rest);
            match host.rsplit_once('@') {
                // The user name and password are omitted.
                Some((_, host)) => format!("{}, {}", escaped(host), minute(at)),
                None => {
                    let name = title.as_deref().unwrap_or(host);
                    format!("[{}](<{}>), {}", escaped(name), address(url), minute(at))
                }
            }
        }
    }
}

/// A link that Obsidian resolves.
fn note(path: &str) -> String {
    let target = path.strip_suffix(".md").unwrap_or(path);
    if target.contains(['[', ']', '|', '#', '^', '`', '\n']) {
        return format!("`{}`", one_line(path));
    }
    match target.rsplit_once('/') {
        Some((_, name)) => format!("[[{target}|{name}]]"),
        None => format!("[[{target}]]"),
    }
}

fn address(url: &str) -> String {
    url.chars().filter(|c| !c.is_whitespace() && !c.is_control() && !['<', '>'].contains(c)).collect()
}

/// Shortens an RFC 3339 time to the minute.
fn minute(at: &str) -> String {
    at.get(..16).unwrap_or(at).replace('T', " ")
}

fn one_line(text: &str) -> String {
    text.split_whitespace().collect::<Vec<_>>().join(" ").replace('`', "'")
}

/// Escapes untrusted text for use in a line of Markdown.
fn escaped(text: &str) -> String {
    let mut escaped = String::new();
    for c in text.split_whitespace().collect::<Vec<_>>().join(" ").chars() {
        if matches!(c, '\\' | '`' | '*' | '_' | '[' | ']' | '<' | '>') {
            escaped.push('\\');
        }
        escaped.push(c);
    }
    escaped
}

/// Closes fences and comments left open by an answer, which would affect the rest.
fn closed(text: &str) -> String {
    let mut fence: Option<(char, usize)> = None;
    let mut outside = String::new();
    for line in text.lines() {
        let bare = line.trim_start();
        let indent = line.len() - bare.len();
        let sign = bare.chars().next().filter(|c| (*c == '`' || *c == '~') && indent < 4);
        let length = sign.map_or(0, |sign| bare.chars().take_while(|c| *c == sign).count());
        match fence {
            Some((open, least)) => {
                let ends = sign == Some(open) && length >= least && bare[length..].trim().is_empty();
                fence = fence.filter(|_| !ends);
            }
            None if length >= 3 && !(sign == Some('`') && bare[length..].contains('`')) => {
                fence = sign.map(|sign| (sign, length));
            }
            None => {
                outside.push_str(line);
                outside.push('\n');
            }
        }
    }
    let mut text = text.to_owned();
    if let Some((sign, length)) = fence {
        text.push('\n');
        text.extend(std::iter::repeat_n(sign, length));
    } else if outside.rfind("<!--") > outside.rfind("-->") {
        text.push_str("\n-->");
    }
    text
}

#[cfg(test)]
mod tests;
