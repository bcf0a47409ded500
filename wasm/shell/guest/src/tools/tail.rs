//! `tail`, which holds no more than it shows, and of a file reads no more either.

use super::head::count;
use super::options::{Parsed, Spec, Value, parse};
use super::source::{PIECE, Source};
use super::absolute;
use crate::system;
use bashkit::{Command, CommandContext, CommandStatus, Result, async_trait};
use std::collections::VecDeque;
use std::fs::File;
use std::io::{Read, Seek, SeekFrom};

const OPTIONS: &[Spec] = &[
    Spec('n', "lines", Value::Required),
    Spec('c', "bytes", Value::Required),
    Spec('q', "quiet", Value::None),
    Spec('\0', "silent", Value::None),
    Spec('v', "verbose", Value::None),
    Spec('z', "zero-terminated", Value::None),
    Spec('f', "", Value::None),
    Spec('\0', "follow", Value::Optional),
    Spec('F', "", Value::None),
    Spec('s', "sleep-interval", Value::Required),
    Spec('\0', "retry", Value::None),
    Spec('\0', "pid", Value::Required),
    Spec('\0', "max-unchanged-stats", Value::Required),
];

#[derive(Clone, Copy)]
struct Share {
    /// What ends a unit; without it, each byte is one.
    end: Option<u8>,
    count: u64,
    /// All but so many minus one.
    from_start: bool,
}

impl Share {
    fn units(&self, bytes: &[u8]) -> u64 {
        match self.end {
            Some(end) => bytes.iter().filter(|&&byte| byte == end).count() as u64,
            None => bytes.len() as u64,
        }
    }

    /// Where so many units from the front end.
    fn after(&self, bytes: &[u8], units: u64) -> usize {
        match (self.end, units) {
            (_, 0) => 0,
            (None, _) => usize::try_from(units).unwrap_or(usize::MAX).min(bytes.len()),
            (Some(end), _) => {
                let ends = bytes.iter().enumerate().filter(|(_, byte)| **byte == end);
                let nth = usize::try_from(units - 1).unwrap_or(usize::MAX);
                ends.map(|(at, _)| at + 1).nth(nth).unwrap_or(bytes.len())
            }
        }
    }
}

pub struct Tail;

#[async_trait]
impl Command for Tail {
    async fn execute(&self, ctx: CommandContext<'_>) -> Result<CommandStatus> {
        let (options, share) = match order(ctx.args) {
            Ok(order) => order,
            Err(problem) => return complain(&ctx, &problem).await,
        };
        let operands = if options.operands.is_empty() { vec!["-".to_string()] } else { options.operands.clone() };
        if options.last_of(&["f", "F", "follow"]).is_some() && operands.iter().any(|name| name != "-") {
            let message = "following a file (-f) is not supported: nothing would end it; \
                           wait for the writer, or read again with 'tail -n +LINE FILE' in a loop";
            return complain(&ctx, message).await;
        }
        let quiet = options.last_of(&["q", "silent", "v"]).is_some_and(|last| last != "v");
        let titled = !quiet && (options.has("v") || operands.len() > 1);
        let mut code = 0;
        let mut shown = false;
        for name in &operands {
            let source = Source::open(&ctx, name).await;
            let problem = match &source {
                Err(why) if why != "Is a directory" => Some(format!("cannot open '{name}' for reading: {why}")),
                Err(why) => Some(format!("error reading '{name}': {why}")),
                Ok(_) => None,
            };
            let opened = problem.as_ref().is_none_or(|problem| problem.starts_with("error"));
            if titled && opened {
                let label = if name == "-" { "standard input" } else { name };
                let title = format!("{}==> {label} <==\n", if shown { "\n" } else { "" });
                ctx.stdout.write_all(&super::text::encode(title)).await?;
                shown = true;
            }
            if let Some(problem) = problem {
                code = complain(&ctx, &problem).await?.exit_code;
            } else if let Ok(source) = source {
                show(&ctx, name, source, share).await?;
            }
        }
        Ok(CommandStatus::with_code(code))
    }
}

async fn complain(ctx: &CommandContext<'_>, what: &str) -> Result<CommandStatus> {
    ctx.stderr.write_all(format!("tail: {what}\n").as_bytes()).await?;
    Ok(CommandStatus::with_code(1))
}

fn order(args: &[String]) -> std::result::Result<(Parsed, Share), String> {
    // `-5`, `-5c` and `+5` are `-n 5`, `-c 5` and `-n +5`.
    let mut args = args.to_vec();
    if let Some(first) = args.first_mut()
        && first.len() > 1
        && first[1..].starts_with(|digit: char| digit.is_ascii_digit())
        && first.starts_with(['-', '+'])
    {
        let sign = if first.starts_with('+') { "+" } else { "" };
        *first = match (first[1..].strip_suffix('c'), first[1..].trim_end_matches('l')) {
            (Some(bytes), _) => format!("-c{sign}{bytes}"),
            (None, lines) => format!("-n{sign}{lines}"),
        };
    }
    let options =
        parse(&args, OPTIONS).map_err(|problem| format!("{problem}\nTry 'tail --help' for more information."))?;
    let bytes = options.last_of(&["n", "c"]) == Some("c");
    let (kind, value) = if bytes { ("bytes", options.value("c")) } else { ("lines", options.value("n")) };
    let value = value.unwrap_or("10");
    let number = count(value).ok_or_else(|| format!("invalid number of {kind}: '{value}'"))?.0;
    let end = (!bytes).then_some(if options.has("z") { 0 } else { b'\n' });
    let share = Share { end, count: number, from_start: value.starts_with('+') };
    Ok((options, share))
}

async fn show(ctx: &CommandContext<'_>, name: &str, mut source: Source, share: Share) -> Result<()> {
    if share.from_start {
        let mut left = share.count.saturating_sub(1);
        if let (Source::File(file), None) = (&mut source, share.end)
            && let Some(size) = size(ctx, name)
        {
            file.seek(SeekFrom::Start(left.min(size)))?;
            left = 0;
        }
        return from_front(ctx, source, share, left).await;
    }
    if share.count == 0 && !matches!(source, Source::Input(_)) {
        return Ok(());
    }
    if let Source::File(file) = &mut source
        && let Some(size) = size(ctx, name)
    {
        let begin = begin_of_last(ctx, file, size, share).await?;
        file.seek(SeekFrom::Start(begin))?;
        return from_front(ctx, source, share, 0).await;
    }
    from_back(ctx, source, share).await
}

/// Of what is a file that has a beginning and an end.
fn size(ctx: &CommandContext<'_>, name: &str) -> Option<u64> {
    let status = system::status(&absolute(ctx.cwd, name), true).ok()?;
    (status.file_type == system::FILE && status.size > 0).then_some(status.size)
}

async fn from_front(ctx: &CommandContext<'_>, mut source: Source, share: Share, mut left: u64) -> Result<()> {
    loop {
        let piece = source.next(ctx).await?;
        if piece.is_empty() {
            return Ok(());
        }
        let skipped = share.after(&piece, left);
        left -= share.units(&piece[..skipped]).min(left);
        if skipped < piece.len() {
            ctx.stdout.write_all(&piece[skipped..]).await?;
        }
    }
}

/// Looks for where the last units begin, from the end on.
async fn begin_of_last(ctx: &CommandContext<'_>, file: &mut File, size: u64, share: Share) -> Result<u64> {
    let Some(end) = share.end else {
        return Ok(size.saturating_sub(share.count));
    };
    let mut room = vec![0; PIECE];
    let mut at = size;
    let mut seen = 0;
    while at > 0 {
        ctx.stdout.write_all(&[]).await?;
        let length = at.min(PIECE as u64) as usize;
        at -= length as u64;
        file.seek(SeekFrom::Start(at))?;
        file.read_exact(&mut room[..length])?;
        for (index, _) in room[..length].iter().enumerate().rev().filter(|(_, byte)| **byte == end) {
            // What ends the last line begins none.
            if at + index as u64 + 1 == size {
                continue;
            }
            seen += 1;
            if seen == share.count {
                return Ok(at + index as u64 + 1);
            }
        }
    }
    Ok(0)
}

/// Of what can only be read forwards: its last pieces are held, as many as are needed.
async fn from_back(ctx: &CommandContext<'_>, mut source: Source, share: Share) -> Result<()> {
    let mut held: VecDeque<(Vec<u8>, u64)> = VecDeque::new();
    let mut units = 0;
    loop {
        let piece = source.next(ctx).await?;
        if piece.is_empty() {
            break;
        }
        let own = share.units(&piece);
        units += own;
        // Small pieces become one: each has its cost.
        match held.back_mut() {
            Some((last, count)) if last.len() + piece.len() <= PIECE => {
                last.extend_from_slice(&piece);
                *count += own;
            }
            _ => held.push_back((piece, own)),
        }
        // The last line may have no end: one more than is shown stays.
        while let Some((_, first)) = held.front()
            && units - first > share.count
        {
            units -= first;
            held.pop_front();
        }
    }
    let unended = held.back().is_some_and(|(last, _)| share.end.is_some_and(|end| last.last() != Some(&end)));
    let mut left = (units + u64::from(unended)).saturating_sub(share.count);
    for (piece, own) in held {
        let skipped = share.after(&piece, left);
        left -= own.min(left);
        if skipped < piece.len() {
            ctx.stdout.write_all(&piece[skipped..]).await?;
        }
    }
    Ok(())
}
