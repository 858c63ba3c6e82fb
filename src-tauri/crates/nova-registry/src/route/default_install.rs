//! Tests that the router does not activate built-in skills for requests that need none. `--nocapture` prints
//! the figures.
#![allow(clippy::unwrap_used, clippy::print_stdout)]

use super::Router;
use super::fixture::{requests, snapshot};
use super::measure::certainty;
use super::sure::Doubt;

fn router() -> Router {
    Router::new(&snapshot(include_str!("../../tests/routing/default_install/skills.yaml")))
}

/// At least half of each set uses the skills' vocabulary but needs none of them: `Is it safe to delete
/// System32?` The second set was written after the signs were chosen.
#[test]
fn confident_router_is_right_about_built_in_skills() {
    let router = router();
    let dev = include_str!("../../tests/routing/default_install/dev.txt");
    let held_out = include_str!("../../tests/routing/default_install/held_out.txt");
    for (name, text) in [("dev", dev), ("held out", held_out)] {
        let (precision, coverage) = certainty(&router, &requests(text), Doubt::default());
        println!("default install, {name}: precision {precision:.3}, coverage {coverage:.3}");
        assert!(precision >= 0.95 && coverage >= 0.30, "{name}: precision {precision}, coverage {coverage}");
    }
}
