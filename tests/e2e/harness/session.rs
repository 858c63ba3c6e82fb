//! A desktop session around Nova's window: a message bus with a notification service and a tray, and the
//! close button.

#![allow(dead_code, reason = "each test target uses its part of the harness")]

use std::collections::HashMap;
use std::io::{BufRead as _, BufReader};
use std::process::{Child, Command, ExitStatus, Stdio};
use std::time::Instant;

use rustix::process::{Pid, Signal, kill_process};
use tokio::sync::mpsc::{UnboundedReceiver, UnboundedSender, unbounded_channel};
use x11rb::connection::Connection as _;
use x11rb::protocol::xproto::{ClientMessageEvent, ConnectionExt as _, EventMask, MapState};
use x11rb::rust_connection::RustConnection;
use zbus::message::Header;
use zbus::zvariant::{OwnedObjectPath, OwnedValue, Value};

use super::{BETWEEN_LOOKS, Home, PATIENCE};

/// A message bus of its own, with doubles of the desktop's services on it.
pub(crate) struct Session {
    daemon: Child,
    address: String,
    bus: zbus::Connection,
    notices: UnboundedReceiver<Notice>,
    items: UnboundedReceiver<(String, String)>,
}

#[derive(Debug)]
pub(crate) struct Notice {
    id: u32,
    pub(crate) title: String,
    pub(crate) text: String,
}

/// The tray icon's menu.
pub(crate) struct TrayMenu {
    bus: zbus::Connection,
    owner: String,
    path: OwnedObjectPath,
}

struct Notifications(UnboundedSender<Notice>, u32);

struct Tray(UnboundedSender<(String, String)>);

type Layout = (i32, HashMap<String, OwnedValue>, Vec<OwnedValue>);

impl Session {
    pub(crate) async fn start() -> Self {
        let mut daemon = Command::new("dbus-daemon")
            .args(["--session", "--nofork", "--print-address=1"])
            .stdout(Stdio::piped())
            .spawn()
            .expect("dbus-daemon; `make setup` installs it");
        let mut address = String::new();
        let output = daemon.stdout.take().expect("its output");
        BufReader::new(output).read_line(&mut address).expect("the address of the bus");
        let (noticed, notices) = unbounded_channel();
        let (added, items) = unbounded_channel();
        let bus = zbus::connection::Builder::address(address.trim())
            .and_then(|bus| bus.name("org.freedesktop.Notifications"))
            .and_then(|bus| bus.name("org.kde.StatusNotifierWatcher"))
            .and_then(|bus| bus.serve_at("/org/freedesktop/Notifications", Notifications(noticed, 0)))
            .and_then(|bus| bus.serve_at("/StatusNotifierWatcher", Tray(added)))
            .expect("the services")
            .build()
            .await
            .expect("a connection to the bus");
        Self { daemon, address: address.trim().to_owned(), bus, notices, items }
    }

    pub(crate) fn address(&self) -> &str {
        &self.address
    }

    /// The next notification.
    pub(crate) async fn notice(&mut self) -> Notice {
        let next = tokio::time::timeout(PATIENCE, self.notices.recv()).await;
        next.expect("a notification").expect("the service runs")
    }

    /// Clicks a notification until it has shown the window: Nova listens a moment after it has sent it.
    pub(crate) async fn click(&self, notice: &Notice, screen: &Screen) {
        let (path, name) = ("/org/freedesktop/Notifications", "org.freedesktop.Notifications");
        let clicked = (notice.id, "default");
        let limit = Instant::now() + PATIENCE;
        while screen.visible().is_empty() {
            assert!(Instant::now() < limit, "a click on {notice:?} shows no window");
            let signalled = self.bus.emit_signal(None::<&str>, path, name, "ActionInvoked", &clicked).await;
            signalled.expect("the signal");
            tokio::time::sleep(BETWEEN_LOOKS).await;
        }
    }

    /// The menu of the next tray icon.
    pub(crate) async fn tray_menu(&mut self) -> TrayMenu {
        let next = tokio::time::timeout(PATIENCE, self.items.recv()).await;
        let (owner, item) = next.expect("a tray icon").expect("the tray runs");
        let item = zbus::Proxy::new(&self.bus, owner.clone(), item, "org.kde.StatusNotifierItem").await;
        let path = item.expect("the icon").get_property("Menu").await.expect("its menu");
        TrayMenu { bus: self.bus.clone(), owner, path }
    }
}

impl Drop for Session {
    fn drop(&mut self) {
        end(&mut self.daemon);
    }
}

impl TrayMenu {
    /// The entries in order; a separator is empty. Waits until there are any.
    pub(crate) async fn entries(&self) -> Vec<String> {
        let limit = Instant::now() + PATIENCE;
        loop {
            let layout = self.layout().await;
            if !layout.is_empty() {
                return layout.into_iter().map(|(_, label)| label).collect();
            }
            assert!(Instant::now() < limit, "the menu is empty");
            tokio::time::sleep(BETWEEN_LOOKS).await;
        }
    }

    pub(crate) async fn choose(&self, entry: &str) {
        let layout = self.layout().await;
        let (id, _) = layout.iter().find(|(_, label)| label == entry).expect("the entry");
        let event = (*id, "clicked", Value::from(0_i32), 0_u32);
        // Nova may end before it has answered.
        let _ = self.proxy().await.call_method("Event", &event).await;
    }

    async fn layout(&self) -> Vec<(i32, String)> {
        let asked = self.proxy().await.call_method("GetLayout", &(0_i32, -1_i32, Vec::<&str>::new())).await;
        let answer = asked.expect("the menu").body();
        let (_, (_, _, entries)): (u32, Layout) = answer.deserialize().expect("a layout");
        let entries = entries.into_iter().map(|entry| Layout::try_from(entry).expect("an entry"));
        entries
            .map(|(id, properties, _)| {
                let label = properties.get("label").and_then(|label| <&str>::try_from(label).ok());
                (id, label.unwrap_or_default().replace('_', ""))
            })
            .collect()
    }

    async fn proxy(&self) -> zbus::Proxy<'_> {
        let (owner, path) = (self.owner.as_str(), self.path.as_ref());
        zbus::Proxy::new(&self.bus, owner, path, "com.canonical.dbusmenu").await.expect("the menu")
    }
}

#[zbus::interface(name = "org.freedesktop.Notifications")]
impl Notifications {
    #[allow(clippy::too_many_arguments, reason = "as the specification of notifications has it")]
    fn notify(
        &mut self,
        _program: String,
        _replaces: u32,
        _icon: String,
        title: String,
        text: String,
        actions: Vec<String>,
        _hints: HashMap<String, OwnedValue>,
        _expires: i32,
    ) -> u32 {
        assert!(actions.iter().any(|action| action == "default"), "it can be clicked");
        self.1 += 1;
        let _ = self.0.send(Notice { id: self.1, title, text });
        self.1
    }

    fn get_capabilities(&self) -> Vec<String> {
        vec!["body".into(), "actions".into()]
    }

    fn close_notification(&self, _id: u32) {}

    fn get_server_information(&self) -> (String, String, String, String) {
        ("double".into(), "nova".into(), "1".into(), "1.2".into())
    }
}

#[zbus::interface(name = "org.kde.StatusNotifierWatcher")]
impl Tray {
    fn register_status_notifier_item(&self, item: String, #[zbus(header)] header: Header<'_>) {
        let owner = header.sender().map(ToString::to_string).unwrap_or_default();
        let _ = self.0.send((owner, item));
    }

    fn register_status_notifier_host(&self, _service: String) {}

    #[zbus(property)]
    fn registered_status_notifier_items(&self) -> Vec<String> {
        Vec::new()
    }

    #[zbus(property)]
    fn is_status_notifier_host_registered(&self) -> bool {
        true
    }

    #[zbus(property)]
    fn protocol_version(&self) -> i32 {
        0
    }
}

/// Nova started from the desktop, without a driver. Ends on drop.
pub(crate) struct Started(Child);

impl Started {
    pub(crate) fn on(home: &Home) -> Self {
        let mut program = Command::new(env!("CARGO_BIN_EXE_nova"));
        Self(program.envs(home.environment()).stdin(Stdio::null()).spawn().expect("the program runs"))
    }

    pub(crate) fn is_running(&mut self) -> bool {
        self.0.try_wait().expect("its state").is_none()
    }

    /// Waits until it has ended.
    pub(crate) async fn ended(&mut self) -> ExitStatus {
        let limit = Instant::now() + PATIENCE;
        loop {
            if let Some(status) = self.0.try_wait().expect("its state") {
                return status;
            }
            assert!(Instant::now() < limit, "Nova still runs");
            tokio::time::sleep(BETWEEN_LOOKS).await;
        }
    }
}

impl Drop for Started {
    fn drop(&mut self) {
        end(&mut self.0);
    }
}

fn end(child: &mut Child) {
    let _ = kill_process(Pid::from_child(child), Signal::TERM);
    let _ = child.wait();
}

/// The display, as a window manager sees it.
pub(crate) struct Screen(RustConnection, u32);

impl Screen {
    pub(crate) fn of(home: &Home) -> Self {
        let environment = home.environment();
        let name =
            environment.iter().find(|(name, _)| *name == "DISPLAY").and_then(|(_, name)| name.to_str());
        let (display, screen) = x11rb::connect(name).expect("the display");
        let root = display.setup().roots[screen].root;
        Self(display, root)
    }

    /// Waits until the display shows exactly this many windows of Nova.
    pub(crate) async fn wait_for_windows(&self, count: usize) {
        let limit = Instant::now() + PATIENCE;
        while self.visible().len() != count {
            assert!(Instant::now() < limit, "{} windows are shown, not {count}", self.visible().len());
            tokio::time::sleep(BETWEEN_LOOKS).await;
        }
    }

    /// Presses the close button of the one visible window, and waits until it is gone.
    pub(crate) async fn close_window(&self) {
        self.wait_for_windows(1).await;
        let [window] = self.visible()[..] else { panic!("one window") };
        let (protocols, delete) = (self.atom("WM_PROTOCOLS"), self.atom("WM_DELETE_WINDOW"));
        let event = ClientMessageEvent::new(32, window, protocols, [delete, 0, 0, 0, 0]);
        self.0.send_event(false, window, EventMask::NO_EVENT, event).expect("the message");
        self.0.flush().expect("the display");
        self.wait_for_windows(0).await;
    }

    fn visible(&self) -> Vec<u32> {
        let children = self.0.query_tree(self.1).expect("the display").reply().expect("its windows").children;
        // A window may go away while it is looked at.
        let shown = |window: &u32| {
            let attributes = self.0.get_window_attributes(*window).ok()?.reply().ok()?;
            let size = self.0.get_geometry(*window).ok()?.reply().ok()?;
            // Nova's other windows are menus and tooltips.
            Some(attributes.map_state == MapState::VIEWABLE && size.width >= 900)
        };
        children.into_iter().filter(|window| shown(window).unwrap_or_default()).collect()
    }

    fn atom(&self, name: &str) -> u32 {
        self.0.intern_atom(false, name.as_bytes()).expect("the display").reply().expect("an atom").atom
    }
}
