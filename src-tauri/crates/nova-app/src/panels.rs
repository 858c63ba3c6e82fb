//! Parses and validates the panels declared by skills.

use nova_protocol::{Effect, Panel, PanelPart, PanelView};
use nova_registry::{SkillEntry, Snapshot, State};

/// One view per available skill with a panel, then those whose panel explains a missing setup. An invalid
/// declaration is reported in place of the panel; the skill works without it.
pub(crate) fn panels(snapshot: &Snapshot) -> Vec<PanelView> {
    let not_set_up = snapshot.skills().iter().filter(|skill| skill.state == State::Unavailable);
    snapshot
        .available()
        .chain(not_set_up)
        .filter_map(|skill| {
            let declared = skill.panel()?;
            let read = Panel::read(&declared).and_then(|panel| checked(panel, skill));
            if !skill.is_available() && !read.as_ref().is_ok_and(says_what_to_set_up) {
                return None;
            }
            let (panel, problem) = match read {
                Ok(panel) => (panel, None),
                Err(problem) => (Panel::default(), Some(format!("manifest.yaml, panel: {problem}."))),
            };
            Some(PanelView {
                skill: skill.id.clone(),
                name: skill.name.clone(),
                icon: skill.manifest.icon.clone(),
                panel,
                problem,
            })
        })
        .collect()
}

/// Without a mailbox, the mail panel leads to adding one.
fn says_what_to_set_up(panel: &Panel) -> bool {
    panel.tabs.iter().flat_map(|tab| &tab.parts).any(|part| matches!(part, PanelPart::Mail(_)))
}

/// Tools called without a click must be read-only: viewing a panel has no effect.
fn checked(panel: Panel, skill: &SkillEntry) -> Result<Panel, String> {
    for asked in panel.reads() {
        let tools = skill.tools.iter().chain(&skill.tools_not_ready);
        let known = || tools.clone().map(|tool| tool.id.as_str()).collect::<Vec<_>>().join(", ");
        // A disabled tool is in neither list; its part of the panel reports that.
        if skill.tools_off.iter().any(|off| off == asked) {
            continue;
        }
        let Some(tool) = tools.clone().find(|tool| tool.id == asked) else {
            return Err(format!("{} has no tool `{asked}`; it has {}", skill.id, known()));
        };
        if nova_calls::effect_view(tool.effect()) != Effect::Read {
            return Err(format!("`{asked}` does not have the effect read; use it in an action"));
        }
    }
    Ok(panel)
}
