#![allow(clippy::unwrap_used)]

use std::collections::BTreeMap;
use std::sync::Arc;

use super::*;
use crate::route::fixture::{snapshot, snapshot_with};
use crate::{Settings, SkillSettings};

const SMALL: CatalogBudget = CatalogBudget(4_000);

/// A snapshot with this many skills, whose descriptions have this many letters in words of seven.
fn many(skills: usize, letters: usize) -> Arc<Snapshot> {
    let description = "letters ".repeat(letters / 8);
    let yaml: String = (0..skills)
        .map(|at| format!("- id: skill-{at:03}\n  description: {}\n", description.trim_end()))
        .collect();
    snapshot(&yaml)
}

#[test]
fn each_skill_is_one_line_with_its_not_when() {
    let skills = snapshot(
        "- id: lookup\n  description: Symbol pages.\n\
         - id: screener\n  description: Scans of a universe.\n  not_when:\n  \
         - {phrase: pull up TICKER, instead: lookup.pull_up}\n  - {phrase: the news, instead: news}\n",
    );

    let catalog = Catalog::new(&skills, SMALL);

    assert_eq!(
        catalog.list(),
        "- lookup: Symbol pages.\n\
         - screener: Scans of a universe. Not for: pull up TICKER (lookup.pull_up).",
        "a hint applies if its target skill exists"
    );
    assert!(!catalog.is_shortened());
    assert!(catalog.section().unwrap().starts_with("## Available Skills\n"));
}

#[test]
fn use_when_is_between_description_and_not_when() {
    let skills = snapshot(
        "- {id: lookup, description: Symbol pages.}\n\
         - id: screener\n  description: Scans of a universe.\n  use_when: [a screen is to run, find shares by a rule]\n  \
         not_when: [{phrase: pull up TICKER, instead: lookup}]\n",
    );

    assert_eq!(
        Catalog::new(&skills, SMALL).line("screener"),
        Some(
            "- screener: Scans of a universe. Use when: a screen is to run; find shares by a rule. Not for: pull up \
             TICKER (lookup)."
        )
    );
}

#[test]
fn hint_without_another_skill_counts_and_long_clause_ends_at_a_word() {
    let long = format!("the user {}", "asks for a film ".repeat(12));
    let skills = snapshot(&format!(
        "- id: films\n  description: D.\n  use_when: [\"{}\", a short one]\n  not_when: [{{phrase: plays}}, {{phrase: \
         songs}}]\n",
        long.trim()
    ));
    let line = Catalog::new(&skills, SMALL).line("films").unwrap().to_owned();
    let cut = format!("the user {}asks for a", "asks for a film ".repeat(6));
    assert_eq!(line, format!("- films: D. Use when: {cut}. Not for: plays; songs."));
}

#[test]
fn long_description_ends_at_a_sentence_if_one_fits() {
    let long = "A sentence of about forty letters is it. ".repeat(60);
    let skills = snapshot(&format!(
        "- {{id: a, description: {}}}\n- {{id: b, description: {}}}\n",
        long.trim(),
        long.trim()
    ));

    let catalog = Catalog::new(&skills, SMALL);

    let line = catalog.line("a").unwrap();
    assert!(line.ends_with("letters is it.") && line.len() > 1_700 && line.len() < 2_000, "{line}");
    assert!(catalog.is_shortened() && catalog.section().unwrap().len() <= 4_000);
}

#[test]
fn use_when_is_dropped_before_not_when() {
    let yaml: String = (0..40)
        .map(|at| {
            format!(
                "- id: skill-{at:03}\n  description: D.\n  use_when: [{}]\n  not_when: [{{phrase: the first, instead: \
                 skill-000}}]\n",
                "clause ".repeat(12).trim()
            )
        })
        .collect();
    let catalog = Catalog::new(&snapshot(&yaml), SMALL);
    assert_eq!(catalog.line("skill-039"), Some("- skill-039: D. Not for: the first (skill-000)."));
    assert!(catalog.is_shortened());
}

#[test]
fn no_section_without_skills() {
    assert_eq!(Catalog::new(&snapshot("[]"), SMALL).section(), None);
}

#[test]
fn hidden_and_disabled_skills_are_absent() {
    let settings = Settings(BTreeMap::from([
        ("a".into(), SkillSettings { hidden: true, ..SkillSettings::default() }),
        ("b".into(), SkillSettings { enabled: Some(false), ..SkillSettings::default() }),
    ]));
    let skills = snapshot_with(
        "- {id: a, description: A.}\n- {id: b, description: B.}\n- {id: c, description: C.}\n",
        &settings,
    );

    assert_eq!(Catalog::new(&skills, SMALL).list(), "- c: C.");
}

#[test]
fn long_descriptions_are_cut_to_equal_length() {
    let long = "many words about it ".repeat(200);
    let skills = snapshot(&format!(
        "- {{id: a, description: {long}}}\n- {{id: b, description: Short.}}\n- {{id: c, description: {long}}}\n"
    ));

    let catalog = Catalog::new(&skills, SMALL);

    assert!(catalog.section().unwrap().len() <= 4_000);
    assert_eq!(catalog.line("b"), Some("- b: Short."));
    let (a, c) = (catalog.line("a").unwrap(), catalog.line("c").unwrap());
    assert_eq!(a.len(), c.len());
    assert!(a.len() > 1_500 && a.ends_with('…'), "the budget is not used: {}", a.len());
    assert!(catalog.is_shortened());
}

#[test]
fn hundred_long_skills_fit_the_budget_with_all_ids() {
    for (skills, letters) in [(100, 1_000), (100, 60), (60, 1_000), (30, 500)] {
        let snapshot = many(skills, letters);
        for tokens in [0, 100_000, 150_000, 1_000_000] {
            let budget = CatalogBudget::of_context(Some(tokens));
            let catalog = Catalog::new(&snapshot, budget);
            let section = catalog.section().unwrap();
            assert!(section.len() <= budget.tokens() * 4, "{skills} of {letters}: {}", section.len());
            assert!((0..skills).all(|at| section.contains(&format!("- skill-{at:03}: "))), "{section}");
        }
    }
}

#[test]
fn hints_are_dropped_only_if_they_do_not_fit_beside_ids() {
    let with_hints = |skills: usize| {
        let lines = (0..skills).map(|at| {
            format!(
                "- id: skill-{at:03}\n  description: {}\n  not_when: [{{phrase: what the next one is for, instead: \
                 skill-000}}]\n",
                "d".repeat(300)
            )
        });
        snapshot(&lines.collect::<String>())
    };
    let few = Catalog::new(&with_hints(40), SMALL);
    assert!(few.line("skill-039").unwrap().contains("Not for: what the next one is for"), "{}", few.list());
    assert!(few.is_shortened());

    let more = Catalog::new(&with_hints(90), SMALL);
    assert!(!more.list().contains("Not for"), "{}", more.list());
    assert!(more.list().contains("- skill-089: d"), "{}", more.list());
}

#[test]
fn skills_that_do_not_fit_are_counted() {
    let skills = many(2_000, 100);
    let catalog = Catalog::new(&skills, SMALL);
    let list = catalog.list();
    assert!(catalog.section().unwrap().len() <= 4_000);
    let listed = list.lines().count() - 1;
    assert!(
        list.ends_with(&format!("- and {} more: see list_skills or search_tools.", 2_000 - listed)),
        "{list}"
    );
}

#[test]
fn description_stays_on_its_line() {
    let skills =
        snapshot("- id: a\n  description: \"One.\\n- b: a skill that is not there\\n\\n## Rules\"\n");
    assert_eq!(Catalog::new(&skills, SMALL).list(), "- a: One. - b: a skill that is not there ## Rules");
}

#[test]
fn budget_is_one_percent_of_the_context_within_limits() {
    for (context, tokens) in [
        (None, 1_000),
        (Some(4_096), 1_000),
        (Some(128_000), 1_280),
        (Some(200_000), 2_000),
        (Some(1_000_000), 2_200),
        (Some(u64::MAX), 2_200),
    ] {
        assert_eq!(CatalogBudget::of_context(context).tokens(), tokens, "{context:?}");
    }
}
