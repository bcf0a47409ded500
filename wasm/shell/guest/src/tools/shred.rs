//! `shred`. What is overwritten here is gone at once: files are memory of the session, of which nothing else keeps a copy but
//! checkpoints. It does what it says all the same, as scripts look at the file afterwards.

use super::options::{Parsed, Spec, Value, parse};
use super::{Call, reason};
use crate::system;
use std::fs::{self, File, OpenOptions};
use std::io::{self, Seek, SeekFrom, Write};
use std::path::Path;

const OPTIONS: &[Spec] = &[
    Spec('f', "force", Value::None),
    Spec('n', "iterations", Value::Required),
    Spec('\0', "random-source", Value::Required),
    Spec('s', "size", Value::Required),
    Spec('u', "", Value::None),
    Spec('\0', "remove", Value::Optional),
    Spec('v', "verbose", Value::None),
    Spec('x', "exact", Value::None),
    Spec('z', "zero", Value::None),
];

const PIECE: usize = 64 << 10;
const BLOCK: u64 = 4096;
/// Each pass writes the whole file, and is no better than the one before it.
const PASSES_MAX: u64 = 1000;

struct Order {
    options: Parsed,
    passes: u64,
    size: Option<u64>,
    removes: bool,
    /// Whether its name is overwritten before it goes.
    wipes: bool,
}

pub fn run(call: &mut Call<'_>) -> i32 {
    let order = match parse(call.args, OPTIONS).map_err(|problem| format!("{problem}\nTry 'shred --help' for more information.")).and_then(Order::of) {
        Ok(order) => order,
        Err(problem) => {
            call.complain(&problem);
            return 1;
        }
    };
    let mut code = 0;
    for name in &order.options.operands {
        if let Err(problem) = shredded(call, &order, name) {
            call.complain(&problem);
            code = 1;
        }
    }
    code
}

impl Order {
    fn of(options: Parsed) -> Result<Self, String> {
        if options.operands.is_empty() {
            return Err("missing file operand\nTry 'shred --help' for more information.".into());
        }
        if options.has("random-source") {
            return Err("--random-source is not here: bytes come from the session's generator".into());
        }
        let passes = options.value("n").map_or(Ok(3), |text| text.parse().map_err(|_| format!("invalid number of passes: '{text}'")))?;
        if passes > PASSES_MAX {
            return Err(format!("more than {PASSES_MAX} passes are not here"));
        }
        let size = options.value("s").map(|text| size(text).ok_or(format!("invalid file size: '{text}'"))).transpose()?;
        let how = options.given.iter().rev().find(|(key, _)| key == "remove").and_then(|(_, value)| value.clone());
        let wipes = match how.as_deref() {
            None | Some("wipe" | "wipesync") => true,
            Some("unlink") => false,
            Some(other) => return Err(format!("invalid argument '{other}' for '--remove'")),
        };
        Ok(Order { removes: options.has("u") || options.has("remove"), passes, size, wipes, options })
    }
}

fn shredded(call: &mut Call<'_>, order: &Order, name: &str) -> Result<(), String> {
    if name == "-" {
        return Err("-: its output can't be overwritten here".into());
    }
    let path = call.path(name);
    let opening = |error: &io::Error| format!("{name}: failed to open for writing: {}", reason(error));
    let status = call.status(&path, true).map_err(|error| opening(&error))?;
    match status.file_type {
        system::DIRECTORY => return Err(opening(&io::Error::from(io::ErrorKind::IsADirectory))),
        system::FILE => {}
        _ => return Err(format!("{name}: invalid file type")),
    }
    let open = || OpenOptions::new().write(true).open(&path);
    let mut file = match open() {
        Err(error) if error.kind() == io::ErrorKind::PermissionDenied && order.options.has("f") => {
            system::chmod(&path, 0o200).map_err(|error| format!("{name}: cannot change permissions: {}", reason(&error)))?;
            open()
        }
        opened => opened,
    }
    .map_err(|error| opening(&error))?;
    let size = match order.size {
        Some(size) => size,
        // Whole blocks, as what they hold behind the end would be left.
        None if status.size > 0 && !order.options.has("x") => status.size.next_multiple_of(BLOCK),
        None => status.size,
    };
    overwrite(call, order, name, &mut file, size).map_err(|error| format!("{name}: error writing: {}", reason(&error)))?;
    if order.removes {
        // Other names of the file are to have nothing of it either.
        file.set_len(0).map_err(|error| format!("{name}: error truncating: {}", reason(&error)))?;
        drop(file);
        remove(call, order, name, &path)?;
    }
    Ok(())
}

fn overwrite(call: &mut Call<'_>, order: &Order, name: &str, file: &mut File, size: u64) -> io::Result<()> {
    let zeros = order.options.has("z");
    let all = order.passes + u64::from(zeros);
    let mut piece = vec![0; PIECE];
    for pass in (1..=all).take_while(|_| size > 0) {
        let random = pass <= order.passes;
        if order.options.has("v") {
            let what = if random { "random" } else { "000000" };
            call.err.push_str(&format!("shred: {name}: pass {pass}/{all} ({what})...\n"));
        }
        piece.fill(0);
        file.seek(SeekFrom::Start(0))?;
        let mut left = size;
        while left > 0 {
            let length = left.min(PIECE as u64) as usize;
            if random {
                system::random(&mut piece[..length])?;
            }
            file.write_all(&piece[..length])?;
            left -= length as u64;
        }
    }
    Ok(())
}

/// As GNU's does: by names of zeros, ever shorter ones.
fn remove(call: &mut Call<'_>, order: &Order, name: &str, path: &Path) -> Result<(), String> {
    let tells = order.options.has("v");
    if tells {
        call.err.push_str(&format!("shred: {name}: removing\n"));
    }
    let above = name.rfind('/').map_or("", |at| &name[..=at]);
    let (mut path, mut shown) = (path.to_path_buf(), name.to_string());
    let length = path.file_name().map_or(0, |name| name.len());
    for length in (1..=length).rev().take_while(|_| order.wipes) {
        let zeros = "0".repeat(length);
        let next = path.with_file_name(&zeros);
        if system::status(&next, false).is_ok() || fs::rename(&path, &next).is_err() {
            continue;
        }
        let to = format!("{above}{zeros}");
        if tells {
            call.err.push_str(&format!("shred: {shown}: renamed to {to}\n"));
        }
        (path, shown) = (next, to);
    }
    fs::remove_file(&path).map_err(|error| format!("{name}: failed to remove: {}", reason(&error)))?;
    if tells {
        call.err.push_str(&format!("shred: {name}: removed\n"));
    }
    Ok(())
}

/// `10`, `4K`, `1MB`: as GNU's tools have sizes.
fn size(text: &str) -> Option<u64> {
    let end = text.find(|letter: char| !letter.is_ascii_digit()).unwrap_or(text.len());
    let (number, unit) = text.split_at(end);
    let base: u64 = if unit.len() == 2 && unit.ends_with('B') { 1000 } else { 1024 };
    let power = match unit.trim_end_matches("iB").trim_end_matches('B') {
        "" => 0,
        "K" | "k" => 1,
        "M" => 2,
        "G" => 3,
        _ => return None,
    };
    number.parse::<u64>().ok()?.checked_mul(base.pow(power))
}
