//! Commands that bashkit has otherwise than GNU, or not at all: they look at what its file system has no words for (links,
//! owners, three times), or what it answers wrongly.

mod absent;
mod base64;
mod basic_regex;
mod bc;
mod cal;
mod checksum;
mod chmod;
mod cmp;
mod column;
mod comm;
mod copy;
mod cpio;
mod csplit;
mod dc;
mod df;
mod diff;
mod dirname;
mod du;
mod expr;
mod fd;
mod file;
mod file_kind;
pub mod flock;
mod fmt;
mod getent;
mod getopt;
mod head;
mod hexdump;
mod iconv;
mod join;
mod link;
mod list;
mod make_directory;
mod mode;
mod openssl;
mod options;
mod parallel;
mod paste;
mod patch;
mod realpath;
mod remove;
mod rename;
mod renaming;
mod rsync;
mod shred;
mod source;
mod split;
mod stat;
mod tail;
mod tee;
mod text;
mod time;
mod tput;
mod transfer;
mod tree;
mod wc;
mod wildcard;
mod wrappers;
mod xxd;
mod xz;
mod zgrep;
mod zstd;

use crate::files;
use crate::system::{self, Status};
use bashkit::{BashBuilder, Command, CommandContext, CommandStatus, FileSystem, Result, async_trait};
use std::future::Future;
use std::io;
use std::path::{Component, Path, PathBuf};
use std::pin::pin;
use std::sync::Arc;
use std::task::{Context, Poll, Waker};

/// What a tool is called with, and what it says.
pub struct Call<'a> {
    pub name: &'a str,
    pub args: &'a [String],
    cwd: &'a Path,
    fs: Arc<dyn FileSystem>,
    pub environment: &'a std::collections::HashMap<String, String>,
    input: Vec<u8>,
    pub out: String,
    pub err: String,
}

impl Call<'_> {
    /// The absolute path that an argument names.
    pub fn path(&self, name: &str) -> PathBuf {
        absolute(self.cwd, name)
    }

    /// A file's attributes, also of what the shell has in the tree by itself: commands, and files of the system.
    pub fn status(&self, path: &Path, follow: bool) -> io::Result<Status> {
        let found = match files::is_placeholder(path) {
            true => Err(io::Error::from(io::ErrorKind::NotFound)),
            false => system::status(path, follow),
        };
        match found {
            Err(error) if error.kind() == io::ErrorKind::NotFound => {
                let found = if follow { at_once(self.fs.stat(path)) } else { at_once(self.fs.lstat(path)) };
                found.map(|metadata| Status::of_system(&metadata)).ok_or(error)
            }
            status => status,
        }
    }

    /// The names in a directory.
    pub fn names(&self, path: &Path) -> io::Result<Vec<String>> {
        // The shell's own layer has nothing there, and would look at each file, which takes its time on volumes.
        let elsewhere = !SESSION_PLACES.iter().any(|place| path.starts_with(place));
        match elsewhere.then(|| at_once(self.fs.read_dir(path))).flatten() {
            Some(entries) => Ok(entries.into_iter().map(|entry| entry.name).collect()),
            None => std::fs::read_dir(path)?.map(|entry| Ok(entry?.file_name().to_string_lossy().into_owned())).collect(),
        }
    }

    /// What is in a file; `-` is what the tool reads.
    pub fn read(&self, name: &str) -> io::Result<Vec<u8>> {
        if source::names_input(name) {
            return Ok(self.input.clone());
        }
        let path = self.path(name);
        match at_once(self.fs.read_file(&path)) {
            Some(bytes) => Ok(bytes),
            None => Err(self.status(&path, true).and_then(|_| std::fs::read(&path)).err().unwrap_or_else(|| {
                io::Error::from(io::ErrorKind::NotFound)
            })),
        }
    }

    /// What a symlink names.
    pub fn target(&self, path: &Path) -> String {
        let target = std::fs::read_link(path).ok().or_else(|| at_once(self.fs.read_link(path)));
        target.unwrap_or_default().to_string_lossy().into_owned()
    }

    /// Asks, as `-i` has it, and takes the next line that the tool reads for the answer; where there is none, that is no.
    pub fn agrees(&mut self, question: &str) -> bool {
        self.err.push_str(&format!("{}: {question} ", self.name));
        let end = self.input.iter().position(|byte| *byte == b'\n').map_or(self.input.len(), |at| at + 1);
        let answer: Vec<u8> = self.input.drain(..end).collect();
        matches!(answer.first(), Some(b'y' | b'Y'))
    }

    pub fn complain(&mut self, what: &str) {
        self.err.push_str(&format!("{}: {what}\n", self.name));
    }
}

/// Where all that there is are the session's files and volumes.
const SESSION_PLACES: [&str; 4] = ["/app", "/tmp", "/data", "/external"];

/// Where nothing is, nor can be made: what the empty path names (path_resolution(7)).
const NOWHERE: &str = "/usr/lib/nowhere/nowhere";

fn absolute(cwd: &Path, name: &str) -> PathBuf {
    if name.is_empty() {
        return PathBuf::from(NOWHERE);
    }
    let mut path = PathBuf::from("/");
    for part in cwd.join(name).components() {
        match part {
            Component::Normal(name) => path.push(name),
            Component::ParentDir => {
                path.pop();
            }
            _ => {}
        }
    }
    path
}

/// What comes of something that waits for nothing, as no file here does.
fn at_once<T>(work: impl Future<Output = Result<T>>) -> Option<T> {
    match pin!(work).poll(&mut Context::from_waker(Waker::noop())) {
        Poll::Ready(result) => result.ok(),
        Poll::Pending => None,
    }
}

/// As GNU's tools say it.
pub fn reason(error: &io::Error) -> String {
    match error.kind() {
        io::ErrorKind::NotFound => "No such file or directory".into(),
        io::ErrorKind::PermissionDenied => "Permission denied".into(),
        io::ErrorKind::AlreadyExists => "File exists".into(),
        io::ErrorKind::NotADirectory => "Not a directory".into(),
        io::ErrorKind::IsADirectory => "Is a directory".into(),
        io::ErrorKind::ReadOnlyFilesystem => "Read-only file system".into(),
        io::ErrorKind::StorageFull => "No space left on device".into(),
        io::ErrorKind::ResourceBusy => "Device or resource busy".into(),
        io::ErrorKind::CrossesDevices => "Invalid cross-device link".into(),
        _ => {
            let text = error.to_string();
            text.split(" (os error").next().unwrap_or_default().to_string()
        }
    }
}

/// @returns the exit code.
type Run = fn(&mut Call<'_>) -> i32;

struct Tool(Run);

#[async_trait]
impl Command for Tool {
    async fn execute(&self, ctx: CommandContext<'_>) -> Result<CommandStatus> {
        let mut input = Vec::new();
        let unasked = READS_INPUT.iter().any(|(name, reads)| *name == ctx.name && reads(ctx.args));
        if unasked || ctx.args.iter().any(|arg| source::names_input(arg)) {
            while let Some(piece) = ctx.stdin.read_chunk().await? {
                input.extend_from_slice(&piece);
            }
        } else if asks(ctx.name, ctx.args) {
            // `yes |` would never end.
            while input.len() < ANSWERS_MAX
                && let Some(piece) = ctx.stdin.read_chunk().await?
            {
                input.extend_from_slice(&piece);
            }
        }
        let mut call = Call {
            name: ctx.name,
            args: ctx.args,
            cwd: ctx.cwd,
            fs: ctx.fs.clone(),
            environment: ctx.env,
            input,
            out: String::new(),
            err: String::new(),
        };
        let code = (self.0)(&mut call);
        let Call { out, err, .. } = call;
        if !err.is_empty() {
            ctx.stderr.write_all(err.as_bytes()).await?;
        }
        for piece in text::encode(out).chunks(64 << 10) {
            ctx.stdout.write_all(piece).await?;
        }
        Ok(CommandStatus::with_code(code))
    }

    fn script(&self, name: &str, args: &[String]) -> Option<String> {
        match name {
            "flock" => flock::script(args),
            "split" => split::script(args),
            "parallel" => parallel::script(args),
            _ => wrappers::script(name, args),
        }
    }
}

/// Tools that read what they are given without being told to, where their arguments name nothing else: in a loop, it is for
/// what comes after them.
const READS_INPUT: &[(&str, fn(&[String]) -> bool)] =
    &[
        ("column", column::reads_input),
        ("du", du::reads_input),
        ("fmt", fmt::reads_input),
        ("iconv", iconv::reads_input),
        ("patch", patch::reads_input),
        ("rename", renaming::reads_input),
        ("rsync", rsync::reads_input),
        ("split", split::reads_input),
    ];

/// Bytes of answers, of some thousand questions.
const ANSWERS_MAX: usize = 64 << 10;

/// Whether a tool may ask about what it is to do.
fn asks(name: &str, args: &[String]) -> bool {
    let letters = |arg: &str| !arg.starts_with("--") && arg.contains(['i', 'I']) && arg.chars().all(|letter| "-abdfFHiIlLnPprRsTuvx".contains(letter));
    ["cp", "ln", "mv", "rm"].contains(&name)
        && args.iter().any(|arg| arg.starts_with("--interactive") || arg.starts_with('-') && letters(arg))
}

const TOOLS: &[(&str, Run)] = &[
    ("cal", cal::run),
    ("chmod", chmod::run),
    ("column", column::run),
    ("cp", copy::run),
    ("csplit", csplit::run),
    ("df", df::run),
    ("diff", diff::run),
    ("sdiff", diff::run_sdiff),
    ("dirname", dirname::run),
    ("du", du::run),
    ("expr", expr::run),
    ("fd", fd::run),
    ("fdfind", fd::run),
    ("file", file::run),
    ("flock", flock::run),
    ("fmt", fmt::run),
    ("getent", getent::run),
    ("getopt", getopt::run),
    ("iconv", iconv::run),
    ("ls", list::run),
    ("dir", list::run),
    ("vdir", list::run),
    ("ln", link::run),
    ("mkdir", make_directory::run),
    ("mv", rename::run),
    ("parallel", parallel::run),
    ("patch", patch::run),
    ("realpath", realpath::run),
    ("rename", renaming::run),
    ("rm", remove::run),
    ("rsync", rsync::run),
    ("shred", shred::run),
    ("split", split::run),
    ("stat", stat::run),
    ("tput", tput::run),
    ("tree", tree::run),
];

pub fn add_to(mut builder: BashBuilder) -> BashBuilder {
    for (name, run) in TOOLS {
        builder = builder.command(*name, Tool(*run));
    }
    for name in absent::names() {
        builder = builder.command(name, Tool(absent::run));
    }
    for name in wrappers::NAMES {
        builder = builder.command(*name, Tool(wrappers::run));
    }
    for name in ["xz", "unxz", "xzcat"] {
        builder = builder.command(name, xz::Xz);
    }
    for name in ["zstd", "unzstd", "zstdcat", "zstdmt"] {
        builder = builder.command(name, zstd::Zstd);
    }
    for name in checksum::NAMES {
        builder = builder.command(*name, checksum::Checksum);
    }
    for name in zgrep::NAMES {
        builder = builder.command(*name, zgrep::Zgrep);
    }
    builder
        .command("base64", base64::Base64)
        .command("bc", bc::Bc)
        .command("cmp", cmp::Cmp)
        .command("comm", comm::Comm)
        .command("cpio", cpio::Cpio)
        .command("dc", dc::Dc)
        .command("hd", hexdump::Hexdump)
        .command("head", head::Head)
        .command("hexdump", hexdump::Hexdump)
        .command("join", join::Join)
        .command("openssl", openssl::Openssl)
        .command("paste", paste::Paste)
        .command("tail", tail::Tail)
        .command("tee", tee::Tee)
        .command("wc", wc::Wc)
        .command("xxd", xxd::Xxd)
}
