//! What becomes of Nova when its window is closed.

use std::path::Path;
use std::time::Instant;

use serde_json::json;

use crate::harness::{Home, PATIENCE, Screen, Session, Started};

const ANNA: &str = "---\ntype: contact\nname: Anna\n---\n";
/// Each runs after a contact changed; only the first may write.
const ROUTINES: [(&str, &str); 2] = [("Log it", "allow: [vault.append_to_note]\n"), ("Ask first", "")];

fn routine(allow: &str) -> String {
    format!(
        "---\ntype: routine\nwhen: when a contact changes\ntool: vault.append_to_note\n\
         args: '{{\"path\": \"Log.md\", \"text\": \"Changed.\"}}'\n{allow}---\n"
    )
}

fn that_keeps_running(home: Home) -> Home {
    let vault = home.vault();
    home.settings(&json!({ "vault": vault, "keep_running": true }))
}

async fn wait_for_text(file: &Path, text: &str) {
    let limit = Instant::now() + PATIENCE;
    while !std::fs::read_to_string(file).is_ok_and(|found| found.contains(text)) {
        assert!(Instant::now() < limit, "{} without {text:?}", file.display());
        tokio::time::sleep(std::time::Duration::from_millis(25)).await;
    }
}

#[tokio::test]
async fn routines_go_on_and_a_question_opens_the_window() {
    let mut session = Session::start().await;
    let mut home = that_keeps_running(Home::new().on(&session))
        .note("Log.md", "# Log\n")
        .note("CRM/People/Anna.md", ANNA);
    for (name, allow) in ROUTINES {
        home = home.note(&format!("Routines/{name}.md"), &routine(allow));
    }
    let screen = Screen::of(&home);
    let mut nova = Started::on(&home);
    // The contacts of the first look are what later ones are compared with.
    wait_for_text(&home.data().join("routines.json"), "Ask first").await;
    screen.close_window().await;

    std::fs::write(home.vault().join("CRM/People/Anna.md"), ANNA.replace("Anna", "Anna Berg"))
        .expect("the contact");
    wait_for_text(&home.vault().join("Log.md"), "Changed.").await;
    let notice = session.notice().await;
    assert_eq!(
        (notice.title.as_str(), notice.text.as_str()),
        ("Ask first", "Waits for your answer: Change 1 note?")
    );
    assert!(nova.is_running());
    assert_eq!(home.read_note("Log.md"), "# Log\nChanged.\n", "the other one waits");
    session.click(&notice, &screen).await;
}

#[tokio::test]
async fn tray_and_another_start_show_the_window_and_quit_ends_nova() {
    let mut session = Session::start().await;
    let home = that_keeps_running(Home::new().on(&session)).note("Anna.md", "# Anna\n");
    let screen = Screen::of(&home);
    let mut nova = Started::on(&home);
    let tray = session.tray_menu().await;
    assert_eq!(tray.entries().await, ["Open Nova", "Today", "", "Quit"]);

    screen.close_window().await;
    assert!(Started::on(&home).ended().await.success(), "another start only shows the window");
    screen.close_window().await;
    tray.choose("Today").await;
    screen.close_window().await;
    tray.choose("Open Nova").await;
    screen.wait_for_windows(1).await;
    assert!(Started::on(&home).ended().await.success());
    screen.close_window().await;

    assert!(nova.is_running());
    tray.choose("Quit").await;
    assert!(nova.ended().await.success());
}

#[tokio::test]
async fn closed_window_quits_by_default() {
    let home = Home::new().note("Anna.md", "# Anna\n");
    let screen = Screen::of(&home);
    let mut nova = Started::on(&home);
    screen.close_window().await;
    assert!(nova.ended().await.success());
}

#[tokio::test]
async fn without_a_tray_another_start_shows_the_window() {
    let home = that_keeps_running(Home::new()).note("Anna.md", "# Anna\n").without_tray_library();
    let screen = Screen::of(&home);
    let mut nova = Started::on(&home);
    screen.close_window().await;
    assert!(nova.is_running());
    assert!(Started::on(&home).ended().await.success());
    screen.wait_for_windows(1).await;
    let place = std::fs::read_to_string(home.data().join("window/place.json")).expect("its place");
    assert!(place.contains("\"width\""), "{place}");
}
