use std::fs;
use std::io::{self, Write as _};
use std::path::{Path, PathBuf};

use nova_protocol::{ErrorCode, UserError};

use crate::app::App;
use crate::blocking::blocking;

/// Template files of a new crate in `skills/<id>`; `NAME` stands for the id and `CRATE` for the crate.
const FILES: [(&str, &str); 6] = [
    ("Cargo.toml", include_str!("../assets/native/Cargo.toml")),
    ("SKILL.md", include_str!("../assets/native/SKILL.md")),
    ("manifest.yaml", include_str!("../assets/native/manifest.yaml")),
    ("src/lib.rs", include_str!("../assets/native/lib.rs")),
    ("src/echo.rs", include_str!("../assets/native/echo.rs")),
    ("tests/NAME.rs", include_str!("../assets/native/tests.rs")),
];
/// The manifest that gets a dependency, by which the crate becomes a workspace member.
const MANIFEST: &str = "src-tauri/crates/nova-app/Cargo.toml";
const LIST: &str = "src-tauri/crates/nova-app/src/skills.rs";

impl App {
    /// Creates the crate of a skill in the Nova checkout that contains a folder, and adds it to the list of
    /// skills and to the dependencies. Returns the files written and the two changed.
    ///
    /// # Errors
    /// When the name is invalid or taken, the folder is not in a checkout, or a file cannot be written.
    pub async fn new_native_skill(&self, name: &str, below: &Path) -> Result<Vec<PathBuf>, UserError> {
        let id = self.new_skill_id(name)?;
        let below = below.to_owned();
        blocking(move || write(&id, &below)).await
    }
}

fn write(id: &str, below: &Path) -> Result<Vec<PathBuf>, UserError> {
    let checkout =
        below.ancestors().find(|folder| folder.join(LIST).is_file() && folder.join(MANIFEST).is_file());
    let checkout = checkout.ok_or_else(|| {
        UserError::new(
            ErrorCode::BadRequest,
            "This folder is not in a checkout of Nova.",
            "Start the command in one, or use --kind folder.",
        )
    })?;
    let folder = checkout.join("skills").join(id);
    if folder.exists() {
        return Err(UserError::new(
            ErrorCode::BadRequest,
            format!("{} already exists.", folder.display()),
            "Choose another name.",
        ));
    }
    let krate = format!("nova_skill_{}", id.replace('-', "_"));
    let lines = [
        (LIST, "nova_skill_", format!("        {krate}::skill(),\n")),
        (MANIFEST, "nova-skill-", format!("nova-skill-{id} = {{ path = \"../../../skills/{id}\" }}\n")),
    ];
    let mut changed = Vec::new();
    for (file, prefix, line) in lines {
        let file = checkout.join(file);
        let text = fs::read_to_string(&file).map_err(|error| failed(&file, &error))?;
        let text = with_line(&text, prefix, &line).ok_or_else(|| {
            UserError::new(
                ErrorCode::BadRequest,
                format!("{} has no line that begins with {prefix}.", file.display()),
                "Use a checkout of the same version as this program.",
            )
        })?;
        changed.push((file, text));
    }
    let mut written = Vec::new();
    for (path, text) in FILES {
        let file = folder.join(path.replace("NAME", id));
        let text = text.replace("NAME", id).replace("CRATE", &krate);
        create(&file, &text).map_err(|error| failed(&file, &error))?;
        written.push(file);
    }
    for (file, text) in changed {
        fs::write(&file, text).map_err(|error| failed(&file, &error))?;
        written.push(file);
    }
    Ok(written)
}

/// Inserts a line in order among those with the prefix; `None` if there are none.
fn with_line(text: &str, prefix: &str, line: &str) -> Option<String> {
    let mut at = None;
    let mut begin = 0;
    for found in text.split_inclusive('\n') {
        let end = begin + found.len();
        if found.trim_start().starts_with(prefix) {
            if found > line {
                at = Some(begin);
                break;
            }
            at = Some(end);
        }
        begin = end;
    }
    let (before, after) = text.split_at(at?);
    Some([before, line, after].concat())
}

fn create(file: &Path, text: &str) -> io::Result<()> {
    fs::create_dir_all(file.parent().unwrap_or(Path::new(".")))?;
    fs::File::options().write(true).create_new(true).open(file)?.write_all(text.as_bytes())
}

fn failed(file: &Path, error: &io::Error) -> UserError {
    UserError::new(
        ErrorCode::Io,
        format!("{} cannot be read or written: {error}.", file.display()),
        "Make it readable and its folder writable.",
    )
}

#[cfg(test)]
mod tests {
    use super::*;

    fn check(text: &str, line: &str, expected: &str) {
        assert_eq!(with_line(text, "nova-", line).as_deref(), Some(expected));
    }

    #[test]
    fn line_is_inserted_in_order() {
        let text = "[dependencies]\nserde\nnova-b\nnova-d\ntokio\n";
        check(text, "nova-a\n", "[dependencies]\nserde\nnova-a\nnova-b\nnova-d\ntokio\n");
        check(text, "nova-c\n", "[dependencies]\nserde\nnova-b\nnova-c\nnova-d\ntokio\n");
        check(text, "nova-e\n", "[dependencies]\nserde\nnova-b\nnova-d\nnova-e\ntokio\n");
        assert_eq!(with_line("serde\n", "nova-", "nova-a\n"), None);
    }
}
