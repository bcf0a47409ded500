//! Processes that programs start: each is a script in a shell of its own (see `bashkit::processes`), with pipes whose other ends are the
//! program's, or on what the program itself prints to.

use crate::programs::Running;
use crate::{beside, shell, take};
use bashkit::processes::{Process, ProcessPipe, ProcessState, Processes, Sink};
use bashkit::{Bash, CommandOutput};
use serde_json::Value;
use std::cell::RefCell;
use std::collections::BTreeMap;
use std::io::Write;

/// What the host is told.
mod answer {
    /// There is no process of this number, or it can't be begun.
    pub const NONE: i32 = -2;
    /// It still runs; nothing has come yet; nobody reads.
    pub const NOT: i32 = -1;
    /// With the number of a signal: that ended it.
    pub const KILLED: i32 = 256;
}

/// Who starts one: a program that runs to its end at once; any other number above zero: one that runs beside others.
const INNERMOST: i32 = 0;
/// No program of the shell's.
const OUTSIDE: i32 = -1;

/// Ends of pipes that are the program's, by the number of the stream.
type Ends = [Option<ProcessPipe>; 3];

thread_local! {
    static PROCESSES: RefCell<Option<Processes>> = const { RefCell::new(None) };
    static ENDS: RefCell<BTreeMap<u32, Ends>> = const { RefCell::new(BTreeMap::new()) };
    /// Those that have begun since a script came to its end last.
    static FRESH: RefCell<Vec<u32>> = const { RefCell::new(Vec::new()) };
    /// What was read last.
    static PIECE: RefCell<Vec<u8>> = const { RefCell::new(Vec::new()) };
}

/// They run beside what this one runs.
pub fn watch(bash: &Bash) {
    PROCESSES.set(Some(bash.processes()));
}

fn processes() -> Option<Processes> {
    PROCESSES.with(|processes| processes.borrow().clone())
}

/// Whether any runs that has begun since a script came to its end last, or what it has left.
pub fn any_fresh() -> bool {
    fresh() > 0
}

fn fresh() -> usize {
    let Some(processes) = processes() else {
        return 0;
    };
    FRESH.with(|fresh| fresh.borrow().iter().filter(|pid| processes.runs(**pid)).count())
}

/// A script has come to its end: those that run have been left. @returns How many.
pub fn settle() -> usize {
    let left = fresh();
    FRESH.take();
    left
}

fn end_of(pid: u32, stream: usize) -> Option<ProcessPipe> {
    ENDS.with(|ends| ends.borrow().get(&pid).and_then(|ends| ends.get(stream).cloned().flatten()))
}

/// What `bash` does whose script comes down a pipe, line by line: what is whole is run, and answered, before more comes.
const CONVERSATION: &str = r#"
__wasmbox_text= __wasmbox_code=0
while IFS= read -r __wasmbox_line || [ -n "$__wasmbox_line" ]; do
  __wasmbox_text+=$__wasmbox_line$'\n'
  case $(bash -n -c "$__wasmbox_text" 2>&1 </dev/null) in *'unexpected end of file'* | *'unexpected EOF'* | *here-document*) continue ;; esac
  case $- in *e*) ;; *) (exit "$__wasmbox_code") ;; esac
  eval "$__wasmbox_text"
  __wasmbox_code=$? __wasmbox_text=
done
[ -z "$__wasmbox_text" ] || eval "$__wasmbox_text" || __wasmbox_code=$?
exit "$__wasmbox_code"
"#;

/// Where a stream of a process goes.
#[derive(Clone)]
enum Target {
    Pipe(ProcessPipe),
    Program(CommandOutput),
    Host { is_stdout: bool },
    Nowhere,
}

impl Target {
    /// What it prints to nobody hears where nobody reads it any more: whoever writes to a pipe learns of that by itself.
    fn into_sink(self) -> Sink {
        match self {
            Target::Pipe(pipe) => Box::new(move |bytes| {
                let pipe = pipe.clone();
                Box::pin(async move {
                    if pipe.write(&bytes).await { Ok(()) } else { Err(std::io::Error::from(std::io::ErrorKind::BrokenPipe).into()) }
                })
            }),
            Target::Program(output) => Box::new(move |bytes| {
                let output = output.clone();
                Box::pin(async move {
                    let _ = output.write_all(&bytes).await;
                    Ok(())
                })
            }),
            Target::Host { is_stdout: true } => Box::new(|bytes| {
                Box::pin(async move { Ok(std::io::stdout().write_all(&bytes).and_then(|()| std::io::stdout().flush())?) })
            }),
            Target::Host { is_stdout: false } => Box::new(|bytes| Box::pin(async move { Ok(std::io::stderr().write_all(&bytes)?) })),
            Target::Nowhere => Box::new(|_| Box::pin(async { Ok(()) })),
        }
    }
}

/// Begins one: `script`; `conversation`, where that is a shell that is to read its script down the pipe: its command; `name`, `env`,
/// and for each of `stdin`, `stdout` and `stderr` "pipe", "inherit" or "null"; `after`: its number is to be a later one.
///
/// @param parent Who starts it. @returns Its number, or `NONE` where there are too many.
#[unsafe(no_mangle)]
pub extern "C" fn sh_process_begin(parent: i32, pointer: *mut u8, length: usize) -> i32 {
    let request = take(pointer, length);
    let begun = serde_json::from_slice(&request).ok().and_then(|request: Value| begin(parent, &request));
    begun.map_or(answer::NONE, |pid| pid as i32)
}

fn begin(parent: i32, request: &Value) -> Option<u32> {
    let program = match parent {
        OUTSIDE => None,
        INNERMOST => Running::innermost(),
        number => beside::find(number),
    };
    beside::unsettle();
    let text = |name: &str| request[name].as_str().unwrap_or_default();
    let mut ends = Ends::default();
    let mut shared = None;
    let mut target = |stream: usize, name: &str| match text(name) {
        "pipe" => Target::Pipe(ends[stream].insert(ProcessPipe::default()).clone()),
        "inherit" => match &program {
            Some(program) => {
                shared = Some(program.output(stream == 1).clone());
                Target::Program(program.output(stream == 1).clone())
            }
            None => Target::Host { is_stdout: stream == 1 },
        },
        _ => Target::Nowhere,
    };
    let (stdout, stderr) = (target(1, "stdout"), target(2, "stderr"));
    if text("stdin") == "pipe" {
        ends[0] = Some(ProcessPipe::default());
    }
    let mut shell = shell::build();
    for (name, value) in request["env"].as_object().into_iter().flatten() {
        shell.set_env(name, value.as_str().unwrap_or_default());
    }
    let (script, rest) = (text("script").to_string(), request["conversation"].as_str().map(str::to_string));
    let input = ends[0].clone();
    let process = Process {
        shell,
        script: Box::new(move || {
            // What has all come is one script.
            let is_whole = input.is_none_or(|input| input.has_ended());
            match rest {
                Some(shell) if is_whole => format!("{script}\n{shell}"),
                Some(_) => format!("{script}{CONVERSATION}"),
                None => script,
            }
        }),
        name: text("name").to_string(),
        stdin: ends[0].clone(),
        stdout: stdout.into_sink(),
        stderr: stderr.clone().into_sink(),
        report: stderr.into_sink(),
        shared,
        outputs: ends[1..].iter().flatten().cloned().collect(),
    };
    let after = request["after"].as_u64().and_then(|after| u32::try_from(after).ok()).unwrap_or_default();
    let pid = processes()?.begin(process, parent == OUTSIDE, after)?;
    ENDS.with(|all| all.borrow_mut().insert(pid, ends));
    if let Some(processes) = processes() {
        FRESH.with(|fresh| {
            let mut fresh = fresh.borrow_mut();
            fresh.retain(|pid| processes.runs(*pid));
            fresh.push(pid);
        });
    }
    Some(pid)
}

/// @returns How many bytes there was room for, or `NOT`.
#[unsafe(no_mangle)]
pub extern "C" fn sh_process_give(pid: u32, pointer: *mut u8, length: usize) -> i32 {
    beside::unsettle();
    let bytes = take(pointer, length);
    end_of(pid, 0).and_then(|pipe| pipe.offer(&bytes)).map_or(answer::NOT, |taken| taken as i32)
}

/// @returns How many bytes are at `sh_process_piece`; 0 at the end; `NOT`: none yet.
#[unsafe(no_mangle)]
pub extern "C" fn sh_process_read(pid: u32, stream: usize, most: usize) -> i32 {
    let Some(pipe) = end_of(pid, stream) else {
        return 0;
    };
    pipe.take(most).map_or(answer::NOT, |piece| {
        let length = piece.len();
        PIECE.set(piece);
        length as i32
    })
}

#[unsafe(no_mangle)]
pub extern "C" fn sh_process_piece() -> *const u8 {
    PIECE.with(|piece| piece.borrow().as_ptr())
}

/// Closes the program's end of a pipe.
#[unsafe(no_mangle)]
pub extern "C" fn sh_process_close(pid: u32, stream: usize) {
    beside::unsettle();
    let pipe = ENDS.with(|ends| ends.borrow_mut().get_mut(&pid).and_then(|ends| ends.get_mut(stream)?.take()));
    match pipe {
        Some(pipe) if stream == 0 => pipe.end(),
        Some(pipe) => pipe.close(),
        None => {}
    }
}

/// @returns Its exit code, `KILLED` and the signal that ended it, `NOT` while it runs, or `NONE`.
#[unsafe(no_mangle)]
pub extern "C" fn sh_process_state(pid: u32) -> i32 {
    match processes().map(|processes| processes.state(pid)) {
        Some(ProcessState::Ended(code)) => code,
        Some(ProcessState::Killed(signal)) => answer::KILLED + signal,
        Some(ProcessState::Running) => answer::NOT,
        _ => answer::NONE,
    }
}

/// @returns 0: it still runs, and is sent the signal; or `NONE`.
#[unsafe(no_mangle)]
pub extern "C" fn sh_process_signal(pid: u32, signal: i32) -> i32 {
    beside::unsettle();
    if processes().is_some_and(|processes| processes.signal(pid, signal)) { 0 } else { answer::NONE }
}

/// Nobody asks for it any more. Its pipes are closed; it goes on.
#[unsafe(no_mangle)]
pub extern "C" fn sh_process_forget(pid: u32) {
    for stream in 0..3 {
        sh_process_close(pid, stream);
    }
    ENDS.with(|ends| ends.borrow_mut().remove(&pid));
    if let Some(processes) = processes() {
        processes.forget(pid);
    }
}

/// What has begun is not waited for at the end of a script.
#[unsafe(no_mangle)]
pub extern "C" fn sh_processes_settle() {
    settle();
}

/// How many run that have begun since a script came to its end last.
#[unsafe(no_mangle)]
pub extern "C" fn sh_processes_fresh() -> i32 {
    fresh() as i32
}

/// Whether all that runs waits for somebody outside of the shell, or for who asks.
#[unsafe(no_mangle)]
pub extern "C" fn sh_all_wait(parent: i32) -> i32 {
    i32::from(beside::all_wait(usize::from(parent > INNERMOST)))
}

/// How many run, or what they have left does.
#[unsafe(no_mangle)]
pub extern "C" fn sh_processes() -> i32 {
    processes().map_or(0, |processes| processes.running() as i32)
}
