//! Search keys of IMAP (RFC 3501, 6.4.4).

use crate::{MailError, SearchQuery, Wanted};

/// The longest search text.
const MOST: usize = 300;

/// The keys of a search; `None` if every message matches. `literals`: whether the server accepts non-synchronizing
/// literals (RFC 7888).
///
/// # Errors
/// `Argument` for a text that no command can carry.
pub(super) fn keys(wanted: &Wanted, literals: bool) -> Result<Option<String>, MailError> {
    let mut keys: Vec<String> = Vec::new();
    if wanted.unread {
        keys.push("UNSEEN".into());
    }
    let mut is_ascii = true;
    if let Some(search) = &wanted.search {
        let SearchQuery { text, from, to, recipient, subject, since, before } = search;
        let texts: [(&[&str], _); 5] = [
            (&["TEXT"], text),
            (&["FROM"], from),
            (&["TO"], to),
            (&["OR TO", "OR CC", "BCC"], recipient),
            (&["SUBJECT"], subject),
        ];
        for (names, said) in texts {
            let Some(said) = said.as_deref().map(str::trim).filter(|said| !said.is_empty()) else { continue };
            is_ascii &= said.is_ascii();
            let said = string(said, literals)?;
            keys.extend(names.iter().map(|name| format!("{name} {said}")));
        }
        let days = [("SINCE", since), ("BEFORE", before)];
        keys.extend(days.into_iter().filter_map(|(key, day)| {
            let day = (*day)?;
            let month = MONTHS[usize::from(day.month().unsigned_abs()) - 1];
            Some(format!("{key} {}-{month}-{:04}", day.day(), day.year()))
        }));
    }
    if keys.is_empty() {
        return Ok(None);
    }
    let charset = if is_ascii { "" } else { "CHARSET UTF-8 " };
    Ok(Some(format!("{charset}{}", keys.join(" "))))
}

/// The messages with this Message-ID.
///
/// # Errors
/// `Argument` if it is not a Message-ID.
pub(super) fn with_id(message_id: &str) -> Result<String, MailError> {
    let is_plain = |c: char| c.is_ascii_graphic() && !matches!(c, '"' | '\\' | '<' | '>');
    if message_id.is_empty() || message_id.len() > MOST || !message_id.chars().all(is_plain) {
        return Err(MailError::Argument { what: "A Message-ID", most: MOST });
    }
    Ok(format!("HEADER Message-ID \"<{message_id}>\""))
}

/// The messages of a conversation: those with one of these ids, and those that reference one.
pub(super) fn conversation(ids: &[String]) -> Option<String> {
    let mut keys = ids.iter().flat_map(|id| {
        // An id has no character that is special in a quoted string.
        [
            format!("HEADER Message-ID \"<{id}>\""),
            format!("HEADER References \"<{id}>\""),
            format!("HEADER In-Reply-To \"<{id}>\""),
        ]
    });
    let first = keys.next()?;
    Some(keys.fold(first, |all, key| format!("OR {key} {all}")))
}

const MONTHS: [&str; 12] =
    ["Jan", "Feb", "Mar", "Apr", "May", "Jun", "Jul", "Aug", "Sep", "Oct", "Nov", "Dec"];

fn string(text: &str, literals: bool) -> Result<String, MailError> {
    if text.chars().count() > MOST || text.chars().any(char::is_control) {
        return Err(MailError::Argument { what: "The text of a search", most: MOST });
    }
    if !text.is_ascii() && literals {
        return Ok(format!("{{{}+}}\r\n{text}", text.len()));
    }
    Ok(format!("\"{}\"", text.replace('\\', "\\\\").replace('"', "\\\"")))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn spelled(text: &str) -> Result<Option<String>, String> {
        let search = SearchQuery { text: Some(text.into()), ..SearchQuery::default() };
        let wanted = Wanted { search: Some(search), ..Wanted::default() };
        keys(&wanted, true).map_err(|error| error.to_string())
    }

    #[test]
    fn search_text_cannot_inject_a_command() {
        assert_eq!(spelled("a\" ALL"), Ok(Some("TEXT \"a\\\" ALL\"".into())));
        assert_eq!(spelled("a\\"), Ok(Some("TEXT \"a\\\\\"".into())));
        assert!(spelled("a\r\nA1 DELETE INBOX").is_err());
        assert!(spelled("a\0b").is_err());
        assert!(spelled(&"a".repeat(301)).is_err());
        assert_eq!(spelled("Grüße"), Ok(Some("CHARSET UTF-8 TEXT {7+}\r\nGrüße".into())));
    }

    #[test]
    fn conditions_are_combined() {
        let search = SearchQuery {
            from: Some("ann".into()),
            since: Some(jiff::civil::date(2026, 11, 3)),
            ..SearchQuery::default()
        };
        let wanted = Wanted { unread: true, search: Some(search), limit: 1 };
        assert_eq!(
            keys(&wanted, true).ok().flatten().as_deref(),
            Some("UNSEEN FROM \"ann\" SINCE 3-Nov-2026")
        );
        assert_eq!(keys(&Wanted::default(), true).ok().flatten(), None);
        let search = SearchQuery { recipient: Some("jo@x".into()), ..SearchQuery::default() };
        let wanted = Wanted { search: Some(search), ..Wanted::default() };
        assert_eq!(
            keys(&wanted, true).ok().flatten().as_deref(),
            Some("OR TO \"jo@x\" OR CC \"jo@x\" BCC \"jo@x\"")
        );
    }

    #[test]
    fn a_conversation_is_one_key() {
        assert_eq!(conversation(&[]), None);
        assert_eq!(
            conversation(&["a@b".into()]).as_deref(),
            Some(
                "OR HEADER In-Reply-To \"<a@b>\" OR HEADER References \"<a@b>\" HEADER Message-ID \"<a@b>\""
            )
        );
    }
}
