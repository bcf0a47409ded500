//! `chmod`.

use super::{Call, mode, reason};
use crate::system::{self, Status};
use std::path::Path;

const USAGE: &str = "missing operand\nTry 'chmod --help' for more information.";

#[derive(Default)]
struct Options {
    recursive: bool,
    verbose: bool,
    changes: bool,
    quiet: bool,
}

pub fn run(call: &mut Call<'_>) -> i32 {
    let mut options = Options::default();
    let mut wanted: Option<String> = None;
    let mut names = Vec::new();
    let mut ended = false;
    let mut rest = call.args.iter();
    // A mode may begin with a dash itself: -x, -rw.
    while let Some(arg) = rest.next() {
        match arg.as_str() {
            _ if ended || !arg.starts_with('-') || arg == "-" => names.push(arg.clone()),
            "--" => ended = true,
            "--recursive" => options.recursive = true,
            "--verbose" => options.verbose = true,
            "--changes" => options.changes = true,
            "--silent" | "--quiet" => options.quiet = true,
            "--preserve-root" | "--no-preserve-root" => {}
            _ if arg == "--reference" || arg.starts_with("--reference=") => {
                let Some(name) = arg.strip_prefix("--reference=").or_else(|| rest.next().map(String::as_str)) else {
                    call.complain("option '--reference' requires an argument\nTry 'chmod --help' for more information.");
                    return 1;
                };
                match call.status(&call.path(name), true) {
                    Ok(status) => wanted = Some(format!("{:o}", status.mode)),
                    Err(error) => {
                        call.complain(&format!("failed to get attributes of '{name}': {}", reason(&error)));
                        return 1;
                    }
                }
            }
            _ if arg.starts_with("--") => {
                call.complain(&format!("unrecognized option '{arg}'"));
                return 1;
            }
            _ if arg[1..].chars().all(|letter| "Rvcf".contains(letter)) => {
                for letter in arg[1..].chars() {
                    match letter {
                        'R' => options.recursive = true,
                        'v' => options.verbose = true,
                        'c' => options.changes = true,
                        _ => options.quiet = true,
                    }
                }
            }
            _ => wanted = Some(arg.clone()),
        }
    }
    if wanted.is_none() && !names.is_empty() {
        wanted = Some(names.remove(0));
    }
    let Some(wanted) = wanted.filter(|_| !names.is_empty()) else {
        call.complain(USAGE);
        return 1;
    };
    if mode::changed(&wanted, 0, false).is_none() {
        call.complain(&format!("invalid mode: ‘{wanted}’"));
        return 1;
    }
    let mut code = 0;
    for name in names {
        let path = call.path(&name);
        code = code.max(change(call, &options, &wanted, &path, &name));
    }
    code
}

fn change(call: &mut Call<'_>, options: &Options, wanted: &str, path: &Path, name: &str) -> i32 {
    let status = match call.status(path, true) {
        Ok(status) => status,
        Err(error) => {
            if !options.quiet {
                call.complain(&format!("cannot access '{name}': {}", reason(&error)));
            }
            return 1;
        }
    };
    let directory = status.file_type == system::DIRECTORY;
    let mode = mode::changed(wanted, status.mode, directory).unwrap_or(status.mode);
    let mut code = match system::chmod(path, mode) {
        Ok(()) => 0,
        Err(error) => {
            if !options.quiet {
                call.complain(&format!("changing permissions of '{name}': {}", reason(&error)));
            }
            1
        }
    };
    if code == 0 && (options.verbose || options.changes && mode != status.mode) {
        tell(call, name, &status, mode);
    }
    if options.recursive && directory {
        for below in call.names(path).unwrap_or_default() {
            let at = path.join(&below);
            if call.status(&at, false).is_ok_and(|status| status.file_type != system::SYMLINK) {
                let name = format!("{}/{below}", name.trim_end_matches('/'));
                code = code.max(change(call, options, wanted, &at, &name));
            }
        }
    }
    code
}

fn tell(call: &mut Call<'_>, name: &str, before: &Status, mode: u32) {
    let shown = |mode: u32| format!("{mode:04o} ({})", &mode::symbolic(&Status { mode, ..before.copy() })[1..]);
    let line = if before.mode == mode {
        format!("mode of '{name}' retained as {}\n", shown(mode))
    } else {
        format!("mode of '{name}' changed from {} to {}\n", shown(before.mode), shown(mode))
    };
    call.out.push_str(&line);
}
