//! Definitions of functions.

use super::code::{Function, Literal, Op, Parameter};
use super::lexer::{Keyword, Token};
use super::parser::{Parsed, Parser, syntax_error};

impl Parser<'_> {
    pub fn definition(&mut self) -> Parsed<(usize, Function)> {
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
