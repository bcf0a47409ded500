//! The session's files, as the shell takes them: what preview1 has of them, and modes beside that.

use crate::system::{self, Status};
use bashkit::{
    DirEntry, FileSystem, FileSystemExt, FileType, Metadata, Result, async_trait,
};
use std::fs::{self, File, OpenOptions};
use std::io::{self, ErrorKind, Read, Write};
use std::path::{Path, PathBuf};
use std::time::{Duration, SystemTime};

/// What a device without an end gives to a command that reads whole files.
const ENDLESS_BYTES: u64 = 1 << 20;

pub struct SessionFiles;

/// Whether a file has no end.
pub fn is_endless(path: &Path) -> bool {
    matches!(path.to_str(), Some("/dev/zero" | "/dev/urandom" | "/dev/random"))
}

/// Whether a file only stands for Python's `sys.executable`: the shell has a command of that name there.
pub fn is_placeholder(path: &Path) -> bool {
    path == Path::new("/usr/bin/python3")
}

/// Where other sandboxes have their working directory: links to this one's (`src/fs/places.ts`).
const ALIASES: [&str; 4] = ["/content", "/home/user", "/mnt/data", "/workspace"];

/// Since 1970.
pub fn nanoseconds(time: SystemTime) -> u64 {
    let since = time.duration_since(SystemTime::UNIX_EPOCH).unwrap_or_default();
    u64::try_from(since.as_nanos()).unwrap_or(u64::MAX)
}

/// Whether a path is named as a directory that only a link stands for here: `find /workspace` and `tar c /mnt/data` mean what is in it.
pub fn is_alias(path: &Path) -> bool {
    path.to_str().is_some_and(|path| ALIASES.contains(&path))
}

fn moment(nanoseconds: u64) -> SystemTime {
    SystemTime::UNIX_EPOCH + Duration::from_nanos(nanoseconds)
}

fn metadata(status: &Status) -> Metadata {
    let file_type = match status.file_type {
        system::DIRECTORY => FileType::Directory,
        system::SYMLINK => FileType::Symlink,
        _ => FileType::File,
    };
    Metadata {
        file_type,
        size: status.size,
        mode: status.mode & 0o7777,
        modified: moment(status.modified),
        created: moment(status.changed),
    }
}

/// The mask that the host gives new files by itself.
const HOST_UMASK: u32 = 0o022;

/// A file that may be about to be made, under another mask than the host's.
pub struct Masked(Option<u32>);

impl Masked {
    pub fn of(path: &Path) -> Self {
        let mask = bashkit::current_umask();
        Masked((mask != HOST_UMASK && system::status(path, true).is_err()).then_some(mask))
    }

    /// To be called when it is there. @param mode What it has without a mask.
    pub fn apply(self, path: &Path, mode: u32) -> io::Result<()> {
        self.0.map_or(Ok(()), |mask| system::chmod(path, mode & !mask))
    }
}

/// Nothing is followed here: the shell's own layer above this one does that, over all that it has in the tree.
fn status(path: &Path) -> io::Result<Status> {
    if is_placeholder(path) {
        return Err(io::Error::from(ErrorKind::NotFound));
    }
    system::status(path, false)
}

/// Moves what a rename can't: to a tree that is elsewhere.
pub fn carry(from: &Path, to: &Path) -> io::Result<()> {
    let found = status(from)?;
    match found.file_type {
        system::SYMLINK => {
            system::symlink(&fs::read_link(from)?, to)?;
            fs::remove_file(from)
        }
        system::DIRECTORY => {
            fs::create_dir(to)?;
            for entry in fs::read_dir(from)? {
                let name = entry?.file_name();
                carry(&from.join(&name), &to.join(&name))?;
            }
            fs::remove_dir(from)
        }
        _ => {
            io::copy(&mut File::open(from)?, &mut File::create(to)?)?;
            fs::remove_file(from)
        }
    }
}

#[async_trait]
impl FileSystem for SessionFiles {
    async fn read_file(&self, path: &Path) -> Result<Vec<u8>> {
        let mut bytes = Vec::new();
        if is_endless(path) {
            File::open(path)?.take(ENDLESS_BYTES).read_to_end(&mut bytes)?;
            return Ok(bytes);
        }
        if is_placeholder(path) {
            return Err(io::Error::from(ErrorKind::NotFound).into());
        }
        let status = system::status(path, true)?;
        if status.file_type == system::DIRECTORY {
            return Err(io::Error::from(ErrorKind::IsADirectory).into());
        }
        let size = usize::try_from(status.size).unwrap_or(usize::MAX);
        bytes.try_reserve_exact(size).map_err(|_| io::Error::from(ErrorKind::OutOfMemory))?;
        File::open(path)?.read_to_end(&mut bytes)?;
        Ok(bytes)
    }

    async fn write_file(&self, path: &Path, content: &[u8]) -> Result<()> {
        let masked = Masked::of(path);
        fs::write(path, content)?;
        Ok(masked.apply(path, 0o666)?)
    }

    async fn append_file(&self, path: &Path, content: &[u8]) -> Result<()> {
        let masked = Masked::of(path);
        OpenOptions::new().append(true).create(true).open(path)?.write_all(content)?;
        Ok(masked.apply(path, 0o666)?)
    }

    async fn mkdir(&self, path: &Path, recursive: bool) -> Result<()> {
        let masked = Masked::of(path);
        if recursive { fs::create_dir_all(path)? } else { fs::create_dir(path)? }
        Ok(masked.apply(path, 0o777)?)
    }

    async fn remove(&self, path: &Path, recursive: bool) -> Result<()> {
        let directory = status(path)?.file_type == system::DIRECTORY;
        Ok(match (directory, recursive) {
            (false, _) => fs::remove_file(path)?,
            (true, false) => fs::remove_dir(path)?,
            (true, true) => fs::remove_dir_all(path)?,
        })
    }

    async fn stat(&self, path: &Path) -> Result<Metadata> {
        if is_alias(path) {
            return Ok(metadata(&system::status(path, true)?));
        }
        Ok(metadata(&status(path)?))
    }

    async fn read_dir(&self, path: &Path) -> Result<Vec<DirEntry>> {
        let mut entries = Vec::new();
        for entry in fs::read_dir(path)? {
            let entry = entry?;
            let name = entry.file_name().to_string_lossy().into_owned();
            // Whoever goes through the whole tree meets what is in the other names' directory once.
            if is_placeholder(&path.join(&name)) || is_alias(&path.join(&name)) {
                continue;
            }
            let metadata = metadata(&status(&path.join(entry.file_name()))?);
            entries.push(DirEntry { name, metadata });
        }
        Ok(entries)
    }

    async fn exists(&self, path: &Path) -> Result<bool> {
        match status(path) {
            Ok(_) => Ok(true),
            Err(error) if matches!(error.kind(), ErrorKind::NotFound | ErrorKind::NotADirectory) => Ok(false),
            Err(error) => Err(error.into()),
        }
    }

    async fn rename(&self, from: &Path, to: &Path) -> Result<()> {
        match fs::rename(from, to) {
            Err(error) if error.kind() == ErrorKind::CrossesDevices => Ok(carry(from, to)?),
            result => Ok(result?),
        }
    }

    async fn copy(&self, from: &Path, to: &Path) -> Result<()> {
        let mode = system::status(from, true)?.mode & 0o7777;
        let fresh = system::status(to, true).is_err();
        let mut source = File::open(from)?;
        let mut target = File::create(to)?;
        io::copy(&mut source, &mut target)?;
        if fresh {
            system::chmod(to, mode & !bashkit::current_umask())?;
        }
        Ok(())
    }

    async fn symlink(&self, target: &Path, link: &Path) -> Result<()> {
        Ok(system::symlink(target, link)?)
    }

    async fn read_link(&self, path: &Path) -> Result<PathBuf> {
        if is_alias(path) {
            return Err(io::Error::from(ErrorKind::InvalidInput).into());
        }
        Ok(fs::read_link(path)?)
    }

    async fn chmod(&self, path: &Path, mode: u32) -> Result<()> {
        Ok(system::chmod(path, mode)?)
    }

    async fn set_modified_time(&self, path: &Path, time: SystemTime) -> Result<()> {
        Ok(system::set_modified(path, nanoseconds(time))?)
    }
}

impl FileSystemExt for SessionFiles {
    fn backend_kind(&self) -> &'static str {
        "wasi"
    }
}
