//! `nova mcp`: the configured MCP servers.

use nova_app::{App, ServerReview, ServerStatus, SignInOpener, reason_of, state_of};
use nova_protocol::{ErrorCode, OfferedServer, ServerFile, UserError};
use serde_json::{Map, Value, json};

use super::credential::Printed;
use super::follow::Followed;
use crate::args::{Auth, Mcp};
use crate::print::{self, line, visible};

pub(super) async fn run(app: &App, command: &Mcp, json: bool) -> Result<u8, UserError> {
    match command {
        Mcp::List => {
            app.mcp_ready(None, super::LIST_LIMIT).await;
            list(app, json)
        }
        Mcp::Add { name, command, args, url, env, header, cwd } => {
            let entry = match (command, url) {
                (Some(command), _) => {
                    let mut entry = json!({ "command": command, "args": args, "env": pairs(env)? });
                    if let Some(cwd) = cwd {
                        entry["cwd"] = json!(cwd);
                    }
                    entry
                }
                (None, Some(url)) => json!({ "url": url, "headers": pairs(header)? }),
                (None, None) => return Err(bad("Neither a command nor an address was given.")),
            };
            app.add_mcp_server(name, &entry)?;
            let review = app.review_mcp_server(name).await?;
            if json {
                print::json(&as_json(&review));
            } else {
                line(&visible(&format!("Added {name}. It does not start before you agree to it:")));
                print_review(&review);
            }
            Ok(print::DONE)
        }
        Mcp::Remove { name } => {
            app.remove_mcp_server(name)?;
            if json {
                print::json(&json!({ "removed": name }));
            } else {
                line(&visible(&format!("Removed {name}.")));
            }
            Ok(print::DONE)
        }
        Mcp::Import { file: None, .. } => {
            let folder = std::env::current_dir().ok();
            let files = app.server_files(folder.as_deref()).await?;
            if json {
                print::json(&files);
                return Ok(print::DONE);
            }
            files.iter().for_each(print_file);
            line(match files.is_empty() {
                true => "No configuration with MCP servers was found.",
                false => "Add them with: nova mcp import FILE [--only NAME]",
            });
            Ok(print::DONE)
        }
        Mcp::Import { file: Some(file), only } => {
            let added = app.import_from(file, only).await?;
            if json {
                print::json(&json!({ "added": added }));
                return Ok(print::DONE);
            }
            for name in &added {
                line(&visible(&format!("Added {name}. It does not start before you agree to it:")));
                print_review(&app.review_mcp_server(name).await?);
            }
            if added.is_empty() {
                line("Nothing to add: no server of this file is new.");
                for offer in app.servers_of(file).await? {
                    print_offer(&offer);
                }
            }
            Ok(print::DONE)
        }
        Mcp::Review { name, accept, fingerprint } => {
            let mut review = app.review_mcp_server(name).await?;
            if *accept {
                let agreed = fingerprint.as_deref().unwrap_or(&review.fingerprint).to_owned();
                app.agree_to_mcp_server(name, &agreed).await?;
                review = app.review_mcp_server(name).await?;
                app.mcp_ready(Some(name), super::TOOLS_LIMIT).await;
            }
            if json {
                print::json(&as_json(&review));
                return Ok(print::DONE);
            }
            print_review(&review);
            let servers = app.mcp_servers();
            let this = servers.iter().find(|server| server.name == review.name && server.agreed);
            if let Some(server) = this {
                print_server(server);
            }
            Ok(print::DONE)
        }
        Mcp::Probe { server, call, auth } => {
            let opener = auth.map(|auth| match auth {
                Auth::Print => &Printed as &dyn SignInOpener,
                Auth::Follow => &Followed,
            });
            let probed = app.probe_mcp_server(server, *call, opener).await?;
            // Always JSON: the output is meant for programs.
            print::json(&probed);
            Ok(if probed.ok { print::DONE } else { print::FAILED })
        }
        Mcp::Serve(serve) => super::serve::run(app, serve).await,
    }
}

fn list(app: &App, json: bool) -> Result<u8, UserError> {
    let servers = app.mcp_servers();
    let problems = app.mcp_problems();
    if json {
        let known = servers.iter().map(|server| {
            json!({
                "name": server.name, "id": server.id, "state": state_of(server), "reason": reason(server),
                "protocol": server.protocol, "tools": server.tools, "runs": server.shown,
            })
        });
        let broken = problems.iter().map(|(id, why)| json!({"id": id, "state": "broken", "reason": why}));
        print::json(&known.chain(broken).collect::<Vec<_>>());
        return Ok(print::DONE);
    }
    for server in &servers {
        print_server(server);
    }
    for (id, why) in &problems {
        line(&visible(&format!("{id}: broken: {why}")));
    }
    if servers.is_empty() && problems.is_empty() {
        line("No servers yet. Add one with: nova mcp add NAME --command COMMAND");
    }
    Ok(print::DONE)
}

fn print_file(file: &ServerFile) {
    line(&visible(&format!("{}: {}", file.program, file.file)));
    if let Some(problem) = &file.problem {
        line(&visible(&format!("  {problem}")));
    }
    file.servers.iter().for_each(print_offer);
}

fn print_offer(offer: &OfferedServer) {
    let OfferedServer { name, runs, taken, problem, secrets, .. } = offer;
    let what = match problem {
        Some(problem) => format!("cannot be added: {problem}"),
        None if *taken => "is in Nova".into(),
        None => runs.clone(),
    };
    line(&visible(&format!("  {name}: {what}")));
    for secret in secrets {
        let how = if secret.has_value { "moves to the credential" } else { "needs the credential" };
        line(&visible(&format!("    {} {how} {}", secret.variable, secret.credential)));
    }
}

fn print_server(server: &ServerStatus) {
    let state = state_of(server).as_str().replace('_', " ");
    line(&visible(&format!("{}: {state}, {} tools: {}", server.name, server.tools, server.shown)));
    if let Some(reason) = reason(server) {
        line(&visible(&format!("  {reason}")));
    }
}

fn reason(server: &ServerStatus) -> Option<String> {
    match reason_of(server) {
        Some(why) if !server.agreed => Some(format!("{why} Review it: nova mcp review {}", server.name)),
        why => why,
    }
}

fn as_json(review: &ServerReview) -> Value {
    json!({
        "name": review.name, "fingerprint": review.fingerprint, "agreed": review.agreed,
        "changed": review.changed, "runs": review.shown, "program": review.program, "host": review.host,
        "folder": review.folder, "variables": review.variables, "credentials": review.credentials,
        "changed_tools": review.tools,
    })
}

fn print_review(review: &ServerReview) {
    let state = match (review.agreed, review.changed) {
        (true, _) => "agreed",
        (false, true) => "changed since you agreed to it",
        (false, false) => "not agreed",
    };
    let say = |text: String| line(&visible(&text));
    let list = |words: &[String]| if words.is_empty() { "none".to_owned() } else { words.join(", ") };
    say(format!("{}: {state}", review.name));
    match &review.host {
        Some(host) => say(format!("  contacts: {host} ({})", review.shown)),
        None => {
            say(format!("  runs: {}", review.shown));
            let program = review.program.as_deref().unwrap_or("not found on this machine");
            say(format!("  program: {program}"));
            say("  may read and change what you may, and reach the network".into());
        }
    }
    if let Some(folder) = &review.folder {
        say(format!("  folder: {folder}"));
    }
    let what = if review.host.is_some() { "headers" } else { "variables" };
    say(format!("  {what}: {}", list(&review.variables)));
    say(format!("  secrets it gets: {}", list(&review.credentials)));
    say(format!("  fingerprint: {}", review.fingerprint));
    for tool in &review.tools {
        say(format!("  tool {} changed and is blocked:", tool.tool));
        tool.warning.iter().for_each(|warning| say(format!("    {warning}")));
        tool.changes.iter().for_each(|change| say(format!("    {change}")));
    }
    if !review.agreed || !review.tools.is_empty() {
        let name = if review.name.contains(' ') { format!("{:?}", review.name) } else { review.name.clone() };
        say(format!("nova mcp review {name} --accept agrees to it"));
    }
}

/// Parses `NAME=VALUE` pairs.
fn pairs(given: &[String]) -> Result<Value, UserError> {
    let mut pairs = Map::new();
    for pair in given {
        let (name, value) =
            pair.split_once('=').ok_or_else(|| bad(&format!("\"{pair}\" is not NAME=VALUE.")))?;
        pairs.insert(name.to_owned(), Value::from(value));
    }
    Ok(Value::Object(pairs))
}

fn bad(what: &str) -> UserError {
    UserError::new(ErrorCode::BadRequest, what, "See: nova mcp add --help")
}
