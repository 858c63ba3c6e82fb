//! `nova credential`.

use std::io::{IsTerminal as _, Read as _};

use nova_app::{App, SignInOpener};
use nova_protocol::{CredentialState, CredentialsView, ErrorCode, SecretText, UserError};
use serde_json::json;
use url::Url;

use crate::args::Credential;
use crate::passphrase::without_line_end;
use crate::print;

/// Maximum size of a value, in bytes; the store's limit is lower.
const LONGEST: u64 = 1024 * 1024;

pub(super) async fn run(app: &App, credential: &Credential, json: bool) -> Result<u8, UserError> {
    match credential {
        Credential::Set { more, .. } if !more.is_empty() => {
            print::error(
                &UserError::new(
                    ErrorCode::BadRequest,
                    "A secret cannot be passed as an argument, because every program can read arguments.",
                    "Replace that secret at its provider, then pass the new one on stdin or at the prompt.",
                ),
                json,
            );
            return Ok(print::BAD_USAGE);
        }
        Credential::Set { name, .. } => {
            app.check_credential_name(name)?;
            let value = read_value(name)?;
            let set = app.set_credential_value(name, SecretText::new(value.clone()), None).await;
            if let Err(error) = set {
                unlock(app, error).await?;
                app.set_credential_value(name, SecretText::new(value), None).await?;
            }
            done(json, &json!({"ok": true, "credential": name}), &format!("{name} is stored."));
        }
        Credential::List => {
            let view = readable(app).await?;
            if json {
                print::json(&view.credentials);
            } else {
                list(&view);
            }
        }
        Credential::Remove { name } => {
            let removed = app.remove_credential_named(name).await;
            if let Err(error) = removed {
                unlock(app, error).await?;
                app.remove_credential_named(name).await?;
            }
            done(
                json,
                &json!({"ok": true, "credential": name}),
                &format!("{name} and its grants are removed."),
            );
        }
        Credential::Grant { name, to } => {
            app.grant_credential_to(name, to)?;
            done(
                json,
                &json!({"ok": true, "credential": name, "to": to}),
                &format!("{to} may use {name} for its current destination."),
            );
        }
        Credential::Revoke { name, to } => {
            app.revoke_credential_from(name, to)?;
            done(
                json,
                &json!({"ok": true, "credential": name, "to": to}),
                &format!("{to} may no longer use {name}."),
            );
        }
        Credential::Grants => {
            app.check_grants()?;
            grants(&app.credentials().await, json);
        }
        Credential::SignIn { name } => {
            app.sign_in_with(name, &Printed).await?;
            done(json, &json!({"ok": true, "credential": name}), &format!("Signed in for {name}."));
        }
    }
    Ok(print::DONE)
}

fn done(json: bool, value: &serde_json::Value, text: &str) {
    if json {
        print::json(value);
    } else {
        print::line(&print::visible(text));
    }
}

/// Reads from the terminal without echo, otherwise all of stdin.
fn read_value(name: &str) -> Result<String, UserError> {
    let unread = |error: std::io::Error| {
        UserError::new(
            ErrorCode::Io,
            format!("The value cannot be read: {error}."),
            "Pass it as text on stdin.",
        )
    };
    if std::io::stdin().is_terminal() {
        return rpassword::prompt_password(format!("Value of {}: ", print::visible(name))).map_err(unread);
    }
    let mut text = String::new();
    std::io::stdin().take(LONGEST).read_to_string(&mut text).map_err(unread)?;
    Ok(without_line_end(&text).to_owned())
}

/// The list; asks for the passphrase if necessary.
async fn readable(app: &App) -> Result<CredentialsView, UserError> {
    let view = app.credentials().await;
    let Some(problem) = view.problem.clone() else { return Ok(view) };
    unlock(app, problem).await?;
    let view = app.credentials().await;
    view.problem.clone().map_or(Ok(view), Err)
}

/// Asks at the terminal for the passphrase if it is required, otherwise returns the error.
async fn unlock(app: &App, error: UserError) -> Result<(), UserError> {
    let at_terminal = std::io::stdin().is_terminal() && std::io::stderr().is_terminal();
    let helps = matches!(error.code, ErrorCode::PassphraseNeeded | ErrorCode::NoCredentialStore);
    if !helps || !at_terminal {
        return Err(error);
    }
    let ask = |text: &str| {
        rpassword::prompt_password(text).map_err(|failure| {
            UserError::new(
                ErrorCode::PassphraseNeeded,
                format!("The passphrase cannot be read: {failure}."),
                "",
            )
        })
    };
    print::note(&format!("nova: {}", error.message));
    let begins = error.code == ErrorCode::NoCredentialStore;
    let passphrase = ask(if begins { "New passphrase for an encrypted file: " } else { "Passphrase: " })?;
    if begins && ask("Repeat the passphrase: ")? != passphrase {
        return Err(UserError::new(
            ErrorCode::PassphraseNeeded,
            "The passphrases differ. Nothing was stored.",
            "Try again.",
        ));
    }
    app.unlock(SecretText::new(passphrase)).await
}

fn list(view: &CredentialsView) {
    if view.credentials.is_empty() {
        print::line("No credentials are stored or needed. Store one: nova credential set SERVICE/KEY");
    }
    for row in &view.credentials {
        let state = match row.state {
            CredentialState::Kept => "kept",
            CredentialState::Missing => "missing",
            CredentialState::NeedsSignIn => "needs sign-in",
            CredentialState::Unknown => "not known",
        };
        let wanted = if row.wanted_by.is_empty() {
            String::new()
        } else {
            format!("  for {}", row.wanted_by.join(", "))
        };
        print::line(&print::visible(&format!("{:<32} {state:<14}{wanted}", row.name)));
    }
}

fn grants(view: &CredentialsView, json: bool) {
    let rows = view.credentials.iter().flat_map(|row| row.grants.iter().map(move |grant| (row, grant)));
    if json {
        let rows: Vec<_> = rows
            .map(|(row, grant)| {
                json!({
                    "credential": row.name, "consumer": grant.consumer,
                    "destination": grant.destination, "in_force": grant.in_force,
                })
            })
            .collect();
        print::json(&rows);
        return;
    }
    for (row, grant) in rows {
        let old = if grant.in_force { "" } else { "  (changed since: not in force)" };
        print::line(&print::visible(&format!(
            "{:<32} {} → {}{old}",
            row.name, grant.consumer, grant.destination
        )));
    }
}

/// Prints the URL as well: the browser may be on another screen.
pub(super) struct Printed;

#[async_trait::async_trait]
impl SignInOpener for Printed {
    async fn open(&self, address: &Url) -> Result<(), String> {
        let host = address.host_str().unwrap_or_default();
        print::note(&format!("Open this address at {host} in a browser on this machine and sign in:"));
        print::note(address.as_str());
        Ok(())
    }
}
