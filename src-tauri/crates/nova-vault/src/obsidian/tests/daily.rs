use super::saturday;
use crate::VaultPath;
use crate::obsidian::DailyNotes;

fn daily(folder: &str, format: &str) -> DailyNotes {
    DailyNotes { folder: folder.to_owned(), format: format.to_owned(), ..DailyNotes::default() }
}

#[track_caller]
fn path(folder: &str, format: &str) -> Result<String, String> {
    let path = daily(folder, format).path(&saturday());
    path.map(|path| path.to_string()).map_err(|error| error.to_string())
}

#[test]
fn path_of_a_day() {
    for (folder, format, expected) in [
        ("", "YYYY-MM-DD", "2026-11-21.md"),
        ("Daily", "YYYY-MM-DD", "Daily/2026-11-21.md"),
        ("/Journal/Days/", "YYYY/MM/YYYY-MM-DD", "Journal/Days/2026/11/2026-11-21.md"),
        ("Daily", "YYYY/MMMM/[Day] D", "Daily/2026/November/Day 21.md"),
        ("Daily", "YYYY-MM-DD[.md]", "Daily/2026-11-21.md"),
        ("", "/YYYY-MM-DD ", "2026-11-21.md"),
    ] {
        assert_eq!(path(folder, format).as_deref(), Ok(expected), "{folder} {format}");
    }
}

#[test]
fn paths_out_of_the_vault_are_refused() {
    for (folder, format) in [
        ("../Daily", "YYYY-MM-DD"),
        ("Daily/../..", "YYYY-MM-DD"),
        ("C:", "YYYY"),
        ("Daily", "[../../]YYYY-MM-DD"),
        ("Daily", "[a\u{0}b]"),
        (".obsidian", "YYYY-MM-DD"),
        ("Daily", "[.trash/]YYYY-MM-DD"),
        ("Daily", ""),
        ("Daily", "YYYY/"),
        ("Daily\\..", "YYYY"),
    ] {
        let refused = path(folder, format);
        // A trailing slash in the format is dropped from the name.
        if format == "YYYY/" {
            assert_eq!(refused.as_deref(), Ok("Daily/2026.md"));
            continue;
        }
        let error = refused.unwrap_err();
        assert!(error.starts_with(".obsidian/daily-notes.json: the daily note "), "{error}");
        assert!(error.ends_with("in Obsidian's settings."), "{error}");
    }
}

#[test]
fn refused_daily_note_is_named_by_its_whole_path() {
    let error = path("../out", "YYYY-MM-DD").unwrap_err();
    assert!(error.contains("\"../out/2026-11-21.md\""), "{error}");
}

#[test]
fn daily_note_is_recognised_by_path_or_name() {
    for (folder, format, path, expected) in [
        ("", "YYYY-MM-DD", "2026-11-21.md", Some("2026-11-21")),
        ("Daily", "YYYY-MM-DD", "Daily/2026-11-21.md", Some("2026-11-21")),
        ("Daily", "YYYY-MM-DD", "Daily/Archive/2026-11-21.md", Some("2026-11-21")),
        ("Daily", "YYYY/MM/YYYY-MM-DD", "Daily/2026/11/2026-11-21.md", Some("2026-11-21")),
        ("Daily", "YYYY/MM/YYYY-MM-DD", "Daily/2026-11-21.md", Some("2026-11-21")),
        ("Daily", "YYYY/MM/DD", "Daily/2026/11/21.md", Some("2026-11-21")),
        ("Daily", "YYYY/MM/DD", "Daily/21.md", None),
        ("Daily", "YYYY-MM-DD", "2026-11-21.md", None),
        ("Daily", "YYYY-MM-DD", "Dailyish/2026-11-21.md", None),
        ("Daily", "YYYY-MM-DD", "Daily/2026-11-21 Lisbon.md", None),
        ("", "YYYY-MM-DD", "2026-11-21.base", None),
    ] {
        let found = daily(folder, format).date(&VaultPath::parse(path).unwrap());
        assert_eq!(found.map(|date| date.to_string()).as_deref(), expected, "{path} in {folder} as {format}");
    }
}

#[test]
fn template_must_be_in_the_vault() {
    let template = |set: &str| {
        let daily = DailyNotes { template: Some(set.to_owned()), ..DailyNotes::default() };
        daily.template().map(|path| path.unwrap().to_string()).map_err(|error| error.to_string())
    };
    assert_eq!(template("Templates/Daily note").as_deref(), Ok("Templates/Daily note.md"));
    assert_eq!(template("/Templates/Daily.md").as_deref(), Ok("Templates/Daily.md"));
    for (hostile, why) in [
        ("../Secret", "it holds `.` or `..`"),
        ("Templates/../../Secret.md", "it holds `.` or `..`"),
        (".obsidian/app.json", "it is in a folder that starts with a dot"),
        ("Templates/.hidden", "it is in a folder that starts with a dot"),
        ("C:\\Secret", "it holds a backslash"),
        ("a\u{0}b", "it holds a control character"),
    ] {
        let error = template(hostile).unwrap_err();
        assert!(error.contains(&format!("is not read: {why}")), "{error}");
    }
    assert_eq!(DailyNotes::default().template(), Ok(None));
}
