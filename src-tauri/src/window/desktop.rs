use std::path::{Path, PathBuf};
use std::sync::OnceLock;

use nova_app::Desktop;
use nova_protocol::RequestedPage;
use tauri::{AppHandle, Manager as _, WebviewWindow};
use tauri_plugin_dialog::{DialogExt as _, MessageDialogButtons};
use tauri_plugin_opener::OpenerExt as _;
use tokio::sync::Notify;

use crate::control::{open, show};
use crate::tray;

/// The system's dialogs and programs, by way of the window.
#[derive(Default)]
pub(crate) struct WindowDesktop(OnceLock<AppHandle>, Notify);

impl WindowDesktop {
    pub(crate) fn attach(&self, handle: AppHandle) {
        let _ = self.0.set(handle);
        self.1.notify_waiters();
    }

    fn window(&self) -> Option<WebviewWindow> {
        self.0.get()?.get_webview_window("main")
    }

    /// Waits for the window while Nova starts.
    async fn attached(&self) -> Option<&AppHandle> {
        let attached = self.1.notified();
        if self.0.get().is_none() {
            attached.await;
        }
        self.0.get()
    }
}

#[async_trait::async_trait]
impl Desktop for WindowDesktop {
    async fn pick_folder(&self) -> Option<PathBuf> {
        let handle = self.0.get()?;
        let (picked, answer) = tokio::sync::oneshot::channel();
        handle.dialog().file().set_title("Choose the folder of your notes").pick_folder(move |folder| {
            let _ = picked.send(folder);
        });
        answer.await.ok().flatten()?.into_path().ok()
    }

    async fn pick_file(&self, name: &str) -> Option<PathBuf> {
        let handle = self.0.get()?;
        let (picked, answer) = tokio::sync::oneshot::channel();
        let dialog = handle.dialog().file().set_title("Export the chat").set_file_name(name);
        dialog.add_filter("Markdown", &["md"]).save_file(move |file| {
            let _ = picked.send(file);
        });
        answer.await.ok().flatten()?.into_path().ok()
    }

    async fn choose_file(&self, title: &str, kind: &str, endings: &[&str]) -> Option<PathBuf> {
        let handle = self.0.get()?;
        let (picked, answer) = tokio::sync::oneshot::channel();
        let dialog = handle.dialog().file().set_title(title).add_filter(kind, endings);
        dialog.add_filter("All files", &["*"]).pick_file(move |file| {
            let _ = picked.send(file);
        });
        answer.await.ok().flatten()?.into_path().ok()
    }

    fn open_url(&self, url: &str) -> Result<(), String> {
        let handle = self.0.get().ok_or("the window is not open yet")?;
        handle.opener().open_url(url, None::<&str>).map_err(|error| error.to_string())
    }

    fn show_file(&self, path: &Path) -> Result<(), String> {
        let handle = self.0.get().ok_or("the window is not open yet")?;
        handle.opener().reveal_item_in_dir(path).map_err(|error| error.to_string())
    }

    fn zoom(&self, factor: f64) {
        if let Some(window) = self.window()
            && let Err(error) = window.set_zoom(factor)
        {
            tracing::warn!(%error, "cannot zoom the window");
        }
    }

    async fn confirm(&self, title: &str, text: &str) -> Option<bool> {
        // Tools may be loaded before the window exists.
        let handle = self.attached().await?;
        let (said, answer) = tokio::sync::oneshot::channel();
        let buttons = MessageDialogButtons::OkCancelCustom("Run them".into(), "Don't run".into());
        let dialog = handle.dialog().message(text).title(title).buttons(buttons);
        dialog.show(move |yes| {
            let _ = said.send(yes);
        });
        answer.await.ok()
    }

    fn in_front(&self) -> bool {
        !self.is_hidden() && self.window().is_none_or(|window| window.is_focused().unwrap_or(true))
    }

    fn is_hidden(&self) -> bool {
        self.window().is_some_and(|window| !window.is_visible().unwrap_or(true))
    }

    async fn show_window(&self) -> bool {
        let Some(handle) = self.attached().await else { return false };
        show(handle);
        true
    }

    fn keep_running(&self, on: bool) {
        if let Some(handle) = self.0.get().cloned() {
            let of = handle.clone();
            let _ = handle.run_on_main_thread(move || tray::set(&of, on));
        }
    }

    fn notify(&self, title: &str, text: &str, page: RequestedPage) {
        if let Some(window) = self.window() {
            let _ = window.request_user_attention(Some(tauri::UserAttentionType::Informational));
        }
        let mut notification = notify_rust::Notification::new();
        let (text, handle) = (text.to_owned(), self.0.get().cloned());
        notification.appname("Nova").summary(&nova_app::plain_line(title));
        tauri::async_runtime::spawn_blocking(move || {
            notification.body(&body(&text));
            // The action that a click on the notification itself invokes.
            #[cfg(all(unix, not(target_os = "macos")))]
            notification.action("default", "Open");
            match notification.show() {
                Ok(shown) => on_click(shown, move || {
                    if let Some(handle) = handle {
                        open(&handle, page);
                    }
                }),
                // Without notifications, the window's attention mark has to suffice.
                Err(error) => tracing::debug!("no notification: {error}"),
            }
        });
    }
}

/// Waits on this thread until the notification is clicked or closed.
#[cfg(all(unix, not(target_os = "macos")))]
fn on_click(shown: notify_rust::NotificationHandle, clicked: impl FnOnce()) {
    /// Some desktops keep notifications for days; a click on an older one does nothing.
    static WAITING: tokio::sync::Semaphore = tokio::sync::Semaphore::const_new(16);
    let Ok(_waiting) = WAITING.try_acquire() else { return };
    shown.wait_for_action(|action| {
        if action == "default" {
            clicked();
        }
    });
}

/// macOS activates the program by itself, and Windows reports no clicks.
#[cfg(not(all(unix, not(target_os = "macos"))))]
fn on_click<T>(_: T, _: impl FnOnce()) {}

#[cfg(all(unix, not(target_os = "macos")))]
fn body(text: &str) -> String {
    body_for(notify_rust::get_capabilities().ok().as_deref(), text)
}

#[cfg(not(all(unix, not(target_os = "macos"))))]
fn body(text: &str) -> String {
    nova_app::plain_line(text)
}

/// Escapes the text if the daemon supports markup, or does not report its capabilities.
#[cfg(all(unix, not(target_os = "macos")))]
fn body_for(capabilities: Option<&[String]>, text: &str) -> String {
    let draws_markup = capabilities.is_none_or(|known| known.iter().any(|one| one == "body-markup"));
    match draws_markup {
        true => nova_app::notification_markup(text),
        false => nova_app::plain_line(text),
    }
}

#[cfg(all(test, unix, not(target_os = "macos")))]
mod tests {
    use super::body_for;

    const FAILED: &str = "The turn failed: <a href=\"https://evil.example\">Pay</a>\n\u{202e}&lt;img>";

    #[test]
    fn markup_is_escaped_if_supported_or_unknown() {
        let known = ["body", "body-markup"].map(str::to_owned);
        for capabilities in [Some(&known[..]), None] {
            let body = body_for(capabilities, FAILED);
            assert_eq!(
                body,
                "The turn failed: &lt;a href=&quot;https://evil.example&quot;&gt;Pay&lt;/a&gt; \
                 [U+202E]&amp;lt;img&gt;"
            );
        }
    }

    #[test]
    fn markup_is_not_escaped_without_markup_support() {
        let body = body_for(Some(&["body".to_owned()]), FAILED);
        assert_eq!(body, "The turn failed: <a href=\"https://evil.example\">Pay</a> [U+202E]&lt;img>");
    }
}
