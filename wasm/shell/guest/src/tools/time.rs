//! Times of files as tools show them, in the zone that the environment names.

use bashkit::offset_of_zone;
use chrono::{DateTime, FixedOffset, Utc};
use std::collections::HashMap;

/// @param nanoseconds since 1970.
pub fn local(nanoseconds: u64, environment: &HashMap<String, String>) -> DateTime<FixedOffset> {
    let utc = DateTime::<Utc>::from_timestamp_nanos(i64::try_from(nanoseconds).unwrap_or(i64::MAX));
    utc.with_timezone(&offset_of_zone(environment.get("TZ"), &utc))
}
