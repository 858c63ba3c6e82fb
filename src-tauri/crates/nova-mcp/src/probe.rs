use std::sync::Arc;

use nova_calls::Secrets;
use nova_credentials::Challenge;
use serde::Serialize;
use serde_json::{Map, Value, json};
use tokio::sync::mpsc;

use crate::authorized::Gate;
use crate::config::ServerConfig;
use crate::definition::{Definition, Kind};
use crate::host::Host;
use crate::last_lines::LastLines;
use crate::output::output;
use crate::start::{Started, start};
use crate::trouble::Trouble;

/// Result of probing a server.
#[derive(Debug, Clone, Serialize)]
pub struct Probed {
    pub server: String,
    pub protocol: Option<String>,
    pub tools: Vec<ProbedTool>,
    /// Whether all requests succeeded.
    pub ok: bool,
}

#[derive(Debug, Clone, Serialize)]
pub struct ProbedTool {
    #[serde(flatten)]
    pub definition: Definition,
    /// Why the tool cannot be used.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub fault: Option<String>,
    /// Result of a call with default arguments.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub called: Option<Value>,
}

/// Also returns the server's last challenge, if it demanded authorization.
pub(crate) async fn probe(
    config: &ServerConfig,
    host: &Host,
    call: bool,
) -> (Result<Probed, Trouble>, Option<Challenge>) {
    let secrets = Arc::<Secrets>::default();
    let gate = Gate::new(config, host.agreements.clone(), secrets.clone());
    let probed = probe_through(&gate, config, host, call, &secrets).await;
    (probed, gate.wanted())
}

async fn probe_through(
    gate: &Arc<Gate>,
    config: &ServerConfig,
    host: &Host,
    call: bool,
    secrets: &Arc<Secrets>,
) -> Result<Probed, Trouble> {
    let scrubbed = |mut trouble: Trouble| {
        secrets.scrub(&mut trouble.what);
        trouble
    };
    let Started { connection, tools } = start(config, host, secrets, &LastLines::default(), gate).await?;
    let mut ok = true;
    let mut probed: Vec<ProbedTool> = Vec::new();
    for definition in tools.into_iter().filter(|tool| tool.kind == Kind::Tool) {
        let before: Vec<&Definition> = probed.iter().map(|tool| &tool.definition).collect();
        let fault = definition.fault(&before);
        ok &= fault.is_none();
        let mut called = None;
        if call && fault.is_none() {
            let args = defaults(&definition.parameters);
            // Without a receiver, elicitations are cancelled.
            let (asks, _) = mpsc::channel(1);
            let timeout = config.timeout;
            let answer = connection.call(&definition.name, Some(args), timeout, &asks, &|_| ()).await;
            called = Some(match answer {
                Ok(answer) => {
                    match output(&config.name, answer, definition.output.as_ref(), &host.media) {
                        Ok(output) => json!({ "ok": true, "value": output.value }),
                        // Rejecting nonsensical arguments is correct behaviour.
                        Err(error) => json!({ "ok": false, "error": error.to_string() }),
                    }
                }
                Err(trouble) => {
                    ok &= !connection.closed.is_cancelled();
                    json!({ "ok": false, "error": scrubbed(trouble).line() })
                }
            });
        }
        probed.push(ProbedTool { definition, fault, called });
    }
    let protocol = connection.info().map(|info| info.protocol_version.to_string());
    connection.close().await;
    Ok(Probed { server: config.name.clone(), protocol, tools: probed, ok })
}

/// Default arguments from the schema, and the simplest values for other required ones.
fn defaults(schema: &Value) -> Map<String, Value> {
    let required: Vec<&str> =
        schema["required"].as_array().into_iter().flatten().filter_map(Value::as_str).collect();
    let properties = schema["properties"].as_object().into_iter().flatten();
    let given = properties.filter_map(|(name, schema)| {
        let plainest = || match schema["type"].as_str() {
            _ if schema["enum"][0] != Value::Null => schema["enum"][0].clone(),
            Some("string") => json!(""),
            Some("integer" | "number") => schema.get("minimum").cloned().unwrap_or(json!(0)),
            Some("boolean") => json!(false),
            Some("array") => json!([]),
            Some("object") => json!({}),
            _ => Value::Null,
        };
        match schema.get("default") {
            Some(default) => Some((name.clone(), default.clone())),
            None if required.contains(&name.as_str()) => Some((name.clone(), plainest())),
            None => None,
        }
    });
    given.collect()
}
