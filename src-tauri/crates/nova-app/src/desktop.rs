use std::path::{Path, PathBuf};

use async_trait::async_trait;
use nova_protocol::RequestedPage;

/// Operations that need a desktop.
#[async_trait]
pub trait Desktop: Send + Sync {
    /// Shows the system's folder dialog; `None` if it is cancelled.
    async fn pick_folder(&self) -> Option<PathBuf>;

    /// Shows the system's save dialog with this file name; `None` if it is cancelled.
    async fn pick_file(&self, name: &str) -> Option<PathBuf>;

    /// Shows the system's open dialog for files with these extensions; `None` if it is cancelled.
    async fn choose_file(&self, _title: &str, _kind: &str, _endings: &[&str]) -> Option<PathBuf> {
        None
    }

    /// Opens a URL in the system's default program.
    ///
    /// # Errors
    /// The reason why it failed.
    fn open_url(&self, url: &str) -> Result<(), String>;

    /// Reveals a file or folder in the system's file manager. It is not opened, because that could execute
    /// it.
    ///
    /// # Errors
    /// The reason why it failed.
    fn show_file(&self, path: &Path) -> Result<(), String>;

    /// Sets the zoom factor of the window.
    fn zoom(&self, _factor: f64) {}

    /// Asks the user in a non-blocking dialog; `None` if that is not possible.
    async fn confirm(&self, _title: &str, _text: &str) -> Option<bool> {
        None
    }

    /// Whether the window has the focus; true if there is none.
    fn in_front(&self) -> bool {
        true
    }

    /// Shows a system notification, without waiting for it; a click on it opens the page. Best effort.
    fn notify(&self, _title: &str, _text: &str, _page: RequestedPage) {}

    /// Shows the tray icon, or hides it.
    fn keep_running(&self, _on: bool) {}

    /// Whether the window is closed while Nova keeps running.
    fn is_hidden(&self) -> bool {
        false
    }

    /// Shows the window, once it exists; `false` if there is none.
    async fn show_window(&self) -> bool {
        false
    }
}

/// Escapes text for the body of a notification where it is markup: notification daemons on Linux render links
/// and images. Invisible characters are removed, and long texts truncated.
pub fn notification_markup(text: &str) -> String {
    const MOST: usize = 300;
    let mut escaped = String::new();
    for c in nova_registry::harmless_line(text).chars().take(MOST) {
        match c {
            '&' => escaped.push_str("&amp;"),
            '<' => escaped.push_str("&lt;"),
            '>' => escaped.push_str("&gt;"),
            '"' => escaped.push_str("&quot;"),
            '\'' => escaped.push_str("&#39;"),
            c => escaped.push(c),
        }
    }
    escaped
}

/// A desktop without a window: all dialogs and requests fail.
pub struct NoDesktop;

#[async_trait]
impl Desktop for NoDesktop {
    async fn pick_folder(&self) -> Option<PathBuf> {
        None
    }

    async fn pick_file(&self, _: &str) -> Option<PathBuf> {
        None
    }

    fn open_url(&self, url: &str) -> Result<(), String> {
        Err(format!("there is no window to open {url} from"))
    }

    fn show_file(&self, path: &Path) -> Result<(), String> {
        Err(format!("there is no window to show {} from", path.display()))
    }
}

#[cfg(test)]
mod tests {
    use super::notification_markup;

    #[test]
    fn text_of_a_notification_is_escaped() {
        for (text, shown) in [
            ("No answer.", "No answer."),
            (
                "<a href=\"https://evil.example\">Pay</a>",
                "&lt;a href=&quot;https://evil.example&quot;&gt;Pay&lt;/a&gt;",
            ),
            ("<img src='x'/>", "&lt;img src=&#39;x&#39;/&gt;"),
            ("a &lt; b", "a &amp;lt; b"),
        ] {
            assert_eq!(notification_markup(text), shown);
        }
        let long = notification_markup(&"<".repeat(1000));
        assert_eq!(long, "&lt;".repeat(300));
        assert!(!notification_markup("a\nb\u{202e}c").contains(['\n', '\u{202e}']));
    }
}
