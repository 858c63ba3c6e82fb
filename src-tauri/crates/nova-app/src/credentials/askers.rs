//! Possible consumers of a credential: current providers, tools, skills and sign-ins.

use std::sync::Arc;

use nova_credentials::{CredentialName, Destination, GrantConsumer, Place, Template};
use nova_protocol::{ErrorCode, UserError};
use nova_registry::ToolEntry;
use serde_json::Value;

use super::{SignIn, parse, provider_keys, store};
use crate::app::App;

/// A possible consumer in its current version.
pub(super) struct Asker {
    pub(super) consumer: GrantConsumer,
    pub(super) destination: Destination,
    /// `service/key` or `service`, as declared.
    pub(super) wants: Vec<String>,
}

impl Asker {
    pub(super) fn wants(&self, name: &CredentialName) -> bool {
        self.wants.iter().any(|wanted| wanted == name.as_str() || wanted == name.service())
    }
}

impl App {
    /// All possible consumers.
    pub(super) fn askers(&self) -> Vec<Asker> {
        let snapshot = self.inner.registry.snapshot();
        let tools = snapshot.skills().iter().flat_map(|skill| {
            let tools = skill.tools.iter().chain(&skill.tools_not_ready);
            tools.map(|tool| asker_of(tool, &skill.config))
        });
        let mut askers: Vec<Asker> = tools.filter(|asker| !asker.wants.is_empty()).collect();
        for config in self.config().providers {
            let texts = config.api_key.iter().chain(config.headers.iter().map(|(_, value)| value));
            let wants: Vec<String> = texts
                .filter_map(|text| Template::parse(Place::Header, text).ok())
                .flat_map(|template| template.references().map(ToString::to_string).collect::<Vec<_>>())
                .collect();
            if let (false, Ok((consumer, destination))) =
                (wants.is_empty(), provider_keys::provider_consumer(&config))
            {
                askers.push(Asker { consumer, destination, wants });
            }
        }
        for config in self.config().mcp_servers().into_iter().flatten() {
            let wants: Vec<String> = config.credentials().iter().map(ToString::to_string).collect();
            if !wants.is_empty() {
                let (consumer, destination) = config.grantee();
                askers.push(Asker { consumer, destination, wants });
            }
        }
        askers
    }

    /// Skills with what their manifests require, and sign-ins with the user's client for them, where no variable has it.
    pub(super) fn required(&self) -> Vec<(String, Vec<String>)> {
        let snapshot = self.inner.registry.snapshot();
        let of_skill = |skill: &Arc<nova_registry::SkillEntry>| {
            let requires = &skill.manifest.requires;
            let variables = requires.env.keys().map(|name| format!("{}/{name}", skill.id));
            let variables = variables.filter(|name| name.parse::<CredentialName>().is_ok());
            let wants = variables.chain(requires.credentials.iter().cloned()).collect();
            (format!("skill:{}", skill.id), wants)
        };
        let sign_ins = self.inner.user_credentials.sign_ins();
        let clients = sign_ins.iter().filter_map(|(name, sign_in)| match sign_in {
            SignIn::Known(known) => Some((format!("sign_in:{name}"), known.wanted().ok()?)),
            SignIn::Configured(_) => None,
        });
        let of_client = |(consumer, client): (String, Vec<CredentialName>)| {
            let wants = client.iter().filter(|part| self.inner.user_credentials.variable_of(part).is_none());
            (consumer, wants.map(ToString::to_string).collect())
        };
        snapshot.skills().iter().map(of_skill).chain(clients.map(of_client)).collect()
    }

    /// Resolves `provider:ID`, `skill:ID`, `tool:SKILL.TOOL`, `server:NAME` or `sign_in:NAME`.
    pub(super) fn find_askers(&self, name: &CredentialName, to: &str) -> Result<Vec<Asker>, UserError> {
        let unknown = |what: String, hint: &str| UserError::new(ErrorCode::CredentialInvalid, what, hint);
        match to.split_once(':') {
            Some(("provider", id)) => {
                let config = self.configured_provider(id)?;
                let (consumer, destination) = provider_keys::provider_consumer(&config)?;
                Ok(vec![Asker { consumer, destination, wants: Vec::new() }])
            }
            Some(("skill" | "tool", id)) if !id.is_empty() => {
                let tools = format!("tool:{id}.");
                let found: Vec<Asker> = self
                    .askers()
                    .into_iter()
                    .filter(|asker| {
                        asker.consumer.name == to
                            || (to.starts_with("skill:") && asker.consumer.name.starts_with(&tools))
                    })
                    .filter(|asker| asker.wants(name))
                    .collect();
                if found.is_empty() {
                    return Err(unknown(
                        format!("{to} does not use a credential {name}."),
                        "List credentials and their users with: nova credential list.",
                    ));
                }
                Ok(found)
            }
            Some(("sign_in", of)) => {
                let sign_ins = self.inner.user_credentials.sign_ins();
                let of = parse(of)?;
                let sign_in = sign_ins.get(&of).ok_or_else(|| {
                    unknown(
                        format!("There is no sign-in {of}."),
                        "Describe it under sign_ins in nova.config.json.",
                    )
                })?;
                let SignIn::Configured(sign_in) = sign_in else {
                    return Err(unknown(
                        format!("The sign-in {of} needs no grant."),
                        "Its client secret is sent to its provider only.",
                    ));
                };
                let destination = sign_in.destination()?;
                Ok(vec![Asker { consumer: sign_in.consumer(&of), destination, wants: Vec::new() }])
            }
            Some(("server", server)) => {
                let (consumer, destination) = self.mcp_server(server)?.grantee();
                Ok(vec![Asker { consumer, destination, wants: Vec::new() }])
            }
            _ => Err(unknown(
                format!("\"{to}\" is not a consumer of credentials."),
                "Use provider:ID, skill:ID, server:NAME or tool:SKILL.TOOL.",
            )),
        }
    }
}

fn asker_of(tool: &ToolEntry, config: &Value) -> Asker {
    let consumer = nova_calls::consumer(tool, config);
    Asker {
        destination: store::destination(&consumer),
        consumer: (&consumer).into(),
        wants: [&tool.spec().credentials[..], &tool.spec().optional_credentials[..]].concat(),
    }
}
