//! Resources: notes as `nova://note/` plus their percent-encoded path, and skills.

use percent_encoding::percent_decode_str;

pub(crate) const SKILLS: &str = "nova://skill/";
const NOTES: &str = "nova://note/";
pub(crate) const TEMPLATE: &str = "nova://note/{+path}";

/// The path of the note that a URI refers to.
pub(crate) fn path_of(uri: &str) -> Option<String> {
    let path = uri.strip_prefix(NOTES)?;
    let path = percent_decode_str(path).decode_utf8().ok()?;
    (!path.is_empty()).then(|| path.into_owned())
}

#[cfg(test)]
mod tests {
    use super::path_of;

    #[test]
    fn uri_names_a_note_by_its_path() {
        for (uri, path) in [
            ("nova://note/CRM/People/Jane%20Doe.md", Some("CRM/People/Jane Doe.md")),
            ("nova://note/CRM%2FPeople%2FJane%20Doe.md", Some("CRM/People/Jane Doe.md")),
            ("nova://note/Jane Doe.md", Some("Jane Doe.md")),
            ("nova://note/%C3%84.md", Some("Ä.md")),
            ("nova://note/", None),
            ("nova://note/%ff.md", None),
            ("nova://skill/vault", None),
            ("file:///etc/passwd", None),
        ] {
            assert_eq!(path_of(uri).as_deref(), path, "{uri}");
        }
    }
}
