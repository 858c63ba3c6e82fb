#![allow(clippy::unwrap_used)]

use super::*;

#[test]
fn reads_all_fields_of_the_standard() {
    let (skill, findings) = SkillMd::read(
        "---\nname: crm\ndescription: >\n  People and\n  deals.\nlicense: MIT\ncompatibility: Needs a vault\nmetadata:\n  author: someone\n  version: \"1.10\"\nallowed-tools: Read Bash(git:*)\n---\n\n# CRM\n\nUse it.\n",
        Some("crm"),
    )
    .unwrap();
    assert_eq!(
        skill,
        SkillMd {
            name: "crm".into(),
            description: "People and deals.".into(),
            license: Some("MIT".into()),
            compatibility: Some("Needs a vault".into()),
            metadata: [("author".into(), "someone".into()), ("version".into(), "1.10".into())].into(),
            allowed_tools: Some("Read Bash(git:*)".into()),
            instructions: "# CRM\n\nUse it.".into(),
        }
    );
    assert_eq!(findings, []);
}

#[test]
fn reports_errors() {
    assert_eq!(SkillMd::parse("# CRM\n"), Err(SkillMdError::NoFrontMatter));
    assert_eq!(SkillMd::parse(""), Err(SkillMdError::NoFrontMatter));
    assert_eq!(SkillMd::parse("---\nname: x\ndescription: y\n"), Err(SkillMdError::NotClosed));
    assert_eq!(SkillMd::parse("---\nname: x\n---\n"), Err(SkillMdError::NoDescription));
    assert_eq!(SkillMd::parse("---\nname: x\ndescription: \" \"\n---\n"), Err(SkillMdError::NoDescription));
    assert_eq!(SkillMd::parse("---\nname: x\ndescription: [a]\n---\n"), Err(SkillMdError::NoDescription));
    for unreadable in
        ["---\nname: [\n---\n", "---\n- a\n---\n", "---\n---\n", "---\ndescription: a\ndescription: b\n---\n"]
    {
        assert!(matches!(SkillMd::parse(unreadable), Err(SkillMdError::Unreadable { .. })), "{unreadable:?}");
    }
    let error = SkillMd::parse("---\nname: x\ndescription: \"open\n---\n").unwrap_err();
    assert!(error.line().is_some_and(|line| (2..=4).contains(&line)), "{error:?}");
}

#[test]
fn huge_description_is_refused_and_a_long_one_is_cut() {
    let huge = format!("---\nname: x\ndescription: {}\n---\n", "y".repeat(1024 * 1024));
    assert_eq!(SkillMd::parse(&huge), Err(SkillMdError::TooLarge));
    let long = format!("---\nname: x\ndescription: {}\n---\nText.\n", "ä".repeat(2000));
    let (skill, findings) = SkillMd::read(&long, Some("x")).unwrap();
    assert_eq!(skill.description.chars().count(), 1024);
    let said: Vec<String> = findings.iter().map(ToString::to_string).collect();
    assert_eq!(said, ["SKILL.md, line 3: description is 2000 characters long. Use at most 1024."]);
}

#[test]
fn alias_bomb_is_refused() {
    let mut bomb = String::from("---\na0: &a0 [x,x,x,x,x,x,x,x,x,x]\n");
    for level in 1..9 {
        let before = format!("*a{}", level - 1);
        bomb.push_str(&format!("a{level}: &a{level} [{}]\n", vec![before; 10].join(",")));
    }
    bomb.push_str("name: x\ndescription: y\n---\n");
    assert!(matches!(SkillMd::parse(&bomb), Err(SkillMdError::Unreadable { .. })));
    let deep = format!("---\ndescription: {}\n---\n", "[".repeat(20_000));
    assert!(matches!(SkillMd::parse(&deep), Err(SkillMdError::Unreadable { .. })));
}

#[test]
fn deeply_nested_front_matter_is_invalid() {
    let is_valid = |front: String| {
        let text = format!("---\nname: x\ndescription: D.\n{front}---\nText.");
        SkillMd::read(&text, Some("x"))
            .is_ok_and(|(_, found)| found.iter().all(|found| found.severity != Severity::Error))
    };
    let list = |depth: usize| format!("license:\n  {}a\n", "- ".repeat(depth));
    let keys = |depth: usize| {
        let lines = (1..=depth).map(|indent| format!("{}a:\n", " ".repeat(indent)));
        format!("metadata:\n{}", lines.collect::<String>())
    };
    assert!(is_valid(list(50)) && is_valid(keys(50)));
    assert!(!is_valid(list(20_000)) && !is_valid(keys(300)));
}

#[test]
fn violation_of_the_standard_is_a_finding() {
    let check = |text: &str, line: u32, told: &str| {
        let (skill, findings) = SkillMd::read(text, Some("x")).unwrap();
        assert!(!skill.description.is_empty(), "{text:?}");
        let found = findings.iter().find(|finding| finding.message.contains(told));
        assert!(found.is_some_and(|finding| finding.line == Some(line)), "{text:?}: {findings:?}");
    };
    check("---\nname: y\ndescription: D.\n---\nText.", 2, "name: y, its folder is x");
    check("---\ndescription: D.\nname: X\n---\nText.", 3, "capital letters");
    check("---\nname: x--y\ndescription: D.\n---\nText.", 2, "hyphen");
    check("---\nname: x_y\ndescription: D.\n---\nText.", 2, "only letters, digits and hyphens");
    check("---\nname: x\ndescription: D.\nauthor: me\n---\nText.", 4, "The key author is not");
    check("---\nname: x\ndescription: Use when: somebody asks\n---\nText.", 3, "quotation marks");
}

#[test]
fn colon_in_a_description_is_accepted() {
    let text = "---\nname: x\ndescription: Use when: somebody says \"hello\"\nlicense: MIT\n---\n\nText.\n";
    let (skill, _) = SkillMd::read(text, Some("x")).unwrap();
    assert_eq!(skill.description, "Use when: somebody says \"hello\"");
    assert_eq!((skill.license.as_deref(), &*skill.instructions), (Some("MIT"), "Text."));
}

#[test]
fn crlf_and_byte_order_mark_are_accepted() {
    let text = "\u{feff}---\r\nname: x\r\ndescription: D.\r\n---\r\n\r\nText.\r\n";
    let (skill, findings) = SkillMd::read(text, Some("x")).unwrap();
    assert_eq!((&*skill.name, &*skill.description, &*skill.instructions), ("x", "D.", "Text."));
    assert!(findings[0].message.contains("byte order mark"), "{findings:?}");
}

#[test]
fn number_is_read_as_its_source_text() {
    for name in ["0x1f", "1e3", "007", "null", "true", "18446744073709551617", "2026-01-02"] {
        let text = format!("---\nname: {name} # so\ndescription: D.\n---\nText.");
        let (skill, findings) = SkillMd::read(&text, Some(name)).unwrap();
        assert_eq!((skill.name.as_str(), findings.as_slice()), (name, [].as_slice()));
    }
    let text = "---\nname: x\ndescription: D.\nmetadata:\n  version: 1.10\n  quoted: \"1.10\"\n  draft: true\n  words: 1 2\n---\nText.";
    let (skill, _) = SkillMd::read(text, Some("x")).unwrap();
    let wanted = [("version", "1.10"), ("quoted", "1.10"), ("draft", "true"), ("words", "1 2")];
    assert_eq!(skill.metadata, wanted.map(|(key, value)| (key.to_owned(), value.to_owned())).into());
    // Text by the standard, whose YAML is untyped.
    let (skill, findings) = SkillMd::read("---\nname: x\ndescription: null\n---\nText.", Some("x")).unwrap();
    assert_eq!((skill.description.as_str(), findings.as_slice()), ("null", [].as_slice()));
}

#[test]
fn all_keys_may_be_indented() {
    let text =
        "--- # mine\n\n  # too\n  name: y\n  description: D.\n  metadata:\n    version: 1.10\n---\nText.\n";
    let (skill, findings) = SkillMd::read(text, Some("x")).unwrap();
    assert_eq!((skill.name.as_str(), skill.instructions.as_str()), ("y", "Text."));
    assert_eq!(skill.metadata["version"], "1.10");
    let said: Vec<String> = findings.iter().map(ToString::to_string).collect();
    assert_eq!(
        said,
        ["SKILL.md, line 4: SKILL.md says name: y, its folder is x. Use the same name for both."]
    );
}

#[test]
fn front_matter_ends_where_the_keys_end() {
    for (end, body) in [
        ("---\nText.", "Text."),
        (" ---\nText.", "Text."),
        ("---x\nText.", "x\nText."),
        ("----\nText.", "Text."),
        ("--- # end\nText.", "Text."),
        (" ---\nText.\n\n---\n\nMore.", "Text.\n\n---\n\nMore."),
        ("---\n\nA --- b\n--- c\n---\n", "A --- b\n--- c\n---"),
        ("---", ""),
    ] {
        let text = format!("---\nname: x\ndescription: D.\n{end}");
        let (skill, _) = SkillMd::read(&text, Some("x")).unwrap();
        assert_eq!((skill.description.as_str(), skill.instructions.as_str()), ("D.", body), "{end:?}");
    }
    let text = "---\nname: x\ndescription: |\n  one\n  ---\n  two\n---\nText.";
    let (skill, findings) = SkillMd::read(text, Some("x")).unwrap();
    assert_eq!((skill.description.as_str(), skill.instructions.as_str()), ("one --- two", "Text."));
    assert!(findings[0].message.contains("within the front matter"), "{findings:?}");
}

#[test]
fn instructions_too_long_for_one_read_are_reported() {
    let read = |bytes: usize| {
        let text = format!("---\nname: x\ndescription: D.\n---\n{}", "y".repeat(bytes));
        let (skill, findings) = SkillMd::read(&text, Some("x")).unwrap();
        assert_eq!(skill.instructions.len(), bytes);
        findings
    };
    assert_eq!(read(48 * 1024), []);
    let told = read(48 * 1024 + 1);
    assert_eq!(told[0].severity, Severity::Warning);
    assert!(told[0].message.starts_with("The instructions are 49 KB long"), "{told:?}");
}
