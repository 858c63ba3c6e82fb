use std::path::{Path, PathBuf};
use std::sync::OnceLock;

use nova_app::Desktop;
use tauri::AppHandle;
use tauri_plugin_dialog::DialogExt as _;
use tauri_plugin_opener::OpenerExt as _;

/// The system's dialogs and programs, reached through the window.
#[derive(Default)]
pub(crate) struct WindowDesktop(OnceLock<AppHandle>);

impl WindowDesktop {
    pub(crate) fn attach(&self, handle: AppHandle) {
        let _ = self.0.set(handle);
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

    fn open_url(&self, url: &str) -> Result<(), String> {
        let handle = self.0.get().ok_or("the window is not open yet")?;
        handle.opener().open_url(url, None::<&str>).map_err(|error| error.to_string())
    }

    fn show_file(&self, path: &Path) -> Result<(), String> {
        let handle = self.0.get().ok_or("the window is not open yet")?;
        handle.opener().reveal_item_in_dir(path).map_err(|error| error.to_string())
    }
}
