use std::borrow::Cow;
use std::collections::HashMap;

use nova_skill::figures::{folded, similarity};
use nova_skill::{NotePath, ToolError, ToolVault};

use crate::records::{CONTACT, DEAL, Entry, Records};

/// The maximum number of similar names in an error.
pub(crate) const MAX_NEAREST: usize = 5;

/// The maximum number of matches in an error.
const MAX_LISTED: usize = 20;

/// The target of a link.
pub(crate) enum Target {
    /// The note of a record.
    Record(NotePath),
    /// A name without a record, with the most similar names.
    New { name: String, nearest: Vec<String> },
}

/// The text of a link to a note: its name, or its path if another note has the same name.
///
/// # Errors
/// If the vault cannot be read.
pub(crate) async fn link_text(note: &NotePath, vault: &dyn ToolVault) -> Result<String, ToolError> {
    let name = folded(note.name());
    let is_other = |other: &NotePath| other != note && folded(other.name()) == name;
    if vault.find(note.name()).await?.iter().any(is_other) {
        return Ok(without_md(note.as_str()).to_owned());
    }
    Ok(note.name().to_owned())
}

pub(crate) fn without_md(path: &str) -> &str {
    path.strip_suffix(".md").unwrap_or(path)
}

impl Records {
    /// Finds the one record that matches `name`: by path, e-mail address (contacts), whole name, alias, whole
    /// words of the name (optionally with words of the company or of the deal's contact), or prefixes of such
    /// words. The first rule with a match decides.
    ///
    /// # Errors
    /// `Ambiguous` with all matches, `NotFound` with the most similar names.
    pub(crate) fn find(&self, name: &str) -> Result<Entry<'_>, ToolError> {
        let name = without_brackets(name);
        let wanted = folded(name);
        if wanted.is_empty() {
            let (argument, which) = match self.kind() {
                DEAL => ("/title", "which deal"),
                CONTACT => ("/name", "whom"),
                _ => ("/name", "which one"),
            };
            return Err(ToolError::InvalidArguments {
                path: argument.into(),
                rule: format!("must not be empty; say {which} you mean"),
                allowed: Vec::new(),
            });
        }
        let context_fields: Vec<&str> = ["company", "contact"]
            .into_iter()
            .filter(|field| self.declared.fields.contains_key(*field))
            .collect();
        let mut found = self.matching(|entry| Ok(is_path(entry.path(), name)))?;
        if found.is_empty() && wanted.contains('@') && self.kind() == CONTACT {
            found = self.matching(|entry| entry.has_email(&wanted))?;
        }
        if found.is_empty() {
            found = self.matching(|entry| Ok(entry.has_name(&wanted)))?;
        }
        if found.is_empty() {
            found = self.matching(|entry| Ok(entry.aliases().iter().any(|alias| folded(alias) == wanted)))?;
        }
        if found.is_empty() {
            found =
                self.matching(|entry| has_words(entry, &context_fields, &wanted, |word, part| word == part))?;
        }
        if found.is_empty() {
            found = self.matching(|entry| {
                has_words(entry, &context_fields, &wanted, |word, part| word.starts_with(part))
            })?;
        }
        match found.len() {
            0 => Err(self.not_found(name)),
            1 => Ok(found.remove(0)),
            _ => Err(ToolError::Ambiguous {
                kind: self.kind().into(),
                name: name.into(),
                matches: labels(&found, &context_fields)?,
            }),
        }
    }

    /// Resolves `name` to the target of a link. A name without a record becomes [`Target::New`].
    ///
    /// # Errors
    /// `Ambiguous` with all matches; another error if the note of that name cannot be read.
    pub(crate) fn link_to(&self, name: &str) -> Result<Target, ToolError> {
        match self.find(name) {
            Ok(entry) => Ok(Target::Record(entry.note().path.clone())),
            Err(ToolError::NotFound { nearest, .. }) => {
                Ok(Target::New { name: without_brackets(name).to_owned(), nearest })
            }
            Err(error) => Err(error),
        }
    }

    /// The record with exactly this name.
    ///
    /// # Errors
    /// `Ambiguous` with all records of that name.
    pub(crate) fn by_name(&self, name: &str) -> Result<Option<Entry<'_>>, ToolError> {
        let name = without_brackets(name);
        let mut found = self.matching(|entry| Ok(entry.has_name(name)))?;
        if found.len() > 1 {
            return Err(ToolError::Ambiguous {
                kind: self.kind().into(),
                name: name.into(),
                matches: labels(&found, &[])?,
            });
        }
        Ok(found.pop())
    }

    fn matching(
        &self,
        fits: impl Fn(&Entry) -> Result<bool, ToolError>,
    ) -> Result<Vec<Entry<'_>>, ToolError> {
        let mut found = Vec::new();
        for entry in self.iter() {
            if fits(&entry)? {
                found.push(entry);
            }
        }
        Ok(found)
    }

    fn not_found(&self, name: &str) -> ToolError {
        if let Some(error) = self.unreadable_as(name) {
            return error;
        }
        let mut near: Vec<(usize, Cow<'_, str>)> = self
            .iter()
            .map(|entry| (similarity(&entry.name, name), entry.name))
            .filter(|(similarity, _)| *similarity > 0)
            .collect();
        near.sort_by(|a, b| b.0.cmp(&a.0).then_with(|| a.1.cmp(&b.1)));
        near.dedup_by(|a, b| a.1 == b.1);
        ToolError::NotFound {
            kind: self.kind().into(),
            name: name.into(),
            nearest: near.into_iter().take(MAX_NEAREST).map(|(_, name)| name.into_owned()).collect(),
        }
    }

    /// The error for an existing note of that name that cannot be read.
    pub(crate) fn unreadable_as(&self, name: &str) -> Option<ToolError> {
        let wanted = folded(name);
        let problem = self.unreadable.iter().find(|problem| {
            let file = problem.path.rsplit('/').next().unwrap_or_default();
            is_path(&problem.path, name) || folded(file.strip_suffix(".md").unwrap_or(file)) == wanted
        })?;
        Some(ToolError::failed(
            format!(
                "\"{}\" cannot be read as a {}: line {}: {}.",
                problem.path,
                self.kind(),
                problem.line,
                problem.problem
            ),
            problem.remedy.clone(),
        ))
    }
}

/// Strips `[[Jane Doe|Jane]]` to its target.
fn without_brackets(name: &str) -> &str {
    let name = name.trim();
    let inner = name.strip_prefix("[[").and_then(|rest| rest.strip_suffix("]]"));
    inner.map_or(name, |inner| inner.split('|').next().unwrap_or(inner).trim())
}

fn is_path(path: &str, text: &str) -> bool {
    path == text || path.strip_suffix(".md") == Some(text)
}

/// Whether each word of `wanted` matches, by `same`, a word of the name or of `context_fields`, and at least
/// one matches a word of the name.
fn has_words(
    entry: &Entry,
    context_fields: &[&str],
    wanted: &str,
    same: impl Fn(&str, &str) -> bool,
) -> Result<bool, ToolError> {
    let name = folded(&entry.name);
    let of_name = |part: &str| words(&name).any(|word| same(word, part));
    if !words(wanted).any(of_name) {
        return Ok(false);
    }
    let mut others = Vec::new();
    for field in context_fields {
        others.extend(entry.record.text(field)?.map(|text| folded(&text)));
    }
    let of_others = |part: &str| others.iter().flat_map(|text| words(text)).any(|word| same(word, part));
    Ok(words(wanted).all(|part| of_name(part) || of_others(part)))
}

fn words(text: &str) -> impl Iterator<Item = &str> {
    text.split(|c: char| !c.is_alphanumeric()).filter(|word| !word.is_empty())
}

/// The names, told apart by the company, and by the path where that is not enough.
fn labels(found: &[Entry], context_fields: &[&str]) -> Result<Vec<String>, ToolError> {
    let mut times: HashMap<String, usize> = HashMap::new();
    for entry in found {
        *times.entry(folded(&entry.name)).or_default() += 1;
    }
    let mut labels = Vec::new();
    for entry in found.iter().take(MAX_LISTED) {
        let mut label = entry.name.clone().into_owned();
        for field in context_fields.iter().take(1) {
            if let Some(text) = entry.record.text(field)? {
                label.push_str(&format!(" ({text})"));
            }
        }
        if times[&folded(&entry.name)] > 1 {
            label.push_str(&format!(" at {}", entry.path()));
        }
        labels.push(label);
    }
    if found.len() > MAX_LISTED {
        labels.push(format!("and {} more", found.len() - MAX_LISTED));
    }
    Ok(labels)
}
