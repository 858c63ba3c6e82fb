//! Every file and every command in `docs/skills.md` works as printed, in order.

use std::fs;
use std::path::Path;
use std::process::Command;

use super::nova::Nova;

enum Step {
    /// Path below the skills folder, and text.
    File(String, String),
    Command(String),
}

/// A file is a code block below a line with only its path: **`path`**.
fn steps(document: &str) -> Vec<Step> {
    let text = fs::read_to_string(Path::new(env!("CARGO_MANIFEST_DIR")).join(document)).unwrap();
    let mut steps = Vec::new();
    let mut path = None;
    let mut lines = text.lines();
    while let Some(line) = lines.next() {
        if let Some(named) = line.strip_prefix("**`").and_then(|line| line.strip_suffix("`**")) {
            path = Some(named.to_owned());
        } else if let Some(language) = line.strip_prefix("```") {
            let block: String =
                lines.by_ref().take_while(|line| *line != "```").map(|line| format!("{line}\n")).collect();
            match (language, path.take()) {
                (_, Some(path)) => steps.push(Step::File(path, block)),
                ("sh", None) => steps.extend(block.lines().map(|line| Step::Command(line.to_owned()))),
                _ => {}
            }
        }
    }
    steps
}

#[test]
fn every_step_of_the_manual_works() {
    let nova = Nova::new("", []);
    let program = Path::new(env!("CARGO_BIN_EXE_nova")).parent().unwrap().to_owned();
    // The default location, which the manual names.
    let usual = nova.home().join(".config");
    fs::create_dir_all(&usual).unwrap();
    std::os::unix::fs::symlink(nova.config(), usual.join("nova")).unwrap();
    let (mut files, mut commands) = (0, 0);
    for step in steps("docs/skills.md") {
        match step {
            Step::File(path, text) => {
                let file = nova.config().join("skills").join(path);
                fs::create_dir_all(file.parent().unwrap()).unwrap();
                fs::write(file, text).unwrap();
                files += 1;
            }
            Step::Command(line) => {
                let output = Command::new("sh")
                    .args(["-c", &line])
                    .env_clear()
                    .env("HOME", nova.home())
                    .env("PATH", format!("{}:/usr/bin:/bin", program.display()))
                    .env("NOVA_CONFIG_DIR", nova.config())
                    .env("NOVA_DATA_DIR", nova.data())
                    .env("OLLAMA_HOST", "127.0.0.1:9")
                    .env("NOVA_LOCAL_SERVERS", "")
                    .stdin(std::process::Stdio::null())
                    .output()
                    .unwrap();
                let said = String::from_utf8_lossy(&output.stdout);
                assert!(output.status.success(), "{line}: {said}{}", String::from_utf8_lossy(&output.stderr));
                if line.contains("next_workday") {
                    assert!(said.contains("2026-11-23"), "the Monday after a Friday: {said}");
                }
                if line.contains("skill check") {
                    assert_eq!(said, "no problems found\n");
                }
                commands += 1;
            }
        }
    }
    assert_eq!((files, commands), (8, 8));
}
