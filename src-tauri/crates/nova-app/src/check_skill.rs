//! Checks a skill folder for its author.

use std::path::Path;

use nova_protocol::{ErrorCode, Glance, Panel, UserError};
use nova_registry::{Finding, Severity, canonical};
use nova_skill::Effect;
use serde::Serialize;
use serde_json::Value;

use crate::app::App;
use crate::blocking::blocking;

/// A finding.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct SkillFinding {
    /// `error` or `warning`
    pub severity: &'static str,
    /// Relative to the skill's folder.
    pub file: String,
    /// From 1.
    pub line: Option<u32>,
    pub message: String,
}

impl App {
    /// Checks a skill folder: errors first, then warnings. Its tool files are loaded as for the real skill.
    ///
    /// # Errors
    /// When the folder does not exist.
    pub async fn check_skill(&self, path: &Path) -> Result<Vec<SkillFinding>, UserError> {
        let path = path.to_owned();
        let checked = blocking(move || {
            nova_registry::check_skill(&path)
                .map_err(|[what, remedy]| UserError::new(ErrorCode::BadRequest, what, remedy))
        })
        .await?;
        let mut findings: Vec<SkillFinding> = checked.findings.iter().map(finding).collect();
        let mut tools = Vec::new();
        let mut reads = Vec::new();
        for file in checked.tools {
            let name = file.path.file_name().unwrap_or_default().to_string_lossy().into_owned();
            let place = format!("tools/{name}");
            let warn = |message: String| SkillFinding {
                severity: "warning",
                file: place.clone(),
                line: None,
                message,
            };
            let loading = self.inner.options.tool_host.load(file);
            match tokio::time::timeout(Self::CALL_LIMIT, loading).await {
                Ok(Ok(tool)) => {
                    let spec = tool.spec();
                    if spec.effect == Effect::Undeclared {
                        findings.push(warn(
                            "It declares no effect, so every call asks. Declare its strongest effect.".into(),
                        ));
                    }
                    if !spec.proposed_hosts.is_empty() {
                        let hosts = spec.proposed_hosts.join(", ");
                        findings.push(warn(format!(
                            "It contains {hosts} without declaring it. Add the hosts it contacts to hosts."
                        )));
                    }
                    if nova_calls::effect_view(spec.effect) == nova_protocol::Effect::Read {
                        reads.push(spec.id.clone());
                    }
                    let id = canonical(&spec.id);
                    if tools.contains(&id) {
                        findings.push(SkillFinding {
                            severity: "error",
                            file: place,
                            line: None,
                            message: format!("The tool {} is defined twice. Give one another name.", spec.id),
                        });
                    }
                    tools.push(id);
                }
                Ok(Err(error)) => findings.push(SkillFinding {
                    severity: "error",
                    file: place,
                    line: error.line,
                    message: error.message,
                }),
                Err(_) => findings.push(SkillFinding {
                    severity: "error",
                    file: place,
                    line: None,
                    message: format!(
                        "It did not load within {} s. Look for an endless loop.",
                        Self::CALL_LIMIT.as_secs()
                    ),
                }),
            }
        }
        let owners = self.inner.registry.snapshot().type_owners();
        for (name, line) in checked.records {
            // The owner may be the checked skill itself.
            let is_other = |owner: &&str| canonical(owner) != canonical(&checked.id);
            if let Some(owner) = owners.owner(&name).filter(is_other) {
                findings.push(SkillFinding {
                    severity: "error",
                    file: "manifest.yaml".into(),
                    line,
                    message: format!(
                        "{name} is a record type of the skill {owner} already. Give it another name."
                    ),
                });
            }
        }
        for kept in checked.always {
            if !tools.contains(&canonical(&kept)) {
                findings.push(SkillFinding {
                    severity: "error",
                    file: "manifest.yaml".into(),
                    line: None,
                    message: format!(
                        "loading.always names {kept}, which is not a tool of this skill. Correct it."
                    ),
                });
            }
        }
        // The tools of a native skill are not in files.
        let known = (!tools.is_empty()).then_some((tools.as_slice(), reads.as_slice()));
        for (key, line, value) in &checked.shown {
            findings.extend(shown_problem(key, value, known).map(|problem| SkillFinding {
                severity: "error",
                file: "manifest.yaml".into(),
                line: *line,
                message: format!("{key}: {problem}. Correct it; it is not shown."),
            }));
        }
        findings.sort_by(|a, b| (a.severity, &a.file, a.line).cmp(&(b.severity, &b.file, b.line)));
        Ok(findings)
    }
}

/// The problem of `panel` or `glance` in a manifest. `tools` are the names of the skill's tools and of its
/// read-only tools, if known.
fn shown_problem(key: &str, declared: &Value, tools: Option<(&[String], &[String])>) -> Option<String> {
    let asked: Vec<String> = match key {
        "panel" => match Panel::read(declared) {
            Ok(panel) => panel.reads().map(str::to_owned).collect(),
            Err(problem) => return Some(problem),
        },
        _ => match Glance::read(declared) {
            Ok(glances) => glances.into_iter().map(|glance| glance.tool).collect(),
            Err(problem) => return Some(problem),
        },
    };
    let (tools, reads) = tools?;
    let unfit = asked.into_iter().find(|tool| !reads.contains(tool))?;
    Some(match tools.contains(&canonical(&unfit)) {
        true => format!("`{unfit}` does not have the effect read, which is required here"),
        false => format!("the skill has no tool `{unfit}`"),
    })
}

fn finding(finding: &Finding) -> SkillFinding {
    SkillFinding {
        severity: match finding.severity {
            Severity::Error => "error",
            Severity::Warning => "warning",
        },
        file: finding.file.clone(),
        line: finding.line,
        message: finding.message.clone(),
    }
}
