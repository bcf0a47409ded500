//! `diff`'s command line.

use super::super::options::{Parsed, Spec, Value, parse};

const OPTIONS: &[Spec] = &[
    Spec('a', "text", Value::None),
    Spec('b', "ignore-space-change", Value::None),
    Spec('B', "ignore-blank-lines", Value::None),
    Spec('c', "context", Value::Optional),
    Spec('C', "", Value::Required),
    Spec('d', "minimal", Value::None),
    Spec('e', "ed", Value::None),
    Spec('E', "ignore-tab-expansion", Value::None),
    Spec('i', "ignore-case", Value::None),
    Spec('I', "ignore-matching-lines", Value::Required),
    Spec('F', "show-function-line", Value::Required),
    Spec('n', "rcs", Value::None),
    Spec('N', "new-file", Value::None),
    Spec('p', "show-c-function", Value::None),
    Spec('q', "brief", Value::None),
    Spec('r', "recursive", Value::None),
    Spec('s', "report-identical-files", Value::None),
    Spec('u', "unified", Value::Optional),
    Spec('U', "", Value::Required),
    Spec('t', "expand-tabs", Value::None),
    Spec('w', "ignore-all-space", Value::None),
    Spec('W', "width", Value::Required),
    Spec('x', "exclude", Value::Required),
    Spec('X', "exclude-from", Value::Required),
    Spec('y', "side-by-side", Value::None),
    Spec('Z', "ignore-trailing-space", Value::None),
    Spec('\0', "left-column", Value::None),
    Spec('\0', "suppress-common-lines", Value::None),
    Spec('\0', "label", Value::Required),
    Spec('\0', "normal", Value::None),
    Spec('\0', "strip-trailing-cr", Value::None),
    Spec('\0', "color", Value::Optional),
    Spec('\0', COUNT, Value::Required),
    Spec('\0', "speed-large-files", Value::None), // how it is done, not what comes of it
    Spec('H', "", Value::None),
    Spec('\0', "line-format", Value::Required),
    Spec('\0', "old-line-format", Value::Required),
    Spec('\0', "new-line-format", Value::Required),
    Spec('\0', "unchanged-line-format", Value::Required),
    Spec('\0', "old-group-format", Value::Required),
    Spec('\0', "new-group-format", Value::Required),
    Spec('\0', "changed-group-format", Value::Required),
    Spec('\0', "unchanged-group-format", Value::Required),
];

/// What a number among letters sets: `-u3`.
const COUNT: &str = "context-count";

/// @throws what is wrong with what was given
pub fn parsed(args: &[String]) -> Result<Parsed, String> {
    let options = parse(&with_counts(args), OPTIONS)?;
    checked(&options)?;
    Ok(options)
}

/// Lines of context, as the option that asks for them says, or a number among letters.
pub fn context(options: &Parsed, name: &str) -> usize {
    options.value(name).or(options.value(COUNT)).and_then(number).unwrap_or(3)
}

/// With an option for each number that stands among letters.
fn with_counts(args: &[String]) -> Vec<String> {
    let mut found = Vec::new();
    for arg in args {
        let letters: String = arg.chars().filter(|letter| !letter.is_ascii_digit()).collect();
        let plain = arg.starts_with('-') && !arg.starts_with("--") && letters.chars().all(|letter| "-abBcdeEinNpqrstuwyZH".contains(letter));
        let digits: String = arg.chars().filter(char::is_ascii_digit).collect();
        if !plain || digits.is_empty() {
            found.push(arg.clone());
            continue;
        }
        if letters.len() > 1 {
            found.push(letters);
        }
        found.push(format!("--{COUNT}={digits}"));
    }
    found
}

/// @returns what is wrong with what was given: two names are left.
fn checked(options: &Parsed) -> Result<(), String> {
    for (name, what) in [("u", "context length"), ("U", "context length"), ("c", "context length"), ("C", "context length"), ("W", "width")] {
        let fits = |value: &&str| number(value).is_some_and(|number| number > 0 || name != "W");
        if let Some(value) = options.value(name).filter(|value| !fits(value)) {
            return Err(format!("invalid {what} '{value}'"));
        }
    }
    if let Some(value) = options.value("color").filter(|value| !["always", "auto", "never"].contains(value)) {
        return Err(format!("invalid color '{value}'"));
    }
    match options.operands.as_slice() {
        [] => Err("missing operand".to_string()),
        [name] => Err(format!("missing operand after '{name}'")),
        [_, _] => Ok(()),
        [.., name] => Err(format!("extra operand '{name}'")),
    }
}

/// A number of lines or columns; one that is too large for any file is as large as can be.
pub fn number(text: &str) -> Option<usize> {
    let is_number = !text.is_empty() && text.bytes().all(|byte| byte.is_ascii_digit());
    is_number.then(|| text.parse().unwrap_or(usize::MAX))
}
