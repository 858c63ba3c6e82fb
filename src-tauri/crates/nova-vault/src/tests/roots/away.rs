//! The disk of a listed folder is not mounted, or differs from the vault's; or the link leads elsewhere by
//! now.

use std::io::Write;

use super::*;

#[test]
fn notes_of_an_unmounted_folder_were_not_removed() {
    let bed = bed();
    let vault = with_roots(&bed, &["Team"]);
    assert_eq!(notes(&vault).len(), 2);
    let mut receiver = vault.changes();
    fs::rename(folder(&bed, "Team"), folder(&bed, "Away")).unwrap();
    assert_eq!(reported(&vault, &mut receiver), []);
    assert_eq!(notes(&vault), ["Home.md"]);
    let gone = format!("The folder that \"Team\" links to is gone: {}", folder(&bed, "Team").display());
    assert_eq!(problems(&vault), [("Team".to_owned(), format!("{gone}; it is not read"))]);
    // A new note does not create a folder in its place.
    let error = change(&vault, |d| d.create(&path("Team/new.md"), "new\n".to_owned())).unwrap_err();
    assert_eq!(error.message(), gone);
    assert!(error.hint().contains("Restore the folder"), "{error}");

    fs::rename(folder(&bed, "Away"), folder(&bed, "Team")).unwrap();
    outside(&bed, "Team/People/Jane Doe.md", &JANE.replace("lead", "won"));
    let jane = "Team/People/Jane Doe.md".to_owned();
    assert_eq!(reported(&vault, &mut receiver), [(VaultChangeKind::Modified, jane, By::Outside)]);
    assert_eq!((notes(&vault).len(), problems(&vault)), (2, Vec::new()));
}

#[test]
fn mount_point_is_not_taken_for_the_unmounted_folder() {
    let bed = bed();
    let vault = with_roots(&bed, &["Team"]);
    vault.core().disk.roots().take_folders_for_disks();
    assert_eq!(notes(&vault).len(), 2);
    let mut receiver = vault.changes();
    fs::rename(folder(&bed, "Team"), folder(&bed, "Away")).unwrap();
    fs::create_dir(folder(&bed, "Team")).unwrap();

    assert_eq!(reported(&vault, &mut receiver), []);
    let [(at, problem)] = &problems(&vault)[..] else { panic!() };
    assert!(at == "Team" && problem.contains("links to is gone"), "{at}: {problem}");
    let error = change(&vault, |d| d.create(&path("Team/new.md"), "new\n".to_owned())).unwrap_err();
    assert!(error.hint().contains("Mount the disk"), "{error}");

    fs::remove_dir(folder(&bed, "Team")).unwrap();
    fs::rename(folder(&bed, "Away"), folder(&bed, "Team")).unwrap();
    assert_eq!((reported(&vault, &mut receiver), notes(&vault).len()), (Vec::new(), 2));
    // Another disk with notes is accepted, and so is an empty folder on the same disk.
    fs::rename(folder(&bed, "Team"), folder(&bed, "Away")).unwrap();
    outside(&bed, "Team/other.md", "other\n");
    assert_eq!(notes(&vault), ["Home.md", "Team/other.md"]);
    fs::remove_file(folder(&bed, "Team/other.md")).unwrap();
    assert_eq!((notes(&vault), problems(&vault)), (vec!["Home.md".to_owned()], Vec::new()));
}

/// A bed whose `Team` is on another disk; `None` if there is none.
fn on_two_disks() -> Option<(Bed, tempfile::TempDir)> {
    let memory = Path::new("/dev/shm");
    let device = |path: &Path| fs::metadata(path).map(|found| found.dev()).ok();
    let bed = Bed::new(&[("Home.md", "home\n")]);
    if device(memory).is_none_or(|other| Some(other) == device(&bed.root())) {
        eprintln!("not tested: there is no second disk");
        return None;
    }
    let disk = tempfile::tempdir_in(memory).unwrap();
    fs::write(disk.path().join("a.md"), JANE).unwrap();
    symlink(disk.path(), bed.root().join("Team")).unwrap();
    Some((bed, disk))
}

#[test]
fn listed_folder_on_another_disk_allows_all_but_moves_across() {
    let Some((bed, disk)) = on_two_disks() else { return };
    let team = disk.path().canonicalize().unwrap();
    let roots = |options: VaultOptions| VaultOptions { roots: vec![team.clone()], ..options };
    let vault = Vault::open(roots(bed.options())).unwrap();
    let a = path("Team/a.md");
    let (id, _) = change(&vault, |d| d.set_properties(&a, &[set("stage", "won")])).unwrap();
    assert_eq!(fs::read_to_string(team.join("a.md")).unwrap(), JANE.replace("lead", "won"));
    vault.history().undo(&id, Scope::All, &Author::new("user")).unwrap();

    // Many at once, on both disks.
    let (id, _) = change(&vault, |d| {
        (0..40).try_for_each(|n| {
            d.create(&path(&format!("Team/New/{n}.md")), format!("{n}\n"))?;
            d.create(&path(&format!("New/{n}.md")), format!("{n}\n"))
        })
    })
    .unwrap();
    assert_eq!((fs::read_dir(team.join("New")).unwrap().count(), notes(&vault).len()), (40, 82));
    vault.history().undo(&id, Scope::All, &Author::new("user")).unwrap();
    assert_eq!(notes(&vault), ["Home.md", "Team/a.md"]);

    let error = change(&vault, |d| d.rename(&a, &path("a.md"))).unwrap_err();
    assert!(error.hint().contains("different disks"), "{error}: {}", error.hint());
    assert_eq!(notes(&vault), ["Home.md", "Team/a.md"], "the note is unchanged");

    bed.put(".obsidian/app.json", r#"{"trashOption":"local"}"#);
    assert_eq!(vault.seen_by_owner().trash(&a), Trash::Local);
    let (id, _) = change(&vault, |d| d.delete(&a)).unwrap();
    drop(vault);
    assert_eq!(bed.text(".trash/a.md"), JANE);
    assert_eq!(files_below(&team), Vec::<PathBuf>::new());
    let vault = Vault::open(roots(bed.options())).unwrap();
    vault.history().undo(&id, Scope::All, &Author::new("user")).unwrap();
    assert_eq!(fs::read_to_string(team.join("a.md")).unwrap(), JANE);
    drop(vault);
    assert_eq!(files_below(&team).len(), 1, "no temporary files are left");
}

#[cfg(target_os = "linux")]
#[test]
fn note_goes_to_another_disks_trash_without_attributes_that_do_not_fit() {
    use rustix::fs::{XattrFlags, setxattr};

    let Some((bed, disk)) = on_two_disks() else { return };
    bed.put(".obsidian/app.json", r#"{"trashOption":"local"}"#);
    bed.put("try.md", "");
    let large = vec![b'x'; 20_000];
    let mark = |file: PathBuf| setxattr(file, "user.large", &large, XattrFlags::empty());
    if mark(disk.path().join("a.md")).is_err() || mark(bed.root().join("try.md")).is_ok() {
        return eprintln!("not tested: both disks take the same attributes");
    }
    let team = disk.path().canonicalize().unwrap();
    let vault = Vault::open(VaultOptions { roots: vec![team.clone()], ..bed.options() }).unwrap();
    change(&vault, |d| d.delete(&path("Team/a.md"))).unwrap();
    drop(vault);
    assert_eq!(bed.text(".trash/a.md"), JANE);
    assert_eq!(files_below(&team), Vec::<PathBuf>::new());
}

#[test]
fn leftovers_of_a_kill_in_a_listed_folder_are_swept() {
    let bed = bed();
    change(&with_roots(&bed, &["Team"]), |d| d.append(&path("Team/People/Jane Doe.md"), "more", None))
        .unwrap();
    let left = format!("Team/People/.nova-gone-1.{}.tmp", bed.mark());
    outside(&bed, &left, "---\ntype: con");
    bed.restart();
    drop(with_roots(&bed, &["Team"]));
    assert!(!folder(&bed, &left).exists());
}

/// Why `Team` is unreachable at a start.
#[derive(Debug, Clone, Copy)]
enum OutOfReach {
    /// Its disk is not mounted, and there is no folder.
    Gone,
    /// Its disk is not mounted, and its empty mount point is there.
    Empty,
    NotListed,
}

impl OutOfReach {
    const EACH: [OutOfReach; 3] = [OutOfReach::Gone, OutOfReach::Empty, OutOfReach::NotListed];

    /// A start without the folder, which returns afterwards.
    fn start(self, bed: &Bed) {
        let (team, away) = (folder(bed, "Team"), folder(bed, "Away"));
        if let OutOfReach::NotListed = self {
            return drop(bed.vault());
        }
        fs::rename(&team, &away).unwrap();
        if let OutOfReach::Empty = self {
            fs::create_dir(&team).unwrap();
        }
        drop(with_roots(bed, &["Team"]));
        fs::remove_dir(&team).ok();
        fs::rename(&away, &team).unwrap();
    }
}

#[test]
fn edit_left_by_a_kill_in_a_listed_folder_waits_for_the_folder() {
    for why in OutOfReach::EACH {
        let bed = bed();
        let jane = path("Team/People/Jane Doe.md");
        let (id, _) =
            change(&with_roots(&bed, &["Team"]), |d| d.set_properties(&jane, &[set("stage", "won")]))
                .unwrap();
        // Displaced at the moment of the kill.
        let left = format!("Team/People/.nova-{id}-0.9.{}.tmp", bed.mark());
        outside(&bed, &left, &format!("{JANE}mine\n"));

        why.start(&bed);
        assert!(folder(&bed, &left).exists(), "{why:?}");
        let vault = with_roots(&bed, &["Team"]);
        let text = vault.read(&jane).unwrap().text;
        assert_eq!(*text, format!("{}mine\n", JANE.replace("lead", "won")), "{why:?}");
        assert!(!folder(&bed, &left).exists(), "{why:?}");
    }
}

#[test]
fn completes_partial_write_in_extra_root_when_it_returns() {
    for why in OutOfReach::EACH {
        let bed = bed();
        let file = folder(&bed, "Team/People/Jane Doe.md");
        fs::hard_link(&file, folder(&bed, "other.md")).unwrap();
        let through =
            || Vault::open(VaultOptions { write_through: true, ..options(&bed, &["Team"]) }).unwrap();
        let (id, _) = change(&through(), |d| {
            d.replace(&path("Team/People/Jane Doe.md"), "Met at the fair.", "Seen at sea, and.", None)
        })
        .unwrap();
        // Killed between the two halves of the write.
        bed.without_log();
        let lines = bed.history().join(format!("{id}.jsonl"));
        let text = fs::read_to_string(&lines).unwrap();
        let begun: Vec<&str> = text.lines().take_while(|line| !line.contains("\"whole\"")).collect();
        assert!(begun.len() < text.lines().count(), "{text}");
        fs::write(&lines, begun.join("\n") + "\n").unwrap();
        let after = fs::read_to_string(&file).unwrap();
        let half = after.find("sea").unwrap();
        let torn = [&after[..half], &JANE[half..]].concat();
        assert!(torn != after && torn != JANE);
        fs::write(&file, torn).unwrap();

        why.start(&bed);
        drop(through());
        assert_eq!(fs::read_to_string(&file).unwrap(), after, "{why:?}");
    }
}

#[test]
fn unreachable_note_does_not_block_the_undo_of_others() {
    let bed = bed();
    let vault = with_roots(&bed, &["Team"]);
    let (home, jane) = (path("Home.md"), path("Team/People/Jane Doe.md"));
    let (id, _) = change(&vault, |d| {
        d.append(&home, "more", None)?;
        d.set_properties(&jane, &[set("stage", "won")])
    })
    .unwrap();
    fs::rename(folder(&bed, "Team"), folder(&bed, "Away")).unwrap();

    let undo = || vault.history().undo(&id, Scope::All, &Author::new("user")).unwrap();
    let outcome = undo();
    assert_eq!(outcome.undone, [home]);
    assert_eq!(bed.text("Home.md"), "See [[Jane Doe]].\n");
    let [unreadable] = &outcome.unreadable[..] else { panic!("{outcome:?}") };
    assert_eq!(unreadable.path, jane);
    assert!(unreadable.reason.contains("links to is gone"), "{unreadable:?}");
    assert_eq!(outcome.conflicts, []);

    fs::rename(folder(&bed, "Away"), folder(&bed, "Team")).unwrap();
    assert_eq!(undo().undone, std::slice::from_ref(&jane));
    assert_eq!(*vault.read(&jane).unwrap().text, *JANE);
}

/// Applies a plan in a set whose displaced files are checked only by the test.
fn displaced_by(
    vault: &Vault,
    plan: impl FnOnce(&mut Draft) -> Result<(), VaultError>,
) -> Vec<crate::writing::write::Displaced> {
    let mut draft = vault.draft();
    plan(&mut draft).unwrap();
    let set =
        crate::writing::write::SetJournal::new("late".to_owned(), ChangeSetKind::Turn, "a turn".to_owned());
    let (applied, displaced) = Arc::new(set).apply(vault.core(), &draft.plan(), &model("call_1"));
    applied.unwrap();
    displaced
}

fn last_look(
    vault: &Vault,
    displaced: Vec<crate::writing::write::Displaced>,
) -> Vec<crate::writing::write::Displaced> {
    displaced.into_iter().flat_map(|one| one.last_check(vault.core())).collect()
}

fn copies(folder: &Path) -> Vec<String> {
    copies_below(folder).iter().map(|file| fs::read_to_string(file).unwrap()).collect()
}

#[test]
fn late_edit_is_not_merged_through_a_link_that_leads_elsewhere() {
    let bed = bed();
    let vault = with_roots(&bed, &["Team", "Next year"]);
    let mut editor =
        fs::OpenOptions::new().append(true).open(folder(&bed, "Team/People/Jane Doe.md")).unwrap();
    let jane = path("Team/People/Jane Doe.md");
    let displaced = displaced_by(&vault, |d| d.set_properties(&jane, &[set("stage", "won")]));
    let won = JANE.replace("lead", "won");
    outside(&bed, "Next year/People/Jane Doe.md", &won);
    let link = bed.root().join("Team");
    fs::remove_file(&link).unwrap();
    symlink(folder(&bed, "Next year"), link).unwrap();
    editor.write_all(b"- late\n").unwrap();

    last_look(&vault, displaced);
    assert_eq!(copies(&folder(&bed, "Team/People")), [format!("{JANE}- late\n")]);
    for team in ["Team", "Next year"] {
        let there = fs::read_to_string(folder(&bed, team).join("People/Jane Doe.md")).unwrap();
        assert_eq!(there, won, "{team}");
    }
}

#[test]
fn keeps_late_edit_of_a_note_copied_to_another_disks_trash() {
    let Some((bed, disk)) = on_two_disks() else { return };
    bed.put(".obsidian/app.json", r#"{"trashOption":"local"}"#);
    let team = disk.path().canonicalize().unwrap();
    let vault = Vault::open(VaultOptions { roots: vec![team.clone()], ..bed.options() }).unwrap();
    let mut editor = fs::OpenOptions::new().append(true).open(team.join("a.md")).unwrap();
    let displaced = displaced_by(&vault, |d| d.delete(&path("Team/a.md")));
    let displaced = last_look(&vault, displaced);
    assert_eq!(bed.text(".trash/a.md"), JANE);
    assert_eq!(files_below(&team), Vec::<PathBuf>::new());
    editor.write_all(b"- late\n").unwrap();
    last_look(&vault, displaced);
    assert_eq!(fs::read_to_string(team.join("a.md")).unwrap(), format!("{JANE}- late\n"));
}
