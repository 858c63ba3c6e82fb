use nova_skill::json;
use nova_testkit::{SkillInVault, TempVault, assert_base, assert_sound, assert_template, snapshot_of};

#[test]
fn the_skill_is_sound() {
    assert_sound(nova_skill_portfolio::skill(), "portfolio");
}

#[test]
fn tools_have_the_specified_parameters_and_effects() {
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
            "positions {as_of?, currency?} Read",
            "add_trade {symbol?, kind, date, quantity?, price?, fee?, currency?, per?} Write",
            "list_trades {symbol?, from?, to?} Read",
            "import_transactions {path, mapping?, dry_run?, currency?, broker?, lines?, review?, remember?} Write",
            "watchlist {} Read",
            "watch {symbol, target?, currency?} Write",
            "unwatch {symbol} Write",
            "quote {symbols?, range?, since?} External",
            "value {as_of?, currency?} Read",
            "gains {symbol?, method?, as_of?, from?} Read",
            "dividends {from?, to?, range?, symbol?, currency?} Read",
            "returns {symbol?, range?, as_of?, currency?} Read",
            "allocation {by?, currency?} Read",
            "history {range?, currency?} Read",
        ]
    );
}

fn starter(path: &str) -> std::path::PathBuf {
    std::path::Path::new(env!("CARGO_MANIFEST_DIR")).join("../../vault-template").join(path)
}

#[test]
fn starter_templates_and_tables_match_the_declaration() {
    let snapshot = snapshot_of(vec![nova_skill_portfolio::skill()]);
    let records = &snapshot.skills()[0].records;
    let text = |path: &str| std::fs::read_to_string(starter(path)).unwrap();
    for (record_type, template) in [
        ("position", "Templates/Position.md"),
        ("trade", "Templates/Trade.md"),
        ("price", "Templates/Price.md"),
    ] {
        assert_template(records.get(record_type).unwrap(), &text(template));
    }
    assert_base(records.get("position").unwrap(), &text("Portfolio/Positions.base"));
    assert_base(records.get("trade").unwrap(), &text("Portfolio/Trades.base"));
}

#[test]
fn starter_vault_has_no_problems() {
    let template = starter("");
    let portfolio = SkillInVault::new(nova_skill_portfolio::skill(), TempVault::copy_of(&template));
    for tool in ["positions", "value", "gains", "allocation", "history", "list_trades", "watchlist"] {
        let value = portfolio.value(tool, json!({}));
        assert_eq!(value["problems"], json!([]), "{tool}");
        assert_eq!(value["unreadable"], json!([]), "{tool}");
    }
}
