//! `diff`, `sdiff`.

mod columns;
mod forms;

use super::options::{Parsed, Spec, Value, parse};
use super::text::decode_owned;
use super::time::local;
use super::{Call, reason};
use columns::Columns;
use crate::system;
use std::borrow::Cow;
use std::collections::BTreeSet;
use std::fmt::Write;
use std::path::Path;

const OPTIONS: &[Spec] = &[
    Spec('a', "text", Value::None),
    Spec('b', "ignore-space-change", Value::None),
    Spec('B', "ignore-blank-lines", Value::None),
    Spec('c', "", Value::None),
    Spec('C', "context", Value::Required),
    Spec('d', "minimal", Value::None),
    Spec('e', "ed", Value::None),
    Spec('E', "ignore-tab-expansion", Value::None),
    Spec('i', "ignore-case", Value::None),
    Spec('I', "ignore-matching-lines", Value::Required),
    Spec('n', "rcs", Value::None),
    Spec('N', "new-file", Value::None),
    Spec('q', "brief", Value::None),
    Spec('r', "recursive", Value::None),
    Spec('s', "report-identical-files", Value::None),
    Spec('u', "", Value::None),
    Spec('U', "unified", Value::Required),
    Spec('t', "expand-tabs", Value::None),
    Spec('w', "ignore-all-space", Value::None),
    Spec('W', "width", Value::Required),
    Spec('x', "exclude", Value::Required),
    Spec('y', "side-by-side", Value::None),
    Spec('Z', "ignore-trailing-space", Value::None),
    Spec('\0', "left-column", Value::None),
    Spec('\0', "suppress-common-lines", Value::None),
    Spec('\0', "label", Value::Required),
    Spec('\0', "normal", Value::None),
    Spec('\0', "strip-trailing-cr", Value::None),
    Spec('\0', "color", Value::Optional),
];

const SAME: i32 = 0;
const DIFFERENT: i32 = 1;
const TROUBLE: i32 = 2;

/// A stretch of lines that is one thing here and another there: numbers of lines from 0, ends excluded.
#[derive(Clone, Copy)]
struct Change {
    old: (usize, usize),
    new: (usize, usize),
}

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
    // -u3 is not what it was once; -U3 is.
    let options = match parse(args, OPTIONS) {
        Ok(options) => options,
        Err(problem) => {
            call.complain(&format!("{problem}\ndiff: Try 'diff --help' for more information."));
            return TROUBLE;
        }
    };
    let [old, new] = options.operands.as_slice() else {
        let what = match options.operands.last() {
            Some(name) if options.operands.len() == 1 => format!("missing operand after '{name}'"),
            Some(name) => format!("extra operand '{name}'"),
            None => "missing operand".to_string(),
        };
        call.complain(&format!("{what}\ndiff: Try 'diff --help' for more information."));
        return TROUBLE;
    };
    let (mut old, mut new) = (old.clone(), new.clone());
    let directory = |call: &Call<'_>, name: &str| {
        name != "-" && call.status(&call.path(name), true).is_ok_and(|status| status.file_type == system::DIRECTORY)
    };
    let last = |name: &str| Path::new(name).file_name().unwrap_or_default().to_string_lossy().into_owned();
    match (directory(call, &old), directory(call, &new)) {
        (true, true) => return directories(call, &options, &old, &new),
        (true, false) => old = format!("{}/{}", old.trim_end_matches('/'), last(&new)),
        (false, true) => new = format!("{}/{}", new.trim_end_matches('/'), last(&old)),
        (false, false) => {}
    }
    files(call, &options, &old, &new, None)
}

fn directories(call: &mut Call<'_>, options: &Parsed, old: &str, new: &str) -> i32 {
    let names = |call: &Call<'_>, name: &str| -> BTreeSet<String> {
        call.names(&call.path(name)).unwrap_or_default().into_iter().collect()
    };
    let (here, there) = (names(call, old), names(call, new));
    let excluded: Vec<&str> =
        options.given.iter().filter(|(name, _)| name == "x").filter_map(|(_, value)| value.as_deref()).collect();
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
                let _ = writeln!(call.out, "Only in {}: {name}", old.trim_end_matches('/'));
                code = code.max(DIFFERENT);
            }
            _ => {
                let _ = writeln!(call.out, "Only in {}: {name}", new.trim_end_matches('/'));
                code = code.max(DIFFERENT);
            }
        }
    }
    code
}

/// The options as they were given, which begin what is said of files in directories.
fn given(call: &Call<'_>, options: &Parsed) -> String {
    let quoted = call.args.iter().filter(|arg| !options.operands.contains(arg)).map(String::as_str);
    std::iter::once("diff").chain(quoted).collect::<Vec<_>>().join(" ")
}

/// @param title what the names of two files that differ are told after.
fn files(call: &mut Call<'_>, options: &Parsed, old: &str, new: &str, title: Option<&str>) -> i32 {
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
    if a == b && !(form == Some("y") && !options.has("q")) {
        if options.has("s") {
            let _ = writeln!(call.out, "Files {old} and {new} are identical");
        }
        return SAME;
    }
    let binary = |bytes: &[u8]| bytes.iter().take(4096).any(|byte| *byte == 0);
    if (binary(&a) || binary(&b)) && !options.has("a") {
        let _ = writeln!(call.out, "Binary files {old} and {new} differ");
        return DIFFERENT;
    }
    let (a, b) = (decode_owned(a), decode_owned(b));
    let (one, other): (Vec<&str>, Vec<&str>) = (a.split_inclusive('\n').collect(), b.split_inclusive('\n').collect());
    let mut changes = compare(&keys(options, &one), &keys(options, &other));
    if options.has("B") {
        let blank = |lines: &[&str]| lines.iter().all(|line| line.trim().is_empty());
        changes.retain(|change| !(blank(&one[change.old.0..change.old.1]) && blank(&other[change.new.0..change.new.1])));
    }
    if let Some(pattern) = options.value("I") {
        let ignored = match super::basic_regex::compile(pattern) {
            Ok(ignored) => ignored,
            Err(problem) => {
                call.complain(&format!("{pattern}: {problem}"));
                return TROUBLE;
            }
        };
        let all = |lines: &[&str]| lines.iter().all(|line| ignored.is_match(line.trim_end_matches('\n')));
        changes.retain(|change| !(all(&one[change.old.0..change.old.1]) && all(&other[change.new.0..change.new.1])));
    }
    if form == Some("y") && !options.has("q") {
        let Some(columns) = columns(call, options) else {
            return TROUBLE;
        };
        if let Some(title) = title.filter(|_| !changes.is_empty()) {
            let _ = writeln!(call.out, "{title} {old} {new}");
        }
        if title.is_none() || !changes.is_empty() {
            columns.print(&mut call.out, &one, &other, &changes);
        }
        return if changes.is_empty() { SAME } else { DIFFERENT };
    }
    if changes.is_empty() {
        return SAME;
    }
    if options.has("q") {
        let _ = writeln!(call.out, "Files {old} and {new} differ");
        return DIFFERENT;
    }
    if let Some(title) = title {
        let _ = writeln!(call.out, "{title} {old} {new}");
    }
    let number = |name: &str| options.value(name).and_then(|value| value.parse().ok()).unwrap_or(3);
    let begin = call.out.len();
    match form {
        Some("u") => unified(call, options, (old, &one), (new, &other), &changes, 3),
        Some("U") => unified(call, options, (old, &one), (new, &other), &changes, number("U")),
        Some("c") => context(call, options, (old, &one), (new, &other), &changes, 3),
        Some("C") => context(call, options, (old, &one), (new, &other), &changes, number("C")),
        Some("e") => forms::ed(&mut call.out, &other, &changes),
        Some("n") => forms::rcs(&mut call.out, &other, &changes),
        _ => normal(call, &one, &other, &changes),
    }
    if options.value("color") == Some("always") && !matches!(form, Some("c" | "C" | "e" | "n")) {
        let shown = forms::colored(&call.out[begin..], matches!(form, Some("u" | "U")));
        call.out.replace_range(begin.., &shown);
    }
    DIFFERENT
}

fn columns(call: &mut Call<'_>, options: &Parsed) -> Option<Columns> {
    let given = options.value("W").unwrap_or("130");
    let Some(width) = given.parse().ok().filter(|width| *width > 0) else {
        call.complain(&format!("invalid width '{given}'"));
        return None;
    };
    Some(Columns {
        width,
        expands_tabs: options.has("t"),
        left_column: options.has("left-column"),
        suppresses_common: options.has("suppress-common-lines"),
    })
}

/// What lines are compared by.
fn keys<'a>(options: &Parsed, lines: &[&'a str]) -> Vec<Cow<'a, str>> {
    if !["strip-trailing-cr", "w", "b", "i", "E", "Z"].iter().any(|name| options.has(name)) {
        return lines.iter().map(|line| Cow::Borrowed(*line)).collect();
    }
    lines
        .iter()
        .map(|line| {
            let mut key = (*line).to_string();
            if options.has("strip-trailing-cr") && key.ends_with("\r\n") {
                key.truncate(key.len() - 2);
                key.push('\n');
            }
            if options.has("E") {
                key = expanded(&key);
            }
            if options.has("Z") {
                key = key.trim_end().to_string();
            }
            if options.has("w") {
                key.retain(|letter| !letter.is_whitespace());
            } else if options.has("b") {
                key = key.split_whitespace().collect::<Vec<_>>().join(" ");
                if line.starts_with([' ', '\t']) {
                    key.insert(0, ' ');
                }
            }
            Cow::Owned(if options.has("i") { key.to_lowercase() } else { key })
        })
        .collect()
}

/// With spaces for tabs.
fn expanded(line: &str) -> String {
    let mut out = String::new();
    let mut column = 0;
    for letter in line.chars() {
        let width = if letter == '\t' { 8 - column % 8 } else { 1 };
        out.extend(std::iter::repeat_n(if letter == '\t' { ' ' } else { letter }, width));
        column += width;
    }
    out
}

/// Myers' algorithm in linear space, after what both begin and end with.
fn compare(old: &[Cow<'_, str>], new: &[Cow<'_, str>]) -> Vec<Change> {
    let begin = old.iter().zip(new).take_while(|(a, b)| a == b).count();
    let (old, new) = (&old[begin..], &new[begin..]);
    let end = old.iter().rev().zip(new.iter().rev()).take_while(|(a, b)| a == b).count();
    let mut ids = std::collections::HashMap::new();
    let mut numbered = |lines: &[Cow<'_, str>]| -> Vec<usize> {
        lines
            .iter()
            .map(|line| {
                let next = ids.len();
                *ids.entry(line.to_string()).or_insert(next)
            })
            .collect()
    };
    let (old, new) = (numbered(&old[..old.len() - end]), numbered(&new[..new.len() - end]));
    let mut removed = vec![false; old.len()];
    let mut added = vec![false; new.len()];
    let size = 2 * (old.len() + new.len()) + 3;
    mark(&old, &new, (0, 0), &mut removed, &mut added, &mut vec![0; size], &mut vec![0; size]);
    let mut changes = Vec::new();
    let (mut i, mut j) = (0, 0);
    while i < old.len() || j < new.len() {
        let begun = (i, j);
        while i < old.len() && removed[i] {
            i += 1;
        }
        while j < new.len() && added[j] {
            j += 1;
        }
        if (i, j) == begun {
            i += 1;
            j += 1;
        } else {
            changes.push(Change { old: (begin + begun.0, begin + i), new: (begin + begun.1, begin + j) });
        }
    }
    changes
}

fn mark(
    old: &[usize],
    new: &[usize],
    at: (usize, usize),
    removed: &mut [bool],
    added: &mut [bool],
    forward: &mut [isize],
    backward: &mut [isize],
) {
    let begin = old.iter().zip(new).take_while(|(a, b)| a == b).count();
    let (old, new, at) = (&old[begin..], &new[begin..], (at.0 + begin, at.1 + begin));
    let end = old.iter().rev().zip(new.iter().rev()).take_while(|(a, b)| a == b).count();
    let (old, new) = (&old[..old.len() - end], &new[..new.len() - end]);
    if old.is_empty() {
        added[at.1..at.1 + new.len()].fill(true);
        return;
    }
    if new.is_empty() {
        removed[at.0..at.0 + old.len()].fill(true);
        return;
    }
    let (x, y) = middle(old, new, forward, backward);
    if (x, y) == (0, 0) || (x, y) == (old.len(), new.len()) {
        removed[at.0..at.0 + old.len()].fill(true);
        added[at.1..at.1 + new.len()].fill(true);
        return;
    }
    mark(&old[..x], &new[..y], at, removed, added, forward, backward);
    mark(&old[x..], &new[y..], (at.0 + x, at.1 + y), removed, added, forward, backward);
}

/// A point on a shortest way from the beginning of both to their end, about half-way.
fn middle(old: &[usize], new: &[usize], forward: &mut [isize], backward: &mut [isize]) -> (usize, usize) {
    let (n, m) = (old.len() as isize, new.len() as isize);
    let zero = n + m + 1;
    let delta = n - m;
    let index = |k: isize| (k + zero) as usize;
    forward[index(1)] = 0;
    backward[index(1)] = 0;
    for d in 0..=(n + m + 1) / 2 {
        for k in (-d..=d).step_by(2) {
            let down = k == -d || k != d && forward[index(k - 1)] < forward[index(k + 1)];
            let mut x = if down { forward[index(k + 1)] } else { forward[index(k - 1)] + 1 };
            while x < n && x - k < m && x >= 0 && x - k >= 0 && old[x as usize] == new[(x - k) as usize] {
                x += 1;
            }
            forward[index(k)] = x;
            let other = delta - k;
            if delta % 2 != 0 && (-(d - 1)..=d - 1).contains(&other) && x + backward[index(other)] >= n {
                return (x.clamp(0, n) as usize, (x - k).clamp(0, m) as usize);
            }
        }
        for k in (-d..=d).step_by(2) {
            let down = k == -d || k != d && backward[index(k - 1)] < backward[index(k + 1)];
            let mut x = if down { backward[index(k + 1)] } else { backward[index(k - 1)] + 1 };
            while x < n && x - k < m && x >= 0 && x - k >= 0 && old[(n - 1 - x) as usize] == new[(m - 1 - (x - k)) as usize] {
                x += 1;
            }
            backward[index(k)] = x;
            let other = delta - k;
            if delta % 2 == 0 && (-d..=d).contains(&other) && x + forward[index(other)] >= n {
                return ((n - x).clamp(0, n) as usize, (m - (x - k)).clamp(0, m) as usize);
            }
        }
    }
    (0, 0)
}

fn line(out: &mut String, mark: &str, line: &str) {
    out.push_str(mark);
    out.push_str(line);
    if !line.ends_with('\n') {
        out.push_str("\n\\ No newline at end of file\n");
    }
}

/// A range of lines as diff's normal form has it: from 1, both ends in it.
fn span((from, to): (usize, usize)) -> String {
    match to - from {
        0 => from.to_string(),
        1 => to.to_string(),
        _ => format!("{},{to}", from + 1),
    }
}

fn normal(call: &mut Call<'_>, old: &[&str], new: &[&str], changes: &[Change]) {
    for change in changes {
        let removed = change.old.1 > change.old.0;
        let added = change.new.1 > change.new.0;
        let letter = if removed && added { 'c' } else if removed { 'd' } else { 'a' };
        let _ = writeln!(call.out, "{}{letter}{}", span(change.old), span(change.new));
        for text in &old[change.old.0..change.old.1] {
            line(&mut call.out, "< ", text);
        }
        if letter == 'c' {
            call.out.push_str("---\n");
        }
        for text in &new[change.new.0..change.new.1] {
            line(&mut call.out, "> ", text);
        }
    }
}

/// Changes that are shown together, since no more than twice the context is between them.
fn hunks(changes: &[Change], lines: usize) -> Vec<&[Change]> {
    let mut hunks = Vec::new();
    let mut begin = 0;
    for at in 1..=changes.len() {
        if at == changes.len() || changes[at].old.0 - changes[at - 1].old.1 > 2 * lines {
            hunks.push(&changes[begin..at]);
            begin = at;
        }
    }
    hunks
}

fn header(call: &mut Call<'_>, options: &Parsed, marks: [&str; 2], names: [&str; 2]) {
    let labels: Vec<&str> =
        options.given.iter().filter(|(name, _)| name == "label").filter_map(|(_, value)| value.as_deref()).collect();
    for (at, (mark, name)) in marks.iter().zip(names).enumerate() {
        let told = match labels.get(at) {
            Some(label) => (*label).to_string(),
            None => {
                let modified = call.status(&call.path(name), true).map_or(0, |status| status.modified);
                format!("{name}\t{}", local(modified, call.environment).format("%Y-%m-%d %H:%M:%S.%f %z"))
            }
        };
        let _ = writeln!(call.out, "{mark} {told}");
    }
}

fn unified(
    call: &mut Call<'_>,
    options: &Parsed,
    (old_name, old): (&str, &[&str]),
    (new_name, new): (&str, &[&str]),
    changes: &[Change],
    lines: usize,
) {
    header(call, options, ["---", "+++"], [old_name, new_name]);
    let range = |from: usize, to: usize| match to - from {
        0 => format!("{from},0"),
        1 => to.to_string(),
        count => format!("{},{count}", from + 1),
    };
    for hunk in hunks(changes, lines) {
        let (first, last) = (hunk[0], hunk[hunk.len() - 1]);
        let before = lines.min(first.old.0);
        let after = lines.min(old.len() - last.old.1);
        let (from, to) = (first.old.0 - before, last.old.1 + after);
        let _ = writeln!(
            call.out,
            "@@ -{} +{} @@",
            range(from, to),
            range(first.new.0 - before, last.new.1 + after)
        );
        let mut at = from;
        for change in hunk {
            for text in &old[at..change.old.0] {
                line(&mut call.out, " ", text);
            }
            for text in &old[change.old.0..change.old.1] {
                line(&mut call.out, "-", text);
            }
            for text in &new[change.new.0..change.new.1] {
                line(&mut call.out, "+", text);
            }
            at = change.old.1;
        }
        for text in &old[at..to] {
            line(&mut call.out, " ", text);
        }
    }
}

fn context(
    call: &mut Call<'_>,
    options: &Parsed,
    (old_name, old): (&str, &[&str]),
    (new_name, new): (&str, &[&str]),
    changes: &[Change],
    lines: usize,
) {
    header(call, options, ["***", "---"], [old_name, new_name]);
    let range = |from: usize, to: usize| if to - from <= 1 { to.to_string() } else { format!("{},{to}", from + 1) };
    for hunk in hunks(changes, lines) {
        let (first, last) = (hunk[0], hunk[hunk.len() - 1]);
        let before = lines.min(first.old.0);
        let after = lines.min(old.len() - last.old.1);
        let _ = writeln!(call.out, "***************\n*** {} ****", range(first.old.0 - before, last.old.1 + after));
        if hunk.iter().any(|change| change.old.1 > change.old.0) {
            side(&mut call.out, old, hunk, '-', (first.old.0 - before, last.old.1 + after), |change| change.old, |change| change.new);
        }
        let _ = writeln!(call.out, "--- {} ----", range(first.new.0 - before, last.new.1 + after));
        if hunk.iter().any(|change| change.new.1 > change.new.0) {
            side(&mut call.out, new, hunk, '+', (first.new.0 - before, last.new.1 + after), |change| change.new, |change| change.old);
        }
    }
}

fn side(
    out: &mut String,
    lines: &[&str],
    hunk: &[Change],
    alone: char,
    (from, to): (usize, usize),
    own: fn(&Change) -> (usize, usize),
    other: fn(&Change) -> (usize, usize),
) {
    let mut at = from;
    for change in hunk {
        for text in &lines[at..own(change).0] {
            line(out, "  ", text);
        }
        let both = own(change).1 > own(change).0 && other(change).1 > other(change).0;
        let mark = format!("{} ", if both { '!' } else { alone });
        for text in &lines[own(change).0..own(change).1] {
            line(out, &mark, text);
        }
        at = own(change).1;
    }
    for text in &lines[at..to] {
        line(out, "  ", text);
    }
}
