//! What `diff` prints without context: its normal form, those for programs (`-e`, `-n`); and its colours.

use super::compare::Change;
use std::fmt::Write;

pub fn line(out: &mut String, mark: &str, line: &str) {
    out.push_str(mark);
    out.push_str(line);
    if !line.ends_with('\n') {
        out.push_str("\n\\ No newline at end of file\n");
    }
}

/// A range of lines as diff's normal form has it: from 1, both ends in it.
fn span((from, to): (usize, usize)) -> String {
    match to - from {
        0 => from.to_string(),
        1 => to.to_string(),
        _ => format!("{},{to}", from + 1),
    }
}

/// What a change does: it changes, deletes or adds.
fn letter(change: &Change) -> char {
    match (change.old.1 > change.old.0, change.new.1 > change.new.0) {
        (true, true) => 'c',
        (true, false) => 'd',
        (false, _) => 'a',
    }
}

pub fn normal(out: &mut String, old: &[&str], new: &[&str], changes: &[Change]) {
    for change in changes {
        let letter = letter(change);
        let _ = writeln!(out, "{}{letter}{}", span(change.old), span(change.new));
        for text in &old[change.old.0..change.old.1] {
            line(out, "< ", text);
        }
        if letter == 'c' {
            out.push_str("---\n");
        }
        for text in &new[change.new.0..change.new.1] {
            line(out, "> ", text);
        }
    }
}

/// A script for `ed`, which begins with the last change.
pub fn ed(out: &mut String, new: &[&str], changes: &[Change]) {
    for change in changes.iter().rev() {
        let letter = letter(change);
        let _ = writeln!(out, "{}{letter}", span(change.old));
        if letter != 'd' {
            // A line of a point alone would end what is put in.
            let mut is_open = true;
            for text in &new[change.new.0..change.new.1] {
                if !std::mem::replace(&mut is_open, true) {
                    out.push_str("a\n");
                }
                if text.trim_end_matches('\n') == "." {
                    out.push_str("..\n.\ns/.//\n");
                    is_open = false;
                } else {
                    out.push_str(text.trim_end_matches('\n'));
                    out.push('\n');
                }
            }
            if is_open {
                out.push_str(".\n");
            }
        }
    }
}

/// As RCS has it: where, and of how many lines.
pub fn rcs(out: &mut String, new: &[&str], changes: &[Change]) {
    for change in changes {
        let (removed, added) = (change.old.1 - change.old.0, change.new.1 - change.new.0);
        if removed > 0 {
            let _ = writeln!(out, "d{} {removed}", change.old.0 + 1);
        }
        if added > 0 {
            let _ = writeln!(out, "a{} {added}", change.old.1);
            new[change.new.0..change.new.1].iter().for_each(|text| out.push_str(text));
        }
    }
}

/// Lines as `--color=always` shows them, by what they begin with.
pub fn colored(text: &str, is_unified: bool) -> String {
    let mut out = String::with_capacity(text.len() * 2);
    for (at, whole) in text.split_inclusive('\n').enumerate() {
        let line = whole.trim_end_matches('\n');
        let color = match (line.chars().next(), is_unified) {
            _ if is_unified && at < 2 => "1",
            (Some('@'), true) => "36",
            (Some('-'), true) | (Some('<'), false) => "31",
            (Some('+'), true) | (Some('>'), false) => "32",
            (Some('0'..='9'), false) => "36",
            _ => {
                out.push_str(whole);
                continue;
            }
        };
        let _ = write!(out, "\x1b[{color}m{line}\x1b[0m");
        out.push_str(&whole[line.len()..]);
    }
    out
}
