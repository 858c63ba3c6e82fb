use unicode_normalization::UnicodeNormalization;
use unicode_security::skeleton;

/// Maximum length of tool names accepted by providers.
const MAX_WIRE_NAME: usize = 64;

/// The tool name sent to providers: `skill__tool`, only `[A-Za-z0-9_-]`, at most 64 characters.
///
/// A name that must be altered gets a hash of the original, so that two tools never share a name.
pub fn wire_name(skill: &str, tool: &str) -> String {
    let plain = format!("{skill}__{tool}");
    let clean: String = plain
        .chars()
        .map(|c| if c.is_ascii_alphanumeric() || c == '_' || c == '-' { c } else { '_' })
        .collect();
    // Otherwise ("a", "b__c") and ("a__b", "c") would share a name.
    let parted =
        !skill.contains("__") && !tool.contains("__") && !skill.ends_with('_') && !tool.starts_with('_');
    if clean == plain && parted && clean.len() <= MAX_WIRE_NAME {
        return clean;
    }
    // The separator distinguishes ("a", "b__c") from ("a__b", "c").
    let hash = blake3::hash(format!("{skill}\0{tool}").as_bytes()).to_hex();
    let kept: String = clean.chars().take(MAX_WIRE_NAME - 9).collect();
    format!("{kept}_{}", &hash[..8])
}

/// The display name: `skill.tool`.
pub fn shown_name(skill: &str, tool: &str) -> String {
    format!("{skill}.{tool}")
}

/// The canonical form for comparing ids: NFKC, lower case, `-` for `_`, without invisible characters and
/// surrounding spaces.
pub fn canonical(id: &str) -> String {
    if id.is_ascii() {
        return id.trim().to_ascii_lowercase().replace('_', "-");
    }
    // Filtered again, because lower-case letters may have compatibility forms of their own.
    let lower: String = id.nfkc().flat_map(char::to_lowercase).filter(|c| !is_invisible(*c)).collect();
    let canonical: String = lower.nfkc().map(|c| if c == '_' { '-' } else { c }).collect();
    canonical.trim().to_owned()
}

/// The UTS 39 skeletons of an id, in lower case and as written. Two ids that share either one can be confused
/// by a person.
pub fn skeletons(id: &str) -> [String; 2] {
    // The blank Braille pattern looks like a space, but is not white space in Unicode.
    let trimmed = |id: &str| id.trim_matches(|c: char| c.is_whitespace() || c == '\u{2800}').to_owned();
    [skeleton(&trimmed(&canonical(id))).collect(), skeleton(&trimmed(id)).collect()]
}

/// Invisible characters, which could make distinct names look the same: those that Unicode calls default
/// ignorable.
pub fn is_invisible(c: char) -> bool {
    matches!(c,
        '\u{ad}' | '\u{34f}' | '\u{61c}' | '\u{115f}' | '\u{1160}' | '\u{17b4}' | '\u{17b5}'
        | '\u{180b}'..='\u{180f}' | '\u{200b}'..='\u{200f}' | '\u{202a}'..='\u{202e}'
        | '\u{2060}'..='\u{206f}' | '\u{3164}' | '\u{fe00}'..='\u{fe0f}' | '\u{feff}' | '\u{ffa0}'
        | '\u{fff0}'..='\u{fff8}' | '\u{1bca0}'..='\u{1bca3}' | '\u{1d173}'..='\u{1d17a}'
        | '\u{e0000}'..='\u{e0fff}')
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn short_clean_names_are_unchanged() {
        assert_eq!(wire_name("crm", "add_contact"), "crm__add_contact");
        assert_eq!(wire_name("employee-onboarding", "start"), "employee-onboarding__start");
    }

    #[test]
    fn names_are_legal_and_distinct() {
        let hard = [
            ("crm", "a.b".to_owned()),
            ("crm", "a_b".to_owned()),
            ("crm", "a b".to_owned()),
            ("crm", "é".to_owned()),
            ("crm", "\0".to_owned()),
            ("crm", String::new()),
            ("x", "y".repeat(200)),
            ("x", "y".repeat(201)),
            ("a", "b__c".to_owned()),
            ("a__b", "c".to_owned()),
            ("a_", "b".to_owned()),
            ("a", "_b".to_owned()),
        ];
        let names: Vec<String> = hard.iter().map(|(skill, tool)| wire_name(skill, tool)).collect();
        for name in &names {
            assert!(!name.is_empty() && name.len() <= 64, "{name} fits every provider");
            assert!(name.bytes().all(|b| b.is_ascii_alphanumeric() || b == b'_' || b == b'-'), "{name}");
        }
        let unique: std::collections::HashSet<_> = names.iter().collect();
        assert_eq!(unique.len(), names.len(), "no two tools share a name: {names:?}");
    }

    #[test]
    fn ids_compare_ignoring_case_and_separator() {
        assert_eq!(canonical("Release_Management"), canonical("release-management"));
        assert_eq!(canonical("ＣＲＭ"), "crm");
        assert_eq!(canonical("c\u{200b}rm\u{fe0f}"), "crm");
        assert_eq!(canonical("ßＡ＿b"), "ßa-b");
        assert_eq!((canonical(" Vault "), canonical("Vault\u{3000}")), ("vault".into(), "vault".into()));
    }

    #[test]
    fn look_alike_ids_share_a_skeleton() {
        for (one, other) in
            [("vault", "v\u{430}ult"), ("vault", "vauIt"), ("crm", "\u{441}rm"), ("crm", "CRM ")]
        {
            assert!(skeletons(one).iter().any(|one| skeletons(other).contains(one)), "{one} {other}");
        }
        for (one, other) in [("vault", "vaults"), ("crm", "cr\u{fc}m"), ("log-1", "log-2"), ("\u{441}", "d")]
        {
            assert!(!skeletons(one).iter().any(|one| skeletons(other).contains(one)), "{one} {other}");
        }
    }
}
