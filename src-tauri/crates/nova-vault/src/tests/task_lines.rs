//! Tasks of a note, by examples from the manual of the plugin Tasks.

use jiff::civil::{Date, date};

use crate::note::{line_of, replace_line};
use crate::{
    Priority, Task, TaskField, TaskForm, TaskKind, TaskRules, TaskStatus, complete_task, new_task,
    set_task_field, set_task_status, set_task_text, task_of, tasks,
};

const TODAY: Date = date(2026, 11, 26);

fn task(line: &str) -> Task {
    task_of(line, 1).unwrap_or_else(|| panic!("no task: {line}"))
}

/// The parsed line, with its fields as one text.
#[track_caller]
fn check(line: &str, text: &str, fields: &str) {
    let task = task(line);
    let mut said = Vec::new();
    for (name, date) in [
        ("due", task.due),
        ("scheduled", task.scheduled),
        ("start", task.start),
        ("created", task.created),
        ("done", task.done),
        ("cancelled", task.cancelled),
    ] {
        said.extend(date.map(|date| format!("{name} {date}")));
    }
    said.extend(task.priority.map(|priority| format!("{priority:?}").to_lowercase()));
    said.extend(task.recurrence.map(|rule| format!("repeat {rule}")));
    said.extend(task.id.map(|id| format!("id {id}")));
    if !task.depends_on.is_empty() {
        said.push(format!("after {}", task.depends_on.join(" ")));
    }
    assert_eq!((task.text.as_str(), said.join(", ").as_str()), (text, fields), "{line}");
}

#[test]
fn fields_are_read_from_the_end() {
    check("- [ ] take out the trash", "take out the trash", "");
    check("- [ ] take out the trash 📅 2021-04-25", "take out the trash", "due 2021-04-25");
    check(
        "- [ ] Mow the lawn 🔁 every 2 weeks ⏳ 2021-10-28 📅 2021-10-30",
        "Mow the lawn",
        "due 2021-10-30, scheduled 2021-10-28, repeat every 2 weeks",
    );
    check(
        "* [x] all 🆔 dcf64c ⛔ a1, b_2 🔺 🔁 every day when done ➕ 2023-01-01 🛫 2023-01-02 ⏳ 2023-01-03 📅 2023-01-04 ❌ 2023-01-05 ✅ 2023-01-06 ^block-1",
        "all",
        "due 2023-01-04, scheduled 2023-01-03, start 2023-01-02, created 2023-01-01, done 2023-01-06, cancelled 2023-01-05, highest, repeat every day when done, id dcf64c, after a1 b_2",
    );
    // Any order, tags between them, other symbols of the same meaning, variation selectors, no blanks.
    check(
        "1. [ ] #a x #b 📆 2021-04-25 #c ⏫ ⌛2021-04-24 #d",
        "#a x #b #c #d",
        "due 2021-04-25, scheduled 2021-04-24, high",
    );
    check("> - [ ] quoted 🗓️ 2021-04-25 ⏬\u{fe0f}", "quoted", "due 2021-04-25, lowest");
    check("1) [ ] x 🔼", "x", "medium");
    // Fields before other text are text.
    check("- [ ] pay 📅 2021-04-25 the rent", "pay 📅 2021-04-25 the rent", "");
    check("- [ ] pay 📅 tomorrow", "pay 📅 tomorrow", "");
    check("- [ ] 2nd ⏫ try ⏫ 3", "2nd ⏫ try ⏫ 3", "");
    // The first of two counts.
    check("- [ ] x 📅 2021-04-25 📅 2021-04-26", "x", "due 2021-04-25");
    // Not a valid date.
    check("- [ ] x 📅 2021-02-30", "x", "");
}

#[test]
fn dataview_fields_are_read() {
    check(
        "- [ ] x  [priority:: high]  [repeat:: every day]  (created:: 2023-01-01)  [due:: 2021-04-25]",
        "x",
        "due 2021-04-25, created 2023-01-01, high, repeat every day",
    );
    check("- [x] x [completion::2021-04-25], #t", "x #t", "done 2021-04-25");
    check("- [ ] x [id:: a] [dependsOn:: b,c]", "x", "id a, after b c");
    check("- [ ] call [due:: 2021-04-25] about [it](x.md)", "call about [it](x.md)", "due 2021-04-25");
    check("- [ ] x [due:: 2021-04-25) [due:: soon]", "x [due:: 2021-04-25) [due:: soon]", "");
    check("- [ ] x [mood:: good]", "x [mood:: good]", "");
    check("- [ ] x [due:: 2021-04-25] 📅 2021-04-26", "x", "due 2021-04-25");
    assert_eq!(task("- [ ] x [due:: 2021-04-25]").form, Some(TaskForm::Dataview));
    assert_eq!(task("- [ ] x 📅 2021-04-25").form, Some(TaskForm::Emoji));
    assert_eq!(task("- [ ] x").form, None);
}

#[test]
fn task_is_a_list_item_with_a_checkbox_and_a_text() {
    let text = "---\ntodo:\n  - [ ] matter\n---\n- [ ] one\n- [x] two\n\t- [/] three\n  * [?] four\n> 1. [ ] five\n\
        - [ ]\n- [ ]   \n-[ ] a\n- [] b\n- [xx] c\n[ ] d\n- [ ]e\ntext - [ ] f\n- [link](x.md)\n\
        \n```\n- [ ] code\n```\n\n    - [ ] indented code\n\n- item\n  ```\n  - [ ] code in it\n  ```\n\
        \n%%\n- [ ] comment\n%%\n\nsome %% words\n- [ ] comment that begins in a line\n%%\n\n<!--\n- [ ] html\n-->\n\n- [-] six\r\n+ [X] 東京 #t";
    let found: Vec<_> = tasks(text).into_iter().map(|task| (task.line, task.status, task.text)).collect();
    let expected = [
        (5, ' ', "one"),
        (6, 'x', "two"),
        (7, '/', "three"),
        (8, '?', "four"),
        (9, ' ', "five"),
        (43, '-', "six"),
        (44, 'X', "東京 #t"),
    ];
    assert_eq!(found, expected.map(|(line, status, text)| (line, status, text.to_owned())));
    assert_eq!(line_of(text, 43), Some("- [-] six"));
    assert_eq!(tasks(text)[6].tags, ["t"]);
}

/// The lines that replace a completed one.
fn completed(line: &str, rules: &TaskRules, today: Date) -> Vec<String> {
    complete_task(line, rules, TaskForm::Emoji, today).unwrap().lines(rules)
}

/// The plugin's default options.
fn plugin() -> TaskRules {
    TaskRules {
        form: Some(TaskForm::Emoji),
        set_done: Some(true),
        set_cancelled: Some(true),
        ..TaskRules::default()
    }
}

#[test]
fn completing_follows_the_manual() {
    let check = |line: &str, today: Date, expected: &[&str]| {
        assert_eq!(completed(line, &plugin(), today), expected, "{line}");
    };
    check("- [ ] one", TODAY, &["- [x] one ✅ 2026-11-26"]);
    check("  - [/] one ^a1", TODAY, &["  - [x] one ✅ 2026-11-26 ^a1"]);
    check(
        "- [ ] take out the trash 🔁 every Sunday 📅 2021-04-25",
        date(2021, 4, 24),
        &[
            "- [ ] take out the trash 🔁 every Sunday 📅 2021-05-02",
            "- [x] take out the trash 🔁 every Sunday 📅 2021-04-25 ✅ 2021-04-24",
        ],
    );
    check(
        "- [ ] sweep the floors 🔁 every week ⏳ 2021-02-06",
        date(2022, 2, 13),
        &[
            "- [ ] sweep the floors 🔁 every week ⏳ 2021-02-13",
            "- [x] sweep the floors 🔁 every week ⏳ 2021-02-06 ✅ 2022-02-13",
        ],
    );
    check(
        "- [ ] sweep the floors 🔁 every week when done ⏳ 2021-02-06",
        date(2022, 2, 13),
        &[
            "- [ ] sweep the floors 🔁 every week when done ⏳ 2022-02-20",
            "- [x] sweep the floors 🔁 every week when done ⏳ 2021-02-06 ✅ 2022-02-13",
        ],
    );
    check(
        "-   [ ] Mow the lawn 🔁 every 2 weeks ⏳ 2021-10-28 📅 2021-10-30",
        TODAY,
        &[
            "-   [ ] Mow the lawn 🔁 every 2 weeks ⏳ 2021-11-11 📅 2021-11-13",
            "-   [x] Mow the lawn 🔁 every 2 weeks ⏳ 2021-10-28 📅 2021-10-30 ✅ 2026-11-26",
        ],
    );
    check(
        "- [ ] Do stuff 🔁 every day",
        TODAY,
        &["- [ ] Do stuff 🔁 every day", "- [x] Do stuff 🔁 every day ✅ 2026-11-26"],
    );
    // The next occurrence has no id, block id or creation date, and is open.
    check(
        "\t> 1. [/] x #t 🆔 a ⛔ b 🔁 every day ➕ 2020-01-01 🛫 2026-11-24 ⏳ 2026-11-25 📅 2026-11-26 #u ^b",
        TODAY,
        &[
            "\t> 1. [ ] x #t 🔁 every day 🛫 2026-11-25 ⏳ 2026-11-26 📅 2026-11-27 #u",
            "\t> 1. [x] x #t 🆔 a ⛔ b 🔁 every day ➕ 2020-01-01 🛫 2026-11-24 ⏳ 2026-11-25 📅 2026-11-26 #u ✅ 2026-11-26 ^b",
        ],
    );
    check("- [ ] x 🏁 delete", TODAY, &[]);
    check(
        "- [ ] x 🔁 every day 🏁 delete 📅 2026-11-26",
        TODAY,
        &["- [ ] x 🔁 every day 🏁 delete 📅 2026-11-27"],
    );
    check("- [ ] x 🏁 keep", TODAY, &["- [x] x 🏁 keep ✅ 2026-11-26"]);
    check(
        "- [ ] x [repeat:: every day]  [due:: 2026-11-26]",
        TODAY,
        &[
            "- [ ] x [repeat:: every day]  [due:: 2026-11-27]",
            "- [x] x [repeat:: every day]  [due:: 2026-11-26] ✅ 2026-11-26",
        ],
    );
}

#[test]
fn plugin_options_are_respected() {
    let line = "- [ ] x 🔁 every day ⏳ 2026-11-25 📅 2026-11-26";
    let below = TaskRules { next_below: true, drop_scheduled: true, set_created: true, ..plugin() };
    assert_eq!(
        completed(line, &below, TODAY),
        [
            "- [x] x 🔁 every day ⏳ 2026-11-25 📅 2026-11-26 ✅ 2026-11-26",
            "- [ ] x 🔁 every day ➕ 2026-11-26 📅 2026-11-27",
        ]
    );
    let alone = "- [ ] x 🔁 every day ⏳ 2026-11-25";
    assert_eq!(completed(alone, &below, TODAY)[1], "- [ ] x 🔁 every day ➕ 2026-11-26 ⏳ 2026-11-26");
    let plain = TaskRules { set_done: Some(false), ..plugin() };
    assert_eq!(completed("- [ ] x", &plain, TODAY), ["- [x] x"]);
    let dataview = TaskRules { form: Some(TaskForm::Dataview), ..plugin() };
    assert_eq!(completed("- [ ] x", &dataview, TODAY), ["- [x] x  [completion:: 2026-11-26]"]);
    // Without the plugin, a plain line is only toggled; one with fields keeps their format.
    let none = TaskRules::default();
    assert_eq!(completed("- [ ] x", &none, TODAY), ["- [x] x"]);
    assert_eq!(completed("- [ ] x 📅 2026-11-26", &none, TODAY), ["- [x] x 📅 2026-11-26 ✅ 2026-11-26"]);
    assert_eq!(
        completed("- [ ] x  [due:: 2026-11-26]", &none, TODAY),
        ["- [x] x  [due:: 2026-11-26]  [completion:: 2026-11-26]"]
    );
    // Without the global filter it is a checkbox, not a task.
    let filtered = TaskRules { filter: "#task".to_owned(), ..plugin() };
    assert_eq!(completed("- [ ] x 🔁 every day", &filtered, TODAY), ["- [x] x 🔁 every day"]);
    assert_eq!(completed("- [ ] #task x", &filtered, TODAY), ["- [x] #task x ✅ 2026-11-26"]);
    assert_eq!(new_task("x", &filtered, TaskForm::Emoji, TODAY).unwrap(), "- [ ] #task x");
}

#[test]
fn custom_statuses_lead_to_the_configured_next_status() {
    let status = |symbol, next, kind| TaskStatus { symbol, name: format!("S{symbol}"), next, kind };
    let rules = TaskRules {
        statuses: vec![
            status(' ', '/', TaskKind::Todo),
            status('/', 'D', TaskKind::InProgress),
            status('D', 'A', TaskKind::Done),
            status('A', '!', TaskKind::NonTask),
            status('!', 'D', TaskKind::Todo),
        ],
        ..plugin()
    };
    let line = "- [ ] x 🔁 every day 📅 2026-11-26";
    assert_eq!(
        completed(line, &rules, TODAY),
        ["- [!] x 🔁 every day 📅 2026-11-27", "- [D] x 🔁 every day 📅 2026-11-26 ✅ 2026-11-26"]
    );
    assert_eq!(
        (rules.named("SD"), rules.named("in progress"), rules.named("A")),
        (Some('D'), Some('/'), Some('A'))
    );
    assert_eq!(rules.named("nowhere"), None);
    // A cycle without a *done* status.
    let round = TaskRules {
        statuses: vec![status('a', 'b', TaskKind::Todo), status('b', 'a', TaskKind::OnHold)],
        ..plugin()
    };
    assert_eq!(completed("- [a] x", &round, TODAY), ["- [x] x ✅ 2026-11-26"]);
}

#[test]
fn open_or_cancelled_task_has_no_completion_date() {
    let check = |line: &str, symbol, expected: &str| {
        let changed = set_task_status(line, symbol, &plugin(), TaskForm::Emoji, TODAY).unwrap();
        assert_eq!((changed.line.as_deref(), changed.next), (Some(expected), None), "{line}");
    };
    check("- [x] x 📅 2026-11-25 ✅ 2026-11-25 ^b", ' ', "- [ ] x 📅 2026-11-25 ^b");
    check("- [ ] x 🔁 every day", '-', "- [-] x 🔁 every day ❌ 2026-11-26");
    check("- [-] x ❌ 2026-11-25", 'x', "- [x] x ✅ 2026-11-26");
    check("- [x] x ✅ 2026-11-25", 'x', "- [x] x ✅ 2026-11-25");
    check("- [ ] x", '/', "- [/] x");
}

#[test]
fn task_that_cannot_recur_is_completed_with_a_reason() {
    for (line, reason) in [
        ("- [ ] x 🔁 jeden Tag 📅 2026-11-26", "the rule \"jeden Tag\" is not understood"),
        ("- [ ] x 🔁 every day 📅 2026-02-30", "there is no day 2026-02-30"),
        (
            "- [ ] x 🔁 every day until January 1, 2020 📅 2026-11-26",
            "\"every day until January 1, 2020\" has no next occurrence",
        ),
    ] {
        let changed = complete_task(line, &plugin(), TaskForm::Emoji, TODAY).unwrap();
        assert_eq!((changed.not_repeated.as_deref(), changed.next), (Some(reason), None));
        assert_eq!(changed.line.unwrap(), format!("{} ✅ 2026-11-26", line.replace("[ ]", "[x]")));
    }
}

#[test]
fn field_is_added_where_the_plugin_writes_it() {
    let set = |line: &str, field, value: Option<&str>| {
        set_task_field(line, field, value, &TaskRules::default(), TaskForm::Emoji).unwrap()
    };
    let line = "- [ ] x #t 🔼 📅 2026-11-26 ^b";
    assert_eq!(set(line, TaskField::Due, Some("2026-12-01")), "- [ ] x #t 🔼 📅 2026-12-01 ^b");
    assert_eq!(
        set(line, TaskField::Start, Some("2026-12-01")),
        "- [ ] x #t 🔼 🛫 2026-12-01 📅 2026-11-26 ^b"
    );
    assert_eq!(set(line, TaskField::Id, Some("a")), "- [ ] x #t 🆔 a 🔼 📅 2026-11-26 ^b");
    assert_eq!(
        set(line, TaskField::Done, Some("2026-12-01")),
        "- [ ] x #t 🔼 📅 2026-11-26 ✅ 2026-12-01 ^b"
    );
    assert_eq!(set(line, TaskField::Priority, Some("highest")), "- [ ] x #t 🔺 📅 2026-11-26 ^b");
    assert_eq!(set(line, TaskField::Priority, None), "- [ ] x #t 📅 2026-11-26 ^b");
    assert_eq!(set(line, TaskField::Due, None), "- [ ] x #t 🔼 ^b");
    assert_eq!(set(line, TaskField::Start, None), line);
    assert_eq!(set("- [ ] x 📆2026-11-26", TaskField::Due, Some("2026-12-01")), "- [ ] x 📆2026-12-01");
    let mixed = set_task_field(
        "- [ ] x 📅 2026-11-26",
        TaskField::Start,
        Some("2026-12-01"),
        &TaskRules { form: Some(TaskForm::Dataview), ..TaskRules::default() },
        TaskForm::Emoji,
    );
    assert_eq!(mixed.unwrap(), "- [ ] x  [start:: 2026-12-01] 📅 2026-11-26");
    let dataview = "- [ ] x  (due:: 2026-11-26)";
    assert_eq!(
        set(dataview, TaskField::Priority, Some("Low")),
        "- [ ] x  [priority:: low]  (due:: 2026-11-26)"
    );
    assert_eq!(set(dataview, TaskField::Due, Some("2026-12-01")), "- [ ] x  (due:: 2026-12-01)");
    assert_eq!(set_task_text(line, "y 2").unwrap(), "- [ ] y 2 🔼 📅 2026-11-26 ^b");
    assert_eq!(task(line).priority, Some(Priority::Medium));
}

#[test]
fn invalid_field_values_are_refused() {
    let set =
        |field, value| set_task_field("- [ ] x", field, Some(value), &TaskRules::default(), TaskForm::Emoji);
    for (field, value) in [
        (TaskField::Due, "tomorrow"),
        (TaskField::Due, "2026-02-30"),
        (TaskField::Due, "2026-12-01\n- [ ] y"),
        (TaskField::Priority, "urgent"),
        (TaskField::Recurrence, "täglich"),
        (TaskField::Recurrence, ""),
        (TaskField::DependsOn, "a b"),
    ] {
        assert!(set(field, value).is_err(), "{field:?} {value}");
    }
    assert_eq!(
        set(TaskField::Due, "soon").unwrap_err().to_string(),
        "\"soon\" cannot be the due date; write a day as 2026-12-01"
    );
    assert!(set_task_text("- [ ] x", "a\nb").is_err());
    assert!(new_task(" \n", &TaskRules::default(), TaskForm::Emoji, TODAY).is_err());
    assert!(complete_task("- x", &TaskRules::default(), TaskForm::Emoji, TODAY).is_err());
}

#[test]
fn line_is_replaced_and_no_other_byte() {
    let check = |text: &str, line, old: &str, new: &[&str], expected: &str| {
        let new: Vec<String> = new.iter().map(|line| (*line).to_owned()).collect();
        assert_eq!(replace_line(text, line, old, &new).unwrap(), expected);
    };
    check("a\nb\nc", 2, "b", &["x", "y"], "a\nx\ny\nc");
    check("a\r\nb\r\nc", 2, "b", &["x", "y"], "a\r\nx\r\ny\r\nc");
    check("a\r\nb", 2, "b", &["x", "y"], "a\r\nx\r\ny");
    check("a\nb\r\nc\n", 2, "b", &["x"], "a\nx\r\nc\n");
    check("a\nb\nc", 2, "b", &[], "a\nc");
    check("a\nb", 2, "b", &[], "a");
    check("a\r\nb\r\n", 2, "b", &[], "a\r\n");
    check("a", 1, "a", &[], "");
    for (line, old) in [(0, "a"), (1, "b"), (3, ""), (1, "a\n")] {
        assert!(replace_line("a\nb\n", line, old, &[]).is_err(), "{line} {old}");
    }
}

#[test]
fn long_and_odd_texts_take_little_time() {
    for text in [
        format!("- [ ] {}", "#a ".repeat(100_000)),
        format!("- [ ] {}", "[due:: 2026-12-01] ".repeat(20_000)),
        format!("- [ ] {}", "📅 2026-12-01 ".repeat(20_000)),
        format!("- [ ] {}", "[::".repeat(100_000)),
        "- [ ] x\n".repeat(20_000),
        "- ".repeat(100_000) + "[ ] x",
        "> ".repeat(100_000) + "- [ ] x",
        "- [ ] x %%\n".repeat(20_000),
    ] {
        for task in tasks(&text).iter().take(3) {
            let line = line_of(&text, task.line).unwrap();
            complete_task(line, &plugin(), TaskForm::Emoji, TODAY).unwrap();
        }
    }
}
