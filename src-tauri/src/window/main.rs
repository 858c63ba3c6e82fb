//! The `nova-window` program: a thin shell over `nova-app`. One command carries every request, and one
//! channel every event; the page cannot call anything else.

#![cfg_attr(not(debug_assertions), windows_subsystem = "windows")]

mod desktop;
mod events;
mod place;

use std::process::ExitCode;
use std::sync::Arc;

use nova_app::{App, Desktop as _};
use nova_program::Args;
use nova_protocol::{Envelope, ErrorCode, UserError};
use serde_json::Value;
use tauri::ipc::Channel;
use tauri::{Manager as _, RunEvent, State};

use crate::desktop::WindowDesktop;

fn main() -> ExitCode {
    nova_program::run(open)
}

/// Opens the window and runs until it is closed.
fn open(args: &Args) -> Result<u8, UserError> {
    check_display()?;
    let runtime =
        tokio::runtime::Builder::new_multi_thread().enable_all().build().map_err(|error| failed(&error))?;
    tauri::async_runtime::set(runtime.handle().clone());
    let desktop = Arc::new(WindowDesktop::default());
    let app = runtime.block_on(async {
        let app = nova_program::app(args, desktop.clone()).await?;
        app.watch();
        app.keep_routines();
        Ok::<_, UserError>(app)
    })?;

    let (stopping, placed) = (app.clone(), app.clone());
    let window = tauri::Builder::default()
        .plugin(tauri_plugin_dialog::init())
        .plugin(tauri_plugin_opener::init())
        .plugin(stay_on_the_page())
        .manage(app)
        .invoke_handler(tauri::generate_handler![rpc, subscribe])
        .setup(move |tauri| {
            desktop.attach(tauri.handle().clone());
            if let Some(window) = tauri.get_webview_window("main") {
                place::restore(&window, placed.window_place());
                desktop.zoom(placed.window_zoom());
                place::keep_on_close(&window, placed);
            }
            Ok(())
        })
        .build(tauri::generate_context!())
        .map_err(|error| failed(&error))?;
    window.run(move |_, event| {
        if let RunEvent::Exit = event {
            // Closing denies open questions: turns end properly, and waiting calls are not run.
            tauri::async_runtime::block_on(stopping.stop_everything());
        }
    });
    Ok(nova_program::DONE)
}

#[tauri::command]
async fn rpc(app: State<'_, App>, method: String, params: Value) -> Result<Value, UserError> {
    nova_protocol::dispatch(app.inner(), &method, params).await
}

#[tauri::command]
async fn subscribe(app: State<'_, App>, channel: Channel<Vec<Envelope>>) -> Result<(), UserError> {
    events::forward(app.events(), channel);
    Ok(())
}

/// Prevents navigation: the window shows only Nova's own page.
fn stay_on_the_page<R: tauri::Runtime>() -> tauri::plugin::TauriPlugin<R> {
    tauri::plugin::Builder::new("stay-on-the-page")
        .on_navigation(|_, url| {
            let own = url.scheme() == "tauri" || url.host_str() == Some("tauri.localhost");
            // A frame that the page fills itself, with the page's own policy: a mail.
            let own = own || url.as_str() == "about:srcdoc";
            if !own {
                tracing::warn!(%url, "blocked a navigation of the page");
            }
            own
        })
        .build()
}

/// Without a display, GTK would exit without a message.
fn check_display() -> Result<(), UserError> {
    let is_set = |name: &str| std::env::var_os(name).is_some_and(|value| !value.is_empty());
    if cfg!(target_os = "linux") && !is_set("DISPLAY") && !is_set("WAYLAND_DISPLAY") {
        return Err(UserError::new(
            ErrorCode::Io,
            "There is no display to open a window on.",
            "Start Nova in a desktop session, or use the command line: nova --help.",
        ));
    }
    Ok(())
}

fn failed(error: &dyn std::fmt::Display) -> UserError {
    UserError::new(
        ErrorCode::Internal,
        format!("The window could not be opened: {error}."),
        "Use the command line meanwhile: nova --help.",
    )
}
