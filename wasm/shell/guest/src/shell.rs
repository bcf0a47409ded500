//! The shell itself, and how scripts end.

use crate::advice::Advice;
use crate::beside;
use crate::files::{SessionFiles, nanoseconds};
use crate::processes;
use crate::programs::{self, NAMES, Program};
use crate::system;
use crate::tools;
use crate::versions;
use bashkit::{Bash, Error, ExecutionLimits, MemoryLimits, SessionLimits};
use std::io::Write;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;
use tokio::runtime::{Builder, Runtime};

const HOME: &str = "/app";
/// The executor stops what takes too long. Not longer than this: adding to it must not reach the end of the clock.
const NEVER: Duration = Duration::from_secs(10 * 365 * 24 * 3600);

/// Programs that are not here any more have so long to say that.
const LAST_WORDS: Duration = Duration::from_millis(100);

/// How a script ended.
pub enum Ending {
    Exited(i32),
    /// It was asked to.
    Cancelled,
    /// The shell could not run it; it has said why.
    Refused,
}

impl Ending {
    /// What the host is told: the exit code, or a number below zero.
    pub fn code(&self) -> i32 {
        match self {
            Ending::Exited(code) => code & 0xff,
            Ending::Cancelled => -1,
            Ending::Refused => -2,
        }
    }
}

pub struct Shell {
    bash: Bash,
    /// How many jobs the last script has left running.
    pub jobs_left: usize,
    /// By what jobs sleep, from script to script. Not in the base image: its clock begins with the session.
    runtime: Option<Runtime>,
    /// Set by the host to end the script that runs.
    pub cancelled: Arc<AtomicBool>,
}

/// Time, work and memory are bounded by the host, for all that the shell does at once. What stays is what keeps it out of
/// the depths of the host's stack.
fn limits() -> ExecutionLimits {
    const ANY: usize = usize::MAX / 4;
    ExecutionLimits::cli()
        .timeout(NEVER)
        .parser_timeout(NEVER)
        .max_work_units(u64::MAX)
        .max_aggregate_input_bytes(u64::MAX)
        .max_live_intermediate_bytes(u64::MAX / 4)
        .max_stdout_bytes(ANY)
        .max_stderr_bytes(ANY)
        .max_word_split_fields(ANY)
        .max_word_split_bytes(ANY)
        .max_parser_operations(ANY)
        .max_input_bytes(ANY)
        // They wait for each other: `for f in *; do python3 work.py "$f" & done`.
        .max_background_jobs(1000)
        // What ends recursion is the stack, which these look at, too.
        .max_function_depth(ANY)
        .max_subst_depth(ANY)
        .max_subshell_depth(ANY)
}

/// One that has run nothing yet.
pub fn build() -> Bash {
    let mut builder = Bash::builder()
        .fs(Arc::new(SessionFiles))
        .rootfs(true)
        .cwd(HOME)
        .limits(limits())
        .session_limits(SessionLimits::unlimited())
        .memory_limits(MemoryLimits::unlimited())
        .username("user")
        .hostname("wasmbox")
        .command_resolver(Arc::new(Advice));
    for name in NAMES {
        builder = builder.command(*name, Program);
    }
    tools::add_to(builder).build()
}

impl Shell {
    pub fn new() -> Self {
        bashkit::set_same_file(|one, other| {
            let inode = |path| system::status(path, true).ok().map(|status| status.inode);
            inode(one).is_some_and(|found| Some(found) == inode(other))
        });
        bashkit::set_link_count(|path| system::status(path, false).map_or(1, |status| status.links as usize));
        bashkit::set_inode(|path| system::status(path, false).map_or(0, |status| status.inode));
        bashkit::set_moments(|path, follow| {
            let time = |nanoseconds| std::time::SystemTime::UNIX_EPOCH + Duration::from_nanos(nanoseconds);
            system::status(path, follow).ok().map(|status| (time(status.accessed), time(status.changed)))
        });
        bashkit::set_touch_link(|path, time| system::set_link_modified(path, nanoseconds(time)));
        bashkit::set_versions(versions::of);
        bashkit::siblings::set_at_end(beside::at_end);
        let bash = build();
        processes::watch(&bash);
        let cancelled = bash.cancellation_token();
        programs::watch(&cancelled);
        bashkit::siblings::set_stop(Arc::clone(&cancelled));
        let mut shell = Shell { bash, jobs_left: 0, runtime: None, cancelled };
        // What the first script would have to do otherwise.
        // Whoever sets IFS back to what it was must find it as it is.
        shell.run(b"IFS=$' \\t\\n'");
        shell.runtime = None;
        shell
    }

    /// @param environment `name=value`, each followed by a NUL.
    pub fn begin(&mut self, environment: &[u8]) {
        for entry in environment.split(|byte| *byte == 0) {
            let text = String::from_utf8_lossy(entry);
            if let Some((name, value)) = text.split_once('=') {
                self.bash.set_env(name, value);
            }
        }
        // Sessions start from the same image, but not with the same numbers.
        self.run(b"RANDOM=$SRANDOM");
    }

    /// Has what scripts have left running go on, as far as it gets without waiting, at most for so long.
    pub fn tend(&mut self, time: Duration) -> Ending {
        beside::tend(time, || self.run(b""))
    }

    pub fn run(&mut self, script: &[u8]) -> Ending {
        self.cancelled.store(false, Ordering::Relaxed);
        if beside::any_lost() && !beside::is_tending() {
            // So that the script does not find their jobs running.
            self.tend(LAST_WORDS);
        }
        programs::begin_script();
        let script = String::from_utf8_lossy(script);
        let runtime = match self.runtime.take().map_or_else(|| Builder::new_current_thread().enable_time().build(), Ok) {
            Ok(runtime) => self.runtime.insert(runtime),
            Err(error) => return refused(&error),
        };
        // Nothing has to give way to others: it is the one task, and a program that blocks polls parts of it by itself.
        let result = runtime.block_on(tokio::task::unconstrained(async {
            self.bash
                .execute(&script)
                .stdout_fn(|bytes| async move { Ok(std::io::stdout().write_all(&bytes).and_then(|()| std::io::stdout().flush())?) })
                .stderr_fn(|bytes| async move { Ok(std::io::stderr().write_all(&bytes)?) })
                .await
        }));
        self.jobs_left = if result.is_ok() { self.bash.jobs_left() } else { 0 };
        if !beside::is_tending() {
            self.jobs_left += processes::settle();
        }
        match result {
            Ok(result) => Ending::Exited(result.exit_code),
            Err(error @ Error::Parse { .. }) => {
                refused(&error);
                Ending::Exited(2)
            }
            Err(error) => {
                self.bash.end_jobs();
                tools::flock::forget();
                if matches!(error, Error::Cancelled) { Ending::Cancelled } else { refused(&error) }
            }
        }
    }
}

fn refused(error: &dyn std::fmt::Display) -> Ending {
    let _ = writeln!(std::io::stderr(), "bash: {error}");
    Ending::Refused
}
