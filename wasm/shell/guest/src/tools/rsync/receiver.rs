//! The side that `rsync` copies to: what is there already, and what has to be done about it.

use super::links::Links;
use super::order::{Deletion, Order};
use super::report::Stats;
use super::sources::{Entry, Sources};
use super::{DELETIONS_STOPPED, Failure, IO, PARTIAL, SELECTION, unsafe_link};
use crate::system;
use crate::tools::transfer::{is_directory, same_file};
use crate::tools::{Call, reason};
use crate::files::Masked;
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
    pub root_made: bool,
    pub names: HashSet<&'a str>,
    pub stats: Stats,
    pub deleted: u64,
    pub stopped: u64,
    pub told_incomplete: bool,
    pub failed: bool,
    /// A directory that is not made, nor what is in it.
    pub without: Option<String>,
    /// Directories whose times are set when nothing is put into them any more.
    pub times: Vec<(PathBuf, u64)>,
    pub bases: Vec<PathBuf>,
    pub links: Links,
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

    pub fn failed_at(&mut self, call: &mut Call<'_>, what: &str, path: &Path, error: &io::Error) {
        self.fail(call, &format!("[receiver] {what} \"{}\" failed: {}", path.display(), reason(error)));
    }

    pub fn skip(&self, call: &mut Call<'_>, what: String) {
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

    pub fn remove_source(&mut self, call: &mut Call<'_>, entry: &Entry, path: &Path) {
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
