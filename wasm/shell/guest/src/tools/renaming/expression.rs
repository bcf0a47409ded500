//! The statements of Perl that `rename` knows: `s///`, `tr///`, `y///`, and `$_ = lc` and its like.

use super::pattern::Pattern;
use super::replacement::Replacement;
use super::transliteration::Transliteration;

pub struct Expression(Vec<Statement>);

enum Statement {
    Substitute { pattern: Pattern, replacement: Replacement, all: bool },
    Transliterate(Transliteration),
    Case(fn(&str) -> String),
}

const KNOWN: &str = "of Perl, rename has s///, tr///, y/// and $_ = lc, uc, lcfirst or ucfirst here, one after the other with ';'";

/// Whether a text is meant to be Perl, as no one means a string by it.
pub fn is_perl(text: &str) -> bool {
    let text = text.trim_start();
    let begins = |words: &[&str]| words.iter().any(|word| text.starts_with(word));
    if begins(&["$", "our ", "my ", "use ", "BEGIN", "s/", "tr/", "y/", "s{", "s(", "s[", "s|", "s#", "lc;", "uc;"]) {
        return true;
    }
    Expression::of(text).is_ok_and(|expression| !expression.0.is_empty())
}

/// The rest of a text that is read.
struct Reader<'a>(&'a str);

impl Reader<'_> {
    /// What stands before the next `end` that no backslash is before, which is taken, too. Brackets may be within brackets.
    fn until(&mut self, begin: char, end: char) -> Option<String> {
        let (mut depth, mut escaped) = (0, false);
        for (at, letter) in self.0.char_indices() {
            if escaped {
                escaped = false;
            } else if letter == '\\' {
                escaped = true;
            } else if letter == end && depth == 0 {
                let text = self.0[..at].to_string();
                self.0 = &self.0[at + letter.len_utf8()..];
                return Some(text);
            } else if begin != end {
                depth += i32::from(letter == begin) - i32::from(letter == end);
            }
        }
        None
    }

    fn flags(&mut self) -> String {
        let length = self.0.find(|letter: char| !letter.is_ascii_lowercase()).unwrap_or(self.0.len());
        let (flags, rest) = self.0.split_at(length);
        self.0 = rest;
        flags.to_string()
    }

    /// The two parts of `s///` and its like, and the letter between them.
    fn parts(&mut self) -> Result<(String, String, char), String> {
        self.0 = self.0.trim_start();
        let begin = self.0.chars().next().ok_or("a delimiter is missing")?;
        if begin.is_alphanumeric() || begin.is_whitespace() || "_;=".contains(begin) {
            return Err(KNOWN.into());
        }
        let end = match begin {
            '(' => ')',
            '{' => '}',
            '[' => ']',
            '<' => '>',
            other => other,
        };
        self.0 = &self.0[begin.len_utf8()..];
        let first = self.until(begin, end).ok_or("Substitution pattern not terminated")?;
        if begin != end {
            self.0 = self.0.trim_start();
            self.0 = self.0.strip_prefix(begin).ok_or("Substitution replacement not terminated")?;
        }
        let second = self.until(begin, end).ok_or("Substitution replacement not terminated")?;
        if begin != end {
            return Ok((first, second, begin));
        }
        // A delimiter that had to be written with a backslash is the letter itself.
        let escaped = format!("\\{begin}");
        Ok((first.replace(&escaped, &literal(begin)), second.replace(&escaped, &begin.to_string()), begin))
    }
}

/// Where a delimiter means something in a pattern, it was that that the backslash took from it.
fn literal(letter: char) -> String {
    if "|.+*?^$".contains(letter) { format!("\\{letter}") } else { letter.to_string() }
}

impl Expression {
    /// @returns what it has in it that is not known.
    pub fn of(text: &str) -> Result<Self, String> {
        let mut statements = Vec::new();
        let mut rest = Reader(text);
        loop {
            rest.0 = rest.0.trim_start_matches(|letter: char| letter.is_whitespace() || letter == ';');
            if rest.0.is_empty() {
                return Ok(Expression(statements));
            }
            statements.push(statement(&mut rest)?);
            rest.0 = rest.0.trim_start();
            if !rest.0.is_empty() && !rest.0.starts_with(';') {
                return Err(format!("'{}': {KNOWN}", rest.0));
            }
        }
    }

    pub fn applied(&self, name: &str) -> Result<String, String> {
        let mut name = name.to_string();
        for statement in &self.0 {
            name = match statement {
                Statement::Substitute { pattern, replacement, all } => pattern.replaced(&name, *all, replacement)?,
                Statement::Transliterate(letters) => letters.applied(&name),
                Statement::Case(case) => case(&name),
            };
        }
        Ok(name)
    }
}

fn statement(rest: &mut Reader<'_>) -> Result<Statement, String> {
    if let Some(case) = case(rest) {
        return Ok(Statement::Case(case));
    }
    if let Some(bound) = rest.0.strip_prefix("$_").map(str::trim_start).and_then(|text| text.strip_prefix("=~")) {
        rest.0 = bound.trim_start();
    }
    if let Some(text) = rest.0.strip_prefix("tr").or_else(|| rest.0.strip_prefix('y')) {
        rest.0 = text;
        let (from, to, _) = rest.parts()?;
        let flags = rest.flags();
        return Transliteration::of(&from, &to, &flags).map(Statement::Transliterate);
    }
    rest.0 = rest.0.strip_prefix('s').ok_or(format!("'{}': {KNOWN}", rest.0))?;
    let (from, to, delimiter) = rest.parts()?;
    let flags = rest.flags();
    if let Some(odd) = flags.chars().find(|flag| !"gimsxnoa".contains(*flag)) {
        let why = if odd == 'e' { "no Perl runs here" } else { "that flag is not here" };
        return Err(format!("s///{odd}: {why}; {KNOWN}"));
    }
    let replacement = if delimiter == '\'' { Replacement::literal(&to) } else { Replacement::of(&to)? };
    Ok(Statement::Substitute { pattern: Pattern::of(&from, &flags)?, replacement, all: flags.contains('g') })
}

/// `$_ = lc`, `$_ = uc($_)`, `$_ = ucfirst lc`: of letters that are ASCII, as Perl takes names for bytes.
fn case(rest: &mut Reader<'_>) -> Option<fn(&str) -> String> {
    let end = rest.0.find(';').unwrap_or(rest.0.len());
    let words = rest.0[..end].strip_prefix("$_")?.trim_start().strip_prefix('=')?;
    let words: String = words.chars().filter(|letter| !letter.is_whitespace() && !"()".contains(*letter)).collect();
    let case: fn(&str) -> String = match words.trim_end_matches("$_") {
        "lc" => |name| name.to_ascii_lowercase(),
        "uc" => |name| name.to_ascii_uppercase(),
        "lcfirst" => |name| first(name, |letter| letter.to_ascii_lowercase()),
        "ucfirst" => |name| first(name, |letter| letter.to_ascii_uppercase()),
        "ucfirstlc" => |name| first(&name.to_ascii_lowercase(), |letter| letter.to_ascii_uppercase()),
        _ => return None,
    };
    rest.0 = &rest.0[end..];
    Some(case)
}

pub fn first(text: &str, case: fn(&char) -> char) -> String {
    let mut letters = text.chars();
    letters.next().map_or(String::new(), |letter| case(&letter).to_string()) + letters.as_str()
}
