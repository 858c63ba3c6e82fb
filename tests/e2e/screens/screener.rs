//! Hits of a screen, their explanation, and a back-test, from local sources.

use crate::harness::Theme;
use crate::screener::{back_test, explain, home, open, scan};
use crate::take;

pub(crate) async fn screener(name: &str, theme: Theme) {
    let (home, _server) = home().await;
    let home = home.theme(theme);
    let window = open(&home).await;
    scan(&window).await;
    explain(&window, "BWOP").await;
    back_test(&window).await;
    take(&window, "screener", name).await;
    window.close().await;
}
