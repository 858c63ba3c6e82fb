//! Tasks in notes, listed and completed in a chat.

use nova_protocol::Decision;
use nova_testkit::{ScriptedApprover, call, text};
use serde_json::{Value, json};

use super::nova::{Nova, turn};

/// Long past, so overdue on any day.
const NOTES: &str = "
//- House.md
# House

- [ ] Pay the rent 🔁 every month on the last 📅 2020-01-31
- [ ] Sweep the stairs 📅 2999-12-31
- [ ] Call Noor
- [ ] Call Noor
//- Code.md
```
- [ ] not a task 📅 2020-01-01
```
";

fn last(nova: &Nova) -> Value {
    serde_json::from_str(&nova.model.last_texts("tool").pop().unwrap()).unwrap()
}

#[tokio::test]
async fn due_task_is_listed_completed_and_undone() {
    let nova = Nova::new(
        NOTES,
        [
            call("vault__list_tasks", json!({"due": "..today"})),
            text("The rent is overdue."),
            call("vault__complete_task", json!({"path": "House.md", "text": "Pay the rent", "line": 3})),
            text("Done; the next one is due on 29 February."),
        ],
    );
    let before = nova.vault.read("House.md");
    let app = nova.start().await;
    let approver = ScriptedApprover::always(Decision::Once);

    let (end, _) = turn(&app, None, "Which of my tasks are due?", approver.clone()).await;
    let found = last(&nova);
    assert_eq!((&found["total"], &found["tasks"][0]["text"]), (&json!(1), &json!("Pay the rent")), "{found}");
    assert_eq!((&found["tasks"][0]["path"], &found["tasks"][0]["line"]), (&json!("House.md"), &json!(3)));
    assert!(approver.asked().is_empty(), "a read does not ask");

    turn(&app, Some(&end.session), "I have paid the rent", approver.clone()).await;
    let done = last(&nova);
    let next = "- [ ] Pay the rent 🔁 every month on the last 📅 2020-02-29";
    assert_eq!(done["next"], next, "{done}");
    let completed = done["completed"].as_str().unwrap();
    assert!(
        completed.starts_with("- [x] Pay the rent 🔁 every month on the last 📅 2020-01-31 ✅ 2"),
        "{done}"
    );
    let line = "- [ ] Pay the rent 🔁 every month on the last 📅 2020-01-31";
    assert_eq!(nova.vault.read("House.md"), before.replace(line, &format!("{next}\n{completed}")));
    let asked = approver.asked();
    assert_eq!((asked.len(), asked[0].question.as_str()), (1, "Change 1 note?"));

    let sets = app.change_sets(None, None, None).await.unwrap();
    let undone = app.undo(&sets[0].id, None, None).await.unwrap();
    assert_eq!((undone.undone, nova.vault.read("House.md")), (vec!["House.md".into()], before));
    nova.model.finish();
}

#[tokio::test]
async fn ambiguous_task_text_asks_for_the_line() {
    let complete = |line: Option<u32>| {
        call("vault__complete_task", json!({"path": "House.md", "text": "Call Noor", "line": line}))
    };
    let nova = Nova::new(
        NOTES,
        [
            call("vault__complete_task", json!({"path": "House.md", "text": "Call Noor"})),
            text("Which one: line 5 or line 6?"),
            complete(Some(6)),
            text("Done."),
        ],
    );
    let before = nova.vault.read("House.md");
    let app = nova.start().await;
    let approver = ScriptedApprover::always(Decision::Once);

    let (end, _) = turn(&app, None, "Tick off the task to call Noor in House", approver.clone()).await;
    let told = nova.model.last_texts("tool").pop().unwrap();
    assert!(told.contains("line 5: - [ ] Call Noor, line 6: - [ ] Call Noor"), "{told}");
    assert!(approver.asked().is_empty() && nova.vault.read("House.md") == before, "nothing is chosen");

    turn(&app, Some(&end.session), "The second", approver).await;
    let text = nova.vault.read("House.md");
    assert_eq!(text.lines().nth(4), Some("- [ ] Call Noor"));
    assert!(text.lines().nth(5).unwrap().starts_with("- [x] Call Noor"), "{text}");
    nova.model.finish();
}
