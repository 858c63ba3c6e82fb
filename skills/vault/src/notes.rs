//! Resolves the note that a text names.

use nova_skill::figures::similarity;
use nova_skill::{
    Note, PathError, ToolContext, ToolError, ToolVault, Value, VaultError, VaultPath, file_name, json,
};

/// The kind of object in errors.
pub(crate) const NOTE: &str = "note";

/// Maximum bytes of notes in one answer.
pub(crate) const MOST: usize = 48 * 1024;

/// Nearest names listed by an error, and their minimum similarity.
pub(crate) const NEAREST: usize = 5;
const ALIKE: usize = 30;

/// Resolves `said` by its path with or without `.md`, or like a wikilink if only one note has that name.
///
/// # Errors
/// A path outside of the vault is refused; `Ambiguous` for several notes, `NotFound` for none, `NoNote` for a
/// folder or another file of that name.
pub(crate) async fn named(ctx: &dyn ToolContext, said: &str) -> Result<Note, ToolError> {
    Ok(named_part(ctx, said).await?.0)
}

/// Like [`named`], also with a heading or block: `Jane Doe#Log`, `[[Jane Doe#^id]]`.
///
/// # Errors
/// As [`named`].
pub(crate) async fn named_part(
    ctx: &dyn ToolContext,
    said: &str,
) -> Result<(Note, Option<String>), ToolError> {
    let name = bare(said);
    // `Trips/` can only be a folder.
    let folder = name.trim_end_matches('/');
    if (folder == name || path_of(folder).is_err())
        && let Some(note) = looked_up(ctx, name).await?
    {
        return Ok((note, None));
    }
    // `#` and `|` are rare in file names, but common in links.
    if let Some((before, part)) = name.split_once(['#', '|'])
        && !before.trim().is_empty()
        && let Some(note) = looked_up(ctx, before.trim()).await?
    {
        let part = if name[before.len()..].starts_with('#') { part.split('|').next() } else { None };
        let part = part.and_then(|part| part.rsplit('#').next()).map(str::trim);
        return Ok((note, part.filter(|part| !part.is_empty()).map(str::to_owned)));
    }
    if let Some(file) = file_named(ctx, name).await? {
        return Err(ToolError::NoNote {
            what: format!("\"{file}\" is a file, not a note."),
            remedy: "Only notes (.md) and bases (.base) are read and changed; vault.links tells which notes show it."
                .into(),
        });
    }
    if ctx.vault().has_folder(folder).await? {
        return Err(ToolError::NoNote {
            what: format!("\"{folder}\" is a folder, not a note."),
            remedy: format!("vault.query with the condition `file.folder = {folder}` lists its notes."),
        });
    }
    if let Some(base) = ctx.vault().resolve(&format!("{folder}.base")).await? {
        return Err(ToolError::NoNote {
            what: format!("\"{base}\" is a base, not a note."),
            remedy:
                "vault.query_base answers with its rows; with its ending, vault.read_note gives its text."
                    .into(),
        });
    }
    Err(not_found(ctx.vault(), without_brackets(said)).await)
}

/// The file of that path or name that is not a note, such as an image or a canvas.
pub(crate) async fn file_named(ctx: &dyn ToolContext, said: &str) -> Result<Option<VaultPath>, ToolError> {
    let file = ctx.vault().resolve(bare(said)).await?;
    Ok(file.filter(|path| !path.is_note() && !path.as_str().to_ascii_lowercase().ends_with(".base")))
}

async fn looked_up(ctx: &dyn ToolContext, name: &str) -> Result<Option<Note>, ToolError> {
    let path = match path_of(name) {
        Ok(path) => path,
        Err(error) => return Err(with_intended_path(ctx, name, error).await),
    };
    match ctx.vault().read(&path).await {
        Err(error) if is_missing(&error) => {}
        other => return other.map(Some),
    }
    let mut found = ctx.vault().find(name).await?;
    match found.len() {
        0 => Ok(None),
        1 => ctx.vault().read(&found.remove(0)).await.map(Some),
        _ => Err(ToolError::Ambiguous {
            kind: NOTE.into(),
            name: name.into(),
            matches: found.iter().map(ToString::to_string).collect(),
        }),
    }
}

/// Adds the intended path to the error of an invalid one: an absolute path into the vault, or one with `\`,
/// `./` or spaces.
async fn with_intended_path(ctx: &dyn ToolContext, said: &str, error: ToolError) -> ToolError {
    let ToolError::Vault(VaultError::Path(PathError { path, problem, instead: None })) = &error else {
        return error;
    };
    let instead = match intended_path(ctx, said).await {
        Some(intended) => ctx.vault().find(intended.as_str()).await.ok().filter(|found| found.len() == 1),
        None => None,
    };
    match instead.and_then(|mut found| found.pop()) {
        Some(note) => VaultError::Path(PathError { path: path.clone(), problem, instead: Some(note) }).into(),
        None => error,
    }
}

async fn intended_path(ctx: &dyn ToolContext, said: &str) -> Option<VaultPath> {
    if said.ends_with(['/', '\\']) {
        return None;
    }
    let within = ctx.vault().name_of(said).await.ok().flatten();
    let path = within.unwrap_or_else(|| said.replace('\\', "/"));
    let parts = path.split('/').map(str::trim).filter(|part| !matches!(*part, "" | "."));
    path_of(&parts.collect::<Vec<_>>().join("/")).ok()
}

/// The path of a new note. Its name is made valid for links and every file system; without a folder it is
/// placed where `folder` says.
///
/// # Errors
/// A path outside of the vault is refused, and so is one that exists or is private.
pub(crate) async fn new_path(
    ctx: &dyn ToolContext,
    said: &str,
    folder: &str,
) -> Result<VaultPath, ToolError> {
    let name = without_brackets(said);
    let asked = match path_of(name) {
        Ok(asked) => asked,
        Err(error) => return Err(with_intended_new_path(ctx, name, error).await),
    };
    let folder = if asked.folder().is_empty() { folder } else { asked.folder() };
    let extension = if asked.is_note() { ".md" } else { ".base" };
    let stem = asked.name().strip_suffix(extension).unwrap_or(asked.name());
    let folder = folder_of(ctx, folder).await?;
    let path = VaultPath::in_folder(&folder, &format!("{}{extension}", file_name(stem)))
        .map_err(VaultError::from)?;
    free(ctx, path).await
}

/// The existing part of the folder stays as it is; new parts get names that are valid on every file system.
pub(crate) async fn folder_of(ctx: &dyn ToolContext, asked: &str) -> Result<String, ToolError> {
    let mut folder = String::new();
    for part in asked.split('/').filter(|part| !part.is_empty()) {
        let below = |name: &str| if folder.is_empty() { name.to_owned() } else { format!("{folder}/{name}") };
        let as_asked = below(part);
        let is_odd = file_name(part) != part;
        folder = if is_odd && !ctx.vault().has_folder(&as_asked).await? {
            below(&file_name(part))
        } else {
            as_asked
        };
    }
    Ok(folder)
}

/// Like [`with_intended_path`], for a note that does not exist yet: an absolute path outside of the
/// vault names nothing in it.
async fn with_intended_new_path(ctx: &dyn ToolContext, said: &str, error: ToolError) -> ToolError {
    let ToolError::Vault(VaultError::Path(PathError { path, problem, instead: None })) = &error else {
        return error;
    };
    let is_elsewhere = said.starts_with(['/', '\\'])
        && !matches!(ctx.vault().name_of(said).await, Ok(Some(within)) if !within.is_empty());
    match intended_path(ctx, said).await {
        Some(intended) if !is_elsewhere => {
            VaultError::Path(PathError { path: path.clone(), problem, instead: Some(intended) }).into()
        }
        _ => error,
    }
}

/// The path, if no note exists there.
///
/// # Errors
/// If a note exists there, or the path is private.
pub(crate) async fn free(ctx: &dyn ToolContext, path: VaultPath) -> Result<VaultPath, ToolError> {
    match ctx.vault().read(&path).await {
        Ok(note) => Err(VaultError::Exists { path: note.path }.into()),
        Err(error) if is_missing(&error) => Ok(path),
        Err(error) if is_private(&error) => Err(no_such_path(&path)),
        Err(error) => Err(error),
    }
}

/// Refuses a private path for a new note without a reason, which would reveal that a note exists.
fn no_such_path(path: &VaultPath) -> ToolError {
    ToolError::NoNote { what: format!("\"{path}\" was not found."), remedy: "Choose another path.".into() }
}

/// Plans a note where one of Obsidian's settings puts it, and returns its path. An existing folder in another
/// case is used.
///
/// # Errors
/// As for any new note; [`VaultError::Exists`] names the existing one.
pub(crate) async fn create_as_set(
    ctx: &dyn ToolContext,
    path: VaultPath,
    text: String,
) -> Result<VaultPath, ToolError> {
    let as_set = ctx.vault().create(&path, text.clone()).await;
    let (there, created) = match as_set {
        Err(ToolError::Vault(VaultError::Path(PathError { instead: Some(there), .. }))) => {
            let created = ctx.vault().create(&there, text).await;
            (there, created)
        }
        created => (path, created),
    };
    match created {
        Ok(()) => Ok(there),
        Err(error) => Err(without_private(ctx, &there, error).await),
    }
}

/// The error of a write at `path`, unless it would name a private note that differs in case only.
pub(crate) async fn without_private(ctx: &dyn ToolContext, path: &VaultPath, error: ToolError) -> ToolError {
    let ToolError::Vault(VaultError::Exists { path: there }) = &error else { return error };
    match ctx.vault().read(there).await {
        Err(hidden) if is_private(&hidden) => no_such_path(path),
        _ => error,
    }
}

fn is_private(error: &ToolError) -> bool {
    matches!(error, ToolError::Vault(VaultError::Private { .. }))
}

pub(crate) fn is_missing(error: &ToolError) -> bool {
    matches!(error, ToolError::Vault(VaultError::NotFound { .. }))
}

/// Parses a path, adding `.md` unless it has the extension of a file that Nova writes.
pub(crate) fn path_of(said: &str) -> Result<VaultPath, ToolError> {
    let lower = said.to_ascii_lowercase();
    if said.is_empty() || said.ends_with('/') {
        VaultPath::parse(said).map_err(VaultError::from)?;
    }
    let file = if lower.ends_with(".md") || lower.ends_with(".base") {
        said.to_owned()
    } else {
        format!("{said}.md")
    };
    let path = VaultPath::parse(&file).map_err(VaultError::from)?;
    if path.is_hidden() {
        return Err(VaultError::Hidden { path }.into());
    }
    Ok(path)
}

/// `[[Jane Doe#Log|Jane]]`, as a user might paste it.
pub(crate) fn without_brackets(said: &str) -> &str {
    let bare = bare(said);
    if bare == said.trim() { bare } else { bare.split(['|', '#']).next().unwrap_or(bare).trim() }
}

/// The target of `[[Jane Doe#Log|Jane]]` and `![[Jane Doe]]`; anything else unchanged.
fn bare(said: &str) -> &str {
    let said = said.trim();
    let link = said.strip_prefix('!').unwrap_or(said);
    let inner = link.strip_prefix("[[").and_then(|rest| rest.strip_suffix("]]"));
    inner.map_or(said, str::trim)
}

async fn not_found(vault: &dyn ToolVault, name: &str) -> ToolError {
    let all = vault.paths().await.unwrap_or_default();
    let mut near: Vec<(usize, &VaultPath)> = all
        .iter()
        .map(|path| (similarity(path.name(), name).max(similarity(path.as_str(), name)), path))
        .filter(|(similarity, _)| *similarity >= ALIKE)
        .collect();
    near.sort_by(|a, b| b.0.cmp(&a.0).then_with(|| a.1.cmp(b.1)));
    ToolError::NotFound {
        kind: NOTE.into(),
        name: name.into(),
        nearest: near.into_iter().take(NEAREST).map(|(_, path)| path.to_string()).collect(),
    }
}

/// As many values as fit in one answer, from the first. A value that fits in no answer is reduced to its
/// path, so that it does not hide those after it.
pub(crate) fn within_budget(values: impl Iterator<Item = Value>) -> Vec<Value> {
    let mut left = MOST;
    values
        .map(|value| match value.get("path") {
            Some(path) if value.to_string().len() > MOST => json!({"path": path, "too_large": true}),
            _ => value,
        })
        .take_while(|value| {
            let fits = value.to_string().len() <= left;
            left = left.saturating_sub(value.to_string().len());
            fits
        })
        .collect()
}
