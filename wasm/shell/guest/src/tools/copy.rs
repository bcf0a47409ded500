//! `cp`.

use super::options::{Parsed, Spec, Value, parse};
use super::transfer::{Existing, Policy, Transfer, quoted, same_file, told, transfers};
use super::Call;
use crate::files;
use crate::system::{self, Status};
use std::collections::{HashMap, HashSet};
use std::path::{Path, PathBuf};
use std::{fs, io};

const OPTIONS: &[Spec] = &[
    Spec('a', "archive", Value::None),
    Spec('b', "", Value::None),
    Spec('\0', "backup", Value::Optional),
    Spec('d', "", Value::None),
    Spec('f', "force", Value::None),
    Spec('i', "interactive", Value::None),
    Spec('H', "", Value::None),
    Spec('l', "link", Value::None),
    Spec('L', "dereference", Value::None),
    Spec('n', "no-clobber", Value::None),
    Spec('P', "no-dereference", Value::None),
    Spec('p', "", Value::None),
    Spec('\0', "preserve", Value::Optional),
    Spec('\0', "no-preserve", Value::Required),
    Spec('\0', "parents", Value::None),
    Spec('r', "recursive", Value::None),
    Spec('R', "", Value::None),
    Spec('\0', "reflink", Value::Optional),
    Spec('\0', "remove-destination", Value::None),
    Spec('\0', "sparse", Value::Required),
    Spec('s', "symbolic-link", Value::None),
    Spec('S', "suffix", Value::Required),
    Spec('t', "target-directory", Value::Required),
    Spec('T', "no-target-directory", Value::None),
    Spec('u', "update", Value::None),
    Spec('v', "verbose", Value::None),
    Spec('x', "one-file-system", Value::None),
];

pub fn run(call: &mut Call<'_>) -> i32 {
    let options = match parse(call.args, OPTIONS) {
        Ok(options) => options,
        Err(problem) => {
            call.complain(&format!("{problem}\nTry 'cp --help' for more information."));
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
    let parents = options.has("parents");
    let Some(work) = transfers(call, &options, parents) else { return 1 };
    let mut copying = Copying::new(&options, policy);
    for transfer in work {
        if parents && !copying.ancestors(call, &transfer) {
            continue;
        }
        copying.operand(call, &transfer);
    }
    copying.code
}

struct Copying {
    policy: Policy,
    recursive: bool,
    /// Whether symlinks are followed: those that are operands, and all others.
    follow_operands: bool,
    follow: bool,
    mode: bool,
    times: bool,
    links: bool,
    hard: bool,
    symbolic: bool,
    remove: bool,
    verbose: bool,
    /// Where files of several names went, by their inodes.
    copied: HashMap<u64, PathBuf>,
    /// What was put where, which nothing else may be put in the place of.
    made: HashSet<PathBuf>,
    /// The directories that it is in.
    within: Vec<u64>,
    code: i32,
}

impl Copying {
    fn new(options: &Parsed, policy: Policy) -> Self {
        let archive = options.has("a");
        let recursive = archive || options.has("r") || options.has("R");
        let last = options.last_of(&["a", "d", "H", "L", "P"]);
        let mut copying = Copying {
            policy,
            recursive,
            follow_operands: matches!(last, Some("H" | "L")) || (last.is_none() && !recursive),
            follow: last == Some("L") || (last.is_none() && !recursive),
            mode: archive || options.has("p"),
            times: archive || options.has("p"),
            links: archive || options.has("d"),
            hard: options.has("l"),
            symbolic: options.has("s"),
            remove: options.has("remove-destination") || options.has("f"),
            verbose: options.has("v"),
            copied: HashMap::new(),
            made: HashSet::new(),
            within: Vec::new(),
            code: 0,
        };
        for (name, value) in &options.given {
            if name != "preserve" && name != "no-preserve" {
                continue;
            }
            for attribute in value.as_deref().unwrap_or("mode,timestamps").split(',') {
                let on = name == "preserve";
                match attribute {
                    "mode" => copying.mode = on,
                    "timestamps" => copying.times = on,
                    "links" => copying.links = on,
                    "all" => (copying.mode, copying.times, copying.links) = (on, on, on),
                    _ => {}
                }
            }
        }
        copying
    }

    fn fail(&mut self, call: &mut Call<'_>, what: &str) {
        call.complain(what);
        self.code = 1;
    }

    fn failed(&mut self, call: &mut Call<'_>, what: &str, error: &io::Error) {
        told(call, what, error);
        self.code = 1;
    }

    /// Makes the directories above a target as they are above its source.
    fn ancestors(&mut self, call: &mut Call<'_>, transfer: &Transfer) -> bool {
        let own = transfer.from.trim_end_matches('/');
        let Some((above, _)) = own.rsplit_once('/') else { return true };
        let root = transfer.to[..transfer.to.len() - own.trim_start_matches('/').len()].to_string();
        let mut so_far = String::new();
        for part in above.split('/') {
            so_far.push_str(part);
            let target = call.path(&format!("{root}{}", so_far.trim_start_matches('/')));
            if !so_far.is_empty() && system::status(&target, true).is_err() {
                if let Err(error) = fs::create_dir(&target) {
                    self.failed(call, &format!("cannot make directory {}", quoted(&target.to_string_lossy())), &error);
                    return false;
                }
                if self.verbose {
                    call.out.push_str(&format!("{so_far} -> {root}{so_far}\n"));
                }
            }
            so_far.push('/');
        }
        true
    }

    fn operand(&mut self, call: &mut Call<'_>, transfer: &Transfer) {
        let Transfer { from, to, source, target } = transfer;
        let status = match call.status(source, self.follow_operands || from.ends_with('/') || crate::files::is_alias(source)) {
            Ok(status) => status,
            Err(error) => return self.failed(call, &format!("cannot stat {}", quoted(from)), &error),
        };
        if status.file_type == system::DIRECTORY && !self.recursive {
            return self.fail(call, &format!("-r not specified; omitting directory {}", quoted(from)));
        }
        if status.file_type != system::DIRECTORY && to.ends_with('/') && system::status(target, true).is_err() {
            return self.fail(call, &format!("cannot create regular file {}: Not a directory", quoted(to)));
        }
        self.copy(call, transfer, &status);
    }

    fn copy(&mut self, call: &mut Call<'_>, transfer: &Transfer, status: &Status) {
        if status.file_type == system::DIRECTORY { self.directory(call, transfer, status) } else { self.file(call, transfer, status) }
    }

    fn directory(&mut self, call: &mut Call<'_>, transfer: &Transfer, status: &Status) {
        let Transfer { from, to, source, target } = transfer;
        if self.within.contains(&status.inode) {
            return self.fail(call, &format!("cannot copy cyclic symbolic link {}", quoted(from)));
        }
        if target.starts_with(source) && target != source || same_file(source, target, true) {
            return self.fail(call, &format!("cannot copy a directory, {}, into itself, {}", quoted(from), quoted(to)));
        }
        match system::status(target, true) {
            Ok(there) if there.file_type == system::DIRECTORY => {}
            Ok(_) => return self.fail(call, &format!("cannot overwrite non-directory {} with directory {}", quoted(to), quoted(from))),
            Err(_) => {
                if let Err(error) = fs::create_dir(target) {
                    return self.failed(call, &format!("cannot create directory {}", quoted(to)), &error);
                }
                let mask = if self.mode { 0 } else { bashkit::current_umask() };
                if let Err(error) = system::chmod(target, status.mode & 0o7777 & !mask) {
                    self.failed(call, &format!("setting permissions for {}", quoted(to)), &error);
                }
                if self.verbose {
                    call.out.push_str(&format!("{} -> {}\n", quoted(from), quoted(to)));
                }
            }
        }
        let mut names = match call.names(source) {
            Ok(names) => names,
            Err(error) => return self.failed(call, &format!("cannot access {}", quoted(from)), &error),
        };
        names.sort();
        self.within.push(status.inode);
        for name in names {
            let below = Transfer {
                from: format!("{}/{name}", from.trim_end_matches('/')),
                to: format!("{}/{name}", to.trim_end_matches('/')),
                source: source.join(&name),
                target: target.join(&name),
            };
            match call.status(&below.source, self.follow) {
                Ok(status) => self.copy(call, &below, &status),
                Err(error) => self.failed(call, &format!("cannot stat {}", quoted(&below.from)), &error),
            }
        }
        self.within.pop();
        if self.times {
            let _ = system::set_modified(target, status.modified);
        }
    }

    fn file(&mut self, call: &mut Call<'_>, transfer: &Transfer, status: &Status) {
        let Transfer { from, to, source, target } = transfer;
        if same_file(source, target, !self.hard) && !(self.remove && source != target) {
            if !self.hard {
                self.fail(call, &format!("{} and {} are the same file", quoted(from), quoted(to)));
            }
            return;
        }
        if system::status(target, true).is_ok_and(|there| there.file_type == system::DIRECTORY) {
            return self.fail(call, &format!("cannot overwrite directory {} with non-directory", quoted(to)));
        }
        match self.policy.allows(call, transfer, &self.made) {
            Ok(true) => {}
            Ok(false) => return,
            Err(problem) => return self.fail(call, &problem),
        }
        let aside = match self.policy.make_way(source, target, to) {
            Ok((Existing::Kept, _)) => return,
            Ok((_, aside)) => aside,
            Err(error) => return self.failed(call, &format!("cannot backup {}", quoted(to)), &error),
        };
        if let Err(error) = self.write(call, transfer, status) {
            return self.failed(call, &format!("cannot create regular file {}", quoted(to)), &error);
        }
        self.made.insert(target.clone());
        if self.verbose {
            let aside = aside.map_or(String::new(), |name| format!(" (backup: {})", quoted(&name)));
            call.out.push_str(&format!("{} -> {}{aside}\n", quoted(from), quoted(to)));
        }
    }

    fn write(&mut self, call: &mut Call<'_>, transfer: &Transfer, status: &Status) -> io::Result<()> {
        let Transfer { from, source, target, .. } = transfer;
        let there = system::status(target, false);
        let as_link = status.file_type == system::SYMLINK;
        if there.is_ok() && (self.remove || as_link || self.hard || self.symbolic) {
            fs::remove_file(target)?;
        }
        if self.symbolic {
            return system::symlink(Path::new(from), target);
        }
        if self.hard {
            return system::link(source, target);
        }
        if self.links && status.links > 1 {
            if let Some(first) = self.copied.get(&status.inode) {
                let _ = fs::remove_file(target);
                return system::link(first, target);
            }
            self.copied.insert(status.inode, target.clone());
        }
        if as_link {
            return system::symlink(Path::new(&call.target(source)), target);
        }
        let fresh = system::status(target, true).is_err();
        if super::source::INPUT_NAMES.contains(&from.as_str()) || system::status(source, true).is_err() || source.starts_with("/dev") {
            let bytes = if source == Path::new("/dev/null") { Vec::new() } else if files::is_endless(source) {
                return Err(io::Error::from(io::ErrorKind::InvalidInput));
            } else {
                call.read(from)?
            };
            fs::write(target, bytes)?;
        } else {
            let mut input = fs::File::open(source)?;
            io::copy(&mut input, &mut fs::File::create(target)?)?;
        }
        if self.mode {
            system::chmod(target, status.mode & 0o7777)?;
        } else if fresh {
            system::chmod(target, status.mode & 0o777 & !bashkit::current_umask())?;
        }
        if self.times {
            system::set_modified(target, status.modified)?;
        }
        Ok(())
    }
}
