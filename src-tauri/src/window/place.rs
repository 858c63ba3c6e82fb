//! Where the window stands, from one start to the next.

use nova_app::{App, WindowPlace};
use tauri::{LogicalPosition, LogicalSize, WebviewWindow, WindowEvent};

/// Of the settings in `tauri.conf.json`, which the system enforces on resizing and not on what is set here.
const LEAST: (f64, f64) = (900.0, 600.0);

/// Puts the window where it was. A place that no screen shows any more is left to the system.
pub(crate) fn restore(window: &WebviewWindow, place: Option<WindowPlace>) {
    let Some(place) = place else { return };
    let screens = window.available_monitors().unwrap_or_default();
    let shown = screens.iter().any(|screen| {
        let scale = screen.scale_factor();
        let (at, size) = (screen.position().to_logical::<f64>(scale), screen.size().to_logical::<f64>(scale));
        within(place, (at.x, at.y), (size.width, size.height))
    });
    let (width, height) = (place.width.max(LEAST.0), place.height.max(LEAST.1));
    let _ = window.set_size(LogicalSize::new(width, height));
    if shown {
        let _ = window.set_position(LogicalPosition::new(place.x, place.y));
    }
    if place.maximized {
        let _ = window.maximize();
    }
}

/// A window that is closed while it is minimised or maximised keeps the size it had before.
pub(crate) fn keep_on_close(window: &WebviewWindow, app: App) {
    let of = window.clone();
    window.on_window_event(move |event| {
        if !matches!(event, WindowEvent::CloseRequested { .. }) {
            return;
        }
        let Some(place) = place_of(&of, app.window_place()) else { return };
        if let Err(error) = app.keep_window_place(place) {
            tracing::warn!("the place of the window is not kept: {error}");
        }
    });
}

fn place_of(window: &WebviewWindow, before: Option<WindowPlace>) -> Option<WindowPlace> {
    if window.is_minimized().unwrap_or_default() {
        return before;
    }
    if window.is_maximized().unwrap_or_default() {
        return before.map(|place| WindowPlace { maximized: true, ..place });
    }
    let scale = window.scale_factor().ok()?;
    let at = window.outer_position().ok()?.to_logical::<f64>(scale);
    let size = window.inner_size().ok()?.to_logical::<f64>(scale);
    Some(WindowPlace { x: at.x, y: at.y, width: size.width, height: size.height, maximized: false })
}

/// Whether enough of the window's top is on a screen to take hold of it.
fn within(place: WindowPlace, at: (f64, f64), size: (f64, f64)) -> bool {
    const HOLD: f64 = 80.0;
    place.x + place.width - HOLD > at.0
        && place.x + HOLD < at.0 + size.0
        && place.y >= at.1
        && place.y + HOLD / 2.0 < at.1 + size.1
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_window_that_no_screen_shows_is_not_put_there() {
        let at = |x, y| WindowPlace { x, y, width: 1000.0, height: 700.0, maximized: false };
        let on_screen = |place| within(place, (0.0, 0.0), (1920.0, 1080.0));
        assert!(on_screen(at(100.0, 50.0)));
        assert!(on_screen(at(-800.0, 50.0)), "its right edge can be taken hold of");
        assert!(!on_screen(at(2000.0, 50.0)), "of a screen that is gone");
        assert!(!on_screen(at(100.0, 1070.0)));
        assert!(!on_screen(at(100.0, -50.0)));
    }
}
