use nova_session::Ids;
use nova_skill::Clock;

/// The system clock and the user's time zone.
pub struct SystemClock;

impl Clock for SystemClock {
    fn now(&self) -> jiff::Timestamp {
        jiff::Timestamp::now()
    }

    fn zone(&self) -> jiff::tz::TimeZone {
        jiff::tz::TimeZone::system()
    }
}

/// Lower-case ULIDs, which sort by creation time.
pub struct UlidIds;

impl Ids for UlidIds {
    fn next(&self) -> String {
        ulid::Ulid::generate().to_string().to_lowercase()
    }
}
