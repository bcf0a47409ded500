//! Programs that are not the shell's own. The first one runs to its end within one poll of its command: what it reads and writes
//! goes through the shell's pipes meanwhile: the host calls back, and whatever else is in the pipeline works until there is
//! something to read, or room.
//!
//! Another one that begins while it runs has a stack of its own, if the host can give it one (see `beside`), and goes on whenever its
//! command is polled. All others would lie above each other on the one stack, where one that has begun can't go on before those
//! that began after it have ended. So they wait for their turn; where a program waits for what another one is to write, that one
//! runs to its end meanwhile.

use crate::beside::{Begun, Starting};
use crate::{beside, bisect, take};
use bashkit::siblings::{drive, in_job, settle};
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
use std::time::{Duration, Instant};

/// Names that the host answers to.
pub const NAMES: &[&str] = &[
    "python3", "python", "node", "qjs", "tsx", "ts-node", "pip", "pip3", "npm", "npx", "pytest", "py.test", "git", "gzip", "gunzip", "zcat",
    "sqlite3", "tar", "zip", "unzip", "zipinfo", "timeout", "uv", "virtualenv", "yarn", "pnpm", "curl", "wget", "nc", "netcat",
    "python3.10", "python3.11", "python3.12", "python3.13",
];

/// Of these, those that can run beside others.
const BESIDE_NAMES: &[&str] = &["python3", "python", "pytest", "py.test", "sqlite3"];
/// And those that can where they have no pipe to read, or one whose end may never come: they leave their stack where they wait for
/// time, and nowhere else.
const JOB_NAMES: &[&str] = &["node", "qjs", "tsx", "ts-node", "curl", "wget", "timeout", "npm", "npx", "yarn", "pnpm"];

/// As bash says it where there can be no more processes.
const TOO_MANY_SERVERS: &str = "16 servers run in the background, end some (jobs, kill %1)";
const TOO_MANY_PROGRAMS: &str = "32 programs run already";

/// Most that is held of what a program has printed and nobody has read.
const HELD_MAX: usize = 64 << 20;
/// What is written to a file at once.
const FILE_PIECE: usize = 64 << 10;
/// What a program may be ahead of its reader.
const AHEAD_MAX: usize = 64 << 10;
/// Where the shell has what process substitutions give, and what it has to read itself: nobody else sees it there.
const SUBSTITUTIONS: [&str; 2] = ["/dev/fd/", "/proc/self/fd/"];
/// Lower ones are a program's own.
const SUBSTITUTION_MIN: u32 = 3;
/// How long the others may go on in the middle of a program.
const TURN: Duration = Duration::from_millis(10);
/// As good as for ever.
const LONG: Duration = Duration::from_secs(24 * 3600);
/// How long one of the background waits until fewer run: those that do may wait for it.
const PATIENCE: Duration = Duration::from_secs(5);
/// Programs that may lie above each other in one shell.
const DEPTH_MAX: usize = 4;

#[link(wasm_import_module = "sandbox")]
unsafe extern "C" {
    /// Runs a program to its end. @returns its exit code.
    fn spawn(request: *const u8, length: usize) -> i32;
}

/// What the host is told of a program's reading and writing, beside numbers of bytes.
pub(crate) mod answer {
    pub const DONE: i32 = 0;
    /// Nobody reads what is written.
    pub const GONE: i32 = 1;
    /// The program is to be ended; the shell knows why.
    pub const OVER: i32 = -1;
}

pub(crate) struct Running {
    name: String,
    stdin: CommandInput,
    stdout: CommandOutput,
    stderr: CommandOutput,
    /// Wakes the shell's task.
    task: RefCell<Waker>,
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
    beside::begin_script();
}

/// Whether a program runs that keeps others from being the first on the stack.
fn is_busy() -> bool {
    RUNNING.with(|running| !running.borrow().is_empty())
}

pub(crate) fn is_cancelled() -> bool {
    CANCELLED.with(|flag| flag.borrow().as_ref().is_some_and(|flag| flag.load(Ordering::Relaxed)))
}

/// Whether a program waits until it may be the first.
fn is_wanted() -> bool {
    WAITING.with(|waiting| !waiting.borrow().is_empty())
}

fn wake_waiting() -> bool {
    let waiting = WAITING.with(|waiting| std::mem::take(&mut *waiting.borrow_mut()));
    let any = !waiting.is_empty();
    waiting.into_iter().for_each(Waker::wake);
    any
}

/// Has all that runs beside a program go on until its future comes to something. As `drive`.
fn drive_all<F: Future>(task: &Waker, future: F, is_over: impl Fn() -> bool) -> Option<F::Output> {
    beside::limited_to(None, || drive(task, future, is_over))
}

/// Has all that runs beside a program go on as far as it gets without waiting, which may be for ever: for so long.
fn settle_for(time: Duration, task: &Waker) {
    let until = Instant::now() + time;
    beside::limited_to(Some(until), || settle(task, || Instant::now() >= until));
}

/// Waits until a program may start. @returns what wakes the task.
async fn turn() -> Waker {
    poll_fn(|cx| {
        if beside::is_working() {
            return beside::stall(cx);
        }
        if RUNNING.with(|running| running.borrow().is_empty()) || MAY_NEST.replace(false) {
            return Poll::Ready(cx.waker().clone());
        }
        WAITING.with(|waiting| waiting.borrow_mut().push(cx.waker().clone()));
        Poll::Pending
    })
    .await
}

/// Lets those go first that are polled after this.
pub(crate) async fn step_back() {
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

fn runs_beside(name: &str) -> bool {
    BESIDE_NAMES.contains(&name) || name.starts_with("python3.")
}

async fn fork_failed(ctx: &CommandContext<'_>, reason: &str) -> Result<CommandStatus> {
    let message = format!("bash: fork: Resource temporarily unavailable: {reason}\n");
    ctx.stderr.write_all(message.as_bytes()).await?;
    Ok(CommandStatus::with_code(254))
}

pub struct Program;

#[async_trait]
impl Command for Program {
    async fn execute(&self, ctx: CommandContext<'_>) -> Result<CommandStatus> {
        if ctx.stdin.is_dry().await {
            step_back().await;
        }
        // The script goes on before a job of it begins.
        let in_background = in_job();
        let is_left_open = ctx.stdin.is_left_open().await;
        let may_run_beside = is_left_open || !ctx.stdin.is_piped().await;
        if runs_beside(ctx.name) || in_background && JOB_NAMES.contains(&ctx.name) && may_run_beside {
            let starting = Starting::new();
            // Those that can't run beside others are to be the first.
            step_back().await;
            step_back().await;
            beside::left().await;
            drop(starting);
            if in_background && !beside::room_for_job().await {
                return fork_failed(&ctx, TOO_MANY_SERVERS).await;
            }
            // What it reads may come of something that waits for it: of who talks with a coprocess.
            if in_background || is_busy() || ctx.stdin.is_dry().await {
                let held = Held::of(&ctx).await?;
                let patience = if in_background { PATIENCE } else { Duration::ZERO };
                match beside::start(&ctx, &held, patience, is_left_open).await {
                    Begun::Program(program) => return program.run(&ctx).await,
                    // It would lie above those that wait for it.
                    Begun::TooMany if in_background => return fork_failed(&ctx, TOO_MANY_PROGRAMS).await,
                    _ => {}
                }
            }
        }
        let task = turn().await;
        let held = Held::of(&ctx).await?;
        run(&ctx, &held, task)
    }

    fn script(&self, name: &str, args: &[String]) -> Option<String> {
        if name == "git" { bisect::script(args) } else { None }
    }
}

/// What process substitutions gave, as files that programs can read.
pub(crate) struct Held {
    args: Vec<String>,
    files: Vec<PathBuf>,
}

impl Held {
    async fn of(ctx: &CommandContext<'_>) -> Result<Self> {
        let mut held = Held { args: ctx.args.to_vec(), files: Vec::new() };
        for arg in &mut held.args {
            for places in SUBSTITUTIONS {
                let Some(at) = arg.find(places) else { continue };
                let number: String = arg[at + places.len()..].chars().take_while(char::is_ascii_digit).collect();
                if number.parse().is_ok_and(|number: u32| number < SUBSTITUTION_MIN) {
                    continue;
                }
                let name = format!("{places}{number}");
                let Ok(bytes) = ctx.fs.read_file(Path::new(&name)).await else { continue };
                let path = format!("/tmp/.fd-{number}-{}", ctx.name);
                std::fs::write(&path, bytes)?;
                arg.replace_range(at..at + name.len(), &path);
                held.files.push(path.into());
            }
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

/// What the host is to run.
/// @param is_left_open Whether the end of its input may never come.
pub(crate) fn request_of(ctx: &CommandContext<'_>, held: &Held, is_left_open: bool) -> String {
    json!({
        "name": ctx.name, "args": held.args, "env": ctx.env, "cwd": ctx.cwd, "leftOpen": is_left_open, "pid": ctx.pid, "ppid": ctx.ppid,
    })
    .to_string()
}

fn run(ctx: &CommandContext<'_>, held: &Held, task: Waker) -> Result<CommandStatus> {
    let request = request_of(ctx, held, false);
    let program = Running::of(ctx, task);
    RUNNING.with(|running| running.borrow_mut().push(program.clone()));
    // What was printed before comes to the host: a stop, which comes while the program runs, drops what is on its way.
    settle_for(Duration::ZERO, &program.task());
    let code = unsafe { spawn(request.as_ptr(), request.len()) };
    program.write_kept();
    RUNNING.with(|running| running.borrow_mut().pop());
    wake_waiting();
    let end = program.end.borrow_mut().take();
    end.unwrap_or(Ok(CommandStatus::with_code(code)))
}

impl Running {
    pub fn of(ctx: &CommandContext<'_>, task: Waker) -> Rc<Self> {
        Rc::new(Running {
            name: ctx.name.to_string(),
            stdin: ctx.stdin.clone(),
            stdout: ctx.stdout.clone(),
            stderr: ctx.stderr.clone(),
            task: RefCell::new(task),
            piece: RefCell::default(),
            kept: RefCell::default(),
            end: RefCell::default(),
        })
    }

    /// @param task What wakes the shell's task now.
    pub fn polled_by(&self, task: &Waker) {
        self.task.borrow_mut().clone_from(task);
    }

    /// How it ends, where the shell ended it.
    pub fn take_end(&self) -> Option<Result<CommandStatus>> {
        self.end.borrow_mut().take()
    }

    fn task(&self) -> Waker {
        self.task.borrow().clone()
    }

    /// The last that began of those that run to their end within one poll.
    pub fn innermost() -> Option<Rc<Running>> {
        RUNNING.with(|running| running.borrow().last().cloned())
    }

    fn end_by(&self, end: Result<CommandStatus>) -> i32 {
        self.end.borrow_mut().get_or_insert(end);
        answer::OVER
    }

    fn fail(&self, reason: &str) -> i32 {
        let message = format!("{}: {reason}\n", self.name);
        let _ = drive_all(&self.task(), self.stderr.write_ahead(message.as_bytes()), is_cancelled);
        self.end_by(Ok(CommandStatus::with_code(1)))
    }

    fn read(&self) -> i32 {
        loop {
            match drive_all(&self.task(), beside::unless_idle(self.stdin.read_chunk(), is_wanted), is_cancelled).flatten() {
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

    pub fn output(&self, is_stdout: bool) -> &CommandOutput {
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

    pub fn write_kept(&self) -> i32 {
        let (is_stdout, bytes) = self.kept.take();
        if bytes.is_empty() { answer::DONE } else { self.write_now(self.output(is_stdout), &bytes) }
    }

    fn write_now(&self, output: &CommandOutput, bytes: &[u8]) -> i32 {
        if output.held() + bytes.len() > HELD_MAX {
            let most = HELD_MAX >> 20;
            return self.fail(&format!("it printed more than {most} MiB that nobody reads yet: let it write to a file"));
        }
        let held = match drive_all(&self.task(), output.write_ahead(bytes), is_cancelled) {
            Some(Ok(held)) => held,
            Some(Err(Error::Io(error))) if error.kind() == ErrorKind::BrokenPipe => return answer::GONE,
            Some(Err(error)) => return self.end_by(Err(error)),
            None => return self.end_by(Err(Error::Cancelled)),
        };
        settle_for(TURN, &self.task());
        if held > AHEAD_MAX {
            // Where nothing reads before the program has ended, it goes on.
            let _ = drive_all(&self.task(), beside::unless_idle(output.has_room(), is_wanted), is_cancelled);
        }
        answer::DONE
    }
}

/// Has those that run beside a program go on while it waits, at most for so long.
#[unsafe(no_mangle)]
pub extern "C" fn sh_give_way(ms: f64) {
    if let Some(program) = Running::innermost() {
        let time = Duration::try_from_secs_f64(ms / 1000.0).unwrap_or(LONG);
        beside::give_way(&program.task(), time.min(LONG));
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
        let _ = drive_all(&program.task(), program.stdin.unread(&bytes), is_cancelled);
    }
}

/// Writes to stdout (1) or stderr (2) of a program; nothing: what is on its way to a file is there then.
///
/// @param number Of one that runs beside others; 0: the innermost.
#[unsafe(no_mangle)]
pub extern "C" fn sh_write(number: i32, stream: i32, pointer: *mut u8, length: usize) -> i32 {
    let bytes = take(pointer, length);
    let found = if number == 0 { Running::innermost() } else { beside::find(number) };
    let Some(program) = found else {
        return answer::OVER;
    };
    program.write(stream == 1, &bytes)
}
