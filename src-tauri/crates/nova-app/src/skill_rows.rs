//! Skills in settings, and the user's settings for each.

use std::collections::HashMap;

use nova_protocol::*;
use nova_registry::{Catalog, CatalogBudget, SkillEntry, State, canonical};
use nova_session::{SessionError, SkillUse};
use nova_skill::{Lifetime, Mode};
use serde_json::{Map, Value};

use crate::app::App;
use crate::chat::unknown_skill;

impl App {
    pub(crate) async fn list_skills(&self, _: Nothing) -> Result<Vec<SkillRow>, UserError> {
        let used = self.inner.store.usage().await?;
        let snapshot = self.inner.registry.snapshot();
        let catalog = Catalog::new(&snapshot, CatalogBudget::of_context(None));
        let unused = SkillUse::default();
        let active = self.active_in().await?;
        let row = |skill: &std::sync::Arc<SkillEntry>| {
            let used = used.get(&skill.id).unwrap_or(&unused);
            skill_row(skill, &catalog, used, active.get(&skill.id).copied().unwrap_or_default())
        };
        Ok(snapshot.skills().iter().map(row).collect())
    }

    /// Number of chats in which each skill is active, including running turns.
    pub(crate) async fn active_in(&self) -> Result<HashMap<String, u32>, SessionError> {
        let open: Vec<_> = self.chats().values().cloned().collect();
        for chat in open {
            chat.session.flush().await?;
        }
        self.inner.store.active_in().await
    }

    /// The list of skills that a chat with the default model receives.
    pub(crate) async fn skill_catalog(&self, _: Nothing) -> Result<CatalogView, UserError> {
        let model = self.default_model().await;
        let context = model.and_then(|model| self.context_of(&model));
        let budget = CatalogBudget::of_context(context);
        let snapshot = self.inner.registry.snapshot();
        let length = |catalog: &Catalog| tokens(catalog.section().map_or(0, |section| section.len()));
        let catalog = Catalog::new(&snapshot, budget);
        Ok(CatalogView {
            tokens: length(&catalog),
            whole: length(&Catalog::new(&snapshot, CatalogBudget::unlimited())),
            budget: u32::try_from(budget.tokens()).unwrap_or(u32::MAX),
            shortened: catalog.is_shortened(),
            context,
        })
    }

    pub(crate) async fn skill_detail(&self, asked: SkillRef) -> Result<SkillDetail, UserError> {
        let snapshot = self.inner.registry.snapshot();
        let skill = snapshot.listed(&asked.skill).ok_or_else(|| unknown_skill(&snapshot, &asked.skill))?;
        let used = self.inner.store.usage().await?;
        let used = used.get(&skill.id).cloned().unwrap_or_default();
        let own = self.config().skills.of(&skill.id).map(|own| own.config.clone()).unwrap_or_default();
        let switch = |id: &str, on: bool| {
            let of_tool = used.tools.get(id).cloned().unwrap_or_default();
            ToolSwitch {
                name: nova_registry::shown_name(&skill.id, id),
                tool: id.to_owned(),
                on,
                calls: of_tool.calls,
                errors: of_tool.errors,
                mean_ms: mean(of_tool.ms, of_tool.calls),
            }
        };
        let on = skill.tools.iter().chain(&skill.tools_not_ready).map(|tool| switch(&tool.id, true));
        let mut tools: Vec<ToolSwitch> =
            on.chain(skill.tools_off.iter().map(|id| switch(id, false))).collect();
        tools.sort_by(|a, b| a.tool.cmp(&b.tool));
        Ok(SkillDetail {
            skill: skill.id.clone(),
            tools,
            config_schema: skill.manifest.config.clone(),
            config: skill.config.as_ref().clone(),
            own_config: own,
            config_problem: skill.config_problem.as_ref().map(|problem| problem.message.clone()),
            last_error: used.last_error.map(|last| SkillErrorView {
                at: last.at,
                tool: last.tool,
                message: last.message,
            }),
        })
    }

    /// Writes the user's settings to `nova.config.json`; absent ones are not changed.
    pub(crate) async fn set_skill(&self, set: SetSkill) -> Result<Vec<SkillRow>, UserError> {
        self.check_reach(&set).await?;
        let snapshot = self.inner.registry.snapshot();
        let skill = snapshot.listed(&set.skill).ok_or_else(|| unknown_skill(&snapshot, &set.skill))?;
        if let Some(config) = &set.config {
            let faults = skill.faults_of_config(config, &snapshot.type_owners());
            if !config.is_object() && !config.is_null() || !faults.is_empty() {
                return Err(UserError::new(
                    ErrorCode::BadRequest,
                    format!("Invalid configuration of {}. {}", skill.id, faults.join(" ")),
                    "Correct the values named; nothing was changed.",
                ));
            }
        }
        if let Some(tool) = &set.tool
            && !self.has_tool(skill, &tool.tool)
        {
            return Err(UserError::new(
                ErrorCode::UnknownTool,
                format!("{} has no tool \"{}\".", skill.id, tool.tool),
                "See them with: nova tool list",
            ));
        }
        self.change_skill(&skill.id, |entry| {
            let mut keep = |key: &str, value: Option<Value>| {
                value.map(|value| entry.insert(key.to_owned(), value));
            };
            keep(
                "mode",
                set.mode
                    .map(|mode| Value::from(if mode == SkillMode::Always { "always" } else { "on_demand" })),
            );
            keep(
                "lifetime",
                set.lifetime.map(|lifetime| {
                    Value::from(if lifetime == SkillLifetime::Turn { "turn" } else { "session" })
                }),
            );
            keep("pinned", set.pinned.map(Value::from));
            keep("hidden", set.hidden.map(Value::from));
            match &set.config {
                Some(Value::Null) => {
                    entry.remove("config");
                }
                Some(config) => {
                    entry.insert("config".into(), config.clone());
                }
                None => {}
            }
            if let Some(tool) = &set.tool {
                let mut at_first = skill.tools_off_at_first.iter();
                let off_at_first = at_first.any(|id| canonical(id) == canonical(&tool.tool));
                switch_tool(entry, &tool.tool, tool.on, off_at_first);
            }
        })?;
        self.list_skills(Nothing {}).await
    }

    /// Enables or disables a skill.
    pub(crate) fn set_enabled(&self, id: &str, enabled: bool) -> Result<(), UserError> {
        self.change_skill(id, |entry| {
            entry.insert("enabled".into(), Value::Bool(enabled));
        })
    }

    /// Edits `skills.<id>` of the configuration, in whatever spelling the file has the id.
    pub(crate) fn change_skill(
        &self,
        id: &str,
        edit: impl Fn(&mut Map<String, Value>),
    ) -> Result<(), UserError> {
        self.change_config(|config| {
            let Some(skills) = object_at(config, "skills") else { return };
            let key = skills.keys().find(|key| canonical(key) == canonical(id)).cloned();
            if let Some(entry) = object_at(skills, key.as_deref().unwrap_or(id)) {
                edit(entry);
            }
        })
    }

    fn has_tool(&self, skill: &SkillEntry, id: &str) -> bool {
        let ids =
            skill.tools.iter().chain(&skill.tools_not_ready).map(|tool| &tool.id).chain(&skill.tools_off);
        ids.into_iter().any(|known| canonical(known) == canonical(id))
    }
}

/// `off_at_first`: the tool is off unless it is in the allow list.
fn switch_tool(entry: &mut Map<String, Value>, tool: &str, on: bool, off_at_first: bool) {
    let Some(tools) = object_at(entry, "tools") else { return };
    let mut set = |name: &str, listed: bool| {
        let list = tools.entry(name).or_insert(Value::Null);
        if list.is_null() {
            *list = Value::Array(Vec::new());
        }
        let Some(list) = list.as_array_mut() else { return };
        list.retain(|other| other.as_str().is_none_or(|other| canonical(other) != canonical(tool)));
        if listed {
            list.push(Value::from(tool));
        }
    };
    if off_at_first {
        set("allow", on);
    }
    set("deny", !on && !off_at_first);
}

/// The object under a key, created if missing or null. Other types have been refused when the file was read.
pub(crate) fn object_at<'a>(
    map: &'a mut Map<String, Value>,
    key: &str,
) -> Option<&'a mut Map<String, Value>> {
    let value = map.entry(key).or_insert(Value::Null);
    if value.is_null() {
        *value = Value::Object(Map::new());
    }
    value.as_object_mut()
}

fn usage(used: &SkillUse) -> SkillUsage {
    SkillUsage {
        activations: used.activations,
        calls: used.calls,
        errors: used.errors,
        mean_ms: mean(used.ms, used.calls),
        tokens: tokens(usize::try_from(used.output_bytes).unwrap_or(usize::MAX)),
        last_used: used.last_used.clone(),
        days: used.days.clone(),
    }
}

pub(crate) fn mean(ms: u64, calls: u32) -> Option<f64> {
    (calls > 0).then(|| ms as f64 / f64::from(calls))
}

fn skill_row(skill: &SkillEntry, catalog: &Catalog, used: &SkillUse, active_in: u32) -> SkillRow {
    let line = catalog.line(&skill.id).filter(|_| skill.is_available());
    let schemas: usize = skill
        .tools
        .iter()
        .map(|tool| {
            tool.spec().description.to_string().len()
                + nova_provider::normalise_schema(&tool.spec().parameters).to_string().len()
        })
        .sum();
    let hints = &skill.manifest.hints;
    let use_when = hints.use_when.iter().cloned();
    let not_when = hints.not_when.iter().map(|hint| match hint.instead.as_str() {
        "" => format!("Not for: {}", hint.phrase),
        instead => format!("Not for: {} (use {instead})", hint.phrase),
    });
    SkillRow {
        id: skill.id.clone(),
        name: skill.name.clone(),
        version: skill.version.clone(),
        source: skill.source.as_str().into(),
        foreign: skill.foreign.then_some(true),
        state: state_view(skill.state),
        reason: reason(skill),
        description: skill.description.clone(),
        summary: skill.manifest.summary.clone(),
        mode: match skill.mode {
            Mode::Always => "always",
            Mode::OnDemand => "on_demand",
        }
        .into(),
        lifetime: match skill.lifetime {
            Lifetime::Session => "session",
            Lifetime::Turn => "turn",
        }
        .into(),
        pinned: skill.pinned,
        hidden: skill.hidden,
        tools: skill.tools.iter().map(|tool| tool.shown_name()).collect(),
        tokens: SkillTokens {
            catalog: tokens(line.map_or(0, str::len)),
            instructions: tokens(skill.instructions.len()),
            schemas: tokens(schemas),
        },
        active_in,
        usage: usage(used),
        tags: skill.manifest.tags.clone(),
        hints: use_when.chain(not_when).collect(),
        examples: skill.manifest.routing.examples.clone(),
    }
}

/// Estimates four bytes per token, without a tokenizer.
pub(crate) fn tokens(bytes: usize) -> u32 {
    u32::try_from(bytes.div_ceil(4)).unwrap_or(u32::MAX)
}

pub(crate) fn state_view(state: State) -> SkillState {
    match state {
        State::Available => SkillState::Available,
        State::Disabled => SkillState::Disabled,
        State::Unavailable => SkillState::Unavailable,
        State::NeedsSignIn => SkillState::NeedsSignIn,
        State::NeedsReview => SkillState::NeedsReview,
        State::Starting => SkillState::Starting,
        State::Failed => SkillState::Failed,
        State::Broken => SkillState::Broken,
    }
}

pub(crate) fn reason(skill: &SkillEntry) -> Option<String> {
    match skill.state {
        State::Disabled => Some("Switched off".into()),
        _ => skill.reason.clone(),
    }
}
