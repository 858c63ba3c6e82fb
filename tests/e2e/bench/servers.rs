//! Delay until the window accepts typing when MCP servers hang or die.

use std::path::Path;

use serde_json::{Map, Value, json};

use super::harness::{Home, Window};
use super::{share, stamped_program, started_at};

const DEAD: usize = 20;
/// Starts with and without them, alternating.
const ROUNDS: usize = 5;
/// Allowed delay.
const GOAL_MS: f64 = 1_000.0;

/// From the start of the program until the composer accepts a key, in ms.
pub(crate) struct Usable {
    without: Vec<f64>,
    beside: Vec<f64>,
}

pub(crate) async fn usable(program: &Path) -> Usable {
    let (quiet, dead) = (home(0), home(DEAD));
    let (mut without, mut beside) = (Vec::new(), Vec::new());
    for _ in 0..ROUNDS {
        without.push(start(program, &quiet).await);
        beside.push(start(program, &dead).await);
    }
    Usable { without, beside }
}

pub(crate) fn print(Usable { without, beside }: &Usable) {
    let median = |times: &[f64]| share(times.iter().copied(), 0.5);
    let (without, beside) = (median(without), median(beside));
    println!("{:<44}{:>12}{without:>12.1}", "start to usable, no server, ms, median", "");
    println!("{:<44}{:>12}{beside:>12.1}", format!("the same beside {DEAD} dead servers"), "");
    let verdict = if beside - without <= GOAL_MS { "met" } else { "MISSED" };
    println!("  later by {:.0} ms, goal ≤ {GOAL_MS:.0}: {verdict}", beside - without);
}

/// Every other server hangs, the rest die; all are approved.
fn home(dead: usize) -> Home {
    let home = Home::new();
    let configured = |home: Home, startup_timeout: u64| {
        let server = |at: usize| {
            let command = if at.is_multiple_of(2) { json!(["sleep", ["600"]]) } else { json!(["false", []]) };
            let entry =
                json!({"command": command[0], "args": command[1], "startup_timeout_ms": startup_timeout});
            (format!("dead-{at}"), entry)
        };
        let servers: Map<String, Value> = (0..dead).map(server).collect();
        let settings = json!({ "vault": home.vault(), "mcpServers": servers });
        home.settings(&settings)
    };
    // Otherwise approving them would take as long as their start timeout.
    let home = configured(home, 50);
    for at in 0..dead {
        home.nova(&["mcp", "review", &format!("dead-{at}"), "--accept", "--json"]);
    }
    configured(home, 30_000)
}

async fn start(program: &Path, home: &Home) -> f64 {
    let stamp = tempfile::tempdir().expect("a temporary folder");
    let window = Window::open_program(home, &stamped_program(program, stamp.path())).await;
    let usable = window
        .ask_later(
            "const done = arguments[0];
             const look = () => {
               const field = document.querySelector('[data-testid=composer-input]');
               field?.focus();
               if (field && document.activeElement === field) done(performance.timeOrigin + performance.now());
               else setTimeout(look, 5);
             };
             look();",
        )
        .await;
    window.close().await;
    usable.as_f64().expect("a time in milliseconds") - started_at(stamp.path())
}
