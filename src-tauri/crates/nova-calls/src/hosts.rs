use std::collections::{BTreeMap, BTreeSet};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use async_trait::async_trait;
use nova_http::{HostGate, HostPattern, declared_host};
use nova_protocol::{Decision, Effect};
use nova_registry::{CallShape, ReachedNotes, RulesInForce, ToolEntry};
use nova_skill::{Principal, ToolError, ToolSpec};
use serde_json::{Value, json};

use crate::draft_vault::DraftVault;
use crate::gate::{Covers, Gate};
use crate::named_hosts::{HOSTS, named_hosts};
use crate::questions::{NotAllowed, Questions};
use crate::trusted::content_of;
use crate::view::principal_view;
use crate::{
    Answer, Approval, ApprovalRequest, Approved, CallScope, Content, Grantee, Grants, Standing, ToolContent,
};

/// The hosts that a call may contact. Hosts not covered by rules or grants are asked about during the run.
pub(crate) struct CallHosts {
    questions: Arc<Questions>,
    grants: Arc<Grants>,
    call: String,
    tool: Arc<ToolEntry>,
    /// Read for each request: rules may change while the tool runs.
    rules: Arc<RulesInForce>,
    /// The model had read untrusted text before it made the call.
    tainted: bool,
    grantee: Grantee,
    /// The file's content and its approvals, for a tool defined by a file.
    content: Option<(ToolContent, Arc<dyn Approved>)>,
    principal: Principal,
    declared: BTreeSet<String>,
    shown: BTreeSet<String>,
    state: Mutex<State>,
    /// Held while a question waits, so that concurrent requests to one host ask once.
    asking: tokio::sync::Mutex<()>,
}

#[derive(Default)]
struct State {
    args: Value,
    vault: Option<DraftVault>,
    allowed: BTreeSet<String>,
    denied: BTreeMap<String, NotAllowed>,
}

impl CallHosts {
    pub(crate) fn new(
        scope: &CallScope,
        questions: Arc<Questions>,
        call: &str,
        tool: &Arc<ToolEntry>,
        hosts: ToolHosts,
        tainted: bool,
    ) -> Self {
        Self {
            questions,
            grants: scope.grants.clone(),
            call: call.to_owned(),
            tool: tool.clone(),
            rules: scope.access.rules.clone(),
            tainted,
            grantee: Grantee::of(tool),
            content: ToolContent::of(tool).map(|content| (content, scope.access.approved.clone())),
            principal: scope.principal.clone(),
            declared: hosts.declared,
            shown: hosts.shown,
            state: Mutex::default(),
            asking: tokio::sync::Mutex::default(),
        }
    }

    /// Records that the user saw these hosts on the call's card and allowed it.
    pub(crate) fn shown_and_allowed(&self) {
        self.state().allowed.extend(self.shown.iter().cloned());
    }

    /// Sets the arguments and vault of the run, which questions show.
    pub(crate) fn runs_with(&self, args: &Value, vault: DraftVault) {
        let mut state = self.state();
        state.args = args.clone();
        state.vault = Some(vault);
    }

    /// How far the rules and grants in force allow the call to contact hosts.
    fn covers(&self) -> Covers {
        let args = self.state().args.clone();
        self.covers_with(&args)
    }

    fn covers_with(&self, args: &Value) -> Covers {
        let vault = self.state().vault.clone();
        let read = vault.map(|vault| vault.reached()).unwrap_or_default();
        let reached = ReachedNotes { read: read.into_iter().collect(), written: Vec::new() };
        let effect = self.tool.effect();
        let call = CallShape { skill: &self.tool.skill, tool: &self.tool.id, effect, args };
        Gate::now(&self.rules).covers(&call, &reached, &self.principal, self.standing(), self.tainted)
    }

    /// A tool defined by a file sends nothing once it has received a private note, whatever it does with it.
    async fn check_nothing_private(&self, host: &str) -> Result<(), ToolError> {
        let vault = self.state().vault.clone();
        match vault.filter(|_| self.tool.spec().vault.is_some()) {
            Some(vault) if vault.knows_private().await => Err(ToolError::NotAllowed {
                what: format!("{host} was not contacted: this call was given a private note."),
                remedy: "Ask the web first, or leave private notes out.".into(),
                unanswered: false,
            }),
            _ => Ok(()),
        }
    }

    fn standing(&self) -> Content {
        match &self.content {
            Some((content, approved)) => content_of(&approved.standing(content), &self.tool),
            None if self.tool.by_arguments => Content::ByArguments,
            None => Content::Fixed,
        }
    }

    /// Whether the card of the call shows the host.
    pub(crate) fn shows(&self, host: &str) -> bool {
        covers(&self.shown, host)
    }

    /// Whether a command of the call may contact the host: the call must name it and the rules must allow it.
    fn check_command(&self, host: &str) -> Result<(), ToolError> {
        // A rule about one host also applies if the call names it by a wildcard.
        let mut args = self.state().args.clone();
        args[HOSTS] = json!([host]);
        let covers = self.covers_with(&args);
        covers.check(host)?;
        let names = |shown: &&String| HostPattern::parse(shown).is_some_and(|named| named.covers(host));
        let Some(named) = self.shown.iter().find(names) else {
            let shown: Vec<&str> = self.shown.iter().map(String::as_str).collect();
            return Err(ToolError::NotAllowed {
                what: format!(
                    "{host} was not contacted: this command may contact {} only.",
                    shown.join(", ")
                ),
                remedy: "Name the host in hosts and call again.".into(),
                unanswered: false,
            });
        };
        if covers == Covers::Declared || self.state().allowed.contains(named) {
            return Ok(());
        }
        Err(ToolError::NotAllowed {
            what: format!("{host} was not contacted: a rule requires asking."),
            remedy: "Change the rule in permissions.yaml to allow it.".into(),
            unanswered: false,
        })
    }

    fn known(&self, host: &str) -> Option<Result<(), ToolError>> {
        let covers = self.covers();
        if let Some(denied) = self.state().denied.get(host) {
            return Some(Err(not_contacted(host, denied)));
        }
        if let Err(denied) = covers.check(host) {
            return Some(Err(denied));
        }
        let allowed = self.was_allowed(host)
            || match covers {
                Covers::Declared => self::covers(&self.declared, host) || self.is_granted(host),
                Covers::Granted => self.is_granted(host),
                Covers::Tainted | Covers::Nothing | Covers::Denied(_) | Covers::Closed(_) => false,
            };
        allowed.then_some(Ok(()))
    }

    /// Whether the user allowed the host, by itself or on the card.
    fn was_allowed(&self, host: &str) -> bool {
        let state = self.state();
        // A question names one host, whatever characters it is made of.
        state.allowed.contains(host) || covers(self.shown.intersection(&state.allowed), host)
    }

    /// Whether the host is granted for the session, or always for this content.
    fn is_granted(&self, host: &str) -> bool {
        let granted = |host: &str| self.grants.covers_host(&self.grantee, host);
        let shown = self.shown.iter().filter(|shown| granted(shown.as_str()));
        granted(host) || covers(shown, host) || self.is_always(host)
    }

    fn is_always(&self, host: &str) -> bool {
        self.content.as_ref().is_some_and(|(content, approved)| {
            let every_call = approved.standing(content) == Standing::This(Approval::Always);
            (every_call && self.shows(host)) || approved.covers_host(content, host)
        })
    }

    /// Records a decision, which applies to this call in any case.
    fn remember(&self, decision: Decision, host: &str) {
        match (decision, &self.content) {
            (Decision::Session, _) => self.grants.add_host(&self.grantee, host),
            (Decision::Always, Some((content, approved))) => {
                if let Err(reason) = approved.keep_host(content, host) {
                    tracing::warn!(%host, %reason, "cannot save an \"always\" grant; it holds for this chat");
                    self.grants.add_host(&self.grantee, host);
                }
            }
            _ => {}
        }
    }

    fn decisions(&self) -> Vec<Decision> {
        match (self.covers(), &self.content) {
            (Covers::Nothing, _) => vec![Decision::Once, Decision::Deny],
            (_, None) => vec![Decision::Once, Decision::Session, Decision::Deny],
            (_, Some(_)) => vec![Decision::Once, Decision::Session, Decision::Always, Decision::Deny],
        }
    }

    fn state(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

#[async_trait]
impl HostGate for CallHosts {
    async fn may_contact(&self, host: &str) -> Result<(), ToolError> {
        self.check_nothing_private(host).await?;
        if let Some(known) = self.known(host) {
            return known;
        }
        let _asking = self.asking.lock().await;
        if let Some(known) = self.known(host) {
            return known;
        }
        let args = self.state().args.clone();
        let mut request = ApprovalRequest {
            call: self.call.clone(),
            tool: self.tool.shown_name(),
            args,
            effect: Effect::External,
            principal: principal_view(&self.principal),
            question: format!("Let {} send to {host}?", self.tool.shown_name()),
            decisions: self.decisions(),
            editable: false,
            diff: None,
            details: Vec::new(),
            host: Some(host.to_owned()),
            credentials: Vec::new(),
            elicitation: None,
            revision: 0,
        };
        let answer = loop {
            match self.questions.ask_mid_run(&mut request).await? {
                // The call is already running, so there are no arguments to edit and the question stands.
                Answer::Revised { .. } => {}
                answer => break answer,
            }
        };
        match self.questions.settle(&request, answer) {
            Ok(allowed) => {
                // A rule may have been written while the question waited.
                self.covers().check(host)?;
                self.remember(allowed.decision, host);
                self.state().allowed.insert(host.to_owned());
                Ok(())
            }
            Err(denied) => {
                self.state().denied.insert(host.to_owned(), denied.clone());
                Err(not_contacted(host, &denied))
            }
        }
    }
}

/// A connection to a server that the skill's configuration names. It belongs to the user: a call that only
/// reads there, or changes only the vault, does not ask, not even after untrusted text, unless a rule
/// requires it.
pub(crate) struct ConfiguredServer<'a>(pub(crate) &'a CallHosts);

#[async_trait]
impl HostGate for ConfiguredServer<'_> {
    async fn may_contact(&self, host: &str) -> Result<(), ToolError> {
        // A call that changes something there has another effect (`Tool::for_call`).
        let effect = self.0.tool.effect();
        let reads =
            matches!(effect, nova_skill::Effect::Read | nova_skill::Effect::Write) && self.0.shows(host);
        match self.0.covers() {
            Covers::Declared | Covers::Granted | Covers::Tainted if reads => Ok(()),
            _ => self.0.may_contact(host).await,
        }
    }
}

/// The hosts that the commands of a call may contact. No questions are asked while they run.
pub(crate) struct CommandHosts(Arc<CallHosts>);

impl CommandHosts {
    /// `None` if the call runs no commands, or names no host.
    pub(crate) fn of(hosts: &Arc<CallHosts>) -> Option<Self> {
        let any = hosts.tool.spec().runs_commands && !hosts.shown.is_empty();
        any.then(|| Self(hosts.clone()))
    }
}

#[async_trait]
impl HostGate for CommandHosts {
    async fn may_contact(&self, host: &str) -> Result<(), ToolError> {
        self.0.check_command(host)
    }
}

/// The hosts of one call, in the spelling of requests; `*.` stands for every host below one. Other entries that
/// are not a single host are omitted, and asked about when they are contacted.
pub(crate) struct ToolHosts {
    /// The hosts that the tool declares; rules that allow the call cover them.
    pub(crate) declared: BTreeSet<String>,
    /// The hosts on the card of the call. For a tool that declares none, these are the addresses in its
    /// source: once reviewed and allowed they count as declared, but no rule covers them.
    pub(crate) shown: BTreeSet<String>,
    /// Other calls of the tool may contact other hosts.
    pub(crate) vary: bool,
}

impl ToolHosts {
    pub(crate) fn of(tool: &ToolEntry, args: &Value, config: &Value) -> Self {
        if tool.spec().runs_commands {
            let patterns = named_hosts(args).filter_map(HostPattern::parse);
            let shown = patterns.map(|pattern| pattern.to_string()).collect();
            return Self { declared: BTreeSet::new(), shown, vary: true };
        }
        match tool.tool.hosts(args, config) {
            Some(hosts) => {
                // The skill computes them from its configuration, so that they may be all those of a site.
                let below = hosts.iter().filter(|host| host.starts_with("*."));
                let below = below.filter_map(|host| HostPattern::parse(host)).map(|host| host.to_string());
                let hosts: BTreeSet<String> = spelled(&hosts).into_iter().chain(below).collect();
                Self { declared: hosts.clone(), shown: hosts, vary: true }
            }
            None => {
                let spec = tool.spec();
                Self { declared: spelled(&spec.hosts), shown: shown_hosts_of(spec), vary: false }
            }
        }
    }
}

pub(crate) fn shown_hosts_of(tool: &ToolSpec) -> BTreeSet<String> {
    let declared = spelled(&tool.hosts);
    if declared.is_empty() { spelled(&tool.proposed_hosts) } else { declared }
}

fn spelled(hosts: &[String]) -> BTreeSet<String> {
    hosts.iter().filter_map(|host| declared_host(host)).collect()
}

/// Whether one of the entries is the host, or stands for it.
fn covers<'a>(hosts: impl IntoIterator<Item = &'a String>, host: &str) -> bool {
    let below = |entry: &str| {
        entry.starts_with("*.") && HostPattern::parse(entry).is_some_and(|pattern| pattern.covers(host))
    };
    hosts.into_iter().any(|entry| entry == host || below(entry))
}

fn not_contacted(host: &str, denied: &NotAllowed) -> ToolError {
    let (why, remedy, unanswered) = match denied {
        NotAllowed::Denied { by, reason } => {
            let why = reason.as_ref().map(|reason| format!(": {reason}")).unwrap_or_default();
            (format!("denied by {by}{why}"), "Do not retry unless the user asks for it.", false)
        }
        NotAllowed::Unanswered { reason } => {
            (reason.clone(), "Run it where an approval can be answered.", true)
        }
        NotAllowed::NotOffered => (
            "the answer was not one of the offered decisions".to_owned(),
            "Answer with one of the offered decisions.",
            true,
        ),
    };
    ToolError::NotAllowed {
        what: format!("{host} was not contacted: {why}."),
        remedy: remedy.into(),
        unanswered,
    }
}
