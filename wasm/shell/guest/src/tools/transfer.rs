//! What `cp` and `mv` have in common: where each operand goes to, and what is in its way there.

use super::options::Parsed;
use super::{Call, reason};
use crate::system;
use std::collections::HashSet;
use std::path::{Path, PathBuf};
use std::{fs, io};

/// One operand, by its names and where they lead.
pub struct Transfer {
    pub from: String,
    pub to: String,
    pub source: PathBuf,
    pub target: PathBuf,
}

/// Names what GNU's tools print of a name: in quotes.
pub fn quoted(name: &str) -> String {
    if name.contains('\'') { format!("\"{name}\"") } else { format!("'{name}'") }
}

pub fn is_directory(path: &Path) -> bool {
    system::status(path, true).is_ok_and(|status| status.file_type == system::DIRECTORY)
}

/// What the last operand, `-t` and `-T` say of all. @param parents Whether the whole of each name goes below the directory.
pub fn transfers(call: &mut Call<'_>, options: &Parsed, parents: bool) -> Option<Vec<Transfer>> {
    let mut names = options.operands.clone();
    let hint = format!("\nTry '{} --help' for more information.", call.name);
    let directory = match options.value("t") {
        Some(_) if names.is_empty() => {
            call.complain(&format!("missing file operand{hint}"));
            return None;
        }
        Some(directory) => {
            if !is_directory(&call.path(directory)) {
                call.complain(&format!("target directory {}: No such file or directory", quoted(directory)));
                return None;
            }
            Some(directory.to_string())
        }
        None => {
            let Some(last) = names.pop() else {
                call.complain(&format!("missing file operand{hint}"));
                return None;
            };
            if names.is_empty() {
                call.complain(&format!("missing destination file operand after {}{hint}", quoted(&last)));
                return None;
            }
            if options.has("T") {
                if let Some(extra) = names.get(1) {
                    call.complain(&format!("extra operand {}{hint}", quoted(extra)));
                    return None;
                }
                let [from] = names.as_slice() else { return None };
                return Some(vec![transfer(call, from, last)]);
            }
            let fits = is_directory(&call.path(&last));
            if !fits && (names.len() > 1 || parents) {
                call.complain(&format!("target {}: No such file or directory", quoted(&last)));
                return None;
            }
            if !fits {
                return Some(vec![transfer(call, &names[0], last)]);
            }
            Some(last)
        }
    };
    let below = directory.unwrap_or_default();
    let below = if below == "/" { "" } else { below.strip_suffix('/').unwrap_or(&below) };
    let placed = names.iter().map(|name| {
        let own = name.trim_end_matches('/');
        let base = if parents { own.trim_start_matches('/') } else { own.rsplit('/').next().unwrap_or(own) };
        transfer(call, name, if base == ".." { format!("{below}/.") } else { format!("{below}/{base}") })
    });
    Some(placed.collect())
}

fn transfer(call: &Call<'_>, from: &str, to: String) -> Transfer {
    Transfer { source: call.path(from), target: call.path(&to), from: from.to_string(), to }
}

/// What is to become of a file that is there already.
#[derive(PartialEq)]
pub enum Existing {
    Replaced,
    Kept,
}

/// What the options say: `-n`, `-u`, `--backup`.
pub struct Policy {
    keep: bool,
    asks: bool,
    update: bool,
    backup: Option<String>,
    suffix: String,
}

impl Policy {
    /// @returns what is wrong with them.
    pub fn of(options: &Parsed) -> Result<Self, String> {
        let last = options.last_of(&["f", "i", "n"]);
        let control = options.value("backup").unwrap_or(if options.has("S") || options.has("b") || options.has("backup") {
            "existing"
        } else {
            "none"
        });
        let backup = match control {
            "none" | "off" => None,
            "simple" | "never" | "numbered" | "t" | "existing" | "nil" => Some(control.to_string()),
            _ => return Err(format!("invalid argument {} for 'backup type'", quoted(control))),
        };
        Ok(Policy {
            keep: last == Some("n"),
            asks: last == Some("i"),
            update: options.has("u"),
            backup,
            suffix: options.value("S").unwrap_or("~").to_string(),
        })
    }

    /// Whether to go on, of which somebody may have to be asked. @param made What this command has put there itself.
    /// @returns why not, where that is an error
    pub fn allows(&self, call: &mut Call<'_>, transfer: &Transfer, made: &HashSet<PathBuf>) -> Result<bool, String> {
        let Transfer { from, to, target, .. } = transfer;
        if system::status(target, false).is_err() {
            return Ok(true);
        }
        if made.contains(target) && self.backup.is_none() {
            return Err(format!("will not overwrite just-created {} with {}", quoted(to), quoted(from)));
        }
        Ok(!self.asks || call.agrees(&format!("overwrite {}?", quoted(to))))
    }

    /// Looks at what is at the target, and puts it aside where that is wanted. @returns the name that it has then, too.
    pub fn make_way(&self, source: &Path, target: &Path, shown: &str) -> io::Result<(Existing, Option<String>)> {
        let Ok(there) = system::status(target, false) else {
            return Ok((Existing::Replaced, None));
        };
        let older = || system::status(source, true).is_ok_and(|status| status.modified <= there.modified);
        if self.keep || (self.update && older()) {
            return Ok((Existing::Kept, None));
        }
        let Some(control) = &self.backup else { return Ok((Existing::Replaced, None)) };
        let numbered = |number: u32| format!(".~{number}~");
        let exists = |suffix: &str| system::status(&with_suffix(target, suffix), false).is_ok();
        let next = (1..).find(|number| !exists(&numbered(*number))).unwrap_or(1);
        let suffix = match control.as_str() {
            "numbered" | "t" => numbered(next),
            "existing" | "nil" if next > 1 => numbered(next),
            _ => self.suffix.clone(),
        };
        fs::rename(target, with_suffix(target, &suffix))?;
        Ok((Existing::Replaced, Some(format!("{shown}{suffix}"))))
    }
}

fn with_suffix(path: &Path, suffix: &str) -> PathBuf {
    let mut name = path.as_os_str().to_os_string();
    name.push(suffix);
    PathBuf::from(name)
}

/// Whether two names are those of one file.
pub fn same_file(one: &Path, other: &Path, follow: bool) -> bool {
    match (system::status(one, follow), system::status(other, follow)) {
        (Ok(one), Ok(other)) => one.inode == other.inode && one.file_type == other.file_type,
        _ => false,
    }
}

pub fn told(call: &mut Call<'_>, what: &str, error: &io::Error) {
    call.complain(&format!("{what}: {}", reason(error)));
}
