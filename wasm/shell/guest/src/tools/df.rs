//! `df`: of the session's files, which are the one file system here. What is mapped into it from elsewhere has no bound that is
//! known.

use super::options::{Spec, Value, parse};
use super::{Call, du, reason};
use crate::system;

const OPTIONS: &[Spec] = &[
    Spec('a', "all", Value::None),
    Spec('B', "block-size", Value::Required),
    Spec('h', "human-readable", Value::None),
    Spec('H', "si", Value::None),
    Spec('i', "inodes", Value::None),
    Spec('k', "", Value::None),
    Spec('l', "local", Value::None),
    Spec('m', "", Value::None),
    Spec('P', "portability", Value::None),
    Spec('T', "print-type", Value::None),
];

/// As tables of mounts name file systems that are none of a disk.
const NAME: &str = "wasmbox";
const TYPE: &str = "memory";
/// Where volumes are.
const MAPPED: [&str; 2] = ["/data", "/external"];

pub fn run(call: &mut Call<'_>) -> i32 {
    let options = match parse(call.args, OPTIONS) {
        Ok(options) => options,
        Err(problem) => {
            call.complain(&format!("{problem}\nTry 'df --help' for more information."));
            return 1;
        }
    };
    let mut code = 0;
    let mut rows = options.operands.len();
    for name in &options.operands {
        let path = call.path(name);
        let problem = match call.status(&path, true) {
            // Not the directory, as which it would be resolved.
            _ if name.is_empty() => reason(&std::io::ErrorKind::NotFound.into()),
            Err(error) => reason(&error),
            Ok(_) if MAPPED.iter().any(|place| path.starts_with(place)) => "how much room is there is not known here".into(),
            Ok(_) => continue,
        };
        call.complain(&format!("{name}: {problem}"));
        (code, rows) = (1, rows - 1);
    }
    if options.operands.is_empty() {
        rows = 1;
    }
    let space = match system::space() {
        Ok(space) => space,
        Err(error) => {
            call.complain(&reason(&error));
            return 1;
        }
    };
    let scale = match options.last_of(&["h", "H", "k", "m", "B"]) {
        Some("h") => Scale::Human(1024),
        Some("H") => Scale::Human(1000),
        Some("m") => Scale::Blocks(1 << 20, "1M-blocks"),
        Some("B") => match options.value("B").unwrap_or_default() {
            "1" => Scale::Blocks(1, "1B-blocks"),
            "K" | "1K" | "1024" => Scale::Blocks(1 << 10, "1K-blocks"),
            "M" | "1M" => Scale::Blocks(1 << 20, "1M-blocks"),
            "G" | "1G" => Scale::Blocks(1 << 30, "1G-blocks"),
            other => {
                call.complain(&format!("invalid --block-size argument '{other}': there are 1, K, M and G"));
                return 1;
            }
        },
        _ if options.has("P") => Scale::Blocks(1 << 10, "1024-blocks"),
        _ => Scale::Blocks(1 << 10, "1K-blocks"),
    };
    if rows == 0 {
        return code;
    }
    let table = match options.has("i") {
        true => row(["Inodes", "IUsed", "IFree", "IUse%"], space.inodes, &|count| match scale {
            Scale::Human(base) if count >= base => du::human(count, base),
            _ => count.to_string(),
        }),
        false => row(scale.heads(options.has("P")), space.bytes, &|bytes| scale.text(bytes)),
    };
    let kind = |text: &str| if options.has("T") { format!(" {text:<6}") } else { String::new() };
    let line = |name: &str, of: &str, at: usize| {
        // As wide as GNU's, whose last column is a share.
        let widths = table.iter().zip([5, 5, 5, 4]).map(|(column, least)| column.iter().map(String::len).fold(least, usize::max));
        let cells: String = table.iter().zip(widths).map(|(column, width)| format!(" {:>width$}", column[at])).collect();
        let place = if at == 0 { "Mounted on" } else { "/" };
        format!("{name:<14}{}{cells} {place}\n", kind(of))
    };
    call.out.push_str(&line("Filesystem", "Type", 0));
    for _ in 0..rows {
        call.out.push_str(&line(NAME, TYPE, 1));
    }
    code
}

/// Columns of two rows each. @param space What there is, and what is free of it.
fn row(heads: [&str; 4], (all, free): (u64, u64), text: &dyn Fn(u64) -> String) -> [[String; 2]; 4] {
    let used = all - free;
    let share = if all == 0 { "-".to_string() } else { format!("{}%", (used * 100).div_ceil(all)) };
    let cells = [text(all), text(used), text(free), share];
    let mut heads = heads.into_iter();
    cells.map(|cell| [heads.next().unwrap_or_default().to_string(), cell])
}

enum Scale {
    Human(u64),
    Blocks(u64, &'static str),
}

impl Scale {
    fn heads(&self, portable: bool) -> [&'static str; 4] {
        let share = if portable { "Capacity" } else { "Use%" };
        match self {
            Scale::Human(_) => ["Size", "Used", "Avail", share],
            Scale::Blocks(_, name) => [name, "Used", "Available", share],
        }
    }

    fn text(&self, bytes: u64) -> String {
        match self {
            Scale::Human(base) => du::human(bytes, *base),
            Scale::Blocks(size, _) => bytes.div_ceil(*size).to_string(),
        }
    }
}
