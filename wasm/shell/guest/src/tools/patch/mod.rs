//! `patch`, as GNU's is where nobody answers its questions.

mod apply;
mod parse;

use super::options::{Parsed, Spec, Value, parse as parse_options};
use super::transfer::quoted;
use super::{Call, reason};
use crate::system;
use apply::Applying;
use parse::{FilePatch, Hunk, NOTHING, parse};
use std::fs;
use std::path::{Component, Path};

const OPTIONS: &[Spec] = &[
    Spec('b', "backup", Value::None),
    Spec('\0', "backup-if-mismatch", Value::None),
    Spec('\0', "no-backup-if-mismatch", Value::None),
    Spec('\0', "binary", Value::None),
    Spec('d', "directory", Value::Required),
    Spec('E', "remove-empty-files", Value::None),
    Spec('f', "force", Value::None),
    Spec('F', "fuzz", Value::Required),
    Spec('g', "get", Value::Required),
    Spec('i', "input", Value::Required),
    Spec('l', "ignore-whitespace", Value::None),
    Spec('n', "normal", Value::None),
    Spec('N', "forward", Value::None),
    Spec('o', "output", Value::Required),
    Spec('p', "strip", Value::Required),
    Spec('r', "reject-file", Value::Required),
    Spec('R', "reverse", Value::None),
    Spec('s', "quiet", Value::None),
    Spec('\0', "silent", Value::None),
    Spec('t', "batch", Value::None),
    Spec('u', "unified", Value::None),
    Spec('z', "suffix", Value::Required),
    Spec('\0', "dry-run", Value::None),
    Spec('\0', "verbose", Value::None),
];

const TROUBLE: i32 = 2;
const FUZZ: usize = 2;

pub fn run(call: &mut Call<'_>) -> i32 {
    match patched(call) {
        Ok(code) => code,
        Err(problem) => {
            call.complain(&format!("**** {problem}"));
            TROUBLE
        }
    }
}

pub fn reads_input(args: &[String]) -> bool {
    parse_options(args, OPTIONS).is_ok_and(|options| !options.has("i") && options.operands.len() < 2)
}

fn patched(call: &mut Call<'_>) -> Result<i32, String> {
    let options = parse_options(call.args, OPTIONS).map_err(|problem| format!("{problem}; try 'patch --help'"))?;
    let number = |name: &str| options.value(name).map(|text| text.parse::<usize>().map_err(|_| format!("{text} is not a number"))).transpose();
    let (strip, fuzz) = (number("p")?, number("F")?.unwrap_or(FUZZ));
    let [file, input, rest @ ..] = &[&options.operands[..], &[String::new(), String::new()]].concat()[..] else {
        return Err("no operands".into());
    };
    if rest.len() > 2 {
        return Err(format!("{}: extra operand", rest[0]));
    }
    let source = if input.is_empty() { options.value("i").unwrap_or("-").to_string() } else { input.clone() };
    // As if it were called in that directory.
    let below = options.value("d").filter(|_| source != "-");
    let place = below.map_or_else(|| source.clone(), |directory| call.path(directory).join(&source).to_string_lossy().into_owned());
    let mut text = call.read(&place).map_err(|error| format!("Can't open patch file {source} : {}", reason(&error)))?;
    if let Some(directory) = options.value("d") {
        let below = call.path(directory);
        let there = call.status(&below, true).map_err(|error| format!("Can't change to directory {directory} : {}", reason(&error)))?;
        if there.file_type != system::DIRECTORY {
            return Err(format!("Can't change to directory {directory} : Not a directory"));
        }
    }
    if text.is_empty() {
        return Ok(0);
    }
    if !options.has("binary") && text.split_inclusive(|byte| *byte == b'\n').any(|line| line.starts_with(b"+++ ") && line.ends_with(b"\r\n")) {
        call.out.push_str("(Stripping trailing CRs from patch; use --binary to disable.)\n");
        text = text.split_inclusive(|byte| *byte == b'\n').flat_map(|line| match line.strip_suffix(b"\r\n") {
            Some(line) => [line, b"\n"].concat(),
            None => line.to_vec(),
        }).collect();
    }
    let patches = parse(&text)?;
    if patches.is_empty() {
        return Err("Only garbage was found in the patch input.".into());
    }
    let mut work = Work { options: &options, strip, fuzz, output: Vec::new(), code: 0 };
    for patch in patches {
        work.file(call, patch, Some(file.as_str()).filter(|file| !file.is_empty()))?;
    }
    if options.value("o") == Some("-") {
        call.out.push_str(&String::from_utf8(work.output).map_err(|_| "what is no text can't be printed here: use -o FILE")?);
    }
    Ok(work.code)
}

struct Work<'a> {
    options: &'a Parsed,
    strip: Option<usize>,
    fuzz: usize,
    /// What `-o -` prints.
    output: Vec<u8>,
    code: i32,
}

impl Work<'_> {
    fn say(&self, call: &mut Call<'_>, text: &str) {
        if !self.options.has("s") && !self.options.has("silent") {
            // What is printed takes the place of what is told.
            let told = if self.options.value("o") == Some("-") { &mut call.err } else { &mut call.out };
            told.push_str(&format!("{text}\n"));
        }
    }

    /// The name below the present directory, without what is to be taken away.
    fn stripped(&self, name: &str) -> Option<String> {
        if name == NOTHING {
            return None;
        }
        let Some(strip) = self.strip else {
            return name.rsplit('/').next().map(str::to_string);
        };
        let mut left = name;
        for _ in 0..strip {
            left = left.split_once('/')?.1.trim_start_matches('/');
        }
        (!left.is_empty()).then(|| left.to_string())
    }

    fn path(&self, call: &Call<'_>, name: &str) -> std::path::PathBuf {
        call.path(self.options.value("d").unwrap_or(".")).join(name)
    }

    fn file(&mut self, call: &mut Call<'_>, mut patch: FilePatch, named: Option<&str>) -> Result<(), String> {
        // Where both are there it is the first one, whichever way it goes.
        let candidates: Vec<String> =
            [&patch.old, &patch.new].into_iter().flatten().filter_map(|name| self.stripped(name)).collect();
        if self.options.has("R") {
            std::mem::swap(&mut patch.old, &mut patch.new);
            patch.hunks = patch.hunks.iter().map(Hunk::reversed).collect();
        }
        let (old, new) = (patch.old.as_deref(), patch.new.as_deref());
        let creates = old == Some(NOTHING) || (patch.hunks.len() == 1 && patch.hunks[0].old_start == 0 && patch.hunks[0].old_count == 0);
        let removes = new == Some(NOTHING);
        let Some(name) = named.map(str::to_string).or_else(|| self.chosen(call, &candidates, &patch, creates)) else {
            return self.lost(call, &patch);
        };
        if named.is_none() && (name.starts_with('/') || Path::new(&name).components().any(|part| part == Component::ParentDir)) {
            self.say(call, &format!("Ignoring potentially dangerous file name {name}"));
            return self.lost(call, &patch);
        }
        let moved = (patch.rename || patch.copy).then(|| new.and_then(|name| self.stripped(name))).flatten();
        let target = moved.clone().unwrap_or_else(|| name.clone());
        let shown = |name: &str| if name.contains([' ', '\'', '"']) { quoted(name) } else { name.to_string() };
        let dry = self.options.has("dry-run");
        let verb = if dry { "checking" } else { "patching" };
        let beside = match (self.options.value("o"), &moved) {
            (Some(_), _) => format!(" (read from {})", shown(&name)),
            (None, Some(_)) => format!(" ({} from {})", if patch.copy { "copied" } else { "renamed" }, shown(&name)),
            _ => String::new(),
        };
        let path = self.path(call, &name);
        let there = system::status(&path, true);
        if patch.binary {
            self.say(call, &format!("File {}: git binary diffs are not supported.", shown(&target)));
            self.code = 1;
            return Ok(());
        }
        let bytes = match &there {
            Ok(status) if status.file_type == system::DIRECTORY => return Err(format!("File {name} is not a regular file")),
            Ok(_) => fs::read(&path).map_err(|error| format!("Can't open file {name} : {}", reason(&error)))?,
            Err(_) => Vec::new(),
        };
        let count = patch.hunks.len();
        let hunks = if count == 1 { "hunk" } else { "hunks" };
        if creates && there.is_ok() && !bytes.is_empty() {
            self.say(call, &format!("The next patch would create the file {},\nwhich already exists!  {}", shown(&name), self.asked()));
            self.say(call, &format!("{count} out of {count} {hunks} ignored"));
            self.code = 1;
            return Ok(());
        }
        self.say(call, &format!("{verb} file {}{beside}", shown(self.options.value("o").unwrap_or(&target))));
        let mut applying = Applying::new(&bytes, self.fuzz, self.options.has("l"));
        let mut failed: Vec<Hunk> = Vec::new();
        let mut inexact = false;
        for (number, hunk) in patch.hunks.iter().enumerate() {
            let place = applying.apply(hunk);
            if number == 0 && place.is_none() && !self.options.has("f") && Applying::new(&bytes, 0, false).apply(&hunk.reversed()).is_some() {
                self.say(call, &format!("Reversed (or previously applied) patch detected!  {}", self.asked()));
                let kept = self.reject(call, &target, &patch, &patch.hunks)?;
                self.say(call, &format!("{count} out of {count} {hunks} ignored{kept}"));
                self.code = 1;
                return Ok(());
            }
            let number = number + 1;
            let Some(place) = place else {
                let line = if hunk.old_count == 0 { hunk.old_start + 1 } else { hunk.old_start };
                self.say(call, &format!("Hunk #{number} FAILED at {line}."));
                failed.push(hunk.clone());
                continue;
            };
            if place.fuzz > 0 || place.offset != 0 {
                inexact = true;
                let fuzz = if place.fuzz > 0 { format!(" with fuzz {}", place.fuzz) } else { String::new() };
                let lines = if place.offset == 1 { "line" } else { "lines" };
                let offset = if place.offset == 0 { String::new() } else { format!(" (offset {} {lines})", place.offset) };
                self.say(call, &format!("Hunk #{number} succeeded at {}{fuzz}{offset}.", place.line));
            }
        }
        if !failed.is_empty() {
            let kept = self.reject(call, &target, &patch, &failed)?;
            self.say(call, &format!("{} out of {count} {hunks} FAILED{kept}", failed.len()));
            self.code = 1;
        }
        let result = applying.finished();
        if dry {
            return Ok(());
        }
        let backs_up = self.options.has("b") || (!self.options.has("no-backup-if-mismatch") && (inexact || !failed.is_empty()));
        if backs_up && self.options.value("o").is_none() && failed.len() < count.max(1) {
            let suffix = self.options.value("z").unwrap_or(".orig");
            self.write(call, &format!("{target}{suffix}"), &bytes)?;
        }
        if let Some(output) = self.options.value("o") {
            self.output.extend_from_slice(&result);
            let all = self.output.clone();
            return if output == "-" { Ok(()) } else { self.write(call, output, &all) };
        }
        if result.is_empty() && (removes || self.options.has("E")) && failed.is_empty() {
            if there.is_ok() {
                fs::remove_file(&path).map_err(|error| format!("Can't remove file {name} : {}", reason(&error)))?;
            }
            return Ok(());
        }
        if failed.len() < count || count == 0 {
            self.write(call, &target, &result)?;
            let into = self.path(call, &target);
            if let Some(mode) = patch.mode {
                let _ = system::chmod(&into, mode & 0o777);
            } else if let (Ok(status), true) = (&there, moved.is_some()) {
                let _ = system::chmod(&into, status.mode & 0o777);
            }
            if patch.rename && moved.is_some() && target != name {
                let _ = fs::remove_file(&path);
            }
        }
        Ok(())
    }

    /// What GNU's asks, with the answers that nobody gives.
    fn asked(&self) -> &'static str {
        if self.options.has("N") { "Skipping patch." } else { "Assume -R? [n] \nApply anyway? [n] \nSkipping patch." }
    }

    fn lost(&mut self, call: &mut Call<'_>, patch: &FilePatch) -> Result<(), String> {
        let count = patch.hunks.len();
        let mut text = format!("can't find file to patch at input line {}\n", patch.line);
        text.push_str(match self.strip {
            Some(_) => "Perhaps you used the wrong -p or --strip option?\n",
            None => "Perhaps you should have used the -p or --strip option?\n",
        });
        text.push_str("The text leading up to this was:\n--------------------------\n");
        text.extend(patch.header.iter().map(|line| format!("|{line}\n")));
        text.push_str("--------------------------\nFile to patch: \nSkip this patch? [y] \nSkipping patch.\n");
        text.push_str(&format!("{count} out of {count} {} ignored", if count == 1 { "hunk" } else { "hunks" }));
        self.say(call, &text);
        self.code = 1;
        Ok(())
    }

    /// The one of the names that is there; of two of them the shorter one.
    fn chosen(&self, call: &Call<'_>, names: &[String], patch: &FilePatch, creates: bool) -> Option<String> {
        let there = names.iter().filter(|name| system::status(&self.path(call, name), true).is_ok());
        let length = |name: &&String| (name.matches('/').count(), name.rsplit('/').next().map_or(0, str::len), name.len());
        let found = there.min_by_key(length).cloned();
        if patch.rename || patch.copy {
            return names.first().cloned();
        }
        found.or_else(|| if creates || (patch.git && patch.hunks.is_empty()) { names.last().cloned() } else { None })
    }

    /// Puts what did not fit beside the file. @returns what is to be said of it.
    fn reject(&self, call: &Call<'_>, name: &str, patch: &FilePatch, hunks: &[Hunk]) -> Result<String, String> {
        if self.options.has("dry-run") || hunks.is_empty() {
            return Ok(String::new());
        }
        let into = self.options.value("r").map_or_else(|| format!("{}.rej", self.options.value("o").unwrap_or(name)), str::to_string);
        if into == "-" {
            return Ok(String::new());
        }
        let headers: Vec<&String> = patch.header.iter().filter(|line| line.starts_with("--- ") || line.starts_with("+++ ")).collect();
        let mut text = match headers.as_slice() {
            [old, new] => format!("{old}\n{new}\n"),
            _ => format!("--- {name}\n+++ {name}\n"),
        }
        .into_bytes();
        for hunk in hunks {
            let range = |start: usize, count: usize| if count == 1 { start.to_string() } else { format!("{start},{count}") };
            let ranges = (range(hunk.old_start, hunk.old_count), range(hunk.new_start, hunk.new_count));
            text.extend(format!("@@ -{} +{} @@\n", ranges.0, ranges.1).into_bytes());
            for (sign, line) in &hunk.lines {
                text.push(*sign);
                text.extend_from_slice(line);
                if line.last() != Some(&b'\n') {
                    text.extend_from_slice(b"\n\\ No newline at end of file\n");
                }
            }
        }
        self.write(call, &into, &text)?;
        Ok(format!(" -- saving rejects to file {into}"))
    }

    fn write(&self, call: &Call<'_>, name: &str, bytes: &[u8]) -> Result<(), String> {
        let path = self.path(call, name);
        let written = path.parent().map_or(Ok(()), fs::create_dir_all).and_then(|()| fs::write(&path, bytes));
        written.map_err(|error| format!("Can't write file {name} : {}", reason(&error)))
    }
}
