//! `mv`.

use super::options::{Spec, Value, parse};
use super::transfer::{Existing, Policy, Transfer, quoted, same_file, told, transfers};
use super::Call;
use crate::files;
use crate::system;
use std::collections::HashSet;
use std::fs;
use std::io;
use std::path::PathBuf;

const OPTIONS: &[Spec] = &[
    Spec('b', "", Value::None),
    Spec('\0', "backup", Value::Optional),
    Spec('f', "force", Value::None),
    Spec('i', "interactive", Value::None),
    Spec('n', "no-clobber", Value::None),
    Spec('\0', "strip-trailing-slashes", Value::None),
    Spec('S', "suffix", Value::Required),
    Spec('t', "target-directory", Value::Required),
    Spec('T', "no-target-directory", Value::None),
    Spec('u', "update", Value::None),
    Spec('v', "verbose", Value::None),
];

pub fn run(call: &mut Call<'_>) -> i32 {
    let options = match parse(call.args, OPTIONS) {
        Ok(options) => options,
        Err(problem) => {
            call.complain(&format!("{problem}\nTry 'mv --help' for more information."));
            return 1;
        }
    };
    let policy = match Policy::of(&options) {
        Ok(policy) => policy,
        Err(problem) => {
            call.complain(&problem);
            return 1;
        }
    };
    let Some(work) = transfers(call, &options, false) else { return 1 };
    let mut code = 0;
    let mut made = HashSet::new();
    for transfer in work {
        let done = moved(call, &policy, &transfer, &made);
        if let Ok(Some(_)) = &done {
            made.insert(transfer.target.clone());
        }
        match done {
            Ok(Some(aside)) if options.has("v") => {
                let Transfer { from, to, .. } = &transfer;
                call.out.push_str(&format!("renamed {} -> {}{aside}\n", quoted(from), quoted(to)));
            }
            Ok(_) => {}
            Err(()) => code = 1,
        }
    }
    code
}

/// @returns what is to be told beside its names; nothing if it stays. Errors are told.
fn moved(call: &mut Call<'_>, policy: &Policy, transfer: &Transfer, made: &HashSet<PathBuf>) -> Result<Option<String>, ()> {
    let Transfer { from, to, source, target } = transfer;
    let status = match system::status(source, false) {
        Ok(status) => status,
        Err(error) => return fail(call, format!("cannot stat {}", quoted(from)), &error),
    };
    let directory = status.file_type == system::DIRECTORY;
    if same_file(source, target, false) {
        if source != target && !directory && status.links > 1 {
            return fs::remove_file(source).map(|()| Some(String::new())).or_else(|error| fail(call, format!("cannot remove {}", quoted(from)), &error));
        }
        call.complain(&format!("{} and {} are the same file", quoted(from), quoted(to)));
        return Err(());
    }
    if directory && target.starts_with(source) {
        call.complain(&format!("cannot move {} to a subdirectory of itself, {}", quoted(from), quoted(to)));
        return Err(());
    }
    let there = system::status(target, false);
    match &there {
        // What a link leads to is not asked: the link itself is replaced.
        Ok(there) if !directory && there.file_type == system::DIRECTORY => {
            call.complain(&format!("cannot overwrite directory {} with non-directory", quoted(to)));
            return Err(());
        }
        Ok(there) if directory && there.file_type != system::DIRECTORY => {
            call.complain(&format!("cannot overwrite non-directory {} with directory {}", quoted(to), quoted(from)));
            return Err(());
        }
        Err(_) if !directory && to.ends_with('/') => {
            call.complain(&format!("cannot move {} to {}: Not a directory", quoted(from), quoted(to)));
            return Err(());
        }
        _ => {}
    }
    match policy.allows(call, transfer, made) {
        Ok(true) => {}
        Ok(false) => return Ok(None),
        Err(problem) => {
            call.complain(&problem);
            return Err(());
        }
    }
    let aside = match policy.make_way(source, target, to) {
        Ok((Existing::Kept, _)) => return Ok(None),
        Ok((_, aside)) => aside,
        Err(error) => return fail(call, format!("cannot backup {}", quoted(to)), &error),
    };
    // What a device is given is gone.
    let result = if there.as_ref().is_ok_and(|there| there.file_type == system::DEVICE) {
        fs::remove_file(source)
    } else {
        match fs::rename(source, target) {
            Err(error) if error.kind() == io::ErrorKind::CrossesDevices => files::carry(source, target),
            result => result,
        }
    };
    match result {
        Ok(()) => Ok(Some(aside.map_or(String::new(), |name| format!(" (backup: {})", quoted(&name))))),
        Err(error) => fail(call, format!("cannot move {} to {}", quoted(from), quoted(to)), &error),
    }
}

fn fail(call: &mut Call<'_>, what: String, error: &io::Error) -> Result<Option<String>, ()> {
    told(call, &what, error);
    Err(())
}
