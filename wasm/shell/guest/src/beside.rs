//! Programs that run beside others: each has a stack of the host's, which it leaves where it has to wait for its pipes. It goes on
//! whenever its command is polled and what it waits for has come, so that all of a pipeline works as far as it gets.

use crate::processes;
use crate::programs::{Held, Running, is_cancelled, request_of, step_back};
use crate::take;
use bashkit::siblings::{AtEnd, drive, is_napping, progress};
use bashkit::{CommandContext, CommandInput, CommandStatus, Error, ProgramSignals, Result};
use std::cell::{Cell, RefCell};
use std::collections::BTreeMap;
use std::future::{Future, pending, poll_fn};
use std::io::ErrorKind;
use std::pin::pin;
use std::rc::Rc;
use std::task::{Context, Poll, Waker};
use std::thread::LocalKey;
use std::time::{Duration, Instant};

#[link(wasm_import_module = "sandbox")]
unsafe extern "C" {
    /// Begins a program. @returns its number; 0 where it can't have a stack of its own; `LATER` where too many have one.
    fn begin(request: *const u8, length: usize) -> i32;
    /// Has it go on until it waits. @param told One of `told`, with `bytes` for it. @returns one of `next`.
    fn go_on(program: i32, told: i32, bytes: *const u8, length: usize, left: *mut Left) -> i32;
    /// It gets a signal that it heeds, when it goes on.
    fn signal(program: i32, signal: i32);
    /// Ends it, if it has not ended.
    fn end(program: i32);
}

/// What it left when it was left: its exit code, and the signal that ended it, if one did; or what it has printed, by the stream, a
/// pointer, and a length; or for how long it sleeps, whether others can connect to it, and whether it wants what comes of its input
/// meanwhile. And the signals that it heeds from now on.
#[repr(C)]
#[derive(Default)]
struct Left {
    code: i32,
    pointer: usize,
    length: usize,
    heeds: u32,
}

/// How long one sleeps before it looks whether others have something to do.
const NAP: Duration = Duration::from_millis(10);
/// Jobs that only sleep are waited for so long when the script has come to its end, and then left.
const PATIENCE: Duration = Duration::from_secs(10);
/// Nothing of a script's jobs has happened for so long where they are left.
const QUIET: Duration = Duration::from_millis(30);
/// What was left before by others has so long.
const LAST_TURN: Duration = Duration::from_millis(100);
/// In so many rounds whoever has something to do has come to it.
const IDLE_ROUNDS: u32 = 3;

const LATER: i32 = -1;
/// So many of background jobs work beside each other, each with an interpreter of its own; others begin when one has ended, or waits.
const JOBS_MAX: usize = 8;
/// And so many servers wait besides, which may never end.
const SERVERS_MAX: usize = 16;
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
    pub const LOST: i32 = 5;
}

enum Next {
    Ended { code: i32, signal: i32 },
    Reads,
    Printed { is_stdout: bool, bytes: Vec<u8> },
    /// Whether others can connect to it, whether it goes on earlier where something of its input has come, and waits for nothing else.
    Sleeps { time: Duration, serves: bool, reads: bool, only_reads: bool },
    /// The session went on from its image, without it.
    Lost,
}

thread_local! {
    static BESIDE: RefCell<BTreeMap<i32, Rc<Running>>> = const { RefCell::new(BTreeMap::new()) };
    /// Those that sleep now, and how many of these are servers that wait for somebody to ask them.
    static RESTING: Cell<usize> = const { Cell::new(0) };
    static SERVING: Cell<usize> = const { Cell::new(0) };
    /// And how many wait for their input.
    static READING: Cell<usize> = const { Cell::new(0) };
    /// Counts scripts.
    static SCRIPT: Cell<u32> = const { Cell::new(0) };
    /// Where nothing runs but what scripts have left, and only as far as it gets without waiting: for how long.
    static TENDING: Cell<Option<Duration>> = const { Cell::new(None) };
    /// What had been done when that was asked last, how often it was the same, and since when.
    static IDLE: Cell<(u32, u32, Option<Instant>)> = const { Cell::new((0, 0, None)) };
    /// How many are in the middle of what they do.
    static WORKING: Cell<u32> = const { Cell::new(0) };
    /// How many are about to begin.
    static STARTING: Cell<u32> = const { Cell::new(0) };
    /// Whether all had done what they had to when they were left last, and nothing has come to them since.
    static SETTLED: Cell<bool> = const { Cell::new(false) };
    /// Counts what they have done.
    static WORK: Cell<u32> = const { Cell::new(0) };
    /// Those up to this number were lost as the shell went on from an image.
    static LOST: Cell<i32> = const { Cell::new(0) };
    /// When they are to let the one go on in the middle of which they are polled.
    static LIMIT: Cell<Option<Instant>> = const { Cell::new(None) };
    /// Those that could not go on where they were polled: there, or within what another one of their kind does.
    static STALLED: RefCell<Vec<Waker>> = const { RefCell::new(Vec::new()) };
}

/// One that rests, and whether it does so as one of a kind that is counted.
struct Resting(Option<&'static LocalKey<Cell<usize>>>);

impl Resting {
    fn begin(kind: Option<&'static LocalKey<Cell<usize>>>) -> Self {
        RESTING.set(RESTING.get() + 1);
        if let Some(kind) = kind {
            kind.set(kind.get() + 1);
        }
        Resting(kind)
    }
}

impl Drop for Resting {
    fn drop(&mut self) {
        RESTING.set(RESTING.get() - 1);
        if let Some(kind) = self.0 {
            kind.set(kind.get() - 1);
        }
    }
}

/// What becomes of jobs that run when the script has come to its end, so long ago. Servers that nobody asks are left to later
/// scripts, as nobody else is there who could; and after a while whatever only sleeps. Those that were left before, where none are
/// the script's own, end what they are about, if they come to that.
pub fn at_end(since: Duration, own: bool) -> AtEnd {
    // Those that programs have begun are waited for as jobs are, but not for ever: nobody has asked for that.
    let processes = !own && TENDING.get().is_none() && processes::any_fresh();
    if processes && since >= PATIENCE {
        return AtEnd::Leave;
    }
    let own = own && TENDING.get().is_none() || processes;
    let running = BESIDE.with(|beside| beside.borrow().len());
    let (done, rounds, begun) = IDLE.get();
    let may_sleep = !own || since >= PATIENCE;
    // Loops that sleep between their commands only sleep.
    let is_loop = own && may_sleep && is_napping();
    let now = WORK.get().wrapping_add(if is_loop { 0 } else { progress() });
    let is_idle = running <= RESTING.get() && done == now && STARTING.get() == 0 && (may_sleep || !is_napping());
    let begun = begun.filter(|_| is_idle).unwrap_or_else(Instant::now);
    IDLE.set((now, if is_idle { rounds + 1 } else { 0 }, Some(begun)));
    // A job's own commands are no programs: they may be about to begin one.
    let is_quiet = begun.elapsed() >= QUIET;
    let all_wait = if processes { all_wait(0) } else { running > 0 && running <= SERVING.get() };
    let is_over = !own && since >= TENDING.get().unwrap_or(LAST_TURN);
    SETTLED.set(is_idle && rounds >= IDLE_ROUNDS);
    if is_over || is_idle && rounds >= IDLE_ROUNDS && (!own || is_quiet && (all_wait || may_sleep)) {
        return AtEnd::Leave;
    }
    if !own || since >= PATIENCE && is_idle { AtEnd::AskAgain } else { AtEnd::Wait }
}

/// Has what scripts have left go on, by a body that runs a script: as far as it gets without waiting, at most for so long.
pub fn tend<T>(time: Duration, body: impl FnOnce() -> T) -> T {
    TENDING.set(Some(time));
    let result = body();
    TENDING.set(None);
    result
}

/// Whether all that runs waits for somebody outside of the shell, to connect to it or to write to it.
///
/// @param who How many of the programs ask that.
pub fn all_wait(who: usize) -> bool {
    let running = BESIDE.with(|beside| beside.borrow().len());
    SETTLED.get() && running <= SERVING.get() + READING.get() + who && !is_napping()
}

/// Something has come to one of them.
pub fn unsettle() {
    SETTLED.set(false);
}

/// One of the background is about to begin.
pub struct Starting;

impl Starting {
    pub fn new() -> Self {
        STARTING.set(STARTING.get() + 1);
        Starting
    }
}

impl Drop for Starting {
    fn drop(&mut self) {
        STARTING.set(STARTING.get() - 1);
    }
}

pub fn is_tending() -> bool {
    TENDING.get().is_some()
}

/// A program, for as long as its command runs.
pub struct Beside(i32);

/// What the last script has left running goes on.
pub fn begin_script() {
    LIMIT.set(None);
    WORKING.set(0);
    IDLE.set((0, 0, None));
    SCRIPT.set(SCRIPT.get().wrapping_add(1));
    wake_stalled();
}

/// Those up to this number are not here any more, whatever they wait for.
pub fn lose(last: i32) {
    LOST.set(last);
}

/// Whether any is still taken for one that runs.
pub fn any_lost() -> bool {
    BESIDE.with(|beside| beside.borrow().keys().any(|number| is_lost(*number)))
}

fn is_lost(number: i32) -> bool {
    number <= LOST.get()
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

/// Waits until there is room for one more of a job's. @returns Whether there is any.
pub async fn room_for_job() -> bool {
    let has_room = || {
        let running = BESIDE.with(|beside| beside.borrow().len());
        running < JOBS_MAX + RESTING.get() || is_cancelled()
    };
    poll_fn(|cx| if has_room() { Poll::Ready(()) } else { stall(cx) }).await;
    SERVING.get() < SERVERS_MAX
}

pub fn stall<T>(cx: &mut Context<'_>) -> Poll<T> {
    STALLED.with(|stalled| stalled.borrow_mut().push(cx.waker().clone()));
    Poll::Pending
}

/// Waits until the next script runs.
async fn wait_for_script() {
    let script = SCRIPT.get();
    poll_fn(|cx| if SCRIPT.get() == script { stall(cx) } else { Poll::Ready(()) }).await;
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
        if LIMIT.get().is_none() && TENDING.get().is_none() && seen.replace(WORK.get()) == Some(WORK.get()) {
            std::thread::sleep(left.min(NAP));
        }
    }
}

/// Sleeps, for ever if no time is given, or until a signal comes or it is lost, or has what comes of an input before that.
async fn sleep_or_read(
    number: i32,
    time: Option<Duration>,
    input: Option<&CommandInput>,
    signals: &ProgramSignals,
) -> Option<Result<Option<Vec<u8>>>> {
    let mut over = pin!(async {
        match time {
            Some(time) => sleep(time).await,
            None => pending().await,
        }
    });
    let mut signalled = pin!(signals.come());
    let mut reading = pin!(async {
        match input {
            Some(input) => input.read_chunk().await,
            None => pending().await,
        }
    });
    poll_fn(|cx| match reading.as_mut().poll(cx) {
        Poll::Ready(piece) => Poll::Ready(Some(piece)),
        Poll::Pending if is_lost(number) || signalled.as_mut().poll(cx).is_ready() => Poll::Ready(None),
        Poll::Pending => over.as_mut().poll(cx).map(|()| None),
    })
    .await
}

/// What a future comes to; `None` where a program waits for its turn, which comes when who asks goes on, and nothing else does
/// anything for a while.
pub async fn unless_idle<F: Future>(future: F, is_wanted: impl Fn() -> bool) -> Option<F::Output> {
    let mut future = pin!(future);
    let mut idle: Option<(u32, Instant)> = None;
    poll_fn(|cx| {
        if let Poll::Ready(output) = future.as_mut().poll(cx) {
            return Poll::Ready(Some(output));
        }
        let (work, since) = idle.filter(|(work, _)| *work == WORK.get() && is_wanted()).unwrap_or_else(|| (WORK.get(), Instant::now()));
        idle = Some((work, since));
        if is_wanted() && since.elapsed() >= QUIET { Poll::Ready(None) } else { Poll::Pending }
    })
    .await
}

/// Has them go on until none has anything to do, at most for so long.
pub fn give_way(task: &Waker, time: Duration) {
    let until = Instant::now() + time;
    let done = || WORK.get().wrapping_add(progress());
    let (mut seen, mut idle) = (done(), 0);
    let rounds = poll_fn(|cx| {
        idle = if seen == done() && STARTING.get() == 0 { idle + 1 } else { 0 };
        seen = done();
        SETTLED.set(idle > IDLE_ROUNDS);
        if SETTLED.get() || Instant::now() >= until {
            return Poll::Ready(());
        }
        cx.waker().wake_by_ref();
        Poll::Pending
    });
    limited_to(Some(until), || drive(task, rounds, is_cancelled));
}

/// What became of one that was to begin.
pub enum Begun {
    Program(Beside),
    /// The host can't have it run so.
    Not,
    TooMany,
}

/// Begins one, if the host can have it run so; where too many do already, it waits for input.
///
/// @param patience For how long it waits otherwise. @param is_left_open Whether the end of its input may never come.
pub async fn start(ctx: &CommandContext<'_>, held: &Held, patience: Duration, is_left_open: bool) -> Begun {
    let request = request_of(ctx, held, is_left_open);
    let until = Instant::now() + patience;
    let number = loop {
        let number = unsafe { begin(request.as_ptr(), request.len()) };
        if number != LATER || Instant::now() >= until && (!patience.is_zero() || !ctx.stdin.is_dry().await) {
            break number;
        }
        let mut waited = false;
        poll_fn(|cx| if std::mem::replace(&mut waited, true) { Poll::Ready(()) } else { stall(cx) }).await;
    };
    if number <= 0 {
        return if number == LATER { Begun::TooMany } else { Begun::Not };
    }
    let running = Running::of(ctx, Waker::noop().clone());
    BESIDE.with(|beside| beside.borrow_mut().insert(number, running));
    Begun::Program(Beside(number))
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
        let script = SCRIPT.get();
        loop {
            while let Some(number) = ctx.signals.take() {
                unsafe { signal(self.0, number) };
            }
            let next = poll_fn(|cx| self.poll(cx, &mut news, &input, &ctx.signals)).await;
            input.clear();
            // What its commands have printed.
            if let Some(running) = find(self.0) {
                running.write_kept();
            }
            match next {
                Next::Ended { code, signal } => {
                    ctx.signals.ended(signal);
                    let end = find(self.0).and_then(|running| running.take_end());
                    return end.unwrap_or(Ok(CommandStatus::with_code(code)));
                }
                Next::Reads => {
                    let _resting = Resting::begin(Some(&READING));
                    if let Some(piece) = sleep_or_read(self.0, None, Some(&ctx.stdin), &ctx.signals).await {
                        input = piece?.unwrap_or_default();
                        news = told::INPUT;
                    }
                }
                Next::Sleeps { time, serves, reads, only_reads } => {
                    let resting = (!time.is_zero()).then(|| Resting::begin(if serves { Some(&SERVING) } else { only_reads.then_some(&READING) }));
                    if let Some(piece) = sleep_or_read(self.0, Some(time), reads.then_some(&ctx.stdin), &ctx.signals).await {
                        input = piece?.unwrap_or_default();
                        news = told::INPUT;
                    }
                    drop(resting);
                    if is_cancelled() {
                        // A later script that ends before its time does not take it along.
                        if script == SCRIPT.get() {
                            return Err(Error::Cancelled);
                        }
                        wait_for_script().await;
                    }
                }
                Next::Lost => {
                    let message = format!("{}: ended: it was lost when the session went on from a checkpoint\n", ctx.name);
                    let _ = ctx.stderr.write_all(message.as_bytes()).await;
                    return Ok(CommandStatus::with_code(TERMINATED));
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

    fn poll(&self, cx: &mut Context<'_>, news: &mut i32, input: &[u8], signals: &ProgramSignals) -> Poll<Next> {
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
        signals.heed(left.heeds);
        let next = match kind {
            next::ENDED => Next::Ended { code: left.code, signal: left.pointer as i32 },
            next::READS => Next::Reads,
            next::PRINTED => Next::Printed { is_stdout: left.code == 1, bytes: take(left.pointer as *mut u8, left.length) },
            next::LOST => Next::Lost,
            next::SLEEPS => Next::Sleeps {
                time: Duration::from_millis(left.code as u64),
                serves: left.pointer != 0,
                reads: left.length != 0,
                only_reads: left.length == 2,
            },
            _ => return stall(cx),
        };
        if !matches!(&next, Next::Sleeps { time, .. } if !time.is_zero()) {
            WORK.set(WORK.get().wrapping_add(1));
        }
        wake_stalled();
        Poll::Ready(next)
    }
}
