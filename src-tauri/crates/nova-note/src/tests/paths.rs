//! Paths that cannot leave the vault, and file names derived from display names.

use super::super::{ContentHash, VaultPath, file_name};

#[test]
fn valid_paths_are_accepted_and_others_refused() {
    for path in [
        "Jane Doe.md",
        "CRM/People/Jane Doe.md",
        ".obsidian/app.json",
        "a/b/c/d.md",
        "東京/🍣.md",
        "CON.md",
        "a..b.md",
        "...a.md",
        " leading.md",
        "ab:c.md",
        "e\u{301}.md",
        "x",
    ] {
        assert_eq!(VaultPath::parse(path).unwrap().as_str(), path);
    }
    for (path, problem) in [
        ("", "it is empty"),
        ("/etc/passwd", "it is absolute"),
        ("/", "it is absolute"),
        ("../x.md", "it holds `.` or `..`"),
        ("a/../b.md", "it holds `.` or `..`"),
        ("a/..", "it holds `.` or `..`"),
        ("..", "it holds `.` or `..`"),
        (".", "it holds `.` or `..`"),
        ("./a.md", "it holds `.` or `..`"),
        ("a/./b.md", "it holds `.` or `..`"),
        ("a//b.md", "a folder in it has no name"),
        ("a/", "it names a folder"),
        ("a\\b.md", "it holds a backslash"),
        ("\\\\server\\share", "it holds a backslash"),
        ("C:/x.md", "it names a drive"),
        ("c:x.md", "it names a drive"),
        ("a\0.md", "it holds a control character"),
        ("a\n.md", "it holds a control character"),
        ("\u{85}.md", "it holds a control character"),
        ("a.md.", "a name in it ends in a dot or a space"),
        ("a.md ", "a name in it ends in a dot or a space"),
        ("dir /a.md", "a name in it ends in a dot or a space"),
        ("dir./a.md", "a name in it ends in a dot or a space"),
    ] {
        assert_eq!(VaultPath::parse(path).unwrap_err().problem, problem, "{path:?}");
    }
    assert!(VaultPath::parse(&"é".repeat(128)).is_err(), "256 bytes in a name");
    assert!(VaultPath::parse(&"a/".repeat(2048)).is_err(), "more than 4096 bytes");
}

#[test]
fn path_within_a_folder_is_checked_as_strictly_as_a_whole_one() {
    let long = "a".repeat(256);
    let deep = "d/".repeat(2046);
    let folders = ["", "a/", "研究/深い/", "a b/", "dir /", "dir./", "C:/", "a\\b/", "../", "/", &deep];
    let names = [
        "a.md",
        "",
        ".",
        "..",
        "x",
        "a.md.",
        "a.md ",
        "a\\b.md",
        "a/b.md",
        "a\0.md",
        "a\n.md",
        "\u{7f}.md",
        "\u{85}.md",
        "C:x.md",
        "天気.md",
        "e\u{301}.md",
        " leading.md",
        "a\u{a0}.md",
        &long,
    ];
    let mut room = "left from before".to_owned();
    for folder in folders {
        let is_sound = VaultPath::is_sound_folder(folder);
        assert_eq!(
            is_sound,
            folder.is_empty() || VaultPath::parse(&format!("{folder}x")).is_ok(),
            "{folder:?}"
        );
        for name in names {
            let whole = VaultPath::parse(&format!("{folder}{name}"));
            assert_eq!(VaultPath::within(folder, is_sound, name, &mut room), whole, "{folder:?} {name:?}");
        }
    }
}

#[test]
fn path_components() {
    let check = |path: &str, name: &str, folder: &str, is_note: bool, is_hidden: bool| {
        let path = VaultPath::parse(path).unwrap();
        assert_eq!(
            (path.name(), path.folder(), path.is_note(), path.is_hidden()),
            (name, folder, is_note, is_hidden),
            "{path}"
        );
    };
    check("CRM/People/Jane Doe.md", "Jane Doe", "CRM/People", true, false);
    check("Jane.MD", "Jane", "", true, false);
    check("a/photo.png", "photo.png", "a", false, false);
    check(".obsidian/app.json", "app.json", ".obsidian", false, true);
    check("a/.trash/x.md", "x", "a/.trash", true, true);
    check("v1.2.md", "v1.2", "", true, false);
    check("é.md", "é", "", true, false);
    check("a/.md", ".md", "a", false, true);

    assert_eq!(VaultPath::in_folder("CRM/People", "J.md").unwrap().as_str(), "CRM/People/J.md");
    assert_eq!(VaultPath::in_folder("CRM/", "J.md").unwrap().as_str(), "CRM/J.md");
    assert_eq!(VaultPath::in_folder("", "J.md").unwrap().as_str(), "J.md");
    assert!(VaultPath::in_folder("CRM", "a/b.md").is_err());
    assert!(VaultPath::in_folder("..", "b.md").is_err());
}

#[test]
fn path_is_checked_on_deserialization() {
    let path: VaultPath = serde_json::from_str("\"a/b.md\"").unwrap();
    assert_eq!(serde_json::to_string(&path).unwrap(), "\"a/b.md\"");
    assert!(serde_json::from_str::<VaultPath>("\"../b.md\"").is_err());
}

#[test]
fn file_name_avoids_characters_that_systems_or_links_refuse() {
    let check = |display: &str, file: &str| {
        assert_eq!(file_name(display), file);
        assert!(VaultPath::parse(&format!("{file}.md")).is_ok());
    };
    check("Jane Doe", "Jane Doe");
    check("  Jane  ", "Jane");
    check("a/b\\c:d*e?f\"g<h>i|j#k^l[m]n", "a-b-c-d-e-f-g-h-i-j-k-l-m-n");
    check("a\tb\0c", "a-b-c");
    check("..hidden", "hidden");
    check(". .x", "x");
    check("Acme Inc.", "Acme Inc");
    check("", "Untitled");
    check(" .. ", "Untitled");
    check("con", "con_");
    check("NUL.x", "NUL.x_");
    check("2026-11-20 Café 12.50", "2026-11-20 Café 12.50");
    check("e\u{301}", "é");
    check(&"é".repeat(150), &"é".repeat(100));
    check(&"🍣".repeat(60), &"🍣".repeat(50));
}

#[test]
fn hash_covers_all_bytes() {
    // BLAKE3's test vector for the empty input.
    let empty = "af1349b9f5f9a1a6a0404dea36dcc9499bcb25c9adc112b7cc9a93cae41f3262";
    assert_eq!(ContentHash::of(b"").to_string(), empty);
    assert_eq!(serde_json::to_string(&ContentHash::of(b"")).unwrap(), format!("\"{empty}\""));
    assert_eq!(ContentHash::from_hex(empty), Some(ContentHash::of(b"")));
    assert_eq!(ContentHash::from_hex("af"), None);
    assert_ne!(ContentHash::of(b"a\n"), ContentHash::of(b"a\r\n"));
}

#[test]
fn conflicted_copies_are_recognised_by_name() {
    let check = |path: &str, original: Option<&str>| {
        let path = VaultPath::parse(path).unwrap();
        assert_eq!(path.sync_conflict_of(), original, "{path}");
        assert_eq!(path.is_sync_conflict(), original.is_some(), "{path}");
    };
    check("CRM/a.sync-conflict-20261121-101112-ABCDEFG.md", Some("a"));
    check("a.sync-conflict-20261121-101112.md", Some("a"));
    check("a b.sync-conflict-20261121-101112-AB2DE7G.MD", Some("a b"));
    check("a_conflict-20261121-101112.md", Some("a"));
    check("a (conflicted copy 2026-11-21).md", Some("a"));
    check("Jane (Acme) (Jane's conflicted copy 2026-11-21).md", Some("Jane (Acme)"));
    check("a (Jane\u{2019}s MacBook Pro's conflicted copy 2026-11-21 (1)).md", Some("a"));
    check("a (conflicted copy 2026-11-21 101112).md", Some("a"));
    check("a (Conflicted copy laptop 202611211011).md", Some("a"));
    check("a (SFConflict jane@example.com 2026-11-21-10-11-12).md", Some("a"));

    check("a 2.md", None);
    check("a (1).md", None);
    check("a (conflicted copy).md", None);
    check("a (notes on the conflicted copy of 1999).md", None);
    check("(conflicted copy 2026-11-21).md", None);
    check(".sync-conflict-20261121-101112-ABCDEFG.md", None);
    check("a.sync-conflict-2026-101112.md", None);
    check("a.sync-conflict-20261121-101112-abcdefg.md", None);
    check("On sync-conflict-20261121-101112.md", None);
    check("a.sync-conflict-20261121-101112-ABCDEFG.png", None);
}
