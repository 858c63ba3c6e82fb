//! Deleted notes go to the system's trash if Obsidian is set to use it, which is its default.

use std::fs;
use std::io;
use std::os::unix::fs::{MetadataExt, PermissionsExt, symlink};
use std::path::Path;

use super::*;
use crate::Scope;
use crate::step::{Step, Steps};

impl Bed {
    fn trash(&self) -> PathBuf {
        self.dir.path().canonicalize().unwrap().join("home/Trash")
    }

    /// A vault with this trash.
    fn with_trash(&self, trash: &Path) -> Vault {
        let mut options = self.options();
        options.trash = Some(trash.to_owned());
        Vault::open(options).unwrap()
    }
}

/// Deletes the note and waits for its last check.
fn delete(vault: Vault, note: &str) -> String {
    change(&vault, |draft| draft.delete(&path(note))).unwrap().0
}

fn undo(bed: &Bed, id: &str) {
    bed.vault().history().undo(id, Scope::All, &Author::new("user")).unwrap();
}

/// Every file of the trash with its text, relative to it.
fn contents(trash: &Path) -> Vec<(String, String)> {
    let mut files: Vec<_> = files_below(trash)
        .into_iter()
        .map(|file| {
            let name = file.strip_prefix(trash).unwrap().to_str().unwrap().to_owned();
            (name, fs::read_to_string(&file).unwrap())
        })
        .collect();
    files.sort();
    files
}

fn names(trash: &Path) -> Vec<String> {
    contents(trash).into_iter().map(|(name, _)| name).collect()
}

#[test]
fn deleted_note_goes_to_the_systems_trash() {
    let bed = Bed::new(&[("People/Jürgen Groß 100%.md", "text\n")]);
    let vault = bed.with_trash(&bed.trash());
    assert_eq!(vault.seen_by_owner().trash(&path("a.md")), crate::Trash::System);
    assert!(!bed.trash().parent().unwrap().exists(), "a query creates nothing");
    let id = delete(vault, "People/Jürgen Groß 100%.md");

    let root = bed.root();
    let root = root.to_str().unwrap();
    assert!(root.chars().all(|c| c.is_ascii_alphanumeric() || "/-._~".contains(c)), "{root}");
    let [(file, text), (info, origin)] = &contents(&bed.trash())[..] else { panic!() };
    assert_eq!((file.as_str(), text.as_str()), ("files/Jürgen Groß 100%.md", "text\n"));
    assert_eq!(info, "info/Jürgen Groß 100%.md.trashinfo");
    let (start, date) = origin.rsplit_once("DeletionDate=").unwrap();
    assert_eq!(start, format!("[Trash Info]\nPath={root}/People/J%C3%BCrgen%20Gro%C3%9F%20100%25.md\n"));
    // The bed's clock starts at midnight and advances by one second per call.
    assert!(date.starts_with("2026-11-21T00:00:") && date.len() == "2026-11-21T00:00:00\n".len(), "{date}");
    for folder in ["", "files", "info"] {
        let mode = fs::metadata(bed.trash().join(folder)).unwrap().permissions().mode();
        assert_eq!(mode & 0o777, 0o700, "{folder}");
    }
    assert_eq!(fs::metadata(bed.trash().join(info)).unwrap().permissions().mode() & 0o777, 0o600);
    assert_eq!(bed.leftovers(), Vec::<String>::new());

    undo(&bed, &id);
    assert_eq!(bed.text("People/Jürgen Groß 100%.md"), "text\n");
    assert_eq!(names(&bed.trash()).len(), 2, "the trashed copy stays");
}

#[test]
fn date_is_in_the_users_zone() {
    let bed = Bed::new(&[("a.md", "")]);
    let mut options = bed.options();
    options.trash = Some(bed.trash());
    options.zone = TimeZone::fixed(jiff::tz::offset(-5));
    delete(Vault::open(options).unwrap(), "a.md");
    let (_, origin) = &contents(&bed.trash())[1];
    assert!(origin.contains("\nDeletionDate=2026-11-20T19:00:"), "{origin}");
}

#[test]
fn nothing_in_the_trash_is_replaced() {
    let bed = Bed::new(&[("a.md", "mine\n"), ("b.base", "views: []\n")]);
    // One that is complete, one without its info, one without its file.
    for (file, text) in [
        ("files/a.md", "first\n"),
        ("info/a.md.trashinfo", "[Trash Info]\nPath=/first/a.md\nDeletionDate=2026-01-01T00:00:00\n"),
        ("files/a 2.md", "second\n"),
        ("info/a 3.md.trashinfo", "[Trash Info]\nPath=/third/a.md\nDeletionDate=2026-01-01T00:00:00\n"),
        ("files/b.base", "first\n"),
    ] {
        let file = bed.trash().join(file);
        fs::create_dir_all(file.parent().unwrap()).unwrap();
        fs::write(file, text).unwrap();
    }
    let before = contents(&bed.trash());
    delete(bed.with_trash(&bed.trash()), "a.md");
    delete(bed.with_trash(&bed.trash()), "b.base");

    let after = contents(&bed.trash());
    assert!(before.iter().all(|file| after.contains(file)), "{after:?}");
    let new: Vec<_> = after.into_iter().filter(|file| !before.contains(file)).map(|(name, _)| name).collect();
    assert_eq!(new, ["files/a 4.md", "files/b 2.base", "info/a 4.md.trashinfo", "info/b 2.base.trashinfo"]);
    assert_eq!(fs::read_to_string(bed.trash().join("files/a 4.md")).unwrap(), "mine\n");
}

#[test]
fn other_trash_settings_are_respected() {
    for (setting, local) in [(r#"{"trashOption":"local"}"#, true), (r#"{"trashOption":"none"}"#, false)] {
        let bed = Bed::new(&[("a.md", "text\n"), (".obsidian/app.json", setting)]);
        let id = delete(bed.with_trash(&bed.trash()), "a.md");
        assert!(!bed.trash().exists(), "{setting}");
        assert_eq!(bed.exists(".trash/a.md"), local, "{setting}");
        assert!(!bed.exists("a.md"));
        undo(&bed, &id);
        assert_eq!(bed.text("a.md"), "text\n", "{setting}");
    }
}

/// Deletes with an unusable trash: the note goes to the vault's own, and undo works.
#[track_caller]
fn check_without_trash(bed: &Bed, trash: Option<&Path>) {
    let mut options = bed.options();
    options.trash = trash.map(Path::to_owned);
    let vault = Vault::open(options).unwrap();
    assert_eq!(vault.seen_by_owner().trash(&path("a.md")), crate::Trash::Local, "before anything is moved");
    let id = delete(vault, "a.md");
    assert!(!bed.exists("a.md"));
    assert_eq!(bed.text(".trash/a.md"), "text\n");
    fs::remove_dir_all(bed.root().join(".trash")).unwrap();
    assert_eq!(bed.leftovers(), Vec::<String>::new());
    assert_eq!(bed.vault().problems().unwrap(), []);
    undo(bed, &id);
    assert_eq!(bed.text("a.md"), "text\n");
}

#[test]
fn note_goes_to_the_vaults_trash_if_the_system_has_none() {
    check_without_trash(&Bed::new(&[("a.md", "text\n")]), None);
}

/// A vault on another file system than the user's home; the bed's parent folder counts as its top.
fn far_from_home(bed: &Bed) -> Option<(Vault, tempfile::TempDir)> {
    let memory = Path::new("/dev/shm");
    let device = |path: &Path| fs::metadata(path).map(|found| found.dev()).ok();
    if device(memory).is_none_or(|other| Some(other) == device(&bed.root())) {
        // No second file system is available.
        return None;
    }
    let home = tempfile::tempdir_in(memory).unwrap();
    let mut options = bed.options();
    options.trash = Some(home.path().canonicalize().unwrap().join("Trash"));
    options.top_folder = |root| root.parent().map(Path::to_owned);
    Some((Vault::open(options).unwrap(), home))
}

#[test]
fn vault_on_another_disk_uses_the_trash_at_its_top() {
    let user = rustix::process::getuid().as_raw();
    for shared in [false, true] {
        let bed = Bed::new(&[("People/Jürgen.md", "text\n")]);
        let top = bed.dir.path().canonicalize().unwrap();
        let Some((vault, home)) = far_from_home(&bed) else { return };
        if shared {
            fs::create_dir(top.join(".Trash")).unwrap();
            fs::set_permissions(top.join(".Trash"), fs::Permissions::from_mode(0o1777)).unwrap();
        }
        assert_eq!(vault.seen_by_owner().trash(&path("a.md")), crate::Trash::System);
        delete(vault, "People/Jürgen.md");

        let trash = if shared { format!(".Trash/{user}") } else { format!(".Trash-{user}") };
        let [(file, text), (_, origin)] = &contents(&top.join(trash))[..] else { panic!() };
        assert_eq!((file.as_str(), text.as_str()), ("files/Jürgen.md", "text\n"));
        assert!(
            origin.starts_with("[Trash Info]\nPath=vault/People/J%C3%BCrgen.md\nDeletionDate="),
            "{origin}"
        );
        assert_eq!(files_below(home.path()), Vec::<PathBuf>::new());
        assert!(!bed.exists(".trash"));
    }
}

#[test]
fn trash_at_the_top_that_anyone_could_have_created_is_not_used() {
    let user = rustix::process::getuid().as_raw();
    let bed = Bed::new(&[("a.md", "text\n")]);
    let top = bed.dir.path().canonicalize().unwrap();
    let Some((vault, _home)) = far_from_home(&bed) else { return };
    // Without the sticky bit, and a link.
    fs::create_dir_all(top.join(format!(".Trash/{user}"))).unwrap();
    fs::create_dir(top.join("elsewhere")).unwrap();
    symlink("elsewhere", top.join(format!(".Trash-{user}"))).unwrap();
    assert_eq!(vault.seen_by_owner().trash(&path("a.md")), crate::Trash::Local);
    delete(vault, "a.md");
    assert_eq!(bed.text(".trash/a.md"), "text\n");
    assert_eq!(files_below(&top.join("elsewhere")), Vec::<PathBuf>::new());
    assert_eq!(files_below(&top.join(".Trash")), Vec::<PathBuf>::new());
}

/// Simulates another user's folder; `false` if the test may not do that.
fn give_away(folder: &Path) -> bool {
    let another = rustix::process::getuid().as_raw() + 1234;
    std::os::unix::fs::chown(folder, Some(another), None).is_ok()
}

#[test]
fn trash_at_the_top_that_others_can_write_to_is_not_used() {
    let user = rustix::process::getuid().as_raw();
    let with_mode =
        |folder: &Path, mode| fs::set_permissions(folder, fs::Permissions::from_mode(mode)).is_ok();
    let opened = |how: &str, folder: &Path| match how {
        "of another user" => give_away(folder),
        "for the group" => with_mode(folder, 0o770),
        _ => with_mode(folder, 0o707),
    };
    for how in ["of another user", "for the group", "for all"] {
        for folder in ["", "files", "info"] {
            let bed = Bed::new(&[("a.md", "text\n")]);
            let Some((vault, _home)) = far_from_home(&bed) else { return };
            let trash = bed.dir.path().canonicalize().unwrap().join(format!(".Trash-{user}"));
            for made in ["", "files", "info"] {
                fs::create_dir_all(trash.join(made)).unwrap();
                fs::set_permissions(trash.join(made), fs::Permissions::from_mode(0o700)).unwrap();
            }
            assert_eq!(
                vault.seen_by_owner().trash(&path("a.md")),
                crate::Trash::System,
                "the user's own file"
            );
            if !opened(how, &trash.join(folder)) {
                continue;
            }
            assert_eq!(vault.seen_by_owner().trash(&path("a.md")), crate::Trash::Local, "{how} {folder:?}");
            delete(vault, "a.md");
            assert_eq!(bed.text(".trash/a.md"), "text\n", "{how} {folder:?}");
            assert_eq!(files_below(&trash), Vec::<PathBuf>::new(), "{how} {folder:?}");
        }
    }
}

#[test]
fn trash_created_concurrently_by_another_user_is_not_used() {
    use crate::disk::{SystemTrash, TrashPlace};

    let user = rustix::process::getuid().as_raw();
    let bed = Bed::new(&[]);
    let top = bed.dir.path().canonicalize().unwrap();
    let place = TrashPlace { folder: top.join(format!(".Trash-{user}")), top: Some(top.clone()) };
    fs::create_dir(&place.folder).unwrap();
    if !give_away(&place.folder) {
        return;
    }
    let refused = SystemTrash::open(&place).unwrap_err();
    assert_eq!(refused.kind(), io::ErrorKind::PermissionDenied);
    // In the user's home nobody else creates one.
    SystemTrash::open(&TrashPlace { top: None, ..place }).unwrap();
}

#[test]
fn top_of_a_file_system_is_its_topmost_folder() {
    let bed = Bed::new(&[]);
    let top = crate::top_folder(&bed.root()).unwrap();
    let device = |path: &Path| fs::metadata(path).unwrap().dev();
    assert!(bed.root().starts_with(&top));
    assert_eq!(device(&top), device(&bed.root()));
    assert!(top.parent().is_none_or(|above| device(above) != device(&top)), "{}", top.display());
}

#[test]
fn trash_that_is_a_link_or_a_file_is_not_used() {
    for linked in ["Trash", "Trash/files", "Trash/info"] {
        let bed = Bed::new(&[("a.md", "text\n")]);
        let link = bed.trash().parent().unwrap().join(linked);
        // Next to it, so that nothing but the check prevents following the link.
        let elsewhere = link.with_file_name("elsewhere");
        fs::create_dir_all(&elsewhere).unwrap();
        symlink("elsewhere", &link).unwrap();
        check_without_trash(&bed, Some(&bed.trash()));
        assert_eq!(files_below(&elsewhere), Vec::<PathBuf>::new(), "{linked}");
        assert_eq!(files_below(&bed.trash()).len(), usize::from(linked != "Trash"), "{linked}");
    }
    let bed = Bed::new(&[("a.md", "text\n")]);
    fs::create_dir(bed.trash().parent().unwrap()).unwrap();
    fs::write(bed.trash(), "").unwrap();
    check_without_trash(&bed, Some(&bed.trash()));
}

#[test]
fn trash_in_the_vault_is_not_used() {
    let bed = Bed::new(&[("a.md", "text\n"), ("home/b.md", "")]);
    let link = bed.dir.path().join("link");
    symlink(bed.root().join("home"), &link).unwrap();
    for trash in
        [bed.root().join("home/Trash"), bed.root(), bed.root().join("none/Trash"), link.join("Trash")]
    {
        check_without_trash(&bed, Some(&trash));
        assert_eq!(names(&bed.root()), ["a.md", "home/b.md"], "{}", trash.display());
    }
}

#[test]
fn trash_on_another_file_system_is_not_used() {
    let bed = Bed::new(&[("a.md", "text\n")]);
    let memory = Path::new("/dev/shm");
    let device = |path: &Path| fs::metadata(path).map(|found| found.dev()).ok();
    if device(memory).is_none_or(|other| Some(other) == device(&bed.root())) {
        // No second file system is available.
        return;
    }
    let other = tempfile::tempdir_in(memory).unwrap();
    let trash = other.path().canonicalize().unwrap().join("Trash");
    check_without_trash(&bed, Some(&trash));
    assert_eq!(names(&trash), Vec::<String>::new());
}

#[test]
fn error_on_the_way_to_the_trash_leaves_nothing_there() {
    let bed = Bed::new(&[("a.md", "text\n")]);
    let mut options = bed.options();
    options.trash = Some(bed.trash());
    let steps = Steps::hooked(|step, _| match step {
        Step::Trash => Err(io::ErrorKind::StorageFull.into()),
        _ => Ok(()),
    });
    delete(Vault::open_with(options, steps).unwrap(), "a.md");
    assert_eq!(names(&bed.trash()), Vec::<String>::new());
    assert_eq!((bed.exists("a.md"), bed.leftovers()), (false, Vec::new()));
}
