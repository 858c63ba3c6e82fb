//! Saves and restores the window's position and size.

use nova_app::{App, WindowPlace};
use tauri::{LogicalPosition, LogicalSize, Monitor, WebviewWindow, WindowEvent};

/// Minimum size in `tauri.conf.json`, which the system enforces on resizing but not when set here.
const LEAST: (f64, f64) = (900.0, 600.0);

/// Initial size in `tauri.conf.json`.
const FIRST: (f64, f64) = (1440.0, 900.0);

/// Restores position and size, limited to the screen, which may be a different one. If the position is not on
/// any screen, the window is centred on the one chosen by the system.
pub(crate) fn restore(window: &WebviewWindow, place: Option<WindowPlace>) {
    let screens: Vec<Screen> = window.available_monitors().unwrap_or_default().iter().map(screen).collect();
    let own = own_screen(window).or_else(|| screens.first().copied()).map(|screen| screen.free);
    let frame = frame(window);
    let Some(place) = place else {
        // Already centred by the system.
        if let Some(put) = own.and_then(|free| cut_at_first(free, frame)) {
            apply(window, put);
        }
        return;
    };
    apply(window, put(place, &screens, own, frame));
    if place.maximized {
        let _ = window.maximize();
    }
}

/// Saves the place on close. A window that is minimised or maximised keeps its previous size.
pub(crate) fn keep_on_close(window: &WebviewWindow, app: App) {
    let of = window.clone();
    window.on_window_event(move |event| {
        if matches!(event, WindowEvent::CloseRequested { .. }) {
            keep(&of, &app);
        }
    });
}

/// Saves the place, unless the window is hidden: then it was saved before.
pub(crate) fn keep(window: &WebviewWindow, app: &App) {
    if !window.is_visible().unwrap_or(true) {
        return;
    }
    let Some(place) = place_of(window, app.window_place()) else { return };
    if let Err(error) = app.keep_window_place(place) {
        tracing::warn!("the window's position is not saved: {error}");
    }
}

fn place_of(window: &WebviewWindow, before: Option<WindowPlace>) -> Option<WindowPlace> {
    if window.is_minimized().unwrap_or_default() {
        return before;
    }
    if window.is_maximized().unwrap_or_default() {
        return Some(maximized(before, own_screen(window).map(|screen| screen.free), frame(window)));
    }
    let scale = window.scale_factor().ok()?;
    let at = window.outer_position().ok()?.to_logical::<f64>(scale);
    let size = window.inner_size().ok()?.to_logical::<f64>(scale);
    Some(WindowPlace { x: at.x, y: at.y, width: size.width, height: size.height, maximized: false })
}

fn apply(window: &WebviewWindow, Put { at, size: (width, height) }: Put) {
    let _ = window.set_size(LogicalSize::new(width, height));
    if let Some((x, y)) = at {
        let _ = window.set_position(LogicalPosition::new(x, y));
    }
}

/// The screen that the window is on, or would be on.
fn own_screen(window: &WebviewWindow) -> Option<Screen> {
    let current = window.current_monitor().ok().flatten();
    current.or_else(|| window.primary_monitor().ok().flatten()).as_ref().map(screen)
}

fn screen(monitor: &Monitor) -> Screen {
    let scale = monitor.scale_factor();
    let (at, size) = (monitor.position().to_logical::<f64>(scale), monitor.size().to_logical::<f64>(scale));
    let whole = Area { x: at.x, y: at.y, width: size.width, height: size.height };
    let free = monitor.work_area();
    let (at, size) = (free.position.to_logical::<f64>(scale), free.size.to_logical::<f64>(scale));
    let free = Area { x: at.x, y: at.y, width: size.width, height: size.height };
    // Not every system reports the work area.
    Screen { whole, free: if free.width > 0.0 && free.height > 0.0 { free } else { whole } }
}

/// Width and height of the window's frame. Before the window is drawn the system may report anything, so they
/// are limited to `MOST`.
fn frame(window: &WebviewWindow) -> (f64, f64) {
    const MOST: f64 = 80.0;
    let (Ok(outer), Ok(inner), Ok(scale)) = (window.outer_size(), window.inner_size(), window.scale_factor())
    else {
        return (0.0, 0.0);
    };
    let (outer, inner) = (outer.to_logical::<f64>(scale), inner.to_logical::<f64>(scale));
    ((outer.width - inner.width).clamp(0.0, MOST), (outer.height - inner.height).clamp(0.0, MOST))
}

/// From here on everything is in logical pixels and independent of a window.
#[derive(Debug, Clone, Copy, PartialEq)]
struct Area {
    x: f64,
    y: f64,
    width: f64,
    height: f64,
}

#[derive(Debug, Clone, Copy)]
struct Screen {
    whole: Area,
    /// The work area, without panels and docks.
    free: Area,
}

#[derive(Debug, Clone, Copy, PartialEq)]
struct Put {
    /// Corner of the frame; `None` leaves the position to the system.
    at: Option<(f64, f64)>,
    /// Size of the page, without the frame.
    size: (f64, f64),
}

/// `own` is the screen for a window whose position is on no screen.
fn put(place: WindowPlace, screens: &[Screen], own: Option<Area>, frame: (f64, f64)) -> Put {
    if let Some(screen) = screen_of(place, screens) {
        return fitted(place, screen.free, frame);
    }
    let Some(free) = own else {
        return Put { at: None, size: (place.width.max(LEAST.0), place.height.max(LEAST.1)) };
    };
    centred(fitted(place, free, frame).size, free, frame)
}

/// Adjustment on the first start; `None` if the initial size fits.
fn cut_at_first(free: Area, frame: (f64, f64)) -> Option<Put> {
    let put = first_in(free, frame);
    (put.size != FIRST).then_some(put)
}

/// The place of a maximised window; one without a previous size gets the initial one.
fn maximized(before: Option<WindowPlace>, free: Option<Area>, frame: (f64, f64)) -> WindowPlace {
    if let Some(before) = before {
        return WindowPlace { maximized: true, ..before };
    }
    let put = free.map_or(Put { at: None, size: FIRST }, |free| first_in(free, frame));
    let ((x, y), (width, height)) = (put.at.unwrap_or_default(), put.size);
    WindowPlace { x, y, width, height, maximized: true }
}

fn first_in(free: Area, frame: (f64, f64)) -> Put {
    let place = WindowPlace { x: free.x, y: free.y, width: FIRST.0, height: FIRST.1, maximized: false };
    centred(fitted(place, free, frame).size, free, frame)
}

/// The screen with the largest part of the window, if enough of its title bar is visible to drag it.
fn screen_of(place: WindowPlace, screens: &[Screen]) -> Option<Screen> {
    let showing = screens.iter().copied().filter(|screen| within(place, screen.whole));
    showing.max_by(|a, b| shared(place, a.whole).total_cmp(&shared(place, b.whole)))
}

fn within(place: WindowPlace, area: Area) -> bool {
    const HOLD: f64 = 80.0;
    place.x + place.width - HOLD > area.x
        && place.x + HOLD < area.x + area.width
        && place.y >= area.y
        && place.y + HOLD / 2.0 < area.y + area.height
}

/// The intersection of window and area, in square pixels.
fn shared(place: WindowPlace, area: Area) -> f64 {
    let along = |at: f64, size: f64, from: f64, room: f64| (at + size).min(from + room) - at.max(from);
    along(place.x, place.width, area.x, area.width).max(0.0)
        * along(place.y, place.height, area.y, area.height).max(0.0)
}

/// Keeps the position, except in a dimension that exceeds the work area, which starts at its edge.
fn fitted(place: WindowPlace, free: Area, frame: (f64, f64)) -> Put {
    /// Upper bound for the height of the title bar, which is unknown before it is drawn.
    const TITLE: f64 = 40.0;
    let (width, height) = (place.width.max(LEAST.0), place.height.max(LEAST.1));
    let (x, width) = if width + frame.0 <= free.width {
        (place.x, width)
    } else {
        (free.x, (free.width - frame.0).max(LEAST.0))
    };
    let (y, height) = if height + frame.1 <= free.height {
        (place.y, height)
    } else {
        (free.y, (free.height - frame.1.max(TITLE)).max(LEAST.1))
    };
    Put { at: Some((x, y)), size: (width, height) }
}

fn centred(size: (f64, f64), free: Area, frame: (f64, f64)) -> Put {
    let middle = |from: f64, room: f64, size: f64| from + ((room - size) / 2.0).max(0.0).floor();
    let x = middle(free.x, free.width, size.0 + frame.0);
    let y = middle(free.y, free.height, size.1 + frame.1);
    Put { at: Some((x, y)), size }
}

#[cfg(test)]
mod tests {
    use super::*;

    const NO_FRAME: (f64, f64) = (0.0, 0.0);
    const LARGE: Screen = with_panel(0.0, 2560.0, 1440.0);
    const LAPTOP: Screen = with_panel(2560.0, 1366.0, 768.0);

    /// A screen starting at `x`, with a panel of 40 at the top.
    const fn with_panel(x: f64, width: f64, height: f64) -> Screen {
        let whole = Area { x, y: 0.0, width, height };
        Screen { whole, free: Area { y: 40.0, height: height - 40.0, ..whole } }
    }

    fn at(x: f64, y: f64, width: f64, height: f64) -> WindowPlace {
        WindowPlace { x, y, width, height, maximized: false }
    }

    #[test]
    fn window_that_fits_keeps_its_place() {
        let check = |place: WindowPlace| {
            let was = Put { at: Some((place.x, place.y)), size: (place.width, place.height) };
            assert_eq!(put(place, &[LARGE, LAPTOP], Some(LAPTOP.free), NO_FRAME), was);
        };
        check(at(100.0, 80.0, 1440.0, 900.0));
        check(at(-800.0, 80.0, 1000.0, 700.0));
        check(at(2600.0, 50.0, 1200.0, 700.0));
        check(at(0.0, 40.0, 2560.0, 1400.0));
    }

    #[test]
    fn window_is_limited_to_a_smaller_screen() {
        let cut = put(at(100.0, 80.0, 2400.0, 1300.0), &[with_panel(0.0, 1366.0, 768.0)], None, NO_FRAME);
        assert_eq!(cut, Put { at: Some((0.0, 40.0)), size: (1366.0, 688.0) });
        let wide = put(at(100.0, 60.0, 2400.0, 620.0), &[with_panel(0.0, 1366.0, 768.0)], None, NO_FRAME);
        assert_eq!(
            wide,
            Put { at: Some((0.0, 60.0)), size: (1366.0, 620.0) },
            "only the oversized side shrinks"
        );
    }

    #[test]
    fn frame_is_taken_into_account() {
        let free = Area { x: 0.0, y: 0.0, width: 1440.0, height: 900.0 };
        let screen = Screen { whole: free, free };
        let check = |height: f64, title: f64, becomes: f64| {
            let Put { size, .. } = put(at(0.0, 0.0, 1424.0, height), &[screen], None, (16.0, title));
            assert_eq!(size, (1424.0, becomes));
        };
        check(872.0, 28.0, 872.0);
        check(880.0, 28.0, 860.0);
        check(900.0, 50.0, 850.0);
    }

    #[test]
    fn window_is_never_smaller_than_the_minimum() {
        let tiny = put(at(0.0, 40.0, 2400.0, 300.0), &[with_panel(0.0, 800.0, 480.0)], None, NO_FRAME);
        assert_eq!(tiny.size, LEAST);
        assert_eq!(put(at(0.0, 0.0, 1.0, 1.0), &[], None, NO_FRAME), Put { at: None, size: LEAST });
    }

    #[test]
    fn window_off_every_screen_is_centred() {
        let here = put(at(3000.0, 50.0, 1000.0, 700.0), &[LARGE], Some(LARGE.free), NO_FRAME);
        assert_eq!(here, Put { at: Some((780.0, 390.0)), size: (1000.0, 700.0) });
        let cut = put(at(-4000.0, 50.0, 2400.0, 1300.0), &[LAPTOP], Some(LAPTOP.free), NO_FRAME);
        assert_eq!(cut, Put { at: Some((2560.0, 60.0)), size: (1366.0, 688.0) });
    }

    #[test]
    fn screen_with_the_larger_part_determines_the_size() {
        let screens = [LARGE, LAPTOP];
        let free = |place| screen_of(place, &screens).map(|screen| screen.free);
        assert_eq!(free(at(2400.0, 50.0, 1500.0, 900.0)), Some(LAPTOP.free));
        assert_eq!(free(at(1500.0, 50.0, 1500.0, 900.0)), Some(LARGE.free));
    }

    #[test]
    fn place_without_a_reachable_title_bar_is_on_no_screen() {
        let on_screen =
            |x, y| within(at(x, y, 1000.0, 700.0), Area { x: 0.0, y: 0.0, width: 1920.0, height: 1080.0 });
        assert!(on_screen(100.0, 50.0));
        assert!(on_screen(-800.0, 50.0), "its right edge stays reachable");
        assert!(!on_screen(2000.0, 50.0), "position on a missing screen");
        assert!(!on_screen(100.0, 1070.0));
        assert!(!on_screen(100.0, -50.0));
    }

    #[test]
    fn initial_size_is_limited_to_a_small_screen() {
        assert_eq!(cut_at_first(LARGE.free, NO_FRAME), None);
        let laptop = cut_at_first(LAPTOP.free, NO_FRAME);
        assert_eq!(laptop, Some(Put { at: Some((2560.0, 60.0)), size: (1366.0, 688.0) }));
    }

    #[test]
    fn maximised_window_is_restored_with_its_previous_size() {
        let before = at(100.0, 80.0, 1000.0, 700.0);
        let kept = WindowPlace { maximized: true, ..before };
        assert_eq!(maximized(Some(before), Some(LARGE.free), NO_FRAME), kept);
        let first = maximized(None, Some(LARGE.free), NO_FRAME);
        assert_eq!(first, WindowPlace { maximized: true, ..at(560.0, 290.0, 1440.0, 900.0) });
        let small = maximized(None, Some(LAPTOP.free), NO_FRAME);
        assert_eq!((small.width, small.height), (1366.0, 688.0));
        assert!(maximized(None, None, NO_FRAME).maximized);
    }

    #[test]
    fn sizes_match_the_configuration() {
        let settings: serde_json::Value =
            serde_json::from_str(include_str!("../../../tauri.conf.json")).expect("the settings are JSON");
        let window = &settings["app"]["windows"][0];
        let of = |width: &str, height: &str| (window[width].as_f64(), window[height].as_f64());
        assert_eq!(of("width", "height"), (Some(FIRST.0), Some(FIRST.1)));
        assert_eq!(of("minWidth", "minHeight"), (Some(LEAST.0), Some(LEAST.1)));
    }
}
