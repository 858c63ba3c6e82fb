use nova_skill::{ToolError, folded, likeness};

use crate::contacts::{CONTACT, Contact, Contacts};

/// How many of the nearest names an error lists.
const NEAREST: usize = 5;

impl Contacts {
    /// The one contact that a person would mean by `name`: by path, by e-mail address, by whole
    /// name, by alias, by whole words of the name (the company's may stand beside them), by how
    /// these words begin. The first of these that fits anybody decides.
    ///
    /// # Errors
    /// `Ambiguous` with everybody who fits, `NotFound` with the nearest.
    pub(crate) fn find(&self, name: &str) -> Result<Contact<'_>, ToolError> {
        let said = without_brackets(name);
        let wanted = folded(said);
        if wanted.is_empty() {
            return Err(ToolError::InvalidArguments {
                path: "/name".into(),
                rule: "must not be empty; say whom you mean".into(),
                allowed: Vec::new(),
            });
        }
        let mut found = self.matching(|contact| Ok(is_path(contact.path(), said)))?;
        if found.is_empty() && wanted.contains('@') {
            found = self.matching(|contact| contact.has_email(&wanted))?;
        }
        if found.is_empty() {
            found = self.matching(|contact| Ok(contact.is_called(&wanted)))?;
        }
        if found.is_empty() {
            found =
                self.matching(|contact| Ok(contact.aliases().iter().any(|alias| folded(alias) == wanted)))?;
        }
        if found.is_empty() {
            found = self.matching(|contact| has_words(contact, &wanted, |word, part| word == part))?;
        }
        if found.is_empty() {
            found =
                self.matching(|contact| has_words(contact, &wanted, |word, part| word.starts_with(part)))?;
        }
        match found.len() {
            0 => Err(self.not_found(said)),
            1 => Ok(found.remove(0)),
            _ => Err(ToolError::Ambiguous {
                kind: CONTACT.into(),
                name: said.into(),
                matches: labels(&found)?,
            }),
        }
    }

    fn matching(
        &self,
        fits: impl Fn(&Contact) -> Result<bool, ToolError>,
    ) -> Result<Vec<Contact<'_>>, ToolError> {
        let mut found = Vec::new();
        for contact in self.iter() {
            if fits(&contact)? {
                found.push(contact);
            }
        }
        Ok(found)
    }

    fn not_found(&self, name: &str) -> ToolError {
        if let Some(error) = self.unreadable_as(name) {
            return error;
        }
        let mut near: Vec<(usize, String)> = self
            .iter()
            .map(|contact| (likeness(&contact.name, name), contact.name))
            .filter(|(likeness, _)| *likeness > 0)
            .collect();
        near.sort_by(|a, b| b.0.cmp(&a.0).then_with(|| a.1.cmp(&b.1)));
        near.dedup_by(|a, b| a.1 == b.1);
        ToolError::NotFound {
            kind: CONTACT.into(),
            name: name.into(),
            nearest: near.into_iter().take(NEAREST).map(|(_, name)| name).collect(),
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
                "\"{}\" cannot be read as a contact: line {}: {}.",
                problem.path, problem.line, problem.problem
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

/// Whether every word of `wanted` is one of the name's or the company's, by `same`, and at least
/// one of them is the name's.
fn has_words(contact: &Contact, wanted: &str, same: impl Fn(&str, &str) -> bool) -> Result<bool, ToolError> {
    let name = folded(&contact.name);
    let company = contact.record.text("company")?.map(|company| folded(&company)).unwrap_or_default();
    let of_name = |part: &str| words(&name).any(|word| same(word, part));
    let of_company = |part: &str| words(&company).any(|word| same(word, part));
    Ok(words(wanted).any(of_name) && words(wanted).all(|part| of_name(part) || of_company(part)))
}

fn words(text: &str) -> impl Iterator<Item = &str> {
    text.split(|c: char| !c.is_alphanumeric()).filter(|word| !word.is_empty())
}

/// Each with what tells it apart: the company, and the path where the name does not.
fn labels(found: &[Contact]) -> Result<Vec<String>, ToolError> {
    let mut labels = Vec::new();
    for contact in found {
        let mut label = contact.name.clone();
        if let Some(company) = contact.record.text("company")? {
            label.push_str(&format!(" ({company})"));
        }
        if found.iter().filter(|other| folded(&other.name) == folded(&contact.name)).count() > 1 {
            label.push_str(&format!(" at {}", contact.path()));
        }
        labels.push(label);
    }
    Ok(labels)
}
