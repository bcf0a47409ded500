//! In which order `tree` shows what a directory holds.

use super::super::options::Parsed;
use super::Node;

/// What `--sort` takes.
pub const ORDERS: [&str; 5] = ["name", "size", "mtime", "ctime", "none"];

/// As the options ask for it, by name at last.
pub fn sort(options: &Parsed, nodes: &mut [Node]) {
    let order = match options.last_of(&["c", "t", "U", "sort"]) {
        Some("sort") => options.value("sort").unwrap_or_default(),
        Some("c") => "ctime",
        Some("t") => "mtime",
        Some(_) => "none",
        None => "name",
    };
    nodes.sort_by(|one, other| {
        let by_name = one.name.cmp(&other.name);
        let by_order = match order {
            "size" => other.status.size.cmp(&one.status.size),
            "mtime" => one.status.modified.cmp(&other.status.modified),
            "ctime" => one.status.changed.cmp(&other.status.changed),
            "none" => return std::cmp::Ordering::Equal,
            _ => by_name,
        };
        let by_order = by_order.then(by_name);
        let by_order = if options.has("r") { by_order.reverse() } else { by_order };
        match options.last_of(&["dirsfirst", "filesfirst"]) {
            Some("dirsfirst") => other.directory.cmp(&one.directory).then(by_order),
            Some(_) => one.directory.cmp(&other.directory).then(by_order),
            None => by_order,
        }
    });
}
