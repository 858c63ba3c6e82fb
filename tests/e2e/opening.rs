//! The window opens.

use crate::harness::{Home, Window};

#[tokio::test]
async fn window_opens_and_draws_its_page() {
    let home = Home::new();
    let window = Window::open(&home).await;

    window.wait_for("#root > *").await;
    assert_eq!(window.title().await, "Nova");

    window.close().await;
}
