//! Untrusted text in notes and answers, and its links, as the window receives them.

use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex};

use nova_app::{Desktop, NoApprover};
use nova_protocol::{Commands as _, ErrorCode, Event, LinkRef, NoteRef, SessionRef};
use nova_testkit::{hostile_texts, text};

use super::nova::{Nova, turn};

const HOST: &str = "evil.example";

/// Elements that run, load or send something, or change the page around them.
const ACTIVE: &[&str] = &[
    "applet",
    "audio",
    "base",
    "body",
    "button",
    "canvas",
    "dialog",
    "embed",
    "form",
    "frame",
    "frameset",
    "head",
    "html",
    "iframe",
    "image",
    "img",
    "link",
    "meta",
    "noscript",
    "object",
    "param",
    "picture",
    "plaintext",
    "portal",
    "script",
    "select",
    "slot",
    "source",
    "style",
    "svg",
    "template",
    "textarea",
    "title",
    "track",
    "video",
    "xmp",
];

/// Attributes with an address that is not a link's, or that replace something of the page.
const LOADING: &[&str] = &[
    "action",
    "background",
    "data",
    "formaction",
    "http-equiv",
    "id",
    "is",
    "name",
    "ping",
    "poster",
    "src",
    "srcdoc",
    "srcset",
    "style",
    "xlink:href",
];

/// The problems of rendered HTML; empty if it can neither run nor load anything.
fn faults(html: &str) -> Vec<String> {
    let mut faults = Vec::new();
    for (tag, attributes) in tags(html) {
        if ACTIVE.contains(&tag.as_str()) {
            faults.push(format!("an element <{tag}>"));
        }
        for (name, value) in attributes {
            let plain = value.to_lowercase();
            let leads_to_the_web = ["http://", "https://"].iter().any(|s| plain.starts_with(s));
            if name.starts_with("on") || LOADING.contains(&name.as_str()) {
                faults.push(format!("an attribute {name}={value:?}"));
            } else if name == "href" && !leads_to_the_web {
                faults.push(format!("a link to {value:?}"));
            } else if tag == "input" && name == "type" && value != "checkbox" {
                faults.push(format!("an input of type {value:?}"));
            }
        }
    }
    faults
}

/// The start tags of the text with their attributes, as a browser parses them.
fn tags(html: &str) -> Vec<(String, Vec<(String, String)>)> {
    let mut found = Vec::new();
    let mut rest = html;
    while let Some(at) = rest.find('<') {
        rest = &rest[at + 1..];
        let begins = rest.starts_with(|c: char| c.is_ascii_alphabetic() || "/!?".contains(c));
        if !begins {
            continue;
        }
        let name_ends =
            rest.find(|c: char| c.is_whitespace() || c == '>' || (c == '/' && !rest.starts_with('/')));
        let name_ends = name_ends.unwrap_or(rest.len());
        let name = rest[..name_ends].to_lowercase();
        rest = &rest[name_ends..];
        let mut attributes = Vec::new();
        loop {
            rest = rest.trim_start_matches(|c: char| c.is_whitespace() || c == '/');
            if rest.is_empty() || rest.starts_with('>') {
                break;
            }
            let ends = rest.find(|c: char| c.is_whitespace() || "=>/".contains(c)).unwrap_or(rest.len());
            let attribute = rest[..ends.max(1)].to_lowercase();
            rest = rest[ends.max(1)..].trim_start();
            let mut value = "";
            if let Some(after) = rest.strip_prefix('=') {
                let after = after.trim_start();
                let quote = after.chars().next().filter(|c| "\"'".contains(*c));
                let (start, end) = match quote {
                    Some(quote) => (1, after[1..].find(quote).map(|end| end + 1)),
                    None => (0, after.find(|c: char| c.is_whitespace() || c == '>')),
                };
                let end = end.unwrap_or(after.len());
                value = &after[start..end];
                rest = after[end..].trim_start_matches(['"', '\'']);
            }
            attributes.push((attribute, value.to_owned()));
        }
        if !name.starts_with('/') {
            found.push((name, attributes));
        }
    }
    found
}

#[test]
fn hostile_html_is_recognised() {
    for html in [
        "<script>hit()</script>",
        "<p><IMG/src=x/onerror=hit()></p>",
        "<a href=\"javascript:hit()\">x</a>",
        "<a title='x' onclick='hit()'>x</a>",
        "<p title=\">\" onclick=\"hit()\">x</p>",
        "<input type=\"image\">",
        "<!-- x -->".replace("!--", "style").as_str(),
    ] {
        assert!(!faults(html).is_empty(), "{html}");
    }
    for html in [
        "<p title=\"<img src=x onerror=hit()>\">&lt;script&gt;</p>",
        "<a href=\"https://evil.example/?onclick=hit()\" rel=\"noopener noreferrer\">x</a>",
        "<li><input checked=\"\" disabled=\"\" type=\"checkbox\">a < b</li>",
    ] {
        assert_eq!(faults(html), Vec::<String>::new(), "{html}");
    }
}

#[tokio::test]
async fn strangers_note_neither_runs_nor_loads_anything() {
    let nova = Nova::new("", []);
    let texts = hostile_texts(HOST);
    assert!(texts.len() >= 100, "{}", texts.len());
    for (at, text) in texts.iter().enumerate() {
        nova.vault.write(&format!("Clips/{at}.md"), text);
    }
    let app = nova.start().await;
    let mut found = Vec::new();
    for (at, text) in texts.iter().enumerate() {
        let view = app.read_note(NoteRef { path: format!("Clips/{at}.md") }).await.unwrap();
        found.extend(
            faults(&view.html).into_iter().map(|fault| format!("{text:?}: {fault} in {}", view.html)),
        );
    }
    assert!(found.is_empty(), "{}", found.join("\n"));
}

#[tokio::test]
async fn answer_neither_runs_nor_loads_anything_while_streaming_and_afterwards() {
    let texts = hostile_texts(HOST);
    let nova = Nova::new("", texts.iter().map(|hostile| text(hostile).in_chunks_of(7)));
    let app = nova.start().await;
    let mut session: Option<String> = None;
    let mut shown = Vec::new();
    for hostile in &texts {
        let (end, events) = turn(&app, session.as_deref(), "Go on", NoApprover).await;
        shown.extend(events.into_iter().map(|event| (hostile, event)));
        session = Some(end.session);
    }
    let view = app.open_session(SessionRef { session: session.unwrap() }).await.unwrap();
    let stored = view.events.into_iter().map(|envelope| (&texts[0], envelope.event));
    let mut blocks = 0;
    for (hostile, event) in shown.into_iter().chain(stored) {
        if let Event::MessageBlock { html, .. } = event {
            blocks += 1;
            assert_eq!(faults(&html), Vec::<String>::new(), "{hostile:?} became {html}");
        }
    }
    assert!(blocks > texts.len(), "only {blocks} blocks were checked");
}

/// Records what it was asked to open.
#[derive(Default)]
struct Opened(Mutex<Vec<String>>);

#[async_trait::async_trait]
impl Desktop for Opened {
    async fn pick_folder(&self) -> Option<PathBuf> {
        None
    }

    async fn pick_file(&self, _: &str) -> Option<PathBuf> {
        None
    }

    fn open_url(&self, url: &str) -> Result<(), String> {
        self.0.lock().unwrap().push(url.to_owned());
        Ok(())
    }

    fn show_file(&self, path: &Path) -> Result<(), String> {
        Err(format!("there is no window to show {} from", path.display()))
    }
}

#[tokio::test]
async fn only_web_addresses_are_opened() {
    let desktop = Arc::new(Opened::default());
    let mut nova = Nova::new("", []);
    nova.desktop = desktop.clone();
    let app = nova.start().await;
    for url in [
        "javascript:hit()",
        "JavaScript:hit()",
        "java\tscript:hit()",
        " javascript:hit()",
        "vbscript:hit()",
        "data:text/html,<script>hit()</script>",
        "file:///etc/passwd",
        "file://server/share",
        "obsidian://open?path=/etc/passwd",
        "nova://anything",
        "tauri://localhost/",
        "smb://server/share",
        "ftp://server/file",
        "ms-msdt:/id",
        "mailto:a@b.example",
        "mailto:a@b.example?attach=/etc/passwd",
        "\\\\server\\share",
        "//server/share",
        "C:\\Windows\\System32\\calc.exe",
        "/usr/bin/xcalc",
        "--help",
        "",
        "https://",
        "https://good.example@evil.example/",
        "https://evil.example/\r\nx",
        "https://evil.example/\u{0}",
        "ht\ntps://evil.example/",
    ] {
        let error = app.open_link(LinkRef { url: url.into() }).await.unwrap_err();
        assert_eq!(error.code, ErrorCode::BadRequest, "{url:?}");
    }
    assert_eq!(*desktop.0.lock().unwrap(), Vec::<String>::new());

    for url in ["https://example.org/a?b=c#d", "http://127.0.0.1:8080/"] {
        app.open_link(LinkRef { url: url.into() }).await.unwrap();
    }
    assert_eq!(*desktop.0.lock().unwrap(), ["https://example.org/a?b=c#d", "http://127.0.0.1:8080/"]);
}

/// A system without Obsidian: no program handles the address.
struct NoLauncher;

#[async_trait::async_trait]
impl Desktop for NoLauncher {
    async fn pick_folder(&self) -> Option<PathBuf> {
        None
    }

    async fn pick_file(&self, _: &str) -> Option<PathBuf> {
        None
    }

    fn open_url(&self, _: &str) -> Result<(), String> {
        Err("Launcher \"xdg-open\" failed with ExitStatus(unix_wait_status(768))".to_owned())
    }

    fn show_file(&self, _: &Path) -> Result<(), String> {
        Err("no file manager".to_owned())
    }
}

#[tokio::test]
async fn missing_obsidian_is_one_plain_sentence() {
    let mut nova = Nova::new("//- Jane.md\ntext\n", []);
    nova.desktop = Arc::new(NoLauncher);
    let app = nova.start().await;
    let error = app.open_note(NoteRef { path: "Jane.md".into() }).await.unwrap_err();
    assert_eq!(error.message, "Obsidian is not installed, or did not open.");
}
