//! Extra roots: folders outside of the vault that the user listed and linked at its top. All other links
//! are covered by `confinement`.

mod away;

use std::fs;
use std::os::unix::fs::{MetadataExt, symlink};
use std::path::Path;

use super::*;
use crate::step::Step;
use crate::{By, Condition, Query, Scope, Search, SearchMode, Trash, VaultChange, VaultChangeKind};

/// A vault with one note, a folder `Team` next to it, and a link of that name.
fn bed() -> Bed {
    let bed = Bed::new(&[("Home.md", "See [[Jane Doe]].\n")]);
    outside(&bed, "Team/People/Jane Doe.md", JANE);
    symlink(folder(&bed, "Team"), bed.root().join("Team")).unwrap();
    bed
}

/// A folder next to the vault.
fn folder(bed: &Bed, name: &str) -> PathBuf {
    bed.dir.path().canonicalize().unwrap().join(name)
}

/// Writes a file next to the vault.
fn outside(bed: &Bed, file: &str, text: &str) {
    let file = folder(bed, file);
    fs::create_dir_all(file.parent().unwrap()).unwrap();
    fs::write(file, text).unwrap();
}

/// The vault with these extra roots, given by their names next to it.
fn with_roots(bed: &Bed, roots: &[&str]) -> Vault {
    Vault::open(options(bed, roots)).unwrap()
}

fn options(bed: &Bed, roots: &[&str]) -> VaultOptions {
    VaultOptions { roots: roots.iter().map(|name| folder(bed, name)).collect(), ..bed.options() }
}

fn notes(vault: &Vault) -> Vec<String> {
    vault.notes().unwrap().iter().map(|note| note.path.as_str().to_owned()).collect()
}

/// The paths and messages of all problems.
fn problems(vault: &Vault) -> Vec<(String, String)> {
    let problems = vault.problems().unwrap();
    assert!(problems.iter().all(|problem| !problem.remedy.is_empty()));
    let unsearched = Search { query: "Jane".to_owned(), mode: SearchMode::Text, limit: 100 };
    assert_eq!(vault.seen_by_owner().search(&unsearched).unwrap().skipped, problems);
    problems.into_iter().map(|problem| (problem.path, problem.problem)).collect()
}

#[test]
fn notes_of_a_listed_folder_are_notes_of_the_vault() {
    let bed = bed();
    let vault = with_roots(&bed, &["Team"]);
    let jane = path("Team/People/Jane Doe.md");
    // The first query reads everything, the next one compares.
    let view = vault.seen_by_owner();
    let search = Search { query: "stage: lead".to_owned(), mode: SearchMode::Text, limit: 10 };
    for _ in 0..2 {
        let hits = view.search(&search).unwrap().hits;
        assert_eq!(hits.iter().map(|hit| &hit.path).collect::<Vec<_>>(), [&jane]);
        assert_eq!(notes(&vault), ["Home.md", "Team/People/Jane Doe.md"]);
    }
    assert_eq!(problems(&vault), []);
    assert_eq!(&*vault.read(&jane).unwrap().text, JANE);
    assert_eq!(vault.records(&["contact"]).unwrap()[0].path, jane);
    let query = Query::default();
    assert_eq!(view.query(&query).unwrap().total, 2);
    assert_eq!(view.links(&path("Home.md")).unwrap().out[0].path, jane);
    assert_eq!(view.links(&jane).unwrap().back[0].path, path("Home.md"));

    // One edited outside, and another one created.
    outside(&bed, "Team/People/Jane Doe.md", &JANE.replace("lead", "won"));
    outside(&bed, "Team/New/er.md", "new\n");
    assert_eq!(view.search(&search).unwrap().hits.len(), 0);
    assert_eq!(notes(&vault), ["Home.md", "Team/New/er.md", "Team/People/Jane Doe.md"]);
}

#[test]
fn notes_of_a_listed_folder_are_changed_moved_deleted_and_restored() {
    for system in System::EACH {
        let bed = bed();
        let vault = system.under(with_roots(&bed, &["Team"]));
        let team = folder(&bed, "Team");
        let jane = path("Team/People/Jane Doe.md");
        let text = |file: &str| fs::read_to_string(team.join(file)).unwrap();
        let undo = |vault: &Vault, id: &str| {
            vault.history().undo(id, Scope::All, &Author::new("user")).unwrap();
        };

        let (id, _) = change(&vault, |d| d.set_properties(&jane, &[set("stage", "won")])).unwrap();
        assert_eq!(text("People/Jane Doe.md"), JANE.replace("lead", "won"));
        undo(&vault, &id);
        assert_eq!(text("People/Jane Doe.md"), JANE);

        let (id, _) =
            change(&vault, |d| d.create(&path("Team/Deals/2026/Acme.md"), "Acme\n".to_owned())).unwrap();
        assert_eq!(text("Deals/2026/Acme.md"), "Acme\n");
        undo(&vault, &id);
        assert!(!team.join("Deals/2026/Acme.md").exists());

        // Out of the listed folder and into it, along with the link to it.
        let moved = path("People/Jane Roe.md");
        let (id, _) = change(&vault, |d| d.move_note(&jane, &moved).map(drop)).unwrap();
        assert_eq!(
            (bed.text("People/Jane Roe.md").as_str(), bed.text("Home.md")),
            (JANE, "See [[Jane Roe]].\n".to_owned())
        );
        assert!(!team.join("People/Jane Doe.md").exists());
        undo(&vault, &id);
        assert_eq!(
            (text("People/Jane Doe.md").as_str(), bed.text("Home.md")),
            (JANE, "See [[Jane Doe]].\n".to_owned())
        );

        let (id, _) = change(&vault, |d| d.delete(&jane)).unwrap();
        assert!(!team.join("People/Jane Doe.md").exists());
        undo(&vault, &id);
        assert_eq!(text("People/Jane Doe.md"), JANE, "{system:?}");
        drop(vault);
        assert!(bed.root().join("Team").is_symlink());
        assert!(!team.join("Deals").exists(), "undo removes created folders");
        assert_eq!(bed.leftovers(), Vec::<String>::new());
        assert_eq!(files_below(&team), [team.join("People/Jane Doe.md")], "{system:?}");
    }
}

#[test]
fn concurrent_edit_in_a_listed_folder_is_merged() {
    let bed = bed();
    let jane = folder(&bed, "Team/People/Jane Doe.md");
    let hook = move |step, _: &str| {
        if step == Step::Exchange && !fs::read_to_string(&jane).unwrap().contains("fair\nmore") {
            fs::write(&jane, JANE.replace("fair", "fair\nmore")).unwrap();
        }
        Ok(())
    };
    let vault = Vault::open_with(options(&bed, &["Team"]), crate::step::Steps::hooked(hook)).unwrap();
    let (_, applied) =
        change(&vault, |d| d.set_properties(&path("Team/People/Jane Doe.md"), &[set("stage", "won")]))
            .unwrap();
    let after = JANE.replace("fair", "fair\nmore").replace("lead", "won");
    assert_eq!(fs::read_to_string(folder(&bed, "Team/People/Jane Doe.md")).unwrap(), after);
    assert_eq!(applied.merged[0].0, path("Team/People/Jane Doe.md"));
}

#[test]
fn only_listed_folders_are_entered_and_only_from_the_top() {
    let bed = bed();
    for other in ["Secret", "data", "config", "program/bin"] {
        outside(&bed, &format!("{other}/secret.md"), "secret\n");
    }
    bed.put("Deep/in.md", "in\n");
    let link = |target: PathBuf, link: &str| symlink(target, bed.root().join(link)).unwrap();
    link(folder(&bed, "Secret"), "Secret");
    link(folder(&bed, "Team/People"), "Part");
    link(folder(&bed, "Team"), "Deep/Team");
    link(folder(&bed, "data"), "Data");
    link(folder(&bed, "config"), "Config");
    link(folder(&bed, "program"), "Program");
    link(folder(&bed, "program/bin"), "Bin");
    link(folder(&bed, ""), "Above");
    link(bed.root().join("Deep"), "Again");
    link(bed.root(), "Round");
    link(folder(&bed, "nowhere"), "Gone");
    // Links inside the listed folder.
    symlink(folder(&bed, "Secret"), folder(&bed, "Team/Secret")).unwrap();
    symlink(bed.root(), folder(&bed, "Team/Back")).unwrap();
    symlink(folder(&bed, "Secret/secret.md"), folder(&bed, "Team/out.md")).unwrap();

    let mut options = options(
        &bed,
        &["Team", "data", "config", "program", "program/bin", "", "vault", "vault/Deep", "nowhere"],
    );
    options.program = Some(folder(&bed, "program/bin"));
    let vault = Vault::open(options).unwrap();
    for _ in 0..2 {
        assert_eq!(notes(&vault), ["Deep/in.md", "Home.md", "Team/People/Jane Doe.md"]);
    }
    let found = problems(&vault);
    let check = |path: &str, problem: &str| {
        let [(_, found)] = &found.iter().filter(|(at, _)| at == path).collect::<Vec<_>>()[..] else {
            panic!("{path}: {found:?}")
        };
        assert!(found.contains(problem), "{path}: {found}");
    };
    for not_listed in ["Secret", "Part", "Deep/Team", "Team/Secret", "Team/Back", "Team/out.md"] {
        check(not_listed, "which Nova does not follow");
    }
    for own in ["Data", "Config", "Program", "Bin", "Above", "Again", "Round"] {
        check(own, "Nova's own files");
    }
    check("Gone", "The folder that \"Gone\" links to is gone");
    assert_eq!(found.len(), 14);

    for refused in [
        "Secret/secret.md",
        "Part/Jane Doe.md",
        "Deep/Team/People/Jane Doe.md",
        "Data/secret.md",
        "Config/secret.md",
        "Program/bin/secret.md",
        "Bin/secret.md",
        "Above/Secret/secret.md",
        "Again/in.md",
        "Round/Home.md",
        "Gone/new.md",
        "Team/Secret/secret.md",
        "Team/Back/Home.md",
        "Team/out.md",
    ] {
        for error in [
            vault.read(&path(refused)).unwrap_err(),
            change(&vault, |d| d.append(&path(refused), "more", None)).unwrap_err(),
            change(&vault, |d| d.delete(&path(refused))).unwrap_err(),
        ] {
            let is_gone = matches!(error, VaultError::RootGone { .. });
            assert_eq!(is_gone, refused.starts_with("Gone/"), "{refused}: {error}");
            assert!(is_gone || matches!(error, VaultError::Symlink { .. }), "{refused}: {error}");
        }
        let new = refused.rsplit_once('/').unwrap().0.to_owned() + "/planted.md";
        if new != "Team/planted.md" {
            change(&vault, |d| d.create(&path(&new), "new\n".to_owned())).unwrap_err();
        }
    }
    drop(vault);
    let all = files_below(&folder(&bed, ""));
    assert!(!all.iter().any(|file| file.ends_with("planted.md")), "{all:?}");
    assert_eq!(fs::read_to_string(folder(&bed, "Secret/secret.md")).unwrap(), "secret\n");
}

/// With links to notes being followed, too.
#[test]
fn link_in_extra_root_resolves_beside_the_folder_not_its_link() {
    let bed = bed();
    outside(&bed, "Home.md", "another home\n");
    let team = folder(&bed, "Team");
    symlink("../../Home.md", team.join("People/Home.md")).unwrap();
    symlink("../People/Jane Doe.md", team.join("People/Boss.md")).unwrap();
    let options = VaultOptions { write_through: true, ..options(&bed, &["Team"]) };
    let vault = Vault::open(options).unwrap();
    let home = path("Team/People/Home.md");
    for error in
        [vault.read(&home).unwrap_err(), change(&vault, |d| d.append(&home, "more", None)).unwrap_err()]
    {
        assert!(matches!(error, VaultError::Symlink { .. }), "{error}");
    }
    assert_eq!(bed.text("Home.md"), "See [[Jane Doe]].\n");
    assert_eq!(vault.read(&path("Team/People/Boss.md")).unwrap().path, path("Team/People/Jane Doe.md"));
}

#[test]
fn no_note_occurs_twice() {
    let bed = bed();
    symlink("../Team", bed.root().join("Crew")).unwrap();
    let vault = with_roots(&bed, &["Team", "Team/People"]);
    let twice = |path: &str, other: &str| {
        (path.to_owned(), format!("it is a symbolic link to the same notes as \"{other}\"; it is not read"))
    };
    assert_eq!(problems(&vault), [twice("Crew", "Team"), twice("Team", "Crew")]);
    assert_eq!(notes(&vault), ["Home.md"]);
    fs::remove_file(bed.root().join("Team")).unwrap();
    assert_eq!(notes(&vault), ["Crew/People/Jane Doe.md", "Home.md"]);
    // A subfolder of it would duplicate notes as well.
    symlink(folder(&bed, "Team/People"), bed.root().join("People")).unwrap();
    assert_eq!(problems(&vault), [twice("Crew", "People"), twice("People", "Crew")]);
    assert_eq!(notes(&vault), ["Home.md"]);
    fs::remove_file(bed.root().join("Crew")).unwrap();
    assert_eq!(notes(&vault), ["Home.md", "People/Jane Doe.md"]);
    assert_eq!(problems(&vault), []);
}

#[test]
fn top_of_the_vault_is_not_scanned_per_note() {
    let bed = bed();
    (0..50).for_each(|number| outside(&bed, &format!("Team/{number}.md"), "note\n"));
    let vault = with_roots(&bed, &["Team"]);
    let sizes = Query { conditions: vec![Condition::parse("file.size > 0").unwrap()], ..Query::default() };
    let total = || vault.seen_by_owner().query(&sizes).unwrap().total;
    std::thread::sleep(std::time::Duration::from_millis(2100));
    let (answer, looks) = work::of(total);
    assert_eq!(answer, 52);
    assert!(looks < 5, "{looks}");

    // A second link to the same notes is detected nevertheless.
    symlink(folder(&bed, "Team"), bed.root().join("Again")).unwrap();
    assert_eq!(total(), 1);
    fs::remove_file(bed.root().join("Again")).unwrap();
    assert_eq!(total(), 52);
}

#[test]
fn location_on_disk_is_private_under_its_name_in_the_vault() {
    let bed = bed();
    bed.put("Diary/One.md", "one\n");
    symlink(bed.root(), folder(&bed, "Other way")).unwrap();
    let vault = with_roots(&bed, &["Team"]);
    let at = |place: &str| folder(&bed, place).to_str().unwrap().to_owned();
    for (entry, named) in [
        (at("vault/Diary"), "Diary"),
        (at("vault/Diary/One.md"), "Diary/One.md"),
        (at("vault/To come"), "To come"),
        (at("Other way/Diary"), "Diary"),
        (at("Team/People"), "Team/People"),
        (at("Team"), "Team"),
        (at("vault"), "/"),
        ("~/vault/Diary".to_owned(), "Diary"),
        (" ~\\vault\\Diary\\One.md".to_owned(), "Diary/One.md"),
        ("~/Team/People".to_owned(), "Team/People"),
        ("~/vault/".to_owned(), "/"),
        ("~/Elsewhere".to_owned(), "~/Elsewhere"),
        ("~vault/Diary".to_owned(), "~vault/Diary"),
        ("/Diary".to_owned(), "/Diary"),
        ("Diary".to_owned(), "Diary"),
        (at("Elsewhere"), &at("Elsewhere")),
    ] {
        let home = folder(&bed, "");
        assert_eq!(vault.listed_private(std::slice::from_ref(&entry), Some(&home)), [named], "{entry}");
    }
}

#[test]
fn ancestor_of_the_vault_or_a_listed_folder_is_private_as_a_whole() {
    let bed = Bed::new(&[("Home.md", "home\n")]);
    outside(&bed, "Mine/Journal/2026/June.md", "june\n");
    symlink(folder(&bed, "Mine/Journal"), bed.root().join("Days")).unwrap();
    let vault = with_roots(&bed, &["Mine/Journal"]);
    let check = |entry: &str, hidden: &[&str]| {
        let entry = folder(&bed, entry).to_str().unwrap().to_owned();
        let privacy = crate::Privacy {
            remote: true,
            private: vault.listed_private(std::slice::from_ref(&entry), None),
        };
        let names = ["Home.md", "Days/2026/June.md"].into_iter().filter(|name| privacy.lists(&path(name)));
        assert_eq!(names.collect::<Vec<_>>(), hidden, "{entry}");
    };
    let all_days: &[&str] = &["Days/2026/June.md"];
    check("", &["Home.md", "Days/2026/June.md"]);
    check("Mine", all_days);
    check("Mine/Journal/2026", all_days);
    check("Mine/Other", &[]);
    // Also while their disk is not mounted.
    fs::rename(folder(&bed, "Mine"), folder(&bed, "Away")).unwrap();
    check("Mine", all_days);
    check("Mine/Journal/2026", all_days);
}

#[test]
fn link_swapped_during_a_write_leads_nowhere_else() {
    for swap_at in [
        Step::ReadCurrent,
        Step::Journal,
        Step::CreateTemp,
        Step::Recheck,
        Step::Exchange,
        Step::HashDisplaced,
        Step::SyncFolder,
        Step::LastLook,
    ] {
        let bed = bed();
        outside(&bed, "Secret/People/Jane Doe.md", "secret\n");
        let (link, target) = (bed.root().join("Team"), folder(&bed, "Secret"));
        let hook = move |step, _: &str| {
            if step == swap_at && fs::read_link(&link).unwrap() != target {
                fs::remove_file(&link).unwrap();
                symlink(&target, &link).unwrap();
            }
            Ok(())
        };
        let vault = Vault::open_with(options(&bed, &["Team"]), crate::step::Steps::hooked(hook)).unwrap();
        let jane = path("Team/People/Jane Doe.md");
        let result = change(&vault, |d| d.set_properties(&jane, &[set("stage", "won")]));

        let after = if result.is_ok() { JANE.replace("lead", "won") } else { JANE.to_owned() };
        let there = fs::read_to_string(folder(&bed, "Team/People/Jane Doe.md")).unwrap();
        assert_eq!(there, after, "{swap_at:?}");
        drop(vault);
        let secret = folder(&bed, "Secret");
        assert_eq!(files_below(&secret), [secret.join("People/Jane Doe.md")], "{swap_at:?}");
        assert_eq!(fs::read_to_string(&files_below(&secret)[0]).unwrap(), "secret\n", "{swap_at:?}");
    }
}

fn reported(
    vault: &Vault,
    receiver: &mut tokio::sync::broadcast::Receiver<VaultChange>,
) -> Vec<(VaultChangeKind, String, By)> {
    vault.flush_changes();
    let all = std::iter::from_fn(|| receiver.try_recv().ok());
    all.map(|change| (change.kind, change.path.as_str().to_owned(), change.by)).collect()
}

#[test]
fn changes_in_a_listed_folder_are_reported_at_once() {
    let bed = bed();
    let vault = with_roots(&bed, &["Team", "Club"]);
    let mut receiver = vault.changes();
    // Without a flush: reported by a file event.
    outside(&bed, "Team/People/Jane Doe.md", &JANE.replace("lead", "won"));
    let change_told = receiver.blocking_recv().unwrap();
    assert_eq!((change_told.path, change_told.by), (path("Team/People/Jane Doe.md"), By::Outside));
    outside(&bed, "Team/New/er.md", "new\n");
    assert_eq!(receiver.blocking_recv().unwrap().path, path("Team/New/er.md"));
    // A further link to a listed folder, and one to an unlisted folder.
    outside(&bed, "Club/a.md", "a\n");
    outside(&bed, "Secret/b.md", "b\n");
    symlink(folder(&bed, "Secret"), bed.root().join("Secret")).unwrap();
    symlink(folder(&bed, "Club"), bed.root().join("Club")).unwrap();
    assert_eq!(receiver.blocking_recv().unwrap().path, path("Club/a.md"));
    outside(&bed, "Secret/c.md", "c\n");
    outside(&bed, "Club/b.md", "b\n");
    assert_eq!(receiver.blocking_recv().unwrap().path, path("Club/b.md"));

    // By Nova; to the watcher it is another process.
    let other = with_roots(&bed, &["Team", "Club"]);
    let (id, _) = change(&other, |d| d.append(&path("Club/a.md"), "more", None)).unwrap();
    let [(kind, note, By::ChangeSet { change_set, .. })] = &reported(&vault, &mut receiver)[..] else {
        panic!()
    };
    assert_eq!((kind, note.as_str(), change_set), (&VaultChangeKind::Modified, "Club/a.md", &id));

    // Removing the link removes its notes from the vault, but not the folder.
    fs::remove_file(bed.root().join("Club")).unwrap();
    let removed = |note: &str| (VaultChangeKind::Removed, note.to_owned(), By::Outside);
    assert_eq!(reported(&vault, &mut receiver), [removed("Club/a.md"), removed("Club/b.md")]);
    outside(&bed, "Club/c.md", "c\n");
    assert_eq!(reported(&vault, &mut receiver), []);
}
