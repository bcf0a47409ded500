//! Directories and symlinks on the side that `rsync` copies to.

use super::order::Basis;
use super::receiver::Receiver;
use super::report::{Action, Change, tell};
use super::sources::Entry;
use crate::system::{self, Status};
use crate::tools::Call;
use std::fs;
use std::path::Path;

impl Receiver<'_> {
    pub fn directory(&mut self, call: &mut Call<'_>, entry: &Entry, path: &Path, there: Option<Status>) {
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

    pub fn link(&mut self, call: &mut Call<'_>, entry: &Entry, path: &Path, there: Option<Status>, leads_to: &str) {
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
}
