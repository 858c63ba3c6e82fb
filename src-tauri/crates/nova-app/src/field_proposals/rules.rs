//! Match rules by which a vault may identify its records: folders, tags, properties such as `categories`, and
//! the filters of the user's bases.

use std::collections::{BTreeMap, BTreeSet, HashMap, HashSet};

use nova_protocol::{Confidence, RuleProposal};
use nova_skill::figures::folded;
use nova_skill::{MatchRule, PropertyValue, RecordType};
use nova_vault::{QueryRow, VaultPath};
use serde_json::{Value, json};

use super::properties::{Found, bare, names_of, properties_of, same_word};
use super::{WholeVault, count, examples_of, says_something};

/// A rule and its matching notes.
pub(super) struct Candidate<'a> {
    pub(super) rule: MatchRule,
    pub(super) notes: Vec<&'a QueryRow>,
    /// Number of notes not matched by an earlier rule.
    pub(super) more: usize,
    pub(super) confidence: Confidence,
    reason: String,
    pub(super) used: bool,
}

/// Matching rules, the most reliable first; empty if none of them would add a record.
pub(super) fn candidates<'a>(
    declared: &RecordType,
    vault: &'a WholeVault,
    taken: &HashSet<&VaultPath>,
) -> Vec<Candidate<'a>> {
    let by_path: HashMap<&VaultPath, &'a QueryRow> = vault.rows.iter().map(|row| (&row.path, row)).collect();
    let mut found = Vec::new();
    for (rule, base) in rules(declared, vault) {
        let Some(recogniser) = rule.recogniser() else { continue };
        let recognised = vault.notes.iter().filter(|note| recogniser.recognises(note));
        let notes: Vec<&QueryRow> = recognised
            .filter(|note| !taken.contains(&note.path))
            .filter_map(|note| by_path.get(&note.path).copied())
            .collect();
        if notes.is_empty() {
            continue;
        }
        let (confidence, reason) = weigh(declared, &notes, base.as_deref());
        found.push(Candidate { rule, notes, more: 0, confidence, reason, used: false });
    }
    found.sort_by_key(|one| (one.confidence, std::cmp::Reverse(one.notes.len())));
    let mut seen = HashSet::new();
    for one in &mut found {
        one.more = one.notes.iter().filter(|row| !seen.contains(&row.path)).count();
        one.used = one.confidence != Confidence::Unlikely && one.more > 0;
        if one.used {
            seen.extend(one.notes.iter().map(|row| row.path.clone()));
        }
    }
    if found.iter().any(|one| one.used) { found } else { Vec::new() }
}

/// Confidence that these notes are records of the type, and the reason; `base` names a base of the user's
/// that shows them.
pub(crate) fn weigh(declared: &RecordType, notes: &[&QueryRow], base: Option<&str>) -> (Confidence, String) {
    let (fitting, significant) = fitting(declared, notes);
    let share = if notes.is_empty() { 0 } else { fitting * 100 / notes.len() };
    let confidence = match (share, base.is_some()) {
        (95.., _) => Confidence::Sure,
        (50.., _) | (_, true) => Confidence::Likely,
        _ => Confidence::Unlikely,
    };
    let reason = match (base, significant, notes.len() - fitting) {
        (Some(base), ..) => format!("your table {base} shows them"),
        (None, None, _) => "no property of theirs is one of its fields".to_owned(),
        (None, Some(_), lacking) if confidence == Confidence::Unlikely => {
            format!("{lacking} have no property of its fields")
        }
        (None, Some((label, with)), _) => format!("{with} have {label}"),
    };
    (confidence, reason)
}

impl Candidate<'_> {
    pub(super) fn proposal(&self) -> RuleProposal {
        RuleProposal {
            rule: self.rule.in_words(),
            notes: count(self.notes.len()),
            more: count(self.more),
            examples: examples_of(&self.notes),
            confidence: self.confidence,
            reason: self.reason.clone(),
            used: self.used,
        }
    }
}

/// The rule in configuration form.
pub(crate) fn entry(rule: &MatchRule) -> Value {
    match rule {
        MatchRule::Type(name) => json!({"type": name}),
        MatchRule::Folder(folder) => json!({"folder": folder}),
        MatchRule::Tag(tag) => json!({"tag": tag}),
        MatchRule::Where(condition) => json!({"where": condition}),
    }
}

/// Rules named like the type, and those of a base named like it, with the base's name.
fn rules(declared: &RecordType, vault: &WholeVault) -> Vec<(MatchRule, Option<String>)> {
    let mut words = names_of(declared, "type", declared.name());
    words.extend(declared.folder.rsplit('/').next());
    let is_called = |text: &str| words.iter().any(|word| same_word(word, text));
    // A field value is not a rule: the stage `lead` does not make a note a lead.
    let fields = declared.fields.keys().flat_map(|key| names_of(declared, key, key));
    let fields: HashSet<String> = fields.map(bare).collect();
    let is_field = |key: &str| fields.contains(&bare(key));
    let mut rules: Vec<(MatchRule, Option<String>)> = Vec::new();
    let add = |rules: &mut Vec<(MatchRule, Option<String>)>, rule: MatchRule, base: Option<String>| {
        if rules.iter().all(|(other, _)| *other != rule) {
            rules.push((rule, base));
        }
    };
    for (file, text) in &vault.bases {
        if is_called(file.trim_end_matches(".base")) {
            for rule in filters(text) {
                add(&mut rules, rule, Some(file.clone()));
            }
        }
    }
    let folders: BTreeSet<&str> = vault.rows.iter().map(|row| row.path.folder()).collect();
    for folder in folders.iter().filter(|folder| is_called(folder.rsplit('/').next().unwrap_or_default())) {
        add(&mut rules, MatchRule::Folder((*folder).to_owned()), None);
    }
    for row in &vault.rows {
        for (key, property) in row.document.properties() {
            if folded(key) == "type" || key.contains(['"', '\\']) {
                continue;
            }
            for item in items(&property.value) {
                let Some(name) = item.as_text().filter(|name| is_called(last(name))) else { continue };
                if matches!(folded(key).as_str(), "tags" | "tag") {
                    add(&mut rules, MatchRule::Tag(name.trim_start_matches('#').to_owned()), None);
                } else if !is_field(key)
                    && let Some(condition) = condition(key, &property.value, item)
                {
                    add(&mut rules, MatchRule::Where(condition), None);
                }
            }
        }
    }
    rules
}

fn items(value: &PropertyValue) -> &[PropertyValue] {
    match value {
        PropertyValue::List(items) => items,
        one => std::slice::from_ref(one),
    }
}

/// The last component of a path.
fn last(name: &str) -> &str {
    name.rsplit('/').next().unwrap_or(name)
}

/// `categories contains [[People]]`; `None` for a condition that would not round-trip.
fn condition(key: &str, value: &PropertyValue, item: &PropertyValue) -> Option<String> {
    let name = item.as_text()?;
    let plain = name.chars().all(|c| c.is_alphanumeric() || matches!(c, ' ' | '-' | '_' | '/'));
    let key = if key.chars().all(|c| c.is_alphanumeric() || matches!(c, '-' | '_')) {
        key.to_owned()
    } else {
        format!("\"{key}\"")
    };
    let operator = if matches!(value, PropertyValue::List(_)) { "contains" } else { "=" };
    let value =
        if matches!(item, PropertyValue::Link(_)) { format!("[[{name}]]") } else { name.into_owned() };
    plain.then(|| format!("{key} {operator} {value}"))
}

/// The filters of a base that are expressible as rules.
fn filters(base: &str) -> Vec<MatchRule> {
    let quoted = |text: &str| {
        let quote = text.chars().next().filter(|c| matches!(c, '"' | '\''))?;
        text[1..].split_once(quote).map(|(inner, _)| inner.to_owned())
    };
    let after = |line: &str, call: &str| line.split_once(call).and_then(|(_, rest)| quoted(rest));
    let mut rules = Vec::new();
    // Views follow the filters.
    for line in base.lines().take_while(|line| !line.starts_with("views:")) {
        // YAML escapes quotes by a backslash or by doubling them.
        let line = line.trim().replace("\\\"", "\"").replace("''", "'");
        if line.contains('!') {
            continue;
        }
        let link = |name: String| format!("[[{}]]", last(&name));
        if let Some(folder) = after(&line, "file.inFolder(") {
            rules.push(MatchRule::Folder(folder));
        } else if let Some(tag) = after(&line, "file.hasTag(") {
            rules.push(MatchRule::Tag(tag.trim_start_matches('#').to_owned()));
        } else if let Some((key, rest)) = line.split_once(".contains(") {
            let key = key.trim_start_matches(['-', ' ', '\'', '"']).trim_start_matches("note.");
            let value = after(rest, "link(").map(link).or_else(|| quoted(rest));
            if let Some(value) = value.filter(|_| key.chars().all(|c| c.is_alphanumeric() || c == '_')) {
                rules.push(MatchRule::Where(format!("{key} contains {value}")));
            }
        }
    }
    rules.retain(|rule| rule.recogniser().is_some());
    rules
}

/// Number of notes with a property that fits a field, and the most frequent such field.
fn fitting(declared: &RecordType, notes: &[&QueryRow]) -> (usize, Option<(String, usize)>) {
    let found = properties_of(declared, notes);
    // Tags and titles occur in all kinds of notes, so they do not count.
    let significant: Vec<&Found> = found
        .iter()
        .filter(|found| found.field != "tags" && declared.title.as_deref() != Some(&found.field))
        .collect();
    let has = |row: &QueryRow, found: &Found| {
        let value = row.document.property(&found.property);
        value.is_some_and(|value| says_something(value) && found.declared.fits(value))
    };
    let fitting = notes.iter().filter(|row| significant.iter().any(|found| has(row, found))).count();
    let most = significant.iter().map(|found| {
        let with = notes.iter().filter(|row| has(row, found)).count();
        (found.declared.label(&found.field).to_lowercase(), with)
    });
    (fitting, most.max_by_key(|(_, with)| *with))
}

/// The notes of all rules, ordered by path.
pub(super) fn union<'a>(candidates: &[Candidate<'a>]) -> Vec<&'a QueryRow> {
    let used = candidates.iter().filter(|one| one.used).flat_map(|one| one.notes.iter().copied());
    let by_path: BTreeMap<&VaultPath, &QueryRow> = used.map(|row| (&row.path, row)).collect();
    by_path.into_values().collect()
}
