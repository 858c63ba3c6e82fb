//! Which of Obsidian's settings are read, and how.

use super::*;
use crate::{
    DailyNotes, LinkFormat, NewNotes, ObsidianSettings, TaskSettings, TemplateFolder, Templates, Trash,
};

/// The settings read from these files of `.obsidian`.
fn settings(files: &[(&str, &str)]) -> ObsidianSettings {
    let files: Vec<_> =
        files.iter().map(|(name, text)| (format!(".obsidian/{name}"), (*text).to_owned())).collect();
    let files: Vec<_> = files.iter().map(|(path, text)| (path.as_str(), text.as_str())).collect();
    Bed::new(&files).vault().obsidian()
}

fn defaults() -> ObsidianSettings {
    ObsidianSettings { attachments: "/".to_owned(), ..ObsidianSettings::default() }
}

fn problems(settings: &ObsidianSettings) -> Vec<(&str, u32)> {
    settings.problems.iter().map(|problem| (problem.path.as_str(), problem.line)).collect()
}

#[test]
fn missing_settings_count_as_obsidians_defaults() {
    assert_eq!(Bed::new(&[("a.md", "")]).vault().obsidian().daily, DailyNotes::default());
    let settings = settings(&[("app.json", "{}")]);
    assert_eq!(settings, defaults());
    assert_eq!((settings.trash, settings.link_format), (Trash::System, LinkFormat::Shortest));
    assert_eq!((settings.daily.folder.as_str(), settings.daily.format.as_str()), ("", "YYYY-MM-DD"));
    assert_eq!((settings.daily.template, settings.new_notes), (None, NewNotes::Root));
}

#[test]
fn user_settings_are_respected() {
    let settings = settings(&[
        (
            "app.json",
            r#"{"trashOption":"local","attachmentFolderPath":"./files","newFileLocation":"folder",
                "newFileFolderPath":"Inbox","newLinkFormat":"relative","useMarkdownLinks":true,
                "alwaysUpdateLinks":true,"vimMode":true}"#,
        ),
        ("daily-notes.json", r#"{"folder":"Daily","format":"YYYY/MM-DD","template":"Templates/Day"}"#),
        ("templates.json", r#"{"folder":"Templates","dateFormat":"D.M.","timeFormat":"H"}"#),
    ]);
    assert_eq!(
        settings,
        ObsidianSettings {
            trash: Trash::Local,
            new_notes: NewNotes::Folder("Inbox".to_owned()),
            attachments: "./files".to_owned(),
            link_format: LinkFormat::Relative,
            markdown_links: true,
            update_links: true,
            daily: DailyNotes {
                file: ".obsidian/daily-notes.json",
                folder: "Daily".to_owned(),
                format: "YYYY/MM-DD".to_owned(),
                template: Some("Templates/Day".to_owned()),
            },
            templates: Templates {
                folder: Some("Templates".to_owned()),
                date_format: "D.M.".to_owned(),
                time_format: "H".to_owned(),
            },
            tasks: TaskSettings::default(),
            problems: Vec::new(),
        }
    );
}

#[test]
fn values_of_the_wrong_kind_and_empty_ones_count_as_missing() {
    let settings = settings(&[
        ("app.json", r#"{"trashOption":7,"newFileLocation":"folder","newLinkFormat":"shouting"}"#),
        ("daily-notes.json", r#"{"folder":null,"format":"","template":"  "}"#),
        ("templates.json", r#"{"dateFormat":[]}"#),
    ]);
    assert_eq!(settings, defaults());
}

#[test]
fn broken_file_counts_as_missing_and_is_reported() {
    let settings = settings(&[
        ("app.json", "{\n\"trashOption\": \"local\"\n"),
        ("daily-notes.json", "[]"),
        ("templates.json", "\u{feff}{\"timeFormat\":\"H\"}"),
    ]);
    assert_eq!(problems(&settings), [(".obsidian/app.json", 3), (".obsidian/daily-notes.json", 1)]);
    assert_eq!((settings.trash, settings.templates.time_format.as_str()), (Trash::System, "H"));
    assert_eq!(settings.daily, DailyNotes::default());
}

#[test]
fn problems_in_settings_are_problems_of_the_vault() {
    let bed = Bed::new(&[(".obsidian/app.json", "{"), ("a.md", "---\nb: [\n---\n")]);
    fs::write(bed.root().join(".obsidian/templates.json"), b"{\"folder\":\"\xff\"}").unwrap();
    let vault = bed.vault();
    let paths: Vec<_> = vault.problems().unwrap().into_iter().map(|problem| problem.path).collect();
    assert_eq!(paths, [".obsidian/app.json", ".obsidian/templates.json", "a.md"]);
    assert_eq!(vault.status().unwrap().problems, 3);
}

#[test]
fn paths_out_of_the_vault_are_reported() {
    let settings = settings(&[
        ("app.json", r#"{"newFileLocation":"folder","newFileFolderPath":"../Inbox"}"#),
        ("daily-notes.json", r#"{"folder":"/etc/../..","template":".obsidian/app"}"#),
    ]);
    assert_eq!(
        settings.problems.iter().map(|problem| problem.problem.as_str()).collect::<Vec<_>>(),
        [
            "the daily note \"etc/../../1970-01-01.md\" cannot be created: it holds `.` or `..`",
            "the template \".obsidian/app\" of daily notes is not read: it is in a folder that starts with a \
             dot",
            "new notes cannot go to \"../Inbox\": it holds `.` or `..`",
        ]
    );
}

#[test]
fn periodic_notes_replaces_daily_notes_if_enabled() {
    let core = ("daily-notes.json", r#"{"folder":"Core"}"#);
    let enabled = ("community-plugins.json", r#"["dataview","periodic-notes"]"#);
    let data = |text| ("plugins/periodic-notes/data.json", text);
    let first = r#"{"daily":{"enabled":true,"format":"","folder":"Days","template":"T/Day.md"}}"#;
    let folder = |files: &[(&str, &str)]| settings(files).daily.folder;

    let daily = settings(&[core, enabled, data(first)]).daily;
    assert_eq!((daily.folder.as_str(), daily.format.as_str()), ("Days", "YYYY-MM-DD"));
    assert_eq!(daily.template.as_deref(), Some("T/Day.md"));
    assert_eq!(daily.file, ".obsidian/plugins/periodic-notes/data.json");

    assert_eq!(folder(&[core, data(first)]), "Core", "installed, not enabled");
    assert_eq!(folder(&[core, enabled]), "Core", "enabled, never set up");
    assert_eq!(folder(&[core, enabled, data(r#"{"daily":{"enabled":false,"folder":"Days"}}"#)]), "Core");
    assert_eq!(folder(&[core, enabled, data("{")]), "Core");

    let sets = r#"{"activeCalendarSet":"b","calendarSets":[
        {"id":"a","day":{"enabled":true,"folder":"A"}},
        {"id":"b","day":{"enabled":true,"folder":"B","templatePath":"T.md"}}]}"#;
    let daily = settings(&[core, enabled, data(sets)]).daily;
    assert_eq!((daily.folder.as_str(), daily.template.as_deref()), ("B", Some("T.md")));
}

#[cfg(unix)]
#[test]
fn settings_behind_a_link_are_not_read() {
    let bed = Bed::new(&[("a.md", "")]);
    let outside = bed.dir.path().join("outside");
    fs::create_dir(&outside).unwrap();
    fs::write(outside.join("app.json"), r#"{"trashOption":"local"}"#).unwrap();
    std::os::unix::fs::symlink(&outside, bed.root().join(".obsidian")).unwrap();
    let settings = bed.vault().obsidian();
    assert_eq!(settings.trash, Trash::System);
    assert_eq!(problems(&settings), [(".obsidian", 1)]);
}

#[test]
fn settings_are_read_again_each_time() {
    let bed = Bed::new(&[(".obsidian/daily-notes.json", r#"{"folder":"A"}"#)]);
    let vault = bed.vault();
    assert_eq!(vault.obsidian().daily.folder, "A");
    bed.put(".obsidian/daily-notes.json", r#"{"folder":"B"}"#);
    assert_eq!(vault.obsidian().daily.folder, "B");
}

#[test]
fn note_in_the_template_folder_is_recognised_in_any_spelling() {
    for (set, inside, outside) in [
        (None, "templates/Person.md", "Template.md"),
        (None, "Templates/People/Person.md", "Old/Templates/Person.md"),
        (Some("/Vorlagen Übersicht/"), "VORLAGEN U\u{308}BERSICHT/Jané.md", "Vorlagen Übersicht.md"),
        (Some("Meta/Formen"), "meta/formen/Jané.md", "Meta/Formen 2/Jané.md"),
        (Some("Meta/Formen"), "Meta/Formen/a/b.md", "Meta/Formen.md"),
    ] {
        let folder = TemplateFolder::new(set);
        assert!(folder.holds(&path(inside)), "{set:?}: {inside}");
        assert!(!folder.holds(&path(outside)), "{set:?}: {outside}");
    }
}
