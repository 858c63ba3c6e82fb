//! Edits `permissions.yaml` as text: adds or removes one pattern and preserves every other byte. Each edit is
//! verified by parsing the result, or refused.

use std::ops::Range;

use super::{Rule, RuleList, RuleLists, Rules, RulesError, read};

/// The text after an edit, and whether it changed.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct RuleEdit {
    pub text: String,
    pub changed: bool,
}

#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum RuleEditError {
    #[error("{0}")]
    Unreadable(#[from] RulesError),
    #[error("permissions.yaml has a layout that Nova does not edit")]
    NotEditable,
}

/// Adds a pattern at the head of a list under `permissions:`. An existing one stays where it is.
///
/// # Errors
/// If the text is not a rules file, or uses YAML that cannot be edited safely.
pub fn with_pattern(text: &str, list: RuleList, pattern: &str) -> Result<RuleEdit, RuleEditError> {
    let before = Rules::parse(text)?;
    if before.own.get(list).iter().any(|rule| rule.text == pattern) {
        return Ok(RuleEdit { text: text.to_owned(), changed: false });
    }
    let item = serde_json::Value::String(pattern.to_owned()).to_string();
    let changed = match places(text, list)?.first() {
        Some((_, first)) => {
            let at = first.start;
            let line = text[..at].rfind('\n').map_or(0, |end| end + 1);
            match text[line..at].trim() {
                "-" => splice(text, line..line, &format!("{}{item}{}", &text[line..at], newline(text))),
                _ => splice(text, at..at, &format!("{item}, ")),
            }
        }
        None => into_empty(text, list, &item).ok_or(RuleEditError::NotEditable)?,
    };
    let mut expected = before;
    expected.own.get_mut(list).insert(0, Rule::new(pattern, 0));
    verified(changed, &expected)
}

/// Removes a pattern from a list under `permissions:`.
///
/// # Errors
/// As [`with_pattern`].
pub fn without_pattern(text: &str, list: RuleList, pattern: &str) -> Result<RuleEdit, RuleEditError> {
    let mut expected = Rules::parse(text)?;
    let mut changed = text.to_owned();
    // From the end, so that earlier positions stay valid.
    let gone = places(text, list)?.into_iter().filter(|(text, _)| text == pattern);
    for (_, place) in gone.collect::<Vec<_>>().into_iter().rev() {
        changed = without(&changed, place);
    }
    if changed == text {
        return Ok(RuleEdit { text: changed, changed: false });
    }
    expected.own.get_mut(list).retain(|rule| rule.text != pattern);
    verified(changed, &expected)
}

fn verified(text: String, expected: &Rules) -> Result<RuleEdit, RuleEditError> {
    match Rules::parse(&text) {
        Ok(after) if after == *expected => Ok(RuleEdit { text, changed: true }),
        _ => Err(RuleEditError::NotEditable),
    }
}

/// The byte ranges of the list's patterns, quotes included.
fn places(text: &str, list: RuleList) -> Result<Vec<(String, Range<usize>)>, RuleEditError> {
    if text.trim().is_empty() {
        return Ok(Vec::new());
    }
    let lists = read(text)?.permissions.unwrap_or_default();
    let items = match list {
        RuleList::Deny => lists.deny,
        RuleList::HumanApproval => lists.human_approval,
        RuleList::Allow => lists.allow,
    };
    let place = |item: serde_saphyr::Spanned<String>| {
        let span = item.referenced.span();
        let start = usize::try_from(span.byte_offset()?).ok()?;
        let place = start..start + usize::try_from(span.byte_len()?).ok()?;
        text.get(place.clone())?;
        Some((item.value, place))
    };
    let items = items.unwrap_or_default().into_iter();
    items.map(|item| place(item).ok_or(RuleEditError::NotEditable)).collect()
}

/// Removes one item: its line in a block list, itself and a comma in brackets.
fn without(text: &str, place: Range<usize>) -> String {
    let line = text[..place.start].rfind('\n').map_or(0, |end| end + 1);
    if text[line..place.start].trim() == "-" {
        let end = text[place.end..].find('\n').map_or(text.len(), |end| place.end + end + 1);
        return splice(text, line..end, "");
    }
    let behind = text[place.end..].trim_start();
    if let Some(rest) = behind.strip_prefix(',') {
        let end = text.len() - rest.trim_start_matches(' ').len();
        return splice(text, place.start..end, "");
    }
    let before = text[..place.start].trim_end();
    if before.ends_with('[') && behind.starts_with(']') {
        return format!("{before}{behind}");
    }
    let start = if before.ends_with(',') { before.len() - 1 } else { place.start };
    splice(text, start..place.end, "")
}

/// Adds the first item of an empty or missing list.
fn into_empty(text: &str, list: RuleList, item: &str) -> Option<String> {
    let (key, newline) = (list.key(), newline(text));
    let lines: Vec<(usize, &str)> = text
        .split_inclusive('\n')
        .scan(0, |at, line| {
            let start = *at;
            *at += line.len();
            Some((start, line))
        })
        .collect();
    let value_of = |line: &str, key: &str| -> Option<String> {
        let value = line.trim().strip_prefix(key)?.strip_prefix(':')?;
        Some(value.split(" #").next().unwrap_or_default().trim().to_owned())
    };
    let section = lines
        .iter()
        .position(|(_, line)| !line.starts_with([' ', '\t']) && value_of(line, "permissions").is_some());
    let Some(section) = section else {
        if text.contains("permissions") {
            return None;
        }
        let ended = if text.is_empty() || text.ends_with('\n') { "" } else { newline };
        return Some(format!("{text}{ended}permissions:{newline}  {key}: [ {item} ]{newline}"));
    };
    let (start, line) = lines[section];
    if !value_of(line, "permissions")?.is_empty() {
        return None;
    }
    let is_inside =
        |line: &str| line.starts_with([' ', '\t']) || line.trim().is_empty() || line.starts_with('#');
    let mut inside = lines[section + 1..].iter().take_while(|(_, line)| is_inside(line));
    let own = inside.clone().find(|(_, line)| value_of(line, key).is_some());
    let Some((at, own)) = own else {
        let keys = inside.find(|(_, line)| !line.trim().is_empty() && !line.trim().starts_with('#'));
        let indent = keys.map_or("  ", |(_, line)| &line[..line.len() - line.trim_start().len()]);
        let ended = if line.ends_with('\n') { "" } else { newline };
        let end = start + line.len();
        return Some(splice(text, end..end, &format!("{ended}{indent}{key}: [ {item} ]{newline}")));
    };
    let value = value_of(own, key)?;
    let colon = own.find(':')? + 1;
    let value_at = own[colon..].find(&value).map(|found| at + colon + found)?;
    match value.as_str() {
        "" => Some(splice(text, at + colon..at + colon, &format!(" [ {item} ]"))),
        value if value == "null" || value == "~" || is_empty_list(value) => {
            Some(splice(text, value_at..value_at + value.len(), &format!("[ {item} ]")))
        }
        _ => None,
    }
}

fn is_empty_list(value: &str) -> bool {
    let inner = value.strip_prefix('[').and_then(|rest| rest.strip_suffix(']'));
    inner.is_some_and(|inner| inner.trim().is_empty())
}

fn splice(text: &str, place: Range<usize>, with: &str) -> String {
    format!("{}{with}{}", &text[..place.start], &text[place.end..])
}

fn newline(text: &str) -> &'static str {
    if text.contains("\r\n") { "\r\n" } else { "\n" }
}

impl RuleLists {
    /// Rules with the same meaning, regardless of the spelling of the name.
    pub fn alike(&self, text: &str) -> Vec<(RuleList, &Rule)> {
        let wanted = super::Pattern::parse(text);
        let all =
            RuleList::ALL.into_iter().flat_map(|list| self.get(list).iter().map(move |rule| (list, rule)));
        all.filter(|(_, rule)| rule.text == text || rule.pattern.means(&wanted)).collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[track_caller]
    fn added(text: &str, expected: &str) {
        let edit = with_pattern(text, RuleList::Allow, "crm__add_contact").map(|edit| edit.text);
        assert_eq!(edit.as_deref(), Ok(expected));
    }

    #[track_caller]
    fn removed(text: &str, expected: &str) {
        let edit = without_pattern(text, RuleList::Allow, "a").map(|edit| edit.text);
        assert_eq!(edit.as_deref(), Ok(expected));
    }

    #[test]
    fn adding_a_rule_changes_nothing_else() {
        added("", "permissions:\n  allow: [ \"crm__add_contact\" ]\n");
        added("# mine\n", "# mine\npermissions:\n  allow: [ \"crm__add_contact\" ]\n");
        added("permissions:\n", "permissions:\n  allow: [ \"crm__add_contact\" ]\n");
        added(
            "# mine\npermissions:\n  allow: [ \"x__*\" ] # why\n  deny: [y]\n",
            "# mine\npermissions:\n  allow: [ \"crm__add_contact\", \"x__*\" ] # why\n  deny: [y]\n",
        );
        added(
            "permissions:\n  allow:\n    - a # first\n    - b\n",
            "permissions:\n  allow:\n    - \"crm__add_contact\"\n    - a # first\n    - b\n",
        );
        added(
            "permissions:\n  allow:\n  # none yet\n  deny: [y]\n",
            "permissions:\n  allow: [ \"crm__add_contact\" ]\n  # none yet\n  deny: [y]\n",
        );
        added(
            "permissions:\n    deny: [y]\n",
            "permissions:\n    allow: [ \"crm__add_contact\" ]\n    deny: [y]\n",
        );
        added(
            "permissions:\n  allow: [] # none\n",
            "permissions:\n  allow: [ \"crm__add_contact\" ] # none\n",
        );
        added(
            "permissions: {deny: [y], allow: [x]}\n",
            "permissions: {deny: [y], allow: [\"crm__add_contact\", x]}\n",
        );
        added(
            "permissions:\r\n  allow:\r\n    - ä\r\n",
            "permissions:\r\n  allow:\r\n    - \"crm__add_contact\"\r\n    - ä\r\n",
        );
        added(
            "permissions:\n  allow: [\n    x, # one\n    y,\n  ]\npolicies: []\n",
            "permissions:\n  allow: [\n    \"crm__add_contact\", x, # one\n    y,\n  ]\npolicies: []\n",
        );
    }

    #[test]
    fn rule_is_added_to_an_empty_list() {
        added("permissions:\n  allow: [  ]\n", "permissions:\n  allow: [ \"crm__add_contact\" ]\n");
        added("permissions:\n  allow: ~\n", "permissions:\n  allow: [ \"crm__add_contact\" ]\n");
    }

    /// An added rule can be removed, and then added again.
    #[test]
    fn edited_file_can_be_edited_again() {
        for text in [
            "",
            "permissions:\n",
            "permissions:\n  allow: [ b ]\n",
            "permissions:\n  allow:\n    - b\n",
            "permissions:\n  allow:\n  - b # why\n  deny: []\n",
        ] {
            let mut now = text.to_owned();
            for round in 0..3 {
                for pattern in ["x", "y"] {
                    let edit = with_pattern(&now, RuleList::Allow, pattern);
                    now =
                        edit.unwrap_or_else(|error| panic!("{text:?}, round {round}: {error}: {now:?}")).text;
                }
                for pattern in ["y", "x", "b"] {
                    let edit = without_pattern(&now, RuleList::Allow, pattern);
                    now =
                        edit.unwrap_or_else(|error| panic!("{text:?}, round {round}: {error}: {now:?}")).text;
                }
                assert_eq!(Rules::parse(&now).expect("readable").own.allow, []);
            }
        }
    }

    #[test]
    fn existing_rule_stays_where_it_is() {
        let text = "permissions: {allow: [x, crm__add_contact]}\n";
        let edit = with_pattern(text, RuleList::Allow, "crm__add_contact").expect("editable");
        assert_eq!(edit, RuleEdit { text: text.into(), changed: false });
    }

    #[test]
    fn removing_a_rule_changes_nothing_else() {
        removed(
            "# mine\npermissions:\n  allow: [ a, \"b\" ] # why\n  deny: [a]\n",
            "# mine\npermissions:\n  allow: [ \"b\" ] # why\n  deny: [a]\n",
        );
        removed("permissions:\n  allow: [ b, a ]\n", "permissions:\n  allow: [ b ]\n");
        removed("permissions:\n  allow: [a]\n", "permissions:\n  allow: []\n");
        removed("permissions:\n  allow: [ a ] # b\n", "permissions:\n  allow: [] # b\n");
        removed("permissions:\n  allow: [a, b, 'a', c, \"a\"]\n", "permissions:\n  allow: [b, c]\n");
        removed(
            "permissions:\n  allow:\n    # about b\n    - b\n    - a # about a\n    - c\n",
            "permissions:\n  allow:\n    # about b\n    - b\n    - c\n",
        );
        removed("permissions:\n  allow:\n  - a\n", "permissions:\n  allow:\n");
        removed(
            "permissions:\n  allow: [\n    b, # b\n    a # a\n  ]\n",
            "permissions:\n  allow: [\n    b, # b\n     # a\n  ]\n",
        );
        removed("permissions:\n  deny: [a]\n", "permissions:\n  deny: [a]\n");
    }

    #[test]
    fn unsafe_edit_is_refused() {
        for text in [
            "permissions: {deny: [x]}\n",
            "permissions:\n  allow: &all\n  - x\n  deny: *all\n",
            "permissions:\n  allow: [\n",
            "permissions: &p {deny: [x]}\n",
        ] {
            let edit = with_pattern(text, RuleList::Allow, "crm__add_contact");
            assert!(edit.is_err(), "{text}: {edit:?}");
        }
    }

    #[test]
    fn pattern_is_alike_in_every_spelling() {
        let rules = Rules::parse("permissions: {deny: [CRM.Add-Contact], allow: [crm__add_contact]}")
            .expect("readable");
        let alike = rules.own.alike("crm__add_contact");
        let lists: Vec<_> = alike.iter().map(|(list, rule)| (*list, rule.text.as_str())).collect();
        assert_eq!(lists, [(RuleList::Deny, "CRM.Add-Contact"), (RuleList::Allow, "crm__add_contact")]);
    }
}
