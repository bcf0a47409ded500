//! `cpio -p`: a tree below another directory.

use super::format::{Header, SYMLINK};
use super::placing::Placing;
use super::{Job, status_of};
use crate::system;
use crate::tools::source::{Runs, Source};
use crate::tools::text;
use bashkit::Result;
use std::fs::{self, File};
use std::io::{self, Write};
use std::path::Path;

impl Job<'_, '_> {
    /// @returns how many bytes were copied.
    pub async fn pass(&mut self) -> Result<Option<u64>> {
        let directory = self.options.operands[0].clone();
        let end = if self.options.has("0") { 0 } else { b'\n' };
        let mut names = Runs::new(Source::Input(self.ctx.stdin.clone()));
        let (mut line, mut placing, mut bytes) = (Vec::new(), Placing::default(), 0);
        while names.line(self.ctx, end, &mut line).await? {
            let name = text::decode(&line);
            if name.is_empty() {
                self.warn("blank line ignored").await?;
                continue;
            }
            let to = format!("{}/{}", directory.trim_end_matches('/'), name.trim_start_matches('/'));
            match self.copied(&mut placing, &name, &to).await? {
                Some(count) => bytes += count,
                // No room is left: nothing else has any.
                None => return Ok(None),
            }
        }
        placing.set_times();
        Ok(Some(bytes))
    }

    async fn copied(&mut self, placing: &mut Placing, name: &str, to: &str) -> Result<Option<u64>> {
        let (source, path) = (self.path(name), self.path(to));
        let status = match status_of(self.ctx, &source, self.options.has("L")).await {
            Ok(status) => status,
            Err(error) => {
                self.failed(name, "stat", &error).await?;
                return Ok(Some(0));
            }
        };
        let header = Header {
            inode: status.inode,
            mode: system::kind_bits(&status) | status.mode & 0o7777,
            links: status.links,
            modified: status.modified / 1_000_000_000,
            name: to.to_string(),
            ..Header::default()
        };
        let directory = status.file_type == system::DIRECTORY;
        if !self.make_room(placing, to, &path, directory, header.modified).await? {
            return Ok(Some(0));
        }
        if directory {
            self.place_directory(placing, &header, &path).await?;
            self.show(to).await?;
            return Ok(Some(0));
        }
        if header.is(SYMLINK) {
            let target = fs::read_link(&source).unwrap_or_default();
            self.place_link(placing, &header, &path, &target.to_string_lossy()).await?;
            self.show(to).await?;
            return Ok(Some(0));
        }
        if status.file_type != system::FILE {
            self.failed(to, "mknod", &io::Error::from(io::ErrorKind::PermissionDenied)).await?;
            return Ok(Some(0));
        }
        let first = match (self.options.has("l"), header.links > 1) {
            (true, _) => Some((name.to_string(), source.clone())),
            (_, true) => placing.names.get(&header.inode).cloned(),
            _ => None,
        };
        if let Some(first) = first {
            if self.join(&first, to, &path).await? {
                self.show(to).await?;
                return Ok(Some(0));
            }
        }
        let bytes = match self.copy(&source, &path).await? {
            Ok(bytes) => bytes,
            Err(error) => {
                if error.kind() == io::ErrorKind::StorageFull {
                    let _ = fs::remove_file(&path);
                    self.fail(&format!("write error: {}", crate::tools::reason(&error))).await?;
                    return Ok(None);
                }
                self.failed(to, "open", &error).await?;
                return Ok(Some(0));
            }
        };
        self.finish(&header, &path);
        if header.links > 1 {
            placing.names.insert(header.inode, (to.to_string(), path));
        }
        self.show(to).await?;
        Ok(Some(bytes))
    }

    async fn copy(&mut self, from: &Path, to: &Path) -> Result<io::Result<u64>> {
        let mut file = match File::create(to) {
            Ok(file) => file,
            Err(error) => return Ok(Err(error)),
        };
        let mut source = match Source::open(self.ctx, &from.to_string_lossy()).await {
            Ok(source) => source,
            Err(why) => return Ok(Err(io::Error::other(why))),
        };
        let mut bytes = 0;
        loop {
            let piece = source.next(self.ctx).await?;
            if piece.is_empty() {
                return Ok(Ok(bytes));
            }
            if let Err(error) = file.write_all(&piece) {
                return Ok(Err(error));
            }
            bytes += piece.len() as u64;
        }
    }
}
