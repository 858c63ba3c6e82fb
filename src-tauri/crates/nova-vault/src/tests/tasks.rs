//! Queries for tasks, and the settings of the plugin Tasks.

use jiff::civil::{Date, date};

use super::{Bed, model, path};
use crate::note::line_of;
use crate::task::{TaskForm, TaskKind, complete_task};
use crate::{Author, ChangeSetKind, Privacy, Scope, TaskDue, TaskQuery, TaskSort, Vault};

const PLUGIN: &str = ".obsidian/plugins/obsidian-tasks-plugin/data.json";

const NOTES: &[(&str, &str)] = &[
    ("A.md", "- [ ] late #home 📅 2026-11-20\n- [ ] urgent ⏫ 📅 2026-11-26\n- [x] ready ✅ 2026-11-25\n"),
    ("Daily/2026-11-26.md", "# Day\n\n- [ ] call Jané\n\t- [ ] her number ⏳ 2026-11-27\n"),
    (
        "Work/B.md",
        "- [ ] report #work/q4 📅 2026-11-26\n- [-] old 📅 2026-01-01 ❌ 2026-11-01\n```\n- [ ] code\n```\n",
    ),
    ("Templates/T.md", "- [ ] form 📅 2026-11-26\n"),
];

/// The tasks as `path:line text`.
fn found(vault: &Vault, query: &TaskQuery) -> Vec<String> {
    let rows = vault.seen_by_owner().tasks(query).unwrap().rows;
    rows.iter().map(|row| format!("{}:{} {}", row.path, row.task.line, row.task.text)).collect()
}

#[track_caller]
fn check(query: TaskQuery, expected: &[&str]) {
    assert_eq!(found(&Bed::new(NOTES).vault(), &query), expected);
}

fn between(from: Option<Date>, to: Option<Date>) -> Option<TaskDue> {
    Some(TaskDue::Between(from, to))
}

#[test]
fn tasks_are_found_by_date_status_place_tag_and_words() {
    let today = Some(date(2026, 11, 26));
    let all = &[
        "A.md:1 late #home",
        "A.md:2 urgent",
        "Work/B.md:1 report #work/q4",
        "Daily/2026-11-26.md:4 her number",
        "Daily/2026-11-26.md:3 call Jané",
    ];
    check(TaskQuery::default(), all);
    check(TaskQuery { limit: Some(2), ..TaskQuery::default() }, &all[..2]);
    check(TaskQuery { due: between(today, today), ..TaskQuery::default() }, &all[1..3]);
    check(TaskQuery { due: between(None, Some(date(2026, 11, 25))), ..TaskQuery::default() }, &all[..1]);
    check(TaskQuery { due: between(Some(date(2026, 11, 27)), None), ..TaskQuery::default() }, &all[3..4]);
    check(TaskQuery { due: Some(TaskDue::Undated), ..TaskQuery::default() }, &all[4..]);
    check(TaskQuery { tag: Some("#WORK".into()), ..TaskQuery::default() }, &all[2..3]);
    check(TaskQuery { tag: Some("wor".into()), ..TaskQuery::default() }, &[]);
    check(TaskQuery { words: vec!["JANE\u{301}".into()], ..TaskQuery::default() }, &all[4..]);
    check(TaskQuery { place: Some("work/".into()), ..TaskQuery::default() }, &all[2..3]);
    check(TaskQuery { place: Some("a.md".into()), ..TaskQuery::default() }, &all[..2]);
    check(TaskQuery { sort: TaskSort::Priority, limit: Some(1), ..TaskQuery::default() }, &all[1..2]);
    check(
        TaskQuery { closed: true, sort: TaskSort::Closed, ..TaskQuery::default() },
        &["A.md:3 ready", "Work/B.md:2 old"],
    );
}

#[test]
fn tasks_are_those_on_disk() {
    let bed = Bed::new(NOTES);
    let vault = bed.vault();
    assert_eq!(found(&vault, &TaskQuery::default()).len(), 5);
    bed.put("A.md", "- [ ] new\n");
    assert_eq!(
        found(&vault, &TaskQuery { place: Some("A.md".into()), ..TaskQuery::default() }),
        ["A.md:1 new"]
    );
    std::fs::remove_file(bed.root().join("A.md")).unwrap();
    assert_eq!(found(&vault, &TaskQuery::default()).len(), 3);
}

#[test]
fn tasks_of_hidden_notes_are_not_found() {
    let mut notes = NOTES.to_vec();
    let mine = format!("---\nnova: private\n---\n{}", "- [ ] canary [due:: 2026-11-26]\n".repeat(8));
    notes.push(("Mine.md", &mine));
    notes.push(("Diary/D.md", "- [ ] canary\n"));
    let bed = Bed::new(&notes);
    let vault = bed.vault();
    let privacy = Privacy { remote: true, private: vec!["Diary".into()] };
    let answer = vault.seen_by(std::sync::Arc::new(privacy)).tasks(&TaskQuery::default()).unwrap();
    assert_eq!((answer.total, answer.form), (5, TaskForm::Emoji));
    let all = vault.seen_by_owner().tasks(&TaskQuery::default()).unwrap();
    assert_eq!((all.total, all.form), (14, TaskForm::Dataview));
}

#[test]
fn plugin_settings_are_respected() {
    let data = r##"{"taskFormat":"dataview","globalFilter":"#task","setCreatedDate":true,"setDoneDate":false,
        "recurrenceOnNextLine":true,"removeScheduledDateOnRecurrence":true,"statusSettings":{
        "coreStatuses":[{"symbol":" ","name":"Todo","nextStatusSymbol":">","type":"TODO"},{"symbol":"x","name":"Done","nextStatusSymbol":" ","type":"DONE"}],
        "customStatuses":[{"symbol":">","name":"Waiting","nextStatusSymbol":"x","type":"ON_HOLD"},{"symbol":"x","type":"TODO"},{"symbol":""},7,{"symbol":"i","type":"NON_TASK"}]}}"##;
    let notes = "- [ ] #task a\n- [>] #task b\n- [ ] checklist\n- [i] #task info\n";
    let bed = Bed::new(&[(PLUGIN, data), ("A.md", notes)]);
    let vault = bed.vault();
    let rules = vault.obsidian().tasks.rules;
    assert_eq!(
        (rules.form, rules.filter.as_str(), rules.set_created, rules.set_done, rules.set_cancelled),
        (Some(TaskForm::Dataview), "#task", true, Some(false), Some(true))
    );
    assert_eq!((rules.next_below, rules.drop_scheduled, rules.statuses.len()), (true, true, 4));
    assert_eq!(
        (rules.kind('>'), rules.kind('x'), rules.named("waiting")),
        (TaskKind::OnHold, TaskKind::Done, Some('>'))
    );
    assert_eq!(found(&vault, &TaskQuery::default()), ["A.md:1 #task a", "A.md:2 #task b"]);
    bed.put(".obsidian/community-plugins.json", r#"["dataview"]"#);
    assert_eq!(found(&vault, &TaskQuery::default()).len(), 4, "the plugin is off");
    bed.put(".obsidian/community-plugins.json", r#"["obsidian-tasks-plugin"]"#);
    assert_eq!(found(&vault, &TaskQuery::default()).len(), 2);
    bed.put(PLUGIN, "{");
    assert_eq!(vault.obsidian().tasks, crate::TaskSettings::default());
    assert_eq!(vault.obsidian().problems.len(), 1);
}

#[test]
fn date_in_a_notes_name_counts_if_configured() {
    let today = Some(date(2026, 11, 26));
    let query = TaskQuery { due: between(today, today), place: Some("Daily".into()), ..TaskQuery::default() };
    let bed = Bed::new(NOTES);
    bed.put("Daily/Notes 20261126.md", "- [ ] x\n- [ ] y 🛫 2026-01-01\n");
    let vault = bed.vault();
    let of = |data: &str| {
        bed.put(PLUGIN, data);
        found(&vault, &query)
    };
    assert_eq!(of("{}"), [""; 0]);
    let by_name = ["Daily/2026-11-26.md:3 call Jané", "Daily/Notes 20261126.md:1 x"];
    assert_eq!(of(r#"{"useFilenameAsScheduledDate":true}"#), by_name);
    assert_eq!(of(r#"{"useFilenameAsScheduledDate":true,"filenameAsDateFolders":["Daily"]}"#), by_name);
    assert_eq!(of(r#"{"useFilenameAsScheduledDate":true,"filenameAsDateFolders":["Dai"]}"#), [""; 0]);
    let vault = bed.vault();
    assert_eq!(vault.seen_by_owner().tasks(&TaskQuery::default()).unwrap().rows.len(), 7);
}

/// Notes with all kinds of line endings; each task is completed and undone.
#[test]
fn completing_and_undoing_restores_the_bytes() {
    const LINES: &[&str] = &[
        "- [ ] plain",
        "\t- [ ] nested 🔁 every day 📅 2026-11-26",
        "> - [/] quoted 🔁 every month on the last 📅 2026-11-30 ^id",
        "- [ ] gone 🏁 delete",
        "1. [ ] dv  [repeat:: every week]  [due:: 2026-11-26]",
        "- [ ] twice",
        "- [ ] twice",
    ];
    for (eol, end) in [("\n", ""), ("\n", "\n"), ("\r\n", ""), ("\r\n", "\r\n\r\n")] {
        let text = format!("\u{feff}---{eol}a: 1{eol}---{eol}{}{end}", LINES.join(eol));
        let bed = Bed::in_memory(&[("A.md", &text)]);
        let vault = bed.vault();
        let path = path("A.md");
        let rules = vault.obsidian().tasks.rules;
        let tasks = crate::task::tasks(&text);
        assert_eq!(tasks.len(), LINES.len());
        for task in tasks {
            let line = line_of(&text, task.line).unwrap();
            let changed = complete_task(line, &rules, TaskForm::Emoji, date(2026, 11, 26)).unwrap();
            let lines = changed.lines(&rules);
            let changes = vault.change_set(ChangeSetKind::Turn, "tick".to_owned());
            let mut draft = vault.draft();
            draft.replace_line(&path, task.line, line, &lines).unwrap();
            changes.apply(draft, &model("call_1")).unwrap();
            let id = changes.id().to_owned();
            changes.close().unwrap();
            let (before, after): (Vec<_>, Vec<_>) =
                (text.lines().collect(), bed.text("A.md").lines().map(str::to_owned).collect());
            let at = usize::try_from(task.line).unwrap() - 1;
            assert_eq!(after[..at], before[..at]);
            assert_eq!(after[at..at + lines.len()], lines);
            assert_eq!(after[at + lines.len()..], before[at + 1..]);
            let outcome = vault.history().undo(&id, Scope::All, &Author::new("user")).unwrap();
            assert!(outcome.conflicts.is_empty(), "{outcome:?}");
            assert_eq!(bed.text("A.md"), text, "{line}");
        }
    }
}

#[test]
fn changed_line_is_not_replaced() {
    let bed = Bed::new(&[("A.md", "- [ ] a\n- [ ] b\n")]);
    let vault = bed.vault();
    let mut draft = vault.draft();
    let error = draft.replace_line(&path("A.md"), 1, "- [ ] b", &["- [x] b".to_owned()]).unwrap_err();
    assert!(error.message().contains("line 1 of the note is not what was read"), "{}", error.message());
    assert!(draft.is_empty());
}
