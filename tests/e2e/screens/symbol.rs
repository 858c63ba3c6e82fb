//! A share in place of the chat, from local sources.

use crate::harness::Theme;
use crate::symbol::{RULES, compare, home, look_up, open};
use crate::take;

pub(crate) async fn symbol(name: &str, theme: Theme) {
    let (home, _server) = home().await;
    let home = home.theme(theme).config_file("permissions.yaml", RULES);
    let window = open(&home).await;
    look_up(&window, "NGTL").await;
    window.wait_for_text("[data-testid=skill-panel]", "Northgate raises its outlook").await;
    window.wait_for_text("[data-testid=skill-panel]", "SHARE PURCHASE BY A DIRECTOR").await;
    window.wait_for_text("[aria-label='In your notes']", "Mid-cap ideas").await;
    window.ask("document.querySelector('[data-testid=skill-panel]').focus()").await;
    compare(&window, "BWOP").await;
    take(&window, "symbol", name).await;
    window.close().await;
}
