//! `mkdir`.

use super::options::{Spec, Value, parse};
use super::{Call, mode, reason};
use crate::files::Masked;
use crate::system;
use std::fs;
use std::io;
use std::path::Path;

const OPTIONS: &[Spec] = &[
    Spec('p', "parents", Value::None),
    Spec('m', "mode", Value::Required),
    Spec('v', "verbose", Value::None),
];

pub fn run(call: &mut Call<'_>) -> i32 {
    let options = match parse(call.args, OPTIONS) {
        Ok(options) => options,
        Err(problem) => {
            call.complain(&problem);
            return 1;
        }
    };
    if options.operands.is_empty() {
        call.complain("missing operand\nTry 'mkdir --help' for more information.");
        return 1;
    }
    let wanted = match options.value("m").map(|text| (text, mode::changed(text, 0o777, true))) {
        Some((text, None)) => {
            call.complain(&format!("invalid mode '{text}'"));
            return 1;
        }
        Some((_, mode)) => mode,
        None => None,
    };
    let mut code = 0;
    for name in &options.operands {
        let path = call.path(name);
        let mut made = Vec::new();
        let result = if options.has("p") { parents(&path, &mut made) } else { create(&path) };
        let result = result.and_then(|()| match wanted {
            Some(mode) if !options.has("p") || made.last().is_some_and(|last| *last == path) => system::chmod(&path, mode),
            _ => Ok(()),
        });
        if let Err(error) = result {
            call.complain(&format!("cannot create directory ‘{name}’: {}", reason(&error)));
            code = 1;
        } else if options.has("v") {
            for directory in if options.has("p") { &made } else { std::slice::from_ref(&path) } {
                let below = path.components().count() - directory.components().count();
                let shown = Path::new(name).ancestors().nth(below).unwrap_or(Path::new(name));
                call.out.push_str(&format!("mkdir: created directory '{}'\n", shown.display()));
            }
        }
    }
    code
}

fn create(path: &Path) -> io::Result<()> {
    let masked = Masked::of(path);
    fs::create_dir(path)?;
    masked.apply(path, 0o777)
}

fn parents(path: &Path, made: &mut Vec<std::path::PathBuf>) -> io::Result<()> {
    match system::status(path, true) {
        Ok(status) if status.file_type == system::DIRECTORY => return Ok(()),
        Ok(_) => return Err(io::Error::from(io::ErrorKind::AlreadyExists)),
        Err(error) if error.kind() != io::ErrorKind::NotFound => return Err(error),
        Err(_) => {}
    }
    if let Some(parent) = path.parent() {
        parents(parent, made).map_err(|error| match error.kind() {
            io::ErrorKind::AlreadyExists => io::Error::from(io::ErrorKind::NotADirectory),
            _ => error,
        })?;
    }
    create(path)?;
    made.push(path.to_path_buf());
    Ok(())
}
