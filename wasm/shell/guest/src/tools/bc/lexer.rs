//! The words of a program.

/// Why there is no next word, or no statement.
#[derive(Debug, PartialEq)]
pub enum Stop {
    /// The text ends here, but more of it is to come.
    Incomplete,
    Problem(String),
    /// `quit`: it ends bc where it is read, not where it is run.
    Quit,
}

#[derive(Clone, Debug, PartialEq)]
pub enum Token {
    End,
    Newline,
    Number(String),
    Text(Vec<u8>),
    Name(String),
    Keyword(Keyword),
    /// `=`, or the operator before it.
    Assign(Option<u8>),
    Relation(Relation),
    Increment,
    Decrement,
    And,
    Or,
    /// Any other sign.
    Sign(u8),
}

#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Relation {
    Equal,
    NotEqual,
    Less,
    LessOrEqual,
    Greater,
    GreaterOrEqual,
}

#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Keyword {
    Auto,
    Break,
    Continue,
    Define,
    Else,
    For,
    Halt,
    Ibase,
    If,
    Last,
    Length,
    Limits,
    Obase,
    Print,
    Quit,
    Read,
    Return,
    Scale,
    Sqrt,
    While,
}

const KEYWORDS: &[(&str, Keyword)] = &[
    ("auto", Keyword::Auto),
    ("break", Keyword::Break),
    ("continue", Keyword::Continue),
    ("define", Keyword::Define),
    ("else", Keyword::Else),
    ("for", Keyword::For),
    ("halt", Keyword::Halt),
    ("ibase", Keyword::Ibase),
    ("if", Keyword::If),
    ("last", Keyword::Last),
    ("length", Keyword::Length),
    ("limits", Keyword::Limits),
    ("obase", Keyword::Obase),
    ("print", Keyword::Print),
    ("quit", Keyword::Quit),
    ("read", Keyword::Read),
    ("return", Keyword::Return),
    ("scale", Keyword::Scale),
    ("sqrt", Keyword::Sqrt),
    ("while", Keyword::While),
];

pub struct Lexer<'a> {
    text: &'a [u8],
    pub at: usize,
    pub line: usize,
    /// There is no more text than this.
    complete: bool,
    /// Of letters that mean nothing.
    pub complaints: Vec<(usize, String)>,
}

impl<'a> Lexer<'a> {
    pub fn new(text: &'a [u8], line: usize, complete: bool) -> Self {
        Lexer { text, at: 0, line, complete, complaints: Vec::new() }
    }

    /// NUL: the end of the text.
    fn peek(&self, ahead: usize) -> Result<u8, Stop> {
        match self.text.get(self.at + ahead) {
            Some(byte) => Ok(*byte),
            None if self.complete => Ok(0),
            None => Err(Stop::Incomplete),
        }
    }

    fn ended(&self) -> bool {
        self.at >= self.text.len()
    }

    /// A line that goes on in the next one.
    fn continued(&mut self) -> Result<bool, Stop> {
        let continued = self.peek(0)? == b'\\' && self.peek(1)? == b'\n';
        if continued {
            self.at += 2;
            self.line += 1;
        }
        Ok(continued)
    }

    pub fn next(&mut self) -> Result<Token, Stop> {
        loop {
            let byte = self.peek(0)?;
            if self.ended() {
                return Ok(Token::End);
            }
            if self.continued()? {
                continue;
            }
            match byte {
                b' ' | b'\t' => self.at += 1,
                b'#' => {
                    while self.peek(0)? != b'\n' && !self.ended() {
                        self.at += 1;
                    }
                }
                b'/' if self.peek(1)? == b'*' => self.comment()?,
                b'\n' => {
                    self.at += 1;
                    self.line += 1;
                    return Ok(Token::Newline);
                }
                b'"' => {
                    if let Some(text) = self.string()? {
                        return Ok(Token::Text(text));
                    }
                }
                b'0'..=b'9' | b'A'..=b'Z' => return self.number(),
                b'.' if matches!(self.peek(1)?, b'0'..=b'9' | b'A'..=b'Z') => return self.number(),
                b'.' => {
                    self.at += 1;
                    return Ok(Token::Keyword(Keyword::Last));
                }
                b'a'..=b'z' => return self.word(),
                _ => match self.operator(byte)? {
                    Some(token) => return Ok(token),
                    None => self.illegal(byte),
                },
            }
        }
    }

    fn illegal(&mut self, byte: u8) {
        let shown = match byte {
            0..b' ' => format!("^{}", char::from(byte + b'@')),
            b' '..=b'~' => char::from(byte).to_string(),
            _ => format!("\\{byte:03o}"),
        };
        self.complaints.push((self.line, format!("illegal character: {shown}")));
        self.at += 1;
    }

    fn comment(&mut self) -> Result<(), Stop> {
        self.at += 2;
        while !(self.peek(0)? == b'*' && self.peek(1)? == b'/') {
            if self.ended() {
                self.complaints.push((self.line, "unterminated comment".into()));
                return Ok(());
            }
            self.line += usize::from(self.peek(0)? == b'\n');
            self.at += 1;
        }
        self.at += 2;
        Ok(())
    }

    /// None: nothing ends it, so its quote is no letter of the language.
    fn string(&mut self) -> Result<Option<Vec<u8>>, Stop> {
        let rest = &self.text[self.at + 1..];
        let Some(length) = rest.iter().position(|byte| *byte == b'"') else {
            if !self.complete {
                return Err(Stop::Incomplete);
            }
            self.illegal(b'"');
            return Ok(None);
        };
        let text = rest[..length].to_vec();
        self.line += text.iter().filter(|byte| **byte == b'\n').count();
        self.at += length + 2;
        Ok(Some(text))
    }

    fn number(&mut self) -> Result<Token, Stop> {
        let mut text = String::new();
        let mut point = false;
        loop {
            match self.peek(0)? {
                digit @ (b'0'..=b'9' | b'A'..=b'Z') => text.push(digit.into()),
                b'.' if !point => {
                    point = true;
                    text.push('.');
                }
                b'\\' if self.continued()? => continue,
                _ => return Ok(Token::Number(text)),
            }
            self.at += 1;
        }
    }

    fn word(&mut self) -> Result<Token, Stop> {
        let start = self.at;
        while matches!(self.peek(0)?, b'a'..=b'z' | b'0'..=b'9' | b'_') {
            self.at += 1;
        }
        let name = String::from_utf8_lossy(&self.text[start..self.at]).into_owned();
        let keyword = KEYWORDS.iter().find(|(word, _)| *word == name);
        Ok(keyword.map_or(Token::Name(name), |(_, keyword)| Token::Keyword(*keyword)))
    }

    fn operator(&mut self, byte: u8) -> Result<Option<Token>, Stop> {
        let second = match byte {
            b'+' | b'-' | b'*' | b'/' | b'%' | b'^' | b'=' | b'!' | b'<' | b'>' | b'&' | b'|' => self.peek(1)?,
            _ => 0,
        };
        let (length, token) = match (byte, second) {
            (b'+', b'+') => (2, Token::Increment),
            (b'-', b'-') => (2, Token::Decrement),
            (b'&', b'&') => (2, Token::And),
            (b'|', b'|') => (2, Token::Or),
            (b'=', b'=') => (2, Token::Relation(Relation::Equal)),
            (b'!', b'=') => (2, Token::Relation(Relation::NotEqual)),
            (b'<', b'=') => (2, Token::Relation(Relation::LessOrEqual)),
            (b'>', b'=') => (2, Token::Relation(Relation::GreaterOrEqual)),
            (b'<', _) => (1, Token::Relation(Relation::Less)),
            (b'>', _) => (1, Token::Relation(Relation::Greater)),
            (b'=', _) => (1, Token::Assign(None)),
            (b'+' | b'-' | b'*' | b'/' | b'%' | b'^', b'=') => (2, Token::Assign(Some(byte))),
            (
                b'+' | b'-' | b'*' | b'/' | b'%' | b'^' | b'!' | b'&' | b'(' | b')' | b'[' | b']' | b'{' | b'}' | b',' | b';',
                _,
            ) => (1, Token::Sign(byte)),
            _ => return Ok(None),
        };
        self.at += length;
        Ok(Some(token))
    }
}
