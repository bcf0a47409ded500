//! `diff -y`: both files beside each other, in the columns that GNU's has.

use super::super::column::width_of_char;
use super::compare::Change;

const TAB: usize = 8;
/// Between both halves, at the least.
const GUTTER: usize = 3;

pub struct Columns {
    pub width: usize,
    pub expands_tabs: bool,
    pub left_column: bool,
    pub suppresses_common: bool,
}

impl Columns {
    /// How wide a half is, and where the second begins.
    fn halves(&self) -> (usize, usize) {
        let tab = if self.expands_tabs { 1 } else { TAB };
        let wanted = tab + GUTTER;
        let offset = (self.width >> 1) + (wanted >> 1) + (self.width & wanted & 1);
        let offset = offset - offset % tab;
        match offset.saturating_sub(GUTTER).min(self.width.saturating_sub(offset)) {
            0 => (0, self.width),
            half => (half, offset),
        }
    }

    pub fn print(&self, out: &mut String, old: &[&str], new: &[&str], changes: &[Change]) {
        let (mut i, mut j) = (0, 0);
        for change in changes {
            self.common(out, &old[i..change.old.0], &new[j..change.new.0]);
            let (removed, added) = (&old[change.old.0..change.old.1], &new[change.new.0..change.new.1]);
            let both = removed.len().min(added.len());
            for (one, other) in removed.iter().zip(added) {
                self.line(out, Some(one), '|', Some(other));
            }
            added[both..].iter().for_each(|text| self.line(out, None, '>', Some(text)));
            removed[both..].iter().for_each(|text| self.line(out, Some(text), '<', None));
            (i, j) = (change.old.1, change.new.1);
        }
        self.common(out, &old[i..], &new[j..]);
    }

    fn common(&self, out: &mut String, old: &[&str], new: &[&str]) {
        if self.suppresses_common {
            return;
        }
        for (at, text) in old.iter().enumerate() {
            match new.get(at).filter(|_| !self.left_column) {
                Some(other) => self.line(out, Some(text), ' ', Some(other)),
                None => self.line(out, Some(text), '(', None),
            }
        }
        if !self.left_column {
            new[old.len().min(new.len())..].iter().for_each(|text| self.line(out, None, ')', Some(text)));
        }
    }

    fn line(&self, out: &mut String, left: Option<&str>, mark: char, right: Option<&str>) {
        let (half, second) = self.halves();
        let ends = |text: Option<&str>| text.is_some_and(|text| text.ends_with('\n'));
        let mut column = left.map_or(0, |text| self.half(out, text, half));
        if mark != ' ' {
            column = self.advance(out, column, (half + second - 1) / 2) + 1;
            out.push(match mark {
                '|' if ends(left) && !ends(right) => '/',
                '|' if !ends(left) && ends(right) => '\\',
                mark => mark,
            });
        }
        if let Some(text) = right.filter(|text| *text != "\n") {
            self.advance(out, column, second);
            self.half(out, text, half);
        }
        if ends(left) || ends(right) {
            out.push('\n');
        }
    }

    fn advance(&self, out: &mut String, from: usize, to: usize) -> usize {
        let mut column = from;
        while !self.expands_tabs && column + TAB - column % TAB <= to {
            out.push('\t');
            column += TAB - column % TAB;
        }
        out.extend(std::iter::repeat_n(' ', to.saturating_sub(column)));
        column.max(to)
    }

    /// As much of a line as there is room for. @returns the column after it.
    fn half(&self, out: &mut String, text: &str, room: usize) -> usize {
        let (mut read, mut written) = (0, 0);
        for letter in text.chars().take_while(|letter| *letter != '\n') {
            if letter != '\t' {
                read += width_of_char(letter);
                if read <= room {
                    written = read;
                    out.push(letter);
                }
                continue;
            }
            let spaces = TAB - read % TAB;
            if read == written {
                let stop = written + spaces;
                if self.expands_tabs {
                    let stop = stop.min(room);
                    out.extend(std::iter::repeat_n(' ', stop.saturating_sub(written)));
                    written = written.max(stop);
                } else if stop < room {
                    out.push('\t');
                    written = stop;
                }
            }
            read += spaces;
        }
        written
    }
}
