//! Settings → Vault: recent vaults, private entries, extra roots, and how much history is retained.

use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex};

use async_trait::async_trait;
use nova_app::Desktop;
use nova_protocol::{
    Commands as _, Decision, ErrorCode, KeepHistory, NoteRef, Nothing, OpenVault, PruneChanges, SetPrivate,
    SetRoot, VaultChoice, VaultPage, VaultRef,
};
use nova_testkit::{ScriptedApprover, TempVault, call, text};
use serde_json::json;

use super::nova::{Nova, PEOPLE, turn};

const NOTES: &str = "
//- Diary/May.md
Rain.
//- Diary/June.md
Sun.
//- Salary.md
---
nova: private
---
//- Plan.md
Lisbon.
";

fn open(folder: &Path) -> OpenVault {
    let choice = VaultChoice::Folder { path: folder.display().to_string() };
    OpenVault { choice, model: None, provider: None }
}

fn private(page: &VaultPage) -> Vec<(&str, bool, u32)> {
    page.private.iter().map(|row| (row.entry.as_str(), row.is_note, row.notes)).collect()
}

fn set(entry: &str, private: bool) -> SetPrivate {
    SetPrivate { entry: entry.into(), private }
}

#[tokio::test]
async fn opened_vaults_are_listed_until_forgotten() {
    let nova = Nova::new(PEOPLE, []);
    let other = TempVault::from("//- One.md\nOne.\n//- Two.md\nTwo.\n");
    let app = nova.start().await;
    assert_eq!(app.vault_page(Nothing {}).await.unwrap().recent, []);

    app.open_vault(open(&other.root())).await.unwrap();
    app.open_vault(open(&nova.vault.root())).await.unwrap();

    let recent = app.vault_page(Nothing {}).await.unwrap().recent;
    let [row] = recent.as_slice() else { panic!("{recent:?}") };
    assert_eq!(PathBuf::from(&row.path), other.root());
    assert_eq!((row.notes, row.opened.is_some()), (Some(2), true));
    // Another process reads the same list, and a deleted folder is still listed.
    let path = row.path.clone();
    drop(other);
    let again = nova.start().await.vault_page(Nothing {}).await.unwrap();
    assert_eq!((again.recent.len(), again.recent[0].notes), (1, None));
    assert_eq!(app.forget_vault(VaultRef { path }).await.unwrap().recent, []);
}

#[tokio::test]
async fn missing_vaults_keep_the_day_they_were_missed() {
    let nova = Nova::new(PEOPLE, []);
    let mut settings = nova.read_settings();
    let (long, back, today) = (nova.home().join("Long"), nova.home().join("Back"), nova.home().join("Today"));
    let since = "2026-11-03T10:00:00Z";
    settings["recent_vaults"] = json!([
        { "path": long, "missing_since": since },
        { "path": back, "missing_since": since },
        { "path": today },
    ]);
    nova.settings(&settings);
    std::fs::create_dir(&back).unwrap();
    let app = nova.start().await;
    let missing = || async {
        let recent = app.vault_page(Nothing {}).await.unwrap().recent;
        recent.into_iter().map(|row| row.missing_since).collect::<Vec<_>>()
    };
    // The test's clock shows nine on 21 November.
    let expected = [Some(since.to_owned()), None, Some("2026-11-21T09:00:00Z".to_owned())];
    assert_eq!(missing().await, expected);

    std::fs::create_dir(&long).unwrap();
    std::fs::remove_dir(&back).unwrap();
    let expected = [None, expected[2].clone(), expected[2].clone()];
    assert_eq!(missing().await, expected);
    let kept = nova.read_settings()["recent_vaults"].clone();
    assert_eq!((kept[0].get("missing_since"), &kept[0]["path"]), (None, &json!(long)));
}

#[tokio::test]
async fn private_folder_is_listed_and_removed() {
    let nova = Nova::new(NOTES, []);
    let app = nova.start().await;
    let page = app.vault_page(Nothing {}).await.unwrap();
    assert_eq!((private(&page), page.private_notes), (vec![], 1));
    assert_eq!(page.own_private[0].path, "Salary.md");

    // A folder dialog returns an absolute path.
    let place = nova.vault.root().join("Diary").display().to_string();
    let page = app.set_private(set(&place, true)).await.unwrap();
    assert_eq!((private(&page), page.private_notes), (vec![("Diary", false, 2)], 3));
    let page = app.set_private(set("Plan.md", true)).await.unwrap();
    assert_eq!(private(&page)[1], ("Plan.md", true, 1));
    assert_eq!(nova.read_settings()["private"], json!(["Diary", "Plan.md"]));

    for (name, entry, is_private) in
        [("May", Some("Diary"), true), ("Salary", None, true), ("Plan", Some("Plan.md"), true)]
    {
        let found = app.check_private(NoteRef { path: name.into() }).await.unwrap();
        assert_eq!((found.private, found.entry.as_deref()), (is_private, entry), "{name}");
    }
    let page = app.set_private(set("Plan.md", false)).await.unwrap();
    assert_eq!(private(&page), [("Diary", false, 2)]);
    assert!(!app.check_private(NoteRef { path: "Plan".into() }).await.unwrap().private);
}

#[tokio::test]
async fn private_entry_outside_the_vault_is_refused() {
    let nova = Nova::new(NOTES, []);
    let app = nova.start().await;
    let outside = nova.home().display().to_string();
    for entry in ["Diaries", "", &outside] {
        let error = app.set_private(set(entry, true)).await.unwrap_err();
        assert_eq!(error.code, ErrorCode::NoteNotFound, "{entry:?}");
    }
    assert_eq!(nova.read_settings().get("private"), None);
}

#[cfg(unix)]
#[tokio::test]
async fn notes_of_an_extra_root_are_read_at_once() {
    let nova = Nova::new(NOTES, []);
    let team = tempfile::tempdir().unwrap();
    let team = team.path().canonicalize().unwrap();
    std::fs::write(team.join("Rota.md"), "Monday: Pia.\n").unwrap();
    std::os::unix::fs::symlink(&team, nova.vault.root().join("Team")).unwrap();
    let app = nova.start().await;
    let read = || app.read_note(NoteRef { path: "Team/Rota.md".into() });
    assert!(read().await.is_err());

    let root = |path: &Path, listed| SetRoot { path: path.display().to_string(), listed };
    let page = app.set_root(root(&team, true)).await.unwrap();
    assert_eq!((page.roots[0].links.as_slice(), page.roots[0].found), (&["Team".to_owned()][..], true));
    assert_eq!(read().await.unwrap().name, "Rota");

    // The vault itself cannot be an extra root: nothing is written, and the vault stays open.
    assert!(app.set_root(root(&nova.vault.root(), true)).await.is_err());
    assert_eq!(nova.read_settings()["roots"], json!([team]));
    assert_eq!(app.set_root(root(&team, false)).await.unwrap().roots, []);
    assert!(read().await.is_err());
}

#[tokio::test]
async fn history_in_use_is_counted_and_recent_stays() {
    let change = call("crm__update_contact", json!({"name": "Jane Doe", "stage": "won"}));
    let nova = Nova::new(PEOPLE, [change, text("Done.")]);
    let app = nova.start().await;
    turn(&app, None, "Jane is won", ScriptedApprover::always(Decision::Once)).await;

    let used = app.vault_page(Nothing {}).await.unwrap().open.unwrap().history;
    assert_eq!((used.changes, used.days, used.at_least), (1, 30, 50));
    assert!(used.bytes > 0 && used.oldest.is_some(), "{used:?}");
    assert!(used.older.iter().all(|older| older.changes == 0), "only the last fifty are kept: {used:?}");
    let keep = |days, bytes| app.keep_history(KeepHistory { days, bytes });
    let page = keep(90, 2_000_000_000).await.unwrap();
    let used = page.open.unwrap().history;
    assert_eq!((used.days, used.most_bytes), (90, 2_000_000_000));
    assert_eq!(nova.read_settings()["history"], json!({"days": 90, "bytes": 2_000_000_000_u64}));
    assert!(keep(0, 2_000_000_000).await.is_err() && keep(90, 0).await.is_err());
    let again = nova.start().await.vault_page(Nothing {}).await.unwrap().open.unwrap().history;
    assert_eq!(again.days, 90, "kept across restarts");
    let pruned = app.prune_changes(PruneChanges { days: Some(0) }).await.unwrap();
    assert_eq!(pruned.forgotten, 0);
    nova.model.finish();
}

#[derive(Default)]
struct Shown(Mutex<Vec<PathBuf>>);

#[async_trait]
impl Desktop for Shown {
    async fn pick_folder(&self) -> Option<PathBuf> {
        None
    }

    async fn pick_file(&self, _: &str) -> Option<PathBuf> {
        None
    }

    fn open_url(&self, _: &str) -> Result<(), String> {
        Err("no browser".into())
    }

    fn show_file(&self, path: &Path) -> Result<(), String> {
        self.0.lock().unwrap().push(path.to_owned());
        Ok(())
    }
}

#[tokio::test]
async fn vault_folder_is_shown_in_the_file_manager() {
    let desktop = Arc::new(Shown::default());
    let mut nova = Nova::new(PEOPLE, []);
    nova.desktop = desktop.clone();
    nova.start().await.show_vault_folder(Nothing {}).await.unwrap();
    assert_eq!(*desktop.0.lock().unwrap(), [nova.vault.root()]);
}

/// With only the built-in skills no description is shortened, and a few of the user's still fit.
#[tokio::test]
async fn built_in_catalog_is_well_below_its_budget() {
    let nova = Nova::new(PEOPLE, []);
    let catalog = nova.start().await.skill_catalog(Nothing {}).await.unwrap();
    assert_eq!(catalog.budget, 1_000);
    assert!(catalog.whole <= 950 && !catalog.shortened, "{catalog:?}");
}
