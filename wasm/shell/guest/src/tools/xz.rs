//! `xz`, `unxz`, `xzcat`.

use super::options::{Parsed, Spec, Value, parse};
use super::transfer::quoted;
use crate::system;
use bashkit::{Command, CommandContext, CommandStatus, Error, Result, async_trait};
use lzma_rust2::{CheckType, XzOptions, XzReader, XzWriter};
use std::io::{self, Read, Write};
use std::path::{Path, PathBuf};

const OPTIONS: &[Spec] = &[
    Spec('c', "stdout", Value::None),
    Spec('\0', "to-stdout", Value::None),
    Spec('d', "decompress", Value::None),
    Spec('\0', "uncompress", Value::None),
    Spec('z', "compress", Value::None),
    Spec('k', "keep", Value::None),
    Spec('f', "force", Value::None),
    Spec('t', "test", Value::None),
    Spec('q', "quiet", Value::None),
    Spec('v', "verbose", Value::None),
    Spec('e', "extreme", Value::None),
    Spec('C', "check", Value::Required),
    Spec('T', "threads", Value::Required),
    Spec('S', "suffix", Value::Required),
    Spec('0', "fast", Value::None),
    Spec('1', "", Value::None),
    Spec('2', "", Value::None),
    Spec('3', "", Value::None),
    Spec('4', "", Value::None),
    Spec('5', "", Value::None),
    Spec('6', "", Value::None),
    Spec('7', "", Value::None),
    Spec('8', "", Value::None),
    Spec('9', "best", Value::None),
];

/// What is worked on between two looks at whether it is to stop.
const PIECE: usize = 256 << 10;
/// Most that unpacking may take beside what comes of it, in KiB: the levels to 9 take 64 MiB.
const MEMORY_KIB: u32 = 80 << 10;
/// Largest window to pack with: that of level 6. It takes eleven times as much.
const WINDOW: u32 = 8 << 20;

pub struct Xz;

#[async_trait]
impl Command for Xz {
    async fn execute(&self, ctx: CommandContext<'_>) -> Result<CommandStatus> {
        let options = match parse(ctx.args, OPTIONS) {
            Ok(options) => options,
            Err(problem) => {
                complain(&ctx, &format!("{problem}\n{}: Try '{} --help' for more information.", ctx.name, ctx.name)).await?;
                return Ok(CommandStatus::with_code(1));
            }
        };
        let unpack = match options.last_of(&["d", "uncompress", "z", "t"]) {
            Some("z") => false,
            Some(_) => true,
            None => ctx.name != "xz",
        };
        let work = Work { unpack, test: options.has("t"), options: &options };
        let printed = work.test || ctx.name == "xzcat" || options.has("c") || options.has("to-stdout");
        let standard = ["-".to_string()];
        let operands = if options.operands.is_empty() { &standard[..] } else { &options.operands };
        let mut code = 0;
        for name in operands {
            let result = if name == "-" || printed {
                work.print(&ctx, name).await
            } else {
                work.replace(&ctx, name).await
            };
            let problem = match result {
                Ok(()) => continue,
                // Whoever reads the output may have gone.
                Err(Problem::Stream(error)) => return Err(error),
                Err(Problem::File(problem)) => problem,
            };
            let shown = if name == "-" { "(stdin)" } else { name };
            complain(&ctx, &format!("{shown}: {problem}")).await?;
            code = 1;
        }
        Ok(CommandStatus::with_code(code))
    }
}

async fn complain(ctx: &CommandContext<'_>, what: &str) -> Result<()> {
    ctx.stderr.write_all(format!("{}: {what}\n", ctx.name).as_bytes()).await
}

enum Problem {
    Stream(Error),
    File(String),
}

impl From<Error> for Problem {
    fn from(error: Error) -> Self {
        Problem::Stream(error)
    }
}

impl From<io::Error> for Problem {
    fn from(error: io::Error) -> Self {
        Problem::File(match error.kind() {
            io::ErrorKind::UnexpectedEof => "Unexpected end of input".into(),
            io::ErrorKind::InvalidData | io::ErrorKind::InvalidInput => "Compressed data is corrupt".into(),
            io::ErrorKind::OutOfMemory => "Memory usage limit reached".into(),
            _ => super::reason(&error),
        })
    }
}

struct Work<'a> {
    unpack: bool,
    test: bool,
    options: &'a Parsed,
}

impl Work<'_> {
    async fn read(&self, ctx: &CommandContext<'_>, name: &str) -> std::result::Result<Vec<u8>, Problem> {
        let mut bytes = Vec::new();
        if super::source::names_input(name) {
            while let Some(piece) = ctx.stdin.read_chunk().await? {
                bytes.extend_from_slice(&piece);
            }
            return Ok(bytes);
        }
        let path = super::absolute(ctx.cwd, name);
        if system::status(&path, true)?.file_type == system::DIRECTORY {
            return Err(Problem::File("Is a directory, skipping".into()));
        }
        Ok(std::fs::read(path)?)
    }

    async fn print(&self, ctx: &CommandContext<'_>, name: &str) -> std::result::Result<(), Problem> {
        let bytes = self.read(ctx, name).await?;
        let mut unpacker = Unpacker::new(&bytes);
        if !self.unpack {
            let packed = self.pack(ctx, &bytes).await?;
            for piece in packed.chunks(64 << 10) {
                ctx.stdout.write_all(piece).await?;
            }
            return Ok(());
        }
        loop {
            let piece = unpacker.next()?;
            ctx.stdout.write_all(if self.test { &[] } else { &piece }).await?;
            if piece.is_empty() {
                return Ok(());
            }
        }
    }

    async fn replace(&self, ctx: &CommandContext<'_>, name: &str) -> std::result::Result<(), Problem> {
        let suffix = self.options.value("S").unwrap_or(".xz");
        let source = super::absolute(ctx.cwd, name);
        let shown = match (self.unpack, name.strip_suffix(suffix), name.strip_suffix(".txz")) {
            (false, None, None) => format!("{name}{suffix}"),
            (false, ..) => return Err(Problem::File(format!("File already has {} suffix, skipping", quoted(suffix)))),
            (true, Some(stem), _) if !stem.is_empty() => stem.to_string(),
            (true, _, Some(stem)) => format!("{stem}.tar"),
            (true, ..) => return Err(Problem::File("Filename has an unknown suffix, skipping".into())),
        };
        let bytes = self.read(ctx, name).await?;
        let target: PathBuf = super::absolute(ctx.cwd, &shown);
        if system::status(&target, false).is_ok() && !self.options.has("f") {
            return Err(Problem::File(format!("{shown}: File exists")));
        }
        let made = if self.unpack { self.unpacked(ctx, &bytes).await? } else { self.pack(ctx, &bytes).await? };
        self.put(&source, &target, &made)?;
        Ok(())
    }

    fn put(&self, source: &Path, target: &Path, bytes: &[u8]) -> io::Result<()> {
        let status = system::status(source, true)?;
        std::fs::write(target, bytes)?;
        system::chmod(target, status.mode & 0o777)?;
        system::set_modified(target, status.modified)?;
        if self.options.has("k") { Ok(()) } else { std::fs::remove_file(source) }
    }

    async fn unpacked(&self, ctx: &CommandContext<'_>, bytes: &[u8]) -> std::result::Result<Vec<u8>, Problem> {
        let mut unpacker = Unpacker::new(bytes);
        let mut all = Vec::new();
        loop {
            let piece = unpacker.next()?;
            ctx.stdout.write_all(&[]).await?;
            if piece.is_empty() {
                return Ok(all);
            }
            all.extend_from_slice(&piece);
        }
    }

    async fn pack(&self, ctx: &CommandContext<'_>, bytes: &[u8]) -> std::result::Result<Vec<u8>, Problem> {
        let level = self.options.last_of(&["0", "1", "2", "3", "4", "5", "6", "7", "8", "9"]);
        let mut options = XzOptions::with_preset(level.and_then(|level| level.parse().ok()).unwrap_or(6));
        let size = u32::try_from(bytes.len()).unwrap_or(u32::MAX).max(lzma_rust2::DICT_SIZE_MIN);
        options.lzma_options.dict_size = options.lzma_options.dict_size.min(WINDOW).min(size.checked_next_power_of_two().unwrap_or(WINDOW));
        options.set_check_sum_type(match self.options.value("C") {
            None | Some("crc64") => CheckType::Crc64,
            Some("crc32") => CheckType::Crc32,
            Some("sha256") => CheckType::Sha256,
            Some("none") => CheckType::None,
            Some(other) => return Err(Problem::File(format!("{other}: Unsupported integrity check type"))),
        });
        let mut writer = XzWriter::new(Vec::new(), options)?;
        for piece in bytes.chunks(PIECE) {
            writer.write_all(piece)?;
            ctx.stdout.write_all(&[]).await?;
        }
        Ok(writer.finish()?)
    }
}

struct Unpacker<'a> {
    reader: XzReader<&'a [u8]>,
}

impl<'a> Unpacker<'a> {
    fn new(bytes: &'a [u8]) -> Self {
        Unpacker { reader: XzReader::new_mem_limit(bytes, true, MEMORY_KIB) }
    }

    /// @returns nothing at the end.
    fn next(&mut self) -> std::result::Result<Vec<u8>, Problem> {
        let mut piece = vec![0; PIECE];
        let mut filled = 0;
        while filled < piece.len() {
            match self.reader.read(&mut piece[filled..]) {
                Ok(0) => break,
                Ok(count) => filled += count,
                Err(error) if filled == 0 && error.kind() == io::ErrorKind::InvalidData && self.reader.inner().len() < 6 => {
                    return Err(Problem::File("File format not recognized".into()));
                }
                Err(error) => return Err(error.into()),
            }
        }
        piece.truncate(filled);
        Ok(piece)
    }
}
