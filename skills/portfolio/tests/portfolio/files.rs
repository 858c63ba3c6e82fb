use nova_skill::json;
use nova_testkit::{SkillInVault, TempVault, assert_sound, snapshot_of};

#[test]
fn the_skill_is_sound() {
    assert_sound(nova_skill_portfolio::skill(), "portfolio");
}

#[test]
fn the_tools_are_those_of_the_contract() {
    let snapshot = snapshot_of(vec![nova_skill_portfolio::skill()]);
    let shown: Vec<String> = snapshot.skills()[0]
        .tools
        .iter()
        .map(|tool| {
            let parameters = &tool.spec().parameters;
            let required = |name: &String| {
                let all = parameters["required"].as_array();
                all.is_some_and(|all| all.iter().any(|one| one == name.as_str()))
            };
            let properties = parameters["properties"].as_object().cloned().unwrap_or_default();
            let names: Vec<String> = properties
                .keys()
                .map(|name| if required(name) { name.clone() } else { format!("{name}?") })
                .collect();
            format!("{} {{{}}} {:?}", tool.id, names.join(", "), tool.effect())
        })
        .collect();
    assert_eq!(
        shown,
        [
            "positions {as_of?} Read",
            "add_trade {symbol, kind, date, quantity?, price?, fee?, currency?, per?} Write",
            "list_trades {symbol?, from?, to?} Read",
            "watchlist {} Read",
            "watch {symbol, target?, currency?} Write",
            "unwatch {symbol} Write",
            "quote {symbols?, range?, since?} External",
            "value {as_of?, currency?} Read",
            "gains {symbol?, method?, as_of?, from?} Read",
            "allocation {by?, currency?} Read",
            "history {range?, currency?} Read",
        ]
    );
}

#[test]
fn the_starter_vault_has_no_problem() {
    let template = std::path::Path::new(env!("CARGO_MANIFEST_DIR")).join("../../vault-template");
    let portfolio = SkillInVault::new(nova_skill_portfolio::skill(), TempVault::copy_of(&template));
    for tool in ["positions", "value", "gains", "allocation", "history", "list_trades", "watchlist"] {
        let value = portfolio.value(tool, json!({}));
        assert_eq!(value["problems"], json!([]), "{tool}");
        assert_eq!(value["unreadable"], json!([]), "{tool}");
    }
}
