use std::path::PathBuf;
use std::sync::Arc;

use async_trait::async_trait;
use nova_skill::{Tool, ToolContext, ToolError, ToolOutput, Value, VaultAccess};

/// Loads and runs tools that are files: `tools/*.ts` of folder skills, and dynamic tools.
#[async_trait]
pub trait ToolHost: Send + Sync {
    /// Returns the tool that the file defines. A known content is returned without running anything.
    ///
    /// # Errors
    /// If the file does not define a tool; the error says where and why.
    async fn load(&self, file: ToolFile) -> Result<Arc<dyn Tool>, ToolFileError>;

    /// As [`ToolHost::load`] if nothing needs to run for it; `None` otherwise.
    fn known(&self, file: &ToolFile) -> Option<Result<Arc<dyn Tool>, ToolFileError>>;

    /// Runs the tool once without side effects: requests never leave the machine and return an empty JSON
    /// object, and credentials are placeholders.
    async fn dry_run(&self, file: ToolFile, args: Value) -> DryRun;

    /// Runs a TypeScript snippet once. It can only use the tools of the context; its value is that of its
    /// last expression, or the returned value.
    ///
    /// # Errors
    /// If it does not run to its end; the error says where and why.
    async fn run_snippet(
        &self,
        source: Arc<str>,
        context: Arc<dyn ToolContext>,
    ) -> Result<ToolOutput, ToolError>;
}

/// Recorded requests and output of a dry run.
#[derive(Debug, Clone, PartialEq)]
pub struct DryRun {
    /// In order.
    pub requests: Vec<DryRequest>,
    /// Names of requested credentials, `service/key`.
    pub credentials: Vec<String>,
    pub logs: Vec<String>,
    pub result: Result<Value, ToolFileError>,
}

/// A request that a tool would have sent.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct DryRequest {
    pub method: String,
    pub url: String,
    /// Names only; a value may be a secret.
    pub headers: Vec<String>,
}

/// The host of a program that does not run tools from files: each tool is listed with that reason.
pub struct NoToolHost;

impl NoToolHost {
    fn refusal(file: &ToolFile) -> ToolFileError {
        ToolFileError {
            file: file.path.file_name().unwrap_or_default().to_string_lossy().into_owned(),
            line: None,
            column: None,
            message: "tools from files are not available in this build of Nova. Use a complete one.".into(),
        }
    }
}

#[async_trait]
impl ToolHost for NoToolHost {
    async fn load(&self, file: ToolFile) -> Result<Arc<dyn Tool>, ToolFileError> {
        Err(Self::refusal(&file))
    }

    fn known(&self, file: &ToolFile) -> Option<Result<Arc<dyn Tool>, ToolFileError>> {
        Some(Err(Self::refusal(file)))
    }

    async fn dry_run(&self, file: ToolFile, _: Value) -> DryRun {
        DryRun {
            requests: Vec::new(),
            credentials: Vec::new(),
            logs: Vec::new(),
            result: Err(Self::refusal(&file)),
        }
    }

    async fn run_snippet(&self, _: Arc<str>, _: Arc<dyn ToolContext>) -> Result<ToolOutput, ToolError> {
        Err(ToolError::failed("TypeScript does not run in this build of Nova.", "Use a complete one."))
    }
}

/// One file that defines a tool.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ToolFile {
    /// Files of one owner may share a process: the folder skill, or `dynamic/<file name>` for a dynamic tool.
    /// Credentials never cross owners.
    pub owner: String,
    /// For messages and stack traces.
    pub path: PathBuf,
    /// The text of the file when it was checked, which is what runs.
    pub source: Arc<str>,
    /// The access to notes granted by its skill's manifest, unless the file declares its own.
    pub vault: Option<VaultAccess>,
}

impl ToolFile {
    /// Whether its owner is a folder skill, which may have several files.
    pub fn may_have_siblings(&self) -> bool {
        // Folder names contain no slash.
        !self.owner.contains('/')
    }
}

/// Why a file defines no tool.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("{}{message}", place(file, *line, *column))]
pub struct ToolFileError {
    /// The file's name, without its folders.
    pub file: String,
    /// 1-based, if known.
    pub line: Option<u32>,
    /// 1-based.
    pub column: Option<u32>,
    /// The problem and the remedy.
    pub message: String,
}

fn place(file: &str, line: Option<u32>, column: Option<u32>) -> String {
    match (line, column) {
        (Some(line), Some(column)) => format!("{file}:{line}:{column}: "),
        (Some(line), None) => format!("{file}:{line}: "),
        _ => format!("{file}: "),
    }
}
