#![allow(clippy::unwrap_used)]

mod daily;
mod moment;
mod template;

use jiff::Zoned;

/// A time in Berlin, in winter one hour ahead of UTC.
fn at(time: &str) -> Zoned {
    format!("{time}[Europe/Berlin]").parse().unwrap()
}

/// Saturday, 21 November 2026, 9:05:07.042 in the morning.
fn saturday() -> Zoned {
    at("2026-11-21T09:05:07.042")
}
