//! `rm`.

use super::options::{Parsed, Spec, Value, parse};
use super::{Call, reason};
use std::fs;
use std::io;
use std::path::Path;

const OPTIONS: &[Spec] = &[
    Spec('r', "recursive", Value::None),
    Spec('R', "", Value::None),
    Spec('f', "force", Value::None),
    Spec('i', "", Value::None),
    Spec('I', "", Value::None),
    Spec('\0', "interactive", Value::Optional),
    Spec('d', "dir", Value::None),
    Spec('v', "verbose", Value::None),
    Spec('\0', "one-file-system", Value::None),
    Spec('\0', "preserve-root", Value::Optional),
    Spec('\0', "no-preserve-root", Value::None),
];

pub fn run(call: &mut Call<'_>) -> i32 {
    let options = match parse(call.args, OPTIONS) {
        Ok(options) => options,
        Err(problem) => {
            call.complain(&format!("{problem}\nTry 'rm --help' for more information."));
            return 1;
        }
    };
    let last = options.last_of(&["f", "i", "I", "interactive"]);
    let asking = match (last, options.value("interactive")) {
        (Some("i"), _) | (Some("interactive"), None | Some("always" | "yes")) => Asking::Always,
        (Some("I"), _) | (Some("interactive"), Some("once")) => Asking::Once,
        (Some("interactive"), Some(when)) if !["never", "no", "none"].contains(&when) => {
            call.complain(&format!("invalid argument '{when}' for '--interactive'"));
            return 1;
        }
        _ => Asking::Never,
    };
    let force = last == Some("f");
    if options.operands.is_empty() && !force {
        call.complain("missing operand\nTry 'rm --help' for more information.");
        return 1;
    }
    let recursive = options.has("r") || options.has("R");
    let count = options.operands.len();
    if asking == Asking::Once && (recursive || count > 3) {
        let (many, deep) = (if count == 1 { "" } else { "s" }, if recursive { " recursively" } else { "" });
        if !call.agrees(&format!("remove {count} argument{many}{deep}?")) {
            return 0;
        }
    }
    let asks = asking == Asking::Always;
    let mut removal = Removal { options: &options, force, recursive, asks, read_only: false, code: 0 };
    for name in &options.operands {
        removal.operand(call, name);
    }
    removal.code
}

/// When somebody is asked: `-i`, `-I`.
#[derive(PartialEq)]
enum Asking {
    Never,
    Once,
    Always,
}

struct Removal<'a> {
    options: &'a Parsed,
    force: bool,
    recursive: bool,
    asks: bool,
    /// Nothing can be removed from where it looked last: there is no use in trying what else is there.
    read_only: bool,
    code: i32,
}

impl Removal<'_> {
    fn fail(&mut self, call: &mut Call<'_>, message: &str) {
        call.complain(message);
        self.code = 1;
    }

    fn operand(&mut self, call: &mut Call<'_>, name: &str) {
        let plain = name.trim_end_matches('/');
        if self.recursive && matches!(plain.rsplit('/').next(), Some("." | "..")) {
            return self.fail(call, &format!("refusing to remove '.' or '..' directory: skipping '{name}'"));
        }
        let path = call.path(name);
        if self.recursive && path == Path::new("/") && !self.options.has("no-preserve-root") {
            call.complain("it is dangerous to operate recursively on '/'");
            return self.fail(call, "use --no-preserve-root to override this failsafe");
        }
        self.read_only = false;
        self.remove(call, &path, name);
    }

    /// @returns whether it is gone.
    fn remove(&mut self, call: &mut Call<'_>, path: &Path, name: &str) -> bool {
        let kind = match fs::symlink_metadata(path) {
            Ok(metadata) => metadata.file_type(),
            Err(error) if error.kind() == io::ErrorKind::NotFound => {
                if call.status(path, false).is_ok() {
                    self.fail(call, &format!("cannot remove '{name}': Read-only file system"));
                } else if !self.force {
                    self.fail(call, &format!("cannot remove '{name}': No such file or directory"));
                }
                return false;
            }
            Err(error) => {
                if !self.force || error.kind() != io::ErrorKind::NotADirectory {
                    self.fail(call, &format!("cannot remove '{name}': {}", reason(&error)));
                }
                return false;
            }
        };
        if !kind.is_dir() {
            let empty = fs::symlink_metadata(path).is_ok_and(|metadata| metadata.len() == 0);
            let what = if kind.is_symlink() { "symbolic link" } else if empty { "regular empty file" } else { "regular file" };
            if self.asks && !call.agrees(&format!("remove {what} '{name}'?")) {
                return false;
            }
            return self.removed(call, name, fs::remove_file(path), "removed");
        }
        if self.recursive {
            let holds_any = || fs::read_dir(path).is_ok_and(|mut entries| entries.next().is_some());
            if self.asks && holds_any() && !call.agrees(&format!("descend into directory '{name}'?")) {
                return false;
            }
            if !self.children(call, path, name) {
                return false;
            }
        } else if !self.options.has("d") {
            self.fail(call, &format!("cannot remove '{name}': Is a directory"));
            return false;
        }
        if self.asks && !call.agrees(&format!("remove directory '{name}'?")) {
            return false;
        }
        self.removed(call, name, fs::remove_dir(path), "removed directory")
    }

    fn children(&mut self, call: &mut Call<'_>, path: &Path, name: &str) -> bool {
        let names: io::Result<Vec<_>> =
            fs::read_dir(path).and_then(|entries| entries.map(|entry| Ok(entry?.file_name())).collect());
        match names {
            Ok(names) => {
                let mut empty = true;
                for child in names {
                    let shown = format!("{}/{}", name.trim_end_matches('/'), child.to_string_lossy());
                    empty &= self.remove(call, &path.join(&child), &shown);
                    if self.read_only {
                        break;
                    }
                }
                empty
            }
            Err(error) => {
                self.fail(call, &format!("cannot remove '{name}': {}", reason(&error)));
                false
            }
        }
    }

    fn removed(&mut self, call: &mut Call<'_>, name: &str, result: io::Result<()>, verb: &str) -> bool {
        match result {
            Ok(()) => {
                if self.options.has("v") {
                    call.out.push_str(&format!("{verb} '{name}'\n"));
                }
                true
            }
            Err(error) => {
                self.read_only = error.kind() == io::ErrorKind::ReadOnlyFilesystem;
                self.fail(call, &format!("cannot remove '{name}': {}", reason(&error)));
                false
            }
        }
    }
}
