//! `file`.

use super::file_kind::{Kind, kind_of};
use super::options::{Spec, Value, parse};
use super::{Call, reason};
use crate::system;

const OPTIONS: &[Spec] = &[
    Spec('b', "brief", Value::None),
    Spec('i', "mime", Value::None),
    Spec('\0', "mime-type", Value::None),
    Spec('\0', "mime-encoding", Value::None),
    Spec('L', "dereference", Value::None),
    Spec('h', "no-dereference", Value::None),
    Spec('N', "no-pad", Value::None),
    Spec('k', "keep-going", Value::None),
    Spec('n', "no-buffer", Value::None),
    Spec('r', "raw", Value::None),
    Spec('s', "special-files", Value::None),
    Spec('F', "separator", Value::Required),
    Spec('0', "print0", Value::None),
    Spec('f', "files-from", Value::Required),
];

/// What is looked at of a file, as much as file does.
const LOOKED_AT: usize = 1 << 20;
/// In the place of a type: whatever is asked for, it is said that there is no such file.
const ABSENT: &str = "cannot open";

pub fn run(call: &mut Call<'_>) -> i32 {
    let options = match parse(call.args, OPTIONS) {
        Ok(options) => options,
        Err(problem) => {
            call.complain(&format!("{problem}\nUsage: file [-bhiLNnrs] [--mime-type] [--mime-encoding] [-F SEPARATOR] [-f FILE] FILE..."));
            return 1;
        }
    };
    let mut names = options.operands.clone();
    if let Some(list) = options.value("f") {
        match call.read(list) {
            Ok(bytes) => names.extend(String::from_utf8_lossy(&bytes).lines().map(str::to_string)),
            Err(error) => {
                call.complain(&format!("cannot open `{list}' ({})", reason(&error)));
                return 1;
            }
        }
    }
    if names.is_empty() {
        call.complain("missing operand\nUsage: file [-bhiLNnrs] [--mime-type] [--mime-encoding] [-F SEPARATOR] [-f FILE] FILE...");
        return 1;
    }
    let widest = if options.has("N") { 0 } else { names.iter().map(|name| name.chars().count()).max().unwrap_or(0) };
    let separator = options.value("F").unwrap_or(":");
    for name in &names {
        let kind = kind(call, name, options.has("L"));
        let shown = if kind.mime == ABSENT {
            kind.text
        } else if options.has("i") {
            format!("{}; charset={}", kind.mime, kind.encoding)
        } else if options.has("mime-type") {
            kind.mime.to_string()
        } else if options.has("mime-encoding") {
            kind.encoding.to_string()
        } else {
            kind.text
        };
        if options.has("b") {
            call.out.push_str(&format!("{shown}\n"));
            continue;
        }
        let own = if name == "-" { "/dev/stdin" } else { name };
        let room = " ".repeat(widest.saturating_sub(name.chars().count()));
        let end = if options.has("0") { "\0" } else { "" };
        call.out.push_str(&format!("{own}{end}{separator}{room} {shown}\n"));
    }
    0
}

fn kind(call: &Call<'_>, name: &str, follow: bool) -> Kind {
    let simple = |text: String, mime| Kind { text, mime, encoding: "binary" };
    if !super::source::names_input(name) {
        let path = call.path(name);
        match call.status(&path, follow) {
            Err(error) => return simple(format!("cannot open `{name}' ({})", reason(&error)), ABSENT),
            Ok(status) if status.file_type == system::DIRECTORY => return simple("directory".into(), "inode/directory"),
            Ok(status) if status.file_type == system::DEVICE => return simple("character special".into(), "inode/chardevice"),
            Ok(status) if status.file_type == system::SYMLINK => {
                let broken = if call.status(&path, true).is_err() { "broken symbolic link to" } else { "symbolic link to" };
                return simple(format!("{broken} {}", call.target(&path)), "inode/symlink");
            }
            Ok(_) => {}
        }
    }
    match call.read(name) {
        Ok(bytes) => kind_of(&bytes[..bytes.len().min(LOOKED_AT)]),
        Err(error) => simple(format!("cannot open `{name}' ({})", reason(&error)), ABSENT),
    }
}
