//! Skills with conflicting records or an invalid configuration.
#![allow(clippy::unwrap_used)]

use std::sync::Arc;

use nova_registry::{
    LoadedSkill, NativeSkills, Registry, Scan, Settings, SkillEntry, SkillMd, SkillSettings, Source,
    SourceKind, State,
};
use nova_skill::{Skill, Tool, Value, json};

/// A skill with this id and manifest, and no tools.
struct Declares(String, String);

impl Skill for Declares {
    fn skill_md(&self) -> &str {
        &self.0
    }

    fn manifest(&self) -> &str {
        &self.1
    }

    fn tools(&self) -> Vec<Arc<dyn Tool>> {
        Vec::new()
    }
}

fn skill(id: &str, manifest: &str) -> Box<dyn Skill> {
    let skill_md = format!("---\nname: {id}\ndescription: Knows {id}.\n---\n\nOnly a test.\n");
    Box::new(Declares(skill_md, manifest.to_owned()))
}

const THINGS: &str = "
records:
  thing:
    folder: Things
    title: name
    fields:
      name: { kind: text }
";

fn registry(skills: Vec<Box<dyn Skill>>, settings: &Settings) -> Registry {
    Registry::new(vec![Box::new(NativeSkills::new(skills))], settings)
}

fn settings<const N: usize>(skills: [(&str, SkillSettings); N]) -> Settings {
    Settings(skills.into_iter().map(|(id, own)| (id.to_owned(), own)).collect())
}

fn config(config: Value) -> SkillSettings {
    SkillSettings { config, ..SkillSettings::default() }
}

fn entry(registry: &Registry, id: &str) -> Arc<SkillEntry> {
    registry.snapshot().skills().iter().find(|skill| skill.id == id).unwrap().clone()
}

/// The type values of its one record type.
fn type_values(skill: &SkillEntry) -> Vec<String> {
    skill.records.iter().flat_map(|record| record.type_values().to_vec()).collect()
}

#[test]
fn contradictory_manifest_breaks_only_its_skill() {
    let registry = registry(
        vec![
            skill("odd", &THINGS.replace("title: name", "title: nmae")),
            skill("typo", &THINGS.replace("kind: text", "kind: text, requierd: true")),
            skill("good", THINGS),
        ],
        &Settings::default(),
    );
    let odd = entry(&registry, "odd");
    assert_eq!(odd.state, State::Broken);
    let reason = odd.reason.clone().unwrap();
    assert!(reason.contains("records.thing: the title `nmae` is not one of its fields"), "{reason}");
    assert!(entry(&registry, "typo").reason.clone().unwrap().contains("requierd"));
    assert_eq!(entry(&registry, "good").state, State::Available);
}

#[test]
fn type_name_belongs_to_the_first_enabled_skill() {
    let skills = || vec![skill("one", THINGS), skill("two", &THINGS.replace("thing:", "THING:"))];
    let registry = registry(skills(), &Settings::default());
    let two = entry(&registry, "two");
    assert_eq!((entry(&registry, "one").state, two.state), (State::Available, State::Broken));
    assert_eq!(
        two.reason.as_deref(),
        Some(
            "The skill one has a record type named THING already. Disable one of the two, or rename this one in the \
             manifest."
        )
    );

    let off = SkillSettings { enabled: Some(false), ..SkillSettings::default() };
    registry.reload(&settings([("one", off)]));
    assert_eq!(entry(&registry, "two").state, State::Available);

    let renamed = vec![skill("one", THINGS), skill("two", &THINGS.replace("thing:", "object:"))];
    let registry = self::registry(renamed, &Settings::default());
    assert_eq!(entry(&registry, "two").state, State::Available, "the remedy fixes it");
}

#[test]
fn own_type_with_a_taken_name_is_refused_with_its_key() {
    let own = json!({"records": {"thing": {"folder": "Mine", "fields": {"name": {"kind": "text"}}}}});
    let two = THINGS.replace("thing:", "object:").replace("folder: Things", "folder: Objects");
    // In either order.
    for (at, other) in [("one", "two"), ("two", "one")] {
        let skills = vec![skill(at, &two), skill(other, THINGS)];
        let registry = registry(skills, &settings([(at, config(own.clone()))]));
        let reason = entry(&registry, at).reason.clone().unwrap_or_default();
        let what = format!(
            "skills.{at}.config.records.thing has the name of a record type of the skill {other}; choose another name."
        );
        assert_eq!(reason, format!("{what} Correct it in nova.config.json."));
        assert_eq!(entry(&registry, other).state, State::Available);
    }
    let registry = registry(vec![skill("one", THINGS), skill("two", &two)], &Settings::default());
    registry.reload(&settings([("two", config(own))]));
    assert_eq!(entry(&registry, "two").state, State::Available, "the last good configuration stays in use");
}

#[test]
fn two_skills_may_claim_the_same_notes() {
    let two = THINGS.replace("thing:", "object:").replace("folder: Things", "folder: Objects");
    let same = config(json!({"records": {"object": {"match": [{"type": "thing"}]}}}));
    let registry = registry(vec![skill("one", THINGS), skill("two", &two)], &settings([("two", same)]));
    let states = ["one", "two"].map(|id| entry(&registry, id).state);
    assert_eq!(states, [State::Available, State::Available]);
}

#[test]
fn invalid_initial_config_makes_the_skill_unavailable() {
    let wrong = settings([("one", config(json!({"fields": {"thing": {"nmae": "title"}}})))]);
    let registry = registry(vec![skill("one", THINGS)], &wrong);
    let one = entry(&registry, "one");
    assert_eq!(one.state, State::Unavailable, "with wrong names it would miss the user's records");
    let what = "skills.one.config.fields.thing.nmae names no field of thing; it has name.";
    assert_eq!(one.reason.as_deref(), Some(&*format!("{what} Correct it in nova.config.json.")));
    assert_eq!(
        registry.snapshot().config_problem(),
        Some(&*format!("{what} Until it is corrected, one is not available."))
    );

    assert!(registry.reload(&wrong).is_empty(), "an unchanged error is not reported again");
    assert_eq!(entry(&registry, "one").state, State::Unavailable);
    let right = settings([("one", config(json!({"fields": {"thing": {"name": "title"}}})))]);
    assert_eq!(registry.reload(&right).changed, ["one"]);
    assert_eq!(entry(&registry, "one").state, State::Available);
    assert_eq!(registry.snapshot().config_problem(), None);
}

#[test]
fn config_that_breaks_later_keeps_the_last_good_one() {
    let with = |fields: Value| settings([("one", config(json!({ "fields": fields })))]);
    let registry = registry(vec![skill("one", THINGS)], &with(json!({"thing": {"type": "object"}})));
    assert_eq!(type_values(&entry(&registry, "one")), ["object"]);

    for _ in 0..2 {
        assert!(registry.reload(&with(json!({"thing": {"type": 3}}))).is_empty());
        let one = entry(&registry, "one");
        assert_eq!((one.state, type_values(&one)), (State::Available, vec!["object".to_owned()]));
        assert_eq!(one.config["fields"]["thing"]["type"], "object");
        let said = registry.snapshot().config_problem().unwrap().to_owned();
        assert!(said.ends_with("The last good configuration of one stays in use."), "{said}");
    }
    assert_eq!(registry.reload(&with(json!({"thing": {"type": "item"}}))).changed, ["one"]);
    assert_eq!(type_values(&entry(&registry, "one")), ["item"]);
}

#[test]
fn look_alike_id_is_not_available() {
    // Cyrillic а, a trailing space, a capital I for the l, the same in capitals, a full-width letter.
    for id in [
        "v\u{430}ult",
        "Vault ",
        " vault",
        "vauIt",
        "V\u{410}ULT",
        "\u{ff56}ault",
        "vault\u{3000}",
        // A digit, an invisible character, small capitals, mathematical letters, a blank Braille pattern.
        "vau1t",
        "va\u{200b}ult",
        "\u{ad}vault\u{e0041}",
        "\u{1d20}ault",
        "\u{1d42f}\u{1d41a}\u{1d42e}\u{1d425}\u{1d42d}",
        "vault\u{2800}",
        "vault\u{2003}\u{200d}",
    ] {
        let found = Found(id);
        let sources: Vec<Box<dyn Source>> =
            vec![Box::new(NativeSkills::new(vec![skill("vault", "")])), Box::new(found)];
        let registry = Registry::new(sources, &Settings::default());
        let snapshot = registry.snapshot();
        assert_eq!(
            snapshot.available().map(|skill| skill.id.as_str()).collect::<Vec<_>>(),
            ["vault"],
            "{id:?}"
        );
        let loser = snapshot.skills().iter().find(|skill| skill.id == id).unwrap();
        assert_eq!(loser.state, State::Broken, "{id:?}");
        assert!(loser.reason.as_ref().unwrap().contains("the built-in skill vault"), "{:?}", loser.reason);
    }
}

#[test]
fn distinct_ids_stay_available() {
    for id in ["vaults", "cr\u{fc}m", "записи", "log-1"] {
        let sources: Vec<Box<dyn Source>> = vec![
            Box::new(NativeSkills::new(vec![skill("vault", ""), skill("crm", ""), skill("log-2", "")])),
            Box::new(Found(id)),
        ];
        let registry = Registry::new(sources, &Settings::default());
        assert_eq!(registry.snapshot().available().count(), 4, "{id:?}");
    }
}

#[test]
fn taken_display_name_is_not_shown() {
    for (name, shown) in [
        ("Vault", "other"),
        ("\u{57}ault", "\u{57}ault"),
        ("V\u{430}ult ", "other"),
        ("Your notes", "other"),
        ("Other", "Other"),
    ] {
        let sources: Vec<Box<dyn Source>> = vec![
            Box::new(NativeSkills::new(vec![skill("vault", "display_name: Your notes\nversion: 1.0.0\n")])),
            Box::new(Named(name)),
        ];
        let registry = Registry::new(sources, &Settings::default());
        assert_eq!(entry(&registry, "other").name, shown, "{name:?}");
        assert_eq!(entry(&registry, "other").state, State::Available);
    }
}

/// A folder `other` whose manifest declares that name.
struct Named(&'static str);

impl Source for Named {
    fn kind(&self) -> SourceKind {
        SourceKind::Folder
    }

    fn scan(&self) -> Scan {
        let manifest =
            nova_skill::Manifest { display_name: Some(self.0.to_owned()), ..nova_skill::Manifest::default() };
        Scan { skills: vec![loaded("other", manifest)], problems: Vec::new() }
    }
}

/// A folder with that name.
struct Found(&'static str);

impl Source for Found {
    fn kind(&self) -> SourceKind {
        SourceKind::Folder
    }

    fn scan(&self) -> Scan {
        Scan { skills: vec![loaded(self.0, nova_skill::Manifest::default())], problems: Vec::new() }
    }
}

fn loaded(id: &str, manifest: nova_skill::Manifest) -> LoadedSkill {
    let text = "---\nname: other\ndescription: Something else.\n---\n\nOnly a test.\n";
    LoadedSkill::new(id.to_owned(), SkillMd::parse(text).unwrap(), manifest, Vec::new())
}
