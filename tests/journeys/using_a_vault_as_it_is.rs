//! A vault whose notes have other types and properties than a skill expects.

use nova_protocol::{Commands as _, Event, SkillRef};
use serde_json::{Value, json};

use super::nova::{Nova, PEOPLE, wait_for};

/// Two people as kept before Nova, and a project that is no record of the skill.
const OLD: &str = "
//- People/Ada Byron.md
---
type: person
e-mail: ada@byron.example
status: friend
employer: \"[[Analytical Engines]]\"
next: 2026-12-01
---
Met at the fair.
//- People/Grace Hopper.md
---
type: person
e-mail: grace@navy.example # work
status: lead
---
//- Journal/2026-11-02.md
---
type: journal
status: done
---
";

fn settings(nova: &Nova) -> Value {
    serde_json::from_slice(&std::fs::read(nova.config().join("nova.config.json")).unwrap()).unwrap()
}

/// The rows that the skill lists.
fn contacts(nova: &Nova) -> Value {
    let (_, listed) = nova.json(&["tool", "call", "crm.list_contacts"]);
    listed["value"]["contacts"].clone()
}

#[tokio::test]
async fn names_are_proposed_with_their_evidence_and_nothing_is_changed() {
    let nova = Nova::new(OLD, []);
    let before = settings(&nova);
    let app = nova.start().await;

    let proposal = app.propose_fields(SkillRef { skill: "crm".into() }).await.unwrap();

    let people = &proposal.types[0];
    assert_eq!(people.summary, "2 notes look like contacts (type: person)");
    assert_eq!(people.examples, ["People/Ada Byron.md", "People/Grace Hopper.md"]);
    let fields: Vec<_> = people
        .fields
        .iter()
        .map(|found| (found.field.as_str(), found.property.as_str(), found.notes, found.because.as_str()))
        .collect();
    assert_eq!(
        fields,
        [
            ("company", "employer", 1, "is another name for company"),
            ("email", "e-mail", 2, "is another spelling of email"),
            ("stage", "status", 2, "is another name for stage"),
            ("next_contact", "next", 1, "is another name for next_contact"),
        ]
    );
    assert_eq!(people.fields[1].examples, ["ada@byron.example", "grace@navy.example"]);
    assert_eq!(
        proposal.config,
        json!({"fields": {"contact": {
            "type": ["person", "contact"], "company": "employer", "email": "e-mail", "stage": "status",
            "next_contact": "next",
        }}})
    );
    assert_eq!(proposal.types.len(), 1, "a journal is not a record");
    let printed = String::from_utf8(nova.run(&["skill", "fields", "crm"]).stdout).unwrap();
    let row = printed.lines().find(|line| line.starts_with("company")).unwrap();
    let cells: Vec<&str> = row.split("  ").map(str::trim).filter(|cell| !cell.is_empty()).collect();
    assert_eq!(
        cells,
        ["company", "employer", "1", "[[Analytical Engines]]", "is another name for company"],
        "{printed}"
    );
    assert_eq!(settings(&nova), before);
}

#[test]
fn confirmed_notes_are_found_and_changed_under_their_own_names() {
    let nova = Nova::new(OLD, []);
    assert_eq!(contacts(&nova), json!([]));
    let ada = nova.vault.read("People/Ada Byron.md");

    let (code, applied) = nova.json(&["skill", "fields", "crm", "--apply"]);

    assert_eq!((code, &applied["applied"]), (0, &json!(true)));
    assert_eq!(nova.vault.read("People/Ada Byron.md"), ada, "no note is changed");
    let rows = contacts(&nova);
    let rows = rows.as_array().unwrap();
    let known: Vec<_> = rows.iter().map(|row| (row["name"].as_str(), row["stage"].as_str())).collect();
    assert_eq!(known, [(Some("Ada Byron"), Some("friend")), (Some("Grace Hopper"), Some("lead"))]);
    // A query may use either name of the type.
    for (asked, notes) in [("contact", 2), ("Person", 2), ("deal", 0)] {
        let of_type = json!({"type": asked}).to_string();
        let (_, found) = nova.json(&["tool", "call", "vault.query", "--args", &of_type]);
        assert_eq!(found["value"]["total"], notes, "{asked}");
        let (_, rows) = nova.json(&["vault", "query", "--type", asked]);
        assert_eq!(rows.as_array().unwrap().len(), notes, "{asked}");
    }
    let update = r#"{"name": "grace", "email": "grace@yale.example", "next_contact": "2026-12-09"}"#;
    let (code, _) = nova.json(&["tool", "call", "crm.update_contact", "--args", update, "--approve", "all"]);
    assert_eq!(code, 0);
    assert_eq!(
        nova.vault.read("People/Grace Hopper.md"),
        "---\ntype: person\ne-mail: grace@yale.example # work\nstatus: lead\nnext: 2026-12-09\n---\n"
    );
    let add = r#"{"name": "Alan Turing"}"#;
    let (code, _) = nova.json(&["tool", "call", "crm.add_contact", "--args", add, "--approve", "all"]);
    assert_eq!(code, 0);
    assert!(nova.vault.read("CRM/People/Alan Turing.md").starts_with("---\ntype: person\n"));
    let (_, again) = nova.json(&["skill", "fields", "crm"]);
    assert_eq!((&again["types"], &again["applied"]), (&json!([]), &json!(false)));
}

#[test]
fn users_settings_stay_and_a_native_vault_gets_no_proposal() {
    let nova = Nova::new(PEOPLE, []);
    assert_eq!(nova.json(&["skill", "fields", "crm"]).1["types"], json!([]));

    let nova = Nova::new(OLD, []);
    let mut own = settings(&nova);
    own["skills"] = json!({"crm": {"config": {"fields": {"contact": {"phone": "Tel"}}}}});
    nova.settings(&own);
    nova.json(&["skill", "fields", "crm", "--apply"]);
    let fields = &settings(&nova)["skills"]["crm"]["config"]["fields"]["contact"];
    assert_eq!((&fields["phone"], &fields["email"]), (&json!("Tel"), &json!("e-mail")));
    let unknown = nova.run(&["skill", "fields", "nobody"]);
    assert_eq!(unknown.status.code(), Some(1));
}

#[tokio::test]
async fn notes_are_recognised_by_folder_or_by_most_properties() {
    let notes = "
//- Kontakte/Ada.md
---
type: mensch
email: ada@byron.example
phone: 1
company: Engines
stage: lead
---
//- Kontakte/Grace.md
---
type: mensch
email: grace@navy.example
phone: 2
company: Navy
stage: lead
---
//- Companies/Engines.md
---
type: firma
domain: engines.example
---
//- Books/Notes.md
---
type: book
stage: reading
---
//- .obsidian/templates.json
{\"folder\": \"Meta/Forms\"}
//- Meta/Forms/Pal.md
---
type: pal
email:
phone:
company:
stage:
---
";
    let nova = Nova::new(notes, []);
    let app = nova.start().await;
    let proposal = app.propose_fields(SkillRef { skill: "crm".into() }).await.unwrap();
    let found: Vec<_> = proposal
        .types
        .iter()
        .map(|found| (found.record_type.as_str(), found.type_values.as_slice()))
        .collect();
    assert_eq!(found, [("contact", &["mensch".to_owned()][..]), ("company", &["firma".to_owned()][..])]);
}

/// The proposed record types of a vault, with the property of each field.
async fn proposed(notes: &str, skill: &str) -> Vec<(String, Vec<(String, String)>)> {
    let nova = Nova::new(notes, []);
    let app = nova.start().await;
    let proposal = app.propose_fields(SkillRef { skill: skill.into() }).await.unwrap();
    let fields = |found: &nova_protocol::TypeProposal| {
        found.fields.iter().map(|field| (field.field.clone(), field.property.clone())).collect()
    };
    proposal.types.iter().map(|found| (found.record_type.clone(), fields(found))).collect()
}

#[tokio::test]
async fn values_identify_a_field_with_an_unclear_name() {
    let notes = "
//- Friends/Ada.md
---
type: person
reach: +44 20 7946 0555
post: ada@byron.example
no: 4471234
---
//- Friends/Bo.md
---
type: person
reach: 030 7946 05
post: bo@byron.example
no: 4471235
---
//- Work/A.md
---
type: opportunity
where: lead
in: EUR
---
//- Work/B.md
---
type: opportunity
where: won
in: USD
---
";
    let pairs =
        |[a, b]: [(&str, &str); 2]| vec![(a.0.to_owned(), a.1.to_owned()), (b.0.to_owned(), b.1.to_owned())];
    assert_eq!(
        proposed(notes, "crm").await,
        [
            ("contact".to_owned(), pairs([("email", "post"), ("phone", "reach")])),
            ("deal".to_owned(), pairs([("stage", "where"), ("currency", "in")])),
        ]
    );
}

#[tokio::test]
async fn names_in_other_languages_are_found() {
    let pairs = |pairs: &[(&str, &str)]| {
        pairs.iter().map(|(field, property)| ((*field).to_owned(), (*property).to_owned())).collect()
    };
    let german = "//- Leute/Ada.md\n---\ntype: Kontakt\nFirma: Engines\nE-Mail: ada@byron.example\nTelefonnummer: 030 1\n\
                  Wiedervorlage: 2026-12-01\n---\n";
    assert_eq!(
        proposed(german, "crm").await,
        [(
            "contact".to_owned(),
            pairs(&[
                ("company", "Firma"),
                ("email", "E-Mail"),
                ("phone", "Telefonnummer"),
                ("next_contact", "Wiedervorlage")
            ])
        )]
    );
    let french = "//- Argent/Loyer.md\n---\ntype: depense\ndate: 2026-11-02\nmontant: 840.00\ncat\u{e9}gorie: logement\n\
                  commercant: Foncia\n---\n";
    assert_eq!(
        proposed(french, "budget").await,
        [(
            "expense".to_owned(),
            pairs(&[("amount", "montant"), ("category", "cat\u{e9}gorie"), ("payee", "commercant")])
        )]
    );
    let spanish = "//- Dinero/Sueldo.md\n---\ntype: ingreso\nfecha: 2026-11-02\nimporte: 2100.00\npagador: Quillon\n---\n";
    assert_eq!(
        proposed(spanish, "budget").await,
        [("income".to_owned(), pairs(&[("date", "fecha"), ("amount", "importe"), ("payee", "pagador")]))]
    );
    let dutch = "//- Beurs/ASML.md\n---\ntype: aandeel\nsymbool: ASML\naantal: 12\nbeurs: AMSTERDAM\nvaluta: EUR\n---\n";
    assert_eq!(
        proposed(dutch, "portfolio").await,
        [(
            "position".to_owned(),
            pairs(&[
                ("symbol", "symbool"),
                ("exchange", "beurs"),
                ("currency", "valuta"),
                ("quantity", "aantal")
            ])
        )]
    );
}

#[tokio::test]
async fn notes_that_would_stay_unreadable_are_reported_before_applying() {
    let notes = "
//- Ausgaben/Miete.md
---
type: Ausgabe
Datum: 2026-11-02
Betrag: 1.234,50
---
//- Ausgaben/Kino.md
---
type: Ausgabe
Betrag: 12,00
---
";
    let nova = Nova::new(notes, []);
    let app = nova.start().await;
    let proposal = app.propose_fields(SkillRef { skill: "budget".into() }).await.unwrap();
    let [expenses] = proposal.types.as_slice() else { panic!("one type: {proposal:?}") };
    let lacking: Vec<_> = expenses
        .unreadable
        .iter()
        .map(|lacking| {
            (lacking.label.as_str(), lacking.notes, lacking.needs.as_str(), lacking.example.as_deref())
        })
        .collect();
    assert_eq!(lacking, [("Date", 1, "a date", None), ("Amount", 2, "a decimal", Some("12,00"))]);

    let printed = nova.run(&["skill", "fields", "budget"]);
    let printed = String::from_utf8(printed.stdout).unwrap();
    assert!(
        printed.contains("amount: 2 of 2 notes do not have a decimal, but \"12,00\"; they stay unreadable"),
        "{printed}"
    );

    // And so it is: the month reports both.
    nova.json(&["skill", "fields", "budget", "--apply"]);
    let (_, month) =
        nova.json(&["tool", "call", "budget.month_summary", "--args", r#"{"month": "2026-11"}"#]);
    assert_eq!(month["value"]["unreadable"].as_array().map(Vec::len), Some(2), "{month}");
}

#[test]
fn templates_and_tables_of_records_are_printed_for_obsidian() {
    let nova = Nova::new(OLD, []);
    let printed = |args: &[&str]| {
        let run = nova.run(args);
        assert!(run.status.success(), "{args:?}: {}", String::from_utf8_lossy(&run.stderr));
        String::from_utf8(run.stdout).unwrap()
    };
    let template = printed(&["skill", "template", "crm", "contact"]);
    assert!(template.starts_with("---\ntype: contact\nname: \"{{title}}\"\ncompany:\n"), "{template}");
    assert_eq!(nova.json(&["skill", "template", "crm", "contact"]).1["text"], template);

    // With this vault's names, and displayed by Nova as by Obsidian.
    assert_eq!(nova.json(&["skill", "fields", "crm", "--apply"]).0, 0);
    let template = printed(&["skill", "template", "crm", "contact"]);
    assert!(template.contains("\ne-mail:\n") && template.contains("\nemployer:\n"), "{template}");
    nova.vault.write("Templates/Person.md", &template);
    nova.vault.write("People.base", &printed(&["skill", "template", "crm", "contact", "--base"]));
    let asked = ["tool", "call", "vault.query_base", "--args", r#"{"path":"People.base"}"#];
    let (code, shown) = nova.json(&asked);
    assert_eq!((code, &shown["value"]["total"]), (0, &json!(2)), "{shown}");
    assert!(shown.to_string().contains("ada@byron.example"), "{shown}");

    for (args, said) in [
        (["skill", "template", "crm", "invoice"], "It has contact, company, deal."),
        (["skill", "template", "nobody", "contact"], "nobody"),
    ] {
        let run = nova.run(&args);
        assert_eq!(run.status.code(), Some(1));
        assert!(String::from_utf8_lossy(&run.stderr).contains(said), "{args:?}");
    }
}

/// A shared folder outside of the vault, linked into it.
#[cfg(unix)]
#[tokio::test]
async fn linked_folder_belongs_to_the_vault_once_listed() {
    let nova = Nova::new("//- Home.md\nSee [[Ada Byron]].\n", []);
    let team = nova.home().canonicalize().unwrap().join("Team");
    std::fs::create_dir(&team).unwrap();
    let ada = team.join("Ada Byron.md");
    std::fs::write(&ada, "---\ntype: contact\nname: Ada Byron\nstage: lead\n---\n").unwrap();
    std::os::unix::fs::symlink(&team, nova.vault.root().join("Team")).unwrap();

    let (code, problems) = nova.json(&["vault", "check"]);
    assert_eq!((code, &problems[0]["path"]), (1, &json!("Team")));
    assert!(problems[0]["remedy"].as_str().unwrap().contains("\"roots\" in nova.config.json"), "{problems}");
    assert_eq!(contacts(&nova), json!([]));

    let app = nova.start().await;
    app.watch();
    let mut events = app.events();
    let mut listed = settings(&nova);
    listed["roots"] = json!([team]);
    nova.settings(&listed);
    wait_for(&mut events, |event| matches!(event, Event::VaultOpened { .. })).await;
    assert_eq!(app.vault_problems().await.unwrap(), [], "the running process applies the settings");
    drop(app);

    assert_eq!(nova.json(&["vault", "check"]), (0, json!([])));
    assert_eq!(contacts(&nova)[0]["path"], json!("Team/Ada Byron.md"));
    let (code, set) = nova.json(&[
        "tool",
        "call",
        "vault.set_properties",
        "--args",
        r#"{"path": "Ada Byron", "properties": {"stage": "won"}}"#,
        "--approve",
        "all",
    ]);
    assert_eq!(code, 0, "{set}");
    let won = "---\ntype: contact\nname: Ada Byron\nstage: won\n---\n";
    assert_eq!(std::fs::read_to_string(&ada).unwrap(), won);
    let (_, sets) = nova.json(&["changes", "list"]);
    let set = sets[0]["id"].as_str().unwrap();

    let away = team.with_file_name("Away");
    std::fs::rename(&team, &away).unwrap();
    let (code, undone) = nova.json(&["changes", "undo", set]);
    let left = &undone["conflicts"][0];
    assert_eq!((code, &left["path"], &left["unreadable"]), (1, &json!("Team/Ada Byron.md"), &json!(true)));
    assert!(left["what"][0].as_str().unwrap().contains("links to is gone"), "{undone}");
    let said = String::from_utf8(nova.run(&["changes", "undo", set]).stdout).unwrap();
    assert!(said.starts_with("unreadable Team/Ada Byron.md: "), "{said}");
    assert!(!nova.data().join("conflicts").exists(), "there are no sides to keep");
    std::fs::rename(&away, &team).unwrap();

    let (code, undone) = nova.json(&["changes", "undo", set]);
    assert_eq!(code, 0, "{undone}");
    assert_eq!(std::fs::read_to_string(&ada).unwrap(), won.replace("won", "lead"));
}
