//! Commands that the user configured for a skill: unconfined; the guard only ends them reliably.

use std::path::{Path, PathBuf};

use nova_guard::Confinement;
use nova_skill::{CommandInput, FolderSource, ProcessNews, ProcessOutput, ToolError, UserRun};
use secrecy::ExposeSecret as _;
use tokio_util::sync::CancellationToken;

use super::output::CommandOutput;
use super::running::Running;
use crate::app::App;
use crate::workspaces::SCRATCH;

pub(super) async fn run(
    app: &App,
    run: UserRun,
    on_news: Box<dyn Fn(ProcessNews) + Send + Sync>,
    cancel: &CancellationToken,
) -> Result<ProcessOutput, ToolError> {
    let UserRun { chat, call, command, input: CommandInput { stdin, variables }, environment } = run;
    let folder = folder(&command.folder, app.inner.options.places.home.as_deref())?;
    let launch_environment = &app.inner.options.launch_environment;
    let program = command.words.first().map(String::as_str).unwrap_or_default();
    let program =
        launch_environment.find(program, &folder).await.ok_or_else(|| match program.contains('/') {
            true => not_started(&format!("no program {program} was found in {}", folder.display())),
            false => not_started(&format!("no program {program} was found on the PATH")),
        })?;
    let mut guarded = launch_environment.guard().command(&Confinement::supervised(), program);
    guarded = guarded.args(command.words.iter().skip(1)).folder(&folder);
    for (name, value) in launch_environment.variables().await {
        guarded = guarded.env(name, value);
    }
    for (name, value) in &environment {
        guarded = guarded.env(name, value.expose_secret());
    }
    for (name, value) in variables {
        guarded = guarded.env(name, value);
    }
    let mut guarded = guarded.start().await.map_err(|error| not_started(&error.to_string()))?;
    let folders = FolderSource::open(app, chat.as_deref()).unwrap_or_default();
    let scratch = folders.iter().find(|folder| folder.name() == SCRATCH).cloned();
    let mut running = Running::new(&mut guarded, CommandOutput::new(scratch, &call), stdin);
    let ended = running.until_it_ends(&mut guarded, command.time_limit, cancel, |said| {
        on_news(ProcessNews { said, ..ProcessNews::default() });
    });
    let (status, ended) = ended.await?;
    let output = running.output;
    Ok(ProcessOutput {
        status,
        ended,
        text: output.text(),
        lines: output.lines(),
        file: output.file().map(|name| format!("{SCRATCH}/{name}")),
        ..ProcessOutput::default()
    })
}

fn folder(given: &str, home: Option<&Path>) -> Result<PathBuf, ToolError> {
    let folder = match (given.strip_prefix('~'), home) {
        (Some(rest), Some(home)) if rest.is_empty() || rest.starts_with('/') => {
            home.join(rest.trim_start_matches('/'))
        }
        _ => PathBuf::from(given),
    };
    match folder.is_absolute() && folder.is_dir() {
        true => Ok(folder),
        false => Err(not_started(&format!("{given} is not a folder; give its absolute path, or ~/NAME"))),
    }
}

fn not_started(why: &str) -> ToolError {
    ToolError::failed(
        format!("The command did not run: {why}."),
        "Correct it in the skill's configuration, in Settings, Skills.",
    )
}
