//! Statements, as instructions: conditions and loops are jumps.

use super::code::{Literal, Op};
use super::lexer::{Keyword, Stop, Token};
use super::parser::{Parsed, Parser};

/// Jumps out of a loop, whose targets come later.
#[derive(Default)]
pub struct Loop {
    breaks: Vec<usize>,
    continues: Vec<usize>,
}

impl Parser<'_> {
    pub fn statement(&mut self) -> Parsed<()> {
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
    pub fn newline(&mut self) -> Parsed<()> {
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
