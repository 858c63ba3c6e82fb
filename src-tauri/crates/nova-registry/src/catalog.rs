use std::collections::BTreeMap;

use crate::{SkillEntry, Snapshot, harmless_line};

/// What a model is told of the skills that it can load.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Catalog {
    /// One line a skill.
    lines: Vec<Line>,
    /// Skills for whose ids there is no room.
    left_out: usize,
}

#[derive(Debug, Clone, PartialEq, Eq)]
struct Line {
    skill: String,
    text: String,
    shortened: bool,
}

/// How much of a request the catalog may take, in bytes.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct CatalogBudget(usize);

impl CatalogBudget {
    const LEAST: u64 = 1_000;
    const MOST: u64 = 2_200;

    /// A hundredth of the model's context, both in tokens, within limits; the least where the context
    /// is not known. A token counts as four bytes.
    pub fn of_context(tokens: Option<u64>) -> Self {
        let tokens = (tokens.unwrap_or_default() / 100).clamp(Self::LEAST, Self::MOST);
        Self(usize::try_from(tokens).unwrap_or_default() * 4)
    }

    /// Whatever there is to say.
    pub fn unlimited() -> Self {
        Self(usize::MAX)
    }

    pub fn tokens(self) -> usize {
        self.0 / 4
    }
}

impl Catalog {
    /// The skills that are available and not hidden, within the budget. Descriptions are shortened
    /// evenly: the longest first, all to the same length. Hints go when the ids alone leave no room
    /// for them, and skills only when their ids do not fit.
    pub fn new(snapshot: &Snapshot, budget: CatalogBudget) -> Self {
        let skills: Vec<_> = snapshot.available().filter(|skill| !skill.hidden).collect();
        Self::of(snapshot, skills.into_iter().map(AsRef::as_ref), budget)
    }

    /// The same of some skills.
    pub fn of<'a>(
        snapshot: &Snapshot,
        skills: impl Iterator<Item = &'a SkillEntry>,
        budget: CatalogBudget,
    ) -> Self {
        let room = budget.0.saturating_sub(HEAD.len() + 2);
        let mut skills: Vec<Parts> = skills.map(|skill| Parts::of(snapshot, skill)).collect();
        let without_descriptions = |skills: &[Parts]| -> usize { skills.iter().map(Parts::least).sum() };
        let mut left_out = 0;
        if without_descriptions(&skills) > room {
            skills.iter_mut().for_each(|parts| parts.hints.clear());
            // A sentence says how many are left out.
            let mut used = REST_LENGTH;
            let fitting = skills.iter().take_while(|parts| {
                used += parts.least();
                used <= room
            });
            let fitting = fitting.count();
            if without_descriptions(&skills) > room {
                left_out = skills.len() - fitting;
                skills.truncate(fitting);
            }
        }
        let spare = room.saturating_sub(without_descriptions(&skills));
        let longest = even_length(skills.iter().map(|parts| parts.description.len()).collect(), spare);
        let lines = skills.into_iter().map(|parts| parts.line(longest)).collect();
        Self { lines, left_out }
    }

    pub fn is_empty(&self) -> bool {
        self.lines.is_empty()
    }

    /// Whether something of it had to go.
    pub fn is_shortened(&self) -> bool {
        self.left_out > 0 || self.lines.iter().any(|line| line.shortened)
    }

    /// The section of the system prompt; None where there is no skill.
    pub fn section(&self) -> Option<String> {
        if self.is_empty() {
            return None;
        }
        Some(format!("{HEAD}\n\n{}", self.list()))
    }

    /// The lines alone.
    pub fn list(&self) -> String {
        let mut lines: Vec<String> = self.lines.iter().map(|line| line.text.clone()).collect();
        if self.left_out > 0 {
            lines.push(format!("- and {} more: see list_skills or search_tools.", self.left_out));
        }
        lines.join("\n")
    }

    /// The line of one skill; None for one that is not in the catalog.
    pub fn line(&self, skill: &str) -> Option<&str> {
        self.lines.iter().find(|line| line.skill == skill).map(|line| line.text.as_str())
    }

    /// What is told of each skill in full, by id, as a short hash: whoever is told again needs to
    /// hear only of others.
    pub fn told(snapshot: &Snapshot) -> BTreeMap<String, String> {
        let visible = snapshot.available().filter(|skill| !skill.hidden);
        visible.map(|skill| (skill.id.clone(), short_hash(&skill.description))).collect()
    }
}

/// Enough of a text's hash to tell whether it is the same.
pub fn short_hash(text: &str) -> String {
    blake3::hash(text.as_bytes()).to_hex()[..16].to_owned()
}

const HEAD: &str = "## Available Skills\nThe following specialized skills are available. If a user request matches \
                    one of these domains, use the `load_skill` tool to load it.";

/// At most so long is the sentence about skills that are left out.
const REST_LENGTH: usize = 64;

/// A line before it is fitted.
struct Parts {
    skill: String,
    description: String,
    /// With a space before each.
    hints: String,
    had_hints: bool,
}

impl Parts {
    fn of(snapshot: &Snapshot, skill: &SkillEntry) -> Self {
        let mut hints = String::new();
        for hint in &skill.manifest.hints.not_when {
            let instead = hint.instead.split('.').next().unwrap_or_default();
            if snapshot.skill(instead).is_some_and(|other| other.is_available() && !other.hidden) {
                hints.push_str(&format!(" Not for: {} ({}).", hint.phrase, hint.instead));
            }
        }
        Self {
            skill: skill.id.clone(),
            // A line is one line, whatever a manifest says.
            description: description(skill),
            had_hints: !hints.is_empty(),
            hints: match skill.foreign {
                true => one_line_keeping_start(&harmless_line(&hints)),
                false => one_line_keeping_start(&hints),
            },
        }
    }

    /// Bytes of the line without its description, with the line break.
    fn least(&self) -> usize {
        "- : \n".len() + self.skill.len() + self.hints.len()
    }

    fn line(self, longest: usize) -> Line {
        let description = shortened(&self.description, longest);
        Line {
            shortened: description.len() < self.description.len()
                || (self.had_hints && self.hints.is_empty()),
            text: format!("- {}: {}{}", self.skill, description, self.hints),
            skill: self.skill,
        }
    }
}

/// The greatest length such that texts cut to it take no more than `spare` in all.
fn even_length(mut lengths: Vec<usize>, mut spare: usize) -> usize {
    lengths.sort_unstable();
    let mut left = lengths.len();
    for length in lengths {
        if length > spare / left {
            return spare / left;
        }
        spare -= length;
        left -= 1;
    }
    usize::MAX
}

/// At most so many bytes, cut after a word, with an ellipsis.
fn shortened(text: &str, most: usize) -> String {
    const ELLIPSIS: &str = "…";
    if text.len() <= most {
        return text.to_owned();
    }
    let Some(most) = most.checked_sub(ELLIPSIS.len()) else { return String::new() };
    let end = (0..=most).rev().find(|at| text.is_char_boundary(*at)).unwrap_or_default();
    let cut = &text[..end];
    let cut = match cut.rfind(' ') {
        Some(space) if !text[end..].starts_with(' ') && space > end / 2 => &cut[..space],
        _ => cut,
    };
    format!("{}{ELLIPSIS}", cut.trim_end_matches([' ', ',', ';', ':', '.']))
}

/// What a skill from elsewhere says of itself is quoted: it is nobody's word but its maker's.
fn description(skill: &SkillEntry) -> String {
    match skill.foreign {
        true => format!(
            "\u{201c}{}\u{201d}",
            harmless_line(&skill.description).replace(['\u{201c}', '\u{201d}'], "'")
        ),
        false => one_line(&skill.description),
    }
}

fn one_line(text: &str) -> String {
    text.split_whitespace().collect::<Vec<_>>().join(" ")
}

fn one_line_keeping_start(text: &str) -> String {
    if text.is_empty() { String::new() } else { format!(" {}", one_line(text)) }
}

#[cfg(test)]
mod tests;
