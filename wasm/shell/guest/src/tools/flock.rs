//! `flock FILE COMMAND`, which keeps the commands of a script's jobs from each other. A descriptor (`flock 9`) gets the lock that it
//! asks for: what it leads to is not told to commands.

use super::Call;
use std::cell::RefCell;
use std::collections::HashMap;
use std::fs::OpenOptions;
use std::path::PathBuf;

/// What the script that runs the command asks for first, and last.
const TAKE: &str = "--wasmbox-take";
const GIVE: &str = "--wasmbox-give";
/// How long it waits before it asks again.
const NAP: &str = "0.02";

thread_local! {
    /// How many have a file: below zero, one that shares it with nobody.
    static HELD: RefCell<HashMap<PathBuf, i32>> = RefCell::new(HashMap::new());
}

/// Forgets what a script left that was broken off.
pub fn forget() {
    HELD.with(|held| held.borrow_mut().clear());
}

struct Order<'a> {
    shared: bool,
    waits: bool,
    /// Seconds, as they were given.
    most: Option<&'a str>,
    conflict: &'a str,
    operands: &'a [String],
}

fn parse(args: &[String]) -> Result<Order<'_>, String> {
    let mut order = Order { shared: false, waits: true, most: None, conflict: "1", operands: &[] };
    let mut at = 0;
    while let Some(arg) = args.get(at).filter(|arg| arg.len() > 1 && arg.starts_with('-')) {
        at += 1;
        if arg == "--" {
            break;
        }
        let (name, mut value) = match arg.strip_prefix("--") {
            Some(long) => long.split_once('=').map_or((long, None), |(name, value)| (name, Some(value))),
            None => ("", None),
        };
        let mut letters = if name.is_empty() { arg[1..].char_indices() } else { "".char_indices() };
        let mut long = (!name.is_empty()).then_some(name);
        loop {
            let option = match (long.take(), letters.next()) {
                (Some(name), _) => name.to_string(),
                (None, Some((start, letter))) => {
                    if matches!(letter, 'w' | 'E') {
                        let rest = &arg[1 + start + letter.len_utf8()..];
                        value = (!rest.is_empty()).then_some(rest);
                        letters = "".char_indices();
                    }
                    letter.to_string()
                }
                (None, None) => break,
            };
            let mut wanted = || {
                let given = value.or_else(|| args.get(at).map(|next| (at += 1, next.as_str()).1));
                given.ok_or_else(|| format!("option requires an argument -- '{option}'"))
            };
            match option.as_str() {
                "s" | "shared" => order.shared = true,
                "x" | "e" | "exclusive" => order.shared = false,
                "n" | "nb" | "nonblock" => order.waits = false,
                "w" | "wait" | "timeout" => order.most = Some(wanted()?),
                "E" | "conflict-exit-code" => order.conflict = wanted()?,
                "u" | "unlock" | "o" | "close" | "F" | "no-fork" | "verbose" => {}
                _ => return Err(format!("invalid option -- '{option}'")),
            }
        }
    }
    order.operands = &args[at..];
    Ok(order)
}

/// The script that runs a command with a file's lock; None: there is no command.
pub fn script(args: &[String]) -> Option<String> {
    if matches!(args.first().map(String::as_str), Some(TAKE | GIVE)) {
        return None;
    }
    let order = parse(args).ok()?;
    let (file, command) = order.operands.split_first()?;
    let words = match command {
        [] => return None,
        [option, script, ..] if option == "-c" || option == "--command" => format!("bash -c {}", quote(script)),
        words => words.iter().map(|word| quote(word)).collect::<Vec<_>>().join(" "),
    };
    let (file, mode) = (quote(file), if order.shared { "s" } else { "x" });
    let conflict = quote(order.conflict);
    let late = match (order.waits, order.most) {
        (false, _) => format!("exit {conflict}"),
        (true, None) => String::new(),
        // Time goes on while it waits; the shell counts it in microseconds.
        (true, Some(most)) => format!(
            "[ $((${{EPOCHREALTIME/./}} - begun)) -lt $(awk -v s={} 'BEGIN {{printf \"%d\", s * 1e6}}') ] || exit {conflict}",
            quote(most)
        ),
    };
    Some(format!(
        "begun=${{EPOCHREALTIME/./}}\nuntil flock {TAKE} {mode} {file}; do\n[ $? = 1 ] || exit 66\n{late}\nsleep {NAP}\ndone\ntrap 'flock {GIVE} {mode} \"$1\"' EXIT\nset -- {file}\n{words}"
    ))
}

fn quote(word: &str) -> String {
    format!("'{}'", word.replace('\'', "'\\''"))
}

pub fn run(call: &mut Call<'_>) -> i32 {
    match call.args {
        [verb, mode, file] if verb == TAKE => take(call, mode == "s", file),
        [verb, mode, file] if verb == GIVE => give(call, mode == "s", file),
        args => match parse(args) {
            Err(problem) => usage(call, &problem),
            Ok(Order { operands: [], .. }) => usage(call, "not enough arguments"),
            Ok(Order { operands: [descriptor, ..], .. }) if descriptor.bytes().all(|byte| byte.is_ascii_digit()) => 0,
            Ok(Order { operands: [name, ..], .. }) => usage(call, &format!("bad file descriptor: '{name}'")),
        },
    }
}

fn usage(call: &mut Call<'_>, problem: &str) -> i32 {
    call.complain(problem);
    64
}

/// @returns 1 if another one has it.
fn take(call: &mut Call<'_>, shared: bool, file: &str) -> i32 {
    let path = call.path(file);
    if !path.is_dir()
        && let Err(error) = OpenOptions::new().append(true).create(true).open(&path)
    {
        call.complain(&format!("cannot open lock file {file}: {}", super::reason(&error)));
        return 2;
    }
    HELD.with(|held| {
        let mut held = held.borrow_mut();
        let count = held.entry(path).or_default();
        if *count < 0 || (*count > 0 && !shared) {
            return 1;
        }
        *count += if shared { 1 } else { -1 };
        0
    })
}

fn give(call: &mut Call<'_>, shared: bool, file: &str) -> i32 {
    let path = call.path(file);
    HELD.with(|held| {
        if let Some(count) = held.borrow_mut().get_mut(&path) {
            *count += if shared { -1 } else { 1 };
        }
    });
    0
}
