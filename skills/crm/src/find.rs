use std::borrow::Cow;
use std::collections::HashMap;

use nova_skill::figures::{folded, similarity};
use nova_skill::{NotePath, ToolError, ToolVault};

use crate::records::{CONTACT, DEAL, Entry, Records};

/// How many of the nearest names an error lists.
pub(crate) const NEAREST: usize = 5;

/// How many of those that fit an error lists.
const LISTED: usize = 20;

/// What a link points at.
pub(crate) enum Target {
    /// A record's note.
    Record(NotePath),
    /// A name that no record has yet, and the names nearest to it.
    New { name: String, nearest: Vec<String> },
}

/// What a link to a note says: its name, and its path where another note has that name, too.
///
/// # Errors
/// When the vault cannot be read.
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
    /// The one record that a person would mean by `name`: by path, a contact by e-mail address, by
    /// whole name, by alias, by whole words of the name (those of the company or of a deal's contact
    /// may stand beside them), by how these words begin. The first of these that fits any decides.
    ///
    /// # Errors
    /// `Ambiguous` with all that fit, `NotFound` with the nearest.
    pub(crate) fn find(&self, name: &str) -> Result<Entry<'_>, ToolError> {
        let said = without_brackets(name);
        let wanted = folded(said);
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
        let beside: Vec<&str> = ["company", "contact"]
            .into_iter()
            .filter(|field| self.declared.fields.contains_key(*field))
            .collect();
        let mut found = self.matching(|entry| Ok(is_path(entry.path(), said)))?;
        if found.is_empty() && wanted.contains('@') && self.kind() == CONTACT {
            found = self.matching(|entry| entry.has_email(&wanted))?;
        }
        if found.is_empty() {
            found = self.matching(|entry| Ok(entry.is_called(&wanted)))?;
        }
        if found.is_empty() {
            found = self.matching(|entry| Ok(entry.aliases().iter().any(|alias| folded(alias) == wanted)))?;
        }
        if found.is_empty() {
            found = self.matching(|entry| has_words(entry, &beside, &wanted, |word, part| word == part))?;
        }
        if found.is_empty() {
            found = self
                .matching(|entry| has_words(entry, &beside, &wanted, |word, part| word.starts_with(part)))?;
        }
        match found.len() {
            0 => Err(self.not_found(said)),
            1 => Ok(found.remove(0)),
            _ => Err(ToolError::Ambiguous {
                kind: self.kind().into(),
                name: said.into(),
                matches: labels(&found, &beside)?,
            }),
        }
    }

    /// What a link to the record that a person means by `name` points at. A name that no record has is its
    /// own, and said to be new.
    ///
    /// # Errors
    /// `Ambiguous` with all that fit; an error of its own where the note of that name is broken.
    pub(crate) fn link_to(&self, name: &str) -> Result<Target, ToolError> {
        match self.find(name) {
            Ok(entry) => Ok(Target::Record(entry.note().path.clone())),
            Err(ToolError::NotFound { nearest, .. }) => {
                Ok(Target::New { name: without_brackets(name).to_owned(), nearest })
            }
            Err(error) => Err(error),
        }
    }

    /// The one record of this very name.
    ///
    /// # Errors
    /// `Ambiguous` with all that have it.
    pub(crate) fn called(&self, name: &str) -> Result<Option<Entry<'_>>, ToolError> {
        let said = without_brackets(name);
        let mut found = self.matching(|entry| Ok(entry.is_called(said)))?;
        if found.len() > 1 {
            return Err(ToolError::Ambiguous {
                kind: self.kind().into(),
                name: said.into(),
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
            nearest: near.into_iter().take(NEAREST).map(|(_, name)| name.into_owned()).collect(),
        }
    }

    /// The error to give when a note of that name is there but cannot be read.
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

/// `[[Jane Doe|Jane]]` as a person might copy it.
fn without_brackets(name: &str) -> &str {
    let name = name.trim();
    let inner = name.strip_prefix("[[").and_then(|rest| rest.strip_suffix("]]"));
    inner.map_or(name, |inner| inner.split('|').next().unwrap_or(inner).trim())
}

fn is_path(path: &str, said: &str) -> bool {
    path == said || path.strip_suffix(".md") == Some(said)
}

/// Whether every word of `wanted` is one of the name's or of the fields beside it, by `same`, and at
/// least one of them is the name's.
fn has_words(
    entry: &Entry,
    beside: &[&str],
    wanted: &str,
    same: impl Fn(&str, &str) -> bool,
) -> Result<bool, ToolError> {
    let name = folded(&entry.name);
    let of_name = |part: &str| words(&name).any(|word| same(word, part));
    if !words(wanted).any(of_name) {
        return Ok(false);
    }
    let mut others = Vec::new();
    for field in beside {
        others.extend(entry.record.text(field)?.map(|text| folded(&text)));
    }
    let of_others = |part: &str| others.iter().flat_map(|text| words(text)).any(|word| same(word, part));
    Ok(words(wanted).all(|part| of_name(part) || of_others(part)))
}

fn words(text: &str) -> impl Iterator<Item = &str> {
    text.split(|c: char| !c.is_alphanumeric()).filter(|word| !word.is_empty())
}

/// Each with what tells it apart: the company, and the path where the name does not.
fn labels(found: &[Entry], beside: &[&str]) -> Result<Vec<String>, ToolError> {
    let mut times: HashMap<String, usize> = HashMap::new();
    for entry in found {
        *times.entry(folded(&entry.name)).or_default() += 1;
    }
    let mut labels = Vec::new();
    for entry in found.iter().take(LISTED) {
        let mut label = entry.name.clone().into_owned();
        for field in beside.iter().take(1) {
            if let Some(text) = entry.record.text(field)? {
                label.push_str(&format!(" ({text})"));
            }
        }
        if times[&folded(&entry.name)] > 1 {
            label.push_str(&format!(" at {}", entry.path()));
        }
        labels.push(label);
    }
    if found.len() > LISTED {
        labels.push(format!("and {} more", found.len() - LISTED));
    }
    Ok(labels)
}
