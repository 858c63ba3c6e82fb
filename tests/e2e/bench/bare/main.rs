//! A minimal Tauri window: one static page, no plugin, no command. The baseline for Nova's figures, since
//! part of each belongs to the web view and the machine.

// A missing web view should fail visibly, and nothing could handle it here.
#![allow(clippy::expect_used)]

fn main() {
    tauri::Builder::default()
        .run(tauri::generate_context!("tests/e2e/bench/bare/tauri.conf.json"))
        .expect("a Tauri window");
}
