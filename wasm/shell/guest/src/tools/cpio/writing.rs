//! `cpio -o`.

use super::format::{Format, Header, LAST};
use super::{FAILED, Job, status_of};
use crate::system::{self, Status};
use crate::tools::source::{OUTPUT_NAMES, Printer, Runs, Source};
use crate::tools::text;
use bashkit::Result;
use std::collections::HashMap;
use std::fs::File;
use std::io::Write;

/// Where an archive goes, and how long it is so far.
struct Archive {
    printer: Printer,
    file: Option<File>,
    length: u64,
}

impl Archive {
    async fn add(&mut self, job: &Job<'_, '_>, bytes: &[u8]) -> Result<()> {
        self.length += bytes.len() as u64;
        if let Some(file) = &mut self.file {
            return Ok(file.write_all(bytes)?);
        }
        self.printer.bytes().extend_from_slice(bytes);
        self.printer.settle(job.ctx).await
    }

    async fn pad(&mut self, job: &Job<'_, '_>, count: u64) -> Result<()> {
        self.add(job, &vec![0; count as usize]).await
    }
}

/// Names of one file that have come so far: newc has its contents with the last of them.
type Waiting = HashMap<u64, Vec<(Header, String)>>;

impl Job<'_, '_> {
    /// @returns how many bytes there are.
    pub async fn write_archive(&mut self) -> Result<Option<u64>> {
        let format = self.format.unwrap_or(Format::Bin);
        let target = self.options.last_of(&["F", "O"]).and_then(|key| self.options.value(key)).filter(|name| *name != "-" && !OUTPUT_NAMES.contains(name));
        let file = match target.map(|name| (name, File::create(crate::tools::absolute(self.ctx.cwd, name)))) {
            Some((name, Err(error))) => {
                let problem = format!("Cannot open {name}: {}", crate::tools::reason(&error));
                self.fail(&problem).await?;
                return Ok(None);
            }
            Some((_, Ok(file))) => Some(file),
            None => None,
        };
        let mut archive = Archive { printer: Printer::default(), file, length: 0 };
        match self.write_all(&mut archive, format).await {
            // Where there is no room, what is there is no archive.
            Err(bashkit::Error::Io(error)) if archive.file.is_some() => {
                self.fail(&format!("write error: {}", crate::tools::reason(&error))).await?;
                return Ok(None);
            }
            result => result?,
        }
        Ok(Some(archive.length))
    }

    async fn write_all(&mut self, archive: &mut Archive, format: Format) -> Result<()> {
        let end = if self.options.has("0") { 0 } else { b'\n' };
        let mut names = Runs::new(Source::Input(self.ctx.stdin.clone()));
        let (mut line, mut inodes, mut waiting) = (Vec::new(), HashMap::new(), Waiting::new());
        while names.line(self.ctx, end, &mut line).await? {
            let name = text::decode(&line);
            if name.is_empty() {
                self.warn("blank line ignored").await?;
                continue;
            }
            let path = self.path(&name);
            let status = match status_of(self.ctx, &path, self.options.has("L")).await {
                Ok(status) => status,
                Err(error) => {
                    self.failed(&name, "stat", &error).await?;
                    continue;
                }
            };
            let count = inodes.len() as u64 + 1;
            let inode = *inodes.entry(if status.links > 1 { (status.inode, 0) } else { (status.inode, count) }).or_insert(count);
            let header = Header {
                inode,
                mode: system::kind_bits(&status) | status.mode & 0o7777,
                user: status.user,
                links: status.links,
                modified: status.modified / 1_000_000_000,
                name: stored(&name),
                ..Header::default()
            };
            let several = status.file_type == system::FILE && status.links > 1 && matches!(format, Format::Newc | Format::Crc);
            if !several {
                self.add_file(archive, format, header, &name, &status).await?;
                continue;
            }
            let names = waiting.entry(inode).or_default();
            names.push((header, name));
            if names.len() as u64 == status.links {
                let names = waiting.remove(&inode).unwrap_or_default();
                self.add_names(archive, format, names).await?;
            }
        }
        let mut rest: Vec<_> = waiting.into_iter().collect();
        rest.sort_by_key(|(inode, _)| *inode);
        for (_, names) in rest {
            self.add_names(archive, format, names).await?;
        }
        let last = Header { links: 1, name: LAST.into(), ..Header::default() };
        archive.add(self, &format.write(&last).unwrap_or_default()).await?;
        let length = archive.length;
        archive.pad(self, length.next_multiple_of(self.block) - length).await?;
        archive.printer.flush(self.ctx).await
    }

    async fn add_names(&mut self, archive: &mut Archive, format: Format, names: Vec<(Header, String)>) -> Result<()> {
        let count = names.len();
        for (at, (header, name)) in names.into_iter().enumerate() {
            if at + 1 == count {
                match status_of(self.ctx, &self.path(&name), self.options.has("L")).await {
                    Ok(status) => self.add_file(archive, format, header, &name, &status).await?,
                    Err(error) => self.failed(&name, "stat", &error).await?,
                }
            } else {
                archive.add(self, &format.write(&header).unwrap_or_default()).await?;
                self.show(&name).await?;
            }
        }
        Ok(())
    }

    async fn add_file(&mut self, archive: &mut Archive, format: Format, mut header: Header, name: &str, status: &Status) -> Result<()> {
        let path = self.path(name);
        let mut held = None;
        let mut source = None;
        match status.file_type {
            system::SYMLINK => {
                let target = match std::fs::read_link(&path) {
                    Ok(target) => target,
                    Err(_) => self.ctx.fs.read_link(&path).await.unwrap_or_default(),
                };
                held = Some(text::encode(target.to_string_lossy().into_owned()));
            }
            system::FILE => match Source::open(self.ctx, &path.to_string_lossy()).await {
                Ok(opened) => {
                    header.size = status.size;
                    source = Some(opened);
                }
                Err(why) => return self.fail(&format!("{name}: Cannot open: {why}")).await,
            },
            _ => {}
        }
        if format == Format::Crc && source.is_some() {
            header.sum = self.sum(&path.to_string_lossy()).await?;
        }
        if let Some(target) = &held {
            header.size = target.len() as u64;
        }
        let Some(bytes) = format.write(&header) else {
            return self.fail(&format!("{name}: there is no room for its size or name in this format: use -H newc")).await;
        };
        archive.add(self, &bytes).await?;
        self.show(name).await?;
        let mut left = header.size;
        if let Some(target) = held {
            archive.add(self, &target).await?;
            left = 0;
        }
        if let Some(mut source) = source {
            while left > 0 {
                let piece = source.next(self.ctx).await?;
                if piece.is_empty() {
                    // It was longer when it was looked at: zeros fill what the header says.
                    self.code = FAILED;
                    archive.pad(self, left).await?;
                    break;
                }
                let length = piece.len().min(usize::try_from(left).unwrap_or(usize::MAX));
                archive.add(self, &piece[..length]).await?;
                left -= length as u64;
            }
        }
        archive.pad(self, format.padding(header.size)).await
    }

    async fn sum(&mut self, name: &str) -> Result<u32> {
        let Ok(mut source) = Source::open(self.ctx, name).await else { return Ok(0) };
        let mut sum = 0u32;
        loop {
            let piece = source.next(self.ctx).await?;
            if piece.is_empty() {
                return Ok(sum);
            }
            sum = piece.iter().fold(sum, |sum, byte| sum.wrapping_add(u32::from(*byte)));
        }
    }
}

/// As GNU's writes a name: without `./`.
fn stored(name: &str) -> String {
    let mut own = name;
    while let Some(rest) = own.strip_prefix("./") {
        own = rest.trim_start_matches('/');
    }
    if own.is_empty() { ".".into() } else { own.into() }
}
