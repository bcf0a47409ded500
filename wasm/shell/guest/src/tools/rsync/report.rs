//! What `rsync` tells of each name, and of all at the end.

use super::order::Order;
use super::sources::Entry;
use crate::tools::{Call, mode, time};
use std::time::Instant;

/// How something was changed, or where it is to be.
#[derive(Clone, Copy, Default)]
pub struct Change {
    pub new: bool,
    /// Of contents, where these were compared; or of what a link leads to.
    pub value: bool,
    pub size: bool,
    /// `t`, or `T`: not that of the source.
    pub time: Option<char>,
    pub perms: bool,
}

impl Change {
    pub fn counts(&self) -> bool {
        self.new || self.value || self.size || self.time.is_some() || self.perms
    }
}

/// What is done with a name.
#[derive(Clone, Copy, PartialEq)]
pub enum Action {
    /// Nothing but attributes.
    Attributes,
    Transfer,
    /// Made of what is here: directories, links, copies of what was there already.
    Local,
    HardLink,
}

fn letters(entry: &Entry, action: Action, change: &Change) -> String {
    let first = match action {
        Action::Attributes => '.',
        Action::Transfer => '>',
        Action::Local => 'c',
        Action::HardLink => 'h',
    };
    let kind = if entry.is_directory() { 'd' } else if entry.is_link() { 'L' } else { 'f' };
    let letter = |is: bool, letter: char| if is { letter } else { '.' };
    let rest = match (change.new, change.counts() || action == Action::Transfer) {
        (true, _) => "+++++++++".to_string(),
        (false, false) => " ".repeat(9),
        (false, true) => format!(
            "{}{}{}{}.....",
            letter(change.value, 'c'),
            letter(change.size, 's'),
            change.time.unwrap_or('.'),
            letter(change.perms, 'p')
        ),
    };
    format!("{first}{kind}{rest}")
}

/// @param leader Of a hard link: the name that it is another one of.
pub fn tell(call: &mut Call<'_>, order: &Order, entry: &Entry, action: Action, change: &Change, leader: &str) {
    let info = &order.info;
    if info.is_quiet() {
        return;
    }
    let done = action == Action::Transfer || !leader.is_empty();
    let by_letters = change.counts() || done || info.letters() > 1 || info.level("NAME") > 1;
    let by_name = done || change.counts() && (action == Action::Local || action == Action::HardLink || entry.is_directory());
    if if info.letters() > 0 { !by_letters } else { !(info.tells_names() && by_name) } {
        return;
    }
    let format = info.line().to_string();
    let mut line = String::new();
    let mut rest = format.chars();
    while let Some(letter) = rest.next() {
        if letter != '%' {
            line.push(letter);
            continue;
        }
        match rest.next().unwrap_or('%') {
            'i' => line.push_str(&letters(entry, action, change)),
            'n' => line.push_str(&shown(entry)),
            'L' => match (&entry.leads_to, leader) {
                (Some(target), _) => line.push_str(&format!(" -> {}", printable(target))),
                (None, "") => {}
                (None, leader) => line.push_str(&format!(" => {}", printable(leader))),
            },
            'l' => line.push_str(&info.number(entry.status.size)),
            'b' => line.push_str(&info.number(if action == Action::Transfer { entry.size() } else { 0 })),
            'f' => line.push_str(entry.source.to_string_lossy().trim_start_matches('/')),
            'o' => line.push_str("send"),
            'B' => line.push_str(&mode::symbolic(&entry.status)[1..]),
            'M' => line.push_str(&time::local(entry.status.modified, call.environment).format("%Y/%m/%d-%H:%M:%S").to_string()),
            other => line.push(other),
        }
    }
    call.out.push_str(&line);
    call.out.push('\n');
}

pub fn shown(entry: &Entry) -> String {
    let slash = if entry.is_directory() { "/" } else { "" };
    printable(&entry.shown) + slash
}

/// As `\#012` what would be a command to a terminal.
pub fn printable(name: &str) -> String {
    let letter = |letter: char| match letter {
        '\t' => "\t".to_string(),
        _ if letter.is_ascii_control() => format!("\\#{:03o}", u32::from(letter)),
        _ => letter.to_string(),
    };
    match name.contains(|letter: char| letter.is_ascii_control()) {
        true => name.chars().map(letter).collect(),
        false => name.to_string(),
    }
}

/// Numbers of files, directories and links.
#[derive(Default)]
pub struct Kinds([u64; 3]);

impl Kinds {
    pub fn count(&mut self, directory: bool, link: bool) {
        self.0[if directory { 1 } else if link { 2 } else { 0 }] += 1;
    }

    fn tell(&self, order: &Order) -> String {
        let sum = self.0.iter().sum();
        let parts = self.0.iter().zip(["reg", "dir", "link"]).filter(|(count, _)| **count > 0);
        let parts: Vec<String> = parts.map(|(count, kind)| format!("{kind}: {}", order.info.number(*count))).collect();
        let parts = if parts.is_empty() { String::new() } else { format!(" ({})", parts.join(", ")) };
        format!("{}{parts}", order.info.number(sum))
    }
}

pub struct Stats {
    begin: Instant,
    files: Kinds,
    pub created: Kinds,
    pub deleted: Kinds,
    total: u64,
    pub transferred: u64,
    transferred_bytes: u64,
    /// What would have gone over a network, about.
    sent: u64,
    received: u64,
}

impl Stats {
    pub fn begin() -> Self {
        Stats {
            begin: Instant::now(),
            files: Kinds::default(),
            created: Kinds::default(),
            deleted: Kinds::default(),
            total: 0,
            transferred: 0,
            transferred_bytes: 0,
            sent: 20,
            received: 15,
        }
    }

    pub fn count(&mut self, entry: &Entry) {
        self.files.count(entry.is_directory(), entry.is_link());
        self.total += entry.size();
        self.sent += 20 + entry.name.len() as u64;
    }

    pub fn transfer(&mut self, entry: &Entry) {
        self.transferred += 1;
        self.transferred_bytes += entry.size();
        self.sent += 40 + entry.size();
        self.received += 19;
    }

    /// A line of `--progress`. @param bytes Of all that is meant, how many there are.
    pub fn progress(&self, order: &Order, bytes: (u64, u64), left: (usize, usize)) -> String {
        let (done, of) = bytes;
        let percent = if of == 0 { 100 } else { done * 100 / of };
        let seconds = self.begin.elapsed().as_secs_f64().max(0.001);
        let mut rate = done as f64 / 1024.0 / seconds;
        let mut units = ["kB/s", "MB/s", "GB/s"].iter();
        let mut unit = units.next();
        while rate >= 1024.0 && units.len() > 0 {
            rate /= 1024.0;
            unit = units.next();
        }
        let unit = unit.unwrap_or(&"kB/s");
        let number = order.info.number(done);
        let (left, all) = left;
        format!("\r{number:>15} {percent:>3}% {rate:>7.2}{unit}    0:00:00 (xfr#{}, to-chk={left}/{all})\n", self.transferred)
    }

    pub fn whole(&self) -> (u64, u64) {
        (self.transferred_bytes, self.total)
    }

    pub fn tell(&self, call: &mut Call<'_>, order: &Order) {
        let info = &order.info;
        let level = info.level("STATS");
        if info.verbose > 1 && !info.is_quiet() && order.target.is_some() && !info.list_only {
            call.out.push_str(&format!("total: matches=0  hash_hits=0  false_alarms=0 data={}\n", self.transferred_bytes));
        }
        let number = |number: u64| info.number(number);
        let mut lines = String::new();
        if level > 1 {
            lines.push_str(&format!("\nNumber of files: {}\n", self.files.tell(order)));
            lines.push_str(&format!("Number of created files: {}\n", self.created.tell(order)));
            lines.push_str(&format!("Number of deleted files: {}\n", self.deleted.tell(order)));
            lines.push_str(&format!("Number of regular files transferred: {}\n", number(self.transferred)));
            lines.push_str(&format!("Total file size: {} bytes\n", number(self.total)));
            lines.push_str(&format!("Total transferred file size: {} bytes\n", number(self.transferred_bytes)));
            let literal = if order.dry { 0 } else { self.transferred_bytes };
            lines.push_str(&format!("Literal data: {} bytes\nMatched data: 0 bytes\nFile list size: 0\n", number(literal)));
            lines.push_str("File list generation time: 0.001 seconds\nFile list transfer time: 0.000 seconds\n");
            lines.push_str(&format!("Total bytes sent: {}\nTotal bytes received: {}\n", number(self.sent), number(self.received)));
        }
        if level > 0 {
            let both = self.sent + self.received;
            let rate = info.decimal(both as f64 / (0.5 + self.begin.elapsed().as_secs_f64()));
            lines.push_str(&format!("\nsent {} bytes  received {} bytes  {rate} bytes/sec\n", number(self.sent), number(self.received)));
            let speedup = info.decimal(self.total as f64 / both as f64);
            let dry = if order.dry { " (DRY RUN)" } else { "" };
            lines.push_str(&format!("total size is {}  speedup is {speedup}{dry}\n", number(self.total)));
        }
        call.out.push_str(&lines);
    }
}
