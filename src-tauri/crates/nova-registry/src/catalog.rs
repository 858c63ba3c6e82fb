use std::collections::{BTreeMap, BTreeSet};

use crate::{SkillEntry, Snapshot, harmless_line};

/// The catalog: the skills that a model can load.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Catalog {
    /// One line per skill.
    lines: Vec<Line>,
    /// Number of skills whose ids do not fit.
    left_out: usize,
}

#[derive(Debug, Clone, PartialEq, Eq)]
struct Line {
    skill: String,
    text: String,
    shortened: bool,
}

/// The size limit of the catalog, in bytes.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct CatalogBudget(usize);

impl CatalogBudget {
    const LEAST: u64 = 1_000;
    const MOST: u64 = 2_200;

    /// One percent of the model's context in tokens, within limits; the minimum if the context size is
    /// unknown. A token counts as four bytes.
    pub fn of_context(tokens: Option<u64>) -> Self {
        let tokens = (tokens.unwrap_or_default() / 100).clamp(Self::LEAST, Self::MOST);
        Self(usize::try_from(tokens).unwrap_or_default() * 4)
    }

    /// No limit.
    pub fn unlimited() -> Self {
        Self(usize::MAX)
    }

    pub fn tokens(self) -> usize {
        self.0 / 4
    }
}

impl Catalog {
    /// Lists the available skills that are not hidden, within the budget. Descriptions are shortened evenly:
    /// the longest first, all to the same length, at the end of a sentence if one fits. If ids and hints
    /// alone are too long, all `use_when` are dropped first, then all `not_when`; a skill is dropped only if
    /// its id does not fit.
    pub fn new(snapshot: &Snapshot, budget: CatalogBudget) -> Self {
        let skills: Vec<_> = snapshot.available().filter(|skill| !skill.hidden).collect();
        Self::of(snapshot, skills.into_iter().map(AsRef::as_ref), budget)
    }

    /// As [`Catalog::new`], for some skills.
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
            skills.iter_mut().for_each(|parts| parts.use_when.clear());
        }
        if without_descriptions(&skills) > room {
            skills.iter_mut().for_each(|parts| parts.not_when.clear());
            // Reserved for a sentence with the number of dropped skills.
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

    /// Whether anything was shortened or dropped.
    pub fn is_shortened(&self) -> bool {
        self.left_out > 0 || self.lines.iter().any(|line| line.shortened)
    }

    /// The section of the system prompt; `None` if there are no skills.
    pub fn section(&self) -> Option<String> {
        if self.is_empty() {
            return None;
        }
        Some(format!("{HEAD}\n\n{}", self.list()))
    }

    /// The lines only.
    pub fn list(&self) -> String {
        let mut lines: Vec<String> = self.lines.iter().map(|line| line.text.clone()).collect();
        if self.left_out > 0 {
            lines.push(format!("- and {} more: see list_skills or search_tools.", self.left_out));
        }
        lines.join("\n")
    }

    /// The line of one skill; `None` if it is not in the catalog.
    pub fn line(&self, skill: &str) -> Option<&str> {
        self.lines.iter().find(|line| line.skill == skill).map(|line| line.text.as_str())
    }

    /// When to use the skill and when not, as sentences with a leading space; empty if the skill does not
    /// say.
    pub fn hints(snapshot: &Snapshot, skill: &SkillEntry) -> (String, String) {
        let hints = &skill.manifest.hints;
        // Only the first clauses: a skill with many must not take space from the others.
        let mut room = USE_WHEN;
        let mut clauses: Vec<&str> = Vec::new();
        for clause in &hints.use_when {
            if clause.len() > room {
                if clauses.is_empty() {
                    clauses.push(up_to_a_word(clause, room));
                }
                break;
            }
            room -= clause.len();
            clauses.push(clause);
        }
        let clauses = plain(skill, &clauses.join("; "));
        let use_when = match (clauses.is_empty(), skill.foreign) {
            (true, _) => String::new(),
            (false, true) => format!(" Use when: {}.", quoted(&clauses)),
            (false, false) => format!(" Use when: {clauses}."),
        };
        // One clause per existing other skill is enough: the router knows all of them.
        let mut others = BTreeSet::new();
        let not_for = hints.not_when.iter().filter_map(|hint| {
            if hint.instead.is_empty() {
                return Some(hint.phrase.clone());
            }
            let other = hint.instead.split('.').next().unwrap_or_default();
            let is_there = snapshot.skill(other).is_some_and(|other| other.is_available() && !other.hidden);
            (is_there && others.insert(other)).then(|| format!("{} ({})", hint.phrase, hint.instead))
        });
        let not_for: Vec<String> = not_for.map(|said| plain(skill, &said)).collect();
        let not_when = match not_for.as_slice() {
            [] => String::new(),
            phrases => format!(" Not for: {}.", phrases.join("; ")),
        };
        (use_when, not_when)
    }

    /// The full catalog entry of each skill as a short hash, by id: a later catalog only needs to list
    /// changed skills.
    pub fn entry_hashes(snapshot: &Snapshot) -> BTreeMap<String, String> {
        let visible = snapshot.available().filter(|skill| !skill.hidden);
        let text = |skill: &SkillEntry| {
            let (use_when, not_when) = Self::hints(snapshot, skill);
            format!("{}{use_when}{not_when}", skill.description)
        };
        visible.map(|skill| (skill.id.clone(), short_hash(&text(skill)))).collect()
    }
}

/// A hash prefix long enough to detect changes of a text.
pub fn short_hash(text: &str) -> String {
    blake3::hash(text.as_bytes()).to_hex()[..16].to_owned()
}

const HEAD: &str = "## Available Skills\nThe following specialized skills are available. If a user request matches \
                    one of these domains, use the `load_skill` tool to load it.";

/// Truncates a text to at most `most` bytes, at a word boundary.
fn up_to_a_word(text: &str, most: usize) -> &str {
    let cut = text.floor_char_boundary(most);
    text[..cut].rfind(' ').map_or(&text[..cut], |end| &text[..end])
}

/// Maximum length of a skill's `use_when` clauses, in bytes.
const USE_WHEN: usize = 120;

/// Maximum length of the sentence about dropped skills, in bytes.
const REST_LENGTH: usize = 64;

/// The parts of a line before it is fitted to the budget.
struct Parts {
    skill: String,
    description: String,
    /// Sentences with a leading space, like `not_when`.
    use_when: String,
    not_when: String,
    /// Bytes of all hints, including dropped ones.
    hints: usize,
    foreign: bool,
}

impl Parts {
    fn of(snapshot: &Snapshot, skill: &SkillEntry) -> Self {
        let (use_when, not_when) = Catalog::hints(snapshot, skill);
        Self {
            skill: skill.id.clone(),
            description: plain(skill, &skill.description),
            hints: use_when.len() + not_when.len(),
            use_when,
            not_when,
            foreign: skill.foreign,
        }
    }

    /// Bytes of the line without its description, including the line break.
    fn least(&self) -> usize {
        let quotes = if self.foreign { "\u{201c}\u{201d}".len() } else { 0 };
        "- : \n".len() + self.skill.len() + quotes + self.use_when.len() + self.not_when.len()
    }

    fn line(self, longest: usize) -> Line {
        let description = shortened(&self.description, longest);
        let is_shortened = description.len() < self.description.len()
            || self.use_when.len() + self.not_when.len() < self.hints;
        let description = if self.foreign { quoted(&description) } else { description };
        Line {
            shortened: is_shortened,
            text: format!("- {}: {description}{}{}", self.skill, self.use_when, self.not_when),
            skill: self.skill,
        }
    }
}

/// The maximum length such that texts truncated to it take at most `spare` bytes in total.
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

/// Shortens to at most this many bytes: whole sentences if one fits, otherwise cut after a word, with an
/// ellipsis.
fn shortened(text: &str, most: usize) -> String {
    const ELLIPSIS: &str = "…";
    if text.len() <= most {
        return text.to_owned();
    }
    let floor = |most: usize| (0..=most).rev().find(|at| text.is_char_boundary(*at)).unwrap_or_default();
    let sentences = (0..floor(most)).rev().find(|at| {
        let (before, after) = (text.as_bytes()[*at], text.as_bytes().get(at + 1));
        matches!(before, b'.' | b'!' | b'?') && after == Some(&b' ')
    });
    if let Some(stop) = sentences {
        return text[..=stop].to_owned();
    }
    let Some(most) = most.checked_sub(ELLIPSIS.len()) else { return String::new() };
    let end = floor(most);
    let cut = &text[..end];
    let cut = match cut.rfind(' ') {
        Some(space) if !text[end..].starts_with(' ') && space > end / 2 => &cut[..space],
        _ => cut,
    };
    format!("{}{ELLIPSIS}", cut.trim_end_matches([' ', ',', ';', ':', '.']))
}

/// Collapses the text to one line.
fn plain(skill: &SkillEntry, text: &str) -> String {
    if skill.foreign { harmless_line(text) } else { one_line(text) }
}

/// Quotes the description of a foreign skill, which is only its author's claim.
fn quoted(text: &str) -> String {
    format!("\u{201c}{}\u{201d}", text.replace(['\u{201c}', '\u{201d}'], "'"))
}

fn one_line(text: &str) -> String {
    text.split_whitespace().collect::<Vec<_>>().join(" ")
}

#[cfg(test)]
mod tests;
