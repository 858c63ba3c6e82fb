//! Which notes are records of a type, and which properties make a new note one.

use nova_skill::{RecordTypes, Value, json};

use super::{TRIP, declared, note, types, values};

/// Trips with these rules and other customisation by the user.
fn trips(own: Value) -> Result<RecordTypes, String> {
    let configured = types(TRIP).with_config(&json!({"records": {"trip": own}}));
    configured.map_err(|faults| faults.iter().map(ToString::to_string).collect::<Vec<_>>().join(" "))
}

fn is_trip(types: &RecordTypes, text: &str) -> bool {
    types.of_note(&note(text)).is_some()
}

#[test]
fn without_rules_type_or_folder_with_valid_properties_matches() {
    let types = types(TRIP);
    for (text, counts) in [
        ("---\ntype: Trip\n---\n", true),
        ("---\ntype: plan\nstarts: 2026-12-31\n---\n", false),
        ("---\nstarts: 2026-12-31\n---\n", true),
        ("---\nstarts: soon\n---\n", false),
        ("---\nseats: 2\n---\n", false),
        ("---\nstarts: [\n---\n", false),
        ("About the Alps.\n", false),
    ] {
        assert_eq!(is_trip(&types, text), counts, "{text}");
    }
}

#[test]
fn note_of_several_types_stays_of_all() {
    use nova_skill::edit_properties;
    let types = types(TRIP);
    let trip = types.get("trip").unwrap();
    let text = "---\ntype: [plan, Trip]\n---\n";
    assert_eq!(types.of_note(&note(text)).map(|found| found.name().to_owned()), Some("trip".into()));
    let plan = "---\ntype: [plan]\n---\n";
    let marked = edit_properties(plan, &[trip.marking(&note(plan)).unwrap()]).unwrap();
    assert_eq!(marked, "---\ntype: [plan, trip]\n---\n");
    let single = "---\ntype: plan\n---\n";
    let marked = edit_properties(single, &[trip.marking(&note(single)).unwrap()]).unwrap();
    assert_eq!(marked, "---\ntype: trip\n---\n", "a note of another type is converted");
}

#[test]
fn users_rules_replace_those_of_the_skill() {
    let types = trips(json!({"match": [{"where": "kind contains [[Journeys]]"}, {"tag": "trip"}]})).unwrap();
    assert!(is_trip(&types, "---\nkind: [\"[[Lists/Journeys|all]]\"]\n---\n"));
    assert!(is_trip(&types, "Off to the Alps #trip/winter\n"));
    assert!(!is_trip(&types, "---\ntype: trip\n---\n"));
}

#[test]
fn new_notes_get_the_matching_property() {
    let given = values(json!({"name": "Alps", "starts": "2026-12-31", "tags": ["snow"]}));
    for (own, begins) in [
        (
            json!({"match": [{"where": "kind contains [[Journeys]]"}]}),
            "---\nkind:\n  - \"[[Journeys]]\"\nname: Alps\n",
        ),
        (json!({"match": [{"where": "kind = journey"}]}), "---\nkind: journey\nname: Alps\n"),
        (json!({"match": [{"type": "journey"}]}), "---\ntype: journey\nname: Alps\n"),
        (json!({"match": [{"folder": "Trips"}, {"type": "trip"}]}), "---\nname: Alps\n"),
        (json!({"match": [{"folder": "Lists"}, {"type": "trip"}]}), "---\ntype: trip\nname: Alps\n"),
        (json!({"names": {"name": "$file"}}), "---\ntype: trip\nstarts: 2026-12-31\n"),
    ] {
        let types = trips(own.clone()).unwrap();
        let trip = types.get("trip").unwrap();
        let text = trip.new_note(&given).unwrap();
        assert!(text.starts_with(begins), "{own}: {text}");
        assert_eq!(
            trip.new_note_of_form(&given).unwrap().split('\n').nth(1),
            begins.split('\n').nth(1),
            "{own}"
        );
        assert!(is_trip(&types, &text), "{own}: {text}");
    }
}

#[test]
fn tag_rule_preserves_given_tags() {
    let types = trips(json!({"match": [{"tag": "trip"}]})).unwrap();
    let given = values(json!({"name": "Alps", "starts": "2026-12-31", "tags": ["snow"]}));
    let text = types.get("trip").unwrap().new_note(&given).unwrap();
    assert!(text.contains("tags:\n  - trip\n  - snow\n"), "{text}");
}

#[test]
fn value_that_contradicts_the_rule_is_refused() {
    let types = trips(json!({"match": [{"where": "mood = calm"}]})).unwrap();
    let wild = values(json!({"name": "Alps", "starts": "2026-12-31", "mood": "wild"}));
    let error = types.get("trip").unwrap().new_note(&wild).unwrap_err().to_string();
    assert_eq!(error, "/mood: must be calm, which makes the note a trip.");
}

#[test]
fn mapped_values_are_read_and_written() {
    let own = json!({"values": {"mood": {"ruhig": "calm", "egal": null}}});
    let types = trips(own).unwrap();
    let trip = types.get("trip").unwrap();
    let quiet = note("---\ntype: trip\nstarts: 2026-12-31\nmood: Ruhig\n---\n");
    assert_eq!(trip.read(&quiet).choice("mood").unwrap(), Some("calm"));
    assert_eq!(trip.read(&quiet).to_json()["mood"], "calm");
    assert_eq!(trip.form_values(&quiet)["mood"], "calm");
    assert_eq!(trip.check(&quiet), []);
    let none = note("---\ntype: trip\nstarts: 2026-12-31\nmood: egal\n---\n");
    assert_eq!((trip.read(&none).choice("mood").unwrap(), trip.check(&none)), (None, vec![]));
    let text = trip.new_note(&values(json!({"name": "A", "starts": "2026-12-31", "mood": "calm"}))).unwrap();
    assert!(text.contains("mood: ruhig\n"), "{text}");
}

#[test]
fn note_name_can_be_a_field() {
    let types = trips(json!({"names": {"name": "$file"}})).unwrap();
    let trip = types.get("trip").unwrap();
    let alps = note("---\ntype: trip\nstarts: 2026-12-31\n---\n");
    assert_eq!(trip.read(&alps).text("name").unwrap().as_deref(), Some("Alps"));
    assert_eq!(trip.form_values(&alps)["name"], "Alps");
    assert!(
        trip.edits(&alps, &values(json!({"name": "alps", "seats": 2}))).is_ok_and(|edits| edits.len() == 1)
    );
    assert!(trip.edits(&alps, &values(json!({"name": "Andes"}))).is_err());
    assert!(!trip.template().contains("name:"));
}

#[test]
fn table_filters_by_the_rules() {
    let own =
        json!({"match": [{"where": "kind contains [[Journeys]]"}, {"folder": "Trips"}, {"tag": "trip"}]});
    let text = trips(own).unwrap().get("trip").unwrap().base_view(&nova_skill::TemplateFolder::default());
    for filter in
        [r#"note["kind"].contains(link("Journeys"))"#, r#"file.inFolder("Trips")"#, r#"file.hasTag("trip")"#]
    {
        assert!(text.contains(filter), "{filter}: {text}");
    }
}

#[test]
fn invalid_rules_of_a_manifest_are_refused() {
    for (rule, says) in [
        ("[]", "`match` has no entry"),
        ("[{ folder: / }]", "the folder is the whole vault"),
        ("[{ where: starts is soon }]", "`is` is not an operator"),
        ("[{ where: file.mtime > 2026-01-01 }]", "do not say what a note is"),
        ("[{ type: a, tag: b }]", "one of type, folder, tag and where"),
        ("[{ kind: a }]", "kind"),
        ("[{ where: starts exists }]", "does not recognise new notes, which go to Trips/"),
    ] {
        let error = declared(&TRIP.replace("  folder: Trips", &format!("  folder: Trips\n  match: {rule}")))
            .unwrap_err();
        assert!(error.contains(says), "{rule}: {error}");
    }
}

#[test]
fn own_fields_are_parameters_and_filters() {
    let types =
        trips(json!({"fields": {"with_dog": {"kind": "bool"}, "booked_on": {"kind": "date"}}})).unwrap();
    let trip = types.get("trip").unwrap();
    assert_eq!(trip.parameters(false)["properties"]["booked_on"]["format"], "date");
    let alps = note(
        "---\ntype: trip\nstarts: 2026-12-31\nwith_dog: true\nbooked_on: 2026-11-02\nprice: 12.50\ntags: [snow]\n---\n",
    );
    for (wanted, fits) in [
        (json!({"with_dog": true}), true),
        (json!({"with_dog": false}), false),
        (json!({"booked_on": "2026-11"}), true),
        (json!({"booked_on": "2026-1"}), false),
        (json!({"price": "12.5", "tags": "Snow"}), true),
        (json!({"mood": "calm"}), false),
        (json!({}), true),
    ] {
        let fit = trip.filters(&values(wanted.clone())).map(|filters| filters.fit(&trip.read(&alps)));
        assert_eq!(fit.unwrap_or(false), fits, "{wanted}");
    }
}

#[test]
fn template_must_be_a_note_of_the_vault() {
    let types = trips(json!({"template": "Templates/Trip"})).unwrap();
    assert_eq!(types.get("trip").unwrap().template_note(), Some("Templates/Trip.md"));
    for wrong in [json!(""), json!("../Trip"), json!(3), json!("/Trip.md")] {
        let error = trips(json!({"template": wrong})).unwrap_err();
        assert!(error.contains("must be a note of the vault, such as Templates/Trip.md"), "{wrong}: {error}");
    }
}
