//! `ln`.

use super::options::{Spec, Value, parse};
use super::{Call, reason};
use crate::system;
use std::fs;
use std::path::{Path, PathBuf};

const OPTIONS: &[Spec] = &[
    Spec('d', "directory", Value::None), // of a superuser, whom nothing here is
    Spec('F', "", Value::None),
    Spec('i', "interactive", Value::None),
    Spec('s', "symbolic", Value::None),
    Spec('f', "force", Value::None),
    Spec('n', "no-dereference", Value::None),
    Spec('v', "verbose", Value::None),
    Spec('r', "relative", Value::None),
    Spec('T', "no-target-directory", Value::None),
    Spec('t', "target-directory", Value::Required),
    Spec('L', "logical", Value::None),
    Spec('P', "physical", Value::None),
];

pub fn run(call: &mut Call<'_>) -> i32 {
    let options = match parse(call.args, OPTIONS) {
        Ok(options) => options,
        Err(problem) => {
            call.complain(&problem);
            return 1;
        }
    };
    let mut names = options.operands.clone();
    if names.is_empty() {
        call.complain("missing file operand\nTry 'ln --help' for more information.");
        return 1;
    }
    let is_directory = |path: &Path| {
        let follow = !options.has("n");
        system::status(path, follow).is_ok_and(|status| status.file_type == system::DIRECTORY)
    };
    let directory = match options.value("t") {
        Some(directory) => Some(directory.to_string()),
        None if names.len() == 1 => Some(".".to_string()),
        None if options.has("T") => None,
        None => {
            let last = names.last().cloned().unwrap_or_default();
            let fits = is_directory(&call.path(&last));
            if names.len() > 2 && !fits {
                call.complain(&format!("target '{last}' is not a directory"));
                return 1;
            }
            fits.then(|| {
                names.pop();
                last
            })
        }
    };
    let pairs: Vec<(String, String)> = match directory {
        Some(directory) => names
            .iter()
            .map(|name| {
                let base = Path::new(name).file_name().map(|name| name.to_string_lossy().into_owned());
                (name.clone(), format!("{}/{}", directory.trim_end_matches('/'), base.unwrap_or_default()))
            })
            .collect(),
        None => vec![(names[0].clone(), names[1].clone())],
    };
    let mut code = 0;
    for (target, name) in pairs {
        let place = call.path(&name);
        let shown = name.strip_prefix("./").unwrap_or(&name);
        let asks = options.last_of(&["f", "i"]) == Some("i");
        if asks && system::status(&place, false).is_ok() && !call.agrees(&format!("replace '{shown}'?")) {
            continue;
        }
        let result = if options.has("f") || asks { replace(&place) } else { Ok(()) }.and_then(|()| {
            if !options.has("s") {
                return system::link(&call.path(&target), &place);
            }
            let to = if options.has("r") { relative(&call.path(&target), &place) } else { PathBuf::from(&target) };
            system::symlink(&to, &place)
        });
        match result {
            Ok(()) if options.has("v") => {
                let arrow = if options.has("s") { "->" } else { "=>" };
                call.out.push_str(&format!("'{shown}' {arrow} '{target}'\n"));
            }
            Ok(()) => {}
            Err(error) => {
                let what = if options.has("s") {
                    format!("failed to create symbolic link '{shown}'")
                } else if system::status(&call.path(&target), false).is_err() {
                    format!("failed to access '{target}'")
                } else {
                    format!("failed to create hard link '{shown}'")
                };
                call.complain(&format!("{what}: {}", reason(&error)));
                code = 1;
            }
        }
    }
    code
}

fn replace(place: &Path) -> std::io::Result<()> {
    match system::status(place, false) {
        Ok(status) if status.file_type != system::DIRECTORY => fs::remove_file(place),
        _ => Ok(()),
    }
}

/// The way from the directory of a link to its target.
fn relative(target: &Path, link: &Path) -> PathBuf {
    let from: Vec<_> = link.parent().unwrap_or(Path::new("/")).components().collect();
    let to: Vec<_> = target.components().collect();
    let shared = from.iter().zip(&to).take_while(|(one, other)| one == other).count();
    let mut way: PathBuf = from[shared..].iter().map(|_| "..").collect();
    way.extend(&to[shared..]);
    if way.as_os_str().is_empty() { PathBuf::from(".") } else { way }
}
