//! `zstd`, `unzstd`, `zstdcat`. Every level packs as level 1 does: the crate has no other.

use super::source::{Runs, Source};
use super::absolute;
use crate::system;
use bashkit::{Command, CommandContext, CommandStatus, Error, Result, async_trait};
use ruzstd::decoding::errors::{FrameDecoderError, ReadFrameHeaderError};
use ruzstd::decoding::{BlockDecodingStrategy, FrameDecoder};
use ruzstd::encoding::{CompressionLevel, compress_to_vec};
use std::path::{Path, PathBuf};

/// What becomes a frame, between two looks at whether it is to stop.
const FRAME: usize = 4 << 20;
/// Largest window that is unpacked with: what zstd takes without being told to take more.
const WINDOW: u64 = 128 << 20;
const SUFFIX: &str = ".zst";
const MAGIC: [u8; 4] = [0x28, 0xb5, 0x2f, 0xfd];

#[derive(Default)]
struct Order {
    unpack: bool,
    test: bool,
    print: bool,
    force: bool,
    remove: bool,
    target: Option<String>,
    names: Vec<String>,
}

impl Order {
    fn of(name: &str, args: &[String]) -> std::result::Result<Self, String> {
        let mut order = Order { unpack: name != "zstd" && name != "zstdmt", ..Order::default() };
        (order.print, order.force) = (name == "zstdcat", name == "zstdcat");
        let mut rest = args.iter();
        while let Some(arg) = rest.next() {
            if arg == "--" {
                order.names.extend(rest.by_ref().cloned());
            } else if let Some(long) = arg.strip_prefix("--") {
                match long.split('=').next().unwrap_or(long) {
                    "compress" => order.unpack = false,
                    "decompress" | "uncompress" => order.unpack = true,
                    "stdout" | "to-stdout" => order.print = true,
                    "force" => order.force = true,
                    "test" => (order.test, order.unpack) = (true, true),
                    "rm" => order.remove = true,
                    "keep" => order.remove = false,
                    "quiet" | "verbose" | "no-progress" | "progress" | "ultra" | "fast" | "long" | "threads" | "single-thread"
                    | "check" | "no-check" | "adapt" | "rsyncable" | "content-size" | "no-content-size" | "size-hint"
                    | "sparse" | "no-sparse" => {}
                    _ => return Err(format!("Incorrect parameter: {arg}")),
                }
            } else if arg.len() > 1 && arg.starts_with('-') {
                let mut letters = arg[1..].char_indices().peekable();
                while let Some((at, letter)) = letters.next() {
                    match letter {
                        'd' => order.unpack = true,
                        'z' => order.unpack = false,
                        'c' => order.print = true,
                        'f' => order.force = true,
                        'k' => order.remove = false,
                        't' => (order.test, order.unpack) = (true, true),
                        'q' | 'v' | '0'..='9' => {}
                        'T' => while letters.next_if(|(_, digit)| digit.is_ascii_digit()).is_some() {},
                        'o' => {
                            let attached = &arg[2 + at..];
                            let given = if attached.is_empty() { rest.next().cloned() } else { Some(attached.to_string()) };
                            order.target = Some(given.ok_or("error: missing command argument")?);
                            break;
                        }
                        _ => return Err(format!("Incorrect parameter: -{letter}")),
                    }
                }
            } else {
                order.names.push(arg.clone());
            }
        }
        if order.target.is_some() && order.names.len() > 1 {
            return Err("several files into one are not packed here".into());
        }
        Ok(order)
    }
}

pub struct Zstd;

#[async_trait]
impl Command for Zstd {
    async fn execute(&self, ctx: CommandContext<'_>) -> Result<CommandStatus> {
        let mut order = match Order::of(ctx.name, ctx.args) {
            Ok(order) => order,
            Err(problem) => {
                complain(&ctx, &problem).await?;
                return Ok(CommandStatus::with_code(1));
            }
        };
        if order.names.is_empty() {
            order.names.push("-".into());
        }
        let mut code = 0;
        for name in &order.names {
            match order.work(&ctx, name).await {
                Ok(()) => {}
                Err(Problem::Stream(error)) => return Err(error),
                Err(Problem::File(problem)) => {
                    complain(&ctx, &problem).await?;
                    code = 1;
                }
            }
        }
        Ok(CommandStatus::with_code(code))
    }
}

async fn complain(ctx: &CommandContext<'_>, what: &str) -> Result<()> {
    ctx.stderr.write_all(format!("zstd: {what}\n").as_bytes()).await
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

type Worked = std::result::Result<(), Problem>;

/// Where it goes.
enum Target {
    Output,
    File(PathBuf),
    Nowhere,
}

impl Target {
    async fn add(&self, ctx: &CommandContext<'_>, bytes: &[u8]) -> Result<()> {
        match self {
            Target::Output => ctx.stdout.write_all(bytes).await,
            Target::File(path) => ctx.fs.append_file(path, bytes).await,
            // A look at whether it is to stop.
            Target::Nowhere => ctx.stdout.write_all(&[]).await,
        }
    }
}

impl Order {
    async fn work(&self, ctx: &CommandContext<'_>, name: &str) -> Worked {
        let shown = if name == "-" { "/*stdin*\\" } else { name };
        let refuse = |why: &str| Err(Problem::File(format!("{shown}: {why}")));
        if name != "-" && system::status(&absolute(ctx.cwd, name), true).is_ok_and(|status| status.file_type == system::DIRECTORY) {
            return refuse("is a directory -- ignored ");
        }
        let source = match Source::open(ctx, name).await {
            Ok(source) => source,
            Err(why) => return Err(Problem::File(format!("can't stat {name} : {why} -- ignored "))),
        };
        let target = match (&self.target, name) {
            _ if self.test => Target::Nowhere,
            (Some(target), _) if target == "-" => Target::Output,
            (Some(target), _) => Target::File(absolute(ctx.cwd, target)),
            (None, "-") => Target::Output,
            _ if self.print => Target::Output,
            _ => Target::File(absolute(ctx.cwd, &match (self.unpack, name.strip_suffix(SUFFIX), name.strip_suffix(".tzst")) {
                (false, ..) => format!("{name}{SUFFIX}"),
                (true, Some(stem), _) if !stem.is_empty() => stem.to_string(),
                (true, _, Some(stem)) => format!("{stem}.tar"),
                _ => return refuse("unknown suffix (.zst/.tzst expected). Can't derive the output file name. Specify it with -o dstFileName. Ignoring."),
            })),
        };
        if let Target::File(path) = &target {
            if !self.force && system::status(path, false).is_ok() {
                return Err(Problem::File(format!("{} already exists; not overwritten", path.display())));
            }
            ctx.fs.write_file(path, &[]).await?;
        }
        let mut reader = Runs::new(source);
        let done = if self.unpack { self.unpack(ctx, &mut reader, &target, shown).await } else { pack(ctx, &mut reader, &target).await };
        match (&target, &done) {
            (Target::File(path), Ok(())) if name != "-" => self.replace(&absolute(ctx.cwd, name), path)?,
            (Target::File(path), Err(_)) => ctx.fs.remove(path, false).await?,
            _ => {}
        }
        done
    }

    fn replace(&self, source: &Path, target: &Path) -> Worked {
        let kept = || -> std::io::Result<()> {
            let status = system::status(source, true)?;
            system::chmod(target, status.mode & 0o777)?;
            system::set_modified(target, status.modified)?;
            if self.remove { std::fs::remove_file(source) } else { Ok(()) }
        };
        kept().map_err(|error| Problem::File(super::reason(&error)))
    }

    /// All frames, one after the other.
    async fn unpack(&self, ctx: &CommandContext<'_>, reader: &mut Runs, target: &Target, shown: &str) -> Worked {
        let refuse = |why: &str| Err(Problem::File(format!("{shown}: {why}")));
        let mut bytes = Vec::new();
        let mut any = false;
        loop {
            let piece = reader.peek(ctx).await?;
            let length = piece.len();
            bytes.extend_from_slice(piece);
            reader.take(length);
            if length == 0 {
                break;
            }
        }
        let mut rest = &bytes[..];
        while !rest.is_empty() {
            let mut decoder = FrameDecoder::new();
            decoder.set_max_window_size(WINDOW);
            match decoder.init(&mut rest) {
                Ok(()) => {}
                Err(FrameDecoderError::ReadFrameHeaderError(ReadFrameHeaderError::SkipFrame { length, .. })) => {
                    let Some(after) = rest.get(length as usize..) else { return refuse("unexpected end of file") };
                    rest = after;
                    any = true;
                    continue;
                }
                Err(_) if !any && !bytes.starts_with(&MAGIC) => {
                    if self.force && matches!(target, Target::Output) {
                        return Ok(target.add(ctx, &bytes).await?);
                    }
                    return refuse("unsupported format ");
                }
                Err(FrameDecoderError::WindowSizeTooBig { .. }) => return refuse("Window size larger than maximum"),
                Err(_) => return refuse("unexpected end of file"),
            }
            any = true;
            while !decoder.is_finished() {
                if let Err(error) = decoder.decode_blocks(&mut rest, BlockDecodingStrategy::UptoBlocks(1)) {
                    return refuse(&format!("Decoding error : {error}"));
                }
                if let Some(made) = decoder.collect() {
                    target.add(ctx, &made).await?;
                }
            }
            if let Some(made) = decoder.collect() {
                target.add(ctx, &made).await?;
            }
            let (told, found) = (decoder.get_checksum_from_data(), decoder.get_calculated_checksum());
            if told.is_some() && told != found {
                return refuse("Decoding error (36) : Restored data doesn't match checksum");
            }
        }
        if any { Ok(()) } else { refuse("unexpected end of file") }
    }
}

async fn pack(ctx: &CommandContext<'_>, reader: &mut Runs, target: &Target) -> Worked {
    let mut frame = Vec::new();
    let mut any = false;
    loop {
        let piece = reader.peek(ctx).await?;
        let length = piece.len().min(FRAME - frame.len());
        frame.extend_from_slice(&piece[..length]);
        reader.take(length);
        if frame.len() == FRAME || length == 0 && (!frame.is_empty() || !any) {
            target.add(ctx, &compress_to_vec(&frame[..], CompressionLevel::Fastest)).await?;
            frame.clear();
            any = true;
        }
        if length == 0 {
            return Ok(());
        }
    }
}
