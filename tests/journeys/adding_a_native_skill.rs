//! A skill in Rust, from `nova skill new` to its own tests.

use std::fs;
use std::os::unix::fs::symlink;
use std::path::{Path, PathBuf};
use std::process::Command;

use tempfile::TempDir;

use super::nova::Nova;

/// The crate that the command changes; everything else in [`Checkout`] is a link, so that only the new crate
/// and its test are compiled.
const APP: &str = "src-tauri/crates/nova-app";

struct Checkout(TempDir);

impl Checkout {
    fn new() -> Self {
        let from = Path::new(env!("CARGO_MANIFEST_DIR"));
        let copy = Self(tempfile::tempdir().unwrap());
        let to = copy.0.path();
        link_all(from, to, &["src-tauri", "skills", "Cargo.toml", "Cargo.lock", "target", ".git"]);
        fs::create_dir_all(to.join("src-tauri/crates")).unwrap();
        link_all(&from.join("src-tauri"), &to.join("src-tauri"), &["crates"]);
        link_all(&from.join("src-tauri/crates"), &to.join("src-tauri/crates"), &["nova-app"]);
        copy_all(&from.join(APP), &to.join(APP));
        fs::create_dir(to.join("skills")).unwrap();
        link_all(&from.join("skills"), &to.join("skills"), &[]);
        for file in ["Cargo.toml", "Cargo.lock"] {
            fs::copy(from.join(file), to.join(file)).unwrap();
        }
        copy
    }

    fn text(&self, path: &str) -> String {
        fs::read_to_string(self.0.path().join(path)).unwrap()
    }

    /// Runs `cargo test` on one test of the workspace and returns all output. Uses the target folder, crate
    /// selection and features of the running test, so that all dependencies of the new crate are already
    /// built.
    fn test(&self, name: &str, filter: &str) -> String {
        let built = std::env::current_exe().unwrap();
        let target = built.ancestors().nth(3).unwrap();
        let mut cargo = Command::new(std::env::var_os("CARGO").unwrap_or_else(|| "cargo".into()));
        cargo.args(["test", "--quiet", "--offline", "--workspace", "--test", name]);
        if cfg!(feature = "desktop") {
            cargo.args(["--features", "desktop"]);
        }
        if !cfg!(debug_assertions) {
            cargo.arg("--release");
        }
        // Set for the running test.
        for (name, _) in std::env::vars_os() {
            let name = name.to_string_lossy().into_owned();
            if ["CARGO_PKG_", "CARGO_MANIFEST_", "CARGO_CRATE_"].iter().any(|own| name.starts_with(own)) {
                cargo.env_remove(name);
            }
        }
        cargo.args(["--", filter]).current_dir(self.0.path()).env("CARGO_TARGET_DIR", target);
        let output = cargo.output().unwrap();
        let said = [output.stdout, output.stderr].map(|text| String::from_utf8_lossy(&text).into_owned());
        let said = said.concat();
        assert!(output.status.success(), "{said}");
        said
    }
}

fn entries(folder: &Path) -> Vec<PathBuf> {
    fs::read_dir(folder).unwrap().map(|entry| entry.unwrap().path()).collect()
}

fn link_all(from: &Path, to: &Path, without: &[&str]) {
    for path in entries(from) {
        let name = path.file_name().unwrap();
        if !without.contains(&name.to_str().unwrap()) {
            symlink(&path, to.join(name)).unwrap();
        }
    }
}

fn copy_all(from: &Path, to: &Path) {
    fs::create_dir_all(to).unwrap();
    for path in entries(from) {
        let copied = to.join(path.file_name().unwrap());
        if path.is_dir() {
            copy_all(&path, &copied);
        } else {
            fs::copy(&path, &copied).unwrap();
        }
    }
}

/// Lines of the second text missing from the first, and the number of lines of the first missing from the
/// second.
fn added(before: &str, after: &str) -> (Vec<String>, usize) {
    let lines = after.lines().filter(|line| !before.lines().any(|other| other == *line));
    let missing = before.lines().filter(|line| !after.lines().any(|other| other == *line));
    (lines.map(str::to_owned).collect(), missing.count())
}

#[test]
fn new_native_skill_is_a_folder_and_two_lines_and_passes_its_tests() {
    let nova = Nova::new("", []);
    let checkout = Checkout::new();
    let (list, manifest) = (format!("{APP}/src/skills.rs"), format!("{APP}/Cargo.toml"));
    let before = (checkout.text(&list), checkout.text(&manifest));

    let args = ["skill", "new", "night-sky", "--kind", "native", "--json"];
    let output = nova.command(&args).current_dir(checkout.0.path().join("skills")).output().unwrap();
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    let made: serde_json::Value = serde_json::from_slice(&output.stdout).unwrap();
    let root = checkout.0.path().canonicalize().unwrap();
    let made: Vec<&Path> =
        made["files"].as_array().unwrap().iter().map(|file| Path::new(file.as_str().unwrap())).collect();
    let others: Vec<&Path> =
        made.iter().filter(|file| !file.starts_with(root.join("skills/night-sky"))).copied().collect();
    assert_eq!(others, [root.join(&list), root.join(&manifest)]);
    let line = "        nova_skill_night_sky::skill(),".to_owned();
    assert_eq!(added(&before.0, &checkout.text(&list)), (vec![line], 0));
    let line = r#"nova-skill-night-sky = { path = "../../../skills/night-sky" }"#.to_owned();
    assert_eq!(added(&before.1, &checkout.text(&manifest)), (vec![line], 0));

    let sources = made.iter().filter(|file| file.extension().is_some_and(|ending| ending == "rs"));
    let format =
        Command::new("rustfmt").args(["--check", "--edition", "2024"]).args(sources).output().unwrap();
    assert!(format.status.success(), "{}", String::from_utf8_lossy(&format.stdout));

    let said = checkout.test("night-sky", "");
    assert!(said.contains("3 passed") && !said.contains("warning"), "{said}");

    // The list is compiled too, as a separate test, so that the checkout's nova-app stays as built.
    let own = checkout.text(&manifest);
    assert!(own.contains("version.workspace = true\n") && own.contains("\n[lib]\n"), "{own}");
    let own = own.replacen("version.workspace = true", "version = \"0.0.0\"", 1);
    let own = own.replacen("[lib]\n", "[lib]\npath = \"src/nothing.rs\"\n", 1);
    let own = own + "\n[[test]]\nname = \"with-night-sky\"\npath = \"src/lib.rs\"\n";
    fs::write(checkout.0.path().join(&manifest), own).unwrap();
    fs::write(checkout.0.path().join(APP).join("src/nothing.rs"), "").unwrap();
    let said = checkout.test("with-night-sky", "built_in_skills_are_valid");
    assert!(said.contains("1 passed"), "{said}");

    let again = nova.command(&args).current_dir(checkout.0.path()).output().unwrap();
    assert_eq!(again.status.code(), Some(1), "a folder that exists is not written into");
}

#[test]
fn native_skill_outside_of_a_checkout_is_refused() {
    let nova = Nova::new("", []);
    let output =
        nova.command(&["skill", "new", "night-sky", "--kind", "native"]).current_dir("/").output().unwrap();
    let said = String::from_utf8_lossy(&output.stderr).into_owned();
    assert_eq!(output.status.code(), Some(1), "{said}");
    assert!(said.contains("not in a checkout of Nova") && said.contains("--kind folder"), "{said}");
}
