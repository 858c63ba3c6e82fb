//! A vault's own names for types, properties and choices.

use nova_skill::{RecordTypes, Value, json};

use super::{TRIP, note, types, values};

fn own_names() -> RecordTypes {
    let config = json!({
        "fields": {"trip": {
            "type": ["journey", "Reise"], "name": "full title", "starts": "from", "tags": "labels", "price": "cost",
        }},
        "choices": {"trip": {"mood": ["slow", "fast"]}},
        "something": "else",
    });
    types(TRIP).with_config(&config).unwrap()
}

const REISE: &str = "---
type: reise
full title: Alps
from: 2026-12-31
cost: 12.50
labels: [snow]
name: not ours
mood: Fast
---
";

#[test]
fn note_is_read_with_the_vaults_names() {
    let types = own_names();
    let reise = note(REISE);
    let trip = types.of_note(&reise).unwrap();
    assert_eq!(trip.name(), "trip");
    let record = trip.read(&reise);
    assert_eq!(record.title(), "Alps");
    assert_eq!(record.date("starts").unwrap().unwrap().to_string(), "2026-12-31");
    assert_eq!(record.list("tags").unwrap(), ["snow"]);
    assert_eq!(record.choice("mood").unwrap(), Some("fast"));
    assert_eq!(
        json!(record.to_json()).to_string(),
        json!({"name": "Alps", "starts": "2026-12-31", "price": "12.50", "mood": "Fast", "tags": ["snow"]})
            .to_string()
    );
    assert_eq!(record.other_properties().map(|(key, _)| key).collect::<Vec<_>>(), ["name"]);
    assert_eq!(trip.check(&reise), []);
    assert!(types.of_note(&note("---\ntype: trip\n---\n")).is_none(), "the declared type does not match");
}

#[test]
fn note_is_written_with_the_vaults_names() {
    let types = own_names();
    let trip = types.get("trip").unwrap();
    let text = trip.new_note(&values(json!({"name": "B", "starts": "2026-01-02", "tags": ["x"]}))).unwrap();
    assert_eq!(
        text,
        "---\ntype: journey\nfull title: B\nfrom: 2026-01-02\nbooked: false\nmood: slow\nlabels:\n  - x\n---\n\nPack.\n"
    );
    let edits = trip.edits(&note(REISE), &values(json!({"starts": "2026-01-03", "price": null}))).unwrap();
    assert_eq!(edits.iter().map(|edit| edit.key()).collect::<Vec<_>>(), ["from", "cost"]);
    assert!(trip.template().starts_with("---\ntype: journey\nfull title: \"{{title}}\"\n"));
}

#[test]
fn schema_has_declared_names_and_problems_the_notes_names() {
    let types = own_names();
    let trip = types.get("trip").unwrap();
    let schema = trip.parameters(false);
    assert_eq!(schema["properties"]["mood"]["enum"], json!(["slow", "fast"]));
    assert_eq!(
        schema["properties"]["mood"]["default"], "slow",
        "the declared default is not a choice any more"
    );
    assert_eq!(
        schema["properties"].as_object().unwrap().keys().take(3).collect::<Vec<_>>(),
        ["name", "guide", "starts"]
    );
    let problems = trip.check(&note("---\ntype: reise\nfrom: soon\ncost: 1,5\n---\n"));
    let said: Vec<&str> = problems.iter().map(|problem| problem.problem.as_str()).collect();
    assert_eq!(
        said,
        ["`from` is `soon`, which is not a date", "`cost` is `1,5`, which is not a plain decimal"]
    );
}

#[test]
fn single_type_value_is_a_text_and_empty_config_changes_nothing() {
    let types = types(TRIP);
    for nothing in [Value::Null, json!({}), json!({"fields": null}), json!({"fields": {"trip": {}}})] {
        assert_eq!(types.with_config(&nothing).unwrap(), types, "{nothing}");
    }
    let mapped = types.with_config(&json!({"fields": {"trip": {"type": "tour"}}})).unwrap();
    assert_eq!(mapped.get("trip").unwrap().type_values(), ["tour"]);
}

#[test]
fn two_names_may_be_swapped() {
    let swapped = json!({"fields": {"trip": {"name": "guide", "guide": "name"}}});
    let types = types(TRIP).with_config(&swapped).unwrap();
    let alps = note("---\ntype: trip\nname: \"[[Jane]]\"\nguide: Alps\nstarts: 2026-01-02\n---\n");
    let trip = types.get("trip").unwrap();
    assert_eq!((trip.read(&alps).title().as_ref(), trip.check(&alps)), ("Alps", Vec::new()));
}

/// A choice whose values may be listed by the skill's own configuration.
const FREE: &str = "
trip:
  folder: Trips
  fields:
    mood: { kind: choice, choices: [calm, wild], choices_from: moods, default: calm }
";

#[test]
fn choices_come_from_the_declared_key() {
    let types = types(FREE);
    let choices = |config: Value| {
        let types = types.with_config(&config).unwrap();
        let mood = &types.get("trip").unwrap().fields["mood"];
        (mood.choices.join(" "), mood.default.clone())
    };
    let declared = ("calm wild".to_owned(), Some(json!("calm")));
    assert_eq!(choices(json!({})), declared);
    assert_eq!(choices(json!({"moods": null})), declared);
    assert_eq!(choices(json!({"moods": ["slow", "calm"]})), ("slow calm".into(), Some(json!("calm"))));
    let objects = json!({"moods": [{"name": "slow", "colour": "blue"}, {"name": "fast"}]});
    assert_eq!(choices(objects), ("slow fast".into(), Some(json!("slow"))), "the first is the default");
}

#[test]
fn invalid_choices_are_reported_with_their_key() {
    for (config, says) in [
        (json!({"moods": []}), "moods must have at least one entry."),
        (json!({"moods": "slow"}), "moods must be a list of strings, or of objects with a `name`."),
        (
            json!({"moods": [{"nmae": "slow"}]}),
            "moods must be a list of strings, or of objects with a `name`.",
        ),
        (json!({"moods": ["a", {"name": "A"}]}), "moods does not fit: it has the choice `A` twice."),
    ] {
        let faults = types(FREE).with_config(&config).expect_err(says);
        assert_eq!(faults.iter().map(ToString::to_string).collect::<Vec<_>>(), [says], "{config}");
    }
}

#[test]
fn invalid_config_is_reported_with_its_key() {
    let two = format!("{TRIP}\nstay: {{ folder: Stays, fields: {{ name: {{ kind: text }} }} }}\n");
    let types = types(&two);
    for (config, says) in [
        (json!({"fields": []}), "fields must be an object."),
        (
            json!({"fields": {"tripp": {}}}),
            "fields.tripp names no record type of this skill; it has trip, stay.",
        ),
        (json!({"fields": {"trip": "x"}}), "fields.trip must be an object."),
        (json!({"fields": {"stay": {"nmae": "x"}}}), "fields.stay.nmae names no field of stay; it has name."),
        (
            json!({"fields": {"trip": {"name": 1}}}),
            "fields.trip.name must be a string, the name of a property.",
        ),
        (
            json!({"fields": {"trip": {"name": " x"}}}),
            "fields.trip.name must be a string, the name of a property.",
        ),
        (json!({"fields": {"trip": {"name": "type"}}}), "fields.trip.name cannot be `type`"),
        (json!({"fields": {"trip": {"type": []}}}), "fields.trip.type must be a string or a list of strings"),
        (
            json!({"fields": {"trip": {"type": [1]}}}),
            "fields.trip.type must be a string or a list of strings",
        ),
        (
            json!({"fields": {"trip": {"name": "guide"}}}),
            "fields.trip gives the fields name and guide the same property `guide`.",
        ),
        (
            json!({"fields": {"stay": {"type": ["stay", "Trip"]}}}),
            "fields.stay.type has the value `Trip`, which already means trip.",
        ),
        (
            json!({"choices": {"trip": {"tags": ["a"]}}}),
            "choices.trip.tags names no choice of trip; it has mood.",
        ),
        (
            json!({"choices": {"stay": {"name": ["a"]}}}),
            "choices.stay.name names no choice of stay; it has none.",
        ),
        (json!({"choices": {"trip": {"mood": []}}}), "choices.trip.mood must have at least one entry."),
        (
            json!({"choices": {"trip": {"mood": ["a", "A"]}}}),
            "choices.trip.mood does not fit: it has the choice `A` twice.",
        ),
    ] {
        let faults = types.with_config(&config).expect_err(says);
        let said: Vec<String> = faults.iter().map(ToString::to_string).collect();
        assert!(said.len() == 1 && said[0].starts_with(says), "{config}: {said:?}");
    }
    let all = json!({"fields": {"a": {}, "trip": {"b": "c"}}, "choices": {"d": {}}});
    assert_eq!(types.with_config(&all).unwrap_err().len(), 3, "every fault is reported");
}

#[test]
fn two_fields_cannot_share_a_property_in_any_case() {
    for (config, says) in [
        (json!({"fields": {"trip": {"price": "Seats"}}}), "the same property"),
        (json!({"fields": {"trip": {"price": "TYPE"}}}), "cannot be `type`"),
    ] {
        let faults = types(TRIP).with_config(&config).unwrap_err();
        assert!(faults.iter().any(|fault| fault.reason.contains(says)), "{config}: {faults:?}");
    }
}
