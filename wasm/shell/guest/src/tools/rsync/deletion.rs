//! What `rsync` removes or puts aside: what no source has, and what is in the way.

use super::filter::Side;
use super::receiver::Receiver;
use super::report::printable;
use super::sources::Entry;
use crate::files;
use crate::system::{self, Status};
use crate::tools::{Call, reason};
use std::path::{Path, PathBuf};
use std::{fs, io};

impl Receiver<'_> {
    pub fn delete_all(&mut self, call: &mut Call<'_>) {
        let entries = self.entries;
        entries.iter().filter(|entry| entry.whole).for_each(|entry| self.delete_in(call, entry));
    }

    /// Deletes what is in a directory here, and not in that of the source.
    pub fn delete_in(&mut self, call: &mut Call<'_>, directory: &Entry) {
        if self.incomplete && !self.order.ignore_errors {
            if !std::mem::replace(&mut self.told_incomplete, true) {
                call.out.push_str("IO error encountered -- skipping file deletion\n");
            }
            return;
        }
        let path = self.place(directory);
        let follow = directory.name == "." || self.order.keep_directory_links;
        if system::status(&path, follow).is_ok_and(|status| status.file_type == system::DIRECTORY) {
            self.delete_below(call, &path, &directory.name, true);
        }
    }

    /// @param spares Whether what the source has stays. @returns whether nothing is left.
    fn delete_below(&mut self, call: &mut Call<'_>, path: &Path, name: &str, spares: bool) -> bool {
        let names = match call.names(path) {
            Ok(names) => names,
            Err(error) => {
                self.fail(call, &format!("[generator] opendir \"{}\" failed: {}", path.display(), reason(&error)));
                return false;
            }
        };
        let mut found: Vec<(bool, String)> = Vec::new();
        let mut empty = true;
        for own in names {
            let full = if name == "." { own.clone() } else { format!("{name}/{own}") };
            let status = system::status(&path.join(&own), false);
            let directory = status.is_ok_and(|status| status.file_type == system::DIRECTORY);
            if spares && self.names.contains(full.as_str()) || self.is_protected(call, &full, directory) {
                empty = false;
            } else {
                found.push((directory, full));
            }
        }
        found.sort();
        for (directory, full) in found.into_iter().rev() {
            let own = full.rsplit('/').next().unwrap_or(&full);
            empty &= self.delete(call, &path.join(own), &full, directory);
        }
        empty
    }

    fn is_protected(&self, call: &mut Call<'_>, name: &str, directory: bool) -> bool {
        let Some((rule, protects)) = self.order.rules.decide(Side::Receiver, name, directory) else { return false };
        if self.order.info.verbose > 1 && !self.order.info.is_quiet() {
            let what = if directory { "directory" } else { "file" };
            let does = if protects { "protecting" } else { "risking" };
            call.out.push_str(&format!("[generator] {does} {what} {name} because of pattern {}\n", rule.pattern.text));
        }
        protects
    }

    /// @returns whether it is gone.
    fn delete(&mut self, call: &mut Call<'_>, path: &Path, name: &str, directory: bool) -> bool {
        let order = self.order;
        if directory && !self.delete_below(call, path, name, false) {
            call.out.push_str(&format!("cannot delete non-empty directory: {name}\n"));
            return false;
        }
        if self.is_at_limit() {
            self.stopped += 1;
            return false;
        }
        let result = match (order.dry, directory) {
            (true, _) => Ok(()),
            (_, true) => fs::remove_dir(path),
            (_, false) if order.backup => self.put_aside(call, path, name),
            _ => fs::remove_file(path),
        };
        if let Err(error) = result {
            // Copies that were put aside may be in it.
            if directory && call.names(path).is_ok_and(|names| !names.is_empty()) {
                call.out.push_str(&format!("cannot delete non-empty directory: {name}\n"));
                return false;
            }
            self.fail(call, &format!("[generator] delete_file: {}({name}) failed: {}", if directory { "rmdir" } else { "unlink" }, reason(&error)));
            return false;
        }
        self.deleted += 1;
        self.stats.deleted.count(directory, false);
        let slash = if directory { "/" } else { "" };
        if order.info.letters() > 0 && !order.info.is_quiet() {
            call.out.push_str(&format!("*deleting   {}{slash}\n", printable(name)));
        } else if order.info.level("DEL") > 0 {
            call.out.push_str(&format!("deleting {}{slash}\n", printable(name)));
        }
        true
    }

    fn is_at_limit(&self) -> bool {
        self.order.most_deleted.is_some_and(|most| self.deleted >= most)
    }

    /// Removes what is not of the kind that is to be there. @returns whether it is gone; told if not.
    pub fn clear_way(&mut self, call: &mut Call<'_>, entry: &Entry, path: &Path, there: &Status) -> bool {
        let order = self.order;
        let name = &entry.name;
        let result = if there.file_type != system::DIRECTORY {
            match (order.dry, order.backup) {
                (true, _) => Ok(()),
                (_, true) => self.put_aside(call, path, name),
                _ => fs::remove_file(path),
            }
        } else {
            let deletes = order.force || order.deletion != super::order::Deletion::None;
            if deletes {
                self.delete_below(call, path, name, false);
            }
            match order.dry {
                true if deletes || call.names(path).is_ok_and(|names| names.is_empty()) => Ok(()),
                true => Err(io::Error::from(io::ErrorKind::DirectoryNotEmpty)),
                false => fs::remove_dir(path),
            }
        };
        let Err(error) = result else { return true };
        let what = if entry.is_directory() { "directory" } else if entry.is_link() { "symlink" } else { "regular file" };
        if there.file_type == system::DIRECTORY {
            call.out.push_str(&format!("cannot delete non-empty directory: {name}\n"));
        }
        self.fail(call, &format!("could not make way for new {what}: {name}: {}", reason(&error)));
        false
    }

    /// Where a copy of what was there goes.
    fn aside(&self, call: &Call<'_>, path: &Path, name: &str) -> io::Result<PathBuf> {
        let suffix = &self.order.suffix;
        let Some(directory) = &self.order.backup_directory else {
            return Ok(PathBuf::from(format!("{}{suffix}", path.display())));
        };
        let root = call.path(&self.root().join(directory).to_string_lossy());
        let aside = root.join(format!("{name}{suffix}"));
        if let Some(above) = aside.parent() {
            fs::create_dir_all(above)?;
        }
        Ok(aside)
    }

    pub fn put_aside(&mut self, call: &mut Call<'_>, path: &Path, name: &str) -> io::Result<()> {
        let aside = self.aside(call, path, name)?;
        match fs::rename(path, &aside) {
            Err(error) if error.kind() == io::ErrorKind::CrossesDevices => files::carry(path, &aside)?,
            result => result?,
        }
        self.tell_aside(call, name, &aside);
        Ok(())
    }

    /// Of a file that is about to be written where it is.
    pub fn copy_aside(&mut self, call: &mut Call<'_>, path: &Path, name: &str) -> io::Result<()> {
        let aside = self.aside(call, path, name)?;
        io::copy(&mut fs::File::open(path)?, &mut fs::File::create(&aside)?)?;
        let status = system::status(path, false)?;
        system::chmod(&aside, status.mode & 0o7777)?;
        system::set_modified(&aside, status.modified)?;
        self.tell_aside(call, name, &aside);
        Ok(())
    }

    fn tell_aside(&self, call: &mut Call<'_>, name: &str, aside: &Path) {
        if self.order.info.level("BACKUP") > 0 {
            let to = aside.strip_prefix(self.root()).unwrap_or(aside);
            call.out.push_str(&format!("backed up {name} to {}\n", to.display()));
        }
    }
}
