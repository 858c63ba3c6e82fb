//! Due items appear where a new chat begins, and are completed there.

use fantoccini::key::Key;

use crate::harness::{Home, Window};

const NOTE: &str = "# House\n\n- [ ] Sweep the stairs 📅 2026-01-31\n- [ ] Pay the rent 📅 2026-01-31\n";

#[tokio::test]
async fn task_is_completed_by_key_and_reopened() {
    let home = Home::new().note("House.md", NOTE);
    let window = Window::open(&home).await;
    window.wait_for("[data-testid=today-row]").await;
    window.wait_for_focus("[data-testid=composer-input]").await;

    window.press(&[], Key::Up).await;
    window.wait_for_focus("[data-testid=today-row]:has([aria-label='Done: Pay the rent'])").await;
    window.press(&[], 'k').await;
    window.wait_for_focus("[data-testid=today-row]:has([aria-label='Done: Sweep the stairs'])").await;
    window.press(&[], ' ').await;
    window.wait_for_file(&home.vault().join("House.md"), "- [x] Sweep the stairs 📅 2026-01-31 ✅").await;
    assert!(home.read_note("House.md").ends_with("\n- [ ] Pay the rent 📅 2026-01-31\n"), "one line changed");
    window.wait_for("[aria-label='Done: Sweep the stairs']:checked:enabled").await;
    window.wait_for_text("[data-testid=today]", "1 task open, 1 overdue").await;

    window.press(&[], ' ').await;
    window.wait_for_file(&home.vault().join("House.md"), NOTE).await;
    window.press(&[], Key::Escape).await;
    window.wait_for_focus("[data-testid=composer-input]").await;
    window.close().await;
}
