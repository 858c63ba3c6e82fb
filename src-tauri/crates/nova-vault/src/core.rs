//! State shared by the whole crate: the folder, the journal, the clock and the id source.

use std::fmt;
use std::io;
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex};

use jiff::Timestamp;
use jiff::tz::TimeZone;

use crate::disk::{Disk, Place, SystemTrash, TrashPlace};
use crate::note::VaultPath;
use crate::obsidian::{ObsidianSettings, Trash};
use crate::options::{Clock, NewId, VaultOptions};
use crate::shared_texts::SharedTexts;
use crate::step::{Step, Steps};
use crate::writing::history::Retention;
use crate::writing::journal::{Journal, lines_path};
use crate::writing::unsaved::{Unmerged, Unsaved};

pub(crate) struct Core {
    pub(crate) disk: Disk,
    pub(crate) journal: Journal,
    pub(crate) steps: Steps,
    /// Shared with the watcher.
    pub(crate) texts: Arc<SharedTexts>,
    pub(crate) zone: TimeZone,
    pub(crate) retention: Mutex<Retention>,
    pub(crate) write_through: bool,
    pub(crate) unsaved: Unsaved,
    pub(crate) unmerged: Unmerged,
    trash: Option<PathBuf>,
    top_folder: fn(&Path) -> Option<PathBuf>,
    clock: Clock,
    new_id: NewId,
}

impl Core {
    pub(crate) fn new(disk: Disk, journal: Journal, steps: Steps, options: VaultOptions) -> Core {
        Core {
            disk,
            journal,
            steps,
            texts: Arc::default(),
            zone: options.zone,
            retention: Mutex::new(Retention::within(options.limits)),
            write_through: options.write_through,
            unsaved: Unsaved::default(),
            unmerged: Unmerged::default(),
            trash: options.trash,
            top_folder: options.top_folder,
            clock: options.clock,
            new_id: options.new_id,
        }
    }

    /// The absolute path of a file next to a note, for messages.
    pub(crate) fn beside(&self, place: &Place, name: &str) -> PathBuf {
        self.disk.root().join(place.path().folder()).join(name)
    }

    pub(crate) fn now(&self) -> Timestamp {
        (self.clock)()
    }

    /// An id for a change set that no journal file uses yet.
    pub(crate) fn free_id(&self) -> String {
        let mut id = String::new();
        for _ in 0..1000 {
            id = (self.new_id)().chars().map(|c| if c.is_ascii_alphanumeric() { c } else { '-' }).collect();
            if !lines_path(self.journal.folder(), &id).exists() {
                break;
            }
        }
        id
    }

    /// Whether two files can be exchanged, or why not; `None` if only a write will tell.
    pub(crate) fn exchange(&self) -> Option<Result<(), String>> {
        self.disk.exchange()
    }

    /// Where a deleted note goes: as set in Obsidian, but to the vault's own trash if the system's cannot
    /// take it.
    pub(crate) fn trash(&self, note: &VaultPath) -> Trash {
        match ObsidianSettings::read(&self.disk).trash {
            Trash::System if self.system_trash(&self.disk.real_path(note).0).is_none() => Trash::Local,
            set => set,
        }
    }

    /// The system's trash for files below this root (the vault or an extra root).
    fn system_trash(&self, root: &Path) -> Option<TrashPlace> {
        TrashPlace::of(root, self.trash.as_deref()?, self.top_folder)
    }

    /// Hard-links a deleted note's file into its trash ([`Core::trash`]); without hard links it is moved.
    /// If there is no trash, or it refuses the file, the journal's copy of the bytes before serves the
    /// undo. `may_copy` allows a copy followed by removal, for a vault whose own trash is on another disk.
    pub(crate) fn to_trash(&self, place: &Place, temp: &str, may_copy: bool) -> bool {
        let moved = match self.trash(place.path()) {
            Trash::None => return false,
            Trash::Local => self.to_own_trash(place, temp, may_copy),
            Trash::System => self.to_system_trash(place, temp).or_else(|error| {
                tracing::debug!(path = %place.path(), %error, "cannot move a note to the system trash");
                self.to_own_trash(place, temp, may_copy)
            }),
        };
        if let Err(error) = &moved {
            tracing::debug!(path = %place.path(), %error, "cannot move a note to the trash");
        }
        moved.is_ok()
    }

    fn to_own_trash(&self, place: &Place, temp: &str, may_copy: bool) -> io::Result<()> {
        let trash = self.disk.make_hidden_folder(".trash")?;
        match place.link_aside(temp, &trash) {
            Err(error) if error.kind() == io::ErrorKind::CrossesDevices && may_copy => {
                place.copy_aside(temp, &trash)
            }
            moved => moved,
        }
    }

    fn to_system_trash(&self, place: &Place, temp: &str) -> io::Result<()> {
        let (root, note) = self.disk.real_path(place.path());
        let trash = self.system_trash(&root).ok_or(io::ErrorKind::NotFound)?;
        let original = trash.top.as_deref().and_then(|top| note.strip_prefix(top).ok()).unwrap_or(&note);
        SystemTrash::open(&trash)?.put(
            place,
            temp,
            original,
            &self.now().to_zoned(self.zone.clone()),
            &|| self.steps.before(Step::Trash, place.path().as_str()),
        )
    }
}

impl fmt::Debug for Core {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Core").field("root", &self.disk.root()).finish_non_exhaustive()
    }
}
