//! The credentials of a call: declared by its tool, existing, and granted by the user.

use std::collections::BTreeSet;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use async_trait::async_trait;
use nova_protocol::{Decision, Event, PrincipalView};
use nova_registry::ToolEntry;
use nova_skill::{Consumer, CredentialSource, Credentials, Ground, HeldCredential, Secret, ToolError};
use serde_json::Value;

use crate::hosts::{ToolHosts, shown_hosts_of};
use crate::questions::{NotAllowed, Questions};
use crate::secrets::Secrets;
use crate::view::effect_view;
use crate::{Answer, ApprovalRequest, CallEvents, Grantee, Grants};

/// The credentials that a tool declares, for one call.
#[derive(Clone)]
pub(crate) struct CallCredentials {
    source: Arc<dyn CredentialSource>,
    events: Arc<dyn CallEvents>,
    secrets: Arc<Secrets>,
    grants: Arc<Grants>,
    grantee: Grantee,
    consumer: Consumer,
    declared: Arc<[String]>,
    /// The credential to set for each declared name, in the same order.
    keys: Arc<[String]>,
    optional: Arc<[String]>,
    /// Credentials that the user allowed for this call only.
    allowed: Arc<Mutex<BTreeSet<String>>>,
}

impl CallCredentials {
    pub(crate) fn new(
        source: Arc<dyn CredentialSource>,
        events: Arc<dyn CallEvents>,
        secrets: Arc<Secrets>,
        grants: Arc<Grants>,
        tool: &ToolEntry,
        config: &Value,
    ) -> Self {
        Self {
            source,
            events,
            secrets,
            grants,
            grantee: Grantee::of(tool),
            consumer: consumer(tool, config),
            declared: tool.spec().credentials.clone().into(),
            keys: tool.spec().credentials.iter().map(|name| tool.spec().key_of(name).to_owned()).collect(),
            optional: tool.spec().optional_credentials.clone().into(),
            allowed: Arc::default(),
        }
    }

    /// Returns the declared credentials without a grant.
    ///
    /// # Errors
    /// If a declared credential is missing; the user sees which one.
    pub(crate) async fn not_granted(&self) -> Result<Vec<String>, ToolError> {
        let mut names = Vec::new();
        for (declared, key) in self.declared.iter().zip(self.keys.iter()) {
            let held = self.held(declared).await?;
            if held.is_empty() {
                return Err(self.needed(key));
            }
            names.extend(held.into_iter().filter(|held| !held.granted).map(|held| held.name));
        }
        for optional in self.optional.iter() {
            // An optional credential that cannot be reached counts as missing.
            let held = self.source.held(&self.consumer, optional).await.unwrap_or_default();
            names.extend(held.into_iter().filter(|held| !held.granted).map(|held| held.name));
        }
        names.sort_unstable();
        names.dedup();
        let in_session = |name: &String| self.grants.covers_credential(&self.grantee, name);
        self.allowed().extend(names.iter().filter(|name| in_session(name)).cloned());
        names.retain(|name| !in_session(name));
        Ok(names)
    }

    /// Grants credentials for as long as the tool was allowed: the user saw tool, hosts and credentials on
    /// one card.
    ///
    /// # Errors
    /// If the grant cannot be saved.
    pub(crate) async fn allowed_on_card(
        &self,
        names: &[String],
        decision: Decision,
    ) -> Result<(), ToolError> {
        for name in names {
            match decision {
                Decision::Always => self.source.grant(&self.consumer, name).await?,
                Decision::Session => self.grants.add_credential(&self.grantee, name),
                Decision::Once | Decision::Deny | Decision::Cancel => {}
            }
            if matches!(decision, Decision::Once | Decision::Session) {
                self.allowed().insert(name.clone());
            }
        }
        Ok(())
    }

    /// Asks for each of these credentials separately. The tool runs without optional ones that are denied.
    ///
    /// # Errors
    /// If a required credential is denied, and if the call is stopped.
    pub(crate) async fn ask(
        &self,
        names: &[String],
        questions: &Questions,
        call: &str,
        tool: &ToolEntry,
        args: &Value,
        principal: &PrincipalView,
    ) -> Result<(), ToolError> {
        let hosts = self.consumer.hosts.join(", ");
        let to = if hosts.is_empty() {
            "without sending it".to_owned()
        } else {
            format!("and send it to {hosts}")
        };
        for name in names {
            let mut request = ApprovalRequest {
                call: call.to_owned(),
                tool: tool.shown_name(),
                args: args.clone(),
                effect: effect_view(tool.effect()),
                principal: principal.clone(),
                question: format!("Let {} use the credential {name} {to}?", tool.shown_name()),
                decisions: vec![Decision::Once, Decision::Always, Decision::Deny],
                editable: false,
                diff: None,
                details: Vec::new(),
                host: (!hosts.is_empty()).then(|| hosts.clone()),
                credentials: vec![name.clone()],
                elicitation: None,
                revision: 0,
            };
            let answer = loop {
                match questions.ask(&mut request).await? {
                    // There are no arguments to edit, so the question stands.
                    Answer::Revised { .. } => {}
                    answer => break answer,
                }
            };
            match questions.settle(&request, answer) {
                Ok(allowed) if allowed.decision == Decision::Always => {
                    self.source.grant(&self.consumer, name).await?;
                }
                Ok(_) => {
                    self.allowed().insert(name.clone());
                }
                Err(_) if !is_one_of(&self.declared, name) => {}
                Err(NotAllowed::Denied { by, reason }) => {
                    let why = reason.map(|reason| format!(": {reason}")).unwrap_or_default();
                    return Err(ToolError::NotAllowed {
                        what: format!(
                            "{} does not get the credential {name}: denied by {by}{why}.",
                            tool.shown_name()
                        ),
                        remedy: "Do not retry unless the user asks for it.".into(),
                        unanswered: false,
                    });
                }
                Err(NotAllowed::Unanswered { .. } | NotAllowed::NotOffered) => {
                    return Err(ToolError::CredentialNotGranted {
                        credential: name.clone(),
                        consumer: self.consumer.to_string(),
                        destination: if hosts.is_empty() { "no host".into() } else { hosts },
                    });
                }
            }
        }
        Ok(())
    }

    async fn held(&self, declared: &str) -> Result<Vec<HeldCredential>, ToolError> {
        self.source.held(&self.consumer, declared).await.inspect_err(|error| self.emit_needed(error))
    }

    fn needed(&self, name: &str) -> ToolError {
        let needed = ToolError::CredentialNeeded { credential: name.to_owned() };
        self.emit_needed(&needed);
        needed
    }

    /// Shows the card that lets the user fix it.
    fn emit_needed(&self, error: &ToolError) {
        let (ToolError::CredentialNeeded { credential } | ToolError::NeedsSignIn { credential, .. }) = error
        else {
            return;
        };
        self.events.emit(Event::CredentialNeeded {
            credential: credential.clone(),
            consumer: self.consumer.to_string(),
        });
    }

    fn declares(&self, name: &str) -> bool {
        is_one_of(&self.declared, name) || is_one_of(&self.optional, name)
    }

    fn allowed(&self) -> MutexGuard<'_, BTreeSet<String>> {
        self.allowed.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl CallCredentials {
    async fn given(&self, name: &str, refused: Option<&Secret>) -> Result<Secret, ToolError> {
        if !self.declares(name) {
            return Err(ToolError::NotDeclared {
                what: format!("This tool does not declare the credential \"{name}\"."),
                remedy: "A tool receives only credentials that it declares.".into(),
            });
        }
        let ground = if self.allowed().contains(name) { Ground::JustAllowed } else { Ground::Grant };
        let secret = match refused {
            None => self.source.secret(&self.consumer, name, ground).await,
            Some(refused) => self.source.renewed(&self.consumer, name, ground, refused).await,
        };
        let secret = secret.inspect_err(|error| self.emit_needed(error))?.ok_or_else(|| self.needed(name))?;
        self.secrets.add(&secret);
        Ok(secret)
    }
}

#[async_trait]
impl Credentials for CallCredentials {
    async fn get(&self, name: &str) -> Result<Secret, ToolError> {
        self.given(name, None).await
    }

    async fn renewed(&self, name: &str, refused: &Secret) -> Result<Secret, ToolError> {
        self.given(name, Some(refused)).await
    }

    async fn has(&self, name: &str) -> bool {
        self.declares(name) && self.source.held(&self.consumer, name).await.is_ok_and(|held| !held.is_empty())
    }
}

/// `service` declares all keys of the service.
fn is_one_of(declared: &[String], name: &str) -> bool {
    declared.iter().any(|declared| {
        name.strip_prefix(declared.as_str())
            .is_some_and(|rest| rest.is_empty() || (rest.starts_with('/') && !declared.contains('/')))
    })
}

/// Identifies a tool to credential sources: a skill of the program, or one content of a file, with the hosts
/// that its card shows. For a tool that declares no hosts, these are the hosts in its configuration, whatever
/// the call.
pub fn consumer(tool: &ToolEntry, config: &Value) -> Consumer {
    let mut consumer = consumer_of(&tool.skill, tool.spec());
    if consumer.hosts.is_empty() {
        consumer.hosts = ToolHosts::of(tool, &Value::Null, config).shown.into_iter().collect();
    }
    consumer
}

/// As [`consumer`], for a tool without configuration.
pub fn consumer_of(skill: &str, spec: &nova_skill::ToolSpec) -> Consumer {
    Consumer {
        skill: skill.to_owned(),
        tool: spec.id.clone(),
        definition: spec.definition.clone(),
        hosts: shown_hosts_of(spec).into_iter().collect(),
    }
}

/// An empty store.
pub struct NoCredentials;

#[async_trait]
impl CredentialSource for NoCredentials {
    async fn held(&self, _consumer: &Consumer, _declared: &str) -> Result<Vec<HeldCredential>, ToolError> {
        Ok(Vec::new())
    }

    async fn grant(&self, _consumer: &Consumer, _name: &str) -> Result<(), ToolError> {
        Ok(())
    }

    async fn secret(
        &self,
        _consumer: &Consumer,
        _name: &str,
        _ground: Ground,
    ) -> Result<Option<Secret>, ToolError> {
        Ok(None)
    }
}
