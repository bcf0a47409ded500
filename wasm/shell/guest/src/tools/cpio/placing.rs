//! Where `cpio` puts things: what may be there already, and what it makes of them.

use super::Job;
use super::format::Header;
use crate::files::Masked;
use crate::system;
use crate::tools::transfer::is_directory;
use bashkit::Result;
use std::collections::{HashMap, HashSet};
use std::path::{Path, PathBuf};
use std::{fs, io};

#[derive(Default)]
pub struct Placing {
    /// Symlinks that were made: nothing goes through them, as what an archive has in it could be put anywhere by its own links.
    links: HashSet<PathBuf>,
    /// Directories, whose times are set when nothing is put into them any more.
    directories: Vec<(PathBuf, u64)>,
    /// Of files of several names, by their inodes.
    pub names: HashMap<u64, (String, PathBuf)>,
}

impl Placing {
    pub fn made_link(&mut self, path: PathBuf) {
        self.links.insert(path);
    }

    pub fn set_times(self) {
        for (path, modified) in self.directories.into_iter().rev() {
            let _ = system::set_modified(&path, modified);
        }
    }
}

impl Job<'_, '_> {
    /// Makes room for something. @param modified When it was changed, in seconds. @returns whether it is to be put there.
    pub async fn make_room(&mut self, placing: &Placing, name: &str, path: &Path, directory: bool, modified: u64) -> Result<bool> {
        if path.ancestors().skip(1).any(|above| placing.links.contains(above)) {
            self.fail(&format!("{name}: its way leads through a link of the same archive: left out")).await?;
            return Ok(false);
        }
        if let Some(above) = path.parent().filter(|above| self.options.has("d") && !is_directory(above)) {
            if let Err(error) = make_directories(above) {
                self.failed(name, "make the directories above it", &error).await?;
                return Ok(false);
            }
        }
        let Ok(there) = system::status(path, false) else { return Ok(true) };
        if there.file_type == system::DIRECTORY && directory {
            return Ok(true);
        }
        if !self.options.has("u") && modified <= there.modified / 1_000_000_000 {
            self.warn(&format!("{name} not created: newer or same age version exists")).await?;
            return Ok(false);
        }
        let removed = if there.file_type == system::DIRECTORY { fs::remove_dir(path) } else { fs::remove_file(path) };
        if let Err(error) = removed {
            // Told, but no failure there either.
            self.warn(&format!("cannot remove current {name}: {}", crate::tools::reason(&error))).await?;
            return Ok(false);
        }
        Ok(true)
    }

    pub async fn place_directory(&mut self, placing: &mut Placing, header: &Header, path: &Path) -> Result<()> {
        if !is_directory(path) {
            if let Err(error) = fs::create_dir(path) {
                return self.failed(&header.name, "mkdir", &error).await;
            }
        }
        let _ = system::chmod(path, header.mode & 0o7777);
        if self.options.has("m") {
            placing.directories.push((path.to_path_buf(), header.modified.saturating_mul(1_000_000_000)));
        }
        Ok(())
    }

    pub async fn place_link(&mut self, placing: &mut Placing, header: &Header, path: &Path, target: &str) -> Result<()> {
        match system::symlink(Path::new(target), path) {
            Ok(()) => {
                if self.options.has("m") {
                    let _ = system::set_link_modified(path, header.modified.saturating_mul(1_000_000_000));
                }
                placing.made_link(path.to_path_buf());
                Ok(())
            }
            Err(error) => self.failed(&header.name, "symlink", &error).await,
        }
    }

    /// Mode and times of a file, as its header has them.
    pub fn finish(&self, header: &Header, path: &Path) {
        let _ = system::chmod(path, header.mode & 0o7777);
        if self.options.has("m") {
            let _ = system::set_modified(path, header.modified.saturating_mul(1_000_000_000));
        }
    }

    /// @returns whether it has become another name of that file.
    pub async fn join(&mut self, first: &(String, PathBuf), name: &str, path: &Path) -> Result<bool> {
        if system::link(&first.1, path).is_err() {
            return Ok(false);
        }
        if self.options.has("v") {
            self.warn(&format!("{} linked to {name}", first.0)).await?;
        }
        Ok(true)
    }
}

fn make_directories(path: &Path) -> io::Result<()> {
    if is_directory(path) {
        return Ok(());
    }
    path.parent().map_or(Ok(()), make_directories)?;
    let masked = Masked::of(path);
    fs::create_dir(path)?;
    masked.apply(path, 0o777)
}
