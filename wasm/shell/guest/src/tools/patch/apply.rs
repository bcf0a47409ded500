//! Where hunks fit, and what they make of a file.

use super::parse::Hunk;

/// A file's lines, each with its newline, and what has become of them.
pub struct Applying<'a> {
    lines: Vec<&'a [u8]>,
    /// How many of them are done with, and what they are now.
    done: usize,
    result: Vec<u8>,
    /// How far the last hunk was from where it says.
    offset: i64,
    fuzz_max: usize,
    blanks_alike: bool,
    /// How many lines there are more than there were.
    grown: i64,
}

/// Where a hunk went: its line in the new file, how far from where it says, and how much of its context did not fit.
pub struct Place {
    pub line: i64,
    pub offset: i64,
    pub fuzz: usize,
}

impl<'a> Applying<'a> {
    pub fn new(bytes: &'a [u8], fuzz_max: usize, blanks_alike: bool) -> Self {
        Applying {
            lines: bytes.split_inclusive(|byte| *byte == b'\n').collect(),
            done: 0,
            result: Vec::with_capacity(bytes.len()),
            offset: 0,
            fuzz_max,
            blanks_alike,
            grown: 0,
        }
    }

    /// @returns None if it fits nowhere.
    pub fn apply(&mut self, hunk: &Hunk) -> Option<Place> {
        let (before, after) = hunk.context();
        let most = self.fuzz_max.min(before.max(after));
        let (fuzz, at) = (0..=most).find_map(|fuzz| Some((fuzz, self.locate(hunk, fuzz)?)))?;
        let context = before.max(after);
        let skipped = (fuzz + before).saturating_sub(context);
        let cut = (fuzz + after).saturating_sub(context);
        let guess = self.expected(hunk);
        self.offset += at as i64 - guess;
        let line = at as i64 + 1 + self.grown;
        self.copy_to(at + skipped);
        let within = &hunk.lines[skipped.min(hunk.lines.len())..hunk.lines.len().saturating_sub(cut).max(skipped)];
        for (sign, text) in within {
            match sign {
                b'+' => self.push(text),
                b'-' => self.done += 1,
                _ => {
                    // The file's own: blanks may differ.
                    let own = self.lines[self.done];
                    self.push(own);
                    self.done += 1;
                }
            }
        }
        self.grown += hunk.new_count as i64 - hunk.old_count as i64;
        Some(Place { line, offset: self.offset, fuzz })
    }

    fn push(&mut self, text: &[u8]) {
        if !self.result.is_empty() && self.result.last() != Some(&b'\n') {
            self.result.push(b'\n');
        }
        self.result.extend_from_slice(text);
    }

    fn copy_to(&mut self, line: usize) {
        while self.done < line {
            let own = self.lines[self.done];
            self.push(own);
            self.done += 1;
        }
    }

    /// The index of the line that it begins at, if nothing but the hunks before it has changed the file.
    fn expected(&self, hunk: &Hunk) -> i64 {
        let first = if hunk.old_count == 0 { hunk.old_start as i64 } else { hunk.old_start as i64 - 1 };
        first + self.offset
    }

    fn locate(&self, hunk: &Hunk, fuzz: usize) -> Option<usize> {
        let guess = self.expected(hunk);
        let (before, after) = hunk.context();
        let context = before.max(after);
        let count = hunk.old().count();
        let last = self.lines.len() as i64 - count as i64;
        let skipped = fuzz as i64 + before as i64 - context as i64;
        let cut = fuzz as i64 + after as i64 - context as i64;
        let fits = |at: i64, skipped: i64, cut: i64| self.fits(hunk, at, skipped.max(0) as usize, cut.max(0) as usize);
        if count == 0 {
            let at = guess.clamp(self.done as i64, self.lines.len() as i64);
            return Some(at as usize);
        }
        // Less context before than after: it is the beginning of the file.
        if skipped < 0 && hunk.old_start <= 1 {
            return fits(0, 0, cut).then_some(0);
        }
        // Less after: its end.
        if cut < 0 {
            return (last >= 0 && fits(last, skipped, 0)).then_some(last as usize);
        }
        let furthest = (self.lines.len() as i64 - guess).abs().max((guess - self.done as i64).abs());
        (0..=furthest)
            .flat_map(|distance| [guess + distance, guess - distance])
            .find(|at| fits(*at, skipped, cut))
            .map(|at| at as usize)
    }

    fn fits(&self, hunk: &Hunk, at: i64, skipped: usize, cut: usize) -> bool {
        let Ok(at) = usize::try_from(at) else { return false };
        let old: Vec<&[u8]> = hunk.old().map(|(_, text)| text.as_slice()).collect();
        if at + skipped < self.done || old.len() < skipped + cut {
            return false;
        }
        let wanted = &old[skipped..old.len() - cut];
        let Some(own) = self.lines.get(at + skipped..at + skipped + wanted.len()) else { return false };
        own.iter().zip(wanted).all(|(own, wanted)| own == wanted || (self.blanks_alike && squeezed(own) == squeezed(wanted)))
    }

    pub fn finished(mut self) -> Vec<u8> {
        self.copy_to(self.lines.len());
        self.result
    }
}

fn squeezed(line: &[u8]) -> Vec<Vec<u8>> {
    line.split(u8::is_ascii_whitespace).filter(|word| !word.is_empty()).map(<[u8]>::to_vec).collect()
}
