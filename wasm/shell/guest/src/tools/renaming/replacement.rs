//! What `s///` puts in the place of what it found: text, groups, and the case of both.

use super::expression::first;
use fancy_regex::Captures;

enum Part {
    Text(String),
    Group(usize),
    Named(String),
    Case(Case),
}

#[derive(Clone, Copy, PartialEq)]
enum Case {
    /// `\U`, `\L`: until `\E`.
    Upper,
    Lower,
    End,
    /// `\u`, `\l`: of one letter.
    UpperOne,
    LowerOne,
}

pub struct Replacement(Vec<Part>);

impl Replacement {
    pub fn literal(text: &str) -> Self {
        Replacement(vec![Part::Text(text.to_string())])
    }

    pub fn of(text: &str) -> Result<Self, String> {
        let mut parts = Vec::new();
        let mut rest = text;
        while let Some(letter) = rest.chars().next() {
            rest = &rest[letter.len_utf8()..];
            parts.push(match letter {
                '\\' => escape(&mut rest)?,
                '$' => variable(&mut rest)?,
                '@' if rest.starts_with(|next: char| next.is_alphanumeric() || "_{$".contains(next)) => {
                    return Err(format!("'@{rest}' would be an array of Perl's: write \\@"));
                }
                letter => Part::Text(letter.to_string()),
            });
        }
        Ok(Replacement(parts))
    }

    pub fn expand(&self, found: &Captures<'_, str>, out: &mut String) {
        let (mut all, mut one) = (None, None);
        for part in &self.0 {
            let text = match part {
                Part::Text(text) => text.as_str(),
                Part::Group(number) => found.get(*number).map_or("", |group| group.as_str()),
                Part::Named(name) => found.name(name).map_or("", |group| group.as_str()),
                Part::Case(case) => {
                    match case {
                        Case::Upper | Case::Lower => all = Some(*case),
                        Case::End => all = None,
                        Case::UpperOne | Case::LowerOne => one = Some(*case),
                    }
                    continue;
                }
            };
            if text.is_empty() {
                continue;
            }
            let text = match all {
                Some(Case::Upper) => text.to_ascii_uppercase(),
                Some(_) => text.to_ascii_lowercase(),
                None => text.to_string(),
            };
            out.push_str(&match one.take() {
                Some(Case::UpperOne) => first(&text, char::to_ascii_uppercase),
                Some(_) => first(&text, char::to_ascii_lowercase),
                None => text,
            });
        }
    }
}

fn escape(rest: &mut &str) -> Result<Part, String> {
    let Some(letter) = rest.chars().next() else { return Ok(Part::Text("\\".into())) };
    *rest = &rest[letter.len_utf8()..];
    Ok(match letter {
        'U' => Part::Case(Case::Upper),
        'L' => Part::Case(Case::Lower),
        'E' => Part::Case(Case::End),
        'u' => Part::Case(Case::UpperOne),
        'l' => Part::Case(Case::LowerOne),
        'n' => Part::Text("\n".into()),
        't' => Part::Text("\t".into()),
        '1'..='9' => {
            let number = number(&format!("{letter}{rest}"));
            *rest = &rest[number.len() - 1..];
            Part::Group(number.parse().unwrap_or(usize::MAX))
        }
        letter if letter.is_ascii_alphanumeric() => return Err(format!("\\{letter} in a replacement is not here")),
        letter => Part::Text(letter.to_string()),
    })
}

fn variable(rest: &mut &str) -> Result<Part, String> {
    let plain = number(rest);
    if !plain.is_empty() {
        *rest = &rest[plain.len()..];
        return Ok(Part::Group(plain.parse().unwrap_or(usize::MAX)));
    }
    if let Some(after) = rest.strip_prefix('&') {
        *rest = after;
        return Ok(Part::Group(0));
    }
    for (begin, named) in [("+{", true), ("{", false)] {
        let Some((name, after)) = rest.strip_prefix(begin).and_then(|text| text.split_once('}')) else { continue };
        if named || number(name) == name {
            *rest = after;
            return Ok(if named { Part::Named(name.to_string()) } else { Part::Group(name.parse().unwrap_or(usize::MAX)) });
        }
    }
    match rest.is_empty() {
        true => Ok(Part::Text("$".into())),
        false => Err(format!("'${rest}' would be a variable of Perl's: only $1, ${{1}}, $& and $+{{name}} are here, or write \\$")),
    }
}

fn number(text: &str) -> String {
    text.chars().take_while(char::is_ascii_digit).collect()
}
