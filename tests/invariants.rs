//! Invariants of the whole repository.

use std::fs;
use std::path::{Path, PathBuf};

fn root() -> &'static Path {
    Path::new(env!("CARGO_MANIFEST_DIR"))
}

/// Files below a folder with one of these extensions, except build output and dependencies.
fn files(folder: &str, endings: &[&str]) -> Vec<PathBuf> {
    fn walk(folder: &Path, endings: &[&str], found: &mut Vec<PathBuf>) {
        for entry in fs::read_dir(folder).into_iter().flatten().flatten() {
            let path = entry.path();
            let name = entry.file_name().to_string_lossy().into_owned();
            if path.is_dir() && !["node_modules", "dist", "target", "gen"].contains(&name.as_str()) {
                walk(&path, endings, found);
            } else if endings.iter().any(|ending| name.ends_with(ending)) {
                found.push(path);
            }
        }
    }
    let mut found = Vec::new();
    walk(&root().join(folder), endings, &mut found);
    found.sort();
    assert!(!found.is_empty(), "{folder} holds files");
    found
}

fn relative(path: &Path) -> String {
    path.strip_prefix(root()).unwrap().to_string_lossy().replace('\\', "/")
}

/// Files below the folders that contain any of the words, except in the allowed places.
fn mentions(folders: &[impl AsRef<str>], endings: &[&str], words: &[&str], allowed: &[&str]) -> Vec<String> {
    folders
        .iter()
        .flat_map(|folder| files(folder.as_ref(), endings))
        .filter(|path| !allowed.iter().any(|place| relative(path).starts_with(place)))
        .filter(|path| {
            let text = fs::read_to_string(path).unwrap();
            words.iter().any(|word| text.contains(word))
        })
        .map(|path| relative(&path))
        .collect()
}

/// The sources of all crates below the app except `without`, and of every skill that is a crate.
fn below_the_app(without: &[&str]) -> Vec<String> {
    let above = ["app", "testkit"];
    let crates = crates_in("src-tauri/crates").into_iter().filter(|path| {
        let name = path.rsplit("/nova-").next().unwrap_or_default();
        !above.contains(&name) && !without.contains(&name)
    });
    let skills = crates_in("skills");
    assert!(skills.len() > 3, "{skills:?}");
    crates.chain(skills).map(|path| format!("{path}/src")).collect()
}

fn crates_in(folder: &str) -> Vec<String> {
    let entries = fs::read_dir(root().join(folder)).unwrap().map(|entry| entry.unwrap().path());
    let mut found: Vec<String> =
        entries.filter(|path| path.join("Cargo.toml").is_file()).map(|path| relative(&path)).collect();
    found.sort();
    found
}

/// Drops files that are tests by their name or folder.
fn outside_tests(found: Vec<String>) -> Vec<String> {
    let is_test = |path: &String| path.contains("/tests/") || path.ends_with("/tests.rs");
    found.into_iter().filter(|path| !is_test(path)).collect()
}

#[test]
fn only_nova_calls_creates_execution_tokens() {
    let elsewhere = mentions(
        &["src-tauri", "skills"],
        &[".rs"],
        &["mint_for_nova_calls"],
        &[
            "src-tauri/crates/nova-calls/src/run/planning.rs",
            "src-tauri/crates/nova-calls/src/run/previewing.rs",
            "src-tauri/crates/nova-skill/src/tool.rs",
            // Its tests run tools in contexts that are broken in ways no real one is.
            "src-tauri/crates/nova-script/tests/host/support.rs",
            "src-tauri/crates/nova-mcp/tests/servers/",
            "src-tauri/crates/nova-script/benches/scripts.rs",
        ],
    );
    assert_eq!(elsewhere, [""; 0]);
}

#[test]
fn rules_are_checked_only_at_the_gate() {
    let asks = [".find_at(", ".find_literal(", ".find_written(", ".find(RuleList", "rules.closed"];
    // The registry holds the rules; the vault has a matcher with a method of that name.
    let others = ["src-tauri/crates/nova-registry/", "src-tauri/crates/nova-vault/"];
    let found = mentions(&["src-tauri", "skills"], &[".rs"], &asks, &others);
    assert_eq!(
        outside_tests(found),
        ["src-tauri/crates/nova-calls/src/decide.rs", "src-tauri/crates/nova-calls/src/gate.rs"],
        "calls and requests are judged by `Gate`"
    );
}

#[test]
fn nothing_below_the_app_reads_environment_or_home_folder() {
    let words =
        ["env::var", "env::home_dir", "env::vars", "env::current_dir", "UserDirs", "BaseDirs", "ProjectDirs"];
    // The guard behind `nova guard -- COMMAND` runs the command in the current folder.
    let found = mentions(&below_the_app(&["guard"]), &[".rs"], &words, &[]);
    assert_eq!(outside_tests(found), [""; 0]);
}

#[test]
fn nothing_below_the_app_reads_the_system_clock() {
    let allowed = [
        // Compared with file times, which come from the system clock.
        "src-tauri/crates/nova-vault/src/disk/platform.rs",
        "src-tauri/crates/nova-vault/src/writing/watch/tree.rs",
        "src-tauri/crates/nova-script/src/host/cache.rs",
    ];
    let words = ["SystemTime::now", "Timestamp::now", "Zoned::now"];
    let found = mentions(&below_the_app(&[]), &[".rs"], &words, &allowed);
    assert_eq!(outside_tests(found), [""; 0]);
}

#[test]
fn only_the_vault_engine_writes_files_below_the_app() {
    // The vault itself; opened folders; Nova's own files; secrets; what confines a process.
    let writing = ["vault", "workspace", "files", "credentials", "guard"];
    let words = ["fs::write", "fs::remove", "fs::rename", "File::create", "File::options", "OpenOptions"];
    let allowed = [
        // Session leases are files in the data folder.
        "src-tauri/crates/nova-session/src/store.rs",
        // Opens for reading, without blocking on a pipe; its tests write.
        "src-tauri/crates/nova-registry/src/files/read.rs",
        // Compiled scripts are stored in the cache folder.
        "src-tauri/crates/nova-script/src/host/cache.rs",
    ];
    let found = mentions(&below_the_app(&writing), &[".rs"], &words, &allowed);
    assert_eq!(outside_tests(found), [""; 0]);
}

#[test]
fn reading_and_writing_modules_do_not_import_each_other() {
    let vault = "src-tauri/crates/nova-vault/src";
    let reading = mentions(&[format!("{vault}/reading")], &[".rs"], &["crate::writing"], &[]);
    let writing = mentions(&[format!("{vault}/writing")], &[".rs"], &["crate::reading"], &[]);
    assert_eq!([reading, writing].concat(), [""; 0]);
}

#[test]
fn provider_kinds_are_compared_as_enum() {
    let words = ["kind == \"", "kind != \"", "\"] == \"ollama", "\"] == \"anthropic", "\"] == \"openai"];
    let found = mentions(&["src-tauri/src", "src-tauri/crates/nova-app/src"], &[".rs"], &words, &[]);
    assert_eq!(found, [""; 0]);
}

#[test]
fn only_the_guard_starts_processes() {
    // Not a child: the process is replaced by the window's.
    let becomes_the_window = ["src-tauri/src/main.rs"];
    let found = mentions(
        &["src-tauri/src", "src-tauri/crates", "skills"],
        &[".rs"],
        &["Command::new("],
        &becomes_the_window,
    );
    let others: Vec<String> = found
        .into_iter()
        .filter(|path| {
            !path.contains("test") && !path.contains("/benches/") && !path.contains("/nova-guard/")
        })
        .collect();
    assert_eq!(others, [""; 0], "a child process is started under the guard");
}

#[test]
fn installers_and_make_run_include_the_helper_programs() {
    let read = |file: &str| fs::read_to_string(root().join(file)).unwrap();
    let children = read("src-tauri/src/children.rs");
    let started = children.split("program(&own, \"").skip(1).map(|rest| rest.split('"').next().unwrap());
    let started: Vec<&str> = started.collect();
    assert_eq!(started, ["nova-guard", "nova-script"]);
    let bundle: serde_json::Value = serde_json::from_str(&read("src-tauri/bundle.conf.json")).unwrap();
    let bundled: Vec<String> = started.iter().map(|name| format!("gen/programs/{name}")).collect();
    assert_eq!(bundle["bundle"]["externalBin"], serde_json::json!(bundled));
    let makefile = read("Makefile");
    let line = |start: &str| makefile.lines().find(|line| line.starts_with(start)).unwrap();
    for name in started {
        assert!(line("\tcargo build $(BUNDLED)").contains(&format!("-p {name} --bin {name}")), "{name}");
    }
    // `make run` builds every program of the workspace.
    assert!(line("WITH_WINDOW :=").contains("--workspace"));
    assert!(line("PROGRAMS :=").contains("$(WITH_WINDOW) --bins"));
    assert!(read("Cargo.toml").contains("\ndefault-run = \"nova-window\"\n"));
}

#[test]
fn no_secret_is_printed_or_serialised() {
    // secrecy implements neither Display nor Serialize; a wrapper of ours could.
    let wrapped = mentions(
        &["src-tauri", "skills"],
        &[".rs"],
        &["expose_secret"],
        &[
            "src-tauri/crates/nova-provider/src/http.rs",
            "src-tauri/crates/nova-provider/src/server_message.rs",
            // Redacts them from a call's output.
            "src-tauri/crates/nova-calls/src/secrets.rs",
            // Where they are stored and obtained: the store, its file, the keychain, the token server.
            "src-tauri/crates/nova-credentials/src/interpolation.rs",
            "src-tauri/crates/nova-credentials/src/oauth/known.rs",
            "src-tauri/crates/nova-credentials/src/oauth/mod.rs",
            "src-tauri/crates/nova-credentials/src/oauth/revocation.rs",
            "src-tauri/crates/nova-credentials/src/oauth/tokens.rs",
            "src-tauri/crates/nova-credentials/src/store/encrypted_file.rs",
            "src-tauri/crates/nova-credentials/src/store/keychain.rs",
            "src-tauri/crates/nova-credentials/src/store/mod.rs",
            // Into the headers of a provider.
            "src-tauri/crates/nova-app/src/credentials/provider_keys.rs",
            "src-tauri/crates/nova-app/src/credentials.rs",
            // Into the environment of the command whose configuration names it.
            "src-tauri/crates/nova-app/src/sandbox/as_user.rs",
            // Into the request to the price source it belongs to; an empty one counts as none.
            "src-tauri/crates/nova-market/src/sources/alpha_vantage.rs",
            "src-tauri/crates/nova-market/src/sources/finnhub.rs",
            "src-tauri/crates/nova-market/src/sources/tiingo.rs",
            "src-tauri/crates/nova-market/src/sources/twelve_data.rs",
            "src-tauri/crates/nova-market/src/tools/mod.rs",
            // Into the header of the configured calendar server.
            "skills/calendar/src/sources/caldav/signed.rs",
            // Into the sign-in at the configured mail servers.
            "src-tauri/crates/nova-mail/src/imap/signing_in.rs",
            "src-tauri/crates/nova-mail/src/sign_in.rs",
            "src-tauri/crates/nova-mail/src/smtp/mod.rs",
            // Into the header of the chosen search source.
            "skills/core/src/web/search/mod.rs",
            // Into the environment or headers of the approved server.
            "src-tauri/crates/nova-mcp/src/start.rs",
            "src-tauri/crates/nova-mcp/src/http.rs",
            // Compared: a refused token is not sent again.
            "src-tauri/crates/nova-mcp/src/authorized.rs",
            // Compared with what an MCP client sends.
            "src-tauri/crates/nova-serve/src/http.rs",
            // Into the answer to the script that declared it.
            "src-tauri/crates/nova-script/src/host/asks.rs",
        ],
    );
    let outside_tests: Vec<String> = wrapped.into_iter().filter(|path| !path.contains("test")).collect();
    assert_eq!(outside_tests, [""; 0]);
}

#[test]
fn only_one_file_of_the_page_imports_tauri() {
    let found = mentions(&["ui/src"], &[".ts", ".tsx"], &["from '@tauri-apps", "from \"@tauri-apps"], &[]);
    let outside_tests: Vec<String> = found.into_iter().filter(|path| !path.contains(".test.")).collect();
    assert_eq!(outside_tests, ["ui/src/ipc/tauri.ts"]);
}

#[test]
fn no_unsafe_code_and_every_crate_inherits_the_lints() {
    let manifest = fs::read_to_string(root().join("Cargo.toml")).unwrap();
    assert!(manifest.contains("unsafe_code = \"forbid\""));
    for path in files("src-tauri/crates", &["Cargo.toml"]).into_iter().chain(files("skills", &["Cargo.toml"]))
    {
        let text = fs::read_to_string(&path).unwrap();
        assert!(text.contains("[lints]\nworkspace = true"), "{} has its own lints", relative(&path));
    }
}

#[test]
fn crates_that_skip_unit_tests_or_examples_have_none() {
    for folder in crates_in("src-tauri/crates").into_iter().chain(crates_in("skills")) {
        let manifest = fs::read_to_string(root().join(&folder).join("Cargo.toml")).unwrap();
        let sources = files(&format!("{folder}/src"), &[".rs"]).into_iter();
        let sources: Vec<String> = sources.map(|path| fs::read_to_string(path).unwrap()).collect();
        if manifest.contains("[lib]\ntest = false") {
            let tests = sources.iter().filter(|text| text.contains("#[test]") || text.contains("::test]"));
            assert_eq!(tests.count(), 0, "{folder} has unit tests: remove `test = false`");
        }
        if manifest.contains("\ndoctest = false") {
            let examples = sources.iter().flat_map(|text| examples(text)).count();
            assert_eq!(examples, 0, "{folder} has examples: remove `doctest = false`");
        }
    }
}

/// The fences that open an example compiled by rustdoc.
fn examples(source: &str) -> impl Iterator<Item = &str> {
    let comments = source.lines().map(str::trim_start);
    let comments =
        comments.filter_map(|line| line.strip_prefix("//! ").or_else(|| line.strip_prefix("/// ")));
    let fences = comments.filter_map(|line| line.trim_start().strip_prefix("```"));
    fences.step_by(2).filter(|kind| !["text", "sh", "json", "yaml", "ts", "toml"].contains(kind))
}

#[test]
fn every_crate_states_its_purpose_and_what_it_never_does() {
    for path in files("src-tauri/crates", &["src/lib.rs", "lib.rs"]) {
        let text = fs::read_to_string(&path).unwrap();
        let docs: String = text.lines().take_while(|line| line.starts_with("//!")).collect();
        assert!(docs.len() > 150, "{} must begin with its purpose", relative(&path));
        assert!(
            docs.contains("never") || docs.contains("nothing else") || docs.contains("No "),
            "{} must state what it never does",
            relative(&path)
        );
    }
}

/// Pages that a newcomer reads in one sitting, with their maximum size in bytes.
const SHORT_PAGES: [(&str, usize); 2] = [("README.md", 8 * 1024), ("ARCHITECTURE.md", 25 * 1024)];

#[test]
fn pages_stay_short() {
    for (page, most) in SHORT_PAGES {
        let size = fs::read(root().join(page)).unwrap().len();
        assert!(size <= most, "{page} has {size} bytes of {most}: move details to docs/ or a crate's lib.rs");
    }
}

/// Documents by path. The page of a crate or module is its leading doc comment.
#[test]
fn test_names_stay_short() {
    let mut names = Vec::new();
    for path in ["src-tauri", "skills", "tests"].iter().flat_map(|folder| files(folder, &[".rs"])) {
        let text = fs::read_to_string(path).unwrap();
        let mut lines = text.lines().map(str::trim_start);
        while let Some(line) = lines.next() {
            if line.starts_with("#[test]") || line.starts_with("#[tokio::test") {
                let function = lines.by_ref().find_map(|line| line.split_once("fn ")).map(|(_, rest)| rest);
                names.extend(function.and_then(|rest| rest.split('(').next()).map(str::to_owned));
            }
        }
    }
    for path in files("ui/src", &[".test.ts", ".test.tsx"]) {
        for line in fs::read_to_string(path).unwrap().lines().map(str::trim_start) {
            let begin = line.strip_prefix("test(").or_else(|| line.strip_prefix("it("));
            if let Some(name) = begin.filter(|name| name.starts_with(['\'', '"', '`'])) {
                names.extend(name[1..].split(&name[..1]).next().map(str::to_owned));
            }
        }
    }
    assert!(names.len() > 5_000, "{} tests were found", names.len());
    let long: Vec<&String> = names.iter().filter(|name| name.chars().count() > 80).collect();
    assert!(long.is_empty(), "{long:#?}");
}

fn documents() -> Vec<(String, String)> {
    let mut paths: Vec<PathBuf> =
        ["README.md", "ARCHITECTURE.md", "CONTRIBUTING.md", "CHANGELOG.md", "ui/README.md"]
            .map(|page| root().join(page))
            .into();
    // The skills manual names the files of its example; `reading_about_skills` writes and runs them.
    paths.extend(files("docs", &[".md"]).into_iter().filter(|path| !path.ends_with("skills.md")));
    paths.extend(files("src-tauri", &["lib.rs", "mod.rs"]));
    paths.extend(files("skills", &["lib.rs", "mod.rs"]));
    let comment = |text: &str| -> String {
        let lines = text.lines().take_while(|line| line.is_empty() || line.starts_with("//!"));
        lines.map(|line| line.trim_start_matches("//!").to_owned() + "\n").collect()
    };
    let read = |path: PathBuf| {
        let text = fs::read_to_string(&path).unwrap();
        let is_code = path.extension().is_some_and(|ending| ending == "rs");
        (relative(&path), if is_code { comment(&text) } else { text })
    };
    paths.into_iter().map(read).collect()
}

/// A source file is named by its path or a suffix of it, anything else relative to the root or to the
/// document's folder.
fn exists(document: &str, named: &str, sources: &[String]) -> bool {
    let folder = Path::new(document).parent().unwrap_or(Path::new(""));
    root().join(named).exists()
        || root().join(folder).join(named).exists()
        || sources.iter().any(|source| source.ends_with(&format!("/{named}")))
}

#[test]
fn every_path_named_in_the_documents_exists() {
    let endings = [".rs", ".ts", ".tsx"];
    let folders = ["src-tauri/", "skills/", "ui/", "tests/", "docs/", "vault-template/", ".ci/"];
    let sources: Vec<String> = ["src-tauri", "skills", "ui", "tests"]
        .iter()
        .flat_map(|folder| files(folder, &endings))
        .map(|path| relative(&path))
        .collect();
    let mut missing = Vec::new();
    for (document, text) in documents() {
        let quoted = text.split('`').skip(1).step_by(2).filter(|quoted| {
            !quoted.contains([' ', '\n', '<', '*', '{', '$', ':', '(', '"', '~'])
                && !quoted.starts_with(['/', '@', '-'])
                && (folders.iter().any(|folder| quoted.starts_with(folder))
                    || endings.iter().any(|ending| quoted.ends_with(ending)))
                // A clean checkout has no build output.
                && !quoted.starts_with("ui/dist")
        });
        let linked = text.split("](").skip(1).filter_map(|rest| rest.split([')', '#']).next());
        let linked = linked.filter(|link| !link.is_empty() && !link.contains("://"));
        let linked = linked.filter(|_| document.ends_with(".md"));
        let absent = quoted.chain(linked).filter(|named| !exists(&document, named, &sources));
        missing.extend(absent.map(|named| format!("{document} names {named}")));
    }
    assert_eq!(missing, [""; 0], "paths that do not exist");
}

#[test]
fn no_test_file_is_forgotten() {
    for folder in ["tests/journeys", "tests/e2e"] {
        let parent = match folder {
            "tests/e2e" => "tests/e2e/main.rs".to_owned(),
            folder => format!("{folder}/mod.rs"),
        };
        let declared = fs::read_to_string(root().join(&parent)).unwrap();
        for entry in fs::read_dir(root().join(folder)).unwrap().flatten() {
            let name = entry.file_name().to_string_lossy().into_owned();
            let Some(module) = name.strip_suffix(".rs") else { continue };
            // Separate programs, named in Cargo.toml.
            if ["mod", "main", "screenshots"].contains(&module) {
                continue;
            }
            assert!(
                declared.contains(&format!("mod {module};")),
                "{folder}/{name} is not included in the tests"
            );
        }
    }
}
