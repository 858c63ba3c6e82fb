#![allow(clippy::unwrap_used, clippy::print_stdout)]
use super::fixture::{requests, snapshot};
use super::*;
use super::sure::Doubt;
use super::measure::certainty;

#[test]
fn route_show() {
    for (skills, set) in [(include_str!("../../tests/routing/default_install/skills.yaml"), include_str!("../../tests/routing/default_install/dev.txt")), (include_str!("../../tests/routing/dev/skills.yaml"), include_str!("../../tests/routing/dev/requests.txt")), (include_str!("../../tests/routing/dev/skills.yaml"), &include_str!("../../tests/routing/default_install/dev.txt").lines().filter(|l| l.ends_with(" = -")).collect::<Vec<_>>().join("\n"))] {
    let router = Router::of(snapshot(skills).available().map(|s| s.as_ref()));
    for (text, wanted) in requests(set) {
        let sure = router.confident(&text);
        if sure.is_some() && wanted.is_none() { println!("WRONG {text}"); }
    }
    println!("===== {:?}", certainty(&router, &requests(set), Doubt::default()));
    }
}
