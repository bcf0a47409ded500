//! Times of files as tools show them, in the zone that the environment names.

use crate::files::nanoseconds;
use bashkit::offset_of_zone;
use chrono::{DateTime, FixedOffset, Utc};
use std::collections::HashMap;
use std::time::SystemTime;

/// Half a year, in nanoseconds: what is older is shown with its year.
const RECENT: u64 = 31_556_952 / 2 * 1_000_000_000;

/// Nanoseconds since 1970.
pub fn now() -> u64 {
    nanoseconds(SystemTime::now())
}

/// Whether the hour is shown of a time, and not its year. Both since 1970, in nanoseconds.
pub fn is_recent(time: u64, now: u64) -> bool {
    time <= now && now - time < RECENT
}

/// @param nanoseconds since 1970.
pub fn local(nanoseconds: u64, environment: &HashMap<String, String>) -> DateTime<FixedOffset> {
    let utc = DateTime::<Utc>::from_timestamp_nanos(i64::try_from(nanoseconds).unwrap_or(i64::MAX));
    utc.with_timezone(&offset_of_zone(environment.get("TZ"), &utc))
}
