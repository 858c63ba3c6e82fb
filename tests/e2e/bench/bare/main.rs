//! The barest Tauri window: one static page, no plugin, no command. What Nova is measured
//! against, because part of any figure belongs to the web view and the machine.

// A missing web view is the caller's to see, and there is nobody to handle it here.
#![allow(clippy::expect_used)]

fn main() {
    tauri::Builder::default()
        .run(tauri::generate_context!("tests/e2e/bench/bare/tauri.conf.json"))
        .expect("a Tauri window");
}
