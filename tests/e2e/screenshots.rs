//! Writes the pictures of `docs/screenshots`: the window in both sizes and both colour schemes.
//! `make screenshots` runs it; the pictures are looked at by people, nothing is compared.

mod harness;

use std::path::Path;

use harness::{Home, Theme, Window};

/// The window's default and its smallest size.
const SIZES: [(&str, u32, u32); 2] = [("", 1440, 900), ("-small", 900, 600)];

#[tokio::main(flavor = "current_thread")]
async fn main() {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("docs/screenshots");
    for (theme_name, theme) in [("light", Theme::Light), ("dark", Theme::Dark)] {
        let home = Home::new().theme(theme);
        let window = Window::open(&home).await;
        window.wait_for("#root > *").await;
        for (suffix, width, height) in SIZES {
            let file = folder.join(format!("start-{theme_name}{suffix}.png"));
            window.resize(width, height).await;
            window.screenshot(&file).await;
            eprintln!("wrote {}", file.display());
        }
        window.close().await;
    }
}
