//! Adds MCP servers from elsewhere: pasted, or from another program's configuration file.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

use nova_mcp::{Form, FoundServer, ServerConfig, Text, Way, credential_of, find_servers};
use nova_protocol::{
    AddServers, EditServer, ErrorCode, Nothing, OfferedSecret, OfferedServer, ReadServers, SecretText,
    ServerEntry, ServerFile, ServerRef, ServersView, UserError,
};
use serde_json::{Map, Value};

use crate::app::App;
use crate::blocking::blocking;
use crate::config::{is_secret, secret_in_server, without_references};
use crate::skill_rows::object_at;

/// An entry for `mcpServers` without secrets, and the secrets it references.
struct Prepared {
    name: String,
    entry: Map<String, Value>,
    secrets: Vec<MovedSecret>,
}

struct MovedSecret {
    variable: String,
    credential: String,
    /// `None` if the text contained a placeholder, or a variable of the other program.
    value: Option<SecretText>,
}

impl App {
    /// Parses a pasted text without adding anything.
    ///
    /// # Errors
    /// With the line that cannot be parsed.
    pub(crate) async fn read_servers(&self, pasted: ReadServers) -> Result<Vec<OfferedServer>, UserError> {
        self.offers(found(Form::Pasted, &pasted.text.take())?).await
    }

    /// Adds servers from a pasted text.
    ///
    /// # Errors
    /// When one of them cannot be added; the configuration is not changed then.
    pub(crate) async fn add_servers(&self, add: AddServers) -> Result<ServersView, UserError> {
        let mut wanted = chosen(found(Form::Pasted, &add.text.take())?, &add.names)?;
        if !add.enabled {
            wanted.iter_mut().for_each(|server| {
                server.entry.insert("enabled".into(), false.into());
            });
        }
        self.add_prepared(wanted).await?;
        self.list_servers(Nothing {}).await
    }

    /// Configuration files of other programs on this machine that contain servers, or cannot be read. Files
    /// of a project are included only with its folder.
    pub async fn server_files(&self, folder: Option<&Path>) -> Result<Vec<ServerFile>, UserError> {
        let of_folder = folder.into_iter().flat_map(project_files);
        let of_user = self.places().server_files().into_iter();
        let of_user = of_user.map(|(program, file)| (program.to_owned(), file));
        let mut files = Vec::new();
        for (program, file) in of_folder.chain(of_user) {
            if file.symlink_metadata().is_err() {
                continue;
            }
            let (servers, problem) = match self.servers_of(&file).await {
                Ok(servers) => (servers, None),
                Err(error) => (Vec::new(), Some(error.message)),
            };
            if problem.is_some() || !servers.is_empty() {
                let shown = self.places().shown(&file);
                let file = file.display().to_string();
                files.push(ServerFile { program, file, shown, servers, problem });
            }
        }
        Ok(files)
    }

    /// The servers in one file. Starts none of them.
    ///
    /// # Errors
    /// When the file cannot be read.
    pub async fn servers_of(&self, file: &Path) -> Result<Vec<OfferedServer>, UserError> {
        let servers = read(file).await?;
        self.offers(servers).await
    }

    /// Adds the named servers of a file, or all valid ones if none are named.
    ///
    /// # Errors
    /// When the file cannot be read, or a named server cannot be added; the configuration is not changed
    /// then.
    pub async fn import_from(&self, file: &Path, names: &[String]) -> Result<Vec<String>, UserError> {
        let servers = read(file).await?;
        let names: Vec<String> = if names.is_empty() {
            let offers = self.offers(servers.clone()).await?;
            let good = offers.into_iter().filter(|offer| offer.problem.is_none() && !offer.taken);
            good.map(|offer| offer.name).collect()
        } else {
            names.to_vec()
        };
        self.add_prepared(chosen(servers, &names)?).await?;
        Ok(names)
    }

    async fn offers(&self, found: Vec<FoundServer>) -> Result<Vec<OfferedServer>, UserError> {
        let mut offers = Vec::with_capacity(found.len());
        for server in found {
            offers.push(self.offer(server).await);
        }
        Ok(offers)
    }

    async fn offer(&self, found: FoundServer) -> OfferedServer {
        let taken = self.is_taken(&found.name);
        let mut offer = OfferedServer {
            name: found.name.clone(),
            runs: String::new(),
            program: None,
            host: None,
            secrets: Vec::new(),
            taken,
            problem: None,
        };
        let config = prepare(found).and_then(|prepared| {
            let config = checked(&prepared)?;
            offer.secrets = prepared.secrets.iter().map(MovedSecret::offered).collect();
            Ok(config)
        });
        match config {
            Err(problem) => offer.problem = Some(problem),
            Ok(config) => {
                offer.runs = config.shown();
                match &config.way {
                    Way::Command { program, cwd, .. } => {
                        let from = cwd.clone().unwrap_or_else(|| PathBuf::from("/"));
                        let found = self.inner.options.launch_environment.find(program, &from).await;
                        offer.program = found.map(|found| found.display().to_string());
                    }
                    Way::Address { url, .. } => offer.host = url.host_str().map(str::to_owned),
                }
            }
        }
        offer
    }

    fn is_taken(&self, name: &str) -> bool {
        let Ok(config) = ServerConfig::read(name, &serde_json::json!({ "command": "x" })) else {
            return false;
        };
        self.mcp_servers().iter().any(|server| server.id == config.id)
    }

    async fn add_prepared(&self, wanted: Vec<Prepared>) -> Result<(), UserError> {
        for server in &wanted {
            checked(server).map_err(|problem| refused(&problem))?;
            if self.is_taken(&server.name) {
                return Err(UserError::new(
                    ErrorCode::BadRequest,
                    format!("There is already a server \"{}\".", server.name),
                    "Remove it first, or rename the new one.",
                ));
            }
        }
        let secrets = wanted.iter().flat_map(|server| &server.secrets);
        let valued: Vec<_> =
            secrets.filter_map(|secret| Some((secret.credential.clone(), secret.value.clone()?))).collect();
        if !valued.is_empty() {
            let known = self.inner.user_credentials.names().await?;
            if let Some((taken, _)) =
                valued.iter().find(|(name, _)| known.iter().any(|known| known.as_str() == name))
            {
                return Err(UserError::new(
                    ErrorCode::BadRequest,
                    format!("There is already a credential {taken}."),
                    "Remove it first, or refer to it in the block.",
                ));
            }
        }
        // First, so that the configuration never references a secret that was not stored.
        for (name, value) in valued {
            self.set_credential_value(&name, value, None).await?;
        }
        self.change_config(|config| {
            let Some(servers) = object_at(config, "mcpServers") else { return };
            for server in &wanted {
                servers.insert(server.name.clone(), Value::Object(server.entry.clone()));
            }
        })
    }

    /// The entry of a server, as configured.
    ///
    /// # Errors
    /// When there is no such server.
    pub(crate) async fn server_entry(&self, server: ServerRef) -> Result<ServerEntry, UserError> {
        let written = |texts: &BTreeMap<String, Text>| {
            texts.iter().map(|(name, text)| (name.clone(), text.written.clone())).collect()
        };
        Ok(match self.mcp_server(&server.server)?.way {
            Way::Command { program, args, env, cwd } => ServerEntry {
                command: Some(program),
                args,
                cwd: cwd.map(|cwd| cwd.display().to_string()),
                url: None,
                values: written(&env),
            },
            Way::Address { url, headers, .. } => ServerEntry {
                url: Some(url.to_string()),
                values: written(&headers),
                ..ServerEntry::default()
            },
        })
    }

    /// Replaces command or URL of a server by those of a pasted block; the rest of its entry stays. Secrets
    /// in the block are stored as credentials.
    ///
    /// # Errors
    /// When the block names another server, or is invalid; nothing is changed then.
    pub(crate) async fn edit_server(&self, edit: EditServer) -> Result<ServersView, UserError> {
        let name = self.mcp_server(&edit.server)?.name;
        let wanted = chosen(found(Form::Pasted, &edit.text.take())?, std::slice::from_ref(&name))?;
        let Some(changed) = wanted.into_iter().next() else { return Err(refused("It names no server.")) };
        checked(&changed).map_err(|problem| refused(&problem))?;
        for secret in changed.secrets {
            if let Some(value) = secret.value {
                self.set_credential_value(&secret.credential, value, None).await?;
            }
        }
        let entry = changed.entry;
        self.change_config(|config| {
            let Some(servers) = object_at(config, "mcpServers") else { return };
            let Some(own) = object_at(servers, &name) else { return };
            for key in ["type", "command", "args", "cwd", "url", "env", "headers"] {
                own.remove(key);
                if let Some(value) = entry.get(key) {
                    own.insert(key.into(), value.clone());
                }
            }
        })?;
        self.list_servers(Nothing {}).await
    }
}

impl MovedSecret {
    fn offered(&self) -> OfferedSecret {
        OfferedSecret {
            variable: self.variable.clone(),
            credential: self.credential.clone(),
            has_value: self.value.is_some(),
        }
    }
}

/// The files in which a project configures its servers, if present.
fn project_files(folder: &Path) -> Vec<(String, PathBuf)> {
    let files = [("Claude Code", ".mcp.json"), ("VS Code", ".vscode/mcp.json")];
    files.map(|(program, file)| (format!("{program} (this folder)"), folder.join(file))).into()
}

/// The project folder of a configuration file, in which its servers start.
fn project_of(file: &Path) -> Option<PathBuf> {
    let file = std::path::absolute(file).ok()?;
    let folder = file.parent()?;
    if file.ends_with(".vscode/mcp.json") {
        return folder.parent().map(Path::to_owned);
    }
    file.ends_with(".mcp.json").then(|| folder.to_owned())
}

fn found(form: Form, text: &str) -> Result<Vec<FoundServer>, UserError> {
    find_servers(form, text).map_err(|error| {
        let line = error.line.map(|line| format!("Line {line}: ")).unwrap_or_default();
        UserError::new(ErrorCode::BadRequest, format!("{line}{}", error.message), "Correct it and try again.")
    })
}

async fn read(file: &Path) -> Result<Vec<FoundServer>, UserError> {
    let file = file.to_owned();
    blocking(move || {
        let text = nova_files::read_text(&file).map_err(|error| {
            UserError::new(
                ErrorCode::Io,
                format!("{} cannot be read: {error}.", file.display()),
                "Choose a configuration file of up to 8 MB.",
            )
        })?;
        let form = match file.extension().and_then(|ending| ending.to_str()) {
            Some("toml") => Form::Toml,
            Some("yaml" | "yml") => Form::Yaml,
            _ => Form::Json,
        };
        let mut servers = found(form, &text)?;
        if let Some(project) = project_of(&file) {
            for entry in servers.iter_mut().filter_map(|server| server.entry.as_mut().ok()) {
                if entry.contains_key("command") {
                    entry.entry("cwd").or_insert_with(|| project.display().to_string().into());
                }
            }
        }
        Ok(servers)
    })
    .await
}

/// The servers with these names, ready to be added.
fn chosen(found: Vec<FoundServer>, names: &[String]) -> Result<Vec<Prepared>, UserError> {
    let one = |name: &String| {
        let server = found.iter().find(|server| server.name == *name);
        let server = server.ok_or_else(|| refused(&format!("It has no server \"{name}\".")))?;
        prepare(server.clone()).map_err(|problem| refused(&format!("{name}: {problem}")))
    };
    names.iter().map(one).collect()
}

fn refused(problem: &str) -> UserError {
    UserError::new(ErrorCode::BadRequest, problem, "Nothing was changed.")
}

/// Moves secrets out of an entry.
fn prepare(found: FoundServer) -> Result<Prepared, String> {
    let mut entry = found.entry?;
    let mut secrets = Vec::new();
    for place in ["env", "headers"] {
        let values = entry.get_mut(place).and_then(Value::as_object_mut);
        for (variable, value) in values.into_iter().flatten() {
            let Some(text) = value.as_str() else { continue };
            let (scheme, secret) = text.split_once(' ').filter(|_| place == "headers").unwrap_or(("", text));
            if !looks_secret(variable, secret) {
                continue;
            }
            let credential = credential_of(&found.name, variable).ok_or_else(|| {
                format!(
                    "{place}.{variable} holds a secret, but its name cannot name a credential. Rename it."
                )
            })?;
            let value_of = (!is_placeholder(secret)).then(|| SecretText::new(secret));
            let space = if scheme.is_empty() { "" } else { " " };
            let reference = format!("{scheme}{space}${{credentials:{credential}}}");
            secrets.push(MovedSecret { variable: variable.clone(), credential, value: value_of });
            *value = Value::from(reference);
        }
    }
    for credential in found.asks {
        let variable = credential.split_once('/').map_or("", |(_, key)| key).to_owned();
        secrets.push(MovedSecret { variable, credential, value: None });
    }
    Ok(Prepared { name: found.name, entry, secrets })
}

/// Parses the entry as configuration.
fn checked(prepared: &Prepared) -> Result<ServerConfig, String> {
    let entry = Value::Object(prepared.entry.clone());
    if let Some(key) = secret_in_server(&prepared.name, &entry) {
        return Err(match key.contains(".args") || key.ends_with(".command") {
            true => {
                format!("{key} holds a secret, and every process can read arguments. Move the secret to env.")
            }
            false => format!("{key} holds a secret. Move it to env or headers."),
        });
    }
    ServerConfig::read(&prepared.name, &entry)
}

/// Stricter than the configuration's check: moving a value unnecessarily does no harm.
fn looks_secret(variable: &str, text: &str) -> bool {
    let last = variable.rsplit(['_', '-']).next().unwrap_or_default().to_lowercase();
    let is_named =
        ["key", "pat", "pass", "passwd", "pwd", "auth", "cookie", "token", "secret"].contains(&last.as_str());
    is_secret(variable, text) || is_named && !without_references(text).trim().is_empty()
}

/// Whether the text is a placeholder from documentation.
fn is_placeholder(text: &str) -> bool {
    let text = text.trim().to_lowercase();
    text.starts_with('<') && text.ends_with('>')
        || text.starts_with("your")
        || text.starts_with("xxx")
        || text.contains("...")
        || text.contains('…')
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    fn prepared(entry: Value) -> Prepared {
        let entry = entry.as_object().cloned().ok_or_else(String::new);
        prepare(FoundServer { name: "parcel".into(), entry, asks: Vec::new() })
            .unwrap_or_else(|why| panic!("{why}"))
    }

    #[test]
    fn secrets_are_moved_and_other_values_stay() {
        let prepared = prepared(json!({"command": "x", "env": {
            "PARCEL_TOKEN": "pt_0123456789", "LEVEL": "debug", "API_KEY": "<your key>", "OWN": "ghp_0123456789",
            "DB_TOKEN": "${credentials:db/token}", "PORT": 8080}}));
        assert_eq!(
            Value::Object(prepared.entry),
            json!({"command": "x", "env": {
                "PARCEL_TOKEN": "${credentials:parcel/PARCEL_TOKEN}", "LEVEL": "debug",
                "API_KEY": "${credentials:parcel/API_KEY}", "OWN": "${credentials:parcel/OWN}",
                "DB_TOKEN": "${credentials:db/token}", "PORT": 8080}})
        );
        let mut moved: Vec<_> = prepared
            .secrets
            .into_iter()
            .map(|secret| (secret.variable, secret.value.map(SecretText::take)))
            .collect();
        moved.sort();
        assert_eq!(
            moved,
            [
                ("API_KEY".to_owned(), None),
                ("OWN".into(), Some("ghp_0123456789".into())),
                ("PARCEL_TOKEN".into(), Some("pt_0123456789".into())),
            ]
        );
    }

    #[test]
    fn scheme_of_a_header_stays_in_the_file() {
        let prepared =
            prepared(json!({"url": "https://a.example", "headers": {"Authorization": "Bearer abcdefghi"}}));
        assert_eq!(
            prepared.entry["headers"],
            json!({"Authorization": "Bearer ${credentials:parcel/Authorization}"})
        );
    }

    #[test]
    fn secret_in_an_argument_is_refused() {
        for args in
            [json!(["--token=abcdefghijkl"]), json!(["--api-key", "abcdefghijkl"]), json!(["ghp_0123456789"])]
        {
            let said = checked(&prepared(json!({"command": "x", "args": args}))).err().unwrap_or_default();
            assert!(said.contains("Move the secret to env."), "{args}: {said}");
        }
    }
}
