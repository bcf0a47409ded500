//! Lines of `cpio -tv`.

use super::format::{Header, SYMLINK};
use crate::system::{self, Status};
use crate::tools::{mode, time};
use std::collections::HashMap;

const HALF_A_YEAR: u64 = 31_556_952 / 2;

/// @param target Of a symlink.
pub fn line(header: &Header, target: &str, numeric: bool, environment: &HashMap<String, String>) -> String {
    let file_type = match header.mode >> 12 {
        0o04 => system::DIRECTORY,
        0o12 => system::SYMLINK,
        0o02 => system::DEVICE,
        _ => system::FILE,
    };
    let status = Status { file_type, mode: header.mode & 0o7777, ..blank() };
    let mut letters = mode::symbolic(&status);
    if let Some(kind) = [(0o01, "p"), (0o06, "b"), (0o14, "s")].iter().find(|(kind, _)| *kind == header.mode >> 12) {
        letters.replace_range(..1, kind.1);
    }
    let owner = match header.user {
        0 if !numeric => "root".to_string(),
        1000 if !numeric => "user".to_string(),
        user => user.to_string(),
    };
    let at = time::local(header.modified.saturating_mul(1_000_000_000), environment);
    let now = std::time::SystemTime::now().duration_since(std::time::UNIX_EPOCH).map_or(0, |since| since.as_secs());
    let recent = header.modified <= now && now - header.modified < HALF_A_YEAR;
    let date = at.format(if recent { "%b %e %H:%M" } else { "%b %e  %Y" });
    let name = &header.name;
    let arrow = if header.is(SYMLINK) { format!(" -> {target}") } else { String::new() };
    format!("{letters} {:3} {owner:<8} {owner:<8} {:8} {date} {name}{arrow}\n", header.links, header.size)
}

fn blank() -> Status {
    Status { file_type: system::FILE, mode: 0, links: 1, user: 0, inode: 0, size: 0, accessed: 0, modified: 0, changed: 0 }
}
