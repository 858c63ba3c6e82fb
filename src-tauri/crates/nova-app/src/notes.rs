use nova_protocol::{ErrorCode, NoteRef, NoteView, ProblemView, RecordOf, UserError};
use nova_registry::Snapshot;
use nova_vault::note::FrontMatter;
use nova_vault::{Note, VaultPath, View};

use crate::app::App;
use crate::blocking::blocking;

impl App {
    /// A note for display, by its path or by a link's name.
    pub(crate) async fn read_note(&self, note: NoteRef) -> Result<NoteView, UserError> {
        let vault = self.vault()?;
        let name = note.path;
        let snapshot = self.inner.registry.snapshot();
        blocking(move || {
            let note = find_note(&vault.seen_by_owner(), &name)?;
            let broken = match note.document.front_matter() {
                FrontMatter::Broken { line, reason } => Some(ProblemView {
                    path: note.path.to_string(),
                    line: *line,
                    problem: reason.clone(),
                    remedy: "Correct it in Obsidian; Nova leaves it as it is.".into(),
                    mark: None,
                }),
                _ => None,
            };
            let properties = note
                .document
                .properties()
                .iter()
                .map(|(key, property)| (key.clone(), property.value.display()))
                .collect();
            let body = note.text.get(note.document.body_start()..).unwrap_or_default();
            Ok(NoteView {
                path: note.path.to_string(),
                name: note.path.name().to_owned(),
                properties,
                html: nova_session::html(body),
                broken,
                record: record_of(&snapshot, &note),
            })
        })
        .await
    }

    /// The `obsidian:` URL of the note, or of another file with that path.
    pub(crate) async fn obsidian_address(&self, name: &str) -> Result<String, UserError> {
        let vault = self.vault()?;
        let name = name.to_owned();
        blocking(move || {
            let view = vault.seen_by_owner();
            let path = match file_named(&view, &name)? {
                Some(path) => path,
                None => find_note(&view, &name)?.path,
            };
            let file = vault.root().join(path.as_str());
            let mut address = url::Url::parse("obsidian://open")
                .map_err(|error| UserError::new(ErrorCode::Internal, error.to_string(), ""))?;
            address.query_pairs_mut().append_pair("path", &file.display().to_string());
            // Obsidian decodes %20, but not the + of form encoding.
            Ok(address.to_string().replace('+', "%20"))
        })
        .await
    }
}

/// The file with that path, unless it is a note.
fn file_named(vault: &View, name: &str) -> Result<Option<VaultPath>, UserError> {
    let path = VaultPath::parse(name).ok().filter(|path| !path.is_note());
    let Some(path) = path else { return Ok(None) };
    Ok(vault.files()?.contains(&path).then_some(path))
}

/// The first available skill that declares the note's type.
fn record_of(snapshot: &Snapshot, note: &Note) -> Option<RecordOf> {
    snapshot.available().find_map(|skill| {
        let declared = skill.records.of_note(note)?;
        Some(RecordOf {
            skill: skill.id.clone(),
            record_type: declared.name().to_owned(),
            label: declared.label(),
        })
    })
}

/// By path, otherwise by name or alias; brackets, heading and alias of a link are ignored.
pub(crate) fn find_note(vault: &View, name: &str) -> Result<Note, UserError> {
    let name = name.trim();
    let inner = name.strip_prefix("[[").and_then(|rest| rest.strip_suffix("]]"));
    let name = inner.map_or(name, |inner| inner.split('|').next().unwrap_or(inner));
    let target = name.split('#').next().unwrap_or(name).trim();
    if let Ok(path) = VaultPath::parse(target)
        && path.is_note()
        && let Ok(note) = vault.read(&path)
    {
        return Ok(note);
    }
    let found = vault.find(target)?;
    match found.as_slice() {
        [path] => Ok(vault.read(path)?),
        [] => Err(UserError::new(
            ErrorCode::NoteNotFound,
            format!("There is no note \"{target}\"."),
            "It may have been renamed or deleted.",
        )),
        several => {
            let names: Vec<&str> = several.iter().map(VaultPath::as_str).collect();
            Err(UserError::new(
                ErrorCode::Ambiguous,
                format!("Several notes are named \"{target}\"."),
                format!("They are {}.", names.join(", ")),
            ))
        }
    }
}
