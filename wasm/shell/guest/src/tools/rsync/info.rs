//! What `rsync` tells, by `-v`, `-i`, `--info` and `--out-format`, and how it writes numbers.

/// What `--info` has names for that are heeded, and at which `-v` each of their levels begins.
const FLAGS: &[(&str, &[u8])] = &[
    ("BACKUP", &[2]),
    ("COPY", &[1]),
    ("DEL", &[1]),
    ("FLIST", &[1, 2]),
    ("MISC", &[1, 2]),
    ("MOUNT", &[2]),
    ("NAME", &[1, 2]),
    ("NONREG", &[0]),
    ("PROGRESS", &[9, 9]),
    ("REMOVE", &[2]),
    ("SKIP", &[2, 2]),
    ("STATS", &[1, 9, 9]),
    ("SYMSAFE", &[1]),
];

/// Letters of `--out-format` that are known.
const LETTERS: &str = "%bfilLnoMB";

#[derive(Default)]
pub struct Info {
    quiet: bool,
    pub verbose: u8,
    /// `-i`.
    pub itemized: u8,
    pub list_only: bool,
    /// `-h`: 0: plain, 1: with commas, 2: K are thousands, 3: K are 1024.
    pub human: u8,
    denies_human: bool,
    pub format: Option<String>,
    progress: bool,
    stats: bool,
    given: Vec<(String, u8)>,
}

/// @returns a format, or what it has in it that is not known.
pub fn checked(format: &str) -> Result<String, String> {
    let mut letters = format.chars();
    while let Some(letter) = letters.next() {
        if letter == '%' {
            match letters.next() {
                Some(letter) if LETTERS.contains(letter) => {}
                other => return Err(format!("--out-format: %{} is not here", other.unwrap_or(' '))),
            }
        }
    }
    Ok(format.to_string())
}

impl Info {
    pub fn switch(&mut self, name: &str, on: bool) {
        match name {
            "v" | "verbose" => self.verbose = if on { self.verbose + 1 } else { 0 },
            "q" => self.quiet = on,
            "i" | "itemize-changes" => self.itemized = if on { self.itemized + 1 } else { 0 },
            "h" | "human-readable" => (self.human, self.denies_human) = (if on { self.human + 1 } else { 0 }, !on),
            "P" | "progress" => self.progress = on,
            "stats" => self.stats = on,
            "list-only" => self.list_only = on,
            _ => {}
        }
    }

    /// @returns what is wrong.
    pub fn set(&mut self, text: &str) -> Result<(), String> {
        for item in text.split(',').filter(|item| !item.is_empty()) {
            let name = item.trim_end_matches(|letter: char| letter.is_ascii_digit()).to_uppercase();
            let level = item[name.len()..].parse().unwrap_or(1);
            match name.as_str() {
                "ALL" | "NONE" => {
                    let level = if name == "NONE" { 0 } else { level };
                    self.given.extend(FLAGS.iter().filter(|flag| flag.0 != "PROGRESS" || level == 0).map(|flag| (flag.0.to_string(), level)));
                }
                _ if FLAGS.iter().any(|flag| flag.0 == name) => self.given.push((name, level)),
                _ => return Err(format!("Unknown --info item: \"{item}\"")),
            }
        }
        Ok(())
    }

    pub fn settle(&mut self) {
        self.human = if self.denies_human { 0 } else { (self.human + 1).min(3) };
    }

    pub fn level(&self, name: &str) -> u8 {
        if self.quiet {
            return 0;
        }
        if let Some((_, level)) = self.given.iter().rev().find(|given| given.0 == name) {
            return *level;
        }
        if name == "PROGRESS" && self.progress {
            return 1;
        }
        let from = FLAGS.iter().find(|flag| flag.0 == name).map_or(&[][..], |flag| flag.1);
        let verbose = from.iter().filter(|begins| **begins <= self.verbose).count() as u8;
        match name {
            "STATS" if self.stats => verbose.max(2),
            // Names are told with their progress.
            "NAME" | "FLIST" if self.progress => verbose.max(1),
            _ => verbose,
        }
    }

    pub fn is_quiet(&self) -> bool {
        self.quiet
    }

    pub fn line(&self) -> &str {
        match &self.format {
            Some(format) => format,
            None if self.itemized > 0 => "%i %n%L",
            None => "%n%L",
        }
    }

    /// Whether changes are told letter by letter, and how much of them.
    pub fn letters(&self) -> u8 {
        match &self.format {
            Some(format) => u8::from(format.contains("%i")) * self.itemized.max(1),
            None => self.itemized,
        }
    }

    /// Whether there is something to tell of each name.
    pub fn tells_names(&self) -> bool {
        !self.quiet && (self.level("NAME") > 0 || self.itemized > 0 || self.format.is_some())
    }

    pub fn number(&self, number: u64) -> String {
        match self.human {
            0 => number.to_string(),
            1 => grouped(&number.to_string()),
            _ => self.in_units(number as f64).unwrap_or_else(|| number.to_string()),
        }
    }

    /// With two digits behind the point.
    pub fn decimal(&self, number: f64) -> String {
        let plain = format!("{number:.2}");
        match self.human {
            0 => plain,
            1 => grouped(&plain),
            _ => self.in_units(number).unwrap_or(plain),
        }
    }

    fn in_units(&self, number: f64) -> Option<String> {
        let unit = if self.human == 2 { 1000.0 } else { 1024.0 };
        let (mut value, mut letters) = (number, "KMGTP".chars());
        let mut letter = None;
        while value >= unit {
            value /= unit;
            letter = letters.next();
        }
        letter.map(|letter| format!("{value:.2}{letter}"))
    }
}

fn grouped(number: &str) -> String {
    let (whole, rest) = number.split_at(number.find('.').unwrap_or(number.len()));
    let mut text = String::new();
    for (at, digit) in whole.chars().enumerate() {
        if at > 0 && (whole.len() - at) % 3 == 0 {
            text.push(',');
        }
        text.push(digit);
    }
    text + rest
}
