//! bc's grammar with GNU's extensions. It goes on after an error where GNU's does: at what can begin a statement.

use super::code::{Function, Literal, Op, Parameter, Scope};
use super::lexer::{Keyword, Lexer, Stop, Token};
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

/// Jumps out of a loop, whose targets come later.
#[derive(Default)]
struct Loop {
    breaks: Vec<usize>,
    continues: Vec<usize>,
}

pub struct Parser<'a> {
    pub lexer: Lexer<'a>,
    source: &'a str,
    ahead: Option<Token>,
    pub scope: &'a mut Scope,
    extensions: Extensions,
    pub code: Vec<Op>,
    loops: Vec<Loop>,
    /// Within a function: whether it has no value.
    function: Option<bool>,
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
    fn block(&mut self) -> Parsed<()> {
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

    fn statement(&mut self) -> Parsed<()> {
        self.deeper(Self::statement_within)
    }

    fn statement_within(&mut self) -> Parsed<()> {
        let keyword = match self.peek()? {
            Token::Text(_) => {
                if let Token::Text(text) = self.advance()? {
                    self.code.push(Op::Text(text));
                }
                return Ok(());
            }
            Token::Sign(b'{') => {
                self.advance()?;
                return self.block();
            }
            Token::Keyword(keyword) => *keyword,
            _ => return self.expression_statement(),
        };
        match keyword {
            Keyword::Quit => return Err(Stop::Quit),
            Keyword::If => self.conditional(),
            Keyword::While => self.while_loop(),
            Keyword::For => self.for_loop(),
            Keyword::Print => self.print(),
            Keyword::Return => self.returning(),
            Keyword::Break => {
                self.advance()?;
                let at = self.jump(Op::Jump);
                match self.loops.last_mut() {
                    Some(inner) => inner.breaks.push(at),
                    None => self.complain("Break outside a for/while"),
                }
                Ok(())
            }
            Keyword::Continue => {
                self.advance()?;
                self.extension("Continue statement");
                let at = self.jump(Op::Jump);
                match self.loops.last_mut() {
                    Some(inner) => inner.continues.push(at),
                    None => self.complain("Continue outside a for"),
                }
                Ok(())
            }
            Keyword::Halt => {
                self.advance()?;
                self.extension("Halt statement");
                self.code.push(Op::Halt);
                Ok(())
            }
            Keyword::Limits => {
                self.advance()?;
                self.extension("Limits statement");
                self.code.push(Op::Limits);
                Ok(())
            }
            _ => self.expression_statement(),
        }
    }

    fn expression_statement(&mut self) -> Parsed<()> {
        let kind = self.expression()?;
        if kind.compares {
            self.extension("comparison in expression");
        }
        self.code.push(if kind.assigns || kind.void { Op::Pop } else { Op::Show });
        Ok(())
    }

    /// A jump whose target is set by `land`. @returns where it is.
    fn jump(&mut self, op: fn(usize) -> Op) -> usize {
        self.code.push(op(usize::MAX));
        self.code.len() - 1
    }

    fn land(&mut self, jump: usize) {
        let here = self.code.len();
        self.aim(jump, here);
    }

    fn aim(&mut self, jump: usize, at: usize) {
        if let Op::Jump(target) | Op::JumpIfZero(target) = &mut self.code[jump] {
            *target = at;
        }
    }

    /// A line may end before what a condition governs, and before a function's `{`.
    fn newline(&mut self) -> Parsed<()> {
        if *self.peek()? == Token::Newline {
            self.advance()?;
            self.extension("newline not allowed");
        }
        Ok(())
    }

    fn condition(&mut self) -> Parsed<()> {
        self.expect(b'(')?;
        if self.expression()?.void {
            self.complain("void expression");
        }
        self.expect(b')')
    }

    fn conditional(&mut self) -> Parsed<()> {
        self.advance()?;
        self.condition()?;
        let over = self.jump(Op::JumpIfZero);
        self.newline()?;
        self.statement()?;
        if *self.peek()? != Token::Keyword(Keyword::Else) {
            self.land(over);
            return Ok(());
        }
        self.extension("else clause in if statement");
        self.advance()?;
        let end = self.jump(Op::Jump);
        self.land(over);
        self.newline()?;
        self.statement()?;
        self.land(end);
        Ok(())
    }

    fn while_loop(&mut self) -> Parsed<()> {
        self.advance()?;
        let start = self.code.len();
        self.condition()?;
        let end = self.jump(Op::JumpIfZero);
        self.newline()?;
        self.loop_body(start)?;
        self.land(end);
        Ok(())
    }

    /// Reads a loop's body. @param again Where `continue` goes, and the body's end.
    fn loop_body(&mut self, again: usize) -> Parsed<()> {
        self.loops.push(Loop::default());
        let result = self.statement();
        self.code.push(Op::Jump(again));
        let inner = self.loops.pop().unwrap_or_default();
        inner.continues.into_iter().for_each(|jump| self.aim(jump, again));
        inner.breaks.into_iter().for_each(|jump| self.land(jump));
        result
    }

    fn for_loop(&mut self) -> Parsed<()> {
        self.advance()?;
        self.expect(b'(')?;
        if self.for_expression(b';', "first")? {
            self.code.push(Op::Pop);
        }
        self.expect(b';')?;
        let start = self.code.len();
        let end = self.for_expression(b';', "second")?.then(|| self.jump(Op::JumpIfZero));
        let body = self.jump(Op::Jump);
        self.expect(b';')?;
        let again = self.code.len();
        if self.for_expression(b')', "third")? {
            self.code.push(Op::Pop);
        }
        self.code.push(Op::Jump(start));
        self.expect(b')')?;
        self.newline()?;
        self.land(body);
        self.loop_body(again)?;
        if let Some(end) = end {
            self.land(end);
        }
        Ok(())
    }

    /// @returns whether there is one.
    fn for_expression(&mut self, end: u8, which: &str) -> Parsed<bool> {
        if *self.peek()? == Token::Sign(end) {
            self.extension("Missing expression in for statement");
            return Ok(false);
        }
        if self.expression()?.void {
            self.complain(&format!("{which} expression is void"));
        }
        Ok(true)
    }

    fn print(&mut self) -> Parsed<()> {
        self.advance()?;
        self.extension("print statement");
        loop {
            if let Token::Text(_) = self.peek()? {
                if let Token::Text(text) = self.advance()? {
                    self.code.push(Op::Text(unescaped(&text)));
                }
            } else {
                if self.expression()?.void {
                    self.complain("void expression in print");
                }
                self.code.push(Op::Print);
            }
            if !self.take(b',')? {
                return Ok(());
            }
        }
    }

    fn returning(&mut self) -> Parsed<()> {
        self.advance()?;
        let void = self.function;
        if matches!(self.peek()?, Token::Newline | Token::End | Token::Sign(b';' | b'}') | Token::Keyword(Keyword::Else)) {
            if void.is_none() {
                self.complain("Return outside of a function.");
            }
            self.code.push(Literal::op("0"));
        } else {
            let kind = self.expression()?;
            if kind.void {
                self.complain("return requires non-void expression");
            }
            match void {
                None => self.complain("Return outside of a function."),
                Some(true) => self.complain("Return expression in a void function."),
                Some(false) if !kind.in_parentheses => self.extension("return expression requires parenthesis"),
                Some(false) => {}
            }
        }
        self.code.push(Op::Return);
        Ok(())
    }

    fn definition(&mut self) -> Parsed<(usize, Function)> {
        self.advance()?;
        let mut name = self.name()?;
        let void = name == "void" && matches!(self.peek()?, Token::Name(_));
        if void {
            self.extension("void functions");
            name = self.name()?;
        }
        let number = self.scope.functions.number(&name);
        self.expect(b'(')?;
        let mut parameters = Vec::new();
        if !self.take(b')')? {
            parameters = self.parameters(true)?;
            self.expect(b')')?;
        }
        if has_twin(&parameters) {
            self.complain("duplicate parameter names");
        }
        self.newline()?;
        self.expect(b'{')?;
        if *self.peek()? != Token::Newline {
            self.extension("End of line required");
        }
        while *self.peek()? == Token::Newline {
            self.advance()?;
        }
        let mut autos = Vec::new();
        if *self.peek()? == Token::Keyword(Keyword::Auto) {
            self.advance()?;
            autos = self.parameters(false)?;
            if !matches!(self.advance()?, Token::Newline | Token::Sign(b';')) {
                return syntax_error();
            }
        }
        if has_twin(&autos) {
            self.complain("duplicate auto variable names");
        } else if autos.iter().any(|auto| parameters.iter().any(|parameter| is_same(auto, parameter))) {
            self.complain("variable in both parameter and auto lists");
        }
        // It may call itself.
        let known = if void { self.scope.void.insert(number) } else { self.scope.void.remove(&number) };
        self.function = Some(void);
        let result = self.block();
        self.function = None;
        if known && (self.failed || result.is_err()) {
            if void { self.scope.void.remove(&number) } else { self.scope.void.insert(number) };
        }
        result?;
        self.code.extend([Literal::op("0"), Op::Return]);
        let code = std::mem::take(&mut self.code).into();
        Ok((number, Function { parameters, autos, code }))
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

    fn parameters(&mut self, shared: bool) -> Parsed<Vec<Parameter>> {
        let mut parameters = Vec::new();
        loop {
            let shared = shared && (self.take(b'*')? || self.take(b'&')?);
            let name = self.name()?;
            parameters.push(if self.take(b'[')? {
                self.expect(b']')?;
                let number = self.scope.arrays.number(&name);
                if shared { Parameter::Shared(number) } else { Parameter::Array(number) }
            } else if shared {
                return syntax_error();
            } else {
                Parameter::Variable(self.scope.variables.number(&name))
            });
            if !self.take(b',')? {
                return Ok(parameters);
            }
        }
    }
}

fn is_same(one: &Parameter, other: &Parameter) -> bool {
    match (one, other) {
        (Parameter::Variable(one), Parameter::Variable(other)) => one == other,
        (Parameter::Variable(_), _) | (_, Parameter::Variable(_)) => false,
        (Parameter::Array(one) | Parameter::Shared(one), Parameter::Array(other) | Parameter::Shared(other)) => one == other,
    }
}

fn has_twin(parameters: &[Parameter]) -> bool {
    parameters.iter().enumerate().any(|(at, one)| parameters[..at].iter().any(|other| is_same(one, other)))
}

/// A text with what backslashes stand for in `print`.
fn unescaped(text: &[u8]) -> Vec<u8> {
    let mut result = Vec::with_capacity(text.len());
    let mut bytes = text.iter();
    while let Some(byte) = bytes.next() {
        if *byte != b'\\' {
            result.push(*byte);
            continue;
        }
        result.extend(match bytes.next() {
            Some(b'a') => Some(7),
            Some(b'b') => Some(8),
            Some(b'f') => Some(12),
            Some(b'n') => Some(b'\n'),
            Some(b'q') => Some(b'"'),
            Some(b'r') => Some(b'\r'),
            Some(b't') => Some(b'\t'),
            Some(b'\\') => Some(b'\\'),
            _ => None,
        });
    }
    result
}
