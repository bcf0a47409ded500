//! Times of files as tools show them, in the zone that the environment names.

use chrono::{DateTime, FixedOffset, Offset, TimeZone, Utc};
use chrono_tz::Tz;
use std::collections::HashMap;

/// @param nanoseconds since 1970.
pub fn local(nanoseconds: u64, environment: &HashMap<String, String>) -> DateTime<FixedOffset> {
    let utc = DateTime::<Utc>::from_timestamp_nanos(i64::try_from(nanoseconds).unwrap_or(i64::MAX));
    let zone = environment.get("TZ").and_then(|name| name.trim_start_matches(':').parse::<Tz>().ok());
    match zone {
        Some(zone) => {
            let offset = zone.offset_from_utc_datetime(&utc.naive_utc()).fix();
            utc.with_timezone(&offset)
        }
        None => utc.fixed_offset(),
    }
}
