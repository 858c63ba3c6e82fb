use nova_session::Ids;
use nova_skill::Clock;

/// This machine's clock and the user's zone.
pub struct SystemClock;

impl Clock for SystemClock {
    fn now(&self) -> jiff::Timestamp {
        jiff::Timestamp::now()
    }

    fn zone(&self) -> jiff::tz::TimeZone {
        jiff::tz::TimeZone::system()
    }
}

/// Ids that sort by the time they were made: lower-case ULIDs.
pub struct UlidIds;

impl Ids for UlidIds {
    fn next(&self) -> String {
        ulid::Ulid::generate().to_string().to_lowercase()
    }
}
