//! Hostile text, pages and frames achieve nothing in the real window.

use std::collections::BTreeSet;
use std::io::Read as _;
use std::net::TcpListener;

use nova_testkit::{ModelServer, hostile_texts, text};
use serde_json::{Value, json};

use crate::harness::{Home, Window};

/// A host that must not be contacted.
pub(crate) struct Elsewhere(TcpListener);

impl Elsewhere {
    pub(crate) fn new() -> Self {
        let listener = TcpListener::bind("127.0.0.1:0").expect("a free port");
        listener.set_nonblocking(true).expect("a listener that can be asked");
        Self(listener)
    }

    pub(crate) fn host(&self) -> String {
        self.0.local_addr().expect("a bound port").to_string()
    }

    #[track_caller]
    pub(crate) fn assert_not_asked(&self) {
        let asked = self.0.accept().map(|(_, from)| from);
        assert!(asked.is_err(), "a request to another host, from {asked:?}");
    }

    /// WebKit opens a connection for a navigation while it still asks for permission.
    #[track_caller]
    fn assert_told_nothing(&self) {
        while let Ok((mut connection, _)) = self.0.accept() {
            connection.set_nonblocking(true).expect("a connection that can be asked");
            let mut said = [0; 1024];
            let read = connection.read(&mut said).unwrap_or(0);
            assert_eq!(read, 0, "sent to another host: {:?}", String::from_utf8_lossy(&said[..read]));
        }
    }
}

async fn open(home: &Home) -> Window {
    let window = Window::open(home).await;
    window.wait_for("#root > *").await;
    window
}

// ---- the policy of tauri.conf.json, independent of the page's own code -------------------------

#[tokio::test]
async fn text_in_the_page_never_runs_as_code() {
    let home = Home::new();
    let window = open(&home).await;
    let ran = window
        .ask(
            "window.ran = [];
             const script = document.createElement('script');
             script.textContent = 'ran.push(\"inline\")';
             document.body.append(script);
             const attempts = {
               eval: () => eval('1 + 1'),
               function: () => Function('return 2')(),
               timeout: () => setTimeout('ran.push(\"timeout\")', 0),
             };
             for (const [name, attempt] of Object.entries(attempts)) {
               try { if (attempt() === 2) ran.push(name); } catch {}
             }
             return ran;",
        )
        .await;
    assert_eq!(ran, json!([]), "text ran as code");
    // A timer, had one been set, would have fired before this later one.
    let ran = window.ask_later("const done = arguments[0]; setTimeout(() => done(ran), 0);").await;
    assert_eq!(ran, json!([]), "text ran as code");
    window.close().await;
}

#[tokio::test]
async fn page_requests_nothing_from_other_hosts() {
    let elsewhere = Elsewhere::new();
    let home = Home::new();
    let window = open(&home).await;

    // One request of each kind; every refusal is an event with its name.
    let kinds = [
        "connect-src",
        "font-src",
        "form-action",
        "frame-src",
        "img-src",
        "media-src",
        "object-src",
        "script-src-elem",
        "style-src-elem",
        "worker-src",
    ];
    let refused = window
        .ask_later_with(
            "const [host, kinds, done] = arguments;
             const url = `http://${host}/beacon`;
             const refused = new Set();
             const tell = () => done([...refused].sort());
             document.addEventListener('securitypolicyviolation', event => {
               refused.add(event.effectiveDirective);
               if (kinds.every(kind => refused.has(kind))) tell();
             });
             setTimeout(tell, 60000);
             const add = (tag, attributes) => {
               const element = Object.assign(document.createElement(tag), attributes);
               document.body.append(element);
               return element;
             };
             add('img', { src: url });
             add('link', { rel: 'stylesheet', href: url });
             add('script', { src: url });
             add('iframe', { src: url });
             add('video', { src: url });
             add('object', { data: url });
             add('form', { action: url, method: 'post' }).submit();
             new FontFace('x', `url(${url})`).load().catch(() => {});
             fetch(url).catch(() => {});
             try { new WebSocket(`ws://${host}/beacon`); } catch {}
             try { new EventSource(url); } catch {}
             try { navigator.sendBeacon(url, 'x'); } catch {}
             try { new Worker(URL.createObjectURL(new Blob(['fetch(\"' + url + '\")']))); } catch {}",
            vec![json!(elsewhere.host()), json!(kinds)],
        )
        .await;
    assert_eq!(refused, json!(kinds));
    elsewhere.assert_not_asked();
    window.close().await;
}

#[tokio::test]
async fn page_cannot_navigate_or_open_another() {
    let elsewhere = Elsewhere::new();
    let home = Home::new();
    let window = open(&home).await;
    let before = window.ask("window.stayed = true; return location.href;").await;
    let opened = window
        .ask_later_with(
            "const [host, done] = arguments;
             const url = `http://${host}/away`;
             const opened = [window.open(url), window.open('about:blank'), window.open('file:///etc/passwd')];
             for (const [href, target] of [[url, ''], [url, '_blank'], ['file:///etc/passwd', ''],
                  ['data:text/html,x', ''], ['javascript:window.stayed=false', '']])
               Object.assign(document.createElement('a'), { href, target }).click();
             const refresh = Object.assign(document.createElement('meta'), { content: `0;url=${url}` });
             refresh.httpEquiv = 'refresh';
             document.head.append(refresh);
             location.href = url;
             done(opened.map(other => other === null));",
            vec![json!(elsewhere.host())],
        )
        .await;
    assert_eq!(opened, json!([true, true, true]), "a window was opened");
    // It still responds: the program has decided about everything above.
    for _ in 0..5 {
        window.invoke("rpc", json!({"method": "app_status", "params": {}})).await.expect("an answer");
    }
    assert_eq!(window.ask("return [location.href, window.stayed];").await, json!([before, true]));
    elsewhere.assert_told_nothing();
    window.close().await;
}

// ---- callable commands ---------------------------------------------------------------------------

/// Every command of Tauri's own plugins, by plugin.
const CORE_COMMANDS: [(&str, &str); 9] = [
    (
        "app",
        "app_hide app_show bundle_type default_window_icon exit fetch_data_store_identifiers identifier name \
         register_listener remove_data_store remove_listener set_app_theme set_dock_visibility \
         supports_multiple_windows tauri_version version",
    ),
    ("event", "emit_to emit listen unlisten"),
    ("image", "from_bytes from_path new rgba size"),
    (
        "menu",
        "append create_default get insert is_checked is_enabled items new popup prepend remove_at remove \
         set_accelerator set_as_app_menu set_as_help_menu_for_nsapp set_as_window_menu \
         set_as_windows_menu_for_nsapp set_checked set_enabled set_icon set_text text",
    ),
    ("path", "basename dirname extname is_absolute join normalize resolve_directory resolve"),
    ("resources", "close"),
    (
        "tray",
        "get_by_id new remove_by_id set_icon_as_template set_icon_with_as_template set_icon set_menu \
         set_show_menu_on_left_click set_temp_dir_path set_title set_tooltip set_visible",
    ),
    (
        "webview",
        "clear_all_browsing_data create_webview_window create_webview get_all_webviews \
         internal_toggle_devtools print reparent set_webview_auto_resize set_webview_background_color \
         set_webview_focus set_webview_position set_webview_size set_webview_zoom webview_close webview_hide \
         webview_position webview_show webview_size",
    ),
    (
        "window",
        "activity_name available_monitors center close create current_monitor cursor_position destroy \
         get_all_windows hide inner_position inner_size internal_toggle_maximize is_always_on_top is_closable \
         is_decorated is_enabled is_focused is_fullscreen is_maximizable is_maximized is_minimizable \
         is_minimized is_resizable is_visible maximize minimize monitor_from_point outer_position outer_size \
         primary_monitor request_user_attention scale_factor scene_identifier set_always_on_bottom \
         set_always_on_top set_background_color set_badge_count set_badge_label set_closable \
         set_content_protected set_cursor_grab set_cursor_icon set_cursor_position set_cursor_visible \
         set_decorations set_effects set_enabled set_focus set_focusable set_fullscreen_on_monitor \
         set_fullscreen set_icon set_ignore_cursor_events set_max_size set_maximizable set_min_size \
         set_minimizable set_overlay_icon set_position set_progress_bar set_resizable set_shadow \
         set_simple_fullscreen set_size_constraints set_size set_skip_taskbar set_theme set_title_bar_style \
         set_title set_visible_on_all_workspaces show start_dragging start_resize_dragging theme title \
         toggle_maximize unmaximize unminimize",
    ),
];

/// Commands of plugins that the program has, or that a page might try.
const PLUGIN_COMMANDS: [&str; 12] = [
    "plugin:dialog|open",
    "plugin:dialog|save",
    "plugin:dialog|message",
    "plugin:fs|read_text_file",
    "plugin:fs|write_text_file",
    "plugin:http|fetch",
    "plugin:opener|open_path",
    "plugin:opener|open_url",
    "plugin:opener|reveal_item_in_dir",
    "plugin:shell|execute",
    "plugin:shell|open",
    "plugin:process|exit",
];

fn refused_commands() -> Vec<String> {
    let core = CORE_COMMANDS.iter().flat_map(|(plugin, commands)| {
        commands.split_whitespace().map(move |command| format!("plugin:{plugin}|{command}"))
    });
    core.chain(PLUGIN_COMMANDS.map(str::to_owned)).collect()
}

#[tokio::test]
async fn page_may_call_its_two_commands_and_no_other() {
    let home = Home::new();
    let window = open(&home).await;

    // Reachable: refused only because the arguments are missing.
    for command in ["rpc", "subscribe"] {
        let refusal = refusal(&window, command).await;
        assert!(refusal.starts_with("invalid args"), "{command} was not reached: {refusal}");
    }
    for command in refused_commands() {
        let refusal = refusal(&window, &command).await;
        assert!(refusal.contains(" not allowed"), "{command} was not refused by the capabilities: {refusal}");
    }
    window.close().await;
}

/// Why a command called without arguments is refused.
async fn refusal(window: &Window, command: &str) -> String {
    match window.invoke(command, json!({})).await {
        Err(reason) => reason.as_str().map_or_else(|| reason.to_string(), str::to_owned),
        Ok(answer) => panic!("{command} answered {answer}"),
    }
}

/// The protocol's commands, as generated for the page.
fn protocol_commands() -> Vec<&'static str> {
    let rows = include_str!("../../ui/src/ipc/protocol.generated.ts").lines();
    rows.filter_map(|row| row.trim_start().split_once(": { params: ")).map(|(name, _)| name).collect()
}

#[tokio::test]
async fn frame_of_another_origin_may_call_nothing() {
    let home = Home::new();
    let window = open(&home).await;
    let protocol = protocol_commands();
    assert!(protocol.len() > 50 && protocol.contains(&"set_appearance"), "{protocol:?}");
    window
        .ask(
            "const frame = document.createElement('iframe');
             frame.sandbox = 'allow-scripts';
             document.body.prepend(frame);",
        )
        .await;

    let answered = window
        .ask_later_in_frame(
            "const [protocol, commands, done] = arguments;
             const answered = [];
             if (origin !== 'null') answered.push('the frame is of this origin: ' + origin);
             if (window.__TAURI_INTERNALS__) answered.push('the frame has the way to call');
             try { if (parent.__TAURI_INTERNALS__) answered.push('the frame reads its parent'); } catch {}
             const appearance = { theme: 'dark', text_size: 18 };
             const calls = [
               ...protocol.map(method => ['rpc', { method, params: appearance }]),
               ...commands.map(command => [command, {}]),
             ];
             const call = async ([command, args]) => {
               const body = JSON.stringify(args);
               for (const key of ['', 'guess']) {
                 // The two ways that lead to the program.
                 const message = { cmd: command, callback: 1, error: 2, payload: args, options: {} };
                 try {
                   window.webkit?.messageHandlers?.ipc?.postMessage(
                     JSON.stringify({ ...message, __TAURI_INVOKE_KEY__: key }));
                 } catch {}
                 const headers = { 'Content-Type': 'application/json', 'Tauri-Callback': '1', 'Tauri-Error': '2' };
                 try {
                   const answer = await fetch('ipc://localhost/' + encodeURIComponent(command),
                     { method: 'POST', headers: { ...headers, 'Tauri-Invoke-Key': key }, body });
                   if (answer.ok) answered.push(command + ' ' + args.method);
                 } catch {}
               }
             };
             (async () => { for (const one of calls) await call(one); done(answered); })();",
            vec![json!(protocol), json!(refused_commands())],
        )
        .await;

    assert_eq!(answered, json!([]));
    // Nor did a call succeed silently: a change of the appearance would be on disk.
    window.invoke("rpc", json!({"method": "app_status", "params": {}})).await.expect("an answer");
    assert!(!home.data().with_file_name("config").join("nova.config.json").exists(), "settings were written");
    window.close().await;
}

// ---- untrusted text ------------------------------------------------------------------------------

/// Inserts HTML into the page, triggers everything in it, and returns the outcome.
const INSERT: &str = "
    const [texts, done] = arguments;
    const found = [];
    const violations = [];
    let now = '';
    window.hit = () => found.push('ran: ' + now);
    document.addEventListener('securitypolicyviolation', event => violations.push(event.effectiveDirective + ': ' + now));
    const here = location.href;
    const place = document.createElement('div');
    document.body.append(place);
    (async () => {
      for (const text of texts) {
        now = text;
        place.innerHTML = text;
        for (const element of place.querySelectorAll('*')) {
          // Links are followed by the page's own code, which hands addresses to the program.
          const href = element.getAttribute('href') ?? element.closest('[href]')?.getAttribute('href');
          const leads = href != null && !/^\\s*(java|vb)/i.test(href);
          for (const type of ['focus', 'mouseover', 'pointerover', 'load', 'error', 'toggle', 'animationstart', 'blur', 'close'])
            element.dispatchEvent(new Event(type));
          if (!leads) element.click?.();
          element.focus?.();
        }
        // What loads later belongs to this text.
        await new Promise(next => setTimeout(next, 0));
      }
      now = 'the end';
      // Refusals come in order: when this one is here, all others are.
      const last = new Promise(next => document.addEventListener('securitypolicyviolation',
        event => event.blockedURI.startsWith('http://127.0.0.1:9') && next()));
      place.innerHTML = '<img src=\"http://127.0.0.1:9/last.png\">';
      await last;
      place.remove();
      if (location.href !== here) found.push('the page went to ' + location.href);
      done({ found, violations: violations.filter(one => !one.endsWith('the end')) });
    })();";

#[tokio::test]
async fn unsanitised_hostile_text_does_nothing_in_the_page() {
    let elsewhere = Elsewhere::new();
    let home = Home::new();
    let window = open(&home).await;
    let outcome = window.ask_later_with(INSERT, vec![json!(hostile_texts(&elsewhere.host()))]).await;
    assert_eq!(outcome["found"], json!([]));
    // The texts are dangerous: the policy refused them.
    let refused: BTreeSet<&str> = outcome["violations"]
        .as_array()
        .into_iter()
        .flatten()
        .filter_map(|one| one.as_str()?.split(':').next())
        .collect();
    assert!(refused.contains("script-src-attr") && refused.contains("img-src"), "{refused:?}");
    elsewhere.assert_not_asked();
    window.close().await;
}

#[tokio::test]
async fn hostile_note_leaves_nothing_for_the_policy_to_refuse() {
    let elsewhere = Elsewhere::new();
    let texts = hostile_texts(&elsewhere.host());
    let home = texts
        .iter()
        .enumerate()
        .fold(Home::new(), |home, (at, text)| home.note(&format!("Clips/{at}.md"), text));
    let window = open(&home).await;
    let mut rendered = Vec::new();
    for at in 0..texts.len() {
        let params = json!({"path": format!("Clips/{at}.md")});
        let note = window.invoke("rpc", json!({"method": "read_note", "params": params})).await;
        rendered.push(note.expect("the note")["html"].clone());
    }
    assert!(rendered.iter().any(|html| html.as_str().is_some_and(|html| html.contains("<p>"))));

    let outcome = window.ask_later_with(INSERT, vec![Value::Array(rendered)]).await;

    assert_eq!(outcome, json!({"found": [], "violations": []}));
    elsewhere.assert_not_asked();
    window.close().await;
}

#[tokio::test]
async fn hostile_answer_is_rendered_with_formulas_and_code_and_does_nothing() {
    let elsewhere = Elsewhere::new();
    // Those that the page processes further: formulas, code, links, images.
    let drawn = |text: &String| ["$", "[", "!", "`", "<http"].iter().any(|start| text.starts_with(start));
    let mut texts: Vec<String> = hostile_texts(&elsewhere.host()).into_iter().filter(drawn).collect();
    texts.push("A square: $x^2$.\n\n```js\nconst a = 1;\n```\n\nThis is the end of it.".into());
    let answer = texts.join("\n\n");
    let model = ModelServer::start([text(&answer)]);
    let home = Home::new().provider(&model.base_url());
    let window = open(&home).await;
    window
        .ask(
            "window.found = [];
             window.hit = () => found.push('ran');
             document.addEventListener('securitypolicyviolation', event => found.push(event.effectiveDirective));",
        )
        .await;
    window.type_into("[data-testid=composer-input]", "Go on").await;
    window.click("[data-testid=send]").await;
    window.wait_for_text("[role=log]", "This is the end of it.").await;
    window.wait_for("[role=log] .katex").await;

    let found = window
        .ask(
            "const log = document.querySelector('[role=log]');
             for (const element of log.querySelectorAll('*')) {
               for (const { name } of element.attributes)
                 if (name.startsWith('on') || ['src', 'srcset', 'action', 'formaction'].includes(name))
                   found.push(element.tagName + ' ' + name);
               const href = element.getAttribute('href') ?? element.getAttribute('xlink:href');
               if (href !== null && !/^https?:/.test(href)) found.push('a link to ' + href);
               if (/url\\(/.test(element.getAttribute('style') ?? '')) found.push('a style that loads');
             }
             return found;",
        )
        .await;
    assert_eq!(found, json!([]));
    elsewhere.assert_not_asked();
    window.close().await;
    model.finish();
}
