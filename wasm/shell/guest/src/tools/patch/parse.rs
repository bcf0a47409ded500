//! What a patch says: unified diffs, git's or not, and normal ones.

/// One line of a hunk: ` `, `-` or `+`, and its text with the newline that it has.
pub type Line = (u8, Vec<u8>);

#[derive(Clone, Debug, Default)]
pub struct Hunk {
    pub old_start: usize,
    pub old_count: usize,
    pub new_start: usize,
    pub new_count: usize,
    pub lines: Vec<Line>,
}

impl Hunk {
    /// The other way round.
    pub fn reversed(&self) -> Self {
        let turned = |sign: u8| match sign {
            b'-' => b'+',
            b'+' => b'-',
            same => same,
        };
        let mut lines: Vec<Line> = self.lines.iter().map(|(sign, text)| (turned(*sign), text.clone())).collect();
        // What goes away comes first, as everywhere.
        let mut at = 0;
        while at < lines.len() {
            let end = lines[at..].iter().position(|(sign, _)| *sign == b' ').map_or(lines.len(), |length| at + length);
            lines[at..end].sort_by_key(|(sign, _)| *sign == b'+');
            at = end + 1;
        }
        Hunk {
            old_start: self.new_start,
            old_count: self.new_count,
            new_start: self.old_start,
            new_count: self.old_count,
            lines,
        }
    }

    /// The lines that it has of the file as it was.
    pub fn old(&self) -> impl Iterator<Item = &Line> {
        self.lines.iter().filter(|(sign, _)| *sign != b'+')
    }

    /// How many lines there are before, and after, what changes.
    pub fn context(&self) -> (usize, usize) {
        let kept = |(sign, _): &&Line| *sign == b' ';
        (self.lines.iter().take_while(kept).count(), self.lines.iter().rev().take_while(kept).count())
    }
}

/// What is to become of one file.
#[derive(Clone, Debug, Default)]
pub struct FilePatch {
    pub old: Option<String>,
    pub new: Option<String>,
    pub hunks: Vec<Hunk>,
    /// By git: it names both files, and says what is done beside the hunks.
    pub git: bool,
    pub rename: bool,
    pub copy: bool,
    pub mode: Option<u32>,
    pub binary: bool,
    /// The number of the line, from 1 on, at which its hunks begin; the header before them.
    pub line: usize,
    pub header: Vec<String>,
}

pub const NOTHING: &str = "/dev/null";

/// @returns why it can't be gone on with.
pub fn parse(text: &[u8]) -> Result<Vec<FilePatch>, String> {
    let lines: Vec<&[u8]> = text.split_inclusive(|byte| *byte == b'\n').collect();
    let mut patches: Vec<FilePatch> = Vec::new();
    let mut next = FilePatch::default();
    let mut header_at = 0;
    let mut at = 0;
    while at < lines.len() {
        let line = String::from_utf8_lossy(lines[at]).trim_end_matches(['\n', '\r']).to_string();
        if let Some(names) = line.strip_prefix("diff --git ") {
            finish(&mut patches, &mut next, at);
            header_at = at;
            next.git = true;
            if let Some((old, new)) = names.split_once(" b/") {
                next.old = Some(old.to_string());
                next.new = Some(format!("b/{new}"));
            }
        } else if let Some(rest) = line.strip_prefix("rename from ") {
            (next.rename, next.old) = (true, Some(format!("a/{rest}")));
        } else if let Some(rest) = line.strip_prefix("copy from ") {
            (next.copy, next.old) = (true, Some(format!("a/{rest}")));
        } else if let Some(rest) = line.strip_prefix("rename to ").or_else(|| line.strip_prefix("copy to ")) {
            next.new = Some(format!("b/{rest}"));
        } else if let Some(mode) = line.strip_prefix("new file mode ").or_else(|| line.strip_prefix("new mode ")) {
            next.mode = u32::from_str_radix(mode, 8).ok();
            if line.starts_with("new file") {
                next.old = Some(NOTHING.into());
            }
        } else if line.starts_with("deleted file mode ") && next.git {
            next.new = Some(NOTHING.into());
        } else if line == "GIT binary patch" || (next.git && line.starts_with("Binary files ")) {
            next.binary = true;
        } else if line.starts_with("--- ") && lines.get(at + 1).is_some_and(|line| line.starts_with(b"+++ ")) {
            if !next.git || !next.hunks.is_empty() {
                finish(&mut patches, &mut next, at);
                header_at = at;
            }
            let second = String::from_utf8_lossy(lines[at + 1]).into_owned();
            next.old = Some(name_in(&line[4..]));
            next.new = Some(name_in(second[4..].trim_end_matches(['\n', '\r'])));
            at += 1;
        } else if line.starts_with("@@ -") && (next.old.is_some() || next.new.is_some() || patches.is_empty()) {
            if next.hunks.is_empty() {
                next.line = at + 1;
                next.header = lines[header_at..at].iter().map(|line| String::from_utf8_lossy(line).trim_end().to_string()).collect();
            }
            let (hunk, end) = unified(&lines, at)?;
            next.hunks.push(hunk);
            at = end;
            continue;
        } else if line.starts_with("*** ") && lines.get(at + 1).is_some_and(|line| line.starts_with(b"--- ")) {
            return Err("context diffs are not supported here: make a unified one, by diff -u".into());
        } else if !next.git && next.old.is_none() && let Some((hunk, end)) = normal(&lines, at) {
            next.line = if next.hunks.is_empty() { at + 1 } else { next.line };
            next.hunks.push(hunk);
            at = end;
            continue;
        } else if !next.hunks.is_empty() {
            // What follows hunks is of the next file, or nothing.
            header_at = at;
            finish(&mut patches, &mut next, at);
        }
        at += 1;
    }
    finish(&mut patches, &mut next, at);
    Ok(patches)
}

fn finish(patches: &mut Vec<FilePatch>, next: &mut FilePatch, _at: usize) {
    let done = std::mem::take(next);
    if !done.hunks.is_empty() || done.rename || done.copy || done.binary || (done.git && done.mode.is_some()) {
        patches.push(done);
    } else if done.git && (done.old.as_deref() == Some(NOTHING) || done.new.as_deref() == Some(NOTHING)) {
        patches.push(done);
    }
}

/// A name without the time that may follow it.
fn name_in(text: &str) -> String {
    let name = text.split('\t').next().unwrap_or_default().trim_end();
    if let Some(quoted) = name.strip_prefix('"').and_then(|name| name.strip_suffix('"')) {
        return quoted.replace("\\\"", "\"").replace("\\\\", "\\");
    }
    // Older diffs have a blank and the time.
    match name.find(" 19").or_else(|| name.find(" 20")) {
        Some(at) if name[at + 1..].len() > 10 && name[at + 1..].chars().all(|c| " -:.+".contains(c) || c.is_ascii_digit()) => name[..at].to_string(),
        _ => name.to_string(),
    }
}

/// `@@ -1,3 +1,4 @@` and the lines of its hunk. @returns the index of the line after it, too.
fn unified(lines: &[&[u8]], at: usize) -> Result<(Hunk, usize), String> {
    let header = String::from_utf8_lossy(lines[at]).trim_end().to_string();
    let malformed = |at: usize| {
        let text = lines.get(at).map_or(String::new(), |line| String::from_utf8_lossy(line).trim_end().to_string());
        format!("malformed patch at line {}: {text}", at + 1)
    };
    let ranges = header[4..].split_once(" @@").ok_or_else(|| malformed(at))?.0;
    let (old, new) = ranges.split_once(" +").ok_or_else(|| malformed(at))?;
    let range = |text: &str| -> Option<(usize, usize)> {
        let (start, count) = text.split_once(',').unwrap_or((text, "1"));
        Some((start.parse().ok()?, count.parse().ok()?))
    };
    let (old_start, old_count) = range(old).ok_or_else(|| malformed(at))?;
    let (new_start, new_count) = range(new).ok_or_else(|| malformed(at))?;
    let mut hunk = Hunk { old_start, old_count, new_start, new_count, lines: Vec::new() };
    let (mut old_left, mut new_left) = (old_count, new_count);
    let mut at = at + 1;
    while old_left > 0 || new_left > 0 {
        let line = *lines.get(at).ok_or_else(|| format!("unexpected end of file in patch at line {}", at + 1))?;
        // Mailers take blanks at the end of lines away.
        let (sign, text) = match line.first() {
            Some(sign @ (b' ' | b'-' | b'+')) => (*sign, &line[1..]),
            Some(b'\t') => (b' ', line),
            Some(b'\n' | b'\r') => (b' ', line),
            Some(b'\\') => {
                without_newline(&mut hunk);
                at += 1;
                continue;
            }
            _ => return Err(malformed(at)),
        };
        let (takes_old, takes_new) = (usize::from(sign != b'+'), usize::from(sign != b'-'));
        if old_left < takes_old || new_left < takes_new {
            return Err(malformed(at));
        }
        (old_left, new_left) = (old_left - takes_old, new_left - takes_new);
        hunk.lines.push((sign, text.to_vec()));
        at += 1;
    }
    if lines.get(at).is_some_and(|line| line.starts_with(b"\\")) {
        without_newline(&mut hunk);
        at += 1;
    }
    Ok((hunk, at))
}

fn without_newline(hunk: &mut Hunk) {
    if let Some((_, text)) = hunk.lines.last_mut()
        && text.last() == Some(&b'\n')
    {
        text.pop();
    }
}

/// `2,3c2`, `5a6,7`, `4d3` and what follows.
fn normal(lines: &[&[u8]], at: usize) -> Option<(Hunk, usize)> {
    let header = std::str::from_utf8(lines[at]).ok()?.trim_end();
    let place = header.find(['a', 'c', 'd']).filter(|_| header.starts_with(|letter: char| letter.is_ascii_digit()))?;
    let range = |text: &str| -> Option<(usize, usize)> {
        let (first, last) = text.split_once(',').unwrap_or((text, text));
        let (first, last): (usize, usize) = (first.parse().ok()?, last.parse().ok()?);
        Some((first, last.checked_sub(first)? + 1))
    };
    let (mut old, mut new) = (range(&header[..place])?, range(&header[place + 1..])?);
    match header.as_bytes()[place] {
        b'a' => old.1 = 0,
        b'd' => new.1 = 0,
        _ => {}
    }
    let mut hunk = Hunk { old_start: old.0, old_count: old.1, new_start: new.0, new_count: new.1, lines: Vec::new() };
    let mut at = at + 1;
    for (mark, sign, count) in [(b"< ", b'-', old.1), (b"> ", b'+', new.1)] {
        for _ in 0..count {
            hunk.lines.push((sign, lines.get(at)?.strip_prefix(mark)?.to_vec()));
            at += 1;
            if lines.get(at).is_some_and(|line| line.starts_with(b"\\ ")) {
                without_newline(&mut hunk);
                at += 1;
            }
        }
        if sign == b'-' && new.1 > 0 && old.1 > 0 {
            at += usize::from(lines.get(at)?.starts_with(b"---"));
        }
    }
    Some((hunk, at))
}
