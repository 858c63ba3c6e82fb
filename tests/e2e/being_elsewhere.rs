//! Who is not before the window is told by the desktop: here by a bus of the test's own, on which the test
//! is the program that shows notifications.

use std::collections::HashMap;
use std::io::{BufRead, BufReader};
use std::process::{Child, Command, Stdio};

use fantoccini::key::Key;
use nova_testkit::{ModelServer, call, pause, text};
use serde_json::json;
use tokio::sync::mpsc::{UnboundedReceiver, UnboundedSender, unbounded_channel};
use zbus::zvariant::Value;

use crate::harness::{Home, Window};

/// Title and text of a notification.
type Told = (String, String);

struct Notifications(UnboundedSender<Told>);

#[zbus::interface(name = "org.freedesktop.Notifications")]
impl Notifications {
    #[allow(clippy::too_many_arguments, reason = "the desktop's interface is so")]
    fn notify(
        &self,
        _program: &str,
        _replaces: u32,
        _icon: &str,
        title: &str,
        text: &str,
        _actions: Vec<String>,
        _hints: HashMap<String, Value<'_>>,
        _timeout: i32,
    ) -> u32 {
        let _ = self.0.send((title.to_owned(), text.to_owned()));
        1
    }
}

/// A session bus with a desktop that shows notifications; both end when this is dropped.
struct Desktop {
    daemon: Child,
    address: String,
    _connection: zbus::Connection,
    told: UnboundedReceiver<Told>,
}

impl Desktop {
    async fn start() -> Self {
        let mut daemon = Command::new("dbus-daemon")
            .args(["--session", "--nofork", "--print-address=1"])
            .stdout(Stdio::piped())
            .spawn()
            .expect("dbus-daemon (`make setup`)");
        let output = daemon.stdout.take().expect("its output");
        let mut address = String::new();
        BufReader::new(output).read_line(&mut address).expect("its address");
        let address = address.trim().to_owned();
        let (send, told) = unbounded_channel();
        let building = zbus::connection::Builder::address(address.as_str())
            .and_then(|builder| builder.name("org.freedesktop.Notifications"))
            .and_then(|builder| builder.serve_at("/org/freedesktop/Notifications", Notifications(send)));
        let connection = building.expect("a bus").build().await.expect("a connection to the bus");
        Desktop { daemon, address, _connection: connection, told }
    }

    async fn next(&mut self) -> Told {
        let told = tokio::time::timeout(std::time::Duration::from_secs(150), self.told.recv()).await;
        told.expect("a notification").expect("the bus goes on")
    }
}

impl Drop for Desktop {
    fn drop(&mut self) {
        let _ = self.daemon.kill();
        let _ = self.daemon.wait();
    }
}

#[tokio::test]
async fn who_is_elsewhere_is_told_of_a_question_and_of_the_end_of_a_long_turn() {
    let mut desktop = Desktop::start().await;
    let model = ModelServer::start([
        call("crm__add_contact", json!({"name": "Jane Doe"})),
        pause().and(text("Secret words.")),
        text("A short answer."),
    ]);
    let home = Home::new().session_bus(&desktop.address).provider(&model.base_url());
    let window = Window::open(&home).await;
    // On a display without a window manager no window is ever in front.
    window.type_into("[data-testid=composer-input]", "Add Jane").await;
    window.press(&[], Key::Enter).await;
    assert_eq!(
        desktop.next().await,
        ("Add Jane".to_owned(), "Waits for your answer: Add 1 note?".to_owned())
    );

    window.wait_for("[data-testid=approval-card][data-armed=true]").await;
    window.click("[data-testid=approval-once]").await;
    // The window counts the seconds of who waits; from 15 on a turn is long.
    window.wait_for_text("[data-testid=thinking]", "0:16").await;
    model.resume();
    window.wait_for_text("[role=log]", "Secret words.").await;
    let (title, text) = desktop.next().await;
    assert_eq!(
        (title.as_str(), text.as_str()),
        ("Add Jane", "Nova has answered."),
        "nothing of the answer is told"
    );

    // A short turn is not worth it: the next thing told is none of it.
    window.wait_for("[data-testid=send]").await;
    window.type_into("[data-testid=composer-input]", "And now?").await;
    window.press(&[], Key::Enter).await;
    window.wait_for_text("[role=log]", "A short answer.").await;
    window.wait_for("[data-testid=send]").await;
    window.close().await;
    assert!(desktop.told.try_recv().is_err(), "a short turn was told");
    model.finish();
}
