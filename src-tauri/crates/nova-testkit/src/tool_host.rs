use std::collections::HashSet;
use std::sync::{Arc, Mutex};

use async_trait::async_trait;
use futures::StreamExt;
use nova_registry::{DryRequest, DryRun, ToolFile, ToolFileError, ToolHost};
use nova_skill::{
    CallToken, Description, Effect, Output, OutputPart, Tool, ToolContext, ToolError, ToolOutput, ToolSpec,
};
use serde_json::{Value, json};
use tokio::sync::watch;

use crate::parts::lock;

/// Parses tools from lines of `key: value` instead of TypeScript, and runs them by returning their `gives`:
///
/// ```text
/// name: weather
/// description: Says the weather.
/// effect: read
/// hosts: api.weather.example
/// gives: sunny
/// ```
///
/// Other keys: `proposes` (hosts), `credentials`, `asks` (an address, reported by a dry run), `says` (a
/// partial result; the call then waits for [`LineToolHost::end_calls`]). Any other line is an error with its
/// position. Clones are the same host.
#[derive(Clone)]
pub struct LineToolHost(Arc<Inner>);

struct Inner {
    /// Contents that were loaded before, which need no work.
    known: Mutex<HashSet<Arc<str>>>,
    /// Names of the files that were loaded, in order.
    loads: Mutex<Vec<String>>,
    held: watch::Sender<Held>,
    /// Tools whose calls no longer wait.
    ended: watch::Sender<HashSet<String>>,
}

/// Files that are not loaded for now.
#[derive(Clone)]
enum Held {
    Nothing,
    Everything,
    File(String),
}

impl Default for LineToolHost {
    fn default() -> Self {
        Self(Arc::new(Inner {
            known: Mutex::default(),
            loads: Mutex::default(),
            held: watch::Sender::new(Held::Nothing),
            ended: watch::Sender::default(),
        }))
    }
}

impl LineToolHost {
    /// Suspends the loading of new contents until it is released.
    pub fn hold(&self) {
        self.0.held.send_replace(Held::Everything);
    }

    /// Suspends the loading of this file until it is released.
    pub fn hold_file(&self, name: &str) {
        self.0.held.send_replace(Held::File(name.to_owned()));
    }

    pub fn let_go(&self) {
        self.0.held.send_replace(Held::Nothing);
    }

    /// Ends the current and future calls of a tool that `says` something.
    pub fn end_calls(&self, tool: &str) {
        self.0.ended.send_modify(|ended| {
            ended.insert(tool.to_owned());
        });
    }

    /// The files loaded so far.
    pub fn loads(&self) -> Vec<String> {
        lock(&self.0.loads).clone()
    }
}

#[async_trait]
impl ToolHost for LineToolHost {
    async fn load(&self, file: ToolFile) -> Result<Arc<dyn Tool>, ToolFileError> {
        lock(&self.0.loads).push(name_of(&file));
        let mut held = self.0.held.subscribe();
        let is_free = |held: &Held| match held {
            Held::Nothing => true,
            Held::Everything => false,
            Held::File(name) => *name != name_of(&file),
        };
        let _ = held.wait_for(is_free).await;
        lock(&self.0.known).insert(file.source.clone());
        Ok(Arc::new(self.0.read(&file)?))
    }

    fn known(&self, file: &ToolFile) -> Option<Result<Arc<dyn Tool>, ToolFileError>> {
        let is_known = lock(&self.0.known).contains(&file.source);
        is_known.then(|| self.0.read(file).map(|tool| Arc::new(tool) as Arc<dyn Tool>))
    }

    async fn dry_run(&self, file: ToolFile, args: Value) -> DryRun {
        match self.0.read(&file) {
            Ok(tool) => DryRun {
                requests: tool
                    .asks
                    .iter()
                    .map(|url| DryRequest {
                        method: "GET".into(),
                        url: url.clone(),
                        headers: vec!["accept".into()],
                    })
                    .collect(),
                credentials: tool.spec.credentials.clone(),
                logs: vec![format!("called with {args}")],
                result: Ok(json!(tool.gives)),
            },
            Err(error) => {
                DryRun { requests: Vec::new(), credentials: Vec::new(), logs: Vec::new(), result: Err(error) }
            }
        }
    }

    async fn run_snippet(&self, _: Arc<str>, _: Arc<dyn ToolContext>) -> Result<ToolOutput, ToolError> {
        Err(ToolError::failed("Lines are no TypeScript.", "Use the real host."))
    }
}

struct LineTool {
    spec: ToolSpec,
    gives: String,
    asks: Vec<String>,
    says: Option<String>,
    ended: watch::Receiver<HashSet<String>>,
}

#[async_trait]
impl Tool for LineTool {
    fn spec(&self) -> &ToolSpec {
        &self.spec
    }

    async fn run(&self, _: CallToken, _: Value, _: Arc<dyn ToolContext>) -> Result<ToolOutput, ToolError> {
        let end = Output::new(json!(self.gives));
        let Some(says) = &self.says else { return Ok(end.into()) };
        let (mut ended, id) = (self.ended.clone(), self.spec.id.clone());
        let part = futures::stream::iter([OutputPart::Partial(json!(says))]);
        let last = futures::stream::once(async move {
            let _ = ended.wait_for(|ended| ended.contains(&id)).await;
            OutputPart::End(Ok(end))
        });
        Ok(ToolOutput::Stream(Box::pin(part.chain(last))))
    }
}

impl Inner {
    fn read(&self, file: &ToolFile) -> Result<LineTool, ToolFileError> {
        let tool = read(file)?;
        Ok(LineTool { ended: self.ended.subscribe(), ..tool })
    }
}

fn read(file: &ToolFile) -> Result<LineTool, ToolFileError> {
    let broken = |line: Option<u32>, message: String| ToolFileError {
        file: name_of(file),
        line,
        column: line.map(|_| 1),
        message,
    };
    let parameters = json!({"type": "object", "properties": {}});
    let mut spec = ToolSpec::new("", Description::default(), parameters, Effect::Undeclared);
    spec.definition = Some(format!("{}#{}", file.source.len(), file.source));
    let (mut gives, mut asks, mut says) = (String::new(), Vec::new(), None);
    for (at, line) in file.source.lines().enumerate() {
        let number = u32::try_from(at + 1).ok();
        let (key, value) = line.split_once(": ").unwrap_or((line, ""));
        let list = || value.split(", ").map(str::to_owned).collect::<Vec<_>>();
        match key {
            "" => {}
            "name" => spec.id = value.into(),
            "description" => spec.description = Description::purpose(value),
            "effect" => {
                spec.effect = serde_json::from_value(json!(value))
                    .map_err(|_| broken(number, format!("{value} is not an effect.")))?;
            }
            "hosts" => spec.hosts = list(),
            "proposes" => spec.proposed_hosts = list(),
            "credentials" => spec.credentials = list(),
            "vault" => {
                spec.vault = serde_json::from_value(json!(value))
                    .map_err(|_| broken(number, format!("{value} is no access to notes.")))?;
            }
            "schema" => {
                spec.parameters =
                    serde_json::from_str(value).map_err(|error| broken(number, format!("{error}.")))?;
            }
            "gives" => gives = value.into(),
            "asks" => asks.push(value.into()),
            "says" => says = Some(value.into()),
            _ => return Err(broken(number, format!("{line:?} is not understood."))),
        }
    }
    if spec.id.is_empty() {
        return Err(broken(None, "the file defines no tool.".into()));
    }
    Ok(LineTool { spec, gives, asks, says, ended: watch::Sender::default().subscribe() })
}

fn name_of(file: &ToolFile) -> String {
    file.path.file_name().unwrap_or_default().to_string_lossy().into_owned()
}
