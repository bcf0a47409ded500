//! What the shell calls of preview1 by itself, since the standard library hides it, and what it has beside that.

use bashkit::{FileType, Metadata};
use std::io;
use std::path::Path;
use std::time::SystemTime;

/// The descriptor of the one directory that is open from the start: `/`.
const ROOT: i32 = 3;

const FOLLOW: i32 = 1;
/// The host gives no more at once than 1 MiB.
const RANDOM_PIECE: usize = 64 * 1024;

#[link(wasm_import_module = "wasi_snapshot_preview1")]
unsafe extern "C" {
    fn path_filestat_get(fd: i32, flags: i32, path: *const u8, length: usize, result: *mut u8) -> i32;
    fn path_filestat_set_times(
        fd: i32,
        flags: i32,
        path: *const u8,
        length: usize,
        atime: u64,
        mtime: u64,
        which: i32,
    ) -> i32;
    fn random_get(bytes: *mut u8, length: usize) -> i32;
    fn path_link(fd: i32, flags: i32, from: *const u8, from_length: usize, to_fd: i32, to: *const u8, to_length: usize)
    -> i32;
    fn path_symlink(target: *const u8, target_length: usize, fd: i32, path: *const u8, length: usize) -> i32;
}

#[link(wasm_import_module = "posix")]
unsafe extern "C" {
    #[link_name = "path_chmod"]
    fn posix_chmod(fd: i32, flags: i32, path: *const u8, length: usize, mode: u32) -> i32;
    #[link_name = "space"]
    fn posix_space(result: *mut u64) -> i32;
}

/// A file's attributes, with what preview1 has no fields for: the host puts mode and user into the padding.
pub struct Status {
    pub file_type: u8,
    pub mode: u32,
    pub links: u64,
    pub user: u32,
    pub inode: u64,
    pub size: u64,
    /// Nanoseconds since 1970.
    pub accessed: u64,
    pub modified: u64,
    pub changed: u64,
}

impl Status {
    pub fn copy(&self) -> Self {
        Status { ..*self }
    }

    /// Of what is not among the session's files.
    pub fn of_system(metadata: &Metadata) -> Self {
        let nanoseconds = |time: SystemTime| {
            time.duration_since(SystemTime::UNIX_EPOCH).unwrap_or_default().as_nanos() as u64
        };
        let modified = nanoseconds(metadata.modified);
        Status {
            file_type: match metadata.file_type {
                FileType::Directory => DIRECTORY,
                FileType::Symlink => SYMLINK,
                _ => FILE,
            },
            mode: metadata.mode & 0o7777,
            links: 1,
            user: 0,
            inode: 1,
            size: metadata.size,
            accessed: modified,
            modified,
            changed: modified,
        }
    }
}

pub const FILE: u8 = 4;
pub const DEVICE: u8 = 2;
pub const DIRECTORY: u8 = 3;
pub const SYMLINK: u8 = 7;

/// A path as imports take it: relative to the root.
fn relative(path: &Path) -> io::Result<&str> {
    let path = path.to_str().ok_or_else(|| io::Error::from(io::ErrorKind::InvalidInput))?;
    let path = path.trim_start_matches('/');
    Ok(if path.is_empty() { "." } else { path })
}

fn checked(errno: i32) -> io::Result<()> {
    if errno == 0 { Ok(()) } else { Err(io::Error::from_raw_os_error(errno)) }
}

fn lookup(follow: bool) -> i32 {
    if follow { FOLLOW } else { 0 }
}

/// @param follow whether the last name may be that of a symlink to the file.
pub fn status(path: &Path, follow: bool) -> io::Result<Status> {
    let path = relative(path)?;
    let mut bytes = [0u8; 64];
    checked(unsafe { path_filestat_get(ROOT, lookup(follow), path.as_ptr(), path.len(), bytes.as_mut_ptr()) })?;
    let long = |at: usize| u64::from_le_bytes(bytes[at..at + 8].try_into().unwrap_or_default());
    let short = |at: usize| u32::from(u16::from_le_bytes([bytes[at], bytes[at + 1]]));
    Ok(Status {
        inode: long(8),
        file_type: bytes[16],
        mode: short(20),
        user: short(22),
        links: long(24),
        size: long(32),
        accessed: long(40),
        modified: long(48),
        changed: long(56),
    })
}

/// The part of a mode that says what a file is.
pub fn kind_bits(status: &Status) -> u32 {
    match status.file_type {
        DEVICE => 0o020000,
        DIRECTORY => 0o040000,
        SYMLINK => 0o120000,
        _ => 0o100000,
    }
}

pub fn user_name(user: u32) -> &'static str {
    if user == 0 { "root" } else { "user" }
}

pub fn chmod(path: &Path, mode: u32) -> io::Result<()> {
    let path = relative(path)?;
    checked(unsafe { posix_chmod(ROOT, FOLLOW, path.as_ptr(), path.len(), mode) })
}

/// @param modified nanoseconds since 1970.
pub fn set_modified(path: &Path, modified: u64) -> io::Result<()> {
    set_time(path, FOLLOW, modified)
}

/// Of a symlink itself.
pub fn set_link_modified(path: &Path, modified: u64) -> io::Result<()> {
    set_time(path, 0, modified)
}

fn set_time(path: &Path, flags: i32, modified: u64) -> io::Result<()> {
    const MODIFIED: i32 = 4;
    let path = relative(path)?;
    checked(unsafe { path_filestat_set_times(ROOT, flags, path.as_ptr(), path.len(), 0, modified, MODIFIED) })
}

/// What the session's files may take, and what is free of that.
pub struct Space {
    pub bytes: (u64, u64),
    pub inodes: (u64, u64),
}

pub fn space() -> io::Result<Space> {
    let mut found = [0u64; 4];
    checked(unsafe { posix_space(found.as_mut_ptr()) })?;
    let [bytes, free_bytes, inodes, free_inodes] = found;
    Ok(Space { bytes: (bytes, free_bytes), inodes: (inodes, free_inodes) })
}

pub fn random(bytes: &mut [u8]) -> io::Result<()> {
    bytes.chunks_mut(RANDOM_PIECE).try_for_each(|piece| checked(unsafe { random_get(piece.as_mut_ptr(), piece.len()) }))
}

pub fn symlink(target: &Path, link: &Path) -> io::Result<()> {
    let link = relative(link)?;
    let target = target.to_str().ok_or_else(|| io::Error::from(io::ErrorKind::InvalidInput))?;
    checked(unsafe { path_symlink(target.as_ptr(), target.len(), ROOT, link.as_ptr(), link.len()) })
}

pub fn link(from: &Path, to: &Path) -> io::Result<()> {
    let (from, to) = (relative(from)?, relative(to)?);
    checked(unsafe { path_link(ROOT, 0, from.as_ptr(), from.len(), ROOT, to.as_ptr(), to.len()) })
}
