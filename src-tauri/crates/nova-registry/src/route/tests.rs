#![allow(clippy::unwrap_used)]

use super::fixture::{snapshot, snapshot_with};
use super::*;
use crate::{Settings, SkillSettings};

const UBER: &str = include_str!("../../tests/routing/uber.yaml");

/// The same skills without their hints.
fn without_hints(yaml: &str) -> String {
    let (screener, lookup) = yaml.split_once("- id: lookup").unwrap();
    let without = |part: &str, keys: &[&str]| -> String {
        let kept = part.lines().filter(|line| !keys.iter().any(|key| line.trim_start().starts_with(key)));
        kept.collect::<Vec<_>>().join("\n")
    };
    let lookup = without(lookup, &["use_when:", "not_when:"]).replace(", use_when: [pull up TICKER]", "");
    format!("{}\n- id: lookup{lookup}", without(screener, &["not_when:"]))
}

fn first(yaml: &str, text: &str) -> (String, Option<String>) {
    let best = Router::new(&snapshot(yaml)).route(text, 1).pop().unwrap();
    (best.skill, best.tool)
}

fn tool(skill: &str, tool: &str) -> (String, Option<String>) {
    (skill.to_owned(), Some(tool.to_owned()))
}

#[test]
fn hints_route_pull_up_uber_to_the_lookup() {
    for text in ["pull up UBER", "Pull up SHOP please", "could you pull up $PLTR?", "show me NVDA"] {
        assert_eq!(first(UBER, text), tool("lookup", "pull_up_symbol"), "{text}");
    }
    assert_eq!(first(UBER, "pull every stock with growing earnings").0, "screener");
    assert_eq!(test_routing(&snapshot(UBER)), []);
}

#[test]
fn confusion_without_hints_is_reported_with_its_fix() {
    let bare = without_hints(UBER);
    let found = test_routing(&snapshot(&bare));
    let uber = found
        .iter()
        .find(|confusion| confusion.text == "Pull up UBER" && confusion.kind == ConfusionKind::Example);
    let uber = uber.unwrap_or_else(|| panic!("{found:#?}"));
    assert_eq!((&*uber.skill, uber.tool.as_deref()), ("lookup", Some("pull_up_symbol")));
    let won = uber.won.as_ref().unwrap();
    assert_eq!((&*won.skill, won.tool.as_deref()), ("screener", Some("scan_universe")));
    let hints: Vec<String> = uber.missing.iter().map(MissingHint::to_string).collect();
    let not_when =
        "Add {phrase: \"Pull up TICKER\", instead: lookup.pull_up_symbol} to hints.not_when of screener.";
    assert_eq!(hints.first().map(String::as_str), Some(not_when), "{hints:?}");

    let missed = found
        .iter()
        .find(|confusion| confusion.text == "Pull up UBER" && confusion.kind == ConfusionKind::NearMiss);
    assert_eq!(missed.unwrap().skill, "screener", "also a near miss of the screener");
}

#[test]
fn tested_example_does_not_match_itself() {
    let skills = "
- id: harbour
  description: Ships and berths.
  examples: [who waters the plants]
- id: garden
  description: Plants in their beds.
";
    let router = Router::new(&snapshot(skills));
    assert_eq!(router.route("who waters the plants", 1)[0].skill, "harbour");
    assert_eq!(router.route_example("who waters the plants", 1)[0].skill, "garden");
}

#[test]
fn skill_that_would_take_examples_is_reported_before_enabling() {
    let off = SkillSettings { enabled: Some(false), ..SkillSettings::default() };
    let settings = Settings([("screener".to_owned(), off)].into());
    let bare = without_hints(UBER);
    let snapshot = snapshot_with(&bare, &settings);
    assert_eq!(
        Router::new(&snapshot)
            .route("pull up UBER", 9)
            .iter()
            .filter(|tool| tool.skill == "screener")
            .count(),
        0
    );

    let screener = snapshot.skill("screener").unwrap();
    let taken = would_take(&snapshot, screener);
    let uber = taken.iter().find(|confusion| confusion.text == "Pull up UBER").unwrap();
    assert_eq!((&*uber.skill, &*uber.won.as_ref().unwrap().skill), ("lookup", "screener"));
    assert!(matches!(&uber.missing[..], [MissingHint::NotWhen { skill, .. }, ..] if skill == "screener"));

    let told_apart = snapshot_with(UBER, &settings);
    assert_eq!(would_take(&told_apart, told_apart.skill("screener").unwrap()), []);
}

#[test]
fn skill_does_not_take_its_own_examples() {
    let skills = "
- id: harbour
  description: Ships and berths.
  examples: [free berths -> ships]
  tools: { ships: { description: Lists ships. }, berths: { description: Lists free berths. } }
- id: paper
  description: Reads the newspaper.
";
    let [astray] = &test_routing(&snapshot(skills))[..] else { panic!("the example reaches the wrong tool") };
    assert_eq!(astray.won.as_ref().unwrap().tool.as_deref(), Some("berths"));
    let off = SkillSettings { enabled: Some(false), ..SkillSettings::default() };
    let without = snapshot_with(skills, &Settings([("harbour".to_owned(), off)].into()));
    assert_eq!(would_take(&without, without.skill("harbour").unwrap()), []);
}

#[test]
fn not_when_counts_only_while_the_other_skill_exists() {
    let one = "
- id: scan
  description: Scans the harbour.
  not_when: [{ phrase: harbour news, instead: paper }]
  tools: { look: { description: Looks at the harbour. } }
- id: paper
  description: Reads the newspaper.
  tools: { front: { description: The front page. } }
";
    assert_eq!(first(one, "harbour news").0, "paper");
    let off = SkillSettings { enabled: Some(false), ..SkillSettings::default() };
    let alone = snapshot_with(one, &Settings([("paper".to_owned(), off)].into()));
    assert_eq!(Router::new(&alone).route("harbour news", 1)[0].skill, "scan");
}

#[test]
fn repeated_hint_counts_once() {
    let skills = |times: usize| {
        let hints = vec!["{ phrase: harbour news, instead: paper }"; times].join(", ");
        format!(
            "
- {{ id: scan, description: Scans the harbour., not_when: [{hints}] }}
- {{ id: paper, description: Reads the newspaper. }}
"
        )
    };
    let route = |times| Router::new(&snapshot(&skills(times))).route("harbour news", 5);
    assert_eq!(route(60), route(1));
}

#[test]
fn misspelled_words_and_other_accents_match() {
    let skills = "
- id: recipes
  description: Recipes with ingredients.
  tools: { brulee: { description: The crème brûlée of the house. } }
- id: invoices
  description: Bills to clients.
  tools: { reminder: { description: Sends a payment reminder. } }
";
    assert_eq!(first(skills, "CREME BRULEE"), tool("recipes", "brulee"));
    assert_eq!(first(skills, "a payement remindr"), tool("invoices", "reminder"));
}

#[test]
fn note_name_promotes_tools_that_take_a_note() {
    let skills = "
- id: vault
  description: Markdown files.
  tools: { read: { description: Gives the text., parameters: [note] } }
- id: garden
  description: Plants and ideas for the garden.
  tools: { water: { description: Waters the beds. } }
";
    let router = Router::new(&snapshot(skills));
    assert_ne!(router.route("Offsite Lisbon", 5).first().map(|best| &*best.skill), Some("vault"));
    let known = router.route_with_notes("Offsite Lisbon", 5, &|name| name == "Offsite Lisbon");
    assert_eq!(known[0].skill, "vault");
    assert_eq!(router.route("[[Offsite Lisbon]]", 5)[0].skill, "vault");
}

#[test]
fn chinese_requests_find_their_skill() {
    let skills = "
- id: weather
  description: 天气预报和气温
  tools: { now: { description: 今天的天气 } }
- id: music
  description: 播放音乐和歌曲
  tools: { play: { description: 播放一首歌 } }
";
    assert_eq!(first(skills, "明天的天气怎么样？").0, "weather");
    assert_eq!(first(skills, "请播放音乐").0, "music");
}

#[test]
fn wordless_requests_find_nothing_and_long_ones_are_cut() {
    let router = Router::new(&snapshot(UBER));
    for text in ["", "   \n\t", "?!… --- ()", "🦀🎉👩‍👩‍👧", "\u{0}\u{202e}\u{200d}", "[[", "]]", "$", "#"]
    {
        assert_eq!(router.route(text, 5), [], "{text:?}");
    }
    let unbroken = "x".repeat(1 << 20);
    assert_eq!(router.route(&unbroken, 5), []);
    let long = format!("scan the universe {}", "lorem ipsum ".repeat(90_000));
    assert_eq!(router.route(&long, 1)[0].skill, "screener");
    let brackets = "[[".repeat(500_000);
    assert_eq!(router.route(&brackets, 5), []);
    let asked = std::cell::Cell::new(0);
    let count = |_: &str| {
        asked.set(asked.get() + 1);
        false
    };
    router.route_with_notes(&long, 1, &count);
    assert!(asked.get() < 10_000, "{} names requested", asked.get());
}

#[test]
fn skill_with_a_huge_description_does_not_dominate() {
    let words: String = (0..150_000).map(|at| format!("word{at} ")).collect();
    let phrases = vec!["\"pull up TICKER\""; 5_000].join(", ");
    let skills = format!(
        "{UBER}
- id: flood
  description: pull up symbol chart company {words}
  use_when: [{phrases}]
  tools: {{ flood: {{ description: {words} }} }}
"
    );
    let router = Router::new(&snapshot(&skills));
    assert_eq!(router.route("show me the key figures of a company", 1)[0].skill, "lookup");
    assert_eq!(router.route("Backtest a rule", 1)[0].skill, "screener");
    assert!(router.vocabulary.len() < 2_000, "{} terms", router.vocabulary.len());
}

#[test]
fn ranking_is_deterministic() {
    let dev = include_str!("../../tests/routing/dev/skills.yaml");
    let (one, two) = (Router::new(&snapshot(dev)), Router::new(&snapshot(dev)));
    for text in ["move my notes", "pull up UBER", "what did I spend on books last month", "e-mail to Jane"] {
        let ranked = one.route(text, usize::MAX);
        assert_eq!(ranked, two.route(text, usize::MAX));
        assert_eq!(ranked[..3], one.route(text, 3), "k only truncates");
        assert!(ranked.is_sorted_by(|a, b| a.score >= b.score), "best first");
    }
}

#[test]
fn skill_without_tools_is_ranked() {
    let skills = "
- id: style
  description: How letters are written in this house.
";
    assert_eq!(first(skills, "write a letter in house style"), ("style".to_owned(), None));
}

#[test]
fn skill_without_tools_can_outrank_a_matching_parameter() {
    let skills = "
- id: lookup
  description: Pulls up the chart of one company.
- id: trades
  description: What was bought and sold.
  tools: { gains: { description: Computes gains., parameters: [symbol] } }
";
    assert_eq!(first(skills, "pull up UBER"), ("lookup".to_owned(), None));
}

#[test]
fn score_is_bounded_for_similar_skills() {
    let halls: String = (0..100)
        .map(|at| {
            format!(
                "
- id: hall-{at}
  description: Counts the number of crates in a hall. Deletes what is gone.
  tools: {{ count: {{ description: The number of crates. }} }}
"
            )
        })
        .collect();
    let skills = format!(
        "{halls}
- id: people
  description: Who to ring.
  tools: {{ reach: {{ description: Gives the phone of somebody. }}, strike: {{ description: Removes somebody. }} }}
"
    );
    let router = Router::new(&snapshot(&skills));
    let ranked = router.route("what is the number of widgets", usize::MAX);
    let people = ranked.iter().find(|ranked| ranked.skill == "people").unwrap();
    assert!(people.score < 0.1, "`phone` is a synonym of `number`, which all share: {people:?}");
    for text in ["what is the number of widgets", "Delete that", "number number phone ring remove delete"] {
        let best = &router.route(text, 1)[0];
        assert!(best.score > 0.0 && best.score <= 1.82, "{text}: {best:?}");
    }
}

const SHIPPED: &str = include_str!("../../tests/routing/default_install/skills.yaml");

#[test]
fn one_common_word_is_not_enough_for_confidence() {
    let router = Router::new(&snapshot(SHIPPED));
    for text in [
        "When was the first iPhone released?",
        "Is it safe to delete System32?",
        "How do links in a chain work?",
        "How do I get in contact with the tax office?",
        "What do I need for a contact lens prescription?",
        "I want to change my phone number with Vodafone",
        "count the words in this line: to be or not to be",
        "Delete that",
        "contacts",
        "",
        "🦀",
    ] {
        assert_eq!(router.confident(text), None, "{text}");
    }
}

#[test]
fn two_signs_are_enough_for_confidence() {
    let router = Router::new(&snapshot(SHIPPED));
    for (text, skill) in [
        ("What is Mara's e-mail address?", "crm"),
        ("move my meeting notes to the archive folder", "vault"),
        ("make me a tool that converts currencies", "core"),
        ("make an onboarding plan for the new developer", "employee-onboarding"),
        ("is the release 3.2 ready?", "release-management"),
    ] {
        assert_eq!(router.confident(text), Some(skill), "{text}");
    }
}

#[test]
fn equal_skills_prevent_confidence() {
    let twin = |id: &str| {
        format!("- {{ id: {id}, description: Keeps the log of the harbour., examples: [the harbour log] }}\n")
    };
    let alone = Router::new(&snapshot(&twin("pier")));
    assert_eq!(alone.confident("show me the harbour log"), Some("pier"));
    let both = Router::new(&snapshot(&(twin("pier") + &twin("quay"))));
    assert_eq!(both.confident("show me the harbour log"), None);
}

#[test]
fn huge_request_prevents_confidence() {
    let router = Router::new(&snapshot(SHIPPED));
    assert_eq!(router.confident(&"my contact's note links to a release ".repeat(50_000)), None);
    assert_eq!(router.confident(&"[[".repeat(500_000)), None);
}
