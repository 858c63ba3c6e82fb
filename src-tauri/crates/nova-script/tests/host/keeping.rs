//! The definition cache, thanks to which a start runs no script.

use std::fs::{self, File};
use std::os::unix::fs::PermissionsExt;
use std::path::PathBuf;
use std::sync::Arc;
use std::time::{Duration, SystemTime};

use nova_registry::{ToolFile, ToolHost};
use nova_script::host::ScriptHost;
use nova_skill::{Effect, ToolSpec, VaultAccess};
use serde_json::json;

use crate::support::{Host, Plain, STAND_IN, file, host, options, value};

/// A restart of Nova with the same data folder.
fn again(before: &Host) -> ScriptHost {
    ScriptHost::new(Arc::new(Plain(STAND_IN)), options(before.data.path()))
}

fn entries(host: &Host) -> Vec<PathBuf> {
    fs::read_dir(host.data.path().join("scripts")).unwrap().map(|entry| entry.unwrap().path()).collect()
}

const SOURCE: &str = r#"{"name":"weather","effect":"external","hosts":["api.example"],
    "proposed_hosts":["other.example:8443"],"credentials":["weather/key"]}"#;

#[tokio::test]
async fn start_with_unchanged_files_starts_no_process() {
    let first = host();
    let broken = json!({ "load": "fault" }).to_string();
    let tool = first.tool(SOURCE).await;
    let error = first.host.load(file("b", "b.ts", &broken)).await.err().unwrap();
    assert_eq!(first.host.started(), 2);

    let next = again(&first);
    let known = next.known(&file("dynamic/stand_in.ts", "stand_in.ts", SOURCE)).expect("it is known");
    let known = known.expect("a tool");
    assert_eq!(known.spec(), tool.spec());
    assert_eq!(next.known(&file("b", "b.ts", &broken)).expect("it is known").err().unwrap(), error);
    assert_eq!(next.load(file("a", "a.ts", SOURCE)).await.unwrap().spec(), tool.spec());
    assert!(next.known(&file("a", "a.ts", "{}")).is_none());
    assert_eq!(next.started(), 0);
    assert_eq!(value(&known, json!({ "a": 1 })).await.unwrap(), json!({ "a": 1 }));
    assert_eq!(next.started(), 1, "the first call starts one");
}

#[tokio::test]
async fn declarations_of_a_file_become_the_tools_specification() {
    let host = host();
    let tool = host.tool(SOURCE).await;
    let ToolSpec { id, effect, hosts, proposed_hosts, credentials, definition, on_notes, .. } = tool.spec();
    assert_eq!((id.as_str(), *effect, *on_notes), ("weather", Effect::External, false));
    assert_eq!(hosts, &["api.example"]);
    assert_eq!(proposed_hosts, &["other.example:8443"]);
    assert_eq!(credentials, &["weather/key"]);
    let other = host.tool(&SOURCE.replace("api.example", "evil.example")).await;
    assert!(definition.is_some() && *definition != other.spec().definition);
}

#[tokio::test]
async fn missing_or_impossible_effect_counts_as_undeclared() {
    let host = host();
    for (spelled, effect) in [
        (json!(null), Effect::Undeclared),
        (json!("write"), Effect::Undeclared),
        (json!("read"), Effect::Read),
        (json!("external"), Effect::External),
        (json!("destructive"), Effect::Destructive),
        (json!("send"), Effect::Send),
    ] {
        let tool = host.tool(&json!({ "effect": spelled }).to_string()).await;
        assert_eq!(tool.spec().effect, effect, "{spelled}");
    }
}

#[tokio::test]
async fn write_access_to_notes_implies_the_effect_write() {
    let host = host();
    let load = async |source: &str, of_skill: Option<VaultAccess>| {
        let file = ToolFile { vault: of_skill, ..file("shelf", "stand_in.ts", source) };
        let tool = host.host.load(file).await.expect("a tool");
        let ToolSpec { effect, vault, on_notes, .. } = tool.spec().clone();
        (effect, vault, on_notes)
    };
    let (read, write) = (Some(VaultAccess::Read), Some(VaultAccess::Write));
    assert_eq!(load(r#"{"vault":"write"}"#, None).await, (Effect::Write, write, true));
    assert_eq!(load("{}", write).await, (Effect::Write, write, true), "the skill reports it");
    assert_eq!(
        load(r#"{"vault":"read"}"#, write).await,
        (Effect::Undeclared, read, false),
        "the file is checked first"
    );
    assert_eq!(load(r#"{"effect":"external"}"#, write).await, (Effect::External, read, false));
    assert_eq!(load(r#"{"effect":"write"}"#, read).await, (Effect::Undeclared, read, false));
    let content = async |of_skill| {
        let file = ToolFile { vault: of_skill, ..file("shelf", "stand_in.ts", "{}") };
        host.host.load(file).await.expect("a tool").spec().definition.clone()
    };
    assert_ne!(content(read).await, content(write).await, "more rights change the content hash");
}

#[tokio::test]
async fn cache_is_private() {
    let host = host();
    host.tool("{}").await;
    let mode = |path: PathBuf| fs::metadata(path).unwrap().permissions().mode() & 0o777;
    assert_eq!(mode(host.data.path().join("scripts")), 0o700);
    let [entry] = entries(&host).try_into().expect("one complete entry");
    assert_eq!(mode(entry), 0o600);
}

#[tokio::test]
async fn damaged_entry_is_a_cache_miss() {
    let first = host();
    let tool = first.tool("{}").await;
    let [entry] = entries(&first).try_into().expect("one entry");
    let good = fs::read_to_string(&entry).unwrap();
    for damaged in [
        String::new(),
        good[..good.len() / 2].to_owned(),
        "null".into(),
        good.replace("stand_in", "../x"),
        good.replace("\"object\"", "\"string\""),
        "x".repeat(2_000_000),
    ] {
        assert_ne!(damaged, good);
        fs::write(&entry, damaged).unwrap();
        let next = again(&first);
        let same = file("dynamic/stand_in.ts", "stand_in.ts", "{}");
        assert!(next.known(&same).is_none());
        assert_eq!(next.load(same).await.unwrap().spec(), tool.spec());
        assert_eq!(next.started(), 1);
        assert_eq!(fs::read_to_string(&entry).unwrap(), good, "the entry is repaired");
    }
}

#[tokio::test]
async fn read_only_data_folder_only_disables_the_cache() {
    let data = tempfile::TempDir::new().unwrap();
    fs::write(data.path().join("scripts"), "a file in the way").unwrap();
    let host = ScriptHost::new(Arc::new(Plain(STAND_IN)), options(data.path()));
    assert!(host.load(file("a", "a.ts", "{}")).await.is_ok());
    assert!(host.load(file("a", "a.ts", "{}")).await.is_ok());
    assert_eq!(host.started(), 1);
}

#[tokio::test]
async fn entries_unused_for_a_month_are_removed_at_start() {
    const DAY: Duration = Duration::from_secs(24 * 60 * 60);
    let first = host();
    first.tool("{}").await;
    first.tool("{\"name\":\"other\"}").await;
    let age = |days: u32| {
        for entry in entries(&first) {
            File::options()
                .write(true)
                .open(entry)
                .unwrap()
                .set_modified(SystemTime::now() - DAY * days)
                .unwrap();
        }
    };
    age(29);
    // Marks it as used.
    assert!(again(&first).known(&file("a", "a.ts", "{}")).is_some());
    let used: Vec<_> = entries(&first)
        .into_iter()
        .filter(|path| fs::metadata(path).unwrap().modified().unwrap().elapsed().unwrap() < DAY)
        .collect();
    assert_eq!(used.len(), 1);
    for entry in entries(&first).iter().filter(|path| !used.contains(path)) {
        File::options().write(true).open(entry).unwrap().set_modified(SystemTime::now() - DAY * 31).unwrap();
    }
    drop(again(&first));
    assert_eq!(entries(&first), used);
}
