//! What is to be copied: all names with what they are, in the order in which rsync goes through them.

use super::filter::Side;
use super::order::Order;
use super::{Failure, USAGE, unsafe_link};
use crate::system::{self, Status};
use crate::tools::{Call, reason};
use std::cmp::Ordering;
use std::path::{Path, PathBuf};

pub struct Entry {
    /// From the target on; `.`: the target itself.
    pub name: String,
    /// As it is told: whole paths that `--relative` keeps have their slash.
    pub shown: String,
    pub source: PathBuf,
    pub status: Status,
    pub mode: u32,
    /// Of a symlink.
    pub leads_to: Option<String>,
    /// Whether what is in a directory is to be copied, too: only then is what else is there deleted.
    pub whole: bool,
}

impl Entry {
    pub fn is_directory(&self) -> bool {
        self.status.file_type == system::DIRECTORY
    }

    pub fn is_link(&self) -> bool {
        self.leads_to.is_some()
    }

    pub fn is_file(&self) -> bool {
        self.status.file_type == system::FILE
    }

    /// What it counts for in sums.
    pub fn size(&self) -> u64 {
        match &self.leads_to {
            Some(target) => target.len() as u64,
            None if self.is_file() => self.status.size,
            None => 0,
        }
    }
}

pub struct Sources<'a> {
    order: &'a Order,
    pub entries: Vec<Entry>,
    /// Whether something could not be looked at: nothing is deleted then.
    pub incomplete: bool,
    pub failed: bool,
    /// Inodes of the directories that it is in: links that are followed may lead back there.
    within: Vec<u64>,
}

impl<'a> Sources<'a> {
    pub fn of(call: &mut Call<'_>, order: &'a Order) -> Result<Self, Failure> {
        let mut sources = Sources { order, entries: Vec::new(), incomplete: false, failed: false, within: Vec::new() };
        match &order.names {
            Some(names) => {
                let root = order.sources[0].trim_end_matches('/');
                let root = if root.is_empty() { "/" } else { root };
                for name in names {
                    let name = name.trim_start_matches('/');
                    sources.operand(call, &format!("{root}/./{name}"))?;
                }
            }
            None => {
                for source in &order.sources {
                    sources.operand(call, source)?;
                }
            }
        }
        sources.settle();
        Ok(sources)
    }

    fn operand(&mut self, call: &mut Call<'_>, operand: &str) -> Result<(), Failure> {
        let whole = matches!(operand.rsplit('/').next(), Some("" | "." | ".."));
        let (base, name) = match operand.split_once("/./") {
            Some((base, name)) if self.order.relative => (format!("{base}/"), name.to_string()),
            _ if self.order.relative && operand.starts_with('/') => ("/".to_string(), operand.to_string()),
            _ if self.order.relative => (String::new(), operand.to_string()),
            _ if whole => (operand.to_string(), ".".to_string()),
            _ => {
                let at = operand.rfind('/').map_or(0, |at| at + 1);
                (operand[..at].to_string(), operand[at..].to_string())
            }
        };
        let base = call.path(if base.is_empty() { "." } else { &base });
        let parts: Vec<&str> = name.split('/').filter(|part| !part.is_empty() && *part != ".").collect();
        if self.order.relative && parts.contains(&"..") {
            return Err(Failure::new(USAGE, format!("found \"..\" dir in relative path: {name}")));
        }
        let slash = if self.order.relative && name.starts_with('/') && !parts.is_empty() { "/" } else { "" };
        let path = parts.iter().fold(base.clone(), |path, part| path.join(part));
        let own = if parts.is_empty() { ".".to_string() } else { parts.join("/") };
        // A link that is named with a slash is what it leads to.
        let incomplete = self.incomplete;
        let looked = self.look(call, &path, &own, slash, whole || crate::files::is_alias(&path));
        if looked.is_none() && call.status(&path, false).is_err() {
            // What is not there keeps nothing from being deleted.
            self.failed |= self.incomplete;
            self.incomplete = incomplete;
        }
        let Some(entry) = looked else { return Ok(()) };
        if entry.is_directory() && !self.order.directories {
            if !self.order.info.is_quiet() {
                call.out.push_str(&format!("skipping directory {own}\n"));
            }
            return Ok(());
        }
        if self.order.names.is_none() && own != "." && self.is_left_out(call, &own, entry.is_directory()) {
            return Ok(());
        }
        if self.order.relative && self.order.implied {
            if name.starts_with("./") && !parts.is_empty() {
                self.implied(call, &base, &[], "");
            }
            for count in 1..parts.len() {
                self.implied(call, &base, &parts[..count], slash);
            }
        }
        self.take(call, entry, slash, whole);
        Ok(())
    }

    /// A directory that is there only as what leads to another.
    fn implied(&mut self, call: &mut Call<'_>, base: &Path, parts: &[&str], slash: &str) {
        let path = parts.iter().fold(base.to_path_buf(), |path, part| path.join(part));
        let name = if parts.is_empty() { ".".to_string() } else { parts.join("/") };
        if let Some(entry) = self.look(call, &path, &name, slash, true) {
            self.entries.push(entry);
        }
    }

    /// @param slash What comes before the name where it is told.
    fn look(&mut self, call: &mut Call<'_>, path: &Path, name: &str, slash: &str, follow: bool) -> Option<Entry> {
        let order = self.order;
        let status = match call.status(path, follow) {
            Ok(status) => status,
            Err(error) => {
                if !(order.ignore_missing && error.kind() == std::io::ErrorKind::NotFound) {
                    call.complain(&format!("[sender] link_stat \"{}\" failed: {}", path.display(), reason(&error)));
                    self.incomplete = true;
                }
                return None;
            }
        };
        let mut entry = Entry {
            name: name.to_string(),
            shown: format!("{slash}{name}"),
            source: path.to_path_buf(),
            mode: order.mode(status.mode & 0o7777, status.file_type == system::DIRECTORY),
            status,
            leads_to: None,
            whole: false,
        };
        if entry.status.file_type != system::SYMLINK {
            return Some(entry);
        }
        let target = call.target(path);
        let followed = call.status(path, true);
        let leads_to_directory = followed.as_ref().is_ok_and(|status| status.file_type == system::DIRECTORY);
        let follows = order.copy_links
            || order.copy_unsafe_links && unsafe_link(&target, name)
            || order.copy_directory_links && leads_to_directory;
        entry.leads_to = Some(target);
        if !follows {
            return Some(entry);
        }
        match followed {
            Ok(status) if self.within.contains(&status.inode) && status.file_type == system::DIRECTORY => {
                call.complain(&format!("[sender] readlink_stat(\"{}\") failed: Too many levels of symbolic links", path.display()));
                self.incomplete = true;
                None
            }
            Ok(status) => {
                entry.mode = order.mode(status.mode & 0o7777, leads_to_directory);
                Some(Entry { status, leads_to: None, ..entry })
            }
            Err(_) => {
                call.err.push_str(&format!("symlink has no referent: \"{}\"\n", path.display()));
                self.incomplete = true;
                None
            }
        }
    }

    fn is_left_out(&self, call: &mut Call<'_>, name: &str, directory: bool) -> bool {
        let Some((rule, out)) = self.order.rules.decide(Side::Sender, name, directory) else { return false };
        if self.order.info.verbose > 1 && !self.order.info.is_quiet() {
            let what = if directory { "directory" } else { "file" };
            let does = if out { "hiding" } else { "showing" };
            call.out.push_str(&format!("[sender] {does} {what} {name} because of pattern {}\n", rule.pattern.text));
        }
        out
    }

    /// @param whole Whether it was named so that what is in it is meant.
    fn take(&mut self, call: &mut Call<'_>, mut entry: Entry, slash: &str, whole: bool) {
        entry.whole = entry.is_directory() && (self.order.recursive || whole && self.order.directories);
        let (path, name, goes_in, inode) = (entry.source.clone(), entry.name.clone(), entry.whole, entry.status.inode);
        self.entries.push(entry);
        if !goes_in {
            return;
        }
        let mut names = match call.names(&path) {
            Ok(names) => names,
            Err(error) => {
                call.complain(&format!("[sender] opendir \"{}\" failed: {}", path.display(), reason(&error)));
                self.incomplete = true;
                return;
            }
        };
        names.sort();
        self.within.push(inode);
        let mut directories = Vec::new();
        for own in names {
            let below = if name == "." { own.clone() } else { format!("{name}/{own}") };
            let place = path.join(&own);
            // Rules are asked first: what they leave out may lead nowhere.
            let directory = call.status(&place, self.order.copy_links).is_ok_and(|status| status.file_type == system::DIRECTORY);
            if self.is_left_out(call, &below, directory) {
                continue;
            }
            let Some(entry) = self.look(call, &place, &below, slash, false) else { continue };
            match entry.is_directory() && self.order.recursive {
                true => directories.push(entry),
                false => self.entries.push(entry),
            }
        }
        for entry in directories {
            self.take(call, entry, slash, false);
        }
        self.within.pop();
    }

    fn settle(&mut self) {
        self.entries.sort_by(order_of);
        self.entries.dedup_by(|later, first| {
            let same = later.name == first.name;
            first.whole |= same && later.whole && first.is_directory();
            same
        });
        if self.order.prune {
            self.prune();
        }
    }

    /// Drops directories that have nothing but directories in them.
    fn prune(&mut self) {
        let mut used = std::collections::HashSet::new();
        for entry in self.entries.iter().filter(|entry| !entry.is_directory()) {
            let mut name = entry.name.as_str();
            while let Some((above, _)) = name.rsplit_once('/') {
                if !used.insert(above.to_string()) {
                    break;
                }
                name = above;
            }
        }
        self.entries.retain(|entry| !entry.is_directory() || entry.name == "." || used.contains(&entry.name));
    }
}

/// Files of a directory come before the directories in it, each of which has what is in it behind it.
fn order_of(one: &Entry, other: &Entry) -> Ordering {
    let rank = |entry: &Entry| usize::from(entry.name != ".");
    if rank(one) == 0 || rank(other) == 0 {
        return rank(one).cmp(&rank(other));
    }
    let (mut a, mut b) = (one.name.split('/').peekable(), other.name.split('/').peekable());
    loop {
        let (Some(x), Some(y)) = (a.next(), b.next()) else {
            return one.name.len().cmp(&other.name.len());
        };
        let x_directory = a.peek().is_some() || one.is_directory();
        let y_directory = b.peek().is_some() || other.is_directory();
        let slash = |directory: bool| directory.then_some(b'/');
        let order = x_directory.cmp(&y_directory).then_with(|| x.bytes().chain(slash(x_directory)).cmp(y.bytes().chain(slash(y_directory))));
        if order != Ordering::Equal {
            return order;
        }
    }
}
