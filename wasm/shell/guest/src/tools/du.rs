//! `du`. Files are kept in pieces of 4 KiB, and a directory takes one: as on most file systems.

use super::list::matches;
use super::options::{Parsed, Spec, Value, parse};
use super::{Call, reason};
use crate::system;
use std::collections::HashSet;
use std::path::Path;

const OPTIONS: &[Spec] = &[
    Spec('0', "null", Value::None),
    Spec('a', "all", Value::None),
    Spec('\0', "apparent-size", Value::None),
    Spec('b', "bytes", Value::None),
    Spec('B', "block-size", Value::Required),
    Spec('c', "total", Value::None),
    Spec('d', "max-depth", Value::Required),
    Spec('D', "dereference-args", Value::None),
    Spec('h', "human-readable", Value::None),
    Spec('H', "", Value::None),
    Spec('\0', "inodes", Value::None),
    Spec('k', "", Value::None),
    Spec('l', "count-links", Value::None),
    Spec('L', "dereference", Value::None),
    Spec('m', "", Value::None),
    Spec('P', "no-dereference", Value::None),
    Spec('s', "summarize", Value::None),
    Spec('S', "separate-dirs", Value::None),
    Spec('\0', "si", Value::None),
    Spec('t', "threshold", Value::Required),
    Spec('x', "one-file-system", Value::None),
    Spec('X', "exclude-from", Value::Required),
    Spec('\0', "exclude", Value::Required),
    Spec('\0', "files0-from", Value::Required),
];

/// Whether the names of what it looks at come from its input.
pub fn reads_input(args: &[String]) -> bool {
    args.windows(2).any(|pair| pair[0] == "--files0-from" && pair[1] == "-") || args.iter().any(|arg| arg == "--files0-from=-")
}

const PIECE: u64 = 4096;

/// What sizes are shown in.
enum Scale {
    /// Of that many bytes; with a letter, if it was given as one.
    Blocks(u64, String),
    Human(u64),
}

pub fn run(call: &mut Call<'_>) -> i32 {
    let order = match parse(call.args, OPTIONS).and_then(|options| Usage::of(call, options)) {
        Ok(order) => order,
        Err(problem) => {
            call.complain(&problem);
            return 1;
        }
    };
    let mut usage = order;
    let mut operands = std::mem::take(&mut usage.options.operands);
    if let Some(list) = usage.options.value("files0-from") {
        let problem = match call.read(list) {
            Ok(_) if !operands.is_empty() => Some("file operands cannot be combined with --files0-from".to_string()),
            Ok(bytes) => {
                operands.extend(super::text::decode(&bytes).split('\0').filter(|name| !name.is_empty()).map(str::to_string));
                None
            }
            Err(error) => Some(format!("cannot open '{list}' for reading: {}", reason(&error))),
        };
        if let Some(problem) = problem {
            call.complain(&problem);
            return 1;
        }
    } else if operands.is_empty() {
        operands.push(".".into());
    }
    let mut total = 0;
    usage.counts_once = operands.len() > 1 || usage.options.has("L");
    for name in &operands {
        let follow = usage.options.has("D") || usage.options.has("H") || usage.options.has("L") || name.ends_with('/');
        total += usage.walk(call, &call.path(name), name, 0, follow);
    }
    if usage.options.has("c") {
        usage.print(call, total, "total");
    }
    usage.code
}

struct Usage {
    options: Parsed,
    scale: Scale,
    apparent: bool,
    depth: usize,
    /// Sizes below it are not shown; or, if it is below zero, above.
    threshold: i64,
    excluded: Vec<String>,
    /// Whether everything is counted once, and not just files of several names: it may be come upon again.
    counts_once: bool,
    /// Inodes of the directories that the walk is in: links that are followed may lead back there.
    within: Vec<u64>,
    seen: HashSet<u64>,
    code: i32,
}

impl Usage {
    fn of(call: &Call<'_>, options: Parsed) -> Result<Self, String> {
        let given = options.last_of(&["b", "B", "h", "k", "m", "si"]);
        let scale = match given {
            Some("b") => Scale::Blocks(1, String::new()),
            Some("m") => Scale::Blocks(1 << 20, String::new()),
            Some("h") => Scale::Human(1024),
            Some("si") => Scale::Human(1000),
            Some("B") => {
                let size = options.value("B").unwrap_or_default();
                let (unit, letter) = block_size(size).ok_or_else(|| format!("invalid -B argument '{size}'"))?;
                Scale::Blocks(unit, letter)
            }
            _ => Scale::Blocks(1024, String::new()),
        };
        let depth = match options.value("d") {
            Some(depth) => depth.parse().map_err(|_| format!("invalid maximum depth '{depth}'"))?,
            None if options.has("s") => 0,
            None => usize::MAX,
        };
        if options.has("s") && (options.has("a") || depth != 0) {
            return Err(if options.has("a") {
                "cannot both summarize and show all entries".into()
            } else {
                format!("warning: summarizing conflicts with --max-depth={depth}")
            });
        }
        let threshold = match options.value("t") {
            None => 0,
            Some(text) => {
                let (negative, size) = text.strip_prefix('-').map_or((false, text), |size| (true, size));
                let size = block_size(size).and_then(|(size, _)| i64::try_from(size).ok());
                let size = size.ok_or_else(|| format!("invalid --threshold argument '{text}'"))?;
                if negative { -size } else { size }
            }
        };
        let mut excluded: Vec<String> =
            options.given.iter().filter(|(name, _)| name == "exclude").filter_map(|(_, value)| value.clone()).collect();
        for list in options.given.iter().filter(|(name, _)| name == "X").filter_map(|(_, value)| value.as_ref()) {
            let bytes = call.read(list).map_err(|error| format!("{list}: {}", reason(&error)))?;
            excluded.extend(super::text::decode(&bytes).lines().map(str::to_string));
        }
        let apparent = options.has("b") || options.has("apparent-size");
        Ok(Usage { options, scale, apparent, depth, threshold, excluded, counts_once: false, within: Vec::new(), seen: HashSet::new(), code: 0 })
    }

    /// @returns what all of it takes.
    fn walk(&mut self, call: &mut Call<'_>, path: &Path, name: &str, depth: usize, follow: bool) -> u64 {
        let base = name.rsplit('/').find(|part| !part.is_empty()).unwrap_or(name);
        if self.excluded.iter().any(|pattern| matches(pattern, base) || matches(pattern, name)) {
            return 0;
        }
        let status = match call.status(path, follow || depth == 0 && crate::files::is_alias(path)) {
            Ok(status) => status,
            Err(error) => {
                call.complain(&format!("cannot access '{name}': {}", reason(&error)));
                self.code = 1;
                return 0;
            }
        };
        let directory = status.file_type == system::DIRECTORY;
        let again = self.counts_once || !directory && status.links > 1;
        if again && !self.options.has("l") && !self.seen.insert(status.inode) || self.within.contains(&status.inode) {
            return 0;
        }
        let own = match status.file_type {
            _ if self.options.has("inodes") => 1,
            system::DIRECTORY => PIECE,
            _ if self.apparent => status.size,
            system::SYMLINK => 0,
            _ => status.size.div_ceil(PIECE) * PIECE,
        };
        if !directory {
            if depth == 0 || self.options.has("a") && depth <= self.depth {
                self.print(call, own, name);
            }
            return own;
        }
        let names = match call.names(path) {
            Ok(names) => names,
            Err(error) => {
                call.complain(&format!("cannot read directory '{name}': {}", reason(&error)));
                self.code = 1;
                Vec::new()
            }
        };
        let (mut total, mut here) = (own, own);
        self.within.push(status.inode);
        for child in names {
            let at = path.join(&child);
            let shown = if name.ends_with('/') { format!("{name}{child}") } else { format!("{name}/{child}") };
            let is_directory = call.status(&at, false).is_ok_and(|status| status.file_type == system::DIRECTORY);
            let size = self.walk(call, &at, &shown, depth + 1, self.options.has("L"));
            total += size;
            here += if is_directory { 0 } else { size };
        }
        self.within.pop();
        if depth <= self.depth {
            self.print(call, if self.options.has("S") { here } else { total }, name);
        }
        total
    }

    fn print(&self, call: &mut Call<'_>, size: u64, name: &str) {
        let signed = i64::try_from(size).unwrap_or(i64::MAX);
        if name != "total" && (self.threshold > 0 && signed < self.threshold || self.threshold < 0 && signed > -self.threshold) {
            return;
        }
        let text = match &self.scale {
            _ if self.options.has("inodes") => size.to_string(),
            Scale::Blocks(unit, letter) => format!("{}{letter}", size.div_ceil(*unit)),
            Scale::Human(base) => human(size, *base),
        };
        call.out.push_str(&format!("{text}\t{name}{}", if self.options.has("0") { '\0' } else { '\n' }));
    }
}

/// `1K`, `KB`, `512`: how many bytes; and the letter that sizes are shown with, if it is nothing but one.
pub fn block_size(text: &str) -> Option<(u64, String)> {
    let digits = text.find(|letter: char| !letter.is_ascii_digit()).unwrap_or(text.len());
    let (number, unit) = text.split_at(digits);
    let factor = match unit.split_at_checked(1) {
        None => 1,
        Some((letter, rest)) => {
            let power = "KMGTPE".find(&letter.to_ascii_uppercase())? as u32 + 1;
            let base: u64 = match rest {
                "" | "iB" => 1024,
                "B" => 1000,
                _ => return None,
            };
            base.checked_pow(power)?
        }
    };
    let number = if number.is_empty() { 1 } else { number.parse().ok()? };
    let size = factor.checked_mul(number).filter(|size| *size > 0)?;
    let letter = if digits > 0 { String::new() } else if unit.ends_with('B') && unit.len() == 2 { unit.replace('K', "k") } else { unit.to_string() };
    Some((size, letter))
}

/// How much of the largest unit that there is one of, and its letter; bytes have none. @param base 1024, or 1000
pub fn scaled(bytes: u64, base: u64) -> (f64, &'static str) {
    let mut size = bytes as f64;
    let mut unit = 0;
    while size >= base as f64 && unit < 6 {
        size /= base as f64;
        unit += 1;
    }
    let kilo = if base == 1000 { "k" } else { "K" };
    (size, ["", kilo, "M", "G", "T", "P", "E"][unit])
}

/// `4.0K`, rounded up.
pub fn human(bytes: u64, base: u64) -> String {
    let (size, letter) = scaled(bytes, base);
    if letter.is_empty() {
        return bytes.to_string();
    }
    let tenths = (size * 10.0).ceil() / 10.0;
    if tenths < 10.0 { format!("{tenths:.1}{letter}") } else { format!("{}{letter}", size.ceil()) }
}
