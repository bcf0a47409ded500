//! `cpio -i` and `cpio -t`.

use super::format::{DIRECTORY, FILE, Format, Header, LAST, SYMLINK};
use super::placing::Placing;
use super::{Job, listing};
use crate::tools::source::{Printer, Source};
use crate::tools::text;
use crate::tools::wildcard::Wildcard;
use bashkit::Result;
use std::collections::BTreeMap;
use std::fs::{self, File};
use std::io::{self, Write};
use std::path::PathBuf;

const TARGET_MAX: u64 = 1 << 16;
/// Where archives of tar's have what.
const TAR_MAGIC: (usize, &[u8]) = (257, b"ustar");
const PIECE: u64 = 64 << 10;

/// An archive that is read, and how much of it was.
struct Archive {
    source: Source,
    held: Vec<u8>,
    at: usize,
    length: u64,
}

impl Archive {
    /// What comes next: as much as is asked for, unless it ends before.
    async fn peek(&mut self, job: &Job<'_, '_>, length: usize) -> Result<&[u8]> {
        while self.held.len() - self.at < length {
            let piece = self.source.next(job.ctx).await?;
            if piece.is_empty() {
                break;
            }
            self.held.drain(..self.at);
            self.at = 0;
            self.held.extend_from_slice(&piece);
        }
        let end = self.held.len().min(self.at + length);
        Ok(&self.held[self.at..end])
    }

    /// @returns nothing if it ends before.
    async fn take(&mut self, job: &Job<'_, '_>, length: u64) -> Result<Option<Vec<u8>>> {
        let length = length as usize;
        let bytes = self.peek(job, length).await?.to_vec();
        self.at += bytes.len();
        self.length += bytes.len() as u64;
        Ok((bytes.len() == length).then_some(bytes))
    }

    async fn skip(&mut self, job: &Job<'_, '_>, mut length: u64) -> Result<bool> {
        while length > 0 {
            let Some(bytes) = self.take(job, length.min(PIECE)).await? else { return Ok(false) };
            length -= bytes.len() as u64;
        }
        Ok(true)
    }
}

/// What ends the reading of an archive.
enum End {
    Last,
    /// Told already.
    Broken,
}

struct Extraction {
    archive: Archive,
    placing: Placing,
    patterns: Vec<Wildcard>,
    /// Names of files whose contents come with another name, by their inodes.
    waiting: BTreeMap<u64, Vec<(Header, PathBuf)>>,
    printer: Printer,
    told_prefix: bool,
}

impl Job<'_, '_> {
    /// @returns how many bytes were read; nothing if that was no use.
    pub async fn read_archive(&mut self) -> Result<Option<u64>> {
        let Some(patterns) = self.patterns().await? else { return Ok(None) };
        let Some(source) = self.archive().await? else { return Ok(None) };
        let mut work = Extraction {
            archive: Archive { source, held: Vec::new(), at: 0, length: 0 },
            placing: Placing::default(),
            patterns,
            waiting: BTreeMap::new(),
            printer: Printer::default(),
            told_prefix: false,
        };
        let end = loop {
            if let Some(end) = self.member(&mut work).await? {
                break end;
            }
            work.printer.settle(self.ctx).await?;
        };
        for (_, names) in std::mem::take(&mut work.waiting) {
            self.place_names(&mut work, names, None).await?;
        }
        work.placing.set_times();
        work.printer.flush(self.ctx).await?;
        Ok(match end {
            End::Last => Some(work.archive.length),
            End::Broken => None,
        })
    }

    async fn patterns(&mut self) -> Result<Option<Vec<Wildcard>>> {
        let mut texts = self.options.operands.clone();
        let files: Vec<String> = self.options.given.iter().filter(|(key, _)| key == "E").filter_map(|(_, value)| value.clone()).collect();
        for name in files {
            let mut source = match Source::open(self.ctx, &name).await {
                Ok(source) => source,
                Err(why) => {
                    self.fail(&format!("{name}: {why}")).await?;
                    return Ok(None);
                }
            };
            let mut bytes = Vec::new();
            loop {
                let piece = source.next(self.ctx).await?;
                if piece.is_empty() {
                    break;
                }
                bytes.extend_from_slice(&piece);
            }
            texts.extend(text::decode_owned(bytes).lines().filter(|line| !line.is_empty()).map(String::from));
        }
        Ok(Some(texts.iter().map(|text| Wildcard::of_any(text.as_bytes())).collect()))
    }

    async fn broken(&mut self, what: &str) -> Result<Option<End>> {
        self.fail(what).await?;
        Ok(Some(End::Broken))
    }

    /// Finds where the next header begins.
    async fn format_of_next(&mut self, archive: &mut Archive) -> Result<Option<Format>> {
        let mut junk = 0u64;
        let first = archive.peek(self, TAR_MAGIC.0 + TAR_MAGIC.1.len()).await?.to_vec();
        if Format::of(&first).is_none() && first.get(TAR_MAGIC.0..) == Some(TAR_MAGIC.1) {
            self.fail("this is an archive of tar's, which reads it").await?;
            return Ok(None);
        }
        loop {
            let bytes = archive.peek(self, 6).await?;
            let found = Format::of(bytes).filter(|found| self.format.is_none_or(|own| own == *found || own == Format::Bin && *found == Format::Swapped));
            let ended = bytes.len() < 6;
            if found.is_some() {
                if junk > 0 {
                    self.warn(&format!("warning: skipped {junk} byte{} of junk", if junk == 1 { "" } else { "s" })).await?;
                }
                return Ok(found);
            }
            if ended {
                let packed = [(&b"\x1f\x8b"[..], "zcat"), (b"BZh", "bzcat"), (b"\xfd7zXZ", "xzcat"), (b"\x28\xb5\x2f\xfd", "zstdcat")];
                let hint = packed.iter().find(|(magic, _)| first.starts_with(magic)).map(|(_, reader)| format!(": it is packed, {reader} unpacks it"));
                self.fail(&format!("premature end of archive{}", hint.unwrap_or_default())).await?;
                return Ok(None);
            }
            archive.at += 1;
            archive.length += 1;
            junk += 1;
        }
    }

    async fn member(&mut self, work: &mut Extraction) -> Result<Option<End>> {
        let Some(format) = self.format_of_next(&mut work.archive).await? else { return Ok(Some(End::Broken)) };
        let Some(bytes) = work.archive.take(self, format.length() as u64).await? else {
            return self.broken("premature end of file").await;
        };
        let Some((mut header, name_length)) = format.read(&bytes) else {
            return self.broken("malformed header").await;
        };
        let padding = format.padding(format.length() as u64 + name_length);
        let Some(name) = work.archive.take(self, name_length + padding).await? else {
            return self.broken("premature end of file").await;
        };
        let name = name.split(|byte| *byte == 0).next().unwrap_or_default();
        header.name = text::decode(name);
        if header.name == LAST {
            return Ok(Some(End::Last));
        }
        if self.options.has("no-absolute-filenames") {
            self.strip(work, &mut header).await?;
        }
        let wanted = self.is_wanted(work, &header.name);
        let ended = self.contents(work, &header, wanted).await?;
        if ended.is_none() && !work.archive.skip(self, format.padding(header.size)).await? {
            return self.broken("premature end of file").await;
        }
        Ok(ended)
    }

    fn is_wanted(&self, work: &Extraction, name: &str) -> bool {
        let matches = work.patterns.iter().any(|pattern| pattern.fits(name.as_bytes()));
        work.patterns.is_empty() || matches != self.options.has("f")
    }

    /// Takes from a name what would lead out of where it is called.
    async fn strip(&mut self, work: &mut Extraction, header: &mut Header) -> Result<()> {
        let parts: Vec<&str> = header.name.split('/').collect();
        let up = parts.iter().rposition(|part| *part == "..");
        let own = parts[up.map_or(0, |at| at + 1)..].join("/");
        let stripped = own.trim_start_matches('/');
        let prefix = &header.name[..header.name.len() - stripped.len()];
        if !prefix.is_empty() && !std::mem::replace(&mut work.told_prefix, true) {
            self.warn(&format!("Removing leading `{prefix}' from member names")).await?;
        }
        header.name = if stripped.is_empty() { ".".into() } else { stripped.into() };
        Ok(())
    }

    /// What an entry has, shown or put where it is to be. @returns what ends it all.
    async fn contents(&mut self, work: &mut Extraction, header: &Header, wanted: bool) -> Result<Option<End>> {
        let others = work.waiting.get(&header.inode).is_some_and(|_| header.is(FILE) && header.links > 1 && header.size > 0);
        if !wanted && !others {
            return self.skipped(work, header.size).await;
        }
        let mut target = String::new();
        if header.is(SYMLINK) {
            match work.archive.take(self, header.size.min(TARGET_MAX)).await? {
                Some(bytes) if header.size <= TARGET_MAX => target = text::decode_owned(bytes),
                _ => return self.broken("premature end of file").await,
            }
        }
        if self.options.has("t") {
            let line = match self.options.has("v") {
                true => listing::line(header, &target, self.options.has("n"), self.ctx.env),
                false => format!("{}\n", header.name),
            };
            work.printer.bytes().extend_from_slice(&text::encode(line));
            return self.skipped(work, if header.is(SYMLINK) { 0 } else { header.size }).await;
        }
        if self.options.has("to-stdout") {
            return self.printed(work, header).await;
        }
        let path = self.path(&header.name);
        if header.name.split('/').any(|part| part == "..") {
            self.fail(&format!("{}: it leads out by '..': left out (--no-absolute-filenames takes that from its name)", header.name)).await?;
            return self.skipped(work, if header.is(SYMLINK) { 0 } else { header.size }).await;
        }
        if header.is(FILE) {
            return self.place_file(work, header, path, wanted).await;
        }
        if self.make_room(&work.placing, &header.name, &path, header.is(DIRECTORY), header.modified).await? {
            if header.is(DIRECTORY) {
                self.place_directory(&mut work.placing, header, &path).await?;
            } else if header.is(SYMLINK) {
                self.place_link(&mut work.placing, header, &path, &target).await?;
            } else {
                self.failed(&header.name, "mknod", &io::Error::from(io::ErrorKind::PermissionDenied)).await?;
            }
        }
        self.show(&header.name).await?;
        self.skipped(work, if header.is(SYMLINK) { 0 } else { header.size }).await
    }

    async fn skipped(&mut self, work: &mut Extraction, size: u64) -> Result<Option<End>> {
        match work.archive.skip(self, size).await? {
            true => Ok(None),
            false => self.broken("premature end of file").await,
        }
    }

    async fn printed(&mut self, work: &mut Extraction, header: &Header) -> Result<Option<End>> {
        let mut left = if header.is(SYMLINK) { 0 } else { header.size };
        while left > 0 {
            let Some(bytes) = work.archive.take(self, left.min(PIECE)).await? else {
                work.printer.flush(self.ctx).await?;
                return self.broken("premature end of file").await;
            };
            left -= bytes.len() as u64;
            work.printer.bytes().extend_from_slice(&bytes);
            work.printer.settle(self.ctx).await?;
        }
        Ok(None)
    }

    async fn place_file(&mut self, work: &mut Extraction, header: &Header, path: PathBuf, wanted: bool) -> Result<Option<End>> {
        let several = header.links > 1;
        if several && header.size == 0 {
            work.waiting.entry(header.inode).or_default().push((header.clone(), path));
            self.show(&header.name).await?;
            return Ok(None);
        }
        let mut names = if several { work.waiting.remove(&header.inode).unwrap_or_default() } else { Vec::new() };
        if wanted {
            names.insert(0, (header.clone(), path));
            self.show(&header.name).await?;
        }
        self.place_names(work, names, Some(header)).await
    }

    /// Puts what comes next into the first of the names, and makes the others names of it.
    /// @param contents The entry that has it; absent if there is nothing in it.
    async fn place_names(&mut self, work: &mut Extraction, names: Vec<(Header, PathBuf)>, contents: Option<&Header>) -> Result<Option<End>> {
        let mut left = contents.map(|header| header.size);
        for (own, path) in names {
            if !self.make_room(&work.placing, &own.name, &path, false, own.modified).await? {
                continue;
            }
            if let Some(first) = work.placing.names.get(&own.inode).filter(|_| own.links > 1).cloned() {
                if self.join(&first, &own.name, &path).await? {
                    continue;
                }
            }
            let mut file = match File::create(&path) {
                Ok(file) => file,
                Err(error) => {
                    self.failed(&own.name, "open", &error).await?;
                    continue;
                }
            };
            let size = left.take().unwrap_or(0);
            if let Some(end) = self.fill(work, &mut file, size, contents).await? {
                drop(file);
                let _ = fs::remove_file(&path);
                return Ok(Some(end));
            }
            drop(file);
            self.finish(&own, &path);
            if own.links > 1 {
                work.placing.names.insert(own.inode, (own.name.clone(), path));
            }
        }
        match left {
            Some(size) => self.skipped(work, size).await,
            None => Ok(None),
        }
    }

    async fn fill(&mut self, work: &mut Extraction, file: &mut File, size: u64, header: Option<&Header>) -> Result<Option<End>> {
        let (mut left, mut sum) = (size, 0u32);
        while left > 0 {
            let Some(bytes) = work.archive.take(self, left.min(PIECE)).await? else {
                return self.broken("premature end of file").await;
            };
            left -= bytes.len() as u64;
            sum = bytes.iter().fold(sum, |sum, byte| sum.wrapping_add(u32::from(*byte)));
            if let Err(error) = file.write_all(&bytes) {
                return self.broken(&format!("write error: {}", crate::tools::reason(&error))).await;
            }
        }
        if let Some(header) = header.filter(|header| header.sum != 0 && header.sum != sum) {
            self.fail(&format!("{}: checksum error (0x{sum:x}, should be 0x{:x})", header.name, header.sum)).await?;
        }
        Ok(None)
    }
}
