//! Modes of files, written and read.

use crate::system::{self, Status};

/// `drwxr-xr-x`
pub fn symbolic(status: &Status) -> String {
    let kind = match status.file_type {
        system::DIRECTORY => 'd',
        system::SYMLINK => 'l',
        system::DEVICE => 'c',
        _ => '-',
    };
    let mode = if status.file_type == system::SYMLINK { 0o777 } else { status.mode };
    let mut text = String::from(kind);
    for (shift, special, set, unset) in [(6, 0o4000, 's', 'S'), (3, 0o2000, 's', 'S'), (0, 0o1000, 't', 'T')] {
        let bits = mode >> shift;
        text.push(if bits & 4 != 0 { 'r' } else { '-' });
        text.push(if bits & 2 != 0 { 'w' } else { '-' });
        text.push(match (bits & 1 != 0, mode & special != 0) {
            (true, true) => set,
            (false, true) => unset,
            (true, false) => 'x',
            (false, false) => '-',
        });
    }
    text
}

/// The mode that `text` makes of another one: octal, or clauses as chmod takes them. Clauses that name nobody set no bits that
/// `umask` takes.
pub fn changed(text: &str, mode: u32, directory: bool) -> Option<u32> {
    if !text.is_empty() && text.chars().all(|digit| digit.is_digit(8)) {
        return u32::from_str_radix(text, 8).ok().filter(|mode| *mode <= 0o7777);
    }
    let mut mode = mode;
    for clause in text.split(',') {
        let operator = clause.find(['+', '-', '='])?;
        let (who, mut rest) = clause.split_at(operator);
        let mut mask = 0;
        for letter in who.chars() {
            mask |= match letter {
                'u' => 0o4700,
                'g' => 0o2070,
                'o' => 0o1007,
                'a' => 0o7777,
                _ => return None,
            };
        }
        let mut cleared = mask;
        if mask == 0 {
            mask = 0o7777 & !bashkit::current_umask();
            cleared = 0o7777;
        }
        while let Some(operator) = rest.chars().next() {
            let end = rest[1..].find(['+', '-', '=']).map_or(rest.len(), |at| at + 1);
            let mut bits = 0;
            for letter in rest[1..end].chars() {
                bits |= match letter {
                    'r' => 0o444,
                    'w' => 0o222,
                    'x' => 0o111,
                    'X' if directory || mode & 0o111 != 0 => 0o111,
                    'X' => 0,
                    's' => 0o6000,
                    't' => 0o1000,
                    'u' => (mode >> 6 & 7) * 0o111,
                    'g' => (mode >> 3 & 7) * 0o111,
                    'o' => (mode & 7) * 0o111,
                    _ => return None,
                };
            }
            let bits = bits & mask;
            mode = match operator {
                '+' => mode | bits,
                '-' => mode & !bits,
                // Of a directory the special bits stay.
                _ => mode & !(if directory { cleared & 0o777 } else { cleared }) | bits,
            };
            rest = &rest[end..];
        }
    }
    Some(mode)
}
