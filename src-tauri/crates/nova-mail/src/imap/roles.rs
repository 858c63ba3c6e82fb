//! The roles of a server's folders.

use async_imap::types::NameAttribute;

use super::utf7;
use crate::{Folder, Role};

/// Folders by the names and attributes of the server (RFC 6154). A role that no attribute assigns goes to the first
/// folder with a usual name for it, as older servers have no attributes.
pub(super) fn folders<'a>(listed: impl Iterator<Item = (&'a str, &'a [NameAttribute<'a>])>) -> Vec<Folder> {
    let mut folders: Vec<Folder> = listed
        .map(|(name, attributes)| Folder { name: utf7::decode(name), role: said(name, attributes) })
        .collect();
    for (role, names) in USUAL {
        if folders.iter().any(|folder| folder.role == Some(*role)) {
            continue;
        }
        let is_usual = |folder: &&mut Folder| {
            // Some servers keep all folders below the inbox.
            let level = |c: char| c == '/' || c == '.';
            let name = folder
                .name
                .strip_prefix("INBOX")
                .map_or(&*folder.name, |rest| rest.trim_start_matches(level));
            folder.role.is_none() && names.iter().any(|usual| usual.eq_ignore_ascii_case(name))
        };
        if let Some(folder) = folders.iter_mut().find(is_usual) {
            folder.role = Some(*role);
        }
    }
    folders
}

const USUAL: &[(Role, &[&str])] = &[
    (Role::Sent, &["Sent", "Sent Items", "Sent Messages", "Sent Mail"]),
    (Role::Drafts, &["Drafts", "Draft"]),
    (Role::Trash, &["Trash", "Deleted Items", "Deleted Messages", "Bin"]),
    (Role::Junk, &["Junk", "Junk Mail", "Junk E-mail", "Spam"]),
    (Role::Archive, &["Archive", "Archives"]),
];

fn said(name: &str, attributes: &[NameAttribute<'_>]) -> Option<Role> {
    // INBOX is the only reserved name, in any case.
    if name.eq_ignore_ascii_case("INBOX") {
        return Some(Role::Inbox);
    }
    attributes.iter().find_map(|attribute| {
        Some(match attribute {
            NameAttribute::Sent => Role::Sent,
            NameAttribute::Drafts => Role::Drafts,
            NameAttribute::Archive => Role::Archive,
            NameAttribute::Junk => Role::Junk,
            NameAttribute::Trash => Role::Trash,
            NameAttribute::All => Role::All,
            NameAttribute::Flagged => Role::Flagged,
            _ => return None,
        })
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[track_caller]
    fn check(listed: &[(&str, &[NameAttribute<'_>])], expected: &[(&str, Option<Role>)]) {
        let found = folders(listed.iter().copied());
        let found: Vec<_> = found.iter().map(|folder| (&*folder.name, folder.role)).collect();
        assert_eq!(found, expected);
    }

    #[test]
    fn usual_names_apply_without_attributes() {
        check(
            &[
                ("Inbox", &[]),
                ("INBOX.Sent", &[]),
                ("Deleted Items", &[]),
                ("Trash", &[]),
                ("Sent/2025", &[]),
            ],
            &[
                ("Inbox", Some(Role::Inbox)),
                ("INBOX.Sent", Some(Role::Sent)),
                ("Deleted Items", Some(Role::Trash)),
                ("Trash", None),
                ("Sent/2025", None),
            ],
        );
    }

    #[test]
    fn attributes_take_precedence_over_names() {
        check(
            &[("Sent", &[]), ("Gesendet", &[NameAttribute::Sent]), ("Drafts", &[NameAttribute::Trash])],
            &[("Sent", None), ("Gesendet", Some(Role::Sent)), ("Drafts", Some(Role::Trash))],
        );
    }
}
