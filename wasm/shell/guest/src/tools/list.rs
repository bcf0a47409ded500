//! `ls`.

use super::du::{block_size, human};
use super::options::{Parsed, Spec, Value, parse};
use super::time::{is_recent, local, now};
use super::{Call, mode, reason};
use crate::system::{self, Status};
use std::cmp::Ordering;
use std::path::{Path, PathBuf};

const OPTIONS: &[Spec] = &[
    Spec('a', "all", Value::None),
    Spec('A', "almost-all", Value::None),
    Spec('b', "escape", Value::None),
    Spec('B', "ignore-backups", Value::None),
    Spec('c', "", Value::None),
    Spec('C', "", Value::None),
    Spec('d', "directory", Value::None),
    Spec('f', "", Value::None),
    Spec('F', "classify", Value::Optional),
    Spec('g', "", Value::None),
    Spec('G', "no-group", Value::None),
    Spec('h', "human-readable", Value::None),
    Spec('H', "dereference-command-line", Value::None),
    Spec('i', "inode", Value::None),
    Spec('I', "ignore", Value::Required),
    Spec('k', "kibibytes", Value::None),
    Spec('l', "", Value::None),
    Spec('L', "dereference", Value::None),
    Spec('m', "", Value::None),
    Spec('n', "numeric-uid-gid", Value::None),
    Spec('N', "literal", Value::None),
    Spec('o', "", Value::None),
    Spec('p', "", Value::None),
    Spec('q', "hide-control-chars", Value::None),
    Spec('Q', "quote-name", Value::None),
    Spec('r', "reverse", Value::None),
    Spec('R', "recursive", Value::None),
    Spec('s', "size", Value::None),
    Spec('S', "", Value::None),
    Spec('t', "", Value::None),
    Spec('u', "", Value::None),
    Spec('U', "", Value::None),
    Spec('v', "", Value::None),
    Spec('w', "width", Value::Required),
    Spec('x', "", Value::None),
    Spec('X', "", Value::None),
    Spec('1', "", Value::None),
    Spec('\0', "color", Value::Optional),
    Spec('\0', "full-time", Value::None),
    Spec('\0', "time-style", Value::Required),
    Spec('\0', "time", Value::Required),
    Spec('\0', "sort", Value::Required),
    Spec('\0', "format", Value::Required),
    Spec('\0', "si", Value::None),
    Spec('\0', "file-type", Value::None),
    Spec('\0', "group-directories-first", Value::None),
    Spec('\0', "show-control-chars", Value::None),
    Spec('\0', "indicator-style", Value::Required),
    Spec('\0', "author", Value::None),
    Spec('\0', "block-size", Value::Required),
    Spec('\0', "dereference-command-line-symlink-to-dir", Value::None),
    Spec('\0', "hide", Value::Required),
    Spec('\0', "hyperlink", Value::Optional),
    Spec('\0', "quoting-style", Value::Required),
    Spec('T', "tabsize", Value::Required),
    Spec('\0', "zero", Value::None),
];

const WIDTH: usize = 80;

struct Entry {
    name: String,
    path: PathBuf,
    status: Status,
}

enum Layout {
    Lines,
    Long,
    Columns,
    Commas,
}

struct Listing {
    options: Parsed,
    layout: Layout,
    /// What sizes and blocks are shown in, if that was said.
    unit: Option<(u64, String)>,
    now: u64,
    code: i32,
}

pub fn run(call: &mut Call<'_>) -> i32 {
    let options = match parse(call.args, OPTIONS) {
        Ok(options) => options,
        Err(problem) => {
            call.complain(&problem);
            return 2;
        }
    };
    let unit = match options.value("block-size") {
        None | Some("human-readable" | "si") => None,
        Some(size) => match block_size(size) {
            Some(unit) => Some(unit),
            None => {
                call.complain(&format!("invalid --block-size argument '{size}'"));
                return 2;
            }
        },
    };
    let style = options.value("quoting-style").unwrap_or("literal");
    let refused = match style {
        "literal" | "shell" | "shell-always" | "shell-escape" | "shell-escape-always" | "c" | "escape" => None,
        _ => Some(format!("invalid argument '{style}' for '--quoting-style'")),
    };
    let links = options.given.iter().any(|(name, when)| name == "hyperlink" && !matches!(when.as_deref(), Some("never" | "no" | "none" | "auto" | "tty")));
    if let Some(problem) = refused.or(links.then(|| "there are no hyperlinks here".into())) {
        call.complain(&problem);
        return 2;
    }
    let layout = match options.last_of(&["l", "1", "C", "x", "m", "g", "o", "n", "full-time", "format"]) {
        Some("l" | "g" | "o" | "n" | "full-time") => Layout::Long,
        Some("C" | "x") => Layout::Columns,
        Some("m") => Layout::Commas,
        Some("format") => match options.value("format") {
            Some("long" | "verbose") => Layout::Long,
            Some("commas") => Layout::Commas,
            Some("across" | "horizontal" | "vertical") => Layout::Columns,
            _ => Layout::Lines,
        },
        _ if call.name == "vdir" => Layout::Long,
        _ if call.name == "dir" => Layout::Columns,
        _ => Layout::Lines,
    };
    let long = matches!(layout, Layout::Long);
    // `-1` after `-l` changes nothing.
    let layout = if options.has("l") && !matches!(layout, Layout::Columns | Layout::Commas) { Layout::Long } else { layout };
    let now = now();
    let mut listing = Listing { options, layout, unit, now, code: 0 };
    let mut names = listing.options.operands.clone();
    if names.is_empty() {
        names.push(".".to_string());
    }
    let mut files = Vec::new();
    let mut directories = Vec::new();
    for name in &names {
        let path = call.path(name);
        // A link to a directory is followed where nothing is shown of the link itself.
        let follow = listing.options.has("L")
            || listing.options.has("H")
            || name.ends_with('/')
            || crate::files::is_alias(&path)
            || !(long || listing.options.has("d") || listing.options.has("F"));
        let status = call.status(&path, follow).or_else(|_| call.status(&path, false));
        match status {
            Ok(status) => {
                let entry = Entry { name: name.clone(), path, status };
                if entry.status.file_type == system::DIRECTORY && !listing.options.has("d") {
                    directories.push(entry);
                } else {
                    files.push(entry);
                }
            }
            Err(error) => {
                call.complain(&format!("cannot access '{name}': {}", reason(&error)));
                listing.code = 2;
            }
        }
    }
    listing.sort(&mut files);
    listing.sort(&mut directories);
    let many = names.len() > 1 || listing.options.has("R");
    listing.show(call, &files, false);
    let mut first = files.is_empty();
    for directory in directories {
        listing.directory(call, &directory.path, &directory.name, many, &mut first);
    }
    listing.code
}

impl Listing {
    fn directory(&mut self, call: &mut Call<'_>, path: &Path, name: &str, titled: bool, first: &mut bool) {
        let entries = match self.entries(call, path) {
            Ok(entries) => entries,
            Err(error) => {
                call.complain(&format!("cannot open directory '{name}': {}", reason(&error)));
                self.code = self.code.max(1);
                return;
            }
        };
        if !std::mem::replace(first, false) {
            call.out.push('\n');
        }
        if titled {
            call.out.push_str(&format!("{}:\n", self.quoted(name)));
        }
        self.show(call, &entries, true);
        if !self.options.has("R") {
            return;
        }
        for entry in entries {
            if entry.status.file_type == system::DIRECTORY && entry.name != "." && entry.name != ".." {
                let below = format!("{}/{}", name.trim_end_matches('/'), entry.name);
                self.directory(call, &entry.path, &below, true, first);
            }
        }
    }

    fn entries(&self, call: &Call<'_>, path: &Path) -> std::io::Result<Vec<Entry>> {
        let all = self.options.has("a") || self.options.has("f");
        let hidden = all || self.options.has("A");
        let mut entries = Vec::new();
        if all {
            for (name, at) in [(".", path), ("..", path.parent().unwrap_or(path))] {
                entries.push(Entry { name: name.into(), path: at.into(), status: call.status(at, true)? });
            }
        }
        let ignored: Vec<&str> = self
            .options
            .given
            .iter()
            .filter_map(|(name, value)| if name == "I" { value.as_deref() } else { None })
            .collect();
        let hides: Vec<&str> = self
            .options
            .given
            .iter()
            .filter_map(|(name, value)| if name == "hide" { value.as_deref() } else { None })
            .collect();
        for name in call.names(path)? {
            let backup = self.options.has("B") && name.ends_with('~');
            let hides = !hidden && hides.iter().any(|pattern| matches(pattern, &name));
            if !hidden && name.starts_with('.') || hides || backup || ignored.iter().any(|pattern| matches(pattern, &name)) {
                continue;
            }
            let at = path.join(&name);
            let status = match call.status(&at, self.options.has("L")) {
                Err(_) if self.options.has("L") => call.status(&at, false)?,
                status => status?,
            };
            entries.push(Entry { name, path: at, status });
        }
        self.sort(&mut entries);
        Ok(entries)
    }

    fn time(&self, status: &Status) -> u64 {
        match self.options.last_of(&["c", "u", "time"]) {
            Some("c") => status.changed,
            Some("u") => status.accessed,
            Some(_) => match self.options.value("time") {
                Some("atime" | "access" | "use") => status.accessed,
                Some("ctime" | "status") => status.changed,
                _ => status.modified,
            },
            None => status.modified,
        }
    }

    fn sort(&self, entries: &mut [Entry]) {
        let given = self.options.last_of(&["t", "S", "U", "X", "v", "f", "sort"]);
        let by = match given {
            Some("sort") => match self.options.value("sort") {
                Some("time") => "t",
                Some("size") => "S",
                Some("none") => "U",
                Some("extension") => "X",
                Some("version") => "v",
                _ => "",
            },
            Some(other) => other,
            // Without a long listing, -c and -u sort by their time.
            None if !matches!(self.layout, Layout::Long) && (self.options.has("c") || self.options.has("u")) => "t",
            None => "",
        };
        if matches!(by, "U" | "f") {
            return;
        }
        entries.sort_by(|one, other| {
            let names = || one.name.cmp(&other.name);
            let order = match by {
                "t" => self.time(&other.status).cmp(&self.time(&one.status)).then_with(names),
                "S" => other.status.size.cmp(&one.status.size).then_with(names),
                "X" => extension(&one.name).cmp(extension(&other.name)).then_with(names),
                "v" => versions(&one.name, &other.name),
                _ => names(),
            };
            if self.options.has("r") { order.reverse() } else { order }
        });
        if self.options.has("group-directories-first") {
            entries.sort_by_key(|entry| entry.status.file_type != system::DIRECTORY);
        }
    }

    fn show(&self, call: &mut Call<'_>, entries: &[Entry], whole: bool) {
        if whole && (matches!(self.layout, Layout::Long) || self.options.has("s")) {
            let blocks: u64 = entries.iter().map(|entry| kibibytes(&entry.status)).sum();
            call.out.push_str(&format!("total {}{}", self.blocks(blocks), self.end()));
        }
        if entries.is_empty() {
            return;
        }
        match self.layout {
            Layout::Long => self.long(call, entries),
            Layout::Lines => {
                for line in self.cells(entries) {
                    call.out.push_str(&line);
                    call.out.push(self.end());
                }
            }
            Layout::Commas => {
                let mut column = 0;
                let cells = self.cells(entries);
                for (at, cell) in cells.iter().enumerate() {
                    let length = cell.chars().count();
                    if at > 0 {
                        // A comma and a blank come before it, and a comma after it.
                        let fits = column + 2 + length + 1 <= WIDTH;
                        call.out.push_str(if fits { ", " } else { ",\n" });
                        column = if fits { column + 2 } else { 0 };
                    }
                    call.out.push_str(cell);
                    column += length;
                }
                call.out.push('\n');
            }
            Layout::Columns => {
                let width = self.options.value("w").and_then(|width| width.parse().ok()).unwrap_or(WIDTH);
                let across = self.options.last_of(&["C", "x"]) == Some("x");
                columns(&mut call.out, &self.cells(entries), width, across);
            }
        }
    }

    /// Names with what comes before them, in a listing that is not long.
    fn cells(&self, entries: &[Entry]) -> Vec<String> {
        let inodes = entries.iter().map(|entry| entry.status.inode.to_string().len()).max().unwrap_or(0);
        let blocks = entries.iter().map(|entry| self.blocks(kibibytes(&entry.status)).len()).max().unwrap_or(0);
        entries
            .iter()
            .map(|entry| {
                let mut cell = String::new();
                if self.options.has("i") {
                    cell.push_str(&format!("{:>inodes$} ", entry.status.inode));
                }
                if self.options.has("s") {
                    cell.push_str(&format!("{:>blocks$} ", self.blocks(kibibytes(&entry.status))));
                }
                cell + &self.quoted(&entry.name) + self.indicator(&entry.status)
            })
            .collect()
    }

    fn long(&self, call: &mut Call<'_>, entries: &[Entry]) {
        let numeric = self.options.has("n");
        let owner = |status: &Status| {
            if numeric { status.user.to_string() } else { system::user_name(status.user).to_string() }
        };
        let rows: Vec<[String; 7]> = entries
            .iter()
            .map(|entry| {
                let status = &entry.status;
                [
                    if self.options.has("i") { status.inode.to_string() } else { String::new() },
                    if self.options.has("s") { self.blocks(kibibytes(status)) } else { String::new() },
                    status.links.to_string(),
                    if self.options.has("g") { String::new() } else { owner(status) },
                    if self.options.has("o") || self.options.has("G") { String::new() } else { owner(status) },
                    match &self.unit {
                        Some((unit, letter)) => format!("{}{letter}", status.size.div_ceil(*unit)),
                        None if self.human() => self.size(status.size),
                        None => status.size.to_string(),
                    },
                    self.moment(call, self.time(status)),
                ]
            })
            .collect();
        let width = |column: usize| rows.iter().map(|row| row[column].chars().count()).max().unwrap_or(0);
        let widths: Vec<usize> = (0..7).map(width).collect();
        for (row, entry) in rows.iter().zip(entries) {
            let mut line = String::new();
            for column in [0, 1] {
                if widths[column] > 0 {
                    line.push_str(&format!("{:>w$} ", row[column], w = widths[column]));
                }
            }
            line.push_str(&format!("{} {:>w$} ", mode::symbolic(&entry.status), row[2], w = widths[2]));
            for column in [3, 4] {
                if widths[column] > 0 {
                    line.push_str(&format!("{:<w$} ", row[column], w = widths[column]));
                }
            }
            line.push_str(&format!("{:>w$} {} {}", row[5], row[6], self.quoted(&entry.name), w = widths[5]));
            if entry.status.file_type == system::SYMLINK {
                line.push_str(&format!(" -> {}", call.target(&entry.path)));
            } else {
                line.push_str(self.indicator(&entry.status));
            }
            call.out.push_str(&line);
            call.out.push(self.end());
        }
    }

    /// What ends a line.
    fn end(&self) -> char {
        if self.options.has("zero") { '\0' } else { '\n' }
    }

    fn blocks(&self, kibibytes: u64) -> String {
        match &self.unit {
            Some((unit, letter)) => format!("{}{letter}", (kibibytes * 1024).div_ceil(*unit)),
            None if self.human() => self.size(kibibytes * 1024),
            None => kibibytes.to_string(),
        }
    }

    fn moment(&self, call: &Call<'_>, nanoseconds: u64) -> String {
        let moment = local(nanoseconds, call.environment);
        let style = match self.options.last_of(&["full-time", "time-style"]) {
            Some("full-time") => "full-iso",
            Some(_) => self.options.value("time-style").unwrap_or_default(),
            None => call.environment.get("TIME_STYLE").map_or("", String::as_str),
        };
        let recent = is_recent(nanoseconds, self.now);
        let format = match style.trim_start_matches("posix-") {
            "full-iso" => "%Y-%m-%d %H:%M:%S.%f %z",
            "long-iso" => "%Y-%m-%d %H:%M",
            "iso" if recent => "%m-%d %H:%M",
            "iso" => "%Y-%m-%d ",
            other if other.starts_with('+') => return moment.format(&other[1..]).to_string(),
            _ if recent => "%b %e %H:%M",
            _ => "%b %e  %Y",
        };
        moment.format(format).to_string()
    }

    fn human(&self) -> bool {
        self.options.has("h") || self.options.has("si") || matches!(self.options.value("block-size"), Some("human-readable" | "si"))
    }

    fn size(&self, bytes: u64) -> String {
        let si = self.options.has("si") || self.options.value("block-size") == Some("si");
        human(bytes, if si { 1000 } else { 1024 })
    }

    fn indicator(&self, status: &Status) -> &'static str {
        let style = self.options.value("indicator-style").unwrap_or_default();
        let classify = self.options.has("F") || style == "classify";
        let types = classify || self.options.has("file-type") || style == "file-type";
        match status.file_type {
            system::DIRECTORY if types || self.options.has("p") || style == "slash" => "/",
            system::SYMLINK if types => "@",
            system::DIRECTORY | system::SYMLINK | system::DEVICE => "",
            _ if classify && status.mode & 0o111 != 0 => "*",
            _ => "",
        }
    }

    fn quoted(&self, name: &str) -> String {
        let style = self.options.value("quoting-style").unwrap_or_default();
        let plain = |name: &str| !name.is_empty() && name.chars().all(|letter| letter.is_alphanumeric() || "+-_./:,@%^~".contains(letter));
        if style.starts_with("shell") && (style.ends_with("always") || !plain(name)) {
            return format!("'{}'", name.replace('\'', "'\\''"));
        }
        if self.options.has("Q") || style == "c" {
            return format!("\"{}\"", escaped(name).replace('"', "\\\""));
        }
        if self.options.has("b") || style == "escape" {
            return escaped(name).replace(' ', "\\ ");
        }
        if self.options.has("q") {
            return name.chars().map(|letter| if letter.is_control() { '?' } else { letter }).collect();
        }
        name.to_string()
    }
}

/// Backslashes and what controls a terminal, as C writes them.
fn escaped(name: &str) -> String {
    let mut out = String::new();
    for letter in name.chars() {
        match letter {
            '\\' => out.push_str("\\\\"),
            '\x07' => out.push_str("\\a"),
            '\x08' => out.push_str("\\b"),
            '\x0c' => out.push_str("\\f"),
            '\n' => out.push_str("\\n"),
            '\r' => out.push_str("\\r"),
            '\t' => out.push_str("\\t"),
            '\x0b' => out.push_str("\\v"),
            _ if letter.is_ascii_control() => out.push_str(&format!("\\{:03o}", letter as u32)),
            _ => out.push(letter),
        }
    }
    out
}

/// What a file takes, in units of 1024 bytes: files are kept in pieces of 4 KiB, and a directory takes one.
fn kibibytes(status: &Status) -> u64 {
    match status.file_type {
        system::DIRECTORY => 4,
        system::SYMLINK => 0,
        _ => status.size.div_ceil(4096) * 4,
    }
}

fn extension(name: &str) -> &str {
    name.rfind('.').map_or("", |at| &name[at..])
}

/// Names with numbers in them, by what these come to.
fn versions(one: &str, other: &str) -> Ordering {
    let (mut one, mut other) = (one, other);
    loop {
        let text = |name: &str| name.find(|letter: char| letter.is_ascii_digit()).unwrap_or(name.len());
        let (a, b) = (text(one), text(other));
        let order = one[..a].cmp(&other[..b]);
        if order != Ordering::Equal || a == one.len() || b == other.len() {
            return order.then(one.len().cmp(&other.len()));
        }
        (one, other) = (&one[a..], &other[b..]);
        let digits = |name: &str| name.find(|letter: char| !letter.is_ascii_digit()).unwrap_or(name.len());
        let (a, b) = (digits(one), digits(other));
        let value = |digits: &str| digits.trim_start_matches('0').to_string();
        let (x, y) = (value(&one[..a]), value(&other[..b]));
        let order = x.len().cmp(&y.len()).then_with(|| x.cmp(&y));
        if order != Ordering::Equal {
            return order;
        }
        (one, other) = (&one[a..], &other[b..]);
    }
}

/// `*` and `?`, as patterns of names to be ignored have them.
pub fn matches(pattern: &str, name: &str) -> bool {
    let mut letters = pattern.chars();
    match letters.next() {
        None => name.is_empty(),
        Some('*') => {
            let rest = letters.as_str();
            name.char_indices().map(|(at, _)| at).chain([name.len()]).any(|at| matches(rest, &name[at..]))
        }
        Some(letter) => {
            let mut others = name.chars();
            others.next().is_some_and(|other| letter == '?' || letter == other) && matches(letters.as_str(), others.as_str())
        }
    }
}

fn columns(out: &mut String, cells: &[String], width: usize, across: bool) {
    let lengths: Vec<usize> = cells.iter().map(|cell| cell.chars().count()).collect();
    let at = |row: usize, column: usize, rows: usize, columns: usize| if across { row * columns + column } else { column * rows + row };
    for rows in 1..=cells.len() {
        let columns = cells.len().div_ceil(rows);
        let widths: Vec<usize> = (0..columns)
            .map(|column| (0..rows).filter_map(|row| lengths.get(at(row, column, rows, columns))).max().map_or(0, |most| most + 2))
            .collect();
        if rows < cells.len() && widths.iter().sum::<usize>() > width + 2 {
            continue;
        }
        for row in 0..rows {
            let mut line = String::new();
            // What is between two columns are tabs, where they reach.
            let (mut at_column, mut reached) = (0, 0);
            for (column, wide) in widths.iter().enumerate() {
                let Some(cell) = cells.get(at(row, column, rows, columns)) else { break };
                while reached < at_column {
                    let stop = (reached / 8 + 1) * 8;
                    if stop <= at_column && at_column / 8 > reached / 8 {
                        line.push('\t');
                        reached = stop;
                    } else {
                        line.push(' ');
                        reached += 1;
                    }
                }
                line.push_str(cell);
                reached = at_column + cell.chars().count();
                at_column += wide;
            }
            out.push_str(&line);
            out.push('\n');
        }
        return;
    }
}
