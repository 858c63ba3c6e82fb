//! Notes that are symbolic links, with `write_through`: such a link is the note in the vault it leads to.
//! Other links, and links without the setting, are covered by `confinement`.

use std::fs;
use std::os::unix::fs::symlink;

use super::*;
use crate::{Privacy, Scope, Search, SearchMode};

fn through(bed: &Bed) -> Vault {
    let mut options = bed.options();
    options.write_through = true;
    Vault::open(options).unwrap()
}

/// A bed with `CRM/Jane.md` and a link with this name and target.
fn linked(link: &str, target: &str) -> Bed {
    let bed = Bed::new(&[("CRM/Jane.md", JANE), ("Deep/er/x.md", "x\n")]);
    let target = target.replace("ROOT", bed.root().to_str().unwrap());
    symlink(target, bed.root().join(link)).unwrap();
    bed
}

#[test]
fn link_is_read_and_written_as_its_target() {
    for (link, target) in [
        ("me.md", "CRM/Jane.md"),
        ("me.md", "./CRM/./Jane.md"),
        ("CRM/me.md", "Jane.md"),
        ("Deep/er/me.md", "../../CRM/Jane.md"),
        ("Deep/er/me.md", "ROOT/CRM/Jane.md"),
    ] {
        let bed = linked(link, target);
        let vault = through(&bed);
        let note = vault.read(&path(link)).unwrap();
        assert_eq!((note.path, &*note.text), (path("CRM/Jane.md"), JANE), "{target}");

        let (id, applied) = change(&vault, |d| {
            d.append(&path(link), "by the link", None)?;
            d.set_properties(&path("CRM/Jane.md"), &[set("stage", "won")])
        })
        .unwrap();
        let after = format!("{}by the link\n", JANE.replace("lead", "won"));
        assert_eq!(bed.text("CRM/Jane.md"), after, "{target}");
        assert!(bed.root().join(link).is_symlink(), "{target}");
        let changed: Vec<_> = applied.changes.iter().map(|change| change.path.as_str()).collect();
        assert_eq!(changed, ["CRM/Jane.md"], "one note under two names");

        vault.history().undo(&id, Scope::All, &Author::new("user")).unwrap();
        assert_eq!(bed.text("CRM/Jane.md"), JANE, "{target}");
        drop(vault);
        assert_eq!(bed.leftovers(), Vec::<String>::new());
    }
}

#[test]
fn chained_links_are_followed_but_cycles_are_not() {
    let bed = linked("one.md", "two.md");
    symlink("CRM/Jane.md", bed.root().join("two.md")).unwrap();
    symlink("round.md", bed.root().join("about.md")).unwrap();
    symlink("about.md", bed.root().join("round.md")).unwrap();
    let vault = through(&bed);
    assert_eq!(vault.read(&path("one.md")).unwrap().path, path("CRM/Jane.md"));
    assert!(matches!(vault.read(&path("about.md")), Err(VaultError::Symlink { .. })));
}

#[test]
fn links_out_of_the_vault_are_refused() {
    for target in [
        "../outside/secret.md",
        "ROOT/../outside/secret.md",
        "ROOT/CRM/../../outside/secret.md",
        "CRM/../Deep/er/x.md",
        "CRM/door/secret.md",
        "CRM/door/../Jane.md",
        ".obsidian/plugins.md",
        ".obsidian/app.json",
        "CRM",
        "Readme.txt",
        "/etc/passwd",
    ] {
        let bed = linked("me.md", target);
        let outside = bed.dir.path().join("outside");
        fs::create_dir(&outside).unwrap();
        fs::write(outside.join("secret.md"), "secret\n").unwrap();
        symlink(&outside, bed.root().join("CRM/door")).unwrap();
        for hidden in [".obsidian/plugins.md", ".obsidian/app.json", "Readme.txt"] {
            bed.put(hidden, "{}");
        }
        let vault = through(&bed);
        for error in [
            vault.read(&path("me.md")).unwrap_err(),
            change(&vault, |d| d.append(&path("me.md"), "more", None)).unwrap_err(),
        ] {
            assert!(matches!(error, VaultError::Symlink { .. }), "{target}: {error}");
            assert!(error.hint().contains("\"write_through\": true"), "{error}");
        }
        assert_eq!(fs::read_to_string(outside.join("secret.md")).unwrap(), "secret\n", "{target}");
        assert_eq!(files_below(&outside).len(), 1, "{target}");
    }
}

#[test]
fn only_unfollowed_links_are_problems() {
    let bed = linked("me.md", "CRM/Jane.md");
    symlink("nothing.md", bed.root().join("dead.md")).unwrap();
    symlink("CRM", bed.root().join("People")).unwrap();
    let everything = Search { query: "Jane".to_owned(), mode: SearchMode::Text, limit: 100 };
    let listed = |vault: &Vault| -> Vec<String> {
        let problems = vault.problems().unwrap();
        assert_eq!(vault.status().unwrap().problems, problems.len());
        let unsearched = vault.seen_by_owner().search(&everything).unwrap().skipped;
        let paths = |problems: Vec<crate::Problem>| problems.into_iter().map(|problem| problem.path);
        assert!(paths(unsearched).eq(paths(problems.clone())));
        paths(problems).collect()
    };
    assert_eq!(listed(&through(&bed)), ["People", "dead.md"]);
    assert_eq!(listed(&bed.vault()), ["People", "dead.md", "me.md"]);
    // The target is deleted.
    let vault = through(&bed);
    assert_eq!(listed(&vault), ["People", "dead.md"]);
    fs::remove_file(bed.root().join("CRM/Jane.md")).unwrap();
    assert_eq!(listed(&vault), ["People", "dead.md", "me.md"]);
}

#[test]
fn link_itself_is_neither_moved_nor_deleted() {
    let bed = linked("me.md", "CRM/Jane.md");
    let vault = through(&bed);
    for error in [
        change(&vault, |d| d.delete(&path("me.md"))).unwrap_err(),
        change(&vault, |d| d.rename(&path("me.md"), &path("you.md"))).unwrap_err(),
    ] {
        assert!(matches!(error, VaultError::Symlink { .. }), "{error}");
    }
    assert_eq!((bed.text("CRM/Jane.md").as_str(), bed.root().join("me.md").is_symlink()), (JANE, true));
}

#[test]
fn link_does_not_reveal_a_private_note() {
    let bed = linked("me.md", "CRM/Jane.md");
    let remote = Privacy { remote: true, private: vec!["CRM".to_owned()] };
    let view = through(&bed).seen_by(Arc::new(remote));
    assert!(matches!(view.read(&path("me.md")), Err(VaultError::Private { .. })));
    assert!(matches!(view.draft().read(&path("me.md")), Err(VaultError::Private { .. })));
}
