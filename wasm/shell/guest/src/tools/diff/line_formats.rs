//! What `diff` prints in forms of the caller's own: `--old-line-format`, `--changed-group-format` and their kind (diffutils,
//! "Line Group Formats").

use super::super::options::Parsed;
use super::compare::Change;

/// Options that ask for such a form.
pub const LINE_FORMATS: [&str; 4] = ["line-format", "old-line-format", "new-line-format", "unchanged-line-format"];
pub const GROUP_FORMATS: [&str; 4] = ["old-group-format", "new-group-format", "changed-group-format", "unchanged-group-format"];

/// Of a width or a precision.
const DIGITS_MAX: usize = 4;

/// Lines of one kind that follow each other: from 0, ends excluded.
struct Group<'a> {
    old: (usize, usize),
    new: (usize, usize),
    format: &'a str,
}

struct Formats<'a> {
    old_line: &'a str,
    new_line: &'a str,
    unchanged_line: &'a str,
    out: String,
}

/// Whether any of the options asks for it.
pub fn asked(options: &Parsed) -> bool {
    LINE_FORMATS.iter().chain(&GROUP_FORMATS).any(|name| options.has(name))
}

/// @returns what is printed. @throws what is wrong with a format
pub fn formatted(options: &Parsed, old: &[&str], new: &[&str], changes: &[Change]) -> Result<String, String> {
    let line = |name: &str| options.value(name).or_else(|| options.value("line-format")).unwrap_or("%l\n");
    let given = options.value("changed-group-format");
    let old_group = options.value("old-group-format").or(given).unwrap_or("%<");
    let new_group = options.value("new-group-format").or(given).unwrap_or("%>");
    let both = format!("{old_group}{new_group}");
    let changed = given.unwrap_or(&both);
    let unchanged = options.value("unchanged-group-format").unwrap_or("%=");
    let mut formats = Formats {
        old_line: line("old-line-format"),
        new_line: line("new-line-format"),
        unchanged_line: line("unchanged-line-format"),
        out: String::new(),
    };
    let mut at = (0, 0);
    for change in changes {
        let format = match (change.old.0 < change.old.1, change.new.0 < change.new.1) {
            (true, true) => changed,
            (true, false) => old_group,
            _ => new_group,
        };
        formats.group(&Group { old: (at.0, change.old.0), new: (at.1, change.new.0), format: unchanged }, old, new)?;
        formats.group(&Group { old: change.old, new: change.new, format }, old, new)?;
        at = (change.old.1, change.new.1);
    }
    formats.group(&Group { old: (at.0, old.len()), new: (at.1, new.len()), format: unchanged }, old, new)?;
    Ok(formats.out)
}

impl Formats<'_> {
    fn group(&mut self, group: &Group<'_>, old: &[&str], new: &[&str]) -> Result<(), String> {
        if group.old.0 == group.old.1 && group.new.0 == group.new.1 {
            return Ok(());
        }
        let mut rest = group.format;
        while let Some((before, after)) = rest.split_once('%') {
            self.out.push_str(before);
            let (spec, letter, left) = conversion(after, group.format)?;
            rest = left;
            match letter {
                '<' => self.lines(self.old_line, old, group.old)?,
                '>' => self.lines(self.new_line, new, group.new)?,
                '=' => self.lines(self.unchanged_line, old, group.old)?,
                '%' => self.out.push('%'),
                'c' => rest = self.quoted(rest, group.format)?,
                _ => {
                    let range = if letter.is_ascii_lowercase() { group.old } else { group.new };
                    let number = match letter.to_ascii_lowercase() {
                        'e' => range.0,
                        'f' => range.0 + 1,
                        'l' => range.1,
                        'm' => range.1 + 1,
                        'n' => range.1 - range.0,
                        _ => return Err(format!("invalid conversion '%{letter}' in '{}'", group.format)),
                    };
                    self.number(spec, number);
                }
            }
        }
        self.out.push_str(rest);
        Ok(())
    }

    fn lines(&mut self, format: &str, lines: &[&str], (from, to): (usize, usize)) -> Result<(), String> {
        for (at, line) in lines[from..to].iter().enumerate() {
            let mut rest = format;
            while let Some((before, after)) = rest.split_once('%') {
                self.out.push_str(before);
                let (spec, letter, left) = conversion(after, format)?;
                rest = left;
                match letter {
                    'L' => self.out.push_str(line),
                    'l' => self.out.push_str(line.trim_end_matches('\n')),
                    'n' => self.number(spec, from + at + 1),
                    '%' => self.out.push('%'),
                    'c' => rest = self.quoted(rest, format)?,
                    _ => return Err(format!("invalid conversion '%{letter}' in '{format}'")),
                }
            }
            self.out.push_str(rest);
        }
        Ok(())
    }

    /// `'C'` after `%c`: that letter, or an octal number's. @returns what follows it
    fn quoted<'r>(&mut self, rest: &'r str, format: &str) -> Result<&'r str, String> {
        let invalid = || format!("invalid '%c' in '{format}'");
        let inner = rest.strip_prefix('\'').ok_or_else(invalid)?;
        let end = inner.char_indices().skip(1).find(|(_, letter)| *letter == '\'').ok_or_else(invalid)?.0;
        match inner[..end].strip_prefix('\\') {
            Some(octal) => self.out.push(u8::from_str_radix(octal, 8).map_err(|_| invalid())? as char),
            None => self.out.push_str(&inner[..end]),
        }
        Ok(&inner[end + 1..])
    }

    /// As printf(3) has it: `-8.3d`.
    fn number(&mut self, spec: &str, number: usize) {
        let left = spec.starts_with('-');
        let body = spec.trim_start_matches(['-', '\'']);
        let (sizes, kind) = body.split_at(body.find(|letter: char| !letter.is_ascii_digit() && letter != '.').unwrap_or(body.len()));
        let (width, precision) = sizes.split_once('.').unwrap_or((sizes, ""));
        let digits = match kind {
            "o" => format!("{number:o}"),
            "x" => format!("{number:x}"),
            "X" => format!("{number:X}"),
            _ => number.to_string(),
        };
        let zeros = if width.starts_with('0') && precision.is_empty() { width } else { precision };
        let digits = format!("{digits:0>width$}", width = zeros.parse().unwrap_or(0));
        let width = width.parse().unwrap_or(0);
        self.out.push_str(&if left { format!("{digits:<width$}") } else { format!("{digits:>width$}") });
    }
}

/// What follows a `%`: what a number is to look like, the letter, and the rest.
fn conversion<'f>(text: &'f str, format: &str) -> Result<(&'f str, char, &'f str), String> {
    let invalid = || format!("invalid conversion in '{format}'");
    let plain = |letter: char| letter == '-' || letter == '\'' || letter == '.' || letter.is_ascii_digit();
    let at = text.find(|letter| !plain(letter)).ok_or_else(invalid)?;
    // So wide a number would be all that there is room for.
    if text[..at].split(|letter: char| !letter.is_ascii_digit()).any(|digits| digits.len() > DIGITS_MAX) {
        return Err(invalid());
    }
    let mut letters = text[at..].char_indices();
    let (_, mut letter) = letters.next().ok_or_else(invalid)?;
    let mut end = at + letter.len_utf8();
    if letter == '(' {
        return Err(format!("conditions are not supported here: '{format}'"));
    }
    if "doxX".contains(letter) {
        letter = text[end..].chars().next().ok_or_else(invalid)?;
        let spec = &text[..end];
        end += letter.len_utf8();
        return Ok((spec, letter, &text[end..]));
    }
    Ok((&text[..at], letter, &text[end..]))
}
