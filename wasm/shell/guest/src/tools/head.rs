//! `head`, which takes no more of what it reads than it shows: devices have no end.

use super::options::{Spec, Value, parse};
use super::{absolute, reason};
use crate::files::is_endless;
use bashkit::{Command, CommandContext, CommandStatus, Error, Result, async_trait};
use std::fs::File;
use std::io::{self, Read};

const OPTIONS: &[Spec] = &[
    Spec('n', "lines", Value::Required),
    Spec('c', "bytes", Value::Required),
    Spec('q', "quiet", Value::None),
    Spec('\0', "silent", Value::None),
    Spec('v', "verbose", Value::None),
    Spec('z', "zero-terminated", Value::None),
];
const PIECE: usize = 64 << 10;

#[derive(Clone, Copy)]
enum Unit {
    Lines(u8),
    Bytes,
}

/// How much of each file is shown.
#[derive(Clone, Copy)]
struct Share {
    unit: Unit,
    count: u64,
    /// All but that many.
    from_end: bool,
}

impl Share {
    /// How many of these bytes, which follow `seen` units, are shown. @returns also how many units there are then.
    fn of(&self, bytes: &[u8], seen: u64) -> (usize, u64) {
        match self.unit {
            Unit::Bytes => {
                let shown = usize::try_from(self.count - seen).unwrap_or(usize::MAX).min(bytes.len());
                (shown, seen + shown as u64)
            }
            Unit::Lines(end) => {
                let mut seen = seen;
                let mut shown = 0;
                while seen < self.count {
                    match bytes[shown..].iter().position(|&byte| byte == end) {
                        Some(at) => {
                            shown += at + 1;
                            seen += 1;
                        }
                        None => return (bytes.len(), seen),
                    }
                }
                (shown, seen)
            }
        }
    }

    fn of_whole(&self, bytes: &[u8]) -> usize {
        let total = match self.unit {
            Unit::Bytes => bytes.len() as u64,
            Unit::Lines(end) => {
                let ended = bytes.iter().filter(|&&byte| byte == end).count() as u64;
                ended + u64::from(bytes.last().is_some_and(|&last| last != end))
            }
        };
        let count = if self.from_end { total.saturating_sub(self.count) } else { self.count };
        Share { count, ..*self }.of(bytes, 0).0
    }
}

/// `10`, `2K`, `1MB`, `-5`
pub fn count(text: &str) -> Option<(u64, bool)> {
    let (text, from_end) = match text.strip_prefix('-') {
        Some(rest) => (rest, true),
        None => (text.strip_prefix('+').unwrap_or(text), false),
    };
    let digits = text.find(|letter: char| !letter.is_ascii_digit()).unwrap_or(text.len());
    let (number, suffix) = text.split_at(digits);
    let factor: u64 = match suffix {
        "" => 1,
        "b" => 512,
        "kB" => 1000,
        "k" | "K" | "KiB" => 1 << 10,
        "MB" => 1_000_000,
        "m" | "M" | "MiB" => 1 << 20,
        "GB" => 1_000_000_000,
        "G" | "GiB" => 1 << 30,
        _ => return None,
    };
    Some((number.parse::<u64>().ok()?.checked_mul(factor)?, from_end))
}

pub struct Head;

#[async_trait]
impl Command for Head {
    async fn execute(&self, ctx: CommandContext<'_>) -> Result<CommandStatus> {
        // `-5` and `-5c` are `-n 5` and `-c 5`.
        let mut args = ctx.args.to_vec();
        if let Some(first) = args.first_mut()
            && let Some(rest) = first.strip_prefix('-').filter(|rest| rest.starts_with(|digit: char| digit.is_ascii_digit()))
        {
            *first = match rest.strip_suffix('c') {
                Some(bytes) => format!("-c{bytes}"),
                None => format!("-n{}", rest.trim_end_matches(['l', 'q', 'v'])),
            };
        }
        let options = match parse(&args, OPTIONS) {
            Ok(options) => options,
            Err(problem) => {
                let message = format!("head: {problem}\nTry 'head --help' for more information.\n");
                ctx.stderr.write_all(message.as_bytes()).await?;
                return Ok(CommandStatus::with_code(1));
            }
        };
        let bytes = options.last_of(&["n", "c"]) == Some("c");
        let (kind, value) = if bytes { ("bytes", options.value("c")) } else { ("lines", options.value("n")) };
        let value = value.unwrap_or("10");
        let Some((count, from_end)) = count(value) else {
            let message = format!("head: invalid number of {kind}: '{value}'\n");
            ctx.stderr.write_all(message.as_bytes()).await?;
            return Ok(CommandStatus::with_code(1));
        };
        let unit = if bytes { Unit::Bytes } else { Unit::Lines(if options.has("z") { 0 } else { b'\n' }) };
        let share = Share { unit, count, from_end };
        let quiet = options.last_of(&["q", "silent", "v"]).is_some_and(|last| last != "v");
        let titled = !quiet && (options.has("v") || options.operands.len() > 1);
        let operands = if options.operands.is_empty() { vec!["-".to_string()] } else { options.operands };
        let mut code = 0;
        let mut shown = 0;
        for name in &operands {
            let title = |shown: i32| {
                let label = if name == "-" { "standard input" } else { name };
                if titled { format!("{}==> {label} <==\n", if shown > 0 { "\n" } else { "" }) } else { String::new() }
            };
            let path = absolute(ctx.cwd, name);
            if name == "-" {
                ctx.stdout.write_all(title(shown).as_bytes()).await?;
                from_input(&ctx, share).await?;
            } else if is_endless(&path) {
                ctx.stdout.write_all(title(shown).as_bytes()).await?;
                from_device(&ctx, &path, share).await?;
            } else {
                match ctx.fs.read_file(&path).await {
                    Ok(bytes) => {
                        ctx.stdout.write_all(title(shown).as_bytes()).await?;
                        for piece in bytes[..share.of_whole(&bytes)].chunks(PIECE) {
                            ctx.stdout.write_all(piece).await?;
                        }
                    }
                    Err(error) => {
                        let why = match &error {
                            Error::Io(error) => reason(error),
                            other => other.to_string(),
                        };
                        let message = match why.as_str() {
                            "Is a directory" => format!("head: error reading '{name}': {why}\n"),
                            _ => format!("head: cannot open '{name}' for reading: {why}\n"),
                        };
                        ctx.stderr.write_all(message.as_bytes()).await?;
                        code = 1;
                        continue;
                    }
                }
            }
            shown += 1;
        }
        Ok(CommandStatus::with_code(code))
    }
}

async fn from_input(ctx: &CommandContext<'_>, share: Share) -> Result<()> {
    if share.from_end {
        let mut all = Vec::new();
        while let Some(piece) = ctx.stdin.read_chunk().await? {
            all.extend_from_slice(&piece);
        }
        return ctx.stdout.write_all(&all[..share.of_whole(&all)]).await;
    }
    let mut seen = 0;
    while seen < share.count {
        let Some(piece) = ctx.stdin.read_chunk().await? else { break };
        let (shown, now) = share.of(&piece, seen);
        ctx.stdout.write_all(&piece[..shown]).await?;
        seen = now;
    }
    Ok(())
}

async fn from_device(ctx: &CommandContext<'_>, path: &std::path::Path, share: Share) -> Result<()> {
    if share.from_end {
        return Err(Error::Io(io::Error::other("head: a device without an end has no last part")));
    }
    let mut device = File::open(path)?;
    let mut seen = 0;
    let mut room = vec![0; PIECE];
    while seen < share.count {
        let length = device.read(&mut room)?;
        let (shown, now) = share.of(&room[..length], seen);
        ctx.stdout.write_all(&room[..shown]).await?;
        seen = now;
    }
    Ok(())
}
