use percent_encoding::{AsciiSet, NON_ALPHANUMERIC, percent_decode_str, utf8_percent_encode};
use url::Url;

/// Characters that a path segment may contain unescaped (RFC 3986, 3.3).
const SEGMENT: &AsciiSet = &NON_ALPHANUMERIC
    .remove(b'-')
    .remove(b'.')
    .remove(b'_')
    .remove(b'~')
    .remove(b'!')
    .remove(b'$')
    .remove(b'&')
    .remove(b'\'')
    .remove(b'(')
    .remove(b')')
    .remove(b'*')
    .remove(b'+')
    .remove(b',')
    .remove(b';')
    .remove(b'=')
    .remove(b':')
    .remove(b'@');

/// Resolves an `href` against the URL of the response; `None` if it is invalid.
pub(super) fn resolved(base: &Url, href: &str) -> Option<Url> {
    let mut url = base.join(href.trim()).ok()?;
    let path = canonical(url.path());
    url.set_path(&path);
    url.set_query(None);
    url.set_fragment(None);
    Some(url)
}

/// Normalises escapes: servers spell the same path with and without them.
fn canonical(path: &str) -> String {
    let segments = path.split('/').map(|segment| {
        let bytes: Vec<u8> = percent_decode_str(segment).collect();
        match std::str::from_utf8(&bytes) {
            Ok(text) => utf8_percent_encode(text, SEGMENT).to_string(),
            Err(_) => segment.to_owned(),
        }
    });
    segments.collect::<Vec<_>>().join("/")
}

/// The path of an event of a calendar; `None` for the calendar itself and for paths that are not its direct
/// children.
pub(super) fn event_path(calendar: &Url, href: &str) -> Option<String> {
    let url = resolved(calendar, href)?;
    let folder = folder(calendar);
    let name = url.path().strip_prefix(folder.path())?;
    let fits = url.origin() == calendar.origin()
        && !name.is_empty()
        && !name.contains('/')
        && !matches!(name, "." | "..");
    fits.then(|| url.path().to_owned())
}

/// Adds the trailing slash of a collection.
pub(super) fn folder(url: &Url) -> Url {
    let mut folder = url.clone();
    let mut path = canonical(url.path());
    if !path.ends_with('/') {
        path.push('/');
    }
    folder.set_path(&path);
    folder
}
