//! YAML bombs: small front matter that expands enormously. Memory is measured in a child process; without a
//! budget it would exceed any machine's.

use std::process::{Command, Stdio};

use super::*;
use crate::note::{Document, FrontMatter, edit_properties};
use crate::{Query, Search, SearchMode};

/// The child's task; unset in an ordinary run.
const CHILD: &str = "NOVA_VAULT_TEST_BOMB";
/// Memory limit for a hostile note, in KiB.
const MOST: u64 = 50 * 1024;

/// Each level expands to ten of the one below.
fn aliases() -> String {
    let mut bomb = "---\ntype: contact\na0: &a0 [x, x, x, x, x, x, x, x, x, x]\n".to_owned();
    for level in 1..12 {
        let aliases = vec![format!("*a{}", level - 1); 10].join(", ");
        bomb.push_str(&format!("a{level}: &a{level} [{aliases}]\n"));
    }
    bomb + "---\nBody\n"
}

fn merge_keys() -> String {
    let mut bomb = "---\ntype: contact\na0: &a0 {k: v}\n".to_owned();
    for level in 1..200 {
        bomb.push_str(&format!("a{level}: &a{level}\n  <<: *a{}\n  k{level}: *a{}\n", level - 1, level - 1));
    }
    bomb + "---\nBody\n"
}

fn deep() -> String {
    format!("---\ntype: contact\na: {}x{}\n---\nBody\n", "[".repeat(20_000), "]".repeat(20_000))
}

fn wide() -> String {
    format!("---\ntype: contact\na: [{}]\n---\nBody\n", "x, ".repeat(500_000))
}

#[test]
#[ignore = "the other test here starts it as its child"]
fn child() {
    let Ok(job) = std::env::var(CHILD) else {
        return;
    };
    let (what, bomb) = job.split_once(' ').unwrap();
    let bomb = match bomb {
        "aliases" => aliases(),
        "merge keys" => merge_keys(),
        "deep" => deep(),
        _ => wide(),
    };
    let before = peak();
    let is_broken = match what {
        "note" => {
            let broken = matches!(Document::parse(&bomb).front_matter(), FrontMatter::Broken { .. });
            broken && edit_properties(&bomb, &[set("stage", "won")]).is_err()
        }
        _ => {
            let bed = Bed::new(&[("bomb.md", &bomb), ("jane.md", JANE)]);
            let vault = bed.vault();
            let view = vault.seen_by_owner();
            assert_eq!(vault.notes().unwrap().len(), 2);
            assert_eq!(&*vault.read(&path("bomb.md")).unwrap().text, bomb);
            let query = Query { record_types: vec!["contact".to_owned()], ..Query::default() };
            assert_eq!(view.query(&query).unwrap().total, 1, "an unreadable note has no type");
            assert_eq!(view.query(&Query::default()).unwrap().total, 2);
            let search = Search { query: "Body".to_owned(), mode: SearchMode::Text, limit: 10 };
            assert_eq!(view.search(&search).unwrap().hits.len(), 1, "it is still searched");
            view.tags().unwrap();
            vault.problems().unwrap()[0].path == "bomb.md"
        }
    };
    // Last in its output.
    eprintln!("{is_broken} {}", peak() - before);
}

/// Peak memory of this process, in KiB.
fn peak() -> u64 {
    let status = fs::read_to_string("/proc/self/status").unwrap();
    let line = status.lines().find_map(|line| line.strip_prefix("VmHWM:")).unwrap();
    line.trim().trim_end_matches(" kB").parse().unwrap()
}

#[test]
fn yaml_bomb_takes_little_memory_wherever_it_is_parsed() {
    for what in ["note", "vault"] {
        for bomb in ["aliases", "merge keys", "deep", "wide"] {
            let mut child = Command::new(std::env::current_exe().unwrap());
            child.args(["--exact", "tests::bombs::child", "--ignored", "--nocapture"]);
            child.env(CHILD, format!("{what} {bomb}")).stdout(Stdio::piped()).stderr(Stdio::piped());
            // Held only until it has started: it may take long.
            let alone = one_at_a_time();
            let child = child.spawn().unwrap();
            drop(alone);
            let output = child.wait_with_output().unwrap();
            let said = String::from_utf8(output.stderr).unwrap();
            assert!(output.status.success(), "{what} {bomb}: {said}");
            let (is_broken, took) = said.lines().last().unwrap().split_once(' ').unwrap();
            assert_eq!(is_broken, "true", "{what} {bomb}: not refused");
            assert!(took.parse::<u64>().unwrap() < MOST, "{what} {bomb}: {took} KiB");
        }
    }
}
