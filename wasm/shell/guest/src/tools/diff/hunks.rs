//! What `diff` prints with the lines around it: `-u`, `-c`.

use super::super::{Call, basic_regex};
use super::super::options::Parsed;
use super::super::time::local;
use super::compare::Change;
use super::forms::line;
use regex::Regex;
use std::fmt::Write;

/// A file: its name, and its lines.
pub type Side<'a> = (&'a str, &'a [&'a str]);

/// What a hunk is within: the last line before it that looks like the beginning of a function (`-p`, `-F`).
pub struct Titles(Option<Regex>);

/// As GNU's: of a title so many letters are shown.
const TITLE_MAX: usize = 40;

impl Titles {
    /// @throws what is wrong with the pattern
    pub fn of(options: &Parsed) -> Result<Self, String> {
        let pattern = match options.last_of(&["p", "F"]) {
            None => return Ok(Titles(None)),
            Some("p") => Regex::new("^[A-Za-z$_]").map_err(|error| error.to_string())?,
            Some(_) => {
                let pattern = options.value("F").unwrap_or_default();
                basic_regex::compile(pattern).map_err(|problem| format!("{pattern}: {problem}"))?
            }
        };
        Ok(Titles(Some(pattern)))
    }

    /// With a space before it; empty if there is none.
    fn before(&self, lines: &[&str], at: usize) -> String {
        let Some(pattern) = &self.0 else { return String::new() };
        match lines[..at].iter().rev().find(|line| pattern.is_match(line.trim_end_matches('\n'))) {
            Some(line) => format!(" {}", line.trim_start().chars().take(TITLE_MAX).collect::<String>().trim_end()),
            None => String::new(),
        }
    }
}

/// Changes that are shown together, and the lines that they are shown in: from 0, ends excluded.
struct Hunk<'a> {
    changes: &'a [Change],
    old: (usize, usize),
    new: (usize, usize),
}

/// Those between which there is no more than twice the context.
fn hunks<'a>(changes: &'a [Change], length: usize, context: usize) -> impl Iterator<Item = Hunk<'a>> {
    let near = move |one: &Change, next: &Change| next.old.0 - one.old.1 <= context.saturating_mul(2);
    changes.chunk_by(near).map(move |changes| {
        let (first, last) = (changes[0], changes[changes.len() - 1]);
        let (before, after) = (context.min(first.old.0), context.min(length - last.old.1));
        Hunk {
            changes,
            old: (first.old.0 - before, last.old.1 + after),
            new: (first.new.0 - before, last.new.1 + after),
        }
    })
}

fn header(call: &mut Call<'_>, options: &Parsed, marks: [&str; 2], names: [&str; 2]) {
    let labels: Vec<&str> =
        options.given.iter().filter(|(name, _)| name == "label").filter_map(|(_, value)| value.as_deref()).collect();
    for (at, (mark, name)) in marks.iter().zip(names).enumerate() {
        let told = match labels.get(at) {
            Some(label) => (*label).to_string(),
            None => {
                let modified = call.status(&call.path(name), true).map_or(0, |status| status.modified);
                format!("{name}\t{}", local(modified, call.environment).format("%Y-%m-%d %H:%M:%S.%f %z"))
            }
        };
        let _ = writeln!(call.out, "{mark} {told}");
    }
}

fn lines(out: &mut String, mark: &str, texts: &[&str]) {
    texts.iter().for_each(|text| line(out, mark, text));
}

pub fn unified(call: &mut Call<'_>, (options, titles): (&Parsed, &Titles), old: Side<'_>, new: Side<'_>, changes: &[Change], context: usize) {
    header(call, options, ["---", "+++"], [old.0, new.0]);
    let range = |(from, to): (usize, usize)| match to - from {
        0 => format!("{from},0"),
        1 => to.to_string(),
        count => format!("{},{count}", from + 1),
    };
    for hunk in hunks(changes, old.1.len(), context) {
        let _ = writeln!(call.out, "@@ -{} +{} @@{}", range(hunk.old), range(hunk.new), titles.before(old.1, hunk.old.0));
        let mut at = hunk.old.0;
        for change in hunk.changes {
            lines(&mut call.out, " ", &old.1[at..change.old.0]);
            lines(&mut call.out, "-", &old.1[change.old.0..change.old.1]);
            lines(&mut call.out, "+", &new.1[change.new.0..change.new.1]);
            at = change.old.1;
        }
        lines(&mut call.out, " ", &old.1[at..hunk.old.1]);
    }
}

pub fn context(call: &mut Call<'_>, (options, titles): (&Parsed, &Titles), old: Side<'_>, new: Side<'_>, changes: &[Change], context: usize) {
    header(call, options, ["***", "---"], [old.0, new.0]);
    let range = |(from, to): (usize, usize)| if to - from <= 1 { to.to_string() } else { format!("{},{to}", from + 1) };
    for hunk in hunks(changes, old.1.len(), context) {
        let both = |change: &Change| (change.old, change.new);
        let turned = |change: &Change| (change.new, change.old);
        let _ = writeln!(call.out, "***************{}\n*** {} ****", titles.before(old.1, hunk.old.0), range(hunk.old));
        half(&mut call.out, "- ", old.1, hunk.old, hunk.changes.iter().map(both));
        let _ = writeln!(call.out, "--- {} ----", range(hunk.new));
        half(&mut call.out, "+ ", new.1, hunk.new, hunk.changes.iter().map(turned));
    }
}

/// One file's lines of a hunk; nothing if none of them has changed. @param changes Its own lines, and the other file's.
fn half(
    out: &mut String,
    alone: &str,
    texts: &[&str],
    (from, to): (usize, usize),
    changes: impl Iterator<Item = ((usize, usize), (usize, usize))> + Clone,
) {
    if changes.clone().all(|(own, _)| own.0 == own.1) {
        return;
    }
    let mut at = from;
    for (own, other) in changes {
        lines(out, "  ", &texts[at..own.0]);
        lines(out, if other.0 < other.1 { "! " } else { alone }, &texts[own.0..own.1]);
        at = own.1;
    }
    lines(out, "  ", &texts[at..to]);
}
