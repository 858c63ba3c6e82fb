//! Mentions of notes become links, in a chat and by a form.

use nova_protocol::Decision;
use nova_testkit::{ScriptedApprover, call, decided, denied, text};
use serde_json::json;

use super::nova::{Nova, turn};

const NOTES: &str = "
//- People/Jane Doe.md
---
aliases: [Janey]
---
# Jane Doe
//- People/Noor Haddad.md
//- Meetings/Monday.md
# With Jane Doe

Noor Haddad and janey talked to Janey. `Jane Doe` wrote it down.
//- Meetings/Tuesday.md
- [ ] Ask Jane Doe 📅 2026-11-24
//- Diary/June.md
Jane Doe called.
";

#[tokio::test]
async fn mentions_of_a_folder_are_one_diff_and_one_undo() {
    let suggest = || call("vault__suggest_links", json!({"path": "Meetings"}));
    let nova = Nova::new(NOTES, [suggest(), text("As you wish."), suggest(), text("Three links.")]);
    let before = nova.vault.files();
    let monday = nova.vault.read("Meetings/Monday.md");
    let app = nova.start().await;

    let denying = ScriptedApprover::new([denied("not now")]);
    let (end, _) = turn(&app, None, "Link the names in my meeting notes", denying).await;
    assert_eq!((nova.vault.files(), nova.vault.read("Meetings/Monday.md")), (before, monday.clone()));

    let approver = ScriptedApprover::new([decided(Decision::Once)]);
    turn(&app, Some(&end.session), "Do it now", approver.clone()).await;
    let asked = approver.asked();
    assert_eq!((asked.len(), asked[0].question.as_str()), (1, "Change 2 notes?"));
    assert_eq!(asked[0].diff.as_ref().unwrap().len(), 2, "all of it is shown at once");
    let linked = "[[Noor Haddad]] and janey talked to [[Jane Doe|Janey]]. `Jane Doe` wrote it down.";
    assert_eq!(nova.vault.read("Meetings/Monday.md"), format!("# With Jane Doe\n\n{linked}\n"));
    assert_eq!(nova.vault.read("Meetings/Tuesday.md"), "- [ ] Ask [[Jane Doe]] 📅 2026-11-24\n");
    assert_eq!(nova.vault.read("Diary/June.md"), "Jane Doe called.\n");

    let sets = app.change_sets(None, None, None).await.unwrap();
    assert_eq!(sets.len(), 1);
    app.undo(&sets[0].id, None, None).await.unwrap();
    assert_eq!(nova.vault.read("Meetings/Monday.md"), monday);
    nova.model.finish();
}

#[test]
fn mentions_are_listed_before_they_are_written_by_hand() {
    let nova = Nova::new(NOTES, []);
    let june = nova.vault.read("Diary/June.md");
    let suggest = |args: serde_json::Value| {
        let (code, answer) = nova.json(&[
            "tool",
            "call",
            "vault.suggest_links",
            "--args",
            &args.to_string(),
            "--approve",
            "all",
        ]);
        assert_eq!(code, 0, "{answer}");
        answer
    };
    let listed = suggest(json!({"dry_run": true}));
    assert_eq!(listed["value"]["summary"], "4 links in 3 notes");
    assert_eq!(listed["value"]["changed"][0]["text"], "[[Jane Doe]] called.");
    assert_eq!(nova.vault.read("Diary/June.md"), june);
    let done = suggest(json!({}));
    assert_eq!(done["changes"].as_array().map(Vec::len), Some(3), "{done}");
    assert_eq!(suggest(json!({}))["value"]["count"], 0, "linked mentions are not proposed again");
    let (code, _) = nova.json(&["changes", "undo", done["change_set"].as_str().unwrap()]);
    assert_eq!((code, nova.vault.read("Diary/June.md")), (0, june));
}
