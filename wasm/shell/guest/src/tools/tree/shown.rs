//! What `tree` shows of what it found.

use super::super::du::scaled;
use super::super::time::{is_recent, local, now};
use super::super::{Call, mode};
use super::{Node, Tree};
use crate::system::{self, user_name};

pub fn lines(tree: &Tree, roots: &[Node], call: &Call<'_>) -> String {
    let mut out = String::new();
    for root in roots {
        line(tree, root, call, "", "", &mut out);
    }
    if !tree.options.has("noreport") {
        out.push_str(&report(tree));
    }
    out
}

/// @param prefix of what is below. @param own Before its own name.
fn line(tree: &Tree, node: &Node, call: &Call<'_>, prefix: &str, own: &str, out: &mut String) {
    out.push_str(own);
    out.push_str(&facts(tree, node, call));
    out.push_str(&quoted(tree, &node.name));
    if tree.options.has("F") && node.target.is_none() {
        out.push_str(indicator(node.status.file_type, node.status.mode));
    }
    if let Some(target) = &node.target {
        out.push_str(&format!(" -> {}", quoted(tree, target)));
        if tree.options.has("F")
            && let Some((file_type, mode)) = node.leads_to
        {
            out.push_str(indicator(file_type, mode));
        }
    }
    if let Some(remark) = &node.remark {
        out.push_str(&format!("  [{remark}]"));
    }
    out.push('\n');
    let [fork, last, through, space] = strokes(tree);
    for (at, below) in node.below.iter().enumerate() {
        let ends = at + 1 == node.below.len();
        let (own, rest) = if ends { (last, space) } else { (fork, through) };
        line(tree, below, call, &format!("{prefix}{rest}"), &format!("{prefix}{own}"), out);
    }
}

/// What stands before a name: beside more, last, under more, under the last.
fn strokes(tree: &Tree) -> [&'static str; 4] {
    if tree.options.has("i") {
        return [""; 4];
    }
    match tree.options.value("charset").map(str::to_lowercase).as_deref() {
        None | Some("utf-8" | "utf8") => ["├── ", "└── ", "│\u{a0}\u{a0} ", "    "],
        Some(_) => ["|-- ", "`-- ", "|   ", "    "],
    }
}

fn quoted(tree: &Tree, name: &str) -> String {
    if tree.options.has("Q") { format!("\"{}\"", name.replace('"', "\\\"")) } else { name.to_string() }
}

fn indicator(file_type: u8, mode: u32) -> &'static str {
    match file_type {
        system::DIRECTORY => "/",
        system::FILE if mode & 0o111 != 0 => "*",
        _ => "",
    }
}

/// `[-rw-r--r-- user     user      123 Mar  1  2024]  `, as far as it is asked for.
fn facts(tree: &Tree, node: &Node, call: &Call<'_>) -> String {
    let options = &tree.options;
    let mut parts = Vec::new();
    if options.has("inodes") {
        parts.push(format!("{:>7}", node.status.inode));
    }
    if options.has("p") {
        parts.push(mode::symbolic(&node.status));
    }
    if options.has("u") {
        parts.push(format!("{:<8}", user_name(node.status.user)));
    }
    if options.has("g") {
        parts.push(format!("{:<8}", user_name(node.status.user)));
    }
    if let Some(size) = size(tree, node.status.size) {
        parts.push(size);
    }
    if options.has("D") || options.has("timefmt") {
        parts.push(moment(tree, node.status.modified, call));
    }
    if parts.is_empty() { String::new() } else { format!("[{}]  ", parts.join(" ")) }
}

fn size(tree: &Tree, bytes: u64) -> Option<String> {
    let options = &tree.options;
    if options.has("h") || options.has("si") {
        return Some(human(bytes, if options.has("si") { 1000 } else { 1024 }));
    }
    (options.has("s") || options.has("du")).then(|| format!("{bytes:>11}"))
}

/// `4.0K`, right-aligned, and rounded to the nearest.
fn human(bytes: u64, base: u64) -> String {
    let (size, letter) = scaled(bytes, base);
    match letter {
        "" => format!("{bytes:>4}"),
        _ if size >= 10.0 => format!("{size:>3.0}{letter}"),
        _ => format!("{size:>3.1}{letter}"),
    }
}

fn moment(tree: &Tree, nanoseconds: u64, call: &Call<'_>) -> String {
    let moment = local(nanoseconds, call.environment);
    if let Some(format) = tree.options.value("timefmt") {
        return moment.format(format).to_string();
    }
    moment.format(if is_recent(nanoseconds, now()) { "%b %e %H:%M" } else { "%b %e  %Y" }).to_string()
}

fn report(tree: &Tree) -> String {
    let mut text = String::from("\n");
    if tree.options.has("du") {
        let unit = if tree.options.has("h") || tree.options.has("si") { "" } else { " bytes" };
        text.push_str(&format!(" {}{unit} used in ", size(tree, tree.bytes).unwrap_or_default()));
    }
    let (directories, files) = (tree.directories, tree.files);
    text.push_str(&format!("{directories} director{}", if directories == 1 { "y" } else { "ies" }));
    if !tree.options.has("d") {
        text.push_str(&format!(", {files} file{}", if files == 1 { "" } else { "s" }));
    }
    text.push('\n');
    text
}

pub fn json(tree: &Tree, roots: &[Node], call: &Call<'_>) -> String {
    let indented = !tree.options.has("i");
    let end = if indented { "\n" } else { "" };
    let mut out = format!("[{end}");
    for (at, root) in roots.iter().enumerate() {
        entry(tree, root, call, 1, &mut out);
        out.push_str(if at + 1 < roots.len() { "," } else { "" });
        out.push_str(end);
    }
    if tree.options.has("noreport") {
        out.push_str(end);
    } else {
        let files = if tree.options.has("d") { String::new() } else { format!(",\"files\":{}", tree.files) };
        let margin = if indented { "  " } else { "" };
        out.push_str(&format!(",{end}{margin}{{\"type\":\"report\",\"directories\":{}{files}}}{end}", tree.directories));
    }
    out.push_str("]\n");
    out
}

fn entry(tree: &Tree, node: &Node, call: &Call<'_>, depth: usize, out: &mut String) {
    let indented = !tree.options.has("i");
    let margin = if indented { "  ".repeat(depth) } else { String::new() };
    let end = if indented { "\n" } else { "" };
    let kind = match node.status.file_type {
        _ if node.target.is_some() => "link",
        system::DIRECTORY => "directory",
        _ => "file",
    };
    out.push_str(&format!("{margin}{{\"type\":\"{kind}\",\"name\":{}", string(&node.name)));
    if let Some(target) = &node.target {
        out.push_str(&format!(",\"target\":{}", string(target)));
    }
    let options = &tree.options;
    if options.has("inodes") {
        out.push_str(&format!(",\"inode\":{}", node.status.inode));
    }
    if options.has("p") {
        out.push_str(&format!(",\"mode\":\"{:04o}\",\"prot\":\"{}\"", node.status.mode, mode::symbolic(&node.status)));
    }
    for (option, key) in [("u", "user"), ("g", "group")] {
        if options.has(option) {
            out.push_str(&format!(",\"{key}\":\"{}\"", user_name(node.status.user)));
        }
    }
    if let Some(size) = size(tree, node.status.size) {
        let size = size.trim();
        out.push_str(&if options.has("h") || options.has("si") { format!(",\"size\":\"{size}\"") } else { format!(",\"size\":{size}") });
    }
    if options.has("D") || options.has("timefmt") {
        out.push_str(&format!(",\"time\":{}", string(&moment(tree, node.status.modified, call))));
    }
    if let Some(remark) = &node.remark {
        out.push_str(&format!(",\"error\":{}", string(remark)));
    }
    if !node.below.is_empty() {
        out.push_str(&format!(",\"contents\":[{end}"));
        for (at, below) in node.below.iter().enumerate() {
            entry(tree, below, call, depth + 1, out);
            out.push_str(if at + 1 < node.below.len() { "," } else { "" });
            out.push_str(end);
        }
        out.push_str(&format!("{margin}]"));
    }
    out.push('}');
}

/// As JSON has it.
fn string(text: &str) -> String {
    let mut quoted = String::from("\"");
    for letter in text.chars() {
        match letter {
            '"' | '\\' => quoted.extend(['\\', letter]),
            _ if letter < ' ' => quoted.push_str(&format!("\\u{:04x}", letter as u32)),
            _ => quoted.push(letter),
        }
    }
    quoted.push('"');
    quoted
}
