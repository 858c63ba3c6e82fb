//! A routine is edited in its form.

use nova_app::App;
use nova_protocol::{Commands as _, EditRoutine, ErrorCode, NewRoutine, Nothing, RoutineRow, UserError};

use super::keeping_routines::{row, vault};
use super::nova::Nova;

/// The routine as its form shows it.
async fn form(app: &App) -> NewRoutine {
    let RoutineRow { name, when, zone, message, tool, args, allow, skills, model, .. } =
        row(app, "Morning").await;
    NewRoutine { name, when, zone, message, tool, args, allow, skills, model }
}

/// Saves the form after a change.
async fn edited(
    app: &App,
    before: &NewRoutine,
    change: impl FnOnce(&mut NewRoutine),
) -> Result<RoutineRow, UserError> {
    let mut after = before.clone();
    change(&mut after);
    let path = "Routines/Morning.md".into();
    app.edit_routine(EditRoutine { path, before: before.clone(), after }).await
}

#[tokio::test]
async fn form_changes_what_was_changed_in_it() {
    let nova = Nova::new(&vault("zone: UTC # of the office\n"), []);
    let app = nova.start().await;
    let before = form(&app).await;
    edited(&app, &before, |form| form.when = vec!["weekdays 11:00".into()]).await.unwrap();
    let text = nova.vault.read("Routines/Morning.md");
    assert!(text.contains("zone: UTC # of the office\n") && text.ends_with("---\nWhat is due?\n"), "{text}");
    assert_eq!(row(&app, "Morning").await.when, ["weekdays 11:00"]);

    let before = form(&app).await;
    edited(&app, &before, |form| form.message = "What is late?\nAnd why?".into()).await.unwrap();
    assert_eq!(
        nova.vault.read("Routines/Morning.md"),
        text.replace("What is due?", "What is late?\nAnd why?")
    );

    // A tool instead; the text stays in the note.
    let before = form(&app).await;
    let row = edited(&app, &before, |form| {
        form.tool = "vault.list_tasks".into();
        form.args = r#"{"due": "..today"}"#.into();
    });
    let row = row.await.unwrap();
    assert_eq!((row.tool.as_str(), row.problem), ("vault.list_tasks", None));
    assert!(nova.vault.read("Routines/Morning.md").ends_with("---\nWhat is late?\nAnd why?\n"));
    nova.model.finish();
}

#[tokio::test]
async fn form_keeps_edits_made_in_the_note_meanwhile() {
    let nova = Nova::new(&vault(""), []);
    let app = nova.start().await;
    let before = form(&app).await;
    let text = nova.vault.read("Routines/Morning.md").replace("---\nWhat", "allow: [crm.*]\n---\nWhat");
    nova.vault.write("Routines/Morning.md", &text);

    edited(&app, &before, |form| form.zone = "UTC".into()).await.unwrap();
    let row = row(&app, "Morning").await;
    assert_eq!((row.zone.as_str(), row.allow), ("UTC", vec!["crm.*".to_owned()]));

    let text = nova.vault.read("Routines/Morning.md").replace("What is due?", "What is new?");
    nova.vault.write("Routines/Morning.md", &text);
    let error = edited(&app, &before, |form| form.message = "What is late?".into()).await.unwrap_err();
    assert_eq!(error.code, ErrorCode::Conflict);
    assert_eq!(nova.vault.read("Routines/Morning.md"), text);
    nova.model.finish();
}

type Change = fn(&mut NewRoutine);

#[tokio::test]
async fn form_rejects_what_cannot_run() {
    let nova = Nova::new(&vault(""), []);
    let app = nova.start().await;
    let text = nova.vault.read("Routines/Morning.md");
    let before = form(&app).await;
    let rejected: [(Change, ErrorCode, &str); 6] = [
        (|form| form.when = vec!["sometimes".into()], ErrorCode::InvalidArguments, "weekdays 07:30"),
        (|form| form.zone = "Mars/Olympus".into(), ErrorCode::InvalidArguments, "Europe/Berlin"),
        (|form| form.tool = "vault.list_task".into(), ErrorCode::UnknownTool, "vault.list_tasks"),
        (|form| form.skills = vec!["vaults".into()], ErrorCode::UnknownSkill, "vaults"),
        (|form| form.model = "scripted".into(), ErrorCode::UnknownModel, "provider/model"),
        (|form| form.model = "nobody/scripted".into(), ErrorCode::UnknownModel, "Providers:"),
    ];
    for (change, code, remedy) in rejected {
        let error = edited(&app, &before, change).await.unwrap_err();
        assert_eq!(error.code, code, "{error:?}");
        assert!(format!("{} {}", error.message, error.hint).contains(remedy), "{error:?}");
        let mut new = NewRoutine { name: "Second".into(), ..before.clone() };
        change(&mut new);
        if !new.tool.is_empty() {
            new.message.clear();
        }
        assert_eq!(app.add_routine(new).await.unwrap_err().code, code);
    }
    assert_eq!(nova.vault.read("Routines/Morning.md"), text);
    assert_eq!(app.list_routines(Nothing {}).await.unwrap().len(), 1);
    nova.model.finish();
}
