//! A shell as a guest of a session's Worker: one shell that lives in linear memory from script to script.
//!
//! The host calls one export at a time; while an import runs, none but those that say so: of programs' pipes, and of processes.

mod advice;
mod beside;
mod bisect;
mod files;
mod processes;
mod programs;
mod shell;
mod system;
mod tools;
mod versions;

use shell::Shell;
use std::cell::UnsafeCell;
use std::time::Duration;

/// The shell of this instance. No two calls into it overlap: an instance has one thread.
struct Instance(UnsafeCell<Option<Shell>>);

unsafe impl Sync for Instance {}

static INSTANCE: Instance = Instance(UnsafeCell::new(None));

fn instance() -> &'static mut Option<Shell> {
    unsafe { &mut *INSTANCE.0.get() }
}

/// Room for what the host hands over; the call that takes it frees it.
#[unsafe(no_mangle)]
pub extern "C" fn sh_alloc(length: usize) -> *mut u8 {
    let mut room = Vec::<u8>::with_capacity(length);
    let pointer = room.as_mut_ptr();
    std::mem::forget(room);
    pointer
}

/// What the host put at a pointer that `sh_alloc` gave.
fn take(pointer: *mut u8, length: usize) -> Vec<u8> {
    unsafe { Vec::from_raw_parts(pointer, length, length) }
}

/// Makes the shell. Called once, before its image is taken.
#[unsafe(no_mangle)]
pub extern "C" fn sh_boot() {
    *instance() = Some(Shell::new());
}

/// Tells a shell that goes on from the image where it is: `name=value`, each followed by a NUL.
#[unsafe(no_mangle)]
pub extern "C" fn sh_begin(pointer: *mut u8, length: usize) {
    let environment = take(pointer, length);
    if let Some(shell) = instance() {
        shell.begin(&environment);
    }
}

/// Runs a script. The host gets its exit code, or what stopped it: see `shell::Ending`.
#[unsafe(no_mangle)]
pub extern "C" fn sh_exec(pointer: *mut u8, length: usize) -> i32 {
    let script = take(pointer, length);
    match instance() {
        Some(shell) => shell.run(&script).code(),
        None => shell::Ending::Refused.code(),
    }
}

/// Has what scripts have left running go on, as far as it gets without waiting, at most for so long. The host gets what it does of a
/// script.
#[unsafe(no_mangle)]
pub extern "C" fn sh_tend(ms: u32) -> i32 {
    let time = Duration::from_millis(ms.into());
    instance().as_mut().map_or(shell::Ending::Refused.code(), |shell| shell.tend(time).code())
}

/// The shell goes on from an image. Programs up to this number that ran beside others then are not here.
#[unsafe(no_mangle)]
pub extern "C" fn sh_lose(last: i32) {
    beside::lose(last);
}

/// How many jobs the last script has left running.
#[unsafe(no_mangle)]
pub extern "C" fn sh_jobs_left() -> i32 {
    instance().as_ref().map_or(0, |shell| shell.jobs_left as i32)
}

/// Where the byte is that the host sets, while an import runs, to have the script end. It calls nothing for that: a guest
/// may be interrupted where what is below its stack pointer is in use.
#[unsafe(no_mangle)]
pub extern "C" fn sh_cancel_flag() -> *const u8 {
    instance().as_ref().map_or(std::ptr::null(), |shell| shell.cancelled.as_ptr() as *const u8)
}
