//! Tools written by the assistant that await approval: files in `<config>/tools/pending`.

use std::path::{Path, PathBuf};
use std::sync::Arc;

use async_trait::async_trait;
use nova_calls::{Approval, Approved, ToolContent, ToolFace, diff_view, effect_view};
use nova_protocol::{
    DryRunRequest, DryRunResult, ErrorCode, PendingToolRow, PromotedTool, ReplacedToolView,
    ToolDefinitionView, ToolFileProblem, UserError,
};
use nova_registry::{
    ToolFile, ToolFileError, ToolFiles, ToolFolders, ToolHost, canonical, shown_name, tool_sources,
};
use nova_skill::{Clock, CredentialSource, Tool, ToolError, ToolSpec, VaultAccess, VaultPath};
use nova_skill_core::{PendingTool, PendingTools};
use serde_json::Value;

use crate::blocking::blocking;
use crate::own_files;
use crate::trust::Trust;

/// Maximum number of pending tools.
const MAX_PENDING: usize = 20;
/// Maximum size of a source, in bytes.
const MAX_SOURCE: usize = 256 * 1024;

pub(crate) struct PendingFolder {
    pub(crate) folders: ToolFolders,
    /// The folder for replaced versions.
    pub(crate) replaced: PathBuf,
    pub(crate) host: Arc<dyn ToolHost>,
    pub(crate) files: Arc<ToolFiles>,
    pub(crate) trust: Arc<Trust>,
    pub(crate) credentials: Arc<dyn CredentialSource>,
    pub(crate) clock: Arc<dyn Clock>,
}

/// A pending file as reviewed.
struct Waiting {
    file: String,
    source: Arc<str>,
}

/// A tool file in use.
struct InForce {
    file: String,
    /// The error if it cannot be read.
    source: Result<Arc<str>, String>,
}

impl PendingFolder {
    pub(crate) async fn list(&self) -> Result<Vec<PendingToolRow>, UserError> {
        let mut rows = Vec::new();
        for (file, source) in sources(&self.folders.pending).await? {
            let name = stem(&file).to_owned();
            let source = match source {
                Ok(source) => source,
                Err(why) => {
                    let message = format!("{why}.");
                    let problem = ToolFileProblem { file: file.clone(), line: None, column: None, message };
                    let hash = self.stamp(&file).await?;
                    let (source, definition, replaces) = (String::new(), None, None);
                    rows.push(PendingToolRow {
                        name,
                        file,
                        source,
                        hash,
                        definition,
                        problem: Some(problem),
                        replaces,
                    });
                    continue;
                }
            };
            let waiting = Waiting { file, source };
            let loaded = self.load(&waiting).await;
            let replaces = self.in_force(&waiting.file, loaded.as_ref().ok().map(|tool| tool.spec())).await?;
            if let Some(same) =
                replaces.as_ref().filter(|in_force| in_force.source.as_ref() == Ok(&waiting.source))
            {
                // It was promoted, but Nova ended before deleting it here.
                tracing::debug!(
                    waiting = waiting.file,
                    file = same.file,
                    "removing a pending tool that was promoted"
                );
                self.remove(&waiting).await?;
                continue;
            }
            let (definition, problem) = match loaded {
                Ok(tool) => (Some(definition(tool.spec())), None),
                Err(error) => (None, Some(problem(&error))),
            };
            rows.push(PendingToolRow {
                name,
                hash: hash(&waiting.source),
                definition,
                problem,
                replaces: replaces.and_then(|in_force| replaced(&in_force, &waiting.source)),
                source: waiting.source.as_ref().to_owned(),
                file: waiting.file,
            });
        }
        Ok(rows)
    }

    pub(crate) async fn dry_run(
        &self,
        name: &str,
        hash: &str,
        args: Value,
    ) -> Result<DryRunResult, UserError> {
        let waiting = self.reviewed(name, hash).await?;
        let ran = self.host.dry_run(self.tool_file(&waiting.file, waiting.source), args).await;
        let (value, problem) = match ran.result {
            Ok(value) => (Some(value), None),
            Err(error) => (None, Some(problem(&error))),
        };
        let requests = ran.requests.into_iter();
        Ok(DryRunResult {
            requests: requests
                .map(|request| DryRunRequest {
                    method: request.method,
                    url: request.url,
                    headers: request.headers,
                })
                .collect(),
            credentials: ran.credentials,
            logs: ran.logs,
            value,
            problem,
        })
    }

    /// Puts exactly the reviewed version in use. The caller must reload the files.
    pub(crate) async fn promote(&self, name: &str, hash_seen: &str) -> Result<PromotedTool, UserError> {
        let waiting = self.reviewed(name, hash_seen).await?;
        let tool = self.load(&waiting).await.map_err(|error| {
            UserError::new(
                ErrorCode::ToolFileBroken,
                error.to_string(),
                "Fix the file, or discard it and have it written again.",
            )
        })?;
        let spec = tool.spec();
        let before = self.in_force(&waiting.file, Some(spec)).await?;
        let target = before.as_ref().map_or_else(|| waiting.file.clone(), |before| before.file.clone());
        if let Some(other) = self.files.dynamic_file_of(&spec.id).filter(|other| *other != target) {
            return Err(UserError::new(
                ErrorCode::Ambiguous,
                format!("The tool {} is already defined in {other}.", spec.id),
                format!("Rename or delete {other}, or discard this one."),
            ));
        }
        // Approved first, so that the file never exists without its approval.
        let definition = spec.definition.clone().unwrap_or_else(|| hash(&waiting.source));
        let content = ToolContent { skill: "dynamic".into(), tool: spec.id.clone(), definition };
        self.trust.keep(&content, Approval::Seen, &ToolFace::of_spec("dynamic", spec)).map_err(|reason| {
            UserError::new(
                ErrorCode::Io,
                format!("The approval could not be saved: {reason}."),
                "Check the data folder and the disk, then try again.",
            )
        })?;
        self.grant_declared(spec).await?;
        let place = self.folders.dynamic.join(&target);
        let kept = before.as_ref().map(|before| self.place_for(&before.file));
        let bytes = waiting.source.clone();
        let old = match before {
            None => None,
            Some(InForce { source: Ok(source), .. }) => Some(source),
            // Nobody has seen the contents that would be lost.
            Some(InForce { file, source: Err(why) }) => {
                return Err(UserError::new(
                    ErrorCode::BadRequest,
                    format!("{file} cannot be replaced: {why}."),
                    format!("Move {file} away, then promote again."),
                ));
            }
        };
        let keep = kept.clone();
        blocking(move || {
            let written = match (keep, old) {
                (Some(keep), Some(old)) => own_files::create(&keep, old.as_bytes())
                    .and_then(|()| own_files::write(&place, bytes.as_bytes())),
                _ => own_files::create(&place, bytes.as_bytes()),
            };
            written.map_err(io_error)
        })
        .await?;
        let shown = shown_name("dynamic", &spec.id);
        self.remove(&waiting).await?;
        Ok(PromotedTool { tool: shown, file: target, replaced: kept.map(|kept| kept.display().to_string()) })
    }

    pub(crate) async fn discard(&self, name: &str, hash_seen: &str) -> Result<(), UserError> {
        match self.find(name).await? {
            (file, Ok(source)) if hash(&source) == hash_seen => self.remove(&Waiting { file, source }).await,
            // Its contents were never shown, so it only has to be the same file. The target of a link is left
            // alone.
            (file, Err(_)) if !hash_seen.is_empty() && self.stamp(&file).await? == hash_seen => {
                let place = self.folders.pending.join(&file);
                blocking(move || std::fs::remove_file(&place).map_err(io_error)).await
            }
            (file, _) => Err(not_as_seen(&file)),
        }
    }

    /// Promoting a tool grants its credentials: the user has seen them together with its hosts.
    async fn grant_declared(&self, spec: &ToolSpec) -> Result<(), UserError> {
        let consumer = nova_calls::consumer_of("dynamic", spec);
        for declared in &spec.credentials {
            // If it cannot be read now, the first call will ask.
            for held in self.credentials.held(&consumer, declared).await.unwrap_or_default() {
                let granted = self.credentials.grant(&consumer, &held.name).await;
                granted?;
            }
        }
        Ok(())
    }

    /// The pending file of that name, if it still has this hash.
    async fn reviewed(&self, name: &str, hash_seen: &str) -> Result<Waiting, UserError> {
        match self.find(name).await? {
            (file, Ok(source)) if hash(&source) == hash_seen => Ok(Waiting { file, source }),
            (file, Err(why)) if self.stamp(&file).await? == hash_seen => Err(UserError::new(
                ErrorCode::ToolFileBroken,
                format!("{file} cannot be used: {why}."),
                "Discard it, and have it written again.",
            )),
            (file, _) => Err(not_as_seen(&file)),
        }
    }

    /// The pending file of that name (`weather` or `weather.ts`), with its source or the reason why it cannot
    /// be read.
    async fn find(&self, name: &str) -> Result<(String, Result<Arc<str>, String>), UserError> {
        let mut all = sources(&self.folders.pending).await?;
        let wanted = canonical(stem(name));
        let exact = all.iter().position(|(file, _)| stem(file) == stem(name));
        let alike = || all.iter().position(|(file, _)| canonical(stem(file)) == wanted);
        let Some(at) = exact.or_else(alike) else {
            let names: Vec<&str> = all.iter().map(|(file, _)| stem(file)).collect();
            let waiting = if names.is_empty() {
                "There are no pending tools.".into()
            } else {
                format!("Pending: {}.", names.join(", "))
            };
            return Err(UserError::new(
                ErrorCode::UnknownPendingTool,
                format!("There is no pending tool \"{name}\"."),
                waiting,
            ));
        };
        Ok(all.swap_remove(at))
    }

    /// Identifies an unreadable file by its metadata, without following links. Empty if it no longer exists.
    async fn stamp(&self, file: &str) -> Result<String, UserError> {
        let place = self.folders.pending.join(file);
        blocking(move || {
            let Ok(metadata) = std::fs::symlink_metadata(&place) else { return Ok(String::new()) };
            let leads_to = std::fs::read_link(&place).ok();
            let modified = metadata.modified().ok();
            Ok(hash(&format!("{:?} {} {modified:?} {leads_to:?}", metadata.file_type(), metadata.len())))
        })
        .await
    }

    async fn load(&self, waiting: &Waiting) -> Result<Arc<dyn Tool>, ToolFileError> {
        let file = self.tool_file(&waiting.file, waiting.source.clone());
        match self.host.known(&file) {
            Some(known) => known,
            None => self.host.load(file).await,
        }
    }

    fn tool_file(&self, file: &str, source: Arc<str>) -> ToolFile {
        ToolFile {
            owner: format!("pending/{file}"),
            path: self.folders.pending.join(file),
            source,
            vault: None,
        }
    }

    /// The dynamic file that a pending one would replace: the one with the same name, otherwise the one that
    /// defines the same tool.
    async fn in_force(&self, waiting: &str, spec: Option<&ToolSpec>) -> Result<Option<InForce>, UserError> {
        let all = sources(&self.folders.dynamic).await?;
        let by_tool = spec.and_then(|spec| self.files.dynamic_file_of(&spec.id));
        let named = |file: &str| canonical(stem(file)) == canonical(stem(waiting));
        let found = all
            .iter()
            .find(|(file, _)| named(file))
            .or_else(|| all.iter().find(|(file, _)| Some(file) == by_tool.as_ref()));
        Ok(found.map(|(file, source)| InForce { file: file.clone(), source: source.clone() }))
    }

    /// Deletes a pending file, unless it was changed.
    async fn remove(&self, waiting: &Waiting) -> Result<(), UserError> {
        let (place, source) = (self.folders.pending.join(&waiting.file), waiting.source.clone());
        blocking(move || match std::fs::read(&place) {
            Ok(bytes) if bytes == source.as_bytes() => std::fs::remove_file(&place).map_err(io_error),
            _ => Ok(()),
        })
        .await
    }

    fn place_for(&self, file: &str) -> PathBuf {
        let at = self.clock.now().strftime("%Y%m%dT%H%M%S").to_string();
        let named = |more: &str| self.replaced.join(format!("{}-{at}{more}.ts", stem(file)));
        let mut place = named("");
        for number in 2.. {
            if !place.exists() {
                break;
            }
            place = named(&format!("-{number}"));
        }
        place
    }
}

#[async_trait]
impl PendingTools for PendingFolder {
    async fn store(&self, name: &str, source: &str) -> Result<PendingTool, ToolError> {
        let file = file_name(name).ok_or_else(|| ToolError::InvalidArguments {
            path: "/name".into(),
            rule: "the name has letters, digits, - and _ only, at most 64, and begins with a letter".into(),
            allowed: Vec::new(),
        })?;
        if source.len() > MAX_SOURCE {
            return Err(ToolError::failed("The source is longer than 256 KB.", "Write a shorter one."));
        }
        let waiting = Waiting { file: file.clone(), source: source.into() };
        let tool = self.load(&waiting).await.map_err(|error| {
            ToolError::failed(error.to_string(), "Fix the source and call create_tool again.")
        })?;
        let spec = tool.spec();
        let failed = |error: UserError| ToolError::failed(error.message, error.hint);
        let all = sources(&self.folders.pending).await.map_err(failed)?;
        if all.len() >= MAX_PENDING && !all.iter().any(|(other, _)| *other == file) {
            return Err(ToolError::failed(
                format!("{MAX_PENDING} tools are already pending."),
                "Ask the user to promote or discard some of them first.",
            ));
        }
        let replaces = self.in_force(&file, Some(spec)).await.map_err(failed)?;
        let (place, bytes) = (self.folders.pending.join(&file), source.to_owned());
        blocking(move || own_files::write(&place, bytes.as_bytes()).map_err(io_error))
            .await
            .map_err(failed)?;
        Ok(PendingTool {
            tool: spec.id.clone(),
            file,
            effect: effect_name(spec),
            hosts: spec.hosts.clone(),
            proposed_hosts: spec.proposed_hosts.clone(),
            credentials: spec.credentials.clone(),
            replaces: replaces.map(|in_force| in_force.file),
        })
    }
}

async fn sources(folder: &Path) -> Result<Vec<(String, Result<Arc<str>, String>)>, UserError> {
    let folder = folder.to_owned();
    blocking(move || Ok(tool_sources(&folder).into_iter().collect())).await
}

/// The file name for a tool; `None` if the name is not a plain file name.
pub(crate) fn file_name(name: &str) -> Option<String> {
    let stem = stem(name);
    let legal = stem.len() <= 64
        && stem.starts_with(|c: char| c.is_ascii_alphabetic())
        && stem.chars().all(|c| c.is_ascii_alphanumeric() || c == '-' || c == '_');
    legal.then(|| format!("{stem}.ts"))
}

fn not_as_seen(file: &str) -> UserError {
    UserError::new(
        ErrorCode::PendingToolChanged,
        format!("{file} changed since your review."),
        "Review it again, then decide.",
    )
}

fn stem(file: &str) -> &str {
    file.strip_suffix(".ts").unwrap_or(file)
}

fn hash(source: &str) -> String {
    blake3::hash(source.as_bytes()).to_hex().to_string()
}

pub(crate) fn definition(spec: &ToolSpec) -> ToolDefinitionView {
    ToolDefinitionView {
        tool: spec.id.clone(),
        description: spec.description.to_string(),
        input_schema: spec.parameters.clone(),
        effect: effect_view(spec.effect),
        hosts: spec.hosts.clone(),
        proposed_hosts: spec.proposed_hosts.clone(),
        credentials: spec.credentials.clone(),
        vault: spec.vault.map(|access| match access {
            VaultAccess::Read => "read".to_owned(),
            VaultAccess::Write => "write".to_owned(),
        }),
    }
}

fn effect_name(spec: &ToolSpec) -> String {
    let effect = serde_json::to_value(spec.effect).unwrap_or_default();
    effect.as_str().unwrap_or_default().to_owned()
}

pub(crate) fn problem(error: &ToolFileError) -> ToolFileProblem {
    ToolFileProblem {
        file: error.file.clone(),
        line: error.line,
        column: error.column,
        message: error.message.clone(),
    }
}

fn replaced(in_force: &InForce, by: &str) -> Option<ReplacedToolView> {
    let path = VaultPath::parse(&in_force.file).ok()?;
    let before = in_force.source.as_deref().unwrap_or_default();
    let diff = nova_vault::note::diff(Some(before), Some(by));
    let mut diff = diff_view(&path, None, &diff);
    // Only notes have properties.
    diff.summary = diff.summary.trim_end_matches(", no property").to_owned();
    Some(ReplacedToolView { file: in_force.file.clone(), diff })
}

fn io_error(error: std::io::Error) -> UserError {
    UserError::new(
        ErrorCode::Io,
        format!("The file could not be written: {error}."),
        "Check the folders of tools and the disk, then try again.",
    )
}

#[cfg(test)]
mod tests {
    use super::file_name;

    #[test]
    fn only_plain_names_become_files() {
        assert_eq!(file_name("weather").as_deref(), Some("weather.ts"));
        assert_eq!(file_name("slack-notify.ts").as_deref(), Some("slack-notify.ts"));
        let long = "x".repeat(65);
        for name in
            ["", ".ts", "../weather", "a/b", "a\\b", ".hidden", "wetter für", "a\0", "-x", "x.d", &long]
        {
            assert_eq!(file_name(name), None, "{name:?}");
        }
    }
}
