//! Nothing outside the vault is read or written, even if folders are swapped for links.

use std::fs;
use std::os::unix::fs::symlink;
use std::sync::{Arc, Mutex};

use super::*;
use crate::step::Step;

/// A bed with a folder outside of the vault that contains a secret.
fn bed_with_secret(notes: &[(&str, &str)]) -> (Bed, PathBuf) {
    let bed = Bed::new(notes);
    let outside = bed.dir.path().canonicalize().unwrap().join("outside");
    fs::create_dir(&outside).unwrap();
    fs::write(outside.join("secret.md"), "secret\n").unwrap();
    (bed, outside)
}

#[test]
fn links_are_not_read_written_or_listed() {
    let (bed, outside) = bed_with_secret(&[("real.md", "real\n"), ("folder/in.md", "in\n")]);
    symlink(outside.join("secret.md"), bed.root().join("out.md")).unwrap();
    symlink(&outside, bed.root().join("out")).unwrap();
    symlink(bed.root().join("real.md"), bed.root().join("inside.md")).unwrap();
    symlink(bed.root().join("folder"), bed.root().join("again")).unwrap();
    fs::create_dir(bed.root().join("folder/beside")).unwrap();
    symlink("beside", bed.root().join("folder/deep")).unwrap();
    let vault = bed.vault();

    for linked in ["out.md", "out/secret.md", "inside.md", "again/in.md"] {
        let linked = path(linked);
        for error in [
            vault.read(&linked).unwrap_err(),
            change(&vault, |d| d.append(&linked, "more", None)).unwrap_err(),
            change(&vault, |d| d.delete(&linked)).unwrap_err(),
        ] {
            assert!(matches!(error, VaultError::Symlink { .. }), "{linked}: {error}");
        }
    }
    for new in ["out/new.md", "again/new.md", "folder/deep/new.md"] {
        let error = change(&vault, |d| d.create(&path(new), "new\n".to_owned())).unwrap_err();
        assert_eq!(error.code().as_str(), "io", "{new}: {error}");
    }

    let notes: Vec<_> = vault.notes().unwrap().iter().map(|n| n.path.clone()).collect();
    assert_eq!(notes, [path("folder/in.md"), path("real.md")]);
    let problems: Vec<_> = vault.problems().unwrap().into_iter().map(|p| p.path).collect();
    assert_eq!(problems, ["again", "folder/deep", "inside.md", "out", "out.md"]);
    assert_eq!(files_below(&outside).len(), 1);
    assert_eq!(fs::read_to_string(outside.join("secret.md")).unwrap(), "secret\n");
}

#[test]
fn folder_swapped_for_a_link_during_a_write_is_not_followed() {
    for swap_at in [Step::ReadCurrent, Step::CreateTemp, Step::Recheck, Step::Exchange, Step::HashDisplaced] {
        let (bed, outside) = bed_with_secret(&[("folder/secret.md", "mine\n")]);
        let root = bed.root();
        let target = outside.clone();
        let vault = bed.hooked(move |step, _| {
            if step == swap_at && !root.join("moved").exists() {
                fs::rename(root.join("folder"), root.join("moved")).unwrap();
                symlink(&target, root.join("folder")).unwrap();
            }
            Ok(())
        });

        let result = change(&vault, |d| d.replace(&path("folder/secret.md"), "mine", "changed", None));

        assert_eq!(fs::read_to_string(outside.join("secret.md")).unwrap(), "secret\n", "{swap_at:?}");
        let moved = bed.text("moved/secret.md");
        let expected = if result.is_ok() { "changed\n" } else { "mine\n" };
        assert_eq!(moved, expected, "{swap_at:?}");
        drop(vault);
        assert_eq!(files_below(&outside).len(), 1, "{swap_at:?}");
    }
}

#[test]
fn note_swapped_for_a_link_during_a_write_is_not_followed() {
    for swap_at in [Step::ReadCurrent, Step::CreateTemp, Step::Recheck, Step::Exchange] {
        let (bed, outside) = bed_with_secret(&[("a.md", "mine\n")]);
        let note = bed.root().join("a.md");
        let target = outside.join("secret.md");
        let vault = bed.hooked(move |step, _| {
            if step == swap_at && !note.is_symlink() {
                fs::remove_file(&note).unwrap();
                symlink(&target, &note).unwrap();
            }
            Ok(())
        });

        let result = change(&vault, |d| d.replace(&path("a.md"), "mine", "changed", None));

        assert!(result.is_err(), "{swap_at:?}");
        assert_eq!(fs::read_to_string(outside.join("secret.md")).unwrap(), "secret\n", "{swap_at:?}");
        assert!(bed.root().join("a.md").is_symlink(), "{swap_at:?}");
        drop(vault);
        assert_eq!(bed.leftovers(), Vec::<String>::new(), "{swap_at:?}");
    }
}

#[test]
fn only_notes_and_bases_outside_dot_folders_are_written() {
    let bed = Bed::new(&[(".obsidian/app.json", "{}"), ("Readme.txt", "text\n")]);
    let vault = bed.vault();
    for (name, code) in [
        (".obsidian/app.json", "path_refused"),
        (".obsidian/plugins/evil.md", "path_refused"),
        ("CRM/.hidden/a.md", "path_refused"),
        (".a.md", "path_refused"),
        ("script.sh", "path_refused"),
        ("Readme.txt", "path_refused"),
    ] {
        let error = vault.draft().create(&path(name), "x".to_owned()).unwrap_err();
        assert_eq!(error.code().as_str(), code, "{name}");
        let error = vault.draft().replace(&path(name), "text", "x", None).unwrap_err();
        assert_eq!(error.code().as_str(), code, "{name}");
    }
    assert!(matches!(vault.read(&path(".obsidian/app.json")), Err(VaultError::Hidden { .. })));
    assert!(vault.draft().free_path(".obsidian", "a").is_err());
    change(&vault, |d| d.create(&path("CRM/People.base"), "views: []\n".to_owned())).unwrap();
    assert_eq!(bed.text("CRM/People.base"), "views: []\n");
    assert_eq!(bed.text(".obsidian/app.json"), "{}");
}

#[test]
fn pipe_with_a_notes_name_does_not_block() {
    let bed = Bed::new(&[("a.md", "text\n")]);
    rustix::fs::mknodat(
        rustix::fs::CWD,
        bed.root().join("pipe.md"),
        rustix::fs::FileType::Fifo,
        rustix::fs::Mode::from_raw_mode(0o600),
        0,
    )
    .unwrap();
    let vault = bed.vault();
    assert!(matches!(vault.read(&path("pipe.md")), Err(VaultError::NotANote { .. })));
    assert_eq!(vault.notes().unwrap().len(), 1);
    assert_eq!(vault.problems().unwrap()[0].path, "pipe.md");
}

#[test]
fn unusable_vault_folder_is_refused_with_the_reason() {
    let bed = Bed::new(&[]);
    let base = bed.dir.path().canonicalize().unwrap();
    fs::write(base.join("file"), "").unwrap();
    fs::create_dir_all(base.join("home/config")).unwrap();
    symlink(base.join("home"), base.join("link")).unwrap();
    let check = |root: &str, forbidden: &str, history: &str, reason: &str| {
        let mut options = bed.options();
        options.root = base.join(root);
        options.forbidden = vec![base.join(forbidden)];
        options.history = base.join(history);
        let error = Vault::open(options).unwrap_err();
        assert!(matches!(&error, VaultError::Unusable { .. }), "{error}");
        assert!(error.to_string().contains(reason), "{error}");
        assert!(!error.hint().is_empty());
    };
    check("nowhere", "config", "data/history", "does not exist");
    check("file", "config", "data/history", "not a folder");
    check("home", "home/config", "data/history", "Nova keeps its own files");
    check("home/config", "home/config", "data/history", "Nova keeps its own files");
    // By a link, and a folder that does not exist yet.
    check("link", "home/config", "data/history", "Nova keeps its own files");
    check("home", "config", "home/data/history", "Nova keeps its own files");

    let mut options = bed.options();
    options.root = base.join("link");
    assert_eq!(Vault::open(options).unwrap().root(), base.join("home"));
}

#[test]
fn unknown_file_system_is_classified_by_the_first_write() {
    let bed = Bed::new(&[("a.md", "a\n")]);
    let vault = bed.vault();
    vault.core().disk.be_unusual();
    let touched = || fs::metadata(bed.root()).unwrap().modified().unwrap();
    let before = touched();
    let status = vault.status().unwrap();
    assert_eq!((status.atomic_exchange, touched()), (None, before));
    assert!(status.atomic_exchange_reason.unwrap().contains("not known before"));

    change(&vault, |d| d.append(&path("a.md"), "more", None)).unwrap();
    let status = vault.status().unwrap();
    assert_eq!((status.atomic_exchange, status.atomic_exchange_reason), (Some(true), None));
}

/// Each operation runs while the folder is swapped for a link; with the expected notes in the moved folder.
#[test]
fn folder_swapped_for_a_link_during_any_operation_is_not_followed() {
    type Plan = fn(&mut Draft) -> Result<(), VaultError>;
    let plans: [(&str, Plan); 4] = [
        ("create", |d| d.create(&path("folder/new.md"), "new\n".to_owned())),
        ("delete", |d| d.delete(&path("folder/secret.md"))),
        ("move in", |d| d.rename(&path("a.md"), &path("folder/in.md"))),
        ("move out", |d| d.rename(&path("folder/secret.md"), &path("out.md"))),
    ];
    let moments = [
        Step::ReadCurrent,
        Step::Journal,
        Step::CreateTemp,
        Step::Recheck,
        Step::Exchange,
        Step::Unname,
        Step::HashDisplaced,
        Step::SyncFolder,
        Step::LastLook,
    ];
    for ((name, plan), system) in plans.into_iter().flat_map(|plan| System::EACH.map(|system| (plan, system)))
    {
        for swap_at in moments {
            let (bed, outside) = bed_with_secret(&[("folder/secret.md", "mine\n"), ("a.md", "a\n")]);
            let root = bed.root();
            let target = outside.clone();
            let vault = system.under(bed.hooked(move |step, _| {
                if step == swap_at && !root.join("moved").exists() {
                    fs::rename(root.join("folder"), root.join("moved")).unwrap();
                    symlink(&target, root.join("folder")).unwrap();
                }
                Ok(())
            }));

            let result = change(&vault, plan);
            drop(vault);
            drop(bed.vault());

            let at = format!("{name} {system:?} {swap_at:?}: {result:?}");
            assert_eq!(fs::read_to_string(outside.join("secret.md")).unwrap(), "secret\n", "{at}");
            assert_eq!(files_below(&outside).len(), 1, "{at}");
            // The vault has lost nothing: each note is at its old or new path.
            let texts: Vec<_> = files_below(&bed.root())
                .into_iter()
                .filter(|file| file.extension().is_some_and(|extension| extension == "md"))
                .filter(|file| !file.starts_with(bed.root().join(".trash")))
                .map(|file| fs::read_to_string(file).unwrap())
                .collect();
            let count = |text: &str| texts.iter().filter(|there| *there == text).count();
            assert_eq!(count("a\n"), 1, "{at}");
            assert_eq!(count("mine\n"), usize::from(name != "delete" || result.is_err()), "{at}");
            assert_eq!(count("new\n"), usize::from(name == "create" && result.is_ok()), "{at}");
        }
    }
}

#[test]
fn opening_and_reading_change_nothing() {
    let bed = Bed::new(&[("a.md", JANE), ("sub/b.md", "b\n"), (".obsidian/app.json", "{}")]);
    let stamps = |bed: &Bed| -> Vec<_> {
        let mut all = files_below(&bed.root());
        all.extend([bed.root(), bed.root().join("sub")]);
        all.sort();
        all.into_iter()
            .map(|file| {
                let metadata = fs::metadata(&file).unwrap();
                (file, metadata.modified().unwrap(), metadata.len())
            })
            .collect()
    };
    let before = stamps(&bed);
    let touched = Arc::new(Mutex::new(Vec::new()));
    let steps = Arc::clone(&touched);
    let vault = bed.hooked(move |step, _| {
        steps.lock().unwrap().push(step);
        Ok(())
    });
    vault.notes().unwrap();
    vault.problems().unwrap();
    let status = vault.status().unwrap();
    vault.find("jane").unwrap();
    vault.history().list().unwrap();
    drop(vault);

    assert_eq!(stamps(&bed), before);
    assert_eq!(*touched.lock().unwrap(), []);
    assert!(!bed.history().exists());
    assert_eq!((status.notes, status.folders, status.problems), (2, 1, 0));
    assert_eq!(status.records.get("contact"), Some(&1));
    assert_eq!(status.name, "vault");
}
