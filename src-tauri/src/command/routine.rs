//! Routines: scheduled runs.

use std::io::{IsTerminal as _, Write as _};
use std::path::{Path, PathBuf};

use nova_app::{App, Places};
use nova_protocol::{
    Commands as _, ErrorCode, NewRoutine, Nothing, RoutineEnd, RoutineRow, RoutineRun, UserError,
};
use serde_json::json;

use crate::args::{NewRoutineArgs, Routine};
use crate::print::{self, line, one_line};

const UNIT: &str = "nova-routines.service";

pub(super) async fn run(app: &App, routine: &Routine, json: bool) -> Result<u8, UserError> {
    match routine {
        Routine::List => {
            let rows = app.list_routines(Nothing {}).await?;
            if json {
                print::json(&rows);
            } else {
                rows.iter().for_each(show);
                if rows.is_empty() {
                    line("no routines");
                }
            }
        }
        Routine::Add(new) => {
            let row = app.add_routine(new_routine(new)).await?;
            if json { print::json(&row) } else { show(&row) }
        }
        Routine::Run { name } => {
            let row = app.run_routine_to_end(name).await?;
            if json {
                print::json(&row)
            } else {
                show(&row)
            }
            let completed = row.last.is_some_and(|last| last.end == RoutineEnd::Completed);
            return Ok(if completed { print::DONE } else { print::FAILED });
        }
        Routine::Remove { name } => {
            let path = app.remove_routine(name).await?;
            if json {
                print::json(&json!({"ok": true, "path": path}))
            } else {
                line(&format!("{path} deleted"))
            }
        }
        Routine::Serve { install: true, yes, folder } => {
            return install(app.places(), folder.clone(), *yes, json);
        }
        Routine::Serve { .. } => {
            app.vault()?;
            app.watch();
            app.keep_routines();
            print::note("nova: running routines as they come due");
            until_ended().await;
            app.stop_everything().await;
        }
    }
    Ok(print::DONE)
}

/// Waits for the interrupt or termination signal.
async fn until_ended() {
    #[cfg(unix)]
    {
        use tokio::signal::unix::{SignalKind, signal};
        if let Ok(mut ended) = signal(SignalKind::terminate()) {
            tokio::select! {
                _ = tokio::signal::ctrl_c() => {}
                _ = ended.recv() => {}
            }
            return;
        }
    }
    let _ = tokio::signal::ctrl_c().await;
}

fn new_routine(new: &NewRoutineArgs) -> NewRoutine {
    NewRoutine {
        name: new.name.clone(),
        when: new.when.clone(),
        zone: new.zone.clone().unwrap_or_default(),
        message: new.message.clone().unwrap_or_default(),
        tool: new.tool.clone().unwrap_or_default(),
        args: new.args.clone().unwrap_or_default(),
        allow: new.allow.clone(),
        skills: new.skills.clone(),
        model: new.model.clone().unwrap_or_default(),
    }
}

fn show(row: &RoutineRow) {
    let zone = if row.zone.is_empty() { String::new() } else { format!(" ({})", row.zone) };
    let state = match (&row.problem, row.enabled, &row.next) {
        (Some(problem), _, _) => problem.clone(),
        (None, false, _) => "off".into(),
        (None, true, Some(next)) => format!("next {next}"),
        (None, true, None) => "on".into(),
    };
    line(&one_line(&format!("{}: {}{zone}, {state}", row.name, row.when.join("; "))));
    if let Some(last) = &row.last {
        line(&one_line(&format!("  {}", ended(last))));
    }
}

/// "2026-11-23T07:30:00Z, 160 min late: completed. Three follow-ups are due."
fn ended(last: &RoutineRun) -> String {
    let late = if last.late == 0 { String::new() } else { format!(", {} min late", last.late) };
    let end = match last.end {
        RoutineEnd::Running => "running",
        RoutineEnd::Waiting => "waits for your answer",
        RoutineEnd::Completed => "completed",
        RoutineEnd::Failed => "failed",
        RoutineEnd::Stopped => "stopped",
        RoutineEnd::CutOff => "cut off, Nova ended during this run",
    };
    let chat = if last.session.is_empty() { String::new() } else { format!(" [{}]", last.session) };
    format!("{}{late}: {end}. {}{chat}", last.started, last.said)
}

/// Shows the systemd unit, asks for confirmation, and writes it.
fn install(places: &Places, folder: Option<PathBuf>, yes: bool, json: bool) -> Result<u8, UserError> {
    let own = own_program().map_err(|error| not_written(Path::new(UNIT), &error))?;
    let folder = folder.or_else(unit_folder).ok_or_else(|| {
        UserError::new(ErrorCode::BadRequest, "There is no home folder.", "Name one with --folder.")
    })?;
    let unit = unit(&own, places).map_err(|error| not_written(Path::new(UNIT), &error))?;
    let file = folder.join(UNIT);
    print::note(&format!("{}:", file.display()));
    unit.lines().for_each(print::note);
    if !yes && !agrees()? {
        print::note("nova: nothing was written");
        return Ok(print::REFUSED);
    }
    let written = std::fs::create_dir_all(&folder).and_then(|()| std::fs::write(&file, unit));
    written.map_err(|error| not_written(&file, &error))?;
    let start = format!("systemctl --user enable --now {UNIT}");
    if json {
        print::json(&json!({"ok": true, "file": file, "start": start}));
    } else {
        line(&format!("{} written. Start it with: {start}", file.display()));
    }
    Ok(print::DONE)
}

fn unit_folder() -> Option<PathBuf> {
    let set = |name: &str| std::env::var_os(name).filter(|value| !value.is_empty()).map(PathBuf::from);
    let config = set("XDG_CONFIG_HOME").or_else(|| Some(set("HOME")?.join(".config")))?;
    Some(config.join("systemd/user"))
}

/// An AppImage is mounted at another path at each start; its own path is in `APPIMAGE`.
fn own_program() -> std::io::Result<PathBuf> {
    std::env::var_os("APPIMAGE").map_or_else(std::env::current_exe, |image| Ok(image.into()))
}

/// The service uses the folders of this call, which may come from options or the environment.
fn unit(program: &Path, places: &Places) -> std::io::Result<String> {
    let folders = [
        ("--config", Some(&places.config)),
        ("--data", Some(&places.data)),
        ("--vault", places.vault.as_ref()),
    ];
    let mut command = quoted(program);
    // In arguments, but not in the program's path, `$` begins a variable.
    for (option, folder) in folders {
        if let Some(folder) = folder {
            command += &format!(" {option} {}", quoted(&std::path::absolute(folder)?).replace('$', "$$"));
        }
    }
    Ok(format!(
        "[Unit]\nDescription=Routines of Nova\n\n[Service]\nExecStart={command} routine serve\n\
         Restart=on-failure\n\n[Install]\nWantedBy=default.target\n"
    ))
}

/// In a unit, `%` begins a specifier, and paths with spaces need quotes.
fn quoted(path: &Path) -> String {
    let path = path.display().to_string();
    let escaped = [('\\', "\\\\"), ('"', "\\\""), ('%', "%%")];
    let path = escaped.iter().fold(path, |path, (plain, escaped)| path.replace(*plain, escaped));
    format!("\"{path}\"")
}

fn agrees() -> Result<bool, UserError> {
    let input = std::io::stdin();
    if !input.is_terminal() {
        return Err(UserError::new(
            ErrorCode::BadRequest,
            "There is no terminal to confirm at, so nothing was written.",
            "Run it at a terminal, or with --yes.",
        ));
    }
    let _ = write!(std::io::stderr(), "Write this file? [y/N] ");
    let mut answer = String::new();
    let _ = input.read_line(&mut answer);
    Ok(matches!(answer.trim().to_lowercase().as_str(), "y" | "yes"))
}

fn not_written(file: &Path, error: &std::io::Error) -> UserError {
    UserError::new(
        ErrorCode::Io,
        format!("{} cannot be written: {error}.", file.display()),
        "Choose another folder with --folder.",
    )
}
