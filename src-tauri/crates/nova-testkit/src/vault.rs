use std::fs;
use std::path::{Path, PathBuf};

use nova_vault::{Vault, VaultOptions};
use tempfile::TempDir;

use crate::{CountingIds, FixedClock};

/// A vault in a temporary folder, deleted at the end of the test.
///
/// ```
/// let vault = nova_testkit::TempVault::from(
///     "
/// //- CRM/People/Jane Doe.md
/// ---
/// type: contact
/// ---
/// Met at the fair.
/// //- Daily/2026-11-20.md
/// Called [[Jane Doe]].
/// ",
/// );
/// assert_eq!(vault.files(), ["CRM/People/Jane Doe.md", "Daily/2026-11-20.md"]);
/// assert_eq!(vault.read("Daily/2026-11-20.md"), "Called [[Jane Doe]].\n");
/// ```
pub struct TempVault {
    dir: TempDir,
    clock: FixedClock,
    ids: CountingIds,
}

/// Starts a file in the text of a vault.
const FILE_MARK: &str = "//- ";

impl From<&str> for TempVault {
    /// A line `//- path` starts a file; the lines up to the next such line are its exact text. An empty text
    /// is an empty vault.
    fn from(notes: &str) -> Self {
        let dir = tempfile::tempdir().expect("a temporary folder");
        let vault = Self { dir, clock: FixedClock::default(), ids: CountingIds::new("set") };
        fs::create_dir(vault.root()).expect("a folder in the temporary one");
        let mut file: Option<(&str, String)> = None;
        for line in notes.split_inclusive('\n') {
            if let Some(path) = line.strip_prefix(FILE_MARK) {
                if let Some((path, text)) = file.replace((path.trim_end(), String::new())) {
                    vault.write(path, &text);
                }
            } else if let Some((_, text)) = &mut file {
                text.push_str(line);
            } else {
                assert!(
                    line.trim().is_empty(),
                    "a vault's text starts with a line `//- path`, not with {line:?}"
                );
            }
        }
        if let Some((path, text)) = file {
            vault.write(path, &text);
        }
        vault
    }
}

impl TempVault {
    /// Copies every file of `folder`, such as the starter vault.
    pub fn copy_of(folder: &Path) -> Self {
        let vault = Self::from("");
        for path in files_below(folder) {
            let text = fs::read(folder.join(&path)).expect("a file of the copied folder");
            vault.write_bytes(&path, &text);
        }
        vault
    }

    /// Replaces the clock.
    pub fn with_clock(mut self, clock: FixedClock) -> Self {
        self.clock = clock;
        self
    }

    /// Opens another instance of the vault, like another program on the same folder.
    pub fn open(&self) -> Vault {
        Vault::open(VaultOptions {
            root: self.root(),
            history: self.data().join("history"),
            forbidden: vec![self.data()],
            roots: Vec::new(),
            program: None,
            clock: self.clock.for_vault(),
            zone: jiff::tz::TimeZone::UTC,
            // A shared counter, since all instances share a journal.
            new_id: self.ids.for_vault(),
            trash: None,
            top_folder: |_| None,
            write_through: false,
            limits: nova_vault::Limits::default(),
        })
        .expect("the test vault opens")
    }

    /// Reads a file directly from disk.
    #[track_caller]
    pub fn read(&self, path: &str) -> String {
        fs::read_to_string(self.root().join(path)).unwrap_or_else(|error| panic!("{path}: {error}"))
    }

    /// Writes a file directly to disk, with its folders.
    #[track_caller]
    pub fn write(&self, path: &str, text: &str) {
        self.write_bytes(path, text.as_bytes());
    }

    #[track_caller]
    pub fn write_bytes(&self, path: &str, bytes: &[u8]) {
        let file = self.root().join(path);
        let written =
            fs::create_dir_all(file.parent().unwrap_or(&file)).and_then(|()| fs::write(&file, bytes));
        written.unwrap_or_else(|error| panic!("{path}: {error}"));
    }

    #[track_caller]
    pub fn remove(&self, path: &str) {
        fs::remove_file(self.root().join(path)).unwrap_or_else(|error| panic!("{path}: {error}"));
    }

    pub fn exists(&self, path: &str) -> bool {
        self.root().join(path).symlink_metadata().is_ok()
    }

    /// The sorted paths of all files, separated by `/`, including dot-files. Excludes the `.nova-….tmp` files
    /// in which an open vault keeps replaced content for two seconds, until its last check.
    pub fn files(&self) -> Vec<String> {
        let kept = |file: &String| file.rsplit('/').next().is_some_and(|name| name.starts_with(".nova-"));
        let mut files = files_below(&self.root());
        files.retain(|file| !kept(file));
        files
    }

    /// The folder with the notes.
    pub fn root(&self) -> PathBuf {
        self.dir.path().join("vault")
    }

    /// The folder for Nova's own data, next to the vault.
    pub fn data(&self) -> PathBuf {
        self.dir.path().join("data")
    }

    /// The clock of the opened vault.
    pub fn clock(&self) -> &FixedClock {
        &self.clock
    }
}

fn files_below(folder: &Path) -> Vec<String> {
    let mut files = Vec::new();
    for entry in fs::read_dir(folder).expect("a readable folder") {
        let entry = entry.expect("an entry of a folder");
        let name = entry.file_name().to_string_lossy().into_owned();
        if entry.path().is_dir() {
            files.extend(files_below(&entry.path()).into_iter().map(|below| format!("{name}/{below}")));
        } else {
            files.push(name);
        }
    }
    files.sort();
    files
}
