//! `diff`, `sdiff`.

mod columns;
mod command_line;
mod compare;
mod forms;
mod hunks;
mod line_formats;

use super::options::Parsed;
use super::text::decode_owned;
use super::{Call, reason};
use columns::Columns;
use command_line::number;
use compare::{Change, compare, keys};
use crate::system;
use std::collections::BTreeSet;
use std::fmt::Write;
use std::path::Path;

const SAME: i32 = 0;
const DIFFERENT: i32 = 1;
const TROUBLE: i32 = 2;

/// `sdiff`'s letters that are others in `diff`.
const SIDE_BY_SIDE: &[(&str, &str)] = &[("-l", "--left-column"), ("-s", "--suppress-common-lines"), ("-w", "-W"), ("-W", "-w")];

pub fn run_sdiff(call: &mut Call<'_>) -> i32 {
    let named = |arg: &String| match SIDE_BY_SIDE.iter().find(|(letter, _)| letter == arg) {
        Some((_, option)) => (*option).to_string(),
        None => match arg.strip_prefix("-w").filter(|width| width.parse::<usize>().is_ok()) {
            Some(width) => format!("-W{width}"),
            None => arg.clone(),
        },
    };
    if call.args.iter().any(|arg| arg.starts_with("-o") || arg.starts_with("--output")) {
        call.complain("-o: nobody can be asked which of both to take");
        return TROUBLE;
    }
    let args: Vec<String> = std::iter::once("-y".to_string()).chain(call.args.iter().map(named)).collect();
    diff(call, &args)
}

pub fn run(call: &mut Call<'_>) -> i32 {
    let args = call.args;
    diff(call, args)
}

fn diff(call: &mut Call<'_>, args: &[String]) -> i32 {
    let options = match command_line::parsed(args) {
        Ok(options) => options,
        Err(problem) => {
            call.complain(&format!("{problem}\n{0}: Try '{0} --help' for more information.", call.name));
            return TROUBLE;
        }
    };
    let (mut old, mut new) = (options.operands[0].clone(), options.operands[1].clone());
    let directory = |call: &Call<'_>, name: &str| {
        name != "-" && call.status(&call.path(name), true).is_ok_and(|status| status.file_type == system::DIRECTORY)
    };
    let last = |name: &str| Path::new(name).file_name().unwrap_or_default().to_string_lossy().into_owned();
    match (directory(call, &old), directory(call, &new)) {
        // Of two that are not there neither is taken for empty.
        (false, false) if options.has("N") && [&old, &new].iter().all(|name| is_absent(call, name)) => {
            for name in [&old, &new] {
                call.complain(&format!("{name}: No such file or directory"));
            }
            return TROUBLE;
        }
        (true, true) => return directories(call, &options, &old, &new),
        (true, false) => old = format!("{}/{}", old.trim_end_matches('/'), last(&new)),
        (false, true) => new = format!("{}/{}", new.trim_end_matches('/'), last(&old)),
        (false, false) => {}
    }
    files(call, &options, &old, &new, None)
}

fn is_absent(call: &Call<'_>, name: &str) -> bool {
    name != "-" && call.status(&call.path(name), true).is_err_and(|error| error.kind() == std::io::ErrorKind::NotFound)
}

fn directories(call: &mut Call<'_>, options: &Parsed, old: &str, new: &str) -> i32 {
    let names = |call: &Call<'_>, name: &str| -> BTreeSet<String> {
        call.names(&call.path(name)).unwrap_or_default().into_iter().collect()
    };
    let (here, there) = (names(call, old), names(call, new));
    let excluded = match excluded(call, options) {
        Ok(excluded) => excluded,
        Err(problem) => {
            call.complain(&problem);
            return TROUBLE;
        }
    };
    let mut code = SAME;
    for name in here.union(&there) {
        if excluded.iter().any(|pattern| super::list::matches(pattern, name)) {
            continue;
        }
        let below = |directory: &str| format!("{}/{name}", directory.trim_end_matches('/'));
        let (one, other) = (below(old), below(new));
        let kind = |call: &Call<'_>, name: &str| call.status(&call.path(name), true).ok().map(|status| status.file_type);
        match (kind(call, &one), kind(call, &other)) {
            (Some(system::DIRECTORY), Some(system::DIRECTORY)) if options.has("r") => {
                code = code.max(directories(call, options, &one, &other));
            }
            (Some(system::DIRECTORY), Some(system::DIRECTORY)) => {
                let _ = writeln!(call.out, "Common subdirectories: {one} and {other}");
            }
            (Some(a), Some(b)) if a == system::DIRECTORY || b == system::DIRECTORY => {
                let name = |kind| if kind == system::DIRECTORY { "directory" } else { "regular file" };
                let _ = writeln!(call.out, "File {one} is a {} while file {other} is a {}", name(a), name(b));
                code = code.max(DIFFERENT);
            }
            (None, Some(system::DIRECTORY)) | (Some(system::DIRECTORY), None) if options.has("N") && options.has("r") => {
                code = code.max(directories(call, options, &one, &other));
            }
            (Some(_), Some(_)) => code = code.max(files(call, options, &one, &other, Some(&given(call, options)))),
            _ if options.has("N") => code = code.max(files(call, options, &one, &other, Some(&given(call, options)))),
            (Some(_), None) => {
                let _ = writeln!(call.out, "Only in {old}: {name}");
                code = code.max(DIFFERENT);
            }
            _ => {
                let _ = writeln!(call.out, "Only in {new}: {name}");
                code = code.max(DIFFERENT);
            }
        }
    }
    code
}

/// The patterns of what is left out.
fn excluded(call: &Call<'_>, options: &Parsed) -> Result<Vec<String>, String> {
    let mut patterns = Vec::new();
    for (name, value) in &options.given {
        let Some(value) = value else { continue };
        match name.as_str() {
            "x" => patterns.push(value.clone()),
            "X" => {
                let bytes = call.read(value).map_err(|error| format!("{value}: {}", reason(&error)))?;
                patterns.extend(decode_owned(bytes).lines().map(str::to_string));
            }
            _ => {}
        }
    }
    Ok(patterns)
}

/// The options as they were given, which begin what is said of files in directories.
fn given(call: &Call<'_>, options: &Parsed) -> String {
    let quoted = call.args.iter().filter(|arg| !options.operands.contains(arg)).map(String::as_str);
    std::iter::once("diff").chain(quoted).collect::<Vec<_>>().join(" ")
}

/// @param title what the names of two files that differ are told after.
fn files(call: &mut Call<'_>, options: &Parsed, old: &str, new: &str, title: Option<&str>) -> i32 {
    let code = contents(call, options, old, new, title);
    if code == SAME && options.has("s") {
        let _ = writeln!(call.out, "Files {old} and {new} are identical");
    }
    code
}

fn contents(call: &mut Call<'_>, options: &Parsed, old: &str, new: &str, title: Option<&str>) -> i32 {
    let absent = |error: &std::io::Error| error.kind() == std::io::ErrorKind::NotFound && options.has("N");
    let mut trouble = false;
    let mut read = |call: &mut Call<'_>, name: &str| match call.read(name) {
        Ok(bytes) => bytes,
        Err(error) if absent(&error) => Vec::new(),
        Err(error) => {
            call.complain(&format!("{name}: {}", reason(&error)));
            trouble = true;
            Vec::new()
        }
    };
    let (a, b) = (read(call, old), read(call, new));
    if trouble {
        return TROUBLE;
    }
    let form = options.last_of(&["u", "U", "c", "C", "normal", "y", "e", "n"]);
    let in_columns = form == Some("y") && !options.has("q");
    let in_formats = line_formats::asked(options) && !options.has("q");
    if a == b && !in_columns && !in_formats {
        return SAME;
    }
    let binary = |bytes: &[u8]| bytes.iter().take(4096).any(|byte| *byte == 0);
    if (binary(&a) || binary(&b)) && !options.has("a") {
        if a == b {
            return SAME;
        }
        let _ = writeln!(call.out, "Binary files {old} and {new} differ");
        return DIFFERENT;
    }
    let (a, b) = (decode_owned(a), decode_owned(b));
    let (one, other): (Vec<&str>, Vec<&str>) = (a.split_inclusive('\n').collect(), b.split_inclusive('\n').collect());
    let changes = match changes_of(options, &one, &other) {
        Ok(changes) => changes,
        Err(problem) => {
            call.complain(&problem);
            return TROUBLE;
        }
    };
    let columns = Columns {
        width: options.value("W").and_then(number).unwrap_or(130),
        expands_tabs: options.has("t"),
        left_column: options.has("left-column"),
        suppresses_common: options.has("suppress-common-lines"),
    };
    if in_formats {
        return match line_formats::formatted(options, &one, &other, &changes) {
            Ok(text) => {
                call.out.push_str(&text);
                if changes.is_empty() { SAME } else { DIFFERENT }
            }
            Err(problem) => {
                call.complain(&problem);
                TROUBLE
            }
        };
    }
    if changes.is_empty() && (!in_columns || columns.suppresses_common) {
        return SAME;
    }
    if options.has("q") {
        let _ = writeln!(call.out, "Files {old} and {new} differ");
        return DIFFERENT;
    }
    if let Some(title) = title {
        let _ = writeln!(call.out, "{title} {old} {new}");
    }
    let begin = call.out.len();
    let titles = match hunks::Titles::of(options) {
        Ok(titles) => titles,
        Err(problem) => {
            call.complain(&problem);
            return TROUBLE;
        }
    };
    let form = if form.is_none() && options.has("p") { Some("c") } else { form };
    match form {
        Some("y") => columns.print(&mut call.out, &one, &other, &changes),
        Some(name @ ("u" | "U" | "c" | "C")) => {
            let context = command_line::context(options, name);
            let shown = if matches!(name, "u" | "U") { hunks::unified } else { hunks::context };
            shown(call, (options, &titles), (old, &one), (new, &other), &changes, context);
        }
        Some("e") => {
            forms::ed(&mut call.out, &other, &changes);
            for (name, _) in [(old, &a), (new, &b)].iter().filter(|(_, text)| !text.is_empty() && !text.ends_with('\n')) {
                call.complain(&format!("{name}: No newline at end of file"));
                trouble = true;
            }
        }
        Some("n") => forms::rcs(&mut call.out, &other, &changes),
        _ => forms::normal(&mut call.out, &one, &other, &changes),
    }
    if options.value("color") == Some("always") && !matches!(form, Some("c" | "C" | "e" | "n" | "y")) {
        let shown = forms::colored(&call.out[begin..], matches!(form, Some("u" | "U")));
        call.out.replace_range(begin.., &shown);
    }
    match changes.is_empty() {
        true => SAME,
        false if trouble => TROUBLE,
        false => DIFFERENT,
    }
}

/// What differs, but for what is to be ignored.
fn changes_of(options: &Parsed, one: &[&str], other: &[&str]) -> Result<Vec<Change>, String> {
    let mut changes = compare(&keys(options, one), &keys(options, other));
    let mut ignore = |is_ignored: &dyn Fn(&str) -> bool| {
        let all = |lines: &[&str]| lines.iter().all(|line| is_ignored(line));
        changes.retain(|change| !(all(&one[change.old.0..change.old.1]) && all(&other[change.new.0..change.new.1])));
    };
    if options.has("B") {
        ignore(&|line| line.trim().is_empty());
    }
    if let Some(pattern) = options.value("I") {
        let ignored = super::basic_regex::compile(pattern).map_err(|problem| format!("{pattern}: {problem}"))?;
        ignore(&|line| ignored.is_match(line.trim_end_matches('\n')));
    }
    Ok(changes)
}
