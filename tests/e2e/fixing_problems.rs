//! Problems that the window shows, and how a user fixes them.

use serde_json::json;

use crate::harness::{Home, Window};

const NOTES: [(&str, &str); 3] = [
    ("People/Ann.md", "---\ntype: contact\nname: Ann\n---\n"),
    ("Plan.md", "Ask [[Ann]].\n"),
    ("Broken.md", "---\ntitle: foo: bar\n---\nStill readable.\n"),
];

fn home() -> Home {
    NOTES.iter().fold(Home::new().settings(&json!({})), |home, (path, text)| home.note(path, text))
}

/// A note was moved, and Nova was killed before it rewrote the link to it.
fn interrupted() -> Home {
    let home = home();
    let moved = home.nova(&[
        "tool",
        "call",
        "vault.move_note",
        "--args",
        r#"{"path":"Ann","to":"Friends/Anna.md"}"#,
        "--approve",
        "all",
        "--json",
    ]);
    let id = moved["change_set"].as_str().expect("a change set").to_owned();
    let journal = home.data().join("history").join(format!("{id}.jsonl"));
    let lines = std::fs::read_to_string(&journal).expect("the journal");
    let (written, _) = lines.split_once("{\"line\":\"done\",\"n\":1}").expect("two notes were written");
    std::fs::write(&journal, written).expect("the journal");
    home.note("Plan.md", NOTES[1].1)
}

#[tokio::test]
async fn interrupted_change_is_finished_by_a_click() {
    let home = interrupted();
    let window = Window::open(&home).await;

    window.wait_for("[data-testid=banner-finish]").await;
    assert_eq!(home.read_note("Plan.md"), NOTES[1].1, "nothing changes before the click");
    window.click("[data-testid=banner-finish]").await;
    window.wait_for("[data-testid=settled-change]").await;
    assert_eq!(home.read_note("Plan.md"), "Ask [[Anna]].\n");
    window.close().await;
}

#[tokio::test]
async fn interrupted_change_is_undone_by_a_click() {
    let home = interrupted();
    let window = Window::open(&home).await;

    window.click("[data-testid=banner-undo]").await;
    window.wait_for("[data-testid=settled-change]").await;
    assert_eq!(home.read_note("People/Ann.md"), NOTES[0].1);
    assert_eq!(home.read_note("Plan.md"), NOTES[1].1);
    assert!(!home.vault().join("Friends/Anna.md").exists());
    window.close().await;
}

#[cfg(unix)]
#[tokio::test]
async fn unreadable_note_is_left_out_of_an_undo_with_the_reason() {
    let home = interrupted();
    let friends = home.vault().join("Friends");
    let away = home.data().join("Friends");
    std::fs::rename(&friends, &away).expect("a folder elsewhere");
    std::os::unix::fs::symlink(&away, &friends).expect("a link");
    let window = Window::open(&home).await;

    window.click("[data-testid=banner-undo]").await;
    window.wait_for_text("[data-testid=unreadable-note][data-path='Friends/Anna.md']", "symbolic link").await;
    assert_eq!(home.read_note("Plan.md"), NOTES[1].1);

    std::fs::remove_file(&friends).expect("the link is removed");
    std::fs::rename(&away, &friends).expect("the original path");
    window.click("[data-testid=undo-again]").await;
    window.wait_gone("[data-testid=unreadable-note]").await;
    assert_eq!(home.read_note("People/Ann.md"), NOTES[0].1);
    assert!(!home.vault().join("Friends/Anna.md").exists());
    window.close().await;
}

#[tokio::test]
async fn problem_is_listed_with_its_line_until_fixed() {
    let home = home();
    let window = Window::open(&home).await;

    window.click("[data-testid=show-problems]").await;
    window.wait_for_text("[data-testid=note-problems][data-path='Broken.md']", "Line 2").await;
    let home = home.note("Broken.md", "---\ntitle: \"foo: bar\"\n---\nStill readable.\n");
    window.wait_for_text("[data-testid=problems-panel]", "No problems").await;
    drop(home);
    window.close().await;
}
