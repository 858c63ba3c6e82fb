//! What is compiled in of the skill.

use nova_testkit::{assert_sound, snapshot_of};

#[test]
fn the_skill_is_sound() {
    assert_sound(nova_skill_release_management::skill(), "release-management");
}

#[test]
fn instructions_name_both_tools_and_all_files() {
    let snapshot = snapshot_of(vec![nova_skill_release_management::skill()]);
    let skill = &snapshot.skills()[0];
    for name in ["`deploy_release`", "`send_release_notes`"] {
        assert!(skill.instructions.contains(name), "{name}");
    }
    let folder = std::path::Path::new(env!("CARGO_MANIFEST_DIR"));
    for part in ["assets", "references"] {
        for entry in std::fs::read_dir(folder.join(part)).expect(part) {
            let path = format!("{part}/{}", entry.expect("a file").file_name().display());
            let resources = nova_skill_release_management::skill();
            assert!(resources.resources().iter().any(|(known, _)| *known == path), "{path} is compiled in");
        }
    }
}
