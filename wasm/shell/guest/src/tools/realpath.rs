//! `realpath`.

use super::options::{Spec, Value, parse};
use super::{Call, reason};
use crate::system;
use std::io;
use std::path::{Component, Path, PathBuf};

const OPTIONS: &[Spec] = &[
    Spec('e', "canonicalize-existing", Value::None),
    Spec('m', "canonicalize-missing", Value::None),
    Spec('L', "logical", Value::None),
    Spec('P', "physical", Value::None),
    Spec('q', "quiet", Value::None),
    Spec('\0', "relative-to", Value::Required),
    Spec('\0', "relative-base", Value::Required),
    Spec('s', "strip", Value::None),
    Spec('\0', "no-symlinks", Value::None),
    Spec('z', "zero", Value::None),
];

/// Most symlinks on the way to one file.
const LINKS_MAX: usize = 40;

/// What has to be there.
#[derive(Clone, Copy, PartialEq)]
enum Needed {
    Nothing,
    AllButTheLast,
    All,
}

pub fn run(call: &mut Call<'_>) -> i32 {
    let options = match parse(call.args, OPTIONS) {
        Ok(options) => options,
        Err(problem) => {
            call.complain(&format!("{problem}\nTry 'realpath --help' for more information."));
            return 1;
        }
    };
    if options.operands.is_empty() {
        call.complain("missing operand\nTry 'realpath --help' for more information.");
        return 1;
    }
    let needed = match options.last_of(&["e", "m"]) {
        Some("e") => Needed::All,
        Some(_) => Needed::Nothing,
        None => Needed::AllButTheLast,
    };
    let follow = !options.has("s") && !options.has("no-symlinks");
    let mut bases = Vec::new();
    for name in ["relative-to", "relative-base"] {
        match options.value(name).map(|base| resolved(call, base, needed, follow)).transpose() {
            Ok(base) => bases.push(base),
            Err(error) => {
                call.complain(&format!("{}: {}", options.value(name).unwrap_or_default(), reason(&error)));
                return 1;
            }
        }
    }
    let (to, base) = (bases[0].clone(), bases[1].clone());
    let end = if options.has("z") { '\0' } else { '\n' };
    let mut code = 0;
    for name in &options.operands {
        match resolved(call, name, needed, follow) {
            Ok(path) => {
                let inside = base.as_ref().is_none_or(|base| {
                    path.starts_with(base) && to.as_ref().is_none_or(|to| to.starts_with(base))
                });
                let shown = match to.as_ref().or(base.as_ref()).filter(|_| inside) {
                    Some(from) => relative(from, &path),
                    None => path,
                };
                call.out.push_str(&format!("{}{end}", shown.display()));
            }
            Err(error) => {
                if !options.has("q") {
                    call.complain(&format!("{name}: {}", reason(&error)));
                }
                code = 1;
            }
        }
    }
    code
}

fn resolved(call: &Call<'_>, name: &str, needed: Needed, follow: bool) -> io::Result<PathBuf> {
    if name.is_empty() {
        return Err(io::Error::from(io::ErrorKind::NotFound));
    }
    if !follow {
        let path = call.path(name);
        return if needed == Needed::All { call.status(&path, true).map(|_| path) } else { Ok(path) };
    }
    let full = if name.starts_with('/') { PathBuf::from(name) } else { call.path(".").join(name) };
    let mut left: Vec<String> = parts(&full);
    let mut path = PathBuf::from("/");
    let mut links = 0;
    while let Some(part) = left.pop() {
        if part == ".." {
            path.pop();
            continue;
        }
        let next = path.join(&part);
        match call.status(&next, false) {
            Ok(status) if status.file_type == system::SYMLINK => {
                links += 1;
                if links > LINKS_MAX {
                    return Err(io::Error::other("Too many levels of symbolic links"));
                }
                let target = call.target(&next);
                if target.starts_with('/') {
                    path = PathBuf::from("/");
                }
                left.extend(parts(Path::new(&target)));
                continue;
            }
            Ok(status) if status.file_type != system::DIRECTORY && needed != Needed::Nothing && (!left.is_empty() || name.ends_with('/')) => {
                return Err(io::Error::from(io::ErrorKind::NotADirectory));
            }
            Err(error) if needed == Needed::All || (needed == Needed::AllButTheLast && !left.is_empty()) => return Err(error),
            _ => {}
        }
        path = next;
    }
    Ok(path)
}

/// The last one first.
fn parts(path: &Path) -> Vec<String> {
    let names = path.components().filter_map(|part| match part {
        Component::Normal(name) => Some(name.to_string_lossy().into_owned()),
        Component::ParentDir => Some("..".into()),
        _ => None,
    });
    let mut names: Vec<String> = names.collect();
    names.reverse();
    names
}

fn relative(from: &Path, to: &Path) -> PathBuf {
    let (from, to): (Vec<_>, Vec<_>) = (from.components().collect(), to.components().collect());
    let shared = from.iter().zip(&to).take_while(|(one, other)| one == other).count();
    let mut way: PathBuf = from[shared..].iter().map(|_| "..").collect();
    way.extend(&to[shared..]);
    if way.as_os_str().is_empty() { PathBuf::from(".") } else { way }
}
