//! What commands read piece by piece, so that nothing of it is held: a file, or what they are given.

use super::{absolute, reason};
use crate::{files, system};
use bashkit::{CommandContext, CommandInput, Error, Result};
use std::fs::File;
use std::io::{self, Read};

pub const PIECE: usize = 64 << 10;

/// Whether a name is one of those that what a tool is given has.
pub fn names_input(name: &str) -> bool {
    name == "-" || INPUT_NAMES.contains(&name)
}

/// As files.
pub const INPUT_NAMES: [&str; 3] = ["/dev/stdin", "/dev/fd/0", "/proc/self/fd/0"];
pub const OUTPUT_NAMES: [&str; 3] = ["/dev/stdout", "/dev/fd/1", "/proc/self/fd/1"];
pub const ERROR_NAMES: [&str; 3] = ["/dev/stderr", "/dev/fd/2", "/proc/self/fd/2"];

pub enum Source {
    Input(CommandInput),
    File(File),
    /// Of a file that the shell has by itself.
    Held(Vec<u8>),
}

impl Source {
    /// @param name As it was given: `-` is what the command is given.
    pub async fn open(ctx: &CommandContext<'_>, name: &str) -> std::result::Result<Source, String> {
        if names_input(name) {
            return Ok(Source::Input(ctx.stdin.clone()));
        }
        let path = absolute(ctx.cwd, name);
        let found = if files::is_placeholder(&path) { None } else { system::status(&path, true).ok() };
        match found {
            Some(status) if status.file_type == system::DIRECTORY => {
                Err(reason(&io::Error::from(io::ErrorKind::IsADirectory)))
            }
            Some(_) => File::open(path).map(Source::File).map_err(|error| reason(&error)),
            None => match ctx.fs.read_file(&path).await {
                Ok(bytes) => Ok(Source::Held(bytes)),
                Err(Error::Io(error)) => Err(reason(&error)),
                Err(error) => Err(error.to_string()),
            },
        }
    }

    /// @returns nothing at the end. @throws if the script is to stop.
    pub async fn next(&mut self, ctx: &CommandContext<'_>) -> Result<Vec<u8>> {
        match self {
            Source::Input(input) => Ok(input.read_chunk().await?.unwrap_or_default()),
            Source::File(file) => {
                ctx.stdout.write_all(&[]).await?;
                let mut piece = vec![0; PIECE];
                let length = file.read(&mut piece)?;
                piece.truncate(length);
                Ok(piece)
            }
            Source::Held(bytes) => Ok(std::mem::take(bytes)),
        }
    }
}

/// Reads a source in runs of a length that the reader gives.
pub struct Runs {
    source: Source,
    piece: Vec<u8>,
    at: usize,
}

impl Runs {
    pub fn new(source: Source) -> Self {
        Runs { source, piece: Vec::new(), at: 0 }
    }

    /// What has come and was not taken; nothing at the end.
    pub async fn peek(&mut self, ctx: &CommandContext<'_>) -> Result<&[u8]> {
        if self.at == self.piece.len() {
            self.piece = self.source.next(ctx).await?;
            self.at = 0;
        }
        Ok(&self.piece[self.at..])
    }

    pub fn take(&mut self, length: usize) {
        self.at += length;
    }

    /// @returns how many were left out.
    pub async fn skip(&mut self, ctx: &CommandContext<'_>, count: u64) -> Result<u64> {
        let mut left = count;
        while left > 0 {
            let length = self.peek(ctx).await?.len().min(usize::try_from(left).unwrap_or(usize::MAX));
            if length == 0 {
                break;
            }
            self.take(length);
            left -= length as u64;
        }
        Ok(count - left)
    }

    /// Puts the next line into `line`, without what ends it. @returns whether there was one.
    pub async fn line(&mut self, ctx: &CommandContext<'_>, end: u8, line: &mut Vec<u8>) -> Result<bool> {
        line.clear();
        let mut any = false;
        loop {
            let rest = self.peek(ctx).await?;
            if rest.is_empty() {
                return Ok(any);
            }
            any = true;
            let found = rest.iter().position(|byte| *byte == end);
            let length = found.unwrap_or(rest.len());
            line.extend_from_slice(&rest[..length]);
            self.take(length + usize::from(found.is_some()));
            if found.is_some() {
                return Ok(true);
            }
        }
    }
}

/// Hands on what is printed in pieces of some size.
#[derive(Default)]
pub struct Printer(Vec<u8>);

impl Printer {
    pub fn bytes(&mut self) -> &mut Vec<u8> {
        &mut self.0
    }

    /// To be called now and then.
    pub async fn settle(&mut self, ctx: &CommandContext<'_>) -> Result<()> {
        if self.0.len() >= PIECE { self.flush(ctx).await } else { Ok(()) }
    }

    pub async fn flush(&mut self, ctx: &CommandContext<'_>) -> Result<()> {
        ctx.stdout.write_all(&self.0).await?;
        self.0.clear();
        Ok(())
    }
}
