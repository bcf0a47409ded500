//! `fd`: files by a pattern of their names. Output is sorted; `.gitignore` is not looked at.

use super::list::matches;
use super::options::{Parsed, Spec, Value, parse};
use super::{Call, reason};
use crate::system::{self, Status};
use regex::{Regex, RegexBuilder};
use std::path::Path;

const OPTIONS: &[Spec] = &[
    Spec('0', "print0", Value::None),
    Spec('1', "", Value::None),
    Spec('a', "absolute-path", Value::None),
    Spec('c', "color", Value::Required),
    Spec('d', "max-depth", Value::Required),
    Spec('e', "extension", Value::Required),
    Spec('E', "exclude", Value::Required),
    Spec('F', "fixed-strings", Value::None),
    Spec('g', "glob", Value::None),
    Spec('H', "hidden", Value::None),
    Spec('i', "ignore-case", Value::None),
    Spec('I', "no-ignore", Value::None),
    Spec('L', "follow", Value::None),
    Spec('\0', "max-results", Value::Required),
    Spec('\0', "min-depth", Value::Required),
    Spec('p', "full-path", Value::None),
    Spec('q', "quiet", Value::None),
    Spec('s', "case-sensitive", Value::None),
    Spec('t', "type", Value::Required),
    Spec('u', "unrestricted", Value::None),
];

/// Bytes that a compiled pattern may take.
const PATTERN_MAX: usize = 1 << 20;

pub fn run(call: &mut Call<'_>) -> i32 {
    let order = parse(call.args, OPTIONS).and_then(Search::of);
    let mut search = match order {
        Ok(search) => search,
        Err(problem) => {
            call.complain(&problem);
            return 1;
        }
    };
    let roots = match search.options.operands.get(1..) {
        Some(roots) if !roots.is_empty() => roots.to_vec(),
        _ => vec![String::new()],
    };
    for root in &roots {
        let path = call.path(if root.is_empty() { "." } else { root });
        match call.status(&path, true) {
            Ok(status) if status.file_type == system::DIRECTORY => {
                let prefix = prefix(&search, root, &path);
                search.within = vec![status.inode];
                search.walk(call, &path, &prefix, 1);
            }
            Ok(_) => search.complain(call, &format!("Search path '{root}' is not a directory.")),
            Err(error) => search.complain(call, &format!("Search path '{root}' is not a directory: {}", reason(&error))),
        }
    }
    match search.options.has("q") {
        true => i32::from(search.found == 0),
        false => search.code,
    }
}

/// What the names of a directory's files begin with.
fn prefix(search: &Search, root: &str, path: &Path) -> String {
    let root = if search.options.has("a") { path.to_string_lossy().into_owned() } else { root.to_string() };
    if root.is_empty() || root.ends_with('/') { root } else { format!("{root}/") }
}

struct Search {
    options: Parsed,
    pattern: Pattern,
    types: Vec<String>,
    extensions: Vec<String>,
    excluded: Vec<String>,
    depth: std::ops::RangeInclusive<usize>,
    most: usize,
    /// Inodes of the directories that the walk is in: links that are followed may lead back there.
    within: Vec<u64>,
    found: usize,
    code: i32,
}

enum Pattern {
    Regex(Regex),
    Glob(String, bool),
}

impl Search {
    fn of(options: Parsed) -> Result<Self, String> {
        let text = options.operands.first().cloned().unwrap_or_default();
        if text.contains('/') && !options.has("p") {
            return Err(format!(
                "The search pattern '{text}' contains a path-separation character ('/') and will not lead to any search results: use --full-path"
            ));
        }
        let folds = match options.last_of(&["i", "s"]) {
            Some(option) => option == "i",
            None => !text.chars().any(char::is_uppercase),
        };
        let pattern = if options.has("g") {
            Pattern::Glob(if folds { text.to_lowercase() } else { text }, folds)
        } else {
            let text = if options.has("F") { regex::escape(&text) } else { text };
            let built = RegexBuilder::new(&text).case_insensitive(folds).size_limit(PATTERN_MAX).build();
            Pattern::Regex(built.map_err(|error| error.to_string())?)
        };
        let all = |name: &str| -> Vec<String> {
            options.given.iter().filter(|(given, _)| given == name).filter_map(|(_, value)| value.clone()).collect()
        };
        let number = |name: &str, otherwise: usize| match options.value(name) {
            Some(text) => text.parse().map_err(|_| format!("invalid value '{text}' for '--{name}'")),
            None => Ok(otherwise),
        };
        let types = all("t");
        if let Some(odd) = types.iter().find(|kind| type_of(kind).is_none()) {
            return Err(format!("invalid value '{odd}' for '--type'"));
        }
        let depth = number("min-depth", 1)?..=number("d", usize::MAX)?;
        let most = if options.has("1") { 1 } else { number("max-results", usize::MAX)? };
        let extensions = all("e").iter().map(|name| format!(".{}", name.trim_start_matches('.').to_lowercase())).collect();
        Ok(Search { types, extensions, excluded: all("E"), pattern, depth, most, within: Vec::new(), found: 0, code: 0, options })
    }

    fn walk(&mut self, call: &mut Call<'_>, directory: &Path, prefix: &str, depth: usize) {
        if depth > *self.depth.end() || self.found >= self.most {
            return;
        }
        let mut names = match call.names(directory) {
            Ok(names) => names,
            Err(error) => return self.complain(call, &format!("{}: {}", directory.display(), reason(&error))),
        };
        names.sort();
        for name in names {
            let hidden = name.starts_with('.') && !self.options.has("H") && !self.options.has("u");
            if hidden || self.excluded.iter().any(|pattern| matches(pattern, &name)) {
                continue;
            }
            let path = directory.join(&name);
            let Ok(status) = call.status(&path, self.options.has("L")) else { continue };
            let is_directory = status.file_type == system::DIRECTORY;
            if is_directory && self.within.contains(&status.inode) {
                continue; // a loop, of which the real one says nothing either
            }
            if *self.depth.start() <= depth && self.wants(&path, &name, &status) {
                if self.found >= self.most {
                    return;
                }
                self.found += 1;
                if !self.options.has("q") {
                    let slash = if is_directory { "/" } else { "" };
                    let end = if self.options.has("0") { '\0' } else { '\n' };
                    call.out.push_str(&format!("{prefix}{name}{slash}{end}"));
                }
            }
            if is_directory {
                self.within.push(status.inode);
                self.walk(call, &path, &format!("{prefix}{name}/"), depth + 1);
                self.within.pop();
            }
        }
    }

    fn wants(&self, path: &Path, name: &str, status: &Status) -> bool {
        let lower = name.to_lowercase();
        if !self.extensions.is_empty() && !self.extensions.iter().any(|extension| lower.ends_with(extension)) {
            return false;
        }
        if !self.types.is_empty() && !self.types.iter().any(|kind| type_of(kind).is_some_and(|is| is(status))) {
            return false;
        }
        let whole = path.to_string_lossy();
        let text = if self.options.has("p") { whole.as_ref() } else { name };
        match &self.pattern {
            Pattern::Regex(regex) => regex.is_match(text),
            Pattern::Glob(glob, true) => matches(glob, &text.to_lowercase()),
            Pattern::Glob(glob, false) => matches(glob, text),
        }
    }

    fn complain(&mut self, call: &mut Call<'_>, what: &str) {
        call.complain(what);
        self.code = 1;
    }
}

/// Whether files are of a kind, by its name.
fn type_of(kind: &str) -> Option<fn(&Status) -> bool> {
    Some(match kind {
        "f" | "file" => |status| status.file_type == system::FILE,
        "d" | "dir" | "directory" => |status| status.file_type == system::DIRECTORY,
        "l" | "symlink" => |status| status.file_type == system::SYMLINK,
        "x" | "executable" => |status| status.file_type == system::FILE && status.mode & 0o111 != 0,
        "e" | "empty" => |status| status.file_type == system::FILE && status.size == 0,
        _ => return None,
    })
}
