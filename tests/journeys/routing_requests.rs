//! Which skill a request goes to, without a model.

use std::fs;

use nova_protocol::{Commands as _, SkillRef};
use nova_testkit::{Answer, PATIENCE};
use serde_json::{Value, json};

use super::nova::{Nova, PEOPLE};

/// "Pull up UBER" belongs to `lookup`; the user's `scanner` also mentions pulling up. `not_when` is when the
/// scanner says not to use it.
fn lookup_and_scanner(not_when: &str) -> Nova {
    let nova = Nova::new(PEOPLE, Vec::<Answer>::new());
    let write = |id: &str, description: &str, manifest: &str| {
        let folder = nova.config().join("skills").join(id);
        fs::create_dir_all(&folder).unwrap();
        let text = format!("---\nname: {id}\ndescription: {description}\n---\n");
        fs::write(folder.join("SKILL.md"), text).unwrap();
        fs::write(folder.join("manifest.yaml"), manifest).unwrap();
    };
    write(
        "scanner",
        "Scans all stocks. Pulls up any symbol that meets criteria.",
        &format!("hints: {{use_when: [pull up TICKER candidates from a scan], not_when: [{not_when}]}}\n"),
    );
    nova
}

#[test]
fn built_in_skills_take_no_requests_of_each_other() {
    let nova = Nova::new(PEOPLE, Vec::<Answer>::new());
    let (code, found) = nova.json(&["skill", "test"]);
    assert_eq!((code, found), (0, json!([])));
}

/// Router certainty is measured on a copy of the skills' descriptions.
#[test]
fn routing_corpus_matches_the_built_in_skills() {
    let copy = include_str!("../../src-tauri/crates/nova-registry/tests/routing/default_install/skills.yaml");
    let nova = Nova::new(PEOPLE, Vec::<Answer>::new());
    let has = |text: &str| {
        let quoted = Value::from(text.trim()).to_string();
        assert!(copy.contains(&quoted), "{quoted} is not in the copy");
    };
    let (_, skills) = nova.json(&["skill", "list"]);
    // A skill that needs setup takes no request.
    let skills: Vec<&Value> =
        skills.as_array().unwrap().iter().filter(|skill| skill["state"] == "available").collect();
    for skill in &skills {
        has(skill["description"].as_str().unwrap());
        let hints = skill["hints"].as_array().unwrap().iter().map(|hint| hint.as_str().unwrap());
        hints.filter(|hint| !hint.starts_with("Not for: ")).for_each(has);
        skill["examples"].as_array().unwrap().iter().for_each(|example| has(example.as_str().unwrap()));
    }
    assert_eq!(copy.matches("\n- id: ").count(), skills.len());
    let (_, tools) = nova.json(&["tool", "list"]);
    // A skill without its setup describes what is missing.
    for tool in tools.as_array().unwrap().iter().filter(|tool| tool["state"] == "available") {
        let description = tool["description"].as_str().unwrap();
        has(description.split_once(" Use when ").map_or(description, |(purpose, _)| purpose));
    }
}

/// The confusions between the two skills.
fn confusions(found: &Value) -> Vec<&Value> {
    let of_the_two =
        |row: &&Value| (row["skill"] == "lookup" || row["skill"] == "scanner") && row["tool"].is_null();
    found.as_array().unwrap().iter().filter(of_the_two).collect()
}

#[test]
fn request_that_another_skill_takes_is_found_in_advance() {
    let nova = lookup_and_scanner("");
    let (code, found) = nova.json(&["skill", "test"]);
    assert_eq!(code, 1);
    let found = confusions(&found);
    assert_eq!(found.len(), 1, "{found:?}");
    assert_eq!(found[0]["text"], "Pull up UBER");
    assert_eq!(found[0]["won"], "scanner");
    let remedy = found[0]["missing"][0].as_str().unwrap();
    assert_eq!(remedy, "Add {phrase: \"Pull up TICKER\", instead: lookup} to hints.not_when of scanner.");
}

#[test]
fn named_hint_fixes_similar_requests_too() {
    let nova = lookup_and_scanner("{phrase: Pull up TICKER, instead: lookup}");
    let (_, found) = nova.json(&["skill", "test"]);
    assert_eq!(confusions(&found), Vec::<&Value>::new());
    for request in ["pull up UBER", "Pull up NVDA", "could you pull up AAPL for me"] {
        let (code, ranked) = nova.json(&["skill", "route", request, "-k", "3"]);
        assert_eq!((code, &ranked[0]["skill"]), (0, &json!("lookup")), "{request}: {ranked}");
        assert!(ranked.as_array().unwrap().len() <= 3);
    }
}

#[tokio::test]
async fn enabling_a_skill_that_takes_anothers_examples_warns_and_names_the_hint() {
    let nova = lookup_and_scanner("");
    let (_, rows) = nova.json(&["skill", "disable", "scanner"]);
    assert!(rows.to_string().contains("disabled"));

    let app = nova.start().await;
    app.tools_loaded(PATIENCE).await;
    let taken = app.taken_by_skill(SkillRef { skill: "scanner".into() }).await.unwrap();
    assert_eq!(taken.len(), 1, "{taken:?}");
    assert_eq!((taken[0].skill.as_str(), taken[0].text.as_str()), ("lookup", "Pull up UBER"));
    assert!(taken[0].missing[0].ends_with("hints.not_when of scanner."), "{taken:?}");
    assert_eq!(app.taken_by_skill(SkillRef { skill: "lookup".into() }).await.unwrap(), []);

    let enabled = nova.run(&["skill", "enable", "scanner"]);
    let said = String::from_utf8(enabled.stderr).unwrap();
    assert!(said.contains("\"Pull up UBER\" of lookup will go to scanner."), "{said}");
    assert!(enabled.status.success());
}

#[test]
fn tool_is_found_by_what_it_does() {
    let nova = Nova::new(PEOPLE, Vec::<Answer>::new());
    let (code, ranked) = nova.json(&["skill", "route", "Who do I know at Fernhill Dairy?"]);
    assert_eq!(code, 0);
    assert_eq!(ranked[0]["tool"], "crm.list_contacts", "{ranked}");
    assert_eq!((&ranked[0]["skill"], &ranked[0]["state"]), (&json!("crm"), &json!("available")));
    assert!(ranked[0]["score"].as_f64().unwrap() > ranked[1]["score"].as_f64().unwrap());

    let nothing = nova.run(&["skill", "route", "  "]);
    assert_eq!(nothing.status.code(), Some(1));
    assert!(String::from_utf8(nothing.stderr).unwrap().contains("empty"));
}
