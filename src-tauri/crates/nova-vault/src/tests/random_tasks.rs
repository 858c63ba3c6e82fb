//! Random notes with tasks: an edit changes its line and no other byte.

use jiff::civil::{Date, date};

use super::random_moves::Random;
use crate::note::{line_of, replace_line};
use crate::{TaskField, TaskForm, TaskRules, complete_task, set_task_field, task_of, tasks};

const TODAY: Date = date(2026, 11, 26);

#[rustfmt::skip]
const LINES: &[&str] = &[
    "# Log", "", "text", "- item", "  - [ ] nested", "\t- [/] deeper 📅 2026-12-01", "- [ ] twice", "- [ ] twice",
    "* [x] done ✅ 2026-11-01", "> - [ ] quoted #t 🔁 every month on the last 📅 2026-11-30", "```", "%%",
    "- [ ] bank 🔁 every week when done ⏳ 2026-11-20 ^id-1", "1. [-] gone ❌ 2026-11-02",
    "- [ ] dv  [repeat:: every 2 days]  [due:: 2026-11-26]", "- [ ] go 🏁 delete", "- [ ] 東京  ", "    - [ ] code?",
    "- [ ] bad 🔁 nie 📅 2026-02-30", "- [ ] x 🆔 a ⛔ b,c ⏫ 🔁 every day ➕ 2020-01-01 🛫 2026-11-01 📅 2026-11-03",
];

fn note(random: &mut Random) -> String {
    let eol = *random.of(&["\n", "\r\n"]);
    let mut text = String::new();
    if random.below(3) == 0 {
        text.push_str(&format!("---{eol}type: note{eol}---{eol}"));
    }
    for _ in 0..random.below(14) + 1 {
        let line = *random.of::<&str>(LINES);
        text.push_str(line);
        text.push_str(if random.below(12) == 0 { "\n" } else { eol });
    }
    if random.below(2) == 0 {
        text.truncate(text.trim_end_matches(['\n', '\r']).len());
    }
    text
}

/// The lines with their line breaks.
fn lines(text: &str) -> Vec<&str> {
    text.split_inclusive('\n').collect()
}

#[test]
fn edit_of_a_task_changes_its_line_only() {
    let (mut edited, mut repeated) = (0, 0);
    for seed in 1..=1_500 {
        let random = &mut Random((seed * 0x9E37_79B9) | 1);
        let text = note(random);
        let rules = TaskRules {
            next_below: random.below(2) == 0,
            set_created: random.below(2) == 0,
            set_done: *random.of(&[None, Some(true), Some(false)]),
            ..TaskRules::default()
        };
        for task in tasks(&text) {
            let line = line_of(&text, task.line).unwrap();
            let new = match random.below(2) {
                0 => {
                    let changed = complete_task(line, &rules, TaskForm::Emoji, TODAY).unwrap();
                    repeated += usize::from(changed.next.is_some());
                    changed.lines(&rules)
                }
                _ => {
                    let field = *random.of(&[TaskField::Due, TaskField::Start, TaskField::Done]);
                    let value = random.of(&[None, Some("2027-01-01")]);
                    let line = set_task_field(line, field, *value, &rules, TaskForm::Dataview).unwrap();
                    let read = task_of(&line, 1).unwrap();
                    let read = [read.due, read.start, read.done];
                    let at = [TaskField::Due, TaskField::Start, TaskField::Done]
                        .iter()
                        .position(|at| *at == field);
                    assert_eq!(read[at.unwrap()].map(|date| date.to_string()).as_deref(), *value, "{line}");
                    vec![line]
                }
            };
            let after = replace_line(&text, task.line, line, &new).unwrap();
            let index = usize::try_from(task.line).unwrap() - 1;
            let (old, now) = (lines(&text), lines(&after));
            let removed_last = new.is_empty() && old.len() == index + 1;
            if removed_last && !text.ends_with('\n') {
                // The line before becomes the last one, and ends as the last one did.
                let before = text[..text.len() - line.len()].trim_end_matches(['\r', '\n']);
                assert_eq!(after.trim_end_matches(['\r', '\n']), before, "seed {seed}: {text:?}");
            } else {
                assert_eq!(old[..index], now[..index], "seed {seed}: {text:?}");
                assert_eq!(old[index + 1..], now[index + new.len()..], "seed {seed}: {text:?}");
                let written =
                    now[index..index + new.len()].iter().map(|line| line.trim_end_matches(['\r', '\n']));
                assert_eq!(written.collect::<Vec<_>>(), new, "seed {seed}");
                assert_eq!(
                    text.ends_with('\n'),
                    after.ends_with('\n') || after.is_empty(),
                    "seed {seed}: {text:?}"
                );
            }
            // Undone, the bytes are the original ones.
            if let [first, rest @ ..] = new.as_slice() {
                let mut back = after;
                for line in rest {
                    back = replace_line(&back, task.line + 1, line, &[]).unwrap();
                }
                back = replace_line(&back, task.line, first, &[line.to_owned()]).unwrap();
                assert_eq!(back, text, "seed {seed}");
            }
            edited += 1;
        }
    }
    assert!(edited > 2_000 && repeated > 200, "{edited} {repeated}");
}
