use std::path::PathBuf;

use nova_calls::KeepRule;
use nova_registry::{Rules, RulesError};

/// `permissions.yaml`: read on every change, written when the user chooses "always".
pub(crate) struct RuleFile {
    file: PathBuf,
}

impl RuleFile {
    pub(crate) fn new(file: PathBuf) -> Self {
        Self { file }
    }

    /// A missing file has no rules.
    pub(crate) fn read(&self) -> Result<Rules, RulesError> {
        match std::fs::read_to_string(&self.file) {
            Ok(text) => Rules::parse(&text),
            Err(error) if error.kind() == std::io::ErrorKind::NotFound => Ok(Rules::default()),
            Err(error) => Err(RulesError { message: error.to_string(), line: None }),
        }
    }
}

impl KeepRule for RuleFile {
    fn allow(&self, wire_name: &str) -> Result<(), String> {
        crate::own_files::change(
            &self.file,
            |error| error.to_string(),
            || {
                let text = match std::fs::read_to_string(&self.file) {
                    Ok(text) => text,
                    Err(error) if error.kind() == std::io::ErrorKind::NotFound => String::new(),
                    // What cannot be read must not be replaced: it may hold what the user denies.
                    Err(error) => return Err(error.to_string()),
                };
                Ok((with_allowed(&text, wire_name)?.into_bytes(), ()))
            },
        )
    }
}

/// The text with one more pattern under `permissions: allow:`; everything else stays as it was.
fn with_allowed(text: &str, pattern: &str) -> Result<String, String> {
    let before = Rules::parse(text).map_err(|error| error.to_string())?;
    let item = format!("{}", serde_json::Value::String(pattern.to_owned()));
    let lines: Vec<&str> = text.lines().collect();
    let section = lines.iter().position(|line| line.trim_end() == "permissions:");
    let is_inside =
        |line: &&str| line.starts_with([' ', '\t']) || line.trim().is_empty() || line.starts_with('#');
    let allow = section.and_then(|at| {
        let inside = lines[at + 1..].iter().take_while(|line| is_inside(line));
        inside.clone().position(|line| line.trim_start().starts_with("allow:")).map(|offset| at + 1 + offset)
    });
    let mut out: Vec<String> = lines.iter().map(ToString::to_string).collect();
    match (section, allow) {
        (None, _) if before == Rules::default() && !text.contains("permissions") => {
            out.push("permissions:".into());
            out.push(format!("  allow: [ {item} ]"));
        }
        (Some(at), None) => out.insert(at + 1, format!("  allow: [ {item} ]")),
        (Some(_), Some(at)) => {
            let line = &lines[at];
            let indent = &line[..line.len() - line.trim_start().len()];
            let value = line.trim_start().trim_start_matches("allow:").trim();
            if value.is_empty() {
                // A block list: its items stand at the indent of the first one.
                let next = lines.get(at + 1).filter(|next| next.trim_start().starts_with("- "));
                let item_indent = next.map_or(format!("{indent}  "), |next| {
                    next[..next.len() - next.trim_start().len()].to_owned()
                });
                out.insert(at + 1, format!("{item_indent}- {item}"));
            } else if let Some(rest) = value.strip_prefix('[') {
                let separator = if rest.trim_start().starts_with(']') { "" } else { "," };
                out[at] = format!("{indent}allow: [ {item}{separator}{rest}");
            } else {
                return Err("the list allow: is written in a way Nova does not edit".into());
            }
        }
        _ => return Err("the file is written in a way Nova does not edit".into()),
    }
    let mut changed = out.join("\n");
    changed.push('\n');
    // Verified or refused: the new pattern first, all others as they were.
    let after = Rules::parse(&changed).map_err(|error| error.to_string())?;
    let expected = before.with_allowed(pattern);
    if after == expected {
        Ok(changed)
    } else {
        Err("the file is written in a way Nova does not edit".into())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn check(text: &str, expected: &str) {
        assert_eq!(with_allowed(text, "crm__add_contact").as_deref(), Ok(expected));
    }

    #[test]
    fn a_rule_is_added_and_nothing_else_changes() {
        check("", "permissions:\n  allow: [ \"crm__add_contact\" ]\n");
        check(
            "# mine\npermissions:\n  allow: [ \"x__*\" ] # why\n  deny: [y]\n",
            "# mine\npermissions:\n  allow: [ \"crm__add_contact\", \"x__*\" ] # why\n  deny: [y]\n",
        );
        check(
            "permissions:\n  allow:\n    - a # first\n    - b\n",
            "permissions:\n  allow:\n    - \"crm__add_contact\"\n    - a # first\n    - b\n",
        );
        check(
            "permissions:\n  deny: [y]\n",
            "permissions:\n  allow: [ \"crm__add_contact\" ]\n  deny: [y]\n",
        );
        check("permissions:\n  allow: []\n", "permissions:\n  allow: [ \"crm__add_contact\"]\n");
    }

    #[test]
    fn a_file_that_is_not_text_is_left_as_it_is() {
        let folder = tempfile::tempdir().expect("a folder");
        let file = folder.path().join("permissions.yaml");
        let bytes = b"# caf\xe9\npermissions:\n  deny: [x]\n";
        std::fs::write(&file, bytes).expect("written");
        assert!(RuleFile::new(file.clone()).allow("crm__add_contact").is_err());
        assert_eq!(std::fs::read(&file).expect("there"), bytes);
    }

    #[test]
    fn what_cannot_be_edited_safely_is_refused() {
        assert!(with_allowed("permissions: {allow: [x]}\n", "crm__add_contact").is_err());
        assert!(with_allowed("permissions:\n  allow: [\n", "crm__add_contact").is_err());
    }
}
