//! Programs that are not the shell's own: the host runs each to its end within one poll of its command. What it reads and writes
//! goes through the shell's pipes meanwhile: the host calls back, and whatever else is in the pipeline works until there is
//! something to read, or room.
//!
//! Programs lie above each other on the one stack: one that has begun can't go on before those that began after it have ended.
//! So the others wait for their turn; where a program waits for what another one is to write, that one runs to its end meanwhile.

use crate::take;
use bashkit::siblings::{drive, settle};
use bashkit::{Command, CommandContext, CommandInput, CommandOutput, CommandStatus, Error, Result, async_trait};
use serde_json::json;
use std::cell::{Cell, RefCell};
use std::future::poll_fn;
use std::io::ErrorKind;
use std::path::{Path, PathBuf};
use std::rc::Rc;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::task::{Poll, Waker};

/// Names that the host answers to.
pub const NAMES: &[&str] = &[
    "python3", "python", "node", "qjs", "tsx", "ts-node", "pip", "pip3", "npm", "npx", "pytest", "py.test", "git", "gzip", "gunzip", "zcat",
    "sqlite3", "tar", "zip", "unzip", "zipinfo", "timeout", "uv", "virtualenv", "yarn", "pnpm", "python3.10", "python3.11", "python3.12", "python3.13",
];

/// Most that is held of what a program has printed and nobody has read.
const HELD_MAX: usize = 64 << 20;
/// What is written to a file at once.
const FILE_PIECE: usize = 64 << 10;
/// What a program may be ahead of its reader.
const AHEAD_MAX: usize = 64 << 10;
/// Where the shell has what process substitutions give: nobody else sees it there.
const SUBSTITUTIONS: &str = "/dev/fd/";
/// Programs that may lie above each other in one shell.
const DEPTH_MAX: usize = 4;

#[link(wasm_import_module = "sandbox")]
unsafe extern "C" {
    /// Runs a program to its end. @returns its exit code.
    fn spawn(request: *const u8, length: usize) -> i32;
}

/// What the host is told of a program's reading and writing, beside numbers of bytes.
mod answer {
    pub const DONE: i32 = 0;
    /// Nobody reads what is written.
    pub const GONE: i32 = 1;
    /// The program is to be ended; the shell knows why.
    pub const OVER: i32 = -1;
}

struct Running {
    name: String,
    stdin: CommandInput,
    stdout: CommandOutput,
    stderr: CommandOutput,
    /// Wakes the shell's task.
    task: Waker,
    /// What was read last.
    piece: RefCell<Vec<u8>>,
    /// What is still to be written to a file, and whether it is stdout's.
    kept: RefCell<(bool, Vec<u8>)>,
    /// How it ends where the shell ends it.
    end: RefCell<Option<Result<CommandStatus>>>,
}

thread_local! {
    static RUNNING: RefCell<Vec<Rc<Running>>> = const { RefCell::new(Vec::new()) };
    /// Those that wait for their turn.
    static WAITING: RefCell<Vec<Waker>> = const { RefCell::new(Vec::new()) };
    /// Whether the next one may start above the one that runs.
    static MAY_NEST: Cell<bool> = const { Cell::new(false) };
    static CANCELLED: RefCell<Option<Arc<AtomicBool>>> = const { RefCell::new(None) };
}

/// @param cancelled Set when the script is to end.
pub fn watch(cancelled: &Arc<AtomicBool>) {
    CANCELLED.with(|flag| *flag.borrow_mut() = Some(cancelled.clone()));
}

/// Forgets what ran when a script was broken off.
pub fn begin_script() {
    RUNNING.with(|running| running.borrow_mut().clear());
    WAITING.with(|waiting| waiting.borrow_mut().clear());
    MAY_NEST.set(false);
}

fn is_cancelled() -> bool {
    CANCELLED.with(|flag| flag.borrow().as_ref().is_some_and(|flag| flag.load(Ordering::Relaxed)))
}

fn wake_waiting() -> bool {
    let waiting = WAITING.with(|waiting| std::mem::take(&mut *waiting.borrow_mut()));
    let any = !waiting.is_empty();
    waiting.into_iter().for_each(Waker::wake);
    any
}

/// Waits until a program may start. @returns what wakes the task.
async fn turn() -> Waker {
    poll_fn(|cx| {
        if RUNNING.with(|running| running.borrow().is_empty()) || MAY_NEST.replace(false) {
            return Poll::Ready(cx.waker().clone());
        }
        WAITING.with(|waiting| waiting.borrow_mut().push(cx.waker().clone()));
        Poll::Pending
    })
    .await
}

/// Lets those go first that are polled after this.
async fn step_back() {
    let mut first = true;
    poll_fn(|cx| {
        if !std::mem::take(&mut first) {
            return Poll::Ready(());
        }
        cx.waker().wake_by_ref();
        Poll::Pending
    })
    .await
}

pub struct Program;

#[async_trait]
impl Command for Program {
    async fn execute(&self, ctx: CommandContext<'_>) -> Result<CommandStatus> {
        if ctx.stdin.is_dry().await {
            step_back().await;
        }
        let task = turn().await;
        let held = Held::of(&ctx).await?;
        run(&ctx, &held, task)
    }
}

/// What process substitutions gave, as files that programs can read.
struct Held {
    args: Vec<String>,
    files: Vec<PathBuf>,
}

impl Held {
    async fn of(ctx: &CommandContext<'_>) -> Result<Self> {
        let mut held = Held { args: ctx.args.to_vec(), files: Vec::new() };
        for arg in &mut held.args {
            let Some(at) = arg.find(SUBSTITUTIONS) else { continue };
            let number: String = arg[at + SUBSTITUTIONS.len()..].chars().take_while(char::is_ascii_digit).collect();
            let name = format!("{SUBSTITUTIONS}{number}");
            let Ok(bytes) = ctx.fs.read_file(Path::new(&name)).await else { continue };
            let path = format!("/tmp/.fd-{number}-{}", ctx.name);
            std::fs::write(&path, bytes)?;
            arg.replace_range(at..at + name.len(), &path);
            held.files.push(path.into());
        }
        Ok(held)
    }
}

impl Drop for Held {
    fn drop(&mut self) {
        for file in &self.files {
            let _ = std::fs::remove_file(file);
        }
    }
}

fn run(ctx: &CommandContext<'_>, held: &Held, task: Waker) -> Result<CommandStatus> {
    let request = json!({ "name": ctx.name, "args": held.args, "env": ctx.env, "cwd": ctx.cwd }).to_string();
    let program = Rc::new(Running {
        name: ctx.name.to_string(),
        stdin: ctx.stdin.clone(),
        stdout: ctx.stdout.clone(),
        stderr: ctx.stderr.clone(),
        task,
        piece: RefCell::default(),
        kept: RefCell::default(),
        end: RefCell::default(),
    });
    RUNNING.with(|running| running.borrow_mut().push(program.clone()));
    // What was printed before comes to the host: a stop, which comes while the program runs, drops what is on its way.
    settle(&program.task);
    let code = unsafe { spawn(request.as_ptr(), request.len()) };
    program.write_kept();
    RUNNING.with(|running| running.borrow_mut().pop());
    wake_waiting();
    let end = program.end.borrow_mut().take();
    end.unwrap_or(Ok(CommandStatus::with_code(code)))
}

impl Running {
    /// The program that the host asks for.
    fn innermost() -> Option<Rc<Running>> {
        RUNNING.with(|running| running.borrow().last().cloned())
    }

    fn end_by(&self, end: Result<CommandStatus>) -> i32 {
        self.end.borrow_mut().get_or_insert(end);
        answer::OVER
    }

    fn fail(&self, reason: &str) -> i32 {
        let message = format!("{}: {reason}\n", self.name);
        let _ = drive(&self.task, self.stderr.write_ahead(message.as_bytes()), is_cancelled);
        self.end_by(Ok(CommandStatus::with_code(1)))
    }

    fn read(&self) -> i32 {
        loop {
            match drive(&self.task, self.stdin.read_chunk(), is_cancelled) {
                Some(Ok(piece)) => {
                    let piece = piece.unwrap_or_default();
                    let length = piece.len();
                    self.piece.replace(piece);
                    return length as i32;
                }
                Some(Err(error)) => return self.end_by(Err(error)),
                None if is_cancelled() => return self.end_by(Err(Error::Cancelled)),
                // All else waits as well. Maybe for a program that is to write what this one reads.
                None => {
                    let depth = RUNNING.with(|running| running.borrow().len());
                    if depth >= DEPTH_MAX || !wake_waiting() {
                        return self.fail("what it reads would come of something that waits for its end");
                    }
                    MAY_NEST.set(true);
                }
            }
        }
    }

    fn output(&self, is_stdout: bool) -> &CommandOutput {
        if is_stdout { &self.stdout } else { &self.stderr }
    }

    /// Nothing to be written: what was kept comes to its file now.
    fn write(&self, is_stdout: bool, bytes: &[u8]) -> i32 {
        let changes = self.kept.borrow().0 != is_stdout;
        if (changes || bytes.is_empty()) && self.write_kept() == answer::OVER {
            return answer::OVER;
        }
        let output = self.output(is_stdout);
        if !output.is_file() {
            return self.write_now(output, bytes);
        }
        let length = {
            let mut kept = self.kept.borrow_mut();
            kept.0 = is_stdout;
            kept.1.extend_from_slice(bytes);
            kept.1.len()
        };
        if length < FILE_PIECE { answer::DONE } else { self.write_kept() }
    }

    fn write_kept(&self) -> i32 {
        let (is_stdout, bytes) = self.kept.take();
        if bytes.is_empty() { answer::DONE } else { self.write_now(self.output(is_stdout), &bytes) }
    }

    fn write_now(&self, output: &CommandOutput, bytes: &[u8]) -> i32 {
        if output.held() + bytes.len() > HELD_MAX {
            let most = HELD_MAX >> 20;
            return self.fail(&format!("it printed more than {most} MiB that nobody reads yet: let it write to a file"));
        }
        let held = match drive(&self.task, output.write_ahead(bytes), is_cancelled) {
            Some(Ok(held)) => held,
            Some(Err(Error::Io(error))) if error.kind() == ErrorKind::BrokenPipe => return answer::GONE,
            Some(Err(error)) => return self.end_by(Err(error)),
            None => return self.end_by(Err(Error::Cancelled)),
        };
        settle(&self.task);
        if held > AHEAD_MAX {
            // Where nothing reads before the program has ended, it goes on.
            let _ = drive(&self.task, output.has_room(), is_cancelled);
        }
        answer::DONE
    }
}

/// Has a program's input come. @returns how many bytes of it are at `sh_piece` now; 0 at its end; or `OVER`.
#[unsafe(no_mangle)]
pub extern "C" fn sh_read() -> i32 {
    Running::innermost().map_or(answer::OVER, |program| program.read())
}

#[unsafe(no_mangle)]
pub extern "C" fn sh_piece() -> *const u8 {
    Running::innermost().map_or(std::ptr::null(), |program| program.piece.borrow().as_ptr())
}

/// Gives back all that a program has read: it is for who reads that next.
#[unsafe(no_mangle)]
pub extern "C" fn sh_unread(pointer: *mut u8, length: usize) {
    let bytes = take(pointer, length);
    if let Some(program) = Running::innermost() {
        let _ = drive(&program.task, program.stdin.unread(&bytes), is_cancelled);
    }
}

/// Writes to stdout (1) or stderr (2) of a program; nothing: what is on its way to a file is there then.
#[unsafe(no_mangle)]
pub extern "C" fn sh_write(stream: i32, pointer: *mut u8, length: usize) -> i32 {
    let bytes = take(pointer, length);
    let Some(program) = Running::innermost() else {
        return answer::OVER;
    };
    program.write(stream == 1, &bytes)
}
