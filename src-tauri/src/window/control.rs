//! Shows the window, opens one of its pages, and quits: for the tray, notifications and another start.

use nova_app::App;
use nova_protocol::RequestedPage;
use tauri::{AppHandle, Manager as _};

use crate::place;

/// Shows the window, as it was left if it was hidden.
pub(crate) fn show(handle: &AppHandle) {
    let Some(window) = handle.get_webview_window("main") else { return };
    if !window.is_visible().unwrap_or(true) {
        place::restore(&window, handle.state::<App>().window_place());
    }
    let shown = window.show().and_then(|()| window.unminimize()).and_then(|()| window.set_focus());
    if let Err(error) = shown {
        tracing::warn!("the window cannot be shown: {error}");
    }
}

/// Shows a page of the window.
pub(crate) fn open(handle: &AppHandle, page: RequestedPage) {
    show(handle);
    handle.state::<App>().request_page(page);
}

/// Ends Nova, as closing its window does.
pub(crate) fn quit(handle: &AppHandle) {
    if let Some(window) = handle.get_webview_window("main") {
        place::keep(&window, &handle.state::<App>());
    }
    handle.exit(0);
}
