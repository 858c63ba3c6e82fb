//! MCP servers in settings, and the user's settings for each.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::sync::{Arc, PoisonError};
use std::time::Duration;

use nova_calls::{diff_view, effect_view};
use nova_mcp::{ChangedTool, ListedTool, Phase, ServerReview, ServerStatus, Way};
use nova_protocol::*;
use nova_registry::{State, shown_name};
use nova_session::SkillUse;
use nova_vault::VaultPath;
use serde_json::{Map, Value};

use crate::app::{App, Inner};
use crate::mcp::unknown_server;
use crate::server_now::ServerNow;
use crate::skill_rows::{mean, object_at, tokens};

/// Lines of stderr shown with a failed server.
const LINES_IN_ROW: usize = 3;

impl App {
    pub(crate) async fn list_servers(&self, _: Nothing) -> Result<ServersView, UserError> {
        let active = self.active_in().await?;
        let row = |server: &ServerStatus| {
            let active_in = active.get(&server.id).copied().unwrap_or_default();
            self.server_row(server, active_in)
        };
        let broken = self.mcp_problems().into_iter().map(|(id, reason)| BrokenServer { id, reason });
        Ok(ServersView { servers: self.mcp_servers().iter().map(row).collect(), broken: broken.collect() })
    }

    fn server_row(&self, server: &ServerStatus, active_in: u32) -> ServerRow {
        let mcp = &self.inner.mcp;
        let state = state_of(server);
        let mut last_lines = Vec::new();
        if state == ServerStateView::Failed {
            last_lines = mcp.last_lines(&server.name);
            last_lines.drain(..last_lines.len().saturating_sub(LINES_IN_ROW));
        }
        ServerRow {
            name: server.name.clone(),
            id: server.id.clone(),
            state,
            changed: server.changed,
            reason: reason_of(server),
            version: server.version.clone(),
            protocol: server.protocol.clone(),
            runs: server.shown.clone(),
            host: server.host.clone(),
            tools: mcp.listed(&server.name).as_deref().map(tool_counts),
            active_in,
            reaches_vault: self.reaches_vault(&server.name),
            start: server
                .starting_for
                .map(|elapsed| ServerStart { elapsed: ms(elapsed), limit: ms(server.startup_timeout) }),
            failures: server.failures,
            next_try: server.next_try.map(ms),
            last_lines,
        }
    }

    /// Whether the command references the vault, a folder in it, or a parent folder of it.
    fn reaches_vault(&self, server: &str) -> bool {
        let (Ok(vault), Some(config)) = (self.vault(), self.inner.mcp.config(server)) else { return false };
        let Way::Command { args, env, cwd, .. } = &config.way else { return false };
        let words = args.iter().chain(env.values().map(|text| &text.written));
        let named = words.flat_map(|word| word.split(['=', ',', ';'])).map(|word| self.whole_path(word));
        named.chain(cwd.clone()).any(|path| {
            path.is_absolute() && (path.starts_with(vault.root()) || vault.root().starts_with(&path))
        })
    }

    fn whole_path(&self, word: &str) -> PathBuf {
        match (word.strip_prefix('~'), &self.places().home) {
            (Some(below), Some(home)) => home.join(below.trim_start_matches('/')),
            _ => Path::new(word).to_owned(),
        }
    }

    pub(crate) async fn server_detail(&self, asked: ServerRef) -> Result<ServerDetail, UserError> {
        let name = asked.server.as_str();
        let review = self.review_mcp_server(name).await?;
        let config = self.mcp_server(name)?;
        let used = self.inner.store.usage().await?;
        let SkillUse { calls, errors, ms, .. } = used.get(&config.id).cloned().unwrap_or_default();
        let tools = self.inner.mcp.listed(name);
        Ok(ServerDetail {
            server: review.name.clone(),
            review: ServerReviewView {
                agreed_at: self.inner.trust.agreed_to_server_at(&review.name).filter(|_| review.agreed),
                ..review_view(&review)
            },
            tools: tools.map(|tools| tools.into_iter().map(tool_view).collect()),
            last_lines: self.inner.mcp.last_lines(name),
            calls,
            errors,
            mean_ms: mean(ms, calls),
        })
    }

    pub(crate) async fn set_server(&self, set: SetServer) -> Result<ServersView, UserError> {
        let server = self.mcp_server(&set.server)?;
        let effect = set.tool.as_ref().and_then(|tool| tool.effect).flatten();
        if effect.is_some_and(|effect| matches!(effect, Effect::Write | Effect::Undeclared)) {
            return Err(UserError::new(
                ErrorCode::BadRequest,
                "A server's tool cannot have this effect: it does not change notes through Nova.",
                "Choose read, external, destructive or send.",
            ));
        }
        if let Some(SetServerTool { tool, effect: Some(_), .. }) = &set.tool {
            self.forget_tools(&server.id, [tool.as_str()])?;
        }
        self.change_config(|config| {
            let Some(servers) = object_at(config, "mcpServers") else { return };
            let Some(entry) = object_at(servers, &set.server) else { return };
            if let Some(enabled) = set.enabled {
                entry.remove("disabled");
                entry.insert("enabled".into(), enabled.into());
            }
            if let Some(tool) = &set.tool
                && let Some(tools) = object_at(entry, "tools")
            {
                set_tool(tools, tool);
            }
        })?;
        self.list_servers(Nothing {}).await
    }

    /// # Errors
    /// When the tool has changed since the user saw it.
    pub(crate) async fn approve_server_tool(
        &self,
        approve: ApproveServerTool,
    ) -> Result<ServersView, UserError> {
        let review = self.review_mcp_server(&approve.server).await?;
        let is_seen =
            |change: &&ChangedTool| change.tool == approve.tool && fingerprint(change) == approve.fingerprint;
        let change = review.tools.iter().find(is_seen);
        if !change.is_some_and(|change| self.inner.mcp.approve_tool(&review.name, change)) {
            return Err(UserError::new(
                ErrorCode::SkillNeedsReview,
                format!("{} changed since your review.", approve.tool),
                "Look at it again.",
            ));
        }
        let id = self.mcp_server(&review.name)?.id;
        self.forget_tools(&id, [approve.tool.as_str()])?;
        self.inner.reload_registry();
        self.list_servers(Nothing {}).await
    }

    /// Removes old approvals after the user has decided about these tools, so that their next calls do not
    /// report a change.
    pub(crate) fn forget_tools<'a>(
        &self,
        skill: &str,
        tools: impl IntoIterator<Item = &'a str>,
    ) -> Result<(), UserError> {
        for tool in tools {
            self.inner.trust.forget_tool(&shown_name(skill, tool))?;
        }
        Ok(())
    }

    pub(crate) async fn restart_server(&self, server: ServerRef) -> Result<Nothing, UserError> {
        let started = self.inner.mcp.restart(&server.server).await;
        started.ok_or_else(|| unknown_server(&server.server))??;
        Ok(Nothing {})
    }
}

impl Inner {
    /// Emits an event for each server whose state, prompts or resources changed since the last call.
    pub(crate) fn servers_changed(self: &Arc<Self>) {
        let now: BTreeMap<_, _> = self
            .mcp
            .statuses()
            .iter()
            .map(|server| {
                let now = ServerNow {
                    id: server.id.clone(),
                    state: state_of(server),
                    reason: reason_of(server),
                    offers_changed: server.offers_changed,
                };
                (server.name.clone(), now)
            })
            .collect();
        let mut before = self.server_states.lock().unwrap_or_else(PoisonError::into_inner);
        for (server, now) in &now {
            let before = before.get(server);
            if before.is_none_or(|before| before.state != now.state || before.reason != now.reason) {
                let (server, state, reason) = (server.clone(), now.state.as_str().into(), now.reason.clone());
                self.events.emit(Event::ServerState { server, state, reason });
            }
            if before.is_some_and(|before| before.offers_changed != now.offers_changed) {
                let changed = vec![now.id.clone()];
                let (added, removed) = (Vec::new(), Vec::new());
                self.events.emit(Event::RegistryChanged { added, removed, changed });
            }
        }
        *before = now;
    }
}

pub fn state_of(server: &ServerStatus) -> ServerStateView {
    match (&server.phase, server.agreed) {
        _ if !server.enabled => ServerStateView::Off,
        (_, false) => ServerStateView::NeedsReview,
        (Phase::Configured, _) => ServerStateView::Asleep,
        (Phase::Starting, _) => ServerStateView::Starting,
        (Phase::Ready, _) => ServerStateView::Ready,
        (Phase::NeedsSignIn(_), _) => ServerStateView::NeedsSignIn,
        (Phase::Failed(_), _) => ServerStateView::Failed,
    }
}

/// Why a server is not ready, and the remedy.
pub fn reason_of(server: &ServerStatus) -> Option<String> {
    match &server.phase {
        _ if !server.enabled => None,
        _ if server.changed => Some(format!(
            "{} is not what you agreed to: its command, address or environment changed.",
            server.name
        )),
        _ if !server.agreed => Some(format!("You have not agreed to start {}.", server.name)),
        Phase::Failed(why) | Phase::NeedsSignIn(why) => Some(why.clone()),
        Phase::Configured | Phase::Starting | Phase::Ready => None,
    }
}

fn tool_counts(tools: &[ListedTool]) -> ServerToolCounts {
    let count = |is: &dyn Fn(&&ListedTool) -> bool| {
        u32::try_from(tools.iter().filter(is).count()).unwrap_or(u32::MAX)
    };
    let is_on = |tool: &&ListedTool| tool.on && tool.trouble.is_none();
    ServerToolCounts {
        listed: count(&|_| true),
        on: count(&is_on),
        changed: count(&|tool| is_blocked(tool)),
        new: count(&|tool| is_blocked(tool) && tool.change.as_ref().is_some_and(ChangedTool::is_new)),
        changed_since: tools
            .iter()
            .filter(|tool| is_blocked(tool))
            .filter_map(|tool| tool.change.as_ref()?.since.clone())
            .min(),
        tokens: tools.iter().filter(is_on).map(|tool| tokens(tool.bytes)).sum(),
    }
}

fn is_blocked(tool: &ListedTool) -> bool {
    matches!(tool.trouble, Some((State::NeedsReview, _)))
}

fn tool_view(tool: ListedTool) -> ServerToolView {
    let hints = tool.hints.as_ref().and_then(Value::as_object).into_iter().flatten();
    let hint = |(name, value): (&String, &Value)| match (name.as_str(), value.as_bool()?) {
        ("readOnlyHint", true) => Some("only reads"),
        ("readOnlyHint", false) => Some("changes something"),
        ("destructiveHint", true) => Some("may destroy"),
        ("openWorldHint", true) => Some("reaches other services"),
        _ => None,
    };
    ServerToolView {
        hints: hints.filter_map(hint).map(str::to_owned).collect(),
        effect: tool.effect.map(effect_view),
        tokens: tokens(tool.bytes),
        blocked: is_blocked(&tool),
        reason: tool.trouble.map(|(_, reason)| reason),
        tool: tool.name,
        description: tool.description,
        on: tool.on,
    }
}

fn review_view(review: &ServerReview) -> ServerReviewView {
    ServerReviewView {
        fingerprint: review.fingerprint.clone(),
        agreed: review.agreed,
        agreed_at: None,
        changed: review.changed,
        program: review.program.clone(),
        runs: review.shown.clone(),
        host: review.host.clone(),
        folder: review.folder.clone(),
        variables: review.variables.clone(),
        credentials: review.credentials.clone(),
        changes: review.tools.iter().filter_map(change_view).collect(),
    }
}

fn change_view(change: &ChangedTool) -> Option<ServerToolChange> {
    // Uses the diff of a note with a fixed path, because a tool's name may be no valid path.
    let path = VaultPath::parse("tool").ok()?;
    let mut diff = diff_view(&path, None, &nova_vault::note::diff(Some(&change.before), Some(&change.after)));
    diff.path.clone_from(&change.tool);
    diff.summary = diff.summary.trim_end_matches(", no property").to_owned();
    Some(ServerToolChange {
        tool: change.tool.clone(),
        is_new: change.is_new(),
        changed_at: change.since.clone(),
        warning: change.warning.clone(),
        fingerprint: fingerprint(change),
        diff,
    })
}

fn fingerprint(change: &ChangedTool) -> String {
    let whole = serde_json::json!([change.tool, change.before, change.after]).to_string();
    blake3::hash(whole.as_bytes()).to_hex().to_string()
}

fn set_tool(tools: &mut Map<String, Value>, set: &SetServerTool) {
    if let Some(on) = set.on {
        let name = Value::from(set.tool.as_str());
        let denied = tools.entry("deny").or_insert_with(|| Value::Array(Vec::new()));
        if let Some(denied) = denied.as_array_mut() {
            denied.retain(|other| *other != name);
            if !on {
                denied.push(name.clone());
            }
        }
        // If there is an allow list, it has to contain the tool.
        let allowed = tools.get_mut("allow").and_then(Value::as_array_mut);
        if let Some(allowed) = allowed.filter(|allowed| on && !allowed.is_empty() && !allowed.contains(&name))
        {
            allowed.push(name);
        }
    }
    if let Some(effect) = set.effect
        && let Some(effects) = object_at(tools, "effects")
    {
        match effect.and_then(|effect| serde_json::to_value(effect).ok()) {
            Some(word) => effects.insert(set.tool.clone(), word),
            None => effects.remove(&set.tool),
        };
    }
}

fn ms(duration: Duration) -> u64 {
    u64::try_from(duration.as_millis()).unwrap_or(u64::MAX)
}
