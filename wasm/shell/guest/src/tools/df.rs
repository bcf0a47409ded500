//! `df`: of the session's files, which are the one file system here. What is mapped into it from elsewhere has no bound that is
//! known.

use super::options::{Parsed, Spec, Value, parse};
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
    Spec('t', "type", Value::Required),
    Spec('T', "print-type", Value::None),
    Spec('x', "exclude-type", Value::Required),
    Spec('\0', "no-sync", Value::None),
    Spec('\0', "output", Value::Optional),
    Spec('\0', "sync", Value::None),
    Spec('\0', "total", Value::None),
];

/// Columns that `--output` has, in the order in which it shows them if none are named.
const FIELDS: [&str; 12] =
    ["source", "fstype", "itotal", "iused", "iavail", "ipcent", "size", "used", "avail", "pcent", "file", "target"];

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
    let fields = match fields(&options) {
        Ok(fields) => fields,
        Err(problem) => {
            call.complain(&format!("{problem}\nTry 'df --help' for more information."));
            return 1;
        }
    };
    let mut code = 0;
    let mut files = Vec::new();
    for name in &options.operands {
        let path = call.path(name);
        let problem = match call.status(&path, true) {
            // Not the directory, as which it would be resolved.
            _ if name.is_empty() => reason(&std::io::ErrorKind::NotFound.into()),
            Err(error) => reason(&error),
            Ok(_) if MAPPED.iter().any(|place| path.starts_with(place)) => "how much room is there is not known here".into(),
            Ok(_) => {
                files.push(name.as_str());
                continue;
            }
        };
        call.complain(&format!("{name}: {problem}"));
        code = 1;
    }
    if options.operands.is_empty() {
        files.push("-");
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
    let all = |name: &str| options.given.iter().filter(|(given, _)| given == name).filter_map(|(_, value)| value.as_deref()).collect::<Vec<_>>();
    let (wanted, excluded) = (all("t"), all("x"));
    if !wanted.is_empty() && !wanted.contains(&TYPE) || excluded.contains(&TYPE) {
        files.clear();
        if code == 0 {
            call.complain("no file systems processed");
        }
        return 1;
    }
    if files.is_empty() {
        return code;
    }
    let mut rows: Vec<Vec<String>> = files.iter().map(|file| row(&fields, &space, &scale, file)).collect();
    if options.has("total") {
        // There is one file system, however often it was named.
        rows.push(fields.iter().zip(row(&fields, &space, &scale, "-")).map(|(field, cell)| match *field {
            "source" => "total".to_string(),
            "fstype" | "file" | "target" => "-".to_string(),
            _ => cell,
        }).collect());
    }
    call.out.push_str(&table(&fields, &scale, options.has("P"), &rows));
    code
}

/// The columns that are shown. @throws what is wrong with the options
fn fields(options: &Parsed) -> Result<Vec<&'static str>, String> {
    if options.has("output") {
        if let Some(other) = ["i", "P", "T"].iter().find(|name| options.has(name)) {
            return Err(format!("options -{other} and --output are mutually exclusive"));
        }
        let mut fields = Vec::new();
        for name in options.value("output").map_or(Vec::new(), |list| list.split(',').collect()) {
            let field = FIELDS.iter().find(|field| **field == name);
            fields.push(*field.ok_or_else(|| format!("option --output: field '{name}' unknown"))?);
        }
        return Ok(if fields.is_empty() { FIELDS.to_vec() } else { fields });
    }
    let mut fields = vec!["source"];
    fields.extend(options.has("T").then_some("fstype"));
    fields.extend(if options.has("i") { &FIELDS[2..6] } else { &FIELDS[6..10] });
    fields.push("target");
    Ok(fields)
}

/// What one file system has. @param file That it was named by.
fn row(fields: &[&str], space: &system::Space, scale: &Scale, file: &str) -> Vec<String> {
    let share = |(all, free): (u64, u64)| match all {
        0 => "-".to_string(),
        _ => format!("{}%", ((all - free) * 100).div_ceil(all)),
    };
    let ((bytes, free), (inodes, unused)) = (space.bytes, space.inodes);
    let count = |count: u64| match scale {
        Scale::Human(base) if count >= *base => du::human(count, *base),
        _ => count.to_string(),
    };
    let cell = |field: &&str| match *field {
        "source" => NAME.to_string(),
        "fstype" => TYPE.to_string(),
        "itotal" => count(inodes),
        "iused" => count(inodes - unused),
        "iavail" => count(unused),
        "ipcent" => share(space.inodes),
        "size" => scale.text(bytes),
        "used" => scale.text(bytes - free),
        "avail" => scale.text(free),
        "pcent" => share(space.bytes),
        "file" => file.to_string(),
        _ => "/".to_string(),
    };
    fields.iter().map(cell).collect()
}

/// The rows under their heads, as wide as GNU's columns.
fn table(fields: &[&str], scale: &Scale, portable: bool, rows: &[Vec<String>]) -> String {
    let blocks = scale.heads(portable);
    let heads: Vec<String> = fields.iter().map(|field| head(field, blocks).to_string()).collect();
    let width = |at: usize| {
        let least = match fields[at] {
            "source" => 14,
            "fstype" | "file" | "target" | "pcent" | "ipcent" => 4,
            _ => 5,
        };
        rows.iter().chain([&heads]).map(|row| row[at].chars().count()).fold(least, usize::max)
    };
    let mut out = String::new();
    for cells in std::iter::once(&heads).chain(rows) {
        let mut line = String::new();
        for (at, cell) in cells.iter().enumerate() {
            line.push_str(if at == 0 { "" } else { " " });
            match fields[at] {
                "source" | "fstype" | "file" | "target" if at + 1 == cells.len() => line.push_str(cell),
                "source" | "fstype" | "file" | "target" => line.push_str(&format!("{cell:<width$}", width = width(at))),
                _ => line.push_str(&format!("{cell:>width$}", width = width(at))),
            }
        }
        out.push_str(&line);
        out.push('\n');
    }
    out
}

fn head<'h>(field: &str, blocks: [&'h str; 4]) -> &'h str {
    match field {
        "source" => "Filesystem",
        "fstype" => "Type",
        "itotal" => "Inodes",
        "iused" => "IUsed",
        "iavail" => "IFree",
        "ipcent" => "IUse%",
        "size" => blocks[0],
        "used" => blocks[1],
        "avail" => blocks[2],
        "pcent" => blocks[3],
        "file" => "File",
        _ => "Mounted on",
    }
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
