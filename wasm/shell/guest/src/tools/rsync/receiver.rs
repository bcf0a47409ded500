//! The side that `rsync` copies to: what is there already, and what has to be done about it.

use super::links::Links;
use super::order::{Basis, Deletion, Order};
use super::report::{Action, Change, Stats, shown, tell};
use super::sources::{Entry, Sources};
use super::{DELETIONS_STOPPED, Failure, IO, PARTIAL, SELECTION, unsafe_link};
use crate::system::{self, Status};
use crate::tools::transfer::{is_directory, same_file};
use crate::tools::{Call, reason};
use crate::files::{self, Masked};
use std::collections::HashSet;
use std::path::{Path, PathBuf};
use std::{fs, io};

pub struct Receiver<'a> {
    pub order: &'a Order,
    pub entries: &'a [Entry],
    pub incomplete: bool,
    /// Whose names begin at the target; else it is one thing, which gets the target's own name.
    root: PathBuf,
    single: bool,
    root_made: bool,
    pub names: HashSet<&'a str>,
    pub stats: Stats,
    pub deleted: u64,
    pub stopped: u64,
    pub told_incomplete: bool,
    pub failed: bool,
    /// A directory that is not made, nor what is in it.
    without: Option<String>,
    /// Directories whose times are set when nothing is put into them any more.
    times: Vec<(PathBuf, u64)>,
    bases: Vec<PathBuf>,
    links: Links,
}

impl<'a> Receiver<'a> {
    pub fn new(call: &mut Call<'_>, order: &'a Order, sources: &'a Sources<'_>, target: &str) -> Result<Self, Failure> {
        let entries = sources.entries.as_slice();
        let mut receiver = Receiver {
            order,
            entries,
            incomplete: sources.incomplete,
            root: call.path(target),
            single: false,
            root_made: false,
            names: entries.iter().map(|entry| entry.name.as_str()).collect(),
            stats: Stats::begin(),
            deleted: 0,
            stopped: 0,
            told_incomplete: false,
            failed: sources.incomplete || sources.failed,
            without: None,
            times: Vec::new(),
            bases: Vec::new(),
            links: Links::of(order, entries),
        };
        if !entries.is_empty() {
            receiver.prepare(call, target)?;
        }
        for name in &order.bases {
            let base = receiver.root().join(name);
            let base = call.path(&base.to_string_lossy());
            if !is_directory(&base) {
                let option = ["compare", "copy", "link"][order.basis as usize];
                call.err.push_str(&format!("--{option}-dest arg does not exist: {}\n", base.display()));
            }
            receiver.bases.push(base);
        }
        Ok(receiver)
    }

    /// What the target is: a directory that there is, or is to be made, or the name of one thing.
    fn prepare(&mut self, call: &mut Call<'_>, target: &str) -> Result<(), Failure> {
        let there = system::status(&self.root, true);
        if there.as_ref().is_ok_and(|there| there.file_type == system::DIRECTORY) {
            return Ok(());
        }
        let several = self.entries.len() > 1;
        if there.is_ok() && several {
            return Err(Failure::new(SELECTION, "destination must be a directory when copying more than 1 file".into()));
        }
        if there.is_ok() && self.entries[0].is_directory() {
            return Err(Failure::new(SELECTION, "cannot overwrite non-directory with a directory".into()));
        }
        let above = self.root.parent().unwrap_or(Path::new("/")).to_path_buf();
        let single = !several && !target.ends_with('/') && !self.entries[0].name.contains('/');
        let wanted = if single { above.as_path() } else { self.root.as_path() };
        let missing = wanted.ancestors().take_while(|path| system::status(path, true).is_err()).count();
        let tells = self.order.info.level("NAME") > 0 || self.order.info.letters() > 0;
        let make = |how: fn(&Path) -> io::Result<()>, path: &Path| -> Result<(), Failure> {
            if self.order.dry {
                return Ok(());
            }
            let failure = |error| Failure::new(IO, format!("[Receiver] mkdir \"{}\" failed: {}", path.display(), reason(&error)));
            how(path).map_err(failure)
        };
        if self.order.make_path && missing > 0 {
            make(|path| fs::create_dir_all(path), wanted)?;
            if tells {
                let shown = if single { target.rsplit_once('/').map_or("", |parts| parts.0) } else { target.trim_end_matches('/') };
                let ending = if missing == 1 { "y" } else { "ies" };
                call.out.push_str(&format!("created {missing} director{ending} for {shown}\n"));
            }
        }
        if single {
            self.single = true;
            let reachable = missing == 0 || self.order.make_path;
            let why = || format!("[Receiver] change_dir \"{}\" failed: No such file or directory", above.display());
            return if reachable { Ok(()) } else { Err(Failure::new(SELECTION, why())) };
        }
        if !self.order.make_path {
            make(made, &self.root)?;
            if tells {
                call.out.push_str(&format!("created directory {}\n", target.trim_end_matches('/')));
            }
        }
        self.root_made = true;
        Ok(())
    }

    /// @returns the exit code.
    pub fn run(mut self, call: &mut Call<'_>) -> Result<i32, Failure> {
        let order = self.order;
        if order.info.verbose > 1 && !order.info.is_quiet() {
            call.out.push_str("delta-transmission disabled for local transfer or --whole-file\n");
        }
        for entry in self.entries {
            self.stats.count(entry);
            if !self.is_regular(entry) && order.info.level("NONREG") > 0 {
                call.out.push_str(&format!("skipping non-regular file \"{}\"\n", entry.shown));
            }
            if let Some(leads_to) = entry.leads_to.as_ref().filter(|_| self.is_unsafe(entry) && order.info.level("SYMSAFE") > 0) {
                call.out.push_str(&format!("ignoring unsafe symlink \"{}\" -> \"{leads_to}\"\n", entry.shown));
            }
        }
        if order.deletion == Deletion::Before {
            self.delete_all(call);
        }
        let entries = self.entries;
        for (at, entry) in entries.iter().enumerate() {
            if order.deletion == Deletion::During && entry.whole {
                self.delete_in(call, entry);
            }
            self.receive(call, at, entry)?;
        }
        for at in std::mem::take(&mut self.links.later).into_iter().rev() {
            match self.links.leader(at) {
                Some(leader) => self.join(call, &entries[at], &entries[leader]),
                None => self.receive(call, at, &entries[at])?,
            }
        }
        if order.deletion == Deletion::After {
            self.delete_all(call);
        }
        for (path, modified) in self.times.iter().rev() {
            let _ = system::set_modified(path, *modified);
        }
        if order.info.level("PROGRESS") > 1 {
            call.out.push_str(&self.stats.progress(order, self.stats.whole(), (0, entries.len())));
        }
        if self.stopped > 0 {
            call.err.push_str(&format!("Deletions stopped due to --max-delete limit ({} skipped)\n", self.stopped));
        }
        self.stats.tell(call, order);
        Ok(match (self.stopped > 0, self.failed) {
            (true, _) => DELETIONS_STOPPED,
            (_, true) => PARTIAL,
            _ => 0,
        })
    }

    /// The directory that relative ones of options are from.
    pub fn root(&self) -> &Path {
        match self.single {
            true => self.root.parent().unwrap_or(Path::new("/")),
            false => &self.root,
        }
    }

    pub fn place(&self, entry: &Entry) -> PathBuf {
        if self.single || entry.name == "." { self.root.clone() } else { self.root.join(&entry.name) }
    }

    pub fn fail(&mut self, call: &mut Call<'_>, what: &str) {
        call.complain(what);
        self.failed = true;
    }

    fn failed_at(&mut self, call: &mut Call<'_>, what: &str, path: &Path, error: &io::Error) {
        self.fail(call, &format!("[receiver] {what} \"{}\" failed: {}", path.display(), reason(error)));
    }

    fn skip(&self, call: &mut Call<'_>, what: String) {
        if self.order.info.level("SKIP") > 0 {
            call.out.push_str(&what);
            call.out.push('\n');
        }
    }

    fn is_regular(&self, entry: &Entry) -> bool {
        entry.is_directory() || entry.is_file() || entry.is_link() && self.order.links
    }

    fn is_unsafe(&self, entry: &Entry) -> bool {
        self.order.safe_links && self.order.links && entry.leads_to.as_ref().is_some_and(|target| unsafe_link(target, &entry.name))
    }

    fn receive(&mut self, call: &mut Call<'_>, at: usize, entry: &Entry) -> Result<(), Failure> {
        let order = self.order;
        if let Some(without) = &self.without {
            if entry.name.strip_prefix(without.as_str()).is_some_and(|rest| rest.starts_with('/')) {
                return Ok(());
            }
            self.without = None;
        }
        if !self.is_regular(entry) || self.is_unsafe(entry) {
            return Ok(());
        }
        let path = self.place(entry);
        let there = system::status(&path, entry.name == "." || entry.is_directory() && order.keep_directory_links).ok();
        if order.only_existing && there.is_none() {
            let what = if entry.is_directory() { "directory" } else { "file" };
            self.skip(call, format!("not creating new {what} \"{}\"", entry.shown));
            if entry.is_directory() {
                self.without = Some(entry.name.clone());
            }
            return Ok(());
        }
        if order.relative && !order.dry && there.is_none() {
            // Those above it need not be among what is copied.
            let _ = path.parent().map(fs::create_dir_all);
        }
        if entry.is_directory() {
            self.directory(call, entry, &path, there);
            return Ok(());
        }
        if let Some(leads_to) = &entry.leads_to {
            self.link(call, entry, &path, there, leads_to);
            return Ok(());
        }
        self.file(call, at, entry, &path, there)
    }

    fn directory(&mut self, call: &mut Call<'_>, entry: &Entry, path: &Path, there: Option<Status>) {
        let order = self.order;
        let there = match there {
            Some(there) if there.file_type != system::DIRECTORY => {
                if !self.clear_way(call, entry, path, &there) {
                    self.without = Some(entry.name.clone());
                    return;
                }
                None
            }
            there => there,
        };
        if there.is_none() && !order.dry {
            if let Err(error) = fs::create_dir(path) {
                self.failed_at(call, "mkdir", path, &error);
                self.without = Some(entry.name.clone());
                return;
            }
        }
        let made_root = entry.name == "." && self.root_made || there.is_none();
        let basis = || self.bases.iter().find_map(|base| system::status(&base.join(&entry.name), true).ok());
        let basis = if made_root { basis() } else { None };
        let change = match basis.as_ref().or(there.as_ref().filter(|_| !made_root)) {
            Some(status) => self.change(entry, status, false),
            None => Change { new: true, ..Change::default() },
        };
        let action = if made_root { Action::Local } else { Action::Attributes };
        tell(call, order, entry, action, &change, "");
        if made_root {
            self.stats.created.count(true, false);
        }
        if order.dry {
            return;
        }
        let mode = match (order.perms, &there) {
            (true, _) => entry.mode,
            (false, None) => entry.mode & 0o777 & !bashkit::current_umask(),
            (false, Some(there)) => there.mode & 0o7777,
        };
        if there.as_ref().is_none_or(|there| there.mode & 0o7777 != mode) {
            if let Err(error) = system::chmod(path, mode) {
                self.failed_at(call, "chmod", path, &error);
            }
        }
        if order.keeps_time(true, false) {
            self.times.push((path.to_path_buf(), entry.status.modified));
        }
    }

    fn link(&mut self, call: &mut Call<'_>, entry: &Entry, path: &Path, there: Option<Status>, leads_to: &str) {
        let order = self.order;
        let is_link = there.as_ref().is_some_and(|there| there.file_type == system::SYMLINK);
        let same = is_link && call.target(path) == leads_to;
        let mut change = match &there {
            Some(there) if is_link => self.change(entry, there, !same),
            _ => Change { new: true, ..Change::default() },
        };
        change.value = is_link && !same;
        if same {
            tell(call, order, entry, Action::Attributes, &change, "");
            if !order.dry && change.time.is_some() {
                let _ = system::set_link_modified(path, entry.status.modified);
            }
            return self.remove_source(call, entry, path);
        }
        if let Some(there) = &there {
            if !self.clear_way(call, entry, path, there) {
                return;
            }
        }
        let basis = self.bases.iter().any(|base| fs::read_link(base.join(&entry.name)).is_ok_and(|other| other == Path::new(leads_to)));
        if basis && there.is_none() {
            change = Change::default();
            if order.basis == Basis::Compare {
                return;
            }
        }
        if !order.dry {
            if let Err(error) = system::symlink(Path::new(leads_to), path) {
                return self.failed_at(call, "symlink", path, &error);
            }
            if order.keeps_time(false, true) {
                let _ = system::set_link_modified(path, entry.status.modified);
            }
        }
        if there.is_none() {
            self.stats.created.count(false, true);
        }
        tell(call, order, entry, Action::Local, &change, "");
        self.remove_source(call, entry, path);
    }

    /// Why a file is not looked at any further.
    fn passes_over(&self, entry: &Entry, there: Option<&Status>) -> Option<String> {
        let order = self.order;
        let size = entry.status.size;
        let is = match there {
            _ if order.largest.is_some_and(|most| size > most) => "over max-size",
            _ if order.smallest.is_some_and(|least| size < least) => "under min-size",
            Some(_) if order.ignore_existing => return Some(format!("{} exists", shown(entry))),
            Some(there) if order.update && self.is_newer(there, entry) => "newer",
            _ => return None,
        };
        Some(format!("{} is {is}", shown(entry)))
    }

    fn is_newer(&self, there: &Status, entry: &Entry) -> bool {
        there.file_type == system::FILE && seconds(there.modified) > seconds(entry.status.modified) + self.order.window
    }

    fn file(&mut self, call: &mut Call<'_>, at: usize, entry: &Entry, path: &Path, there: Option<Status>) -> Result<(), Failure> {
        let order = self.order;
        if let Some(why) = self.passes_over(entry, there.as_ref()) {
            self.skip(call, why);
            return Ok(());
        }
        let there = match there {
            Some(there) if there.file_type != system::FILE => {
                if !self.clear_way(call, entry, path, &there) {
                    return Ok(());
                }
                None
            }
            there => there,
        };
        let (same, value) = match &there {
            Some(there) => self.is_same(call, entry, there, path),
            None => (false, false),
        };
        if self.links.waits(at, same) {
            return Ok(());
        }
        if let Some(there) = there.as_ref().filter(|_| same) {
            let change = self.change(entry, there, false);
            tell(call, order, entry, Action::Attributes, &change, "");
            if !change.counts() && order.info.verbose > 1 && order.info.letters() == 0 && order.info.level("NAME") > 1 {
                call.out.push_str(&format!("{} is uptodate\n", shown(entry)));
            }
            if !order.dry {
                self.attributes(call, entry, path, Some(there));
            }
            self.remove_source(call, entry, path);
            return Ok(());
        }
        let mut basis = None;
        if there.is_none() {
            match self.basis(call, entry) {
                Some((place, status, true)) => return self.from_basis(call, entry, path, &place, &status),
                other => basis = other.map(|(_, status, _)| status),
            }
        }
        let change = match there.as_ref().or(basis.as_ref()) {
            Some(there) => Change { value, ..self.change(entry, there, true) },
            None => Change { new: true, ..Change::default() },
        };
        if !self.write(call, entry, &entry.source, path, there.as_ref())? {
            return Ok(());
        }
        self.stats.transfer(entry);
        if there.is_none() {
            self.stats.created.count(false, false);
        }
        tell(call, order, entry, Action::Transfer, &change, "");
        if order.info.level("PROGRESS") == 1 && !order.dry {
            let line = self.stats.progress(order, (entry.size(), entry.size()), (self.entries.len() - at - 1, self.entries.len()));
            call.out.push_str(&line);
        }
        self.remove_source(call, entry, path);
        Ok(())
    }

    /// Puts contents where they are to be. @returns whether that went well.
    fn write(&mut self, call: &mut Call<'_>, entry: &Entry, from: &Path, path: &Path, there: Option<&Status>) -> Result<bool, Failure> {
        let order = self.order;
        if order.dry {
            return Ok(true);
        }
        if there.is_some() && order.backup {
            let aside = if order.in_place { self.copy_aside(call, path, &entry.name) } else { self.put_aside(call, path, &entry.name) };
            if let Err(error) = aside {
                self.failed_at(call, "backup of", path, &error);
                return Ok(false);
            }
        }
        let in_place = order.in_place && there.is_some();
        if in_place && same_file(from, path, true) {
            return Ok(true);
        }
        // Whoever reads the file meanwhile, or has another name of it, keeps what was in it.
        let place = if in_place { path.to_path_buf() } else { beside(path) };
        let written = contents(call, from, &place).and_then(|()| {
            self.attributes(call, entry, &place, there);
            if in_place { Ok(()) } else { fs::rename(&place, path) }
        });
        let Err(error) = written else { return Ok(true) };
        if !in_place {
            let _ = fs::remove_file(&place);
        }
        if error.kind() == io::ErrorKind::StorageFull {
            return Err(Failure::new(IO, format!("[receiver] write failed on \"{}\": {}", path.display(), reason(&error))));
        }
        self.failed_at(call, "mkstemp", path, &error);
        Ok(false)
    }

    /// @param there What was under its name before.
    fn attributes(&mut self, call: &mut Call<'_>, entry: &Entry, path: &Path, there: Option<&Status>) {
        let order = self.order;
        let now = system::status(path, false);
        let mode = match there {
            _ if order.perms => entry.mode,
            Some(there) if order.executability => executable(there.mode & 0o7777, entry.mode),
            Some(there) => there.mode & 0o7777,
            None => entry.mode & 0o777 & !bashkit::current_umask(),
        };
        if now.as_ref().is_ok_and(|now| now.mode & 0o7777 != mode) {
            if let Err(error) = system::chmod(path, mode) {
                self.failed_at(call, "chmod", path, &error);
            }
        }
        if order.keeps_time(false, false) && now.is_ok_and(|now| now.modified != entry.status.modified) {
            if let Err(error) = system::set_modified(path, entry.status.modified) {
                self.failed_at(call, "failed to set times on", path, &error);
            }
        }
    }

    /// What a directory beside the target has under a name, and whether that is the same: best with all attributes.
    fn basis(&self, call: &mut Call<'_>, entry: &Entry) -> Option<(PathBuf, Status, bool)> {
        let mut found: Option<(PathBuf, Status, bool)> = None;
        for base in &self.bases {
            let place = base.join(&entry.name);
            let Ok(status) = system::status(&place, false) else { continue };
            if status.file_type != system::FILE {
                continue;
            }
            let same = self.is_same(call, entry, &status, &place).0;
            if same && !self.change(entry, &status, false).counts() {
                return Some((place, status, true));
            }
            if found.as_ref().is_none_or(|found| same && !found.2) {
                found = Some((place, status, same));
            }
        }
        found
    }

    fn from_basis(&mut self, call: &mut Call<'_>, entry: &Entry, path: &Path, place: &Path, status: &Status) -> Result<(), Failure> {
        let order = self.order;
        let change = self.change(entry, status, false);
        let mut action = Action::Local;
        match order.basis {
            Basis::Compare if !change.counts() => {}
            Basis::Link if !change.counts() && (order.dry || system::link(place, path).is_ok()) => action = Action::HardLink,
            _ => {
                if !self.write(call, entry, place, path, None)? {
                    return Ok(());
                }
            }
        }
        if !(order.basis == Basis::Compare && !change.counts()) {
            self.stats.created.count(false, false);
            tell(call, order, entry, action, &change, "");
        }
        self.remove_source(call, entry, path);
        Ok(())
    }

    /// Makes a name of a file another one of its leader.
    fn join(&mut self, call: &mut Call<'_>, entry: &Entry, leader: &Entry) {
        let order = self.order;
        let (path, first) = (self.place(entry), self.place(leader));
        let there = system::status(&path, false).ok();
        let joined = there.is_some() && same_file(&path, &first, false);
        let change = match &there {
            Some(_) if joined => Change::default(),
            Some(there) => self.change(entry, there, true),
            None => Change { new: true, ..Change::default() },
        };
        if !joined && !order.dry {
            if let Some(there) = &there {
                if !self.clear_way(call, entry, &path, there) {
                    return;
                }
            }
            if let Err(error) = system::link(&first, &path) {
                return self.failed_at(call, "link", &path, &error);
            }
        }
        if there.is_none() {
            self.stats.created.count(false, false);
        }
        tell(call, order, entry, Action::HardLink, &change, if joined { "" } else { &leader.shown });
        self.remove_source(call, entry, &path);
    }

    /// Whether a file is taken to be that of the source; and whether its contents were found to be others.
    fn is_same(&self, call: &mut Call<'_>, entry: &Entry, there: &Status, path: &Path) -> (bool, bool) {
        let order = self.order;
        if order.checksum {
            let same = there.size == entry.status.size && same_contents(call, &entry.source, path);
            return (same, !same);
        }
        let apart = seconds(there.modified).abs_diff(seconds(entry.status.modified));
        let same = there.size == entry.status.size && (order.size_only || !order.ignore_times && apart <= order.window);
        (same, false)
    }

    /// @param anew Whether it is written again.
    fn change(&self, entry: &Entry, there: &Status, anew: bool) -> Change {
        let order = self.order;
        let differs = seconds(there.modified).abs_diff(seconds(entry.status.modified)) > order.window;
        let time = match order.keeps_time(entry.is_directory(), entry.is_link()) {
            true => differs.then_some('t'),
            false => anew.then_some('T'),
        };
        let mode = there.mode & 0o7777;
        let perms = !entry.is_link()
            && (order.perms && mode != entry.mode
                || order.executability && entry.is_file() && executable(mode, entry.mode) != mode);
        Change { size: entry.is_file() && there.size != entry.status.size, time, perms, ..Change::default() }
    }

    fn remove_source(&mut self, call: &mut Call<'_>, entry: &Entry, path: &Path) {
        if !self.order.remove_sources || self.order.dry {
            return;
        }
        if same_file(&entry.source, path, false) {
            return self.fail(call, &format!("Skipping sender remove of destination file: {}", entry.shown));
        }
        match fs::remove_file(&entry.source) {
            Ok(()) if self.order.info.level("REMOVE") > 0 => call.out.push_str(&format!("sender removed {}\n", entry.shown)),
            Ok(()) => {}
            Err(error) => self.fail(call, &format!("[sender] sender failed to remove {}: {}", entry.shown, reason(&error))),
        }
    }
}

fn made(path: &Path) -> io::Result<()> {
    let masked = Masked::of(path);
    fs::create_dir(path)?;
    masked.apply(path, 0o777)
}

fn seconds(nanoseconds: u64) -> u64 {
    nanoseconds / 1_000_000_000
}

/// A mode that lets those run a file who may read it, if it is one that can be run.
fn executable(mode: u32, source: u32) -> u32 {
    match (mode & 0o111 != 0, source & 0o111 != 0) {
        (_, false) => mode & !0o111,
        (false, true) => mode | (mode & 0o444) >> 2,
        _ => mode,
    }
}

/// Where a file is written before it gets its name.
fn beside(path: &Path) -> PathBuf {
    let mut letters = [0u8; 6];
    let _ = system::random(&mut letters);
    let ending: String = letters.iter().map(|byte| char::from(b'a' + byte % 26)).collect();
    let mut name = path.file_name().unwrap_or_default().to_string_lossy().into_owned();
    while name.len() > 200 {
        name.pop();
    }
    path.with_file_name(format!(".{name}.{ending}"))
}

fn contents(call: &mut Call<'_>, from: &Path, to: &Path) -> io::Result<()> {
    if files::is_placeholder(from) || system::status(from, true).is_err() {
        let bytes = call.read(&from.to_string_lossy())?;
        return fs::write(to, bytes);
    }
    io::copy(&mut fs::File::open(from)?, &mut fs::File::create(to)?).map(|_| ())
}

fn same_contents(call: &mut Call<'_>, one: &Path, other: &Path) -> bool {
    let read = |path: &Path| call.read(&path.to_string_lossy());
    match (read(one), read(other)) {
        (Ok(one), Ok(other)) => one == other,
        _ => false,
    }
}
