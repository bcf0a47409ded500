//! Which names are left out: rules of `--exclude`, `--include` and `--filter`, the first of which that matches counts.

use crate::tools::wildcard::Wildcard;

/// For whom a rule is: what is sent, what is deleted, or both.
#[derive(Clone, Copy, PartialEq)]
pub enum Side {
    Both,
    Sender,
    Receiver,
}

pub struct Rule {
    include: bool,
    side: Side,
    pub pattern: Pattern,
}

#[derive(Default)]
pub struct Rules(Vec<Rule>);

impl Rules {
    pub fn add(&mut self, include: bool, side: Side, pattern: &str) {
        self.0.push(Rule { include, side, pattern: Pattern::of(pattern) });
    }

    /// A rule as `--exclude` and the files of it have them: `+ x` and `- x` say themselves which they are, `!` drops all.
    pub fn add_plain(&mut self, include: bool, text: &str) {
        match (text, text.strip_prefix("+ "), text.strip_prefix("- ")) {
            ("!", ..) => self.0.clear(),
            (_, Some(pattern), _) => self.add(true, Side::Both, pattern),
            (_, _, Some(pattern)) => self.add(false, Side::Both, pattern),
            _ => self.add(include, Side::Both, text),
        }
    }

    /// A rule of `--filter`. @returns what is wrong.
    pub fn add_filter(&mut self, text: &str) -> Result<(), String> {
        if text == "!" || text == "clear" {
            self.0.clear();
            return Ok(());
        }
        let (kind, pattern) = text.split_once([' ', '_']).unwrap_or((text, ""));
        let (include, side) = match kind {
            "-" | "exclude" => (false, Side::Both),
            "+" | "include" => (true, Side::Both),
            "H" | "hide" | "-s" => (false, Side::Sender),
            "S" | "show" | "+s" => (true, Side::Sender),
            "P" | "protect" | "-r" => (false, Side::Receiver),
            "R" | "risk" | "+r" => (true, Side::Receiver),
            _ if matches!(kind, "merge" | "dir-merge") || kind.starts_with(['.', ':']) => {
                return Err(format!("filter rule '{text}': rules of other files are not here; --exclude-from reads one"));
            }
            _ if kind.starts_with(['-', '+']) => return Err(format!("filter rule '{text}': its modifiers are not here")),
            _ => return Err(format!("Unknown filter rule: `{text}'")),
        };
        if pattern.is_empty() {
            return Err(format!("unexpected end of filter rule: {text}"));
        }
        self.add(include, side, pattern);
        Ok(())
    }

    /// Rules for both are from now on those of the sender: what they name is deleted, too.
    pub fn leave_receiver(&mut self) {
        for rule in self.0.iter_mut().filter(|rule| rule.side == Side::Both) {
            rule.side = Side::Sender;
        }
    }

    /// The rule that decides on a name, and whether that is left out. @param name From the root of what is copied, as `d/file`.
    pub fn decide(&self, side: Side, name: &str, directory: bool) -> Option<(&Rule, bool)> {
        let counts = |rule: &&Rule| (rule.side == Side::Both || rule.side == side) && rule.pattern.matches(name, directory);
        self.0.iter().find(counts).map(|rule| (rule, !rule.include))
    }
}

pub struct Pattern {
    pub text: String,
    wildcard: Wildcard,
    anchored: bool,
    only_directories: bool,
    /// How many there are in it.
    slashes: usize,
    /// Of `**`: anywhere, at the beginning; and of `***` at the end, which means the directory and what is in it.
    double: bool,
    double_first: bool,
    triple_last: bool,
}

impl Pattern {
    fn of(text: &str) -> Self {
        let only_directories = text.len() > 1 && text.ends_with('/');
        let own = if only_directories { &text[..text.len() - 1] } else { text };
        let wild = own.contains(['*', '?', '[']);
        let anchored = own.starts_with('/');
        let pattern = own.strip_prefix('/').unwrap_or(own).as_bytes();
        Pattern {
            text: text.to_string(),
            wildcard: if wild { Wildcard::of(pattern) } else { Wildcard::literal(pattern) },
            anchored,
            only_directories,
            slashes: own.matches('/').count(),
            double: own.contains("**"),
            double_first: own.starts_with("**"),
            triple_last: own.ends_with("***"),
        }
    }

    fn matches(&self, name: &str, directory: bool) -> bool {
        if name.is_empty() || self.only_directories && !directory {
            return false;
        }
        let base = name.rsplit('/').next().unwrap_or(name);
        let mut subject = if self.slashes == 0 && !self.double { base.to_string() } else { name.to_string() };
        if self.double_first {
            subject.insert(0, '/');
        }
        if self.triple_last && directory {
            subject.push('/');
        }
        let subject = subject.as_bytes();
        if self.anchored || self.double_first {
            return self.wildcard.fits(subject);
        }
        let after_slashes = || subject.iter().enumerate().filter(|(_, byte)| **byte == b'/').map(|(at, _)| at + 1);
        if self.double {
            return self.wildcard.fits(subject) || after_slashes().any(|at| self.wildcard.fits(&subject[at..]));
        }
        // As many of the last parts as it has itself.
        let starts: Vec<usize> = std::iter::once(0).chain(after_slashes()).collect();
        starts.len().checked_sub(self.slashes + 1).is_some_and(|at| self.wildcard.fits(&subject[starts[at]..]))
    }
}
