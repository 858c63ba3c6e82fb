use nova_skill::figures::folded;
use nova_skill::jiff::civil::Date;
use nova_skill::{CallError, NotePath, ToolContext, ToolError, ToolVault, Value, json};

use super::person::Person;

/// How many people are looked up: a tool may make a limited number of calls.
const MOST: usize = 50;

/// The attendees of a meeting, as the skill `crm` knows them.
#[derive(Default)]
pub(super) struct Contacts {
    known: Vec<Contact>,
    /// All others: `Odile`, `Ann Doe <ann@example.org>`.
    pub(super) others: Vec<String>,
    /// Why people could not be looked up, without duplicates.
    pub(super) problems: Vec<String>,
}

struct Contact {
    path: String,
    name: String,
    /// The body of its note.
    text: String,
    /// The target of a link to its note.
    link: String,
}

impl Contacts {
    pub(super) async fn of(ctx: &dyn ToolContext, people: Vec<Person>) -> Result<Self, ToolError> {
        let mut all = Self::default();
        for (place, person) in people.iter().enumerate() {
            let contact = if place < MOST { all.find(ctx, person).await? } else { None };
            match contact {
                Some(contact) if all.known.iter().any(|other| other.path == contact.path) => {}
                Some(contact) => all.known.push(contact),
                None if all.others.contains(&person.shown()) => {}
                None => all.others.push(person.shown()),
            }
        }
        if people.len() > MOST {
            all.problems.push(format!("Only the first {MOST} attendees were looked up as contacts."));
        }
        Ok(all)
    }

    pub(super) fn names(&self) -> Vec<&str> {
        self.known.iter().map(|contact| contact.name.as_str()).collect()
    }

    /// All of them for a note: contacts as links, others as text.
    pub(super) fn attendees(&self) -> Vec<String> {
        let links = self.known.iter().map(|contact| format!("[[{}]]", contact.link));
        links.chain(self.others.iter().cloned()).collect()
    }

    /// The contact with exactly that address or name: `crm` also matches a part of a name.
    async fn find(&mut self, ctx: &dyn ToolContext, person: &Person) -> Result<Option<Contact>, ToolError> {
        for said in [person.address.as_deref(), person.name.as_deref()].into_iter().flatten() {
            let found = match ctx.tools().call("crm.get_contact", json!({"name": said})).await {
                Ok(found) => found,
                Err(error) if matches!(error.code.as_str(), "note_not_found" | "ambiguous") => continue,
                Err(CallError { message, hint, .. }) => {
                    let problem = format!("Contacts were not looked up. {message} {hint}").trim().to_owned();
                    if !self.problems.contains(&problem) {
                        self.problems.push(problem);
                    }
                    continue;
                }
            };
            if let Some(path) = found["path"].as_str().filter(|path| is_exactly(&found, path, said)) {
                return Ok(Some(Contact {
                    name: found["name"].as_str().unwrap_or(said).to_owned(),
                    text: found["text"].as_str().unwrap_or_default().to_owned(),
                    link: link_text(path, ctx.vault()).await?,
                    path: path.to_owned(),
                }));
            }
        }
        Ok(None)
    }

    /// Logs the meeting with each contact whose note does not link to its note yet. Returns their names, and why it
    /// failed with others.
    pub(super) async fn log(
        &self,
        ctx: &dyn ToolContext,
        note: &NotePath,
        day: Date,
    ) -> Result<(Vec<&str>, Vec<String>), ToolError> {
        let link = link_text(note.as_str(), ctx.vault()).await?;
        let (mut logged, mut failed) = (Vec::new(), Vec::new());
        for contact in &self.known {
            if links_to(&contact.text, note) {
                continue;
            }
            let said = json!({
                "name": contact.path,
                "text": format!("Meeting: [[{link}]]"),
                "date": day.to_string(),
            });
            match ctx.tools().call("crm.log_interaction", said).await {
                Ok(_) => logged.push(contact.name.as_str()),
                Err(CallError { message, hint, .. }) => {
                    failed.push(format!("{}: {message} {hint}", contact.name).trim().to_owned());
                }
            }
        }
        Ok((logged, failed))
    }
}

fn is_exactly(contact: &Value, path: &str, said: &str) -> bool {
    let wanted = folded(said);
    let is = |value: &Value| value.as_str().is_some_and(|own| folded(own) == wanted);
    let any = |value: &Value| is(value) || value.as_array().is_some_and(|all| all.iter().any(is));
    let other = &contact["other_properties"];
    any(&contact["email"])
        || is(&contact["name"])
        || any(&other["aliases"])
        || any(&other["alias"])
        || folded(path) == wanted
        || folded(without_md(path)) == wanted
}

/// Whether a text links to a note, by its name or its path.
fn links_to(text: &str, note: &NotePath) -> bool {
    [note.name(), without_md(note.as_str())]
        .iter()
        .any(|said| [']', '|'].iter().any(|end| text.contains(&format!("[[{said}{end}"))))
}

/// The target of a link to a note: its name, or its path if another note has that name.
async fn link_text(path: &str, vault: &dyn ToolVault) -> Result<String, ToolError> {
    let whole = without_md(path);
    let name = whole.rsplit('/').next().unwrap_or(whole);
    let is_other = |other: &NotePath| other.as_str() != path && folded(other.name()) == folded(name);
    let is_shared = vault.find(name).await?.iter().any(is_other);
    Ok(if is_shared { whole } else { name }.to_owned())
}

fn without_md(path: &str) -> &str {
    path.strip_suffix(".md").unwrap_or(path)
}
