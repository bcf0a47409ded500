//! util-linux's `rename`: one string for another, in the last part of each name unless one of them has a slash.

use super::moved;
use crate::system;
use crate::tools::options::Parsed;
use crate::tools::{Call, reason};
use std::fs;
use std::path::Path;

const NOTHING_DONE: i32 = 4;

pub fn run(call: &mut Call<'_>, options: &Parsed) -> i32 {
    let [from, to, names @ ..] = options.operands.as_slice() else {
        call.complain("not enough arguments: an expression of Perl's (s/a/b/) and files, or a string, what replaces it, and files");
        return 1;
    };
    if names.is_empty() {
        call.complain("not enough arguments\nTry 'rename --help' for more information.");
        return 1;
    }
    if options.has("i") {
        call.complain("nobody can be asked here: leave out -i, or use -o");
        return 1;
    }
    let (mut done, mut failed) = (0, 0);
    for name in names {
        match one(call, options, name, from, to) {
            Ok(true) => done += 1,
            Ok(false) => {}
            Err(problem) => {
                call.complain(&problem);
                failed += 1;
            }
        }
    }
    match (done, failed) {
        (0, 0) => NOTHING_DONE,
        (_, 0) => 0,
        (0, _) => 1,
        _ => 2,
    }
}

/// @returns whether it was renamed.
fn one(call: &mut Call<'_>, options: &Parsed, name: &str, from: &str, to: &str) -> Result<bool, String> {
    let path = call.path(name);
    let status = call.status(&path, false).map_err(|error| format!("{name}: not accessible: {}", reason(&error)))?;
    let as_link = options.has("s");
    if as_link && status.file_type != system::SYMLINK {
        return Err(format!("{name}: not a symbolic link"));
    }
    let old = if as_link { call.target(&path) } else { name.to_string() };
    let Some(new) = replaced(options, &old, from, to) else { return Ok(false) };
    if options.has("o") && call.status(&call.path(&new), false).is_ok() {
        if options.has("v") {
            call.out.push_str(&format!("Skipping existing {}: `{new}'\n", if as_link { "link" } else { "file" }));
        }
        return Ok(false);
    }
    if !options.has("n") {
        let result = match as_link {
            true => fs::remove_file(&path).and_then(|()| system::symlink(Path::new(&new), &path)),
            false => moved(&path, &call.path(&new)),
        };
        result.map_err(|error| format!("{name}: rename to {new} failed: {}", reason(&error)))?;
    }
    if options.has("v") {
        let link = if as_link { format!("{name}: ") } else { String::new() };
        call.out.push_str(&format!("{link}`{old}' -> `{new}'\n"));
    }
    Ok(true)
}

/// @returns nothing if there is nothing to replace.
fn replaced(options: &Parsed, name: &str, from: &str, to: &str) -> Option<String> {
    let whole = from.contains('/') || to.contains('/');
    let at = if whole { 0 } else { name.rfind('/').map_or(0, |at| at + 1) };
    let (above, own) = name.split_at(at);
    let new = match options.last_of(&["a", "l"]) {
        _ if from.is_empty() => format!("{to}{own}"),
        Some("a") => own.replace(from, to),
        Some(_) => own.rfind(from).map(|at| format!("{}{to}{}", &own[..at], &own[at + from.len()..]))?,
        None => own.replacen(from, to, 1),
    };
    (own.contains(from) && new != own).then(|| format!("{above}{new}"))
}
