//! The `nova-window` program: a thin shell over `nova-app`. One command carries every request, and one
//! channel every event; the page cannot call anything else.

#![cfg_attr(not(debug_assertions), windows_subsystem = "windows")]

mod control;
mod desktop;
mod events;
mod place;
mod tray;

use std::process::ExitCode;
use std::sync::Arc;

use nova_app::{App, Desktop as _, Resident};
use nova_program::Args;
use nova_protocol::{Envelope, ErrorCode, UserError};
use serde_json::Value;
use tauri::ipc::Channel;
use tauri::{Manager as _, RunEvent, State, WebviewWindow, WindowEvent};

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
    let places = nova_program::places(args)?;
    if runtime.block_on(nova_app::show_resident(&places)) {
        return Ok(nova_program::DONE);
    }
    let desktop = Arc::new(WindowDesktop::default());
    let (app, resident) = runtime.block_on(async {
        let app = nova_program::app(args, desktop.clone()).await?;
        app.watch();
        app.keep_routines();
        let resident = app.become_resident();
        Ok::<_, UserError>((app, resident))
    })?;
    // Another start was faster.
    if resident.is_none() && runtime.block_on(nova_app::show_resident(&places)) {
        return Ok(nova_program::DONE);
    }

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
                place::keep_on_close(&window, placed.clone());
                // Only the resident is found again by starting Nova.
                if let Some(resident) = resident {
                    hide_on_close(&window, placed.clone(), resident);
                }
                tray::set(tauri.handle(), placed.keeps_running());
            }
            Ok(())
        })
        .build(tauri::generate_context!())
        .map_err(|error| failed(&error))?;
    window.run(move |_handle, event| match event {
        // Closing denies open questions: turns end properly, and waiting calls are not run.
        RunEvent::Exit => tauri::async_runtime::block_on(stopping.stop_everything()),
        #[cfg(target_os = "macos")]
        RunEvent::Reopen { .. } => control::show(_handle),
        _ => {}
    });
    Ok(nova_program::DONE)
}

/// Hides the window instead of closing it if Nova is to keep running.
fn hide_on_close(window: &WebviewWindow, app: App, resident: Resident) {
    let hidden = window.clone();
    window.on_window_event(move |event| {
        let _held_while_open = &resident;
        if let WindowEvent::CloseRequested { api, .. } = event
            && app.keeps_running()
        {
            api.prevent_close();
            // A hidden window has no place, and listeners run in any order.
            place::keep(&hidden, &app);
            if let Err(error) = hidden.hide() {
                tracing::warn!("the window cannot be hidden: {error}");
            }
        }
    });
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
