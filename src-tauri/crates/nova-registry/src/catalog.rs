use crate::Snapshot;

/// The section of the system prompt that lists the available skills; None where there is none.
pub fn catalog_section(snapshot: &Snapshot) -> Option<String> {
    let mut lines = Vec::new();
    for skill in snapshot.available().filter(|skill| !skill.hidden) {
        let mut line = skill.catalog_line();
        for hint in &skill.manifest.hints.not_when {
            let instead = hint.instead.split('.').next().unwrap_or_default();
            if snapshot.skill(instead).is_some_and(|other| other.is_available()) {
                line.push_str(&format!(" Not for: {} ({}).", hint.phrase, hint.instead));
            }
        }
        lines.push(line);
    }
    if lines.is_empty() {
        return None;
    }
    Some(format!(
        "## Available Skills\nThe following specialized skills are available. If a user request matches \
         one of these domains, use the `load_skill` tool to load it.\n\n{}",
        lines.join("\n")
    ))
}
