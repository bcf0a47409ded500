//! Patterns of names, as shells have them: `*`, `?`, `[a-z]`, and `**` where a slash stops `*`.

pub struct Wildcard(Vec<Token>);

enum Token {
    Byte(u8),
    /// `?`, `*` stop at slashes; `**` does not.
    One,
    Many,
    All,
    /// Ranges, and whether it is what is not in them; without any: all there is.
    Class(Vec<(u8, u8)>, bool),
}

impl Wildcard {
    pub fn of(pattern: &[u8]) -> Self {
        Wildcard(tokens(pattern))
    }

    pub fn literal(text: &[u8]) -> Self {
        Wildcard(text.iter().copied().map(Token::Byte).collect())
    }

    /// One for which slashes are letters as others are.
    pub fn of_any(pattern: &[u8]) -> Self {
        let any = |token| match token {
            Token::Many => Token::All,
            Token::One => Token::Class(Vec::new(), true),
            token => token,
        };
        Wildcard(tokens(pattern).into_iter().map(any).collect())
    }

    /// All places of the pattern at once, so that no pattern takes longer than its length times that of the name.
    pub fn fits(&self, subject: &[u8]) -> bool {
        let end = self.0.len();
        let mut places = vec![false; end + 1];
        places[0] = true;
        for &byte in subject {
            self.pass_empty(&mut places);
            let mut next = vec![false; end + 1];
            for at in (0..end).filter(|at| places[*at]) {
                match &self.0[at] {
                    Token::All => next[at] = true,
                    Token::Many => next[at] |= byte != b'/',
                    Token::Byte(own) => next[at + 1] |= *own == byte,
                    Token::One => next[at + 1] |= byte != b'/',
                    Token::Class(ranges, negated) => {
                        let within = ranges.iter().any(|(low, high)| (*low..=*high).contains(&byte));
                        next[at + 1] |= within != *negated && (byte != b'/' || ranges.is_empty());
                    }
                }
            }
            places = next;
        }
        self.pass_empty(&mut places);
        places[end]
    }

    fn pass_empty(&self, places: &mut [bool]) {
        for (at, token) in self.0.iter().enumerate() {
            if places[at] && matches!(token, Token::Many | Token::All) {
                places[at + 1] = true;
            }
        }
    }
}

fn tokens(pattern: &[u8]) -> Vec<Token> {
    let mut found = Vec::new();
    let mut at = 0;
    while at < pattern.len() {
        let rest = &pattern[at..];
        let (token, length) = match rest {
            [b'*', ..] => match rest.iter().take_while(|byte| **byte == b'*').count() {
                1 => (Token::Many, 1),
                count => (Token::All, count),
            },
            [b'?', ..] => (Token::One, 1),
            [b'\\', escaped, ..] => (Token::Byte(*escaped), 2),
            [b'[', ..] => class(rest).unwrap_or((Token::Byte(b'['), 1)),
            _ => (Token::Byte(rest[0]), 1),
        };
        found.push(token);
        at += length;
    }
    found
}

/// `[a-z]`, `[!x]`, `[^x]`, `[[:digit:]]`. @returns nothing if it has no end.
fn class(text: &[u8]) -> Option<(Token, usize)> {
    let negated = matches!(text.get(1), Some(b'!' | b'^'));
    let first = 1 + usize::from(negated);
    let (mut at, mut ranges) = (first, Vec::new());
    while text.get(at) != Some(&b']') || at == first {
        let rest = text.get(at..)?;
        if let Some((named, length)) = named_class(rest) {
            ranges.extend_from_slice(named);
            at += length;
            continue;
        }
        let (low, length) = member(rest)?;
        at += length;
        let range_follows = text.get(at) == Some(&b'-') && text.get(at + 1).is_some_and(|byte| *byte != b']');
        if range_follows {
            let (high, length) = member(&text[at + 1..])?;
            ranges.push((low, high));
            at += 1 + length;
        } else {
            ranges.push((low, low));
        }
    }
    Some((Token::Class(ranges, negated), at + 1))
}

fn member(text: &[u8]) -> Option<(u8, usize)> {
    match text {
        [b'\\', escaped, ..] => Some((*escaped, 2)),
        [byte, ..] => Some((*byte, 1)),
        [] => None,
    }
}

fn named_class(text: &[u8]) -> Option<(&'static [(u8, u8)], usize)> {
    const NAMED: &[(&[u8], &[(u8, u8)])] = &[
        (b"[:alnum:]", &[(b'0', b'9'), (b'A', b'Z'), (b'a', b'z')]),
        (b"[:alpha:]", &[(b'A', b'Z'), (b'a', b'z')]),
        (b"[:blank:]", &[(b' ', b' '), (b'\t', b'\t')]),
        (b"[:digit:]", &[(b'0', b'9')]),
        (b"[:lower:]", &[(b'a', b'z')]),
        (b"[:punct:]", &[(b'!', b'/'), (b':', b'@'), (b'[', b'`'), (b'{', b'~')]),
        (b"[:space:]", &[(b' ', b' '), (b'\t', b'\r')]),
        (b"[:upper:]", &[(b'A', b'Z')]),
        (b"[:xdigit:]", &[(b'0', b'9'), (b'A', b'F'), (b'a', b'f')]),
    ];
    NAMED.iter().find(|(name, _)| text.starts_with(name)).map(|(name, ranges)| (*ranges, name.len()))
}
