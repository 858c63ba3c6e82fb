use nova_testkit::{assert_sound, snapshot_of};

#[test]
fn skill_is_sound() {
    assert_sound(nova_skill_vault::skill(), "vault");
}

#[test]
fn tool_list_matches_the_contract() {
    let snapshot = snapshot_of(vec![nova_skill_vault::skill()]);
    let shown: Vec<String> = snapshot.skills()[0]
        .tools
        .iter()
        .map(|tool| {
            let parameters = &tool.spec().parameters;
            let required = |name: &String| {
                parameters["required"]
                    .as_array()
                    .is_some_and(|all| all.iter().any(|one| one == name.as_str()))
            };
            let names: Vec<String> = parameters["properties"]
                .as_object()
                .into_iter()
                .flat_map(|properties| properties.keys())
                .map(|name| if required(name) { name.clone() } else { format!("{name}?") })
                .collect();
            format!("{} {{{}}} {:?}", tool.wire_name, names.join(", "), tool.effect())
        })
        .collect();
    assert_eq!(
        shown,
        [
            "vault__read_note {path, offset?} Read",
            "vault__create_note {path, content?, template?, properties?} Write",
            "vault__edit_note {path, old, new, count?} Write",
            "vault__append_to_note {path, text, heading?} Write",
            "vault__set_properties {path, properties} Write",
            "vault__add_attachment {name, text, note?} Write",
            "vault__move_note {path, to} Write",
            "vault__delete_note {path} Destructive",
            "vault__search {query, regex?, words?, limit?} Read",
            "vault__query {type?, where?, sort?, limit?} Read",
            "vault__query_base {path, view?} Read",
            "vault__links {path} Read",
            "vault__suggest_links {path?, every?, limit?, dry_run?} Write",
            "vault__tags {} Read",
            "vault__daily_note {date?} Write",
            "vault__list_tasks {due?, done?, path?, tag?, query?, sort?, limit?} Read",
            "vault__add_task {text, path?, heading?, due?, scheduled?, start?, priority?, recurrence?} Write",
            "vault__complete_task {path, text, line?} Write",
            "vault__update_task {path, text, line?, new_text?, due?, scheduled?, start?, priority?, recurrence?, status?} Write",
            "vault__today {date?} Read",
        ]
    );
}

#[test]
fn routing_has_ten_own_and_six_foreign_requests() {
    let snapshot = snapshot_of(vec![nova_skill_vault::skill()]);
    let routing = &snapshot.skills()[0].manifest.routing;
    assert_eq!((routing.examples.len(), routing.near_misses.len()), (10, 6));
}

#[test]
fn instructions_name_only_existing_tools() {
    let snapshot = snapshot_of(vec![nova_skill_vault::skill()]);
    let entry = &snapshot.skills()[0];
    for tool in &entry.tools {
        assert!(
            entry.instructions.contains(&format!("`{}`", tool.id)),
            "SKILL.md says when to use {}",
            tool.id
        );
    }
}
