//! Starts a server: process or HTTP client, handshake, and first list of tools.

use std::path::Path;
use std::sync::Arc;
use std::time::Duration;

use nova_calls::Secrets;
use nova_guard::{Confinement, GuardError};
use rmcp::service::ClientInitializeError;
use secrecy::{ExposeSecret as _, SecretString};
use tokio::time::Instant;
use tokio_util::sync::CancellationToken;

use crate::authorized::Gate;
use crate::config::{ServerConfig, Text, Way};
use crate::connection::{Connection, Lifecycle, Parts, ended, innermost, sentence, unreachable};
use crate::definition::Definition;
use crate::ending::Ending;
use crate::host::Host;
use crate::http::Address;
use crate::last_lines::LastLines;
use crate::stdio::Stdio;
use crate::trouble::Trouble;

/// A server after a successful handshake.
pub(crate) struct Started {
    pub(crate) connection: Arc<Connection>,
    pub(crate) tools: Vec<Definition>,
}

/// Like [`connected`], with secrets scrubbed from the reason of a failure, which may quote stderr or a response.
pub(crate) async fn start(
    config: &ServerConfig,
    host: &Host,
    secrets: &Arc<Secrets>,
    said: &LastLines,
    gate: &Arc<Gate>,
) -> Result<Started, Trouble> {
    connected(config, host, secrets, said, gate).await.map_err(|mut trouble| {
        secrets.scrub(&mut trouble.what);
        trouble
    })
}

/// Applies the server's timeout. Dropping the future stops everything started. `said` receives the process's
/// stderr.
async fn connected(
    config: &ServerConfig,
    host: &Host,
    secrets: &Arc<Secrets>,
    said: &LastLines,
    gate: &Arc<Gate>,
) -> Result<Started, Trouble> {
    let limit = config.startup_timeout;
    let until = Instant::now() + limit;
    let ending = Arc::<Ending>::default();
    let connecting = async {
        match &config.way {
            Way::Command { .. } => by_command(config, host, secrets, &ending, said).await,
            Way::Address { .. } => by_address(config, host, secrets, gate).await,
        }
    };
    let late = || slow(config, &ending, said, limit);
    let connection = tokio::time::timeout_at(until, connecting).await.map_err(|_| late())??;
    let left = until.saturating_duration_since(Instant::now());
    let listed = tokio::time::timeout_at(until, connection.tools(left)).await;
    let has_tools = connection.info().is_none_or(|info| info.capabilities.tools.is_some());
    match listed {
        Ok(Ok(tools)) => Ok(Started { connection, tools }),
        // The server has prompts and resources only.
        Ok(Err(_)) if !has_tools && !connection.closed.is_cancelled() => {
            let tools = connection.own_tool(&[]).into_iter().collect();
            Ok(Started { connection, tools })
        }
        Ok(Err(trouble)) if Instant::now() < until => Err(trouble),
        _ => Err(late()),
    }
}

async fn by_command(
    config: &ServerConfig,
    host: &Host,
    secrets: &Arc<Secrets>,
    ending: &Arc<Ending>,
    said: &LastLines,
) -> Result<Arc<Connection>, Trouble> {
    let error = match greet_process(config, host, secrets, ending, said, Lifecycle::Auto).await? {
        Ok(connection) => return Ok(connection),
        Err(error) => error,
    };
    let Some(lifecycle) = other_lifecycle(&error, ending.has_process_ended()) else {
        return Err(not_greeted(config, ending, said, error));
    };
    let ending = Arc::<Ending>::default();
    let again = greet_process(config, host, secrets, &ending, said, lifecycle).await?;
    again.map_err(|error| not_greeted(config, &ending, said, error))
}

/// Another handshake worth trying after [`Lifecycle::Auto`] failed.
fn other_lifecycle(error: &ClientInitializeError, has_ended: bool) -> Option<Lifecycle> {
    match error {
        // Some servers exit on an unknown request.
        ClientInitializeError::ConnectionClosed(_) | ClientInitializeError::TransportError { .. } => {
            has_ended.then_some(Lifecycle::Initialize)
        }
        // Some servers answer an unknown request as if it had succeeded.
        ClientInitializeError::ExpectedInitResult(_) => Some(Lifecycle::Initialize),
        // It was still starting when rmcp gave up on `discover`, and does not support `initialize`.
        ClientInitializeError::JsonRpcError(_) => Some(Lifecycle::Discover),
        _ => None,
    }
}

async fn greet_process(
    config: &ServerConfig,
    host: &Host,
    secrets: &Arc<Secrets>,
    ending: &Arc<Ending>,
    said: &LastLines,
    lifecycle: Lifecycle,
) -> Result<Result<Arc<Connection>, ClientInitializeError>, Trouble> {
    let Way::Command { program, args, env, cwd } = &config.way else {
        return Err(Trouble::stopped());
    };
    let own = resolved(config, env, host, secrets).await?;
    let variables = host.launch_environment.variables().await;
    let home = variables.iter().find(|(name, _)| name == "HOME").map(|(_, home)| home.clone());
    let folder = cwd.clone().or_else(|| home.map(Into::into)).unwrap_or_else(|| Path::new("/").to_owned());
    if !folder.is_dir() {
        return Err(Trouble::failed(
            format!("{} has no folder to start in: {}.", config.name, folder.display()),
            format!("Correct mcpServers.{}.cwd.", config.name),
        ));
    }
    let found =
        host.launch_environment.find(program, &folder).await.ok_or_else(|| not_found(config, program))?;
    let mut command = host.launch_environment.guard().command(&Confinement::supervised(), found);
    for (name, value) in variables {
        command = command.env(name, value);
    }
    for (name, value) in &own {
        command = command.env(name, value.expose_secret());
    }
    let process =
        command.args(args).folder(folder).start().await.map_err(|error| not_started(config, &error))?;
    let at_once = CancellationToken::new();
    let transport = Stdio::new(process, said.clone(), ending.clone(), at_once.clone())
        .map_err(|error| not_started(config, &GuardError::from(error)))?;
    let parts = Parts {
        server: config.name.clone(),
        ending: ending.clone(),
        said: said.clone(),
        at_once,
        is_process: true,
        gate: None,
        secrets: secrets.clone(),
    };
    Ok(Connection::greet(transport, lifecycle, parts).await)
}

async fn by_address(
    config: &ServerConfig,
    host: &Host,
    secrets: &Arc<Secrets>,
    gate: &Arc<Gate>,
) -> Result<Arc<Connection>, Trouble> {
    let Way::Address { url, headers, .. } = &config.way else { return Err(Trouble::stopped()) };
    let headers = resolved(config, headers, host, secrets).await?;
    let address = Address::new(url, &headers, host.names.clone(), gate.clone())?;
    let parts = || Parts {
        server: config.name.clone(),
        ending: Arc::default(),
        said: LastLines::default(),
        at_once: CancellationToken::new(),
        is_process: false,
        gate: Some(gate.clone()),
        secrets: secrets.clone(),
    };
    let mut greeted = Connection::greet(address.transport(), Lifecycle::Auto, parts()).await;
    let other = greeted.as_ref().err().and_then(|error| other_lifecycle(error, false));
    if let Some(lifecycle) = other {
        greeted = Connection::greet(address.transport(), lifecycle, parts()).await;
    }
    let error = match greeted {
        Ok(connection) => return Ok(connection),
        Err(error) => error,
    };
    if error.auth_challenge().is_some() {
        return Err(gate.trouble());
    }
    if address.is_legacy().await {
        return Err(Trouble::failed(
            format!("{} uses the old HTTP+SSE transport, which is not supported.", config.name),
            "Use its address for Streamable HTTP.",
        ));
    }
    let reason = match &error {
        // The variant does not expose its source.
        ClientInitializeError::TransportError { error, .. } => innermost(error),
        error => innermost(error),
    };
    Err(unreachable(&config.name, &reason))
}

async fn resolved(
    config: &ServerConfig,
    texts: &std::collections::BTreeMap<String, Text>,
    host: &Host,
    secrets: &Arc<Secrets>,
) -> Result<Vec<(String, SecretString)>, Trouble> {
    let mut values = Vec::with_capacity(texts.len());
    for (name, text) in texts {
        let value = text.template.resolve(|credential| async move {
            let secret = host.agreements.secret(config, &credential).await?;
            // Registered before it is sent, so that it is scrubbed from all of the server's output.
            secrets.add(&secret);
            Ok(secret)
        });
        values.push((name.clone(), value.await.map_err(|error| Trouble::from(&error))?));
    }
    Ok(values)
}

fn not_found(config: &ServerConfig, program: &str) -> Trouble {
    Trouble::failed(
        format!("The command of {} was not found or is not a program: {}.", config.name, sentence(program)),
        "Install it, or write its absolute path.",
    )
}

fn not_started(config: &ServerConfig, error: &GuardError) -> Trouble {
    Trouble::failed(
        format!("{} could not be started: {}.", config.name, sentence(&error.to_string())),
        format!("Check mcpServers.{}.command.", config.name),
    )
}

fn not_greeted(
    config: &ServerConfig,
    ending: &Ending,
    said: &LastLines,
    error: ClientInitializeError,
) -> Trouble {
    let faulty = |what: String| {
        let name = &config.name;
        Trouble::failed(format!("{name} {what}."), "Update the server; if it happens again, tell its author.")
    };
    match error {
        ClientInitializeError::LegacyFallbackFailed { fallback, .. } => {
            not_greeted(config, ending, said, *fallback)
        }
        ClientInitializeError::ConnectionClosed(_) | ClientInitializeError::TransportError { .. } => {
            ended(&config.name, ending, said)
        }
        ClientInitializeError::ConflictInitResponseId(..)
        | ClientInitializeError::UncorrelatedErrorResponse { .. } => {
            faulty("answered a request that Nova did not send".into())
        }
        ClientInitializeError::NoCompatibleProtocolVersion { .. } => {
            faulty("supports no protocol version that Nova supports".into())
        }
        ClientInitializeError::JsonRpcError(error) => {
            faulty(format!("refused to initialize: {}", sentence(&error.message)))
        }
        _ => faulty("sent an invalid answer to initialize".into()),
    }
}

fn slow(config: &ServerConfig, ending: &Ending, said: &LastLines, limit: Duration) -> Trouble {
    let mut last = said.last(3);
    last.extend(ending.noise());
    let last = match last.as_slice() {
        [] => String::new(),
        lines => format!(" It said: {}.", lines.join(" / ").trim_end_matches('.')),
    };
    Trouble::failed(
        format!("{} did not start in {} s.{last}", config.name, limit.as_secs_f32()),
        format!("Check its command, or set a longer startup_timeout_ms for {}.", config.name),
    )
}
