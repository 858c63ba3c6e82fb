//! `nova mcp serve`: serves Nova's skills to another program.

use nova_app::{App, CancellationToken, Relationship};
use nova_protocol::{ErrorCode, UserError};
use nova_serve::{Served, Token};

use crate::args::{Serve, ServedEffect, ServedTo};
use crate::print;

/// The variable with the token; without it one is generated at each start.
const TOKEN: &str = "NOVA_MCP_TOKEN";

/// Serves until the client disconnects or the program is interrupted. On stdio, only protocol messages are
/// written to stdout.
pub(super) async fn run(app: &App, serve: &Serve) -> Result<u8, UserError> {
    // Detects changes of enabled skills, so that the client is notified.
    app.watch();
    let stop = CancellationToken::new();
    let serving = async {
        match serve.http {
            None => {
                let (input, output) = (tokio::io::stdin(), tokio::io::stdout());
                nova_serve::on_stdio(app, served(serve), input, output, stop.clone()).await
            }
            Some(port) => on_a_port(app, serve, port, &stop).await,
        }
    };
    tokio::pin!(serving);
    let code = tokio::select! {
        served = &mut serving => return served.map(|()| print::DONE),
        code = interrupted() => code,
    };
    // Lets a write in progress complete.
    stop.cancel();
    serving.await.map(|()| code)
}

fn served(serve: &Serve) -> Served {
    let allowed = serve.allow.iter().map(|effect| match effect {
        ServedEffect::Write => nova_serve::Effect::Write,
        ServedEffect::External => nova_serve::Effect::External,
        ServedEffect::Destructive => nova_serve::Effect::Destructive,
    });
    Served {
        skills: serve.skills.clone(),
        effects: std::iter::once(nova_serve::Effect::Read).chain(allowed).collect(),
        relationship: match serve.relationship {
            ServedTo::Delegate => Relationship::Delegate,
            ServedTo::Known => Relationship::Known,
            ServedTo::Unknown => Relationship::Unknown,
        },
        local: serve.local,
    }
}

async fn on_a_port(app: &App, serve: &Serve, port: u16, stop: &CancellationToken) -> Result<(), UserError> {
    let (token, made) = match std::env::var(TOKEN) {
        Ok(token) if !token.is_empty() => {
            (Token::new(token.into()).map_err(|error| bad_token(&error))?, None)
        }
        _ => Token::random().map(|(token, text)| (token, Some(text)))?,
    };
    let listening = nova_serve::listen(app, served(serve), port, token, stop.clone()).await?;
    print::note(&format!("nova: serving at {}", listening.url()));
    if let Some(token) = made {
        print::note(&format!("nova: clients send the header Authorization: Bearer {token}"));
    }
    listening.run().await;
    Ok(())
}

fn bad_token(error: &nova_serve::TokenError) -> UserError {
    UserError::new(
        ErrorCode::BadRequest,
        format!("{TOKEN} cannot be used: {error}."),
        format!("Unset it for a new token at each start, or set at least {} characters.", Token::SHORTEST),
    )
}

/// Waits for Ctrl-C or SIGTERM, by which clients end their servers; returns the exit code.
async fn interrupted() -> u8 {
    #[cfg(unix)]
    let terminated = async {
        match tokio::signal::unix::signal(tokio::signal::unix::SignalKind::terminate()) {
            Ok(mut signal) => {
                signal.recv().await;
            }
            Err(_) => std::future::pending().await,
        }
    };
    #[cfg(not(unix))]
    let terminated = std::future::pending::<()>();
    tokio::select! {
        _ = tokio::signal::ctrl_c() => print::INTERRUPTED,
        () = terminated => print::DONE,
    }
}
