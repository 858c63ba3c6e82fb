use jiff::tz::TimeZone;
use nova_skill::{ContentHash, Note, RecordType, VaultPath};
use nova_vault::note::Document;

use super::*;
use crate::routines::note::ROUTINE;

fn declared() -> RecordType {
    let types = nova_registry::records_in(nova_skill_vault::skill().manifest());
    types.get(ROUTINE).expect("the type").clone()
}

fn note(path: &str, text: &str) -> RoutineNote {
    let note = Note {
        path: VaultPath::parse(path).expect("a path"),
        text: text.into(),
        hash: ContentHash::of(text.as_bytes()),
        document: std::sync::Arc::new(Document::parse(text)),
        modified: at("2026-11-01T00:00:00Z"),
    };
    RoutineNote::read(&declared(), note, &TimeZone::UTC)
}

fn daily(path: &str) -> RoutineNote {
    note(path, "---\ntype: routine\nwhen: daily 07:30\n---\nWhat is due?\n")
}

fn at(time: &str) -> Timestamp {
    time.parse().expect("a time")
}

/// Checks what is due at each of these times in sequence; everything due is run immediately.
#[track_caller]
fn check(notes: &[RoutineNote], looks: &[(&str, &[&str])]) {
    let mut entries = BTreeMap::new();
    for (now, expected) in looks {
        let dues = look(&mut entries, notes, now, false);
        let found: Vec<String> = dues.iter().map(|due| format!("{} {}", due.path, due.at)).collect();
        assert_eq!(found, *expected, "at {now}");
        for due in dues {
            let entry = entries.get_mut(&due.path).expect("an entry");
            entry.through = entry.through.max(at(now));
        }
    }
}

fn look(
    entries: &mut BTreeMap<String, Entry>,
    notes: &[RoutineNote],
    now: &str,
    beginning: bool,
) -> Vec<Due> {
    let records = [("contact".to_owned(), now[..10].to_owned())].into();
    due(entries, notes, &Moment { now: at(now), beginning, records: &records, is_running: &|_| false })
}

#[test]
fn time_is_due_once_and_a_new_routine_has_missed_nothing() {
    check(
        &[daily("R.md")],
        &[
            ("2026-11-20T12:00:00Z", &[]),
            ("2026-11-21T07:29:59Z", &[]),
            ("2026-11-21T07:30:00Z", &["R.md 2026-11-21T07:30:00Z"]),
            ("2026-11-21T07:30:15Z", &[]),
            ("2026-11-22T07:31:00Z", &["R.md 2026-11-22T07:30:00Z"]),
        ],
    );
}

#[test]
fn several_missed_times_are_due_once_at_the_last_of_them() {
    let mut entries = BTreeMap::new();
    let notes = [daily("R.md")];
    look(&mut entries, &notes, "2026-11-20T12:00:00Z", false);
    let dues = look(&mut entries, &notes, "2026-11-24T10:00:00Z", false);
    let (last, first) = (at("2026-11-24T07:30:00Z"), at("2026-11-21T07:30:00Z"));
    assert_eq!(dues, [Due { path: "R.md".into(), at: last, first }]);
}

#[test]
fn clock_set_back_repeats_nothing_and_clock_set_forward_misses_runs() {
    check(
        &[daily("R.md")],
        &[
            ("2026-11-20T12:00:00Z", &[]),
            ("2026-11-21T07:30:00Z", &["R.md 2026-11-21T07:30:00Z"]),
            ("2026-11-21T07:00:00Z", &[]),
            ("2026-11-21T07:30:00Z", &[]),
            ("2026-11-18T07:30:00Z", &[]),
            ("2026-11-25T09:00:00Z", &["R.md 2026-11-25T07:30:00Z"]),
            ("2026-11-22T09:00:00Z", &[]),
            ("2026-11-26T07:30:00Z", &["R.md 2026-11-26T07:30:00Z"]),
        ],
    );
}

#[test]
fn edited_or_enabled_schedule_has_missed_nothing() {
    let mut entries = BTreeMap::new();
    look(&mut entries, &[daily("R.md")], "2026-11-20T12:00:00Z", false);
    let earlier = note("R.md", "---\ntype: routine\nwhen: daily 06:00\n---\nWhat is due?\n");
    assert_eq!(look(&mut entries, &[earlier], "2026-11-21T09:00:00Z", false), []);
    let off = note("R.md", "---\ntype: routine\nwhen: daily 06:00\nenabled: false\n---\nWhat is due?\n");
    assert_eq!(look(&mut entries, &[off], "2026-11-22T09:00:00Z", false), []);
    let on = || note("R.md", "---\ntype: routine\nwhen: daily 06:00\n---\nWhat is due?\n");
    assert_eq!(look(&mut entries, &[on()], "2026-11-23T09:00:00Z", false), []);
    assert_eq!(look(&mut entries, &[on()], "2026-11-24T09:00:00Z", false).len(), 1);
}

#[test]
fn routine_is_due_at_start_and_when_contacts_change() {
    let mut entries = BTreeMap::new();
    let start = || note("S.md", "---\ntype: routine\nwhen: [at start, when a contact changes]\n---\nHello\n");
    assert_eq!(look(&mut entries, &[start()], "2026-11-20T12:00:00Z", true).len(), 1);
    assert_eq!(look(&mut entries, &[start()], "2026-11-20T12:01:00Z", false), []);
    // The contacts in these tests change daily.
    assert_eq!(look(&mut entries, &[start()], "2026-11-21T12:00:00Z", false).len(), 1);
}

#[test]
fn running_or_waiting_routine_is_not_due() {
    let mut entries = BTreeMap::new();
    let notes = [daily("R.md")];
    look(&mut entries, &notes, "2026-11-20T12:00:00Z", false);
    let run = |end| LastRun {
        session: "s".into(),
        due: at("2026-11-20T07:30:00Z"),
        started: at("2026-11-20T07:30:00Z"),
        ended: None,
        end,
        said: "Change 1 note?".into(),
        seen: false,
        excluded: BTreeMap::new(),
    };
    for (end, lost) in [(RoutineEnd::Running, RoutineEnd::CutOff), (RoutineEnd::Waiting, RoutineEnd::Stopped)]
    {
        entries.get_mut("R.md").expect("an entry").last = Some(run(end));
        let records = BTreeMap::new();
        let now = at("2026-11-21T09:00:00Z");
        let moment = Moment { now, beginning: false, records: &records, is_running: &|_| true };
        assert_eq!(due(&mut entries, &notes, &moment), []);
        let moment = Moment { is_running: &|_| false, ..moment };
        assert_eq!(due(&mut entries, &notes, &moment).len(), 1, "{end:?}");
        assert_eq!(entries["R.md"].last.as_ref().map(|last| last.end), Some(lost));
    }
}

#[test]
fn invalid_routine_is_reported_and_affects_no_other() {
    for (text, why) in [
        ("---\ntype: routine\n---\nHello\n", "`when` is missing. Write it as"),
        ("---\ntype: routine\nwhen: every 0 minutes\n---\nHello\n", "is not between 5 minutes and 24 hours"),
        (
            "---\ntype: routine\nwhen: daily 07:30\nzone: Mars/Olympus\n---\nHello\n",
            "is not a time zone. Use one",
        ),
        ("---\ntype: routine\nwhen: daily 07:30\nenabled: perhaps\n---\nHello\n", "enabled"),
        ("---\ntype: routine\nwhen: daily 07:30\n---\n \n", "It has no message. Write one"),
        (
            "---\ntype: routine\nwhen: daily 07:30\ntool: vault.search\nargs: '[1]'\n---\n",
            "`args: [1]` is not a JSON object",
        ),
    ] {
        let wrong = note("A.md", text);
        let problem = wrong.routine.as_ref().err().expect(text).clone();
        assert!(problem.contains(why), "{text}: {problem}");
        check(
            &[wrong, daily("R.md")],
            &[("2026-11-20T12:00:00Z", &[]), ("2026-11-21T07:30:00Z", &["R.md 2026-11-21T07:30:00Z"])],
        );
    }
}

#[test]
fn each_of_ten_thousand_routines_is_due_once() {
    let notes: Vec<RoutineNote> = (0..10_000).map(|number| daily(&format!("R{number}.md"))).collect();
    let mut entries = BTreeMap::new();
    assert_eq!(look(&mut entries, &notes, "2026-11-20T12:00:00Z", false), []);
    assert_eq!(look(&mut entries, &notes, "2026-11-21T07:30:00Z", false).len(), 10_000);
    assert_eq!(look(&mut entries, &[], "2026-11-22T07:30:00Z", false), []);
    assert!(entries.is_empty(), "entries of deleted notes are dropped");
}
