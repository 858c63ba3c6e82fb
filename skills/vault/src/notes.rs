//! Which note a text means.

use nova_skill::{
    Note, PathError, ToolContext, ToolError, ToolVault, Value, VaultError, VaultPath, file_name, json,
    likeness,
};

/// What errors call it.
pub(crate) const NOTE: &str = "note";

/// How many bytes of notes one answer holds.
pub(crate) const MOST: usize = 48 * 1024;

/// How many of the nearest names an error lists, and how much alike they are at least.
const NEAREST: usize = 5;
const ALIKE: usize = 30;

/// The note that `said` names: by its path with or without `.md`, or as a wikilink would name it
/// where only one note goes by that name.
///
/// # Errors
/// A path out of the vault is refused, several notes are `Ambiguous`, none is `NotFound`.
pub(crate) async fn named(ctx: &dyn ToolContext, said: &str) -> Result<Note, ToolError> {
    let name = without_brackets(said);
    let path = path_of(name)?;
    match ctx.vault().read(&path).await {
        Err(error) if is_missing(&error) => {}
        other => return other,
    }
    let mut found = ctx.vault().find(name).await?;
    match found.len() {
        0 => Err(not_found(ctx.vault(), name).await),
        1 => ctx.vault().read(&found.remove(0)).await,
        _ => Err(ToolError::Ambiguous {
            kind: NOTE.into(),
            name: name.into(),
            matches: found.iter().map(ToString::to_string).collect(),
        }),
    }
}

/// Where a note is to be that is not there yet. Its name becomes one that links and every system
/// can hold; without a folder it goes where `folder` says.
///
/// # Errors
/// A path out of the vault is refused; so is one where a note is, or that the user keeps private.
pub(crate) async fn new_path(
    ctx: &dyn ToolContext,
    said: &str,
    folder: &str,
) -> Result<VaultPath, ToolError> {
    let asked = path_of(without_brackets(said))?;
    let folder = if asked.folder().is_empty() { folder } else { asked.folder() };
    let extension = if asked.is_note() { ".md" } else { ".base" };
    let stem = asked.name().strip_suffix(extension).unwrap_or(asked.name());
    let path =
        VaultPath::in_folder(folder, &format!("{}{extension}", file_name(stem))).map_err(VaultError::from)?;
    free(ctx, path).await
}

/// The path, where no note is.
///
/// # Errors
/// Where one is, or the user keeps it private.
pub(crate) async fn free(ctx: &dyn ToolContext, path: VaultPath) -> Result<VaultPath, ToolError> {
    match ctx.vault().read(&path).await {
        Ok(note) => Err(VaultError::Exists { path: note.path }.into()),
        Err(error) if is_missing(&error) => Ok(path),
        Err(error) => Err(error),
    }
}

/// Plans a note where one of Obsidian's settings puts it, and gives its path: a folder that is there in
/// another case is the one that is meant.
///
/// # Errors
/// As those of any new note; [`VaultError::Exists`] names the one that is there.
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

/// The error of a write at `path`, where it names a note that only differs in case: a private one
/// is not named.
pub(crate) async fn without_private(ctx: &dyn ToolContext, path: &VaultPath, error: ToolError) -> ToolError {
    let ToolError::Vault(VaultError::Exists { path: there }) = &error else { return error };
    match ctx.vault().read(there).await {
        Err(ToolError::Vault(VaultError::Private { .. })) => {
            VaultError::Private { name: path.to_string() }.into()
        }
        _ => error,
    }
}

pub(crate) fn is_missing(error: &ToolError) -> bool {
    matches!(error, ToolError::Vault(VaultError::NotFound { .. }))
}

/// A path as it is said, `.md` added where no ending names a file that Nova writes.
pub(crate) fn path_of(said: &str) -> Result<VaultPath, ToolError> {
    let lower = said.to_ascii_lowercase();
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

/// `[[Jane Doe#Log|Jane]]` as a person might copy it.
pub(crate) fn without_brackets(said: &str) -> &str {
    let said = said.trim();
    let Some(inner) = said.strip_prefix("[[").and_then(|rest| rest.strip_suffix("]]")) else { return said };
    inner.split(['|', '#']).next().unwrap_or(inner).trim()
}

async fn not_found(vault: &dyn ToolVault, name: &str) -> ToolError {
    let all = vault.paths().await.unwrap_or_default();
    let mut near: Vec<(usize, &VaultPath)> = all
        .iter()
        .map(|path| (likeness(path.name(), name).max(likeness(path.as_str(), name)), path))
        .filter(|(likeness, _)| *likeness >= ALIKE)
        .collect();
    near.sort_by(|a, b| b.0.cmp(&a.0).then_with(|| a.1.cmp(b.1)));
    ToolError::NotFound {
        kind: NOTE.into(),
        name: name.into(),
        nearest: near.into_iter().take(NEAREST).map(|(_, path)| path.to_string()).collect(),
    }
}

/// As many of the values, from the first, as one answer may hold. Of one that no answer could hold
/// only the path is left, so that it does not hide those after it.
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
