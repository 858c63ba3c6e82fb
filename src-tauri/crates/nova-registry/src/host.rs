use std::path::PathBuf;
use std::sync::Arc;

use async_trait::async_trait;
use nova_skill::{Tool, ToolContext, ToolError, ToolOutput, Value, VaultAccess};

/// Who reads and runs tools that are files: `tools/*.ts` of a folder skill, and the dynamic tools.
#[async_trait]
pub trait ToolHost: Send + Sync {
    /// What the file defines. A content that was read before is answered without running anything.
    ///
    /// # Errors
    /// When the file does not define a tool; the error says where and why.
    async fn load(&self, file: ToolFile) -> Result<Arc<dyn Tool>, ToolFileError>;

    /// As [`ToolHost::load`] where nothing has to be run for it; None otherwise.
    fn known(&self, file: &ToolFile) -> Option<Result<Arc<dyn Tool>, ToolFileError>>;

    /// Runs the tool once without any effect: every request is answered with an empty JSON object
    /// and none leaves the machine, every credential is a placeholder.
    async fn dry_run(&self, file: ToolFile, args: Value) -> DryRun;

    /// Runs a snippet of TypeScript once. It has the tools of the context and nothing else; its value is that of
    /// its last expression, or what it returns.
    ///
    /// # Errors
    /// When it does not run to its end; the error says where and why.
    async fn run_snippet(
        &self,
        source: Arc<str>,
        context: Arc<dyn ToolContext>,
    ) -> Result<ToolOutput, ToolError>;
}

/// What a tool wanted and said while it ran without any effect.
#[derive(Debug, Clone, PartialEq)]
pub struct DryRun {
    /// In their order.
    pub requests: Vec<DryRequest>,
    /// Names of the credentials it asked for, `service/key`.
    pub credentials: Vec<String>,
    pub logs: Vec<String>,
    pub result: Result<Value, ToolFileError>,
}

/// A request that a tool would have sent.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct DryRequest {
    pub method: String,
    pub url: String,
    /// Their names; a value may be a secret.
    pub headers: Vec<String>,
}

/// The host of a program that runs no tools from files: each of them is listed with that reason.
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
    /// Files of one owner may share a process: the folder skill, or for a dynamic tool
    /// `dynamic/<file name>`. Credentials never cross owners.
    pub owner: String,
    /// For messages and stack traces.
    pub path: PathBuf,
    /// The text of the file at the moment it was checked; what runs is this.
    pub source: Arc<str>,
    /// What its skill's manifest lets it do with notes, where it does not say itself.
    pub vault: Option<VaultAccess>,
}

impl ToolFile {
    /// Whether its owner is a folder skill, which may have more files than this one.
    pub fn may_have_siblings(&self) -> bool {
        // No folder's name has a slash.
        !self.owner.contains('/')
    }
}

/// Why a file defines no tool.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("{}{message}", place(file, *line, *column))]
pub struct ToolFileError {
    /// The file's name, without its folders.
    pub file: String,
    /// 1-based, where it is known.
    pub line: Option<u32>,
    /// 1-based.
    pub column: Option<u32>,
    /// What is wrong and what to do.
    pub message: String,
}

fn place(file: &str, line: Option<u32>, column: Option<u32>) -> String {
    match (line, column) {
        (Some(line), Some(column)) => format!("{file}:{line}:{column}: "),
        (Some(line), None) => format!("{file}:{line}: "),
        _ => format!("{file}: "),
    }
}
