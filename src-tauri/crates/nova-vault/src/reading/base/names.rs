//! The functions and fields in Obsidian's documentation.

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Kind {
    Global,
    Method,
}

/// Looks up a function; `Err` if it does not exist or does not take this many arguments.
pub(super) fn check(kind: Kind, name: &str, arguments: usize) -> Result<&'static str, String> {
    let known = match kind {
        Kind::Global => GLOBALS,
        Kind::Method => METHODS,
    };
    if NOT_COMPUTED.contains(&name) {
        return Err(format!("the function {name}() is not computed"));
    }
    match known.iter().find(|(known, _, _)| *known == name) {
        None => Err(format!("there is no function {name}()")),
        Some((_, least, most)) if arguments < *least || arguments > *most => {
            Err(format!("{name}() does not take {arguments} arguments"))
        }
        Some((known, _, _)) => Ok(known),
    }
}

pub(super) fn check_file_field(name: &str) -> Result<(), String> {
    match name {
        "backlinks" | "embeds" => Err(format!("file.{name} is not computed")),
        name if FILE_FIELDS.contains(&name) => Ok(()),
        name => Err(format!("there is no file.{name}")),
    }
}

/// Names with their minimum and maximum number of arguments.
const GLOBALS: &[(&str, usize, usize)] = &[
    ("date", 1, 1),
    ("duration", 1, 1),
    ("escapeHTML", 1, 1),
    ("file", 1, 1),
    ("if", 2, 3),
    ("link", 1, 2),
    ("list", 1, 1),
    ("max", 1, MANY),
    ("min", 1, MANY),
    ("now", 0, 0),
    ("number", 1, 1),
    ("today", 0, 0),
];

const METHODS: &[(&str, usize, usize)] = &[
    ("abs", 0, 0),
    ("asFile", 0, 0),
    ("asLink", 0, 1),
    ("ceil", 0, 0),
    ("contains", 1, 1),
    ("containsAll", 1, MANY),
    ("containsAny", 1, MANY),
    ("date", 0, 0),
    ("endsWith", 1, 1),
    ("filter", 1, 1),
    ("flat", 0, 0),
    ("floor", 0, 0),
    ("format", 1, 1),
    ("hasLink", 1, 1),
    ("hasProperty", 1, 1),
    ("hasTag", 1, MANY),
    ("inFolder", 1, 1),
    ("isEmpty", 0, 0),
    ("isTruthy", 0, 0),
    ("isType", 1, 1),
    ("join", 1, 1),
    ("keys", 0, 0),
    ("linksTo", 1, 1),
    ("lower", 0, 0),
    ("map", 1, 1),
    ("reduce", 2, 2),
    ("repeat", 1, 1),
    ("replace", 2, 2),
    ("reverse", 0, 0),
    ("round", 0, 1),
    ("slice", 1, 2),
    ("sort", 0, 0),
    ("split", 1, 2),
    ("startsWith", 1, 1),
    ("time", 0, 0),
    ("title", 0, 0),
    ("toFixed", 1, 1),
    ("toString", 0, 0),
    ("trim", 0, 0),
    ("unique", 0, 0),
    ("values", 0, 0),
];

const MANY: usize = usize::MAX;

/// Documented, but concerned with rendering or the user's language.
const NOT_COMPUTED: [&str; 5] = ["html", "icon", "image", "matches", "relative"];

const FILE_FIELDS: [&str; 12] = [
    "name",
    "basename",
    "path",
    "folder",
    "ext",
    "file",
    "size",
    "mtime",
    "ctime",
    "tags",
    "properties",
    "links",
];
