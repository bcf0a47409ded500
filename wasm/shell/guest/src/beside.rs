//! Programs that run beside others: each has a stack of the host's, which it leaves where it has to wait for its pipes. It goes on
//! whenever its command is polled and what it waits for has come, so that all of a pipeline works as far as it gets.

use crate::programs::{Held, Running, is_cancelled, request_of, step_back};
use crate::take;
use bashkit::siblings::{drive, is_ending, is_napping};
use bashkit::{CommandContext, CommandStatus, Error, Result};
use std::cell::{Cell, RefCell};
use std::collections::BTreeMap;
use std::future::poll_fn;
use std::io::ErrorKind;
use std::rc::Rc;
use std::task::{Context, Poll, Waker};
use std::time::{Duration, Instant};

#[link(wasm_import_module = "sandbox")]
unsafe extern "C" {
    /// Begins a program. @returns its number; 0 where it can't have a stack of its own; `LATER` where too many have one.
    fn begin(request: *const u8, length: usize) -> i32;
    /// Has it go on until it waits. @param told One of `told`, with `bytes` for it. @returns one of `next`.
    fn go_on(program: i32, told: i32, bytes: *const u8, length: usize, left: *mut Left) -> i32;
    /// Ends it, if it has not ended.
    fn end(program: i32);
}

/// What it left when it was left: its exit code; or what it has printed, by the stream, a pointer, and a length; or for how long it
/// sleeps, and whether others can connect to it.
#[repr(C)]
#[derive(Default)]
struct Left {
    code: i32,
    pointer: usize,
    length: usize,
}

/// How long one sleeps before it looks whether others have something to do.
const NAP: Duration = Duration::from_millis(10);
/// In so many rounds whoever has something to do has come to it.
const IDLE_ROUNDS: u32 = 3;

const LATER: i32 = -1;
/// So many of background jobs work beside each other, each with an interpreter of its own; others begin when one has ended.
const JOBS_MAX: usize = 8;
/// As one ends that was sent SIGTERM.
const TERMINATED: i32 = 128 + 15;

mod told {
    pub const NOTHING: i32 = 0;
    /// What comes next of its input; no bytes: its end.
    pub const INPUT: i32 = 1;
    /// Nobody reads what it has printed.
    pub const UNREAD: i32 = 2;
}

mod next {
    pub const ENDED: i32 = 0;
    pub const READS: i32 = 1;
    pub const PRINTED: i32 = 2;
    pub const SLEEPS: i32 = 3;
}

enum Next {
    Ended(i32),
    Reads,
    Printed { is_stdout: bool, bytes: Vec<u8> },
    /// Of one that others can connect to: whether it is one.
    Sleeps(Duration, bool),
}

thread_local! {
    static BESIDE: RefCell<BTreeMap<i32, Rc<Running>>> = const { RefCell::new(BTreeMap::new()) };
    /// Servers that wait for somebody to ask them.
    static SERVING: Cell<usize> = const { Cell::new(0) };
    /// How many are in the middle of what they do.
    static WORKING: Cell<u32> = const { Cell::new(0) };
    /// Counts what they have done.
    static WORK: Cell<u32> = const { Cell::new(0) };
    /// When they are to let the one go on in the middle of which they are polled.
    static LIMIT: Cell<Option<Instant>> = const { Cell::new(None) };
    /// Those that could not go on where they were polled: there, or within what another one of their kind does.
    static STALLED: RefCell<Vec<Waker>> = const { RefCell::new(Vec::new()) };
}

/// A server, for as long as it waits for somebody to ask it.
struct Serving;

impl Serving {
    fn begin() -> Self {
        SERVING.set(SERVING.get() + 1);
        Serving
    }
}

impl Drop for Serving {
    fn drop(&mut self) {
        SERVING.set(SERVING.get().saturating_sub(1));
    }
}

/// A program, for as long as its command runs.
pub struct Beside(i32);

/// Forgets what ran when a script was broken off.
pub fn begin_script() {
    BESIDE.with(|beside| beside.borrow_mut().clear());
    STALLED.with(|stalled| stalled.borrow_mut().clear());
    LIMIT.set(None);
    WORKING.set(0);
    SERVING.set(0);
}

pub fn find(number: i32) -> Option<Rc<Running>> {
    BESIDE.with(|beside| beside.borrow().get(&number).cloned())
}

/// Has them go on no longer than until then while a body runs.
pub fn limited_to<T>(limit: Option<Instant>, body: impl FnOnce() -> T) -> T {
    let before = LIMIT.replace(limit);
    let result = body();
    LIMIT.set(before);
    wake_stalled();
    result
}

fn wake_stalled() {
    STALLED.with(|stalled| std::mem::take(&mut *stalled.borrow_mut())).into_iter().for_each(Waker::wake);
}

/// Whether one of them is in the middle of what it does: it can't go on before what begins now on the one stack has ended.
pub fn is_working() -> bool {
    WORKING.get() > 0
}

/// Waits until it has been left.
pub async fn left() {
    poll_fn(|cx| if is_working() { stall(cx) } else { Poll::Ready(()) }).await
}

/// Waits until there is room for one more of a job's.
pub async fn room_for_job() {
    let has_room = || BESIDE.with(|beside| beside.borrow().len()) < JOBS_MAX || is_cancelled();
    poll_fn(|cx| if has_room() { Poll::Ready(()) } else { stall(cx) }).await
}

pub fn stall<T>(cx: &mut Context<'_>) -> Poll<T> {
    STALLED.with(|stalled| stalled.borrow_mut().push(cx.waker().clone()));
    Poll::Pending
}

/// Sleeps while the others have nothing to do; who polls it in the middle of a program has something to do.
async fn sleep(time: Duration) {
    let until = Instant::now() + time;
    let mut seen = None;
    loop {
        step_back().await;
        let left = until.saturating_duration_since(Instant::now());
        if left.is_zero() || is_cancelled() {
            return;
        }
        let mut woken = LIMIT.get().is_none();
        poll_fn(|cx| if std::mem::replace(&mut woken, true) { Poll::Ready(()) } else { stall(cx) }).await;
        if LIMIT.get().is_none() && seen.replace(WORK.get()) == Some(WORK.get()) {
            std::thread::sleep(left.min(NAP));
        }
    }
}

/// Has them go on until none has anything to do, at most for so long.
pub fn give_way(task: &Waker, time: Duration) {
    let until = Instant::now() + time;
    let (mut seen, mut idle) = (WORK.get(), 0);
    let rounds = poll_fn(|cx| {
        idle = if seen == WORK.get() { idle + 1 } else { 0 };
        seen = WORK.get();
        if idle > IDLE_ROUNDS || Instant::now() >= until {
            return Poll::Ready(());
        }
        cx.waker().wake_by_ref();
        Poll::Pending
    });
    limited_to(Some(until), || drive(task, rounds, is_cancelled));
}

/// Begins one, if the host can have it run so; where too many do already, it waits for input.
pub async fn start(ctx: &CommandContext<'_>, held: &Held) -> Option<Beside> {
    let request = request_of(ctx, held);
    let number = loop {
        let number = unsafe { begin(request.as_ptr(), request.len()) };
        if number != LATER || !ctx.stdin.is_dry().await {
            break number;
        }
        let mut waited = false;
        poll_fn(|cx| if std::mem::replace(&mut waited, true) { Poll::Ready(()) } else { stall(cx) }).await;
    };
    if number <= 0 {
        return None;
    }
    let running = Running::of(ctx, Waker::noop().clone());
    BESIDE.with(|beside| beside.borrow_mut().insert(number, running));
    Some(Beside(number))
}

impl Drop for Beside {
    fn drop(&mut self) {
        BESIDE.with(|beside| beside.borrow_mut().remove(&self.0));
        unsafe { end(self.0) };
        wake_stalled();
    }
}

impl Beside {
    pub async fn run(&self, ctx: &CommandContext<'_>) -> Result<CommandStatus> {
        let (mut news, mut input) = (told::NOTHING, Vec::new());
        let mut idle = 0;
        loop {
            let next = poll_fn(|cx| self.poll(cx, &mut news, &input)).await;
            input.clear();
            // What its commands have printed.
            if let Some(running) = find(self.0) {
                running.write_kept();
            }
            match next {
                Next::Ended(code) => {
                    let end = find(self.0).and_then(|running| running.take_end());
                    return end.unwrap_or(Ok(CommandStatus::with_code(code)));
                }
                Next::Reads => {
                    input = ctx.stdin.read_chunk().await?.unwrap_or_default();
                    news = told::INPUT;
                }
                Next::Sleeps(time, serves) => {
                    let (ending, work) = (is_ending(), WORK.get());
                    let serving = serves.then(Serving::begin);
                    sleep(time).await;
                    // Whether nothing but servers is left.
                    let all_serve = BESIDE.with(|beside| beside.borrow().len()) <= SERVING.get() && !is_napping();
                    drop(serving);
                    if is_cancelled() {
                        return Err(Error::Cancelled);
                    }
                    idle = if serves && ending && all_serve && work == WORK.get() { idle + 1 } else { 0 };
                    if idle > IDLE_ROUNDS {
                        let message = format!("{}: ended with the script: nobody is left who could connect\n", ctx.name);
                        let _ = ctx.stderr.write_all(message.as_bytes()).await;
                        return Ok(CommandStatus::with_code(TERMINATED));
                    }
                }
                Next::Printed { is_stdout, bytes } => {
                    let output = if is_stdout { &ctx.stdout } else { &ctx.stderr };
                    match output.write_all(&bytes).await {
                        Err(Error::Io(error)) if error.kind() == ErrorKind::BrokenPipe => news = told::UNREAD,
                        written => written?,
                    }
                    // Whoever reads that goes first.
                    step_back().await;
                }
            }
        }
    }

    fn poll(&self, cx: &mut Context<'_>, news: &mut i32, input: &[u8]) -> Poll<Next> {
        if let Some(running) = find(self.0) {
            running.polled_by(cx.waker());
        }
        if LIMIT.get().is_some_and(|limit| Instant::now() >= limit) {
            return stall(cx);
        }
        let mut left = Left::default();
        WORKING.set(WORKING.get() + 1);
        let kind = unsafe { go_on(self.0, std::mem::take(news), input.as_ptr(), input.len(), &mut left) };
        WORKING.set(WORKING.get() - 1);
        let next = match kind {
            next::ENDED => Next::Ended(left.code),
            next::READS => Next::Reads,
            next::PRINTED => Next::Printed { is_stdout: left.code == 1, bytes: take(left.pointer as *mut u8, left.length) },
            next::SLEEPS => Next::Sleeps(Duration::from_millis(left.code as u64), left.pointer != 0),
            _ => return stall(cx),
        };
        if !matches!(&next, Next::Sleeps(time, _) if !time.is_zero()) {
            WORK.set(WORK.get().wrapping_add(1));
        }
        wake_stalled();
        Poll::Ready(next)
    }
}
