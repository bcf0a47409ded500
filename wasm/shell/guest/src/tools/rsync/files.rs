//! Regular files on the side that `rsync` copies to.

use super::order::Basis;
use super::receiver::Receiver;
use super::report::{Action, Change, shown, tell};
use super::sources::Entry;
use super::{Failure, IO};
use crate::files;
use crate::system::{self, Status};
use crate::tools::transfer::same_file;
use crate::tools::{Call, reason};
use std::path::{Path, PathBuf};
use std::{fs, io};

impl Receiver<'_> {
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

    pub fn file(&mut self, call: &mut Call<'_>, at: usize, entry: &Entry, path: &Path, there: Option<Status>) -> Result<(), Failure> {
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
    pub fn join(&mut self, call: &mut Call<'_>, entry: &Entry, leader: &Entry) {
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
    pub fn change(&self, entry: &Entry, there: &Status, anew: bool) -> Change {
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
