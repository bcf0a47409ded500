//! From a command line of `rsync` to what it asks for.

use super::filter::Side;
use super::options::{REFUSED, specs};
use super::order::{Basis, Deletion, Order};
use super::{Failure, IO, USAGE};
use crate::tools::options::parse;
use crate::tools::{Call, mode, reason};

impl Order {
    pub fn of(call: &mut Call<'_>) -> Result<Order, Failure> {
        let wrong = |problem: String| Failure::new(USAGE, problem);
        let parsed = parse(call.args, &specs()).map_err(|problem| wrong(problem.replace("unrecognized option", "unknown option")))?;
        let refusal = |key: &String| REFUSED.iter().find(|(letter, name, ..)| letter.to_string() == *key || name == key);
        if let Some((.., why)) = parsed.given.iter().find_map(|(key, _)| refusal(key)) {
            return Err(wrong((*why).to_string()));
        }
        let mut reading = Reading { order: Order { implied: true, ..Order::default() }, recursion: 0, directories: None, relative: None, zeros: parsed.has("0"), delete_excluded: false, suffix: None };
        for (key, value) in &parsed.given {
            match value {
                Some(value) => reading.value(call, key, value)?,
                None => reading.switch(key),
            }
        }
        reading.finish(parsed.operands)
    }
}

struct Reading {
    order: Order,
    /// 1: by `-a`, which `--files-from` takes back.
    recursion: u8,
    directories: Option<bool>,
    relative: Option<bool>,
    zeros: bool,
    delete_excluded: bool,
    suffix: Option<String>,
}

impl Reading {
    fn switch(&mut self, key: &str) {
        let order = &mut self.order;
        let (name, on) = match key.strip_prefix("no-") {
            Some(name) => (name, false),
            None => (key, true),
        };
        match name {
            "a" => {
                self.recursion = self.recursion.max(1);
                (order.links, order.perms, order.times) = (true, true, true);
            }
            "r" | "recursive" => self.recursion = if on { 2 } else { 0 },
            "d" | "dirs" | "old-dirs" => self.directories = Some(on),
            "R" | "relative" => self.relative = Some(on),
            "implied-dirs" => order.implied = on,
            "l" | "links" => order.links = on,
            "L" => order.copy_links = on,
            "copy-unsafe-links" => order.copy_unsafe_links = on,
            "safe-links" => order.safe_links = on,
            "k" => order.copy_directory_links = on,
            "K" => order.keep_directory_links = on,
            "H" | "hard-links" => order.hard_links = on,
            "p" | "perms" => order.perms = on,
            "A" if on => order.perms = true,
            "E" | "executability" => order.executability = on,
            "t" | "times" => order.times = on,
            "O" | "omit-dir-times" => order.omit_directory_times = on,
            "J" => order.omit_link_times = on,
            "n" => order.dry = on,
            "c" | "checksum" => order.checksum = on,
            "u" | "update" => order.update = on,
            "inplace" => order.in_place = on,
            "existing" | "ignore-non-existing" => order.only_existing = on,
            "ignore-existing" => order.ignore_existing = on,
            "I" | "ignore-times" => order.ignore_times = on,
            "size-only" => order.size_only = on,
            "mkpath" => order.make_path = on,
            "remove-source-files" => order.remove_sources = on,
            "del" | "delete" if order.deletion != Deletion::None => {}
            "del" | "delete" | "delete-during" => order.deletion = Deletion::During,
            "delete-before" => (order.deletion, order.lists_at_once) = (Deletion::Before, true),
            "delete-after" => (order.deletion, order.lists_at_once) = (Deletion::After, true),
            "delete-delay" => order.deletion = Deletion::After,
            "delay-updates" => order.lists_at_once = on,
            "delete-excluded" => {
                self.delete_excluded = true;
                if order.deletion == Deletion::None {
                    order.deletion = Deletion::During;
                }
            }
            "ignore-missing-args" => order.ignore_missing = on,
            "ignore-errors" => order.ignore_errors = on,
            "force" => order.force = on,
            "m" | "prune-empty-dirs" => order.prune = on,
            "b" | "backup" => order.backup = on,
            _ => order.info.switch(name, on),
        }
    }

    fn value(&mut self, call: &mut Call<'_>, key: &str, value: &str) -> Result<(), Failure> {
        let order = &mut self.order;
        let wrong = |what: &str| Failure::new(USAGE, format!("--{what}={value} is invalid"));
        match key {
            "info" => order.info.set(value).map_err(|problem| Failure::new(USAGE, problem))?,
            "out-format" => order.info.format = Some(super::info::checked(value).map_err(|problem| Failure::new(USAGE, problem))?),
            "backup-dir" => (order.backup, order.backup_directory) = (true, Some(value.to_string())),
            "suffix" => self.suffix = Some(value.to_string()),
            "chmod" => order.modes.extend(modes(value).ok_or_else(|| Failure::new(USAGE, format!("Invalid argument passed to --chmod ({value})")))?),
            "max-delete" => {
                let most: i64 = value.parse().map_err(|_| wrong(key))?;
                order.most_deleted = Some(u64::try_from(most).unwrap_or(0));
            }
            "max-size" => order.largest = Some(size(value).ok_or_else(|| wrong(key))?),
            "min-size" => order.smallest = Some(size(value).ok_or_else(|| wrong(key))?),
            "@" => order.window = value.parse().unwrap_or(0),
            "compare-dest" | "copy-dest" | "link-dest" => {
                let basis = match key {
                    "compare-dest" => Basis::Compare,
                    "copy-dest" => Basis::Copy,
                    _ => Basis::Link,
                };
                if !order.bases.is_empty() && order.basis != basis {
                    return Err(Failure::new(USAGE, "You may not mix --compare-dest, --copy-dest and --link-dest.".into()));
                }
                order.basis = basis;
                order.bases.push(value.to_string());
            }
            "f" => order.rules.add_filter(value).map_err(|problem| Failure::new(USAGE, problem))?,
            "exclude" => order.rules.add_plain(false, value),
            "include" => order.rules.add_plain(true, value),
            "exclude-from" | "include-from" => {
                let include = key == "include-from";
                let what = if include { "include" } else { "exclude" };
                let lines = lines(call, value, self.zeros).map_err(|why| Failure::new(IO, format!("failed to open {what} file {value}: {why}")))?;
                lines.iter().for_each(|line| order.rules.add_plain(include, line));
            }
            "files-from" => {
                if super::remote(value).is_some() {
                    return Err(super::no_network(value));
                }
                let names = lines(call, value, self.zeros).map_err(|why| Failure::new(USAGE, format!("failed to open files-from file {value}: {why}")))?;
                order.names = Some(names);
            }
            _ => {}
        }
        Ok(())
    }

    fn finish(self, mut operands: Vec<String>) -> Result<Order, Failure> {
        let Reading { mut order, recursion, directories, relative, delete_excluded, suffix, .. } = self;
        let wrong = |problem: &str| Err(Failure::new(USAGE, problem.to_string()));
        if let Some(remote) = operands.iter().find(|operand| super::remote(operand).is_some()) {
            return Err(super::no_network(remote));
        }
        let listed = order.names.is_some();
        order.recursive = recursion == 2 || recursion == 1 && !listed;
        order.relative = relative.unwrap_or(listed);
        let no_target = operands.len() < 2;
        order.directories = directories.unwrap_or(listed || order.info.list_only || no_target) || order.recursive;
        if order.deletion != Deletion::None && !order.directories {
            return wrong("--delete does not work without --recursive (-r) or --dirs (-d).");
        }
        order.suffix = suffix.unwrap_or_else(|| if order.backup_directory.is_some() { String::new() } else { "~".into() });
        if order.suffix.contains('/') {
            return wrong(&format!("--suffix cannot contain slashes: {}", order.suffix));
        }
        if order.backup && order.backup_directory.is_none() {
            if order.suffix.is_empty() {
                return wrong("--suffix cannot be empty without --backup-dir");
            }
        }
        // What is put aside changes the times of directories.
        order.omit_directory_times |= order.backup && order.backup_directory.is_none();
        if delete_excluded {
            order.rules.leave_receiver();
        } else if order.backup && order.backup_directory.is_none() {
            // Copies that were put aside stay, though no source has them.
            order.rules.add(false, Side::Receiver, &format!("*{}", order.suffix));
        }
        if !no_target {
            order.target = operands.pop();
        }
        if operands.is_empty() {
            return wrong("missing operand: rsync [OPTION]... SRC [SRC]... DEST\nTry 'rsync --help' for more information.");
        }
        if listed && operands.len() > 1 {
            return wrong("--files-from takes one source, and one target");
        }
        order.info.settle();
        order.sources = operands;
        Ok(order)
    }
}

/// Of a file of rules or names: those of its lines that are no comments.
fn lines(call: &mut Call<'_>, name: &str, zeros: bool) -> Result<Vec<String>, String> {
    let text = call.read(name).map_err(|error| reason(&error))?;
    let text = crate::tools::text::decode_owned(text);
    let told = |line: &&str| !line.is_empty() && (zeros || !line.starts_with(['#', ';']));
    Ok(text.split(if zeros { '\0' } else { '\n' }).map(|line| line.strip_suffix('\r').filter(|_| !zeros).unwrap_or(line)).filter(told).map(String::from).collect())
}

fn modes(text: &str) -> Option<Vec<(Option<char>, String)>> {
    let clause = |clause: &str| {
        let kind = clause.chars().next().filter(|letter| "DF".contains(*letter));
        let own = clause.strip_prefix(['D', 'F']).unwrap_or(clause);
        (!own.is_empty() && mode::changed(own, 0, false).is_some()).then(|| (kind, own.to_string()))
    };
    text.split(',').map(clause).collect()
}

/// `10`, `1.5k`, `2MB` (thousands), `1G-1`.
fn size(text: &str) -> Option<u64> {
    let (text, more) = match (text.strip_suffix("+1"), text.strip_suffix("-1")) {
        (Some(text), _) => (text, 1.0),
        (_, Some(text)) => (text, -1.0),
        _ => (text, 0.0),
    };
    let end = text.find(|letter: char| !letter.is_ascii_digit() && letter != '.').unwrap_or(text.len());
    let (number, unit) = text.split_at(end);
    let unit = unit.to_ascii_lowercase();
    let power = "bkmgtp".find(unit.chars().next().unwrap_or('b'))?;
    let thousand: f64 = match unit.get(1..).unwrap_or("") {
        "" | "ib" => 1024.0,
        "b" if power > 0 => 1000.0,
        _ => return None,
    };
    let bytes = number.parse::<f64>().ok()? * thousand.powi(i32::try_from(power).ok()?) + more;
    (bytes >= 0.0).then_some(bytes as u64)
}
