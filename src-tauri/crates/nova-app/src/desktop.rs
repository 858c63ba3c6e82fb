use std::path::{Path, PathBuf};

use async_trait::async_trait;

/// The few things that only a program with a window can do.
#[async_trait]
pub trait Desktop: Send + Sync {
    /// Lets the user choose a folder in the system's dialog; None when they close it.
    async fn pick_folder(&self) -> Option<PathBuf>;

    /// Lets the user choose where to save a file of that name; None when they close the dialog.
    async fn pick_file(&self, name: &str) -> Option<PathBuf>;

    /// Lets the user choose a file to read, of a kind with one of these endings; None when they close the dialog.
    async fn choose_file(&self, _title: &str, _kind: &str, _endings: &[&str]) -> Option<PathBuf> {
        None
    }

    /// Opens an address with the program the system has for it.
    ///
    /// # Errors
    /// When there is none; the text says why.
    fn open_url(&self, url: &str) -> Result<(), String>;

    /// Shows a file or folder where it lies, in the system's file manager. It is not opened: what a
    /// name says it is might be run.
    ///
    /// # Errors
    /// When there is none; the text says why.
    fn show_file(&self, path: &Path) -> Result<(), String>;

    /// Draws everything in the window so much larger.
    fn zoom(&self, _factor: f64) {}

    /// Asks the user a question that blocks nothing; None where nobody can be asked.
    async fn confirm(&self, _title: &str, _text: &str) -> Option<bool> {
        None
    }

    /// Whether the user has the window before them. True where there is nobody to tell anything.
    fn in_front(&self) -> bool {
        true
    }

    /// Tells the user something while they are elsewhere. Nobody waits for it, and it may be left out.
    fn notify(&self, _title: &str, _text: &str) {}
}

/// Text for the body of a notification where that is markup: the notification daemons of Linux draw links and
/// images. What nobody sees is left out, and a long text is cut.
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

/// No window: nothing can be chosen or opened.
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
    fn a_notification_has_no_markup_of_its_own() {
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
