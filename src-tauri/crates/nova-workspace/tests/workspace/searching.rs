use std::fs;
use std::os::unix::fs::symlink;
use std::sync::Mutex;

use nova_workspace::Grep;

use super::Place;

#[test]
fn grep_sorts_by_path_and_skips_ignored_files() {
    let place = Place::new(&[
        ("b.rs", "fn main() {}\n// needle\n"),
        ("a.rs", "needle\nnot\nneedle again\n"),
        ("target/out.txt", "needle"),
        (".hidden", "needle"),
        (".ignore", "target\n"),
    ]);
    place.write("a.bin", b"needle\0\x01");
    fs::write(place.outside().join(".ignore"), "*.rs").unwrap();
    let found = ["code/a.rs:1:needle", "code/a.rs:3:needle again", "code/b.rs:2:// needle"];
    assert_eq!(place.found("needle"), found);
    assert_eq!(place.found("^fn "), ["code/b.rs:1:fn main() {}"]);
    assert_eq!(place.glob("*.rs"), ["code/a.rs", "code/b.rs"]);
    assert_eq!(place.glob("target/*"), [""; 0]);
}

#[test]
fn grep_applies_context_glob_and_limit() {
    let place =
        Place::new(&[("a.rs", "one\ntwo needle\nthree\n"), ("b.txt", "needle\n"), ("src/c.rs", "needle\n")]);
    let grep = |glob: Option<&str>, context, limit| {
        let glob = glob.map(str::to_owned);
        place.grep(&Grep { pattern: "needle".into(), glob, context, limit })
    };
    let lines = |answer: &nova_workspace::GrepAnswer| -> Vec<String> {
        answer
            .hits
            .iter()
            .map(|hit| format!("{}:{}{}", hit.path, hit.line, if hit.context { "-" } else { "" }))
            .collect()
    };
    assert_eq!(
        lines(&grep(Some("*.rs"), 1, 10)),
        ["code/a.rs:1-", "code/a.rs:2", "code/a.rs:3-", "code/src/c.rs:1"]
    );
    assert_eq!(lines(&grep(Some("src/**"), 0, 10)), ["code/src/c.rs:1"]);
    let cut = grep(None, 0, 2);
    assert_eq!((cut.hits.len(), cut.more), (2, true));
}

#[test]
fn grep_reports_hits_while_it_runs() {
    let place = Place::new(&[("a.txt", "needle\n"), ("b.txt", "needle\n")]);
    let told = Mutex::new(Vec::new());
    let grep = Grep { pattern: "needle".into(), limit: 10, ..Grep::default() };
    let so_far = |hits: &[nova_workspace::GrepHit]| told.lock().unwrap().push(hits.len());
    place.folders().find("code").unwrap().grep(&grep, &so_far, &|| false).unwrap();
    assert_eq!(told.into_inner().unwrap()[0], 1);
}

#[test]
fn folder_is_searched_once_despite_links_to_it() {
    let place = Place::new(&[("src/a.rs", "needle")]);
    symlink("src", place.code().join("again")).unwrap();
    symlink("..", place.code().join("src/up")).unwrap();
    assert_eq!(place.found("needle"), ["code/src/a.rs:1:needle"]);
    assert_eq!(place.glob("*.rs"), ["code/src/a.rs"]);
}
