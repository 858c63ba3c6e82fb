//! The tray icon, for as long as Nova keeps running after its window is closed.

use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::atomic::{AtomicBool, Ordering};

use nova_app::App;
use nova_protocol::RequestedPage;
use tauri::menu::{Menu, MenuEvent, MenuItem, PredefinedMenuItem};
use tauri::tray::{MouseButton, MouseButtonState, TrayIconBuilder, TrayIconEvent};
use tauri::{AppHandle, Manager as _};

use crate::control;

const ID: &str = "nova";

/// Shows or hides the icon; called on the main thread. Without a tray the window is found by starting Nova
/// again.
pub(crate) fn set(handle: &AppHandle, on: bool) {
    static TRIED: AtomicBool = AtomicBool::new(false);
    if let Some(icon) = handle.tray_by_id(ID) {
        let _ = icon.set_visible(on);
    } else if on && !TRIED.swap(true, Ordering::SeqCst) {
        // On Linux the library of the tray is loaded here, which panics if it is missing.
        match catch_unwind(AssertUnwindSafe(|| add(handle))) {
            Ok(Ok(())) => {}
            Ok(Err(error)) => tracing::warn!("no tray icon: {error}"),
            Err(_) => tracing::warn!("no tray icon: libayatana-appindicator3 is missing"),
        }
    }
}

fn add(handle: &AppHandle) -> tauri::Result<()> {
    let item = |id: &str, text: &str| MenuItem::with_id(handle, id, text, true, None::<&str>);
    let (open, today) = (item("tray-open", "Open Nova")?, item("tray-today", "Today")?);
    let (line, quit) = (PredefinedMenuItem::separator(handle)?, item("tray-quit", "Quit")?);
    let icon = TrayIconBuilder::with_id(ID)
        .menu(&Menu::with_items(handle, &[&open, &today, &line, &quit])?)
        .tooltip("Nova")
        // Linux reads the icon from a file; the default is a folder that all users share.
        .temp_dir_path(handle.state::<App>().places().data.join("window"))
        .show_menu_on_left_click(cfg!(target_os = "macos"))
        .on_menu_event(chosen)
        .on_tray_icon_event(|icon, event| {
            use {MouseButton::Left, MouseButtonState::Up};
            if let TrayIconEvent::Click { button: Left, button_state: Up, .. } = event
                && !cfg!(target_os = "macos")
            {
                control::show(icon.app_handle());
            }
        });
    match handle.default_window_icon() {
        Some(image) => icon.icon(image.clone()).build(handle)?,
        None => icon.build(handle)?,
    };
    Ok(())
}

fn chosen(handle: &AppHandle, event: MenuEvent) {
    match event.id().as_ref() {
        "tray-open" => control::show(handle),
        "tray-today" => control::open(handle, RequestedPage::Today {}),
        "tray-quit" => control::quit(handle),
        _ => {}
    }
}
