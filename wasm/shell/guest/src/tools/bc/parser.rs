//! Reads a program line by line, with GNU's extensions. It goes on after an error where GNU's does: at what can begin a statement.

use super::code::{Function, Op, Scope};
use super::lexer::{Keyword, Lexer, Stop, Token};
use super::statement::Loop;
use std::sync::Arc;

/// What `-w` and `-s` make of what POSIX does not have.
#[derive(Clone, Copy, PartialEq)]
pub enum Extensions {
    Allowed,
    Warned,
    Refused,
}

pub enum Item {
    End,
    Code(Arc<[Op]>),
    Define(usize, Function),
    /// It has an error.
    Nothing,
}

pub type Parsed<T> = Result<T, Stop>;

/// How deeply what it is in may be nested: each level takes some of the host's stack.
const MAX_DEPTH: usize = 200;
const NESTED: &str = "nested too deeply";

pub struct Parser<'a> {
    pub lexer: Lexer<'a>,
    source: &'a str,
    ahead: Option<Token>,
    pub scope: &'a mut Scope,
    extensions: Extensions,
    pub code: Vec<Op>,
    pub loops: Vec<Loop>,
    /// Within a function: whether it has no value.
    pub function: Option<bool>,
    /// What is read is not to be run.
    pub failed: bool,
    pub messages: String,
    /// Words to be read before the next syntax error is worth a message.
    quiet: u8,
    depth: usize,
}

pub fn syntax_error<T>() -> Parsed<T> {
    Err(Stop::Problem("syntax error".into()))
}

impl<'a> Parser<'a> {
    pub fn new(lexer: Lexer<'a>, source: &'a str, scope: &'a mut Scope, extensions: Extensions) -> Self {
        Parser {
            lexer,
            source,
            ahead: None,
            scope,
            extensions,
            code: Vec::new(),
            loops: Vec::new(),
            function: None,
            failed: false,
            messages: String::new(),
            quiet: 0,
            depth: 0,
        }
    }

    pub fn peek(&mut self) -> Parsed<&Token> {
        if self.ahead.is_none() {
            self.ahead = Some(self.lexer.next()?);
            for (line, problem) in std::mem::take(&mut self.lexer.complaints) {
                self.messages.push_str(&format!("{} {line}: {problem}\n", self.source));
                self.failed = true;
            }
        }
        Ok(self.ahead.as_ref().unwrap_or(&Token::End))
    }

    pub fn advance(&mut self) -> Parsed<Token> {
        self.peek()?;
        self.quiet = self.quiet.saturating_sub(1);
        Ok(self.ahead.take().unwrap_or(Token::End))
    }

    /// Goes past a sign if it is next.
    pub fn take(&mut self, sign: u8) -> Parsed<bool> {
        let found = *self.peek()? == Token::Sign(sign);
        if found {
            self.advance()?;
        }
        Ok(found)
    }

    pub fn expect(&mut self, sign: u8) -> Parsed<()> {
        if self.take(sign)? { Ok(()) } else { syntax_error() }
    }

    pub fn complain(&mut self, problem: &str) {
        self.messages.push_str(&format!("{} {}: {problem}\n", self.source, self.lexer.line));
        self.failed = true;
    }

    pub fn extension(&mut self, what: &str) {
        match self.extensions {
            Extensions::Allowed => {}
            Extensions::Warned => {
                self.messages.push_str(&format!("{} {}: (Warning) {what}\n", self.source, self.lexer.line));
            }
            Extensions::Refused => self.complain(&format!("Error: {what}")),
        }
    }

    pub fn deeper<T>(&mut self, work: impl FnOnce(&mut Self) -> Parsed<T>) -> Parsed<T> {
        if self.depth >= MAX_DEPTH {
            return Err(Stop::Problem(NESTED.into()));
        }
        self.depth += 1;
        let result = work(self);
        self.depth -= 1;
        result
    }

    /// Reads up to the end of a line, or of a definition.
    pub fn item(&mut self) -> Parsed<Item> {
        match self.peek()? {
            Token::End => return Ok(Item::End),
            Token::Keyword(Keyword::Define) => match self.definition() {
                Ok((number, function)) if !self.failed => return Ok(Item::Define(number, function)),
                Ok(_) => return Ok(Item::Nothing),
                Err(stop) => {
                    self.code.clear();
                    self.loops.clear();
                    self.function = None;
                    self.recover(stop, true)?;
                }
            },
            _ => {}
        }
        self.line()?;
        if self.failed {
            return Ok(Item::Nothing);
        }
        Ok(Item::Code(std::mem::take(&mut self.code).into()))
    }

    fn line(&mut self) -> Parsed<()> {
        let mut first = true;
        loop {
            match self.peek()? {
                Token::Newline => {
                    self.advance()?;
                    return Ok(());
                }
                Token::End => return Ok(()),
                Token::Sign(b';') => {
                    self.advance()?;
                    first = false;
                }
                _ => {
                    if let Err(stop) = self.statement() {
                        self.recover(stop, first)?;
                    } else if !matches!(self.peek()?, Token::Newline | Token::End | Token::Sign(b';')) {
                        self.recover(Stop::Problem("syntax error".into()), true)?;
                    }
                }
            }
        }
    }

    /// Goes to where reading can go on after an error.
    fn recover(&mut self, stop: Stop, at_newline: bool) -> Parsed<()> {
        let Stop::Problem(problem) = stop else {
            return Err(stop);
        };
        let ended = *self.peek()? == Token::End;
        self.failed = true;
        match self.quiet {
            // What is nested too deeply is so again where reading goes on within it.
            0 if !self.messages.ends_with(&format!("{NESTED}\n")) => self.complain(&problem),
            3 if !ended => self.ahead = None,
            _ => {}
        }
        self.quiet = 3;
        loop {
            match self.peek()? {
                Token::End => return Ok(()),
                Token::Newline if at_newline => return Ok(()),
                Token::Newline | Token::Assign(_) | Token::Relation(_) | Token::And | Token::Or => {}
                Token::Keyword(Keyword::Auto | Keyword::Define | Keyword::Else) => {}
                Token::Sign(b'(' | b'{' | b'-' | b'!') => return Ok(()),
                Token::Sign(_) => {}
                _ => return Ok(()),
            }
            self.ahead = None;
        }
    }

    /// The statements up to `}`.
    pub fn block(&mut self) -> Parsed<()> {
        loop {
            match self.peek()? {
                Token::Sign(b'}') => {
                    self.advance()?;
                    return Ok(());
                }
                Token::Newline | Token::Sign(b';') => {
                    self.advance()?;
                }
                Token::End => return syntax_error(),
                _ => {
                    let mut result = self.statement();
                    if result.is_ok()
                        && !matches!(self.peek()?, Token::Newline | Token::End | Token::Sign(b';' | b'}'))
                    {
                        result = syntax_error();
                    }
                    if let Err(stop) = result {
                        self.recover(stop, false)?;
                    }
                }
            }
        }
    }

    pub fn name(&mut self) -> Parsed<String> {
        if !matches!(self.peek()?, Token::Name(_)) {
            return syntax_error();
        }
        let Token::Name(name) = self.advance()? else {
            return syntax_error();
        };
        if name.len() > 1 && name != "void" {
            self.extension(&format!("multiple letter name - {name}"));
        }
        Ok(name)
    }
}
