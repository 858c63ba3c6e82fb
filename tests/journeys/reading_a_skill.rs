//! The model reads files of a skill's folder.

use std::fs;

use nova_app::NoApprover;
use nova_testkit::{call, text};
use serde_json::json;

use super::nova::turn;
use super::skills::{offered, post, started};

#[tokio::test]
async fn file_beside_the_instructions_is_read_and_nothing_outside_the_folder() {
    let nova = post([
        call("load_skill", json!({"skill": "post"})),
        call("read_skill_file", json!({"skill": "post", "path": "references/tone.md"})),
        call("read_skill_file", json!({"skill": "post", "path": "../../permissions.yaml"})),
        call("read_skill_file", json!({"skill": "post", "path": "references/no.md"})),
        text("Read."),
    ]);
    nova.rules("permissions: {deny: [never_to_be_read]}");
    let references = nova.config().join("skills").join("post").join("references");
    fs::create_dir_all(&references).unwrap();
    fs::write(references.join("tone.md"), "Write short letters.").unwrap();
    let app = started(&nova).await;

    turn(&app, None, "Any mail?", NoApprover).await;

    let answers = nova.model.last_texts("tool");
    assert!(answers[0].contains("**Files** for read_skill_file: references/tone.md"), "{answers:?}");
    assert_eq!(answers[1], "Write short letters.");
    assert!(answers[2].contains("error") && !answers[2].contains("never_to_be_read"), "{answers:?}");
    assert!(answers[3].contains("references/tone.md"), "the existing files are listed: {answers:?}");
    let requests = nova.model.requests();
    assert!(offered(&requests[0]).contains(&"read_skill_file".into()));
}

#[tokio::test]
async fn long_instructions_keep_their_end_and_long_files_are_read_in_parts() {
    let nova = post([
        call("load_skill", json!({"skill": "post"})),
        call("read_skill_file", json!({"skill": "post", "path": "references/long.md"})),
        call("read_skill_file", json!({"skill": "post", "path": "references/long.md", "offset": 40960})),
        text("Read."),
    ]);
    let folder = nova.config().join("skills").join("post");
    let long = format!("---\nname: post\ndescription: Mail.\n---\n\n{}\n", "A long sentence. ".repeat(5_000));
    fs::write(folder.join("SKILL.md"), long).unwrap();
    fs::create_dir_all(folder.join("references")).unwrap();
    fs::write(folder.join("references").join("long.md"), format!("{}the end", "x".repeat(41_000))).unwrap();
    let app = started(&nova).await;

    turn(&app, None, "Any mail?", NoApprover).await;

    let answers = nova.model.last_texts("tool");
    assert!(answers[0].len() < 48 * 1024 && answers[0].contains("more bytes."), "{}", answers[0].len());
    assert!(answers[0].contains("**Tools:** post__") && answers[0].ends_with("references/long.md"));
    assert!(answers[1].ends_with("Continue with offset 40960.]"), "{}", &answers[1][answers[1].len() - 80..]);
    assert_eq!(answers[2], format!("{}the end", "x".repeat(40)));
}
