use std::path::PathBuf;

use nova_registry::{RuleEditError, RuleList, Rules, RulesError, with_pattern, without_pattern};

/// `permissions.yaml`: re-read on every change, written when the user adds or removes a rule.
pub(crate) struct RuleFile {
    file: PathBuf,
}

impl RuleFile {
    pub(crate) fn new(file: PathBuf) -> Self {
        Self { file }
    }

    /// A missing file has no rules.
    pub(crate) fn read(&self) -> Result<Rules, RulesError> {
        match nova_files::read_text(&self.file) {
            Ok(text) => Rules::parse(&text),
            Err(error) if error.kind() == std::io::ErrorKind::NotFound => Ok(Rules::default()),
            Err(error) => {
                Err(RulesError { message: format!("{}: {error}", self.file.display()), line: None })
            }
        }
    }

    /// Moves the pattern to this list.
    pub(crate) fn put(&self, list: RuleList, pattern: &str) -> Result<(), RuleFileError> {
        self.change(|text| {
            let mut text = text.to_owned();
            for (other, rule) in Rules::parse(&text)?.own.alike(pattern) {
                if other != list || rule.text != pattern {
                    text = without_pattern(&text, other, &rule.text)?.text;
                }
            }
            Ok(with_pattern(&text, list, pattern)?.text)
        })
    }

    /// Removes the pattern in any spelling from every list, and returns what was removed.
    pub(crate) fn remove(&self, pattern: &str) -> Result<Vec<(RuleList, String)>, RuleFileError> {
        let mut gone = Vec::new();
        self.change(|text| {
            let mut text = text.to_owned();
            for (list, rule) in Rules::parse(&text)?.own.alike(pattern) {
                text = without_pattern(&text, list, &rule.text)?.text;
                gone.push((list, rule.text.clone()));
            }
            Ok(text)
        })?;
        Ok(gone)
    }

    /// Allows one tool by its wire name, keeping its other rules.
    pub(crate) fn allow(&self, wire_name: &str) -> Result<(), RuleFileError> {
        self.change(|text| Ok(with_pattern(text, RuleList::Allow, wire_name)?.text))
    }

    fn change(&self, edit: impl FnOnce(&str) -> Result<String, RuleEditError>) -> Result<(), RuleFileError> {
        crate::own_files::change(&self.file, RuleFileError::Io, || {
            let text = match nova_files::read_text(&self.file) {
                Ok(text) => text,
                Err(error) if error.kind() == std::io::ErrorKind::NotFound => String::new(),
                // An unreadable file must not be replaced: it may contain denials.
                Err(error) => return Err(RuleFileError::Io(error)),
            };
            Ok((edit(&text)?.into_bytes(), ()))
        })
    }
}

#[derive(Debug, thiserror::Error)]
pub(crate) enum RuleFileError {
    #[error("{0}")]
    Io(std::io::Error),
    #[error("{0}")]
    Edit(#[from] RuleEditError),
}

#[cfg(test)]
mod tests {
    use super::*;

    fn file(text: &str) -> (tempfile::TempDir, RuleFile, PathBuf) {
        let folder = tempfile::tempdir().expect("a folder");
        let place = folder.path().join("permissions.yaml");
        std::fs::write(&place, text).expect("written");
        (folder, RuleFile::new(place.clone()), place)
    }

    fn text(place: &PathBuf) -> String {
        std::fs::read_to_string(place).expect("there")
    }

    #[test]
    fn file_that_is_not_text_is_left_alone() {
        let (_folder, rules, place) = file("");
        let bytes = b"# caf\xe9\npermissions:\n  deny: [x]\n";
        std::fs::write(&place, bytes).expect("written");
        assert!(rules.allow("crm__add_contact").is_err());
        assert!(rules.put(RuleList::Deny, "crm__add_contact").is_err());
        assert_eq!(std::fs::read(&place).expect("there"), bytes);
    }

    #[cfg(unix)]
    #[test]
    fn link_to_a_file_elsewhere_stays_a_link() {
        let (folder, _, place) = file("permissions:\n  deny: [ x ]\n");
        let link = folder.path().join("link.yaml");
        std::os::unix::fs::symlink(&place, &link).expect("linked");
        RuleFile::new(link.clone()).put(RuleList::Deny, "y").expect("written");
        assert!(link.is_symlink());
        assert_eq!(text(&place), "permissions:\n  deny: [ \"y\", x ]\n");
    }

    #[test]
    fn pattern_is_in_one_list_only() {
        let (_folder, rules, place) =
            file("permissions:\n  deny: [ x, CRM.Add-Contact ] # mine\n  allow:\n    - y # too\n");
        rules.put(RuleList::Allow, "crm__add_contact").expect("written");
        assert_eq!(
            text(&place),
            "permissions:\n  deny: [ x ] # mine\n  allow:\n    - \"crm__add_contact\"\n    - y # too\n"
        );
    }

    #[test]
    fn pattern_is_removed_in_any_spelling() {
        let (_folder, rules, place) = file("permissions:\n  deny: [ x, CRM.Add-Contact ]\n");
        let gone = rules.remove("crm__add_contact").expect("written");
        assert_eq!(gone, [(RuleList::Deny, "CRM.Add-Contact".to_owned())]);
        assert_eq!(text(&place), "permissions:\n  deny: [ x ]\n");
        assert_eq!(rules.remove("crm__add_contact").expect("read"), []);
    }

    #[test]
    fn concurrent_writers_lose_nothing() {
        let (_folder, _, place) = file("permissions:\n  deny: [ mine ] # kept\n");
        let writers: Vec<_> = (0..8)
            .map(|number| {
                let rules = RuleFile::new(place.clone());
                std::thread::spawn(move || {
                    for more in 0..8 {
                        rules.put(RuleList::Allow, &format!("crm__tool_{number}_{more}")).expect("written");
                    }
                })
            })
            .collect();
        writers.into_iter().for_each(|writer| writer.join().expect("the rule is written"));
        let rules = Rules::parse(&text(&place)).expect("readable");
        assert_eq!((rules.own.allow.len(), rules.own.deny.len()), (64, 1));
        assert!(text(&place).contains("deny: [ mine ] # kept"));
    }
}
