//! `tree`, as version 2.1 has it. What it finds is held as a whole before it is shown: `--prune` and `--du` need all of it.

mod order;
mod shown;

use super::list::matches;
use super::options::{Parsed, Spec, Value, parse};
use super::{Call, reason};
use crate::system::{self, Status};
use order::{ORDERS, sort};
use shown::{json, lines};
use std::collections::HashSet;
use std::path::Path;

const OPTIONS: &[Spec] = &[
    Spec('a', "", Value::None),
    Spec('c', "", Value::None),
    Spec('C', "", Value::None), // nothing is coloured here: no terminal shows it
    Spec('d', "", Value::None),
    Spec('D', "", Value::None),
    Spec('f', "", Value::None),
    Spec('F', "", Value::None),
    Spec('g', "", Value::None),
    Spec('h', "", Value::None),
    Spec('i', "", Value::None),
    Spec('I', "", Value::Required),
    Spec('J', "", Value::None),
    Spec('l', "", Value::None),
    Spec('L', "", Value::Required),
    Spec('n', "", Value::None),
    Spec('N', "", Value::None),
    Spec('o', "", Value::Required),
    Spec('p', "", Value::None),
    Spec('P', "", Value::Required),
    Spec('Q', "", Value::None),
    Spec('r', "", Value::None),
    Spec('s', "", Value::None),
    Spec('t', "", Value::None),
    Spec('u', "", Value::None),
    Spec('U', "", Value::None),
    Spec('x', "", Value::None),
    Spec('\0', "charset", Value::Required),
    Spec('\0', "dirsfirst", Value::None),
    Spec('\0', "du", Value::None),
    Spec('\0', "filelimit", Value::Required),
    Spec('\0', "filesfirst", Value::None),
    Spec('\0', "ignore-case", Value::None),
    Spec('\0', "inodes", Value::None),
    Spec('\0', "matchdirs", Value::None),
    Spec('\0', "noreport", Value::None),
    Spec('\0', "prune", Value::None),
    Spec('\0', "si", Value::None),
    Spec('\0', "sort", Value::Required),
    Spec('\0', "timefmt", Value::Required),
    Spec('\0', "version", Value::None),
];

/// Something in the tree.
pub struct Node {
    /// As it is shown, with what leads to it where that is asked for.
    name: String,
    status: Status,
    /// What a link names.
    target: Option<String>,
    /// What a link leads to: its type and mode.
    leads_to: Option<(u8, u32)>,
    /// Whether it is a directory, or a link to one.
    directory: bool,
    /// What is below it, and why that is not shown.
    below: Vec<Node>,
    remark: Option<String>,
}

impl Node {
    fn real_directory(&self) -> bool {
        self.directory && self.target.is_none()
    }
}

pub struct Tree {
    options: Parsed,
    depth: usize,
    limit: usize,
    wanted: Vec<String>,
    ignored: Vec<String>,
    /// Inodes of the directories that links were followed to: they may lead there again.
    followed: HashSet<u64>,
    directories: usize,
    files: usize,
    bytes: u64,
}

pub fn run(call: &mut Call<'_>) -> i32 {
    let mut tree = match parse(call.args, OPTIONS).and_then(Tree::of) {
        Ok(tree) => tree,
        Err(problem) => {
            call.complain(&problem);
            return 1;
        }
    };
    if tree.options.has("version") {
        call.out.push_str("tree v2.1.0\n");
        return 0;
    }
    let roots = match tree.options.operands.as_slice() {
        [] => vec![".".to_string()],
        roots => roots.to_vec(),
    };
    let mut code = 0;
    let mut nodes = Vec::new();
    for root in &roots {
        let node = tree.root(call, root);
        if !node.directory {
            code = 2;
        }
        nodes.push(node);
    }
    let text = if tree.options.has("J") { json(&tree, &nodes, call) } else { lines(&tree, &nodes, call) };
    match tree.options.value("o") {
        None => call.out.push_str(&text),
        Some(name) => {
            if let Err(error) = std::fs::write(call.path(name), super::text::encode(text)) {
                let why = reason(&error);
                call.complain(&format!("invalid filename '{name}': {why}"));
                return 1;
            }
        }
    }
    code
}

impl Tree {
    fn of(options: Parsed) -> Result<Self, String> {
        let depth = match options.value("L").map(str::parse::<usize>) {
            None => usize::MAX,
            Some(Ok(level)) if level > 0 => level,
            Some(_) => return Err("Invalid level, must be greater than 0.".into()),
        };
        let limit = match options.value("filelimit").map(str::parse::<usize>) {
            None => usize::MAX,
            Some(Ok(limit)) => limit,
            Some(Err(_)) => return Err("Missing argument to --filelimit option.".into()),
        };
        if let Some(order) = options.value("sort").filter(|order| !ORDERS.contains(order)) {
            return Err(format!("sort type '{order}' not valid, should be one of: {}", ORDERS.join(",")));
        }
        let patterns = |name: &str| -> Vec<String> {
            let given = options.given.iter().filter(|(given, _)| given == name).filter_map(|(_, value)| value.as_deref());
            given.flat_map(|value| value.split('|')).map(str::to_string).collect()
        };
        Ok(Tree {
            depth,
            limit,
            wanted: patterns("P"),
            ignored: patterns("I"),
            followed: HashSet::new(),
            directories: 0,
            files: 0,
            bytes: 0,
            options,
        })
    }

    fn root(&mut self, call: &Call<'_>, name: &str) -> Node {
        let path = call.path(name);
        let mut node = match call.status(&path, true) {
            Ok(status) => Node {
                name: name.to_string(),
                directory: status.file_type == system::DIRECTORY,
                status,
                target: None,
                leads_to: None,
                below: Vec::new(),
                remark: None,
            },
            Err(_) => return unopened(name, None),
        };
        if !node.directory {
            self.files += 1;
            return unopened(name, Some(node.status));
        }
        self.directories += 1;
        self.fill(call, &path, &mut node, 0);
        self.bytes += node.status.size;
        node
    }

    /// Looks at what a directory holds.
    fn fill(&mut self, call: &Call<'_>, path: &Path, node: &mut Node, depth: usize) {
        if depth >= self.depth {
            return;
        }
        let Ok(names) = call.names(path) else {
            node.remark = Some("error opening dir".into());
            return;
        };
        let mut found: Vec<Node> = names.iter().filter_map(|name| self.found(call, path, node, name)).collect();
        if found.len() > self.limit {
            node.remark = Some(format!("{} entries exceeds filelimit, not opening dir", found.len()));
            return;
        }
        sort(&self.options, &mut found);
        for mut one in found {
            let at = path.join(one.name.rsplit('/').next().unwrap_or_default());
            let before = (self.directories, self.files);
            if one.real_directory() || one.directory && self.options.has("l") {
                self.directories += 1;
                self.enter(call, &at, &mut one, depth);
            } else if one.directory {
                self.directories += 1;
            } else {
                self.files += 1;
            }
            if self.options.has("prune") && one.real_directory() && one.below.is_empty() {
                (self.directories, self.files) = before;
                continue;
            }
            if self.options.has("du") {
                node.status.size += one.status.size;
            }
            node.below.push(one);
        }
    }

    fn enter(&mut self, call: &Call<'_>, at: &Path, node: &mut Node, depth: usize) {
        let inode = || call.status(at, true).map_or(0, |status| status.inode);
        if node.target.is_some() && !self.followed.insert(inode()) {
            node.remark = Some("recursive, not followed".into());
        } else {
            self.fill(call, at, node, depth + 1);
        }
    }

    /// What is there by that name, if it is to be shown.
    fn found(&self, call: &Call<'_>, directory: &Path, parent: &Node, name: &str) -> Option<Node> {
        if name.starts_with('.') && !self.options.has("a") {
            return None;
        }
        let path = directory.join(name);
        let status = call.status(&path, false).ok()?;
        let link = status.file_type == system::SYMLINK;
        let leads_to = if link { call.status(&path, true).ok() } else { None };
        let is_directory = leads_to.as_ref().unwrap_or(&status).file_type == system::DIRECTORY;
        if self.is_ignored(name, is_directory) || self.options.has("d") && !is_directory {
            return None;
        }
        let matchable = !is_directory || link || self.options.has("matchdirs");
        if matchable && !self.wanted.is_empty() && !self.wanted.iter().any(|pattern| self.matches(pattern, name)) {
            // A directory that does not match may hold what does.
            if !(is_directory && !link) {
                return None;
            }
        }
        let shown = if self.options.has("f") { format!("{}/{name}", parent.name.trim_end_matches('/')) } else { name.to_string() };
        Some(Node {
            name: shown,
            directory: is_directory,
            target: link.then(|| call.target(&path)),
            leads_to: leads_to.map(|status| (status.file_type, status.mode)),
            status,
            below: Vec::new(),
            remark: None,
        })
    }

    fn is_ignored(&self, name: &str, is_directory: bool) -> bool {
        self.ignored.iter().any(|pattern| match pattern.strip_suffix('/') {
            Some(pattern) => is_directory && self.matches(pattern, name),
            None => self.matches(pattern, name),
        })
    }

    fn matches(&self, pattern: &str, name: &str) -> bool {
        match self.options.has("ignore-case") {
            true => matches(&pattern.to_lowercase(), &name.to_lowercase()),
            false => matches(pattern, name),
        }
    }
}

/// A root that is none.
fn unopened(name: &str, status: Option<Status>) -> Node {
    Node {
        name: name.to_string(),
        status: status.unwrap_or_else(Status::of_nothing),
        target: None,
        leads_to: None,
        directory: false,
        below: Vec::new(),
        remark: Some("error opening dir".into()),
    }
}
