//! `cpio`: archives of the names that it reads, and back; and copies of trees by their names.

mod extraction;
mod format;
mod listing;
mod pass;
mod placing;
mod writing;

use super::options::{Parsed, Spec, Value, parse};
use super::source::Source;
use super::text;
use super::{absolute, reason};
use crate::system::{self, Status};
use bashkit::{CommandContext, CommandStatus, Result, async_trait};
use format::Format;
use std::path::Path;
use std::io;

const OPTIONS: &[Spec] = &[
    Spec('o', "create", Value::None),
    Spec('i', "extract", Value::None),
    Spec('t', "list", Value::None),
    Spec('p', "pass-through", Value::None),
    Spec('0', "null", Value::None),
    Spec('a', "reset-access-time", Value::None),
    Spec('A', "append", Value::None),
    Spec('b', "swap", Value::None),
    Spec('B', "", Value::None),
    Spec('\0', "block-size", Value::Required),
    Spec('c', "", Value::None),
    Spec('C', "io-size", Value::Required),
    Spec('d', "make-directories", Value::None),
    Spec('D', "directory", Value::Required),
    Spec('E', "pattern-file", Value::Required),
    Spec('f', "nonmatching", Value::None),
    Spec('F', "file", Value::Required),
    Spec('\0', "force-local", Value::None),
    Spec('H', "format", Value::Required),
    Spec('I', "", Value::Required),
    Spec('k', "", Value::None),
    Spec('l', "link", Value::None),
    Spec('L', "dereference", Value::None),
    Spec('m', "preserve-modification-time", Value::None),
    Spec('M', "message", Value::Required),
    Spec('n', "numeric-uid-gid", Value::None),
    Spec('\0', "absolute-filenames", Value::None),
    Spec('\0', "no-absolute-filenames", Value::None),
    Spec('\0', "no-preserve-owner", Value::None),
    Spec('O', "", Value::Required),
    Spec('\0', "only-verify-crc", Value::None),
    Spec('\0', "quiet", Value::None),
    Spec('r', "rename", Value::None),
    Spec('\0', "rename-batch-file", Value::Required),
    Spec('R', "owner", Value::Required),
    Spec('\0', "renumber-inodes", Value::None),
    Spec('\0', "reproducible", Value::None),
    Spec('\0', "device-independent", Value::None),
    Spec('\0', "ignore-devno", Value::None),
    Spec('\0', "rsh-command", Value::Required),
    Spec('s', "swap-bytes", Value::None),
    Spec('S', "swap-halfwords", Value::None),
    Spec('\0', "sparse", Value::None),
    Spec('\0', "to-stdout", Value::None),
    Spec('u', "unconditional", Value::None),
    Spec('v', "verbose", Value::None),
    Spec('V', "dot", Value::None),
    Spec('W', "warning", Value::Required),
];

/// What would come to something else here.
const REFUSED: &[(&str, &str)] = &[
    ("A", "-A is not here: write an archive of all of it"),
    ("b", "-b is not here: bytes stay in their order"),
    ("s", "-s is not here: bytes stay in their order"),
    ("S", "-S is not here: bytes stay in their order"),
    ("r", "nobody can be asked here: leave out -r"),
    ("rename-batch-file", "--rename-batch-file is not here"),
    ("only-verify-crc", "--only-verify-crc is not here"),
    ("R", "-R is not here: all files have one owner"),
    ("M", "-M is not here: there are no tapes to change"),
];

pub const FAILED: i32 = 2;

/// What it is to do, and what it has to tell in the end.
pub struct Job<'a, 'c> {
    pub ctx: &'a CommandContext<'c>,
    pub options: Parsed,
    pub format: Option<Format>,
    /// What archives are rounded to, and counted in.
    pub block: u64,
    pub code: i32,
}

pub struct Cpio;

#[async_trait]
impl bashkit::Command for Cpio {
    async fn execute(&self, ctx: CommandContext<'_>) -> Result<CommandStatus> {
        let job = match Job::of(&ctx) {
            Ok(job) => job,
            Err(problem) => {
                complain(&ctx, &problem).await?;
                return Ok(CommandStatus::with_code(FAILED));
            }
        };
        Ok(CommandStatus::with_code(job.run().await?))
    }
}

async fn complain(ctx: &CommandContext<'_>, what: &str) -> Result<()> {
    ctx.stderr.write_all(&text::encode(format!("cpio: {what}\n"))).await
}

impl<'a, 'c> Job<'a, 'c> {
    fn of(ctx: &'a CommandContext<'c>) -> std::result::Result<Self, String> {
        let hint = |problem: &str| format!("{problem}\nTry 'cpio --help' for more information.");
        let options = parse(ctx.args, OPTIONS).map_err(|problem| hint(&problem))?;
        if let Some((_, why)) = REFUSED.iter().find(|(name, _)| options.has(name)) {
            return Err((*why).to_string());
        }
        let modes = ["o", "i", "p"].iter().filter(|mode| options.has(mode)).count();
        if modes == 0 && !options.has("t") {
            return Err(hint("You must specify one of -oipt options."));
        }
        if modes > 1 || options.has("t") && (options.has("o") || options.has("p")) {
            return Err(hint("Mode already defined"));
        }
        if options.has("o") && !options.operands.is_empty() || options.has("p") && options.operands.len() > 1 {
            return Err(hint("Too many arguments"));
        }
        if options.has("p") && options.operands.is_empty() {
            return Err(hint("Not enough arguments"));
        }
        let format = match options.value("H") {
            Some(name) => Some(Format::named(name).map_err(|problem| hint(&problem))?),
            None => options.has("c").then_some(Format::Odc),
        };
        let number = |name: &str, unit: u64| match options.value(name) {
            Some(text) => text.parse().ok().filter(|number| (1..=1 << 20).contains(number)).map(|number: u64| Some(number * unit)).ok_or("invalid block size"),
            None => Ok(None),
        };
        let block = number("C", 1)?.or(number("block-size", 512)?).unwrap_or(if options.has("B") { 5120 } else { 512 });
        Ok(Job { ctx, options, format, block, code: 0 })
    }

    async fn run(mut self) -> Result<i32> {
        let bytes = if self.options.has("o") {
            self.write_archive().await?
        } else if self.options.has("p") {
            self.pass().await?
        } else {
            self.read_archive().await?
        };
        if self.options.has("V") {
            self.ctx.stderr.write_all(b"\n").await?;
        }
        if let Some(bytes) = bytes.filter(|_| !self.options.has("quiet")) {
            let blocks = bytes.div_ceil(self.block);
            self.ctx.stderr.write_all(format!("{blocks} block{}\n", if blocks == 1 { "" } else { "s" }).as_bytes()).await?;
        }
        Ok(self.code)
    }

    pub async fn fail(&mut self, what: &str) -> Result<()> {
        self.code = FAILED;
        self.warn(what).await
    }

    pub async fn warn(&self, what: &str) -> Result<()> {
        complain(self.ctx, what).await
    }

    pub async fn failed(&mut self, name: &str, what: &str, error: &io::Error) -> Result<()> {
        self.fail(&format!("{name}: Cannot {what}: {}", reason(error))).await
    }

    /// A name that is worked on, as `-v` and `-V` show it.
    pub async fn show(&self, name: &str) -> Result<()> {
        match (self.options.has("v"), self.options.has("V")) {
            (true, _) => self.ctx.stderr.write_all(&text::encode(format!("{name}\n"))).await,
            (_, true) => self.ctx.stderr.write_all(b".").await,
            _ => Ok(()),
        }
    }

    /// Where a name leads from the directory of `-D`, or that it is called in.
    pub fn path(&self, name: &str) -> std::path::PathBuf {
        match self.options.value("D") {
            Some(directory) => absolute(&absolute(self.ctx.cwd, directory), name),
            None => absolute(self.ctx.cwd, name),
        }
    }

    /// The archive, to be read.
    pub async fn archive(&mut self) -> Result<Option<Source>> {
        let name = self.options.last_of(&["F", "I"]).and_then(|key| self.options.value(key)).unwrap_or("-").to_string();
        match Source::open(self.ctx, &name).await {
            Ok(source) => Ok(Some(source)),
            Err(why) => {
                self.fail(&format!("Cannot open {name}: {why}")).await?;
                Ok(None)
            }
        }
    }
}

/// Of a file of the session, or of what the shell has by itself.
pub async fn status_of(ctx: &CommandContext<'_>, path: &Path, follow: bool) -> io::Result<Status> {
    match system::status(path, follow) {
        Err(error) if error.kind() == io::ErrorKind::NotFound => {
            let found = if follow { ctx.fs.stat(path).await } else { ctx.fs.lstat(path).await };
            match found {
                Ok(metadata) => Ok(Status::of_system(&metadata)),
                Err(_) => Err(error),
            }
        }
        found => found,
    }
}
