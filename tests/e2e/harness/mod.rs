//! Harness of the window tests: a [`Home`] (temporary folders, environment and settings) and a [`Window`]
//! (the running program, driven through `tauri-driver` and WebKitWebDriver).
//!
//! Methods of [`Window`] panic with the reason and leave a screenshot and the program's log in
//! `target/e2e/`, so tests read as a list of steps. Nothing sleeps for a fixed time: every wait is for a
//! condition, with a generous limit.

mod desktop;
mod display;
mod driver;
mod home;
mod mailbox;
mod session;

use std::path::{Path, PathBuf};
use std::time::Duration;

use fantoccini::actions::{InputSource, MOUSE_BUTTON_LEFT, MouseActions, PointerAction};
use fantoccini::elements::Element;
use fantoccini::error::{CmdError, ErrorStatus};
use fantoccini::key::Key;
use fantoccini::{Client, Locator};
use serde_json::{Value, json};

use driver::Driver;

#[allow(unused_imports, reason = "each test target uses its part of the harness")]
pub(crate) use home::{Home, Theme};
#[allow(unused_imports, reason = "each test target uses its part of the harness")]
pub(crate) use session::{Screen, Session, Started};

/// Limit of a wait before the test fails. Only failing tests wait this long, however slow the machine.
pub(crate) const PATIENCE: Duration = Duration::from_secs(150);

const BETWEEN_LOOKS: Duration = Duration::from_millis(25);
/// Attempts to find a menu entry before the menu counts as closed.
const LOOKS_AT_A_MENU: usize = 40;

/// One running window of Nova. All its processes end on drop.
pub(crate) struct Window {
    client: Client,
    driver: Driver,
}

#[allow(dead_code, reason = "each test target uses its part of the harness")]
impl Window {
    /// Starts this checkout's `nova` (or `NOVA_E2E_PROGRAM`, such as an installed package) on `home`, and
    /// returns once the driver controls the window.
    pub(crate) async fn open(home: &Home) -> Self {
        let program = std::env::var_os("NOVA_E2E_PROGRAM")
            .map_or_else(|| PathBuf::from(env!("CARGO_BIN_EXE_nova")), PathBuf::from);
        Self::open_program(home, &program).await
    }

    /// Like [`Window::open`], for another program with a Tauri window.
    pub(crate) async fn open_program(home: &Home, program: &Path) -> Self {
        let (driver, client) = driver::start(program, &home.environment()).await;
        Window { client, driver }
    }

    /// Closes the window as its close button does and waits until every process has ended.
    pub(crate) async fn close(self) {
        self.checked("closing the window", self.client.clone().close()).await;
        drop(self);
    }

    /// Kills the program, as a power cut would: it cannot write anything.
    pub(crate) async fn kill(self) {
        for process in self.processes() {
            if let Some(process) = rustix::process::Pid::from_raw(process.cast_signed()) {
                let _ = rustix::process::kill_process(process, rustix::process::Signal::KILL);
            }
        }
        drop(self);
    }

    /// Waits until a file exists and contains `text`.
    pub(crate) async fn wait_for_file(&self, file: &Path, text: &str) {
        let looking = async {
            while !std::fs::read_to_string(file).is_ok_and(|found| found.contains(text)) {
                tokio::time::sleep(BETWEEN_LOOKS).await;
            }
            Ok(())
        };
        self.checked(&format!("waiting for {}", file.display()), looking).await;
    }

    /// Waits for the first element that matches.
    pub(crate) async fn wait_for(&self, css: &str) -> Element {
        self.element(Locator::Css(css), css).await
    }

    /// Waits until the first element that matches `css` shows `text`.
    pub(crate) async fn wait_for_text(&self, css: &str, text: &str) {
        self.until(
            &format!("{css} to show {text:?}"),
            "const found = document.querySelector(arguments[0]);
             return found !== null && found.innerText.includes(arguments[1]);",
            vec![json!(css), json!(text)],
        )
        .await;
    }

    /// Waits until the first element that matches `css` shows something other than `text`.
    pub(crate) async fn wait_for_other_text(&self, css: &str, text: &str) {
        self.until(
            &format!("{css} to show other than {text:?}"),
            "const found = document.querySelector(arguments[0]);
             return found !== null && found.innerText.trim() !== arguments[1].trim();",
            vec![json!(css), json!(text)],
        )
        .await;
    }

    /// Waits until the element that matches `css` is focused. `:focus` would match nothing while another
    /// test's window is in front.
    pub(crate) async fn wait_for_focus(&self, css: &str) {
        self.until(
            &format!("the focus to be on {css}"),
            "return document.activeElement.matches(arguments[0]);",
            vec![json!(css)],
        )
        .await;
    }

    /// Waits until nothing matches `css` any more.
    pub(crate) async fn wait_gone(&self, css: &str) {
        self.until(
            &format!("{css} to disappear"),
            "return document.querySelector(arguments[0]) === null;",
            vec![json!(css)],
        )
        .await;
    }

    pub(crate) async fn click(&self, css: &str) {
        self.click_what(Locator::Css(css), css).await;
    }

    /// Clicks the button, link, tab or menu entry with this visible text or `aria-label`.
    pub(crate) async fn click_named(&self, name: &str) {
        self.click_what(Locator::XPath(&named(name)), &format!("a button named {name:?}")).await;
    }

    /// Chooses a menu entry. A menu closes when another window comes to the front; then it is reopened.
    pub(crate) async fn choose(&self, menu: &str, entry: &str) {
        let (menu_path, entry_path) = (named(menu), named(entry));
        let choosing = async {
            loop {
                if self.client.find(Locator::XPath(&entry_path)).await.is_err() {
                    self.click_what(Locator::XPath(&menu_path), &format!("a menu named {menu:?}")).await;
                }
                for _ in 0..LOOKS_AT_A_MENU {
                    if let Ok(element) = self.client.find(Locator::XPath(&entry_path)).await
                        && let Ok(true) = self.stands_still(&element).await
                    {
                        match element.click().await {
                            Err(error) if was_drawn_anew(&error) => {}
                            ended => return ended,
                        }
                    }
                    tokio::time::sleep(BETWEEN_LOOKS).await;
                }
            }
        };
        self.checked(&format!("choosing {entry:?} of {menu:?}"), choosing).await;
    }

    /// Clicks once the element stands still and nothing covers it: the driver locates the element first and
    /// clicks that position later, whatever has moved there meanwhile.
    async fn click_what(&self, locator: Locator<'_>, what: &str) {
        let clicking = async {
            loop {
                match self.find_still(locator).await?.click().await {
                    Err(error) if was_drawn_anew(&error) => tokio::time::sleep(BETWEEN_LOOKS).await,
                    ended => return ended,
                }
            }
        };
        self.checked(&format!("clicking {what}"), clicking).await;
    }

    async fn find_still(&self, locator: Locator<'_>) -> Result<Element, CmdError> {
        loop {
            let element = self.find(locator).await?;
            match self.stands_still(&element).await {
                Ok(true) => return Ok(element),
                Err(error) if !was_drawn_anew(&error) => return Err(error),
                Ok(false) | Err(_) => tokio::time::sleep(BETWEEN_LOOKS).await,
            }
        }
    }

    /// Whether an element keeps its position for three checks, and a click on its centre would reach it.
    /// Requests no frame: the system may draw none for a covered window.
    async fn stands_still(&self, element: &Element) -> Result<bool, CmdError> {
        let script = "const [element] = arguments;
             element.scrollIntoView({ block: 'nearest', inline: 'nearest' });
             const { x, y, width, height } = element.getBoundingClientRect();
             const hit = document.elementFromPoint(x + width / 2, y + height / 2);
             return hit !== null && element.contains(hit) ? [x, y, width, height] : null;";
        let element = vec![serde_json::to_value(element)?];
        let first = self.client.execute(script, element.clone()).await?;
        for _ in 0..2 {
            tokio::time::sleep(BETWEEN_LOOKS).await;
            if first.is_null() || self.client.execute(script, element.clone()).await? != first {
                return Ok(false);
            }
        }
        Ok(true)
    }

    /// Clicks an element of a frame of this origin, where it is in the window.
    pub(crate) async fn click_in_frame(&self, frame: &str, css: &str) {
        let place = "const [frame, css] = arguments;
             const outer = document.querySelector(frame);
             outer.scrollIntoView({ block: 'nearest' });
             const inner = outer.contentDocument.querySelector(css).getBoundingClientRect();
             const { left, top } = outer.getBoundingClientRect();
             return [left + outer.clientLeft + inner.left + inner.width / 2, top + outer.clientTop + inner.top + inner.height / 2];";
        let clicking = async {
            let place = self.client.execute(place, vec![json!(frame), json!(css)]).await?;
            let at = |axis: usize| place[axis].as_f64().unwrap_or_default();
            let mouse = MouseActions::new("mouse".to_owned())
                .then(PointerAction::MoveTo { duration: None, x: at(0), y: at(1) })
                .then(PointerAction::Down { button: MOUSE_BUTTON_LEFT })
                .then(PointerAction::Up { button: MOUSE_BUTTON_LEFT });
            self.client.perform_actions(mouse).await
        };
        self.checked(&format!("clicking {css} in {frame}"), clicking).await;
    }

    /// Drags from one element to another in a few steps.
    pub(crate) async fn drag(&self, from: &str, to: &str) {
        let step = Some(Duration::from_millis(50));
        let at =
            |element: Element, x: f64| PointerAction::MoveToElement { element, duration: step, x, y: 0.0 };
        let card = self.checked(&format!("waiting for {from}"), self.find_still(Locator::Css(from))).await;
        let target = self.wait_for(to).await;
        let mouse = MouseActions::new("mouse".to_owned())
            .then(at(card.clone(), 0.0))
            .then(PointerAction::Down { button: MOUSE_BUTTON_LEFT })
            .then(at(card, 20.0))
            .then(at(target.clone(), -10.0))
            .then(at(target, 0.0))
            .then(PointerAction::Up { button: MOUSE_BUTTON_LEFT });
        self.checked(&format!("dragging {from} to {to}"), self.client.perform_actions(mouse)).await;
    }

    /// Types into the first field that matches, after its content.
    pub(crate) async fn type_into(&self, css: &str, text: &str) {
        let element = self.wait_for(css).await;
        self.checked(&format!("typing into {css}"), element.send_keys(text)).await;
    }

    /// Presses one key, with modifiers held, wherever the focus is.
    pub(crate) async fn press(&self, held: &[Key], key: impl Into<char>) {
        let mut keys: String = held.iter().map(|key| char::from(*key)).collect();
        keys.push(key.into());
        let focused = self.checked("looking for the focus", self.client.active_element()).await;
        self.checked("pressing a key", focused.send_keys(&keys)).await;
    }

    /// Drops a file from outside of the vault on the element, without a real file manager.
    pub(crate) async fn drop_file(&self, on: &str, name: &str, text: &str) {
        self.wait_for(on).await;
        let (on, name, text) = (json!(on), json!(name), json!(text));
        self.ask(&format!(
            "const dataTransfer = new DataTransfer(); dataTransfer.items.add(new File([{text}], {name}));\
             for (const type of ['dragover', 'drop'])\
               document.querySelector({on}).dispatchEvent(new DragEvent(type, {{ bubbles: true, cancelable: true, dataTransfer }}));"
        ))
        .await;
    }

    /// The visible text of the first element that matches.
    pub(crate) async fn text(&self, css: &str) -> String {
        let element = self.wait_for(css).await;
        self.checked(&format!("reading {css}"), element.text()).await
    }

    pub(crate) async fn title(&self) -> String {
        self.checked("reading the title", self.client.title()).await
    }

    /// Resizes the page to `width` × `height` CSS pixels.
    pub(crate) async fn resize(&self, width: u32, height: u32) {
        self.checked("resizing the window", self.client.set_window_size(width, height)).await;
        self.until(
            &format!("the page to be {width} × {height}"),
            "return innerWidth === arguments[0] && innerHeight === arguments[1];",
            vec![json!(width), json!(height)],
        )
        .await;
    }

    /// Writes a screenshot as PNG, once the fonts are loaded and two more frames are drawn.
    pub(crate) async fn screenshot(&self, file: &Path) {
        self.ask_later(
            "const done = arguments[0];
             document.fonts.ready.then(() =>
               requestAnimationFrame(() => requestAnimationFrame(() => done(null))));",
        )
        .await;
        let png = self.checked("taking a picture", self.client.screenshot()).await;
        if let Some(folder) = file.parent() {
            std::fs::create_dir_all(folder).expect("the pictures' folder");
        }
        std::fs::write(file, png).unwrap_or_else(|error| panic!("{}: {error}", file.display()));
    }

    /// Runs a script in the page and returns its result.
    pub(crate) async fn ask(&self, script: &str) -> Value {
        self.checked("running a script in the page", self.client.execute(script, Vec::new())).await
    }

    /// Runs a script that calls its first argument when done, and returns the passed value.
    pub(crate) async fn ask_later(&self, script: &str) -> Value {
        self.ask_later_with(script, Vec::new()).await
    }

    /// Calls a Tauri command like the page's own code; its result or its error.
    pub(crate) async fn invoke(&self, command: &str, arguments: Value) -> Result<Value, Value> {
        let answer = self
            .ask_later_with(
                "const [command, args, done] = arguments;
                 window.__TAURI_INTERNALS__.invoke(command, args)
                   .then(value => done({ value }), error => done({ error: error?.message ?? error }));",
                vec![json!(command), arguments],
            )
            .await;
        match answer.get("error") {
            Some(error) => Err(error.clone()),
            None => Ok(answer["value"].clone()),
        }
    }

    /// Like [`Self::ask_later`], in the first frame of the page.
    pub(crate) async fn ask_later_in_frame(&self, script: &str, arguments: Vec<Value>) -> Value {
        self.checked("entering a frame", self.client.enter_frame(0)).await;
        let answer = self.ask_later_with(script, arguments).await;
        self.checked("leaving the frame", self.client.clone().enter_parent_frame()).await;
        answer
    }

    /// The processes of this window: program, web and network process.
    pub(crate) fn processes(&self) -> Vec<u32> {
        self.driver.processes()
    }

    pub(crate) async fn ask_later_with(&self, script: &str, arguments: Vec<Value>) -> Value {
        self.checked("running a script in the page", self.client.execute_async(script, arguments)).await
    }

    async fn element(&self, locator: Locator<'_>, what: &str) -> Element {
        self.checked(&format!("waiting for {what}"), self.find(locator)).await
    }

    async fn find(&self, locator: Locator<'_>) -> Result<Element, CmdError> {
        loop {
            let looking = self.client.wait().forever().every(BETWEEN_LOOKS);
            match looking.for_element(locator).await {
                Err(error) if was_drawn_anew(&error) => tokio::time::sleep(BETWEEN_LOOKS).await,
                ended => return ended,
            }
        }
    }

    /// Polls the page until `script` returns true.
    pub(crate) async fn until(&self, what: &str, script: &str, arguments: Vec<Value>) {
        let looking = async {
            while self.client.execute(script, arguments.clone()).await? != json!(true) {
                tokio::time::sleep(BETWEEN_LOOKS).await;
            }
            Ok(())
        };
        self.checked(&format!("waiting for {what}"), looking).await;
    }

    /// The response to one driver request, which may fail or never come.
    async fn checked<T>(&self, doing: &str, request: impl Future<Output = Result<T, CmdError>>) -> T {
        let reason = match tokio::time::timeout(PATIENCE, request).await {
            Ok(Ok(value)) => return value,
            Ok(Err(error)) => format!("{doing}: {error}"),
            Err(_) => format!("{doing}: not done after {PATIENCE:?}"),
        };
        // The window may be gone or stuck; then the log says why.
        let picture = tokio::time::timeout(PATIENCE, self.client.screenshot()).await;
        self.driver.fail(&reason, picture.ok().and_then(Result::ok).as_deref())
    }
}

/// The button, link, tab or menu entry with that text or label.
fn named(name: &str) -> String {
    assert!(!name.contains('"'), "XPath has no escape for a quote");
    format!(
        "//*[self::button or self::a or @role='button' or @role='tab' or @role='menuitem' \
         or @role='option' or @role='link']\
         [normalize-space(.)=\"{name}\" or @aria-label=\"{name}\"]"
    )
}

/// The element was redrawn or covered since it was found.
fn was_drawn_anew(error: &CmdError) -> bool {
    use ErrorStatus::{ElementClickIntercepted, ElementNotInteractable, StaleElementReference};
    // WebKit's driver reports an element that disappears between finding and naming it differently.
    matches!(error, CmdError::Standard(said) if said.message.starts_with("Stale element") || matches!(
        said.error,
        ElementClickIntercepted | ElementNotInteractable | StaleElementReference
    ))
}

pub(crate) fn copy_tree(from: &Path, to: &Path) {
    std::fs::create_dir_all(to).expect("a folder in the vault");
    for entry in std::fs::read_dir(from).unwrap_or_else(|error| panic!("{}: {error}", from.display())) {
        let entry = entry.expect("an entry of the folder");
        let target = to.join(entry.file_name());
        if entry.path().is_dir() {
            copy_tree(&entry.path(), &target);
        } else {
            std::fs::copy(entry.path(), target).expect("a copy of the note");
        }
    }
}
