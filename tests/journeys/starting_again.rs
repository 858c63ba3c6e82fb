//! Starting Nova while a window on the same data folder keeps running.

use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};

use async_trait::async_trait;
use nova_app::{App, Desktop, Places, show_resident};
use nova_protocol::{Background, Commands as _, Nothing};
use serde_json::{Value, json};
use tokio::io::{AsyncReadExt as _, AsyncWriteExt as _};
use tokio::net::TcpStream;

use super::nova::Nova;

/// A desktop that counts how often its window was shown.
#[derive(Default)]
struct Counted {
    shown: AtomicUsize,
    hidden: AtomicBool,
    tray: AtomicBool,
}

#[async_trait]
impl Desktop for Counted {
    async fn pick_folder(&self) -> Option<PathBuf> {
        None
    }

    async fn pick_file(&self, _: &str) -> Option<PathBuf> {
        None
    }

    fn open_url(&self, _: &str) -> Result<(), String> {
        Err("no browser".into())
    }

    fn show_file(&self, _: &Path) -> Result<(), String> {
        Err("no file manager".into())
    }

    fn keep_running(&self, on: bool) {
        self.tray.store(on, Ordering::SeqCst);
    }

    fn is_hidden(&self) -> bool {
        self.hidden.load(Ordering::SeqCst)
    }

    async fn show_window(&self) -> bool {
        self.shown.fetch_add(1, Ordering::SeqCst);
        true
    }
}

struct Running {
    nova: Nova,
    app: App,
    desktop: Arc<Counted>,
}

impl Running {
    async fn start(keep_running: bool) -> Self {
        let desktop = Arc::new(Counted::default());
        let mut nova = Nova::new("//- Ideas.md\n# Ideas\n", []);
        nova.desktop = desktop.clone();
        let app = nova.start().await;
        app.set_background(Background { keep_running }).await.unwrap();
        Self { nova, app, desktop }
    }

    /// Starts Nova again; returns whether it showed this window.
    async fn again(&self, vault: Option<&Path>) -> bool {
        let places = Places { vault: vault.map(Path::to_owned), ..self.app.places().clone() };
        let before = self.desktop.shown.load(Ordering::SeqCst);
        let shown = show_resident(&places).await;
        assert_eq!(self.desktop.shown.load(Ordering::SeqCst) - before, usize::from(shown));
        shown
    }

    fn address(&self) -> Value {
        serde_json::from_slice(&std::fs::read(self.nova.data().join("window/resident.json")).unwrap())
            .unwrap()
    }
}

#[tokio::test]
async fn window_that_keeps_running_is_shown() {
    let running = Running::start(true).await;
    assert!(!running.again(None).await, "nothing listens yet");
    let resident = running.app.become_resident().expect("the first one");
    assert!(running.again(None).await);
    assert!(running.again(None).await, "as often as Nova is started");
    assert!(running.app.become_resident().is_none(), "one per data folder");

    drop(resident);
    assert!(!running.again(None).await);
    assert!(running.app.become_resident().is_some());
}

#[tokio::test]
async fn window_that_quits_when_closed_is_left_alone() {
    let running = Running::start(false).await;
    let _resident = running.app.become_resident();
    assert!(!running.again(None).await);
    // The setting was edited while the window was hidden.
    running.desktop.hidden.store(true, Ordering::SeqCst);
    assert!(running.again(None).await);
}

#[tokio::test]
async fn window_with_another_vault_is_left_alone() {
    let running = Running::start(true).await;
    let _resident = running.app.become_resident();
    assert!(running.again(Some(&running.nova.vault.root())).await);
    assert!(!running.again(Some(running.nova.home())).await);
}

#[tokio::test]
async fn only_the_token_shows_the_window() {
    let running = Running::start(true).await;
    let _resident = running.app.become_resident();
    let address = running.address();
    let port = u16::try_from(address["port"].as_u64().unwrap()).unwrap();
    let line = |token: &Value| format!("{}\n", json!({ "token": token }));
    for (sent, answer) in [
        (line(&json!("0".repeat(32))), "no"),
        ("show\n".into(), ""),
        ("x".repeat(70_000), ""),
        (line(&address["token"]), address["shown"].as_str().unwrap()),
    ] {
        let mut stream = TcpStream::connect(("127.0.0.1", port)).await.unwrap();
        // The other side may hang up before it has read everything.
        let _ = stream.write_all(sent.as_bytes()).await;
        let mut said = String::new();
        let _ = stream.read_to_string(&mut said).await;
        assert_eq!(said, answer, "{}", &sent[..sent.len().min(50)]);
    }
    assert_eq!(running.desktop.shown.load(Ordering::SeqCst), 1);
}

#[cfg(unix)]
#[tokio::test]
async fn token_is_readable_by_the_user_alone() {
    use std::os::unix::fs::PermissionsExt as _;
    let running = Running::start(true).await;
    let _resident = running.app.become_resident();
    let file = std::fs::metadata(running.nova.data().join("window/resident.json")).unwrap();
    assert_eq!(file.permissions().mode() & 0o077, 0);
}

#[tokio::test]
async fn tray_follows_the_setting() {
    let running = Running::start(true).await;
    assert!(running.desktop.tray.load(Ordering::SeqCst));
    assert!(running.app.app_status(Nothing {}).await.unwrap().background.keep_running);
    assert_eq!(running.nova.read_settings()["keep_running"], true);
    running.app.set_background(Background { keep_running: false }).await.unwrap();
    assert!(!running.desktop.tray.load(Ordering::SeqCst));
}
