//! `tr///` and `y///`.

pub struct Transliteration {
    from: Vec<char>,
    to: Vec<char>,
    others: bool,
    deletes: bool,
    squeezes: bool,
}

impl Transliteration {
    pub fn of(from: &str, to: &str, flags: &str) -> Result<Self, String> {
        if let Some(odd) = flags.chars().find(|flag| !"cds".contains(*flag)) {
            return Err(format!("tr///{odd}: that flag is not here"));
        }
        let (from, mut to) = (letters(from)?, letters(to)?);
        let deletes = flags.contains('d');
        let others = flags.contains('c');
        if to.is_empty() && !deletes && !others {
            to.clone_from(&from);
        }
        Ok(Transliteration { from, to, others, deletes, squeezes: flags.contains('s') })
    }

    pub fn applied(&self, text: &str) -> String {
        let mut out = String::new();
        let mut last = None;
        for letter in text.chars() {
            let at = self.from.iter().position(|own| *own == letter);
            let found = if self.others { at.is_none() } else { at.is_some() };
            if !found {
                out.push(letter);
                last = None;
                continue;
            }
            let at = if self.others { usize::MAX } else { at.unwrap_or(usize::MAX) };
            let new = match self.to.get(at).or(self.to.last().filter(|_| !self.deletes)) {
                Some(new) => *new,
                None if self.deletes => continue,
                None => letter,
            };
            if !(self.squeezes && last == Some(new)) {
                out.push(new);
            }
            last = Some(new);
        }
        out
    }
}

fn letters(text: &str) -> Result<Vec<char>, String> {
    let mut plain = Vec::new();
    let mut rest = text.chars();
    while let Some(letter) = rest.next() {
        plain.push(match letter {
            '\\' => match rest.next() {
                Some('n') => ('\n', true),
                Some('t') => ('\t', true),
                Some('r') => ('\r', true),
                Some(other) => (other, true),
                None => ('\\', true),
            },
            letter => (letter, false),
        });
    }
    let mut found = Vec::new();
    let mut at = 0;
    while at < plain.len() {
        let low = plain[at].0;
        match (plain.get(at + 1), plain.get(at + 2)) {
            (Some(('-', false)), Some((high, _))) => {
                if *high < low {
                    return Err(format!("Invalid range \"{low}-{high}\" in transliteration operator"));
                }
                found.extend(low..=*high);
                at += 3;
            }
            _ => {
                found.push(low);
                at += 1;
            }
        }
    }
    Ok(found)
}
