//! `rename`, of which there are two: that of Perl (`rename 's/a/b/' files`) and that of util-linux (`rename a b files`). Which one is
//! meant is seen by the first operand.

mod expression;
mod pattern;
mod plain;
mod replacement;
mod transliteration;

use super::Call;
use super::options::{Parsed, Spec, Value, parse};
use super::reason;
use crate::files;
use crate::system;
use expression::Expression;
use std::path::Path;
use std::{fs, io};

const OPTIONS: &[Spec] = &[
    Spec('v', "verbose", Value::None),
    Spec('n', "no-act", Value::None),
    Spec('\0', "nono", Value::None),
    Spec('f', "force", Value::None),
    Spec('0', "null", Value::None),
    Spec('d', "filename", Value::None),
    Spec('\0', "nopath", Value::None),
    Spec('\0', "nofullpath", Value::None),
    Spec('\0', "path", Value::None),
    Spec('\0', "fullpath", Value::None),
    Spec('u', "unicode", Value::Optional),
    Spec('e', "", Value::Required),
    Spec('E', "", Value::Required),
    Spec('a', "all", Value::None),
    Spec('l', "last", Value::None),
    Spec('s', "symlink", Value::None),
    Spec('o', "no-overwrite", Value::None),
    Spec('i', "interactive", Value::None),
];
/// Which of them only one of the two has.
const OF_PERL: &[&str] = &["f", "0", "d", "nopath", "nofullpath", "path", "fullpath", "u", "e", "E", "nono"];
const OF_UTIL_LINUX: &[&str] = &["a", "l", "s", "o", "i"];

/// Perl's takes names from its input if it is given none.
pub fn reads_input(args: &[String]) -> bool {
    parse(args, OPTIONS).is_ok_and(|options| {
        let expressions = options.has("e") || options.has("E");
        match options.operands.as_slice() {
            [] => expressions,
            [only] => !expressions && expression::is_perl(only),
            _ => false,
        }
    })
}

pub fn run(call: &mut Call<'_>) -> i32 {
    let options = match parse(call.args, OPTIONS) {
        Ok(options) => options,
        Err(problem) => {
            call.complain(&problem);
            return 1;
        }
    };
    let given: Vec<&str> = options.given.iter().filter(|(name, _)| name == "e" || name == "E").filter_map(|(_, value)| value.as_deref()).collect();
    let perl = !given.is_empty() || options.operands.first().is_some_and(|first| expression::is_perl(first));
    let others = if perl { OF_UTIL_LINUX } else { OF_PERL };
    if let Some(other) = others.iter().find(|name| options.has(name)) {
        let (one, other_one) = if perl { ("Perl's", "util-linux's") } else { ("util-linux's", "Perl's") };
        call.complain(&format!("option '{other}' is one of {other_one} rename, and the expression one for {one}"));
        return 1;
    }
    if !perl {
        return plain::run(call, &options);
    }
    let (text, names) = match given.is_empty() {
        true => (options.operands[0].clone(), options.operands[1..].to_vec()),
        false => (given.join(";"), options.operands.clone()),
    };
    match Expression::of(&text) {
        Ok(expression) => by_perl(call, &options, &expression, names),
        Err(problem) => {
            call.complain(&problem);
            2
        }
    }
}

/// As File::Rename does it: what can't be done is told, and is no failure.
fn by_perl(call: &mut Call<'_>, options: &Parsed, expression: &Expression, mut names: Vec<String>) -> i32 {
    if names.is_empty() {
        let input = super::text::decode_owned(std::mem::take(&mut call.input));
        let end = if options.has("0") { '\0' } else { '\n' };
        names = input.split(end).filter(|name| !name.is_empty()).map(String::from).collect();
    }
    let only_last = options.last_of(&["d", "nopath", "nofullpath", "path", "fullpath"]).is_some_and(|last| !last.ends_with("path") || last.starts_with("no"));
    for name in names {
        let at = if only_last { name.trim_end_matches('/').rfind('/').map_or(0, |at| at + 1) } else { 0 };
        let changed = match expression.applied(&name[at..]) {
            Ok(changed) => format!("{}{changed}", &name[..at]),
            Err(problem) => {
                call.complain(&format!("{name}: {problem}"));
                return 2;
            }
        };
        if changed == name {
            continue;
        }
        let (from, to) = (call.path(&name), call.path(&changed));
        if !options.has("f") && call.status(&to, true).is_ok() {
            call.err.push_str(&format!("{name} not renamed: {changed} already exists\n"));
        } else if options.has("n") || options.has("nono") {
            call.out.push_str(&format!("rename({name}, {changed})\n"));
        } else {
            match moved(&from, &to) {
                Ok(()) if options.has("v") => call.out.push_str(&format!("{name} renamed as {changed}\n")),
                Ok(()) => {}
                Err(error) => call.err.push_str(&format!("Can't rename {name} {changed}: {}\n", reason(&error))),
            }
        }
    }
    0
}

fn moved(from: &Path, to: &Path) -> io::Result<()> {
    system::status(from, false)?;
    match fs::rename(from, to) {
        Err(error) if error.kind() == io::ErrorKind::CrossesDevices => files::carry(from, to),
        result => result,
    }
}
